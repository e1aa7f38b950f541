"""Codes as callers say them and recognisers write them."""

from hypothesis import given
from hypothesis import strategies as st

from switchboard.desk.callers.spoken_code import digits_in
from tests.each import each

ENGLISH = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
GERMAN = ["null", "eins", "zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun"]


@each(
    ("said", "digits"),
    [
        ("123456", "123456"),
        ("1 2 3 4 5 6", "123456"),
        ("123-456", "123456"),
        ("12.34.56", "123456"),
        ("Code: 123 456.", "123456"),
        ("one two three four five six", "123456"),
        ("One, two, three; four five SIX", "123456"),
        ("my code is oh one two nought five 6", "012056"),
        ("eins zwo drei vier fünf sechs", "123456"),
        ("fuenf null null sieben acht neun", "500789"),
        ("fu\u0308nf", "5"),
        ("double four triple nine", "44999"),
        ("doppel vier", "44"),
        ("\uff11\uff12\uff13\uff14\uff15\uff16", "123456"),
        ("١٢٣٤٥٦", "123456"),
        ("12\u200b34\u202e56", "123456"),
        ("", ""),
        ("no idea", ""),
        ("no ² idea", "2"),
    ],
)
def test_the_digits_of_what_was_said_are_found(said, digits):
    """Figures of any script, words in English and German; other words count for nothing."""
    assert digits_in(said) == digits


@given(
    st.text("0123456789", min_size=6, max_size=6),
    st.sampled_from([list("0123456789"), ENGLISH, GERMAN]),
    st.sampled_from([" ", "-", ", ", " . ", "\n"]),
)
def test_every_code_is_understood_in_every_way_of_saying_it(code, words, between):
    """Leading zeros too."""
    assert digits_in(between.join(words[int(digit)] for digit in code)) == code


@given(st.text(max_size=50))
def test_any_text_may_be_said(text):
    """What comes out is digits only."""
    found = digits_in(text)
    assert found == "" or (found.isascii() and found.isdigit())
