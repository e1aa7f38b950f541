"""Names: which are one, however they are spelt or heard, and what ids are made of them."""

from switchboard.contract.business.names import letters, slug
from tests.each import each

SAME = [
    ("Crème brûlée", "creme brulee"),
    ("Zoë O\u2019Neill-Díaz", "zoe oneill diaz"),
    ("\ufb01ne \uff23ut", "fine Cut"),
    ("Groß", "GROSS"),
    # Points that nobody writes, and what only picks a picture of a letter.
    ("שָׁלוֹם", "שלום"),
    ("مُحَمَّد", "محمد"),
    ("Cut \u2764\ufe0f", "cut"),
    ("Ёлка", "Елка"),
]
OTHERS = [("रीमा", "रोमा"), ("กิน", "กุน"), ("たがわ", "たかわ"), ("கலா", "கலை"), ("ペン", "ベン"), ("Jon", "John")]


@each("pair", SAME)
def test_names_that_sound_alike_are_one(pair):
    """Whatever marks somebody puts, or leaves out."""
    one, other = pair
    assert letters(one) == letters(other) != ""


@each("pair", OTHERS)
def test_names_that_are_told_by_their_vowels_are_two(pair):
    """Also where a script writes vowels, or another consonant, as marks of a letter."""
    one, other = pair
    assert letters(one) != letters(other)


def test_an_id_is_made_of_the_letters_that_ids_have():
    """Without accents; of nothing comes nothing."""
    assert slug("Zoë's Front--Desk ") == "zoe-s-front-desk"
    assert slug("Crème brûlée", "_") == "creme_brulee"
    assert slug("東京") == slug("...") == ""
