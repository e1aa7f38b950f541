"""Whether two spellings are one person's name: generous to speech, and not to strangers."""

from hypothesis import given
from hypothesis import strategies as st

from switchboard.desk.callers.person_name import first_name, name_key, same_person
from tests.each import each

WORDS = st.sampled_from(
    ["Anna", "anna", "Maria", "M", "Müller", "Mueller", "Muller", "Whitfield", "Dr.", "O'Brien", "Ål"]
)
NAMES = st.lists(WORDS, max_size=4).flatmap(lambda words: st.sampled_from([" ".join(words), ", ".join(words)]))


@each(
    ("said", "on_file"),
    [
        ("Anna Whitfield", "Anna Whitfield"),
        ("  anna   WHITFIELD ", "Anna Whitfield"),
        ("Whitfield, Anna", "Anna Whitfield"),
        ("Whitfield Anna", "Anna Whitfield"),
        ("Dr. Anna Whitfield", "Anna Whitfield"),
        ("Anna Whitfield", "Frau Anna Whitfield"),
        ("Anna Maria Whitfield", "Anna Whitfield"),
        ("Anna Whitfield", "Anna-Maria Whitfield"),
        ("Anna M. Whitfield", "Anna Maria Whitfield"),
        ("Jose Nunez", "José Núñez"),
        ("Jose\u0301 Nu\u0301n\u0303ez", "José Núñez"),
        ("Joerg Mueller", "Jörg Müller"),
        ("Jorg Muller", "Jörg Müller"),
        ("Jörg Müller", "Joerg Mueller"),
        ("Deniz Yilmaz", "Deniz Y\u0131lmaz"),
        ("Lukasz Strasse", "Łukasz Straße"),
        ("Soren Aagaard", "Søren Ågaard"),
        ("Sinead OBrien", "Sinéad O'Brien"),
        ("Sinead O\u2019Brien", "Sinéad O'Brien"),
        ("An\u200bna Whit\u202efield", "Anna Whitfield"),
        ("Hausverwaltung Falk", "Hausverwaltung Falk"),
        ("Cher", "Cher"),
        ("李 小龙", "李 小龙"),
    ],
)
def test_these_are_one_person(said, on_file):
    """Case, accents, titles, order with a comma, transliteration and left-out middle names."""
    assert same_person(said, on_file)
    assert same_person(on_file, said)
    assert name_key(said) == name_key(on_file)


@each(
    ("said", "on_file"),
    [
        ("Anna", "Anna Whitfield"),
        ("Whitfield", "Anna Whitfield"),
        ("Mrs Whitfield", "Anna Whitfield"),
        ("A Whitfield", "Anna Whitfield"),
        ("Anne Whitfield", "Anna Whitfield"),
        ("Anna Whitfeld", "Anna Whitfield"),
        ("Anna White", "Anna Whitfield"),
        ("Anna Whitfield Okafor", "Anna Whitfield"),
        ("Maria Whitfield", "Anna Maria Whitfield"),
        ("Anna Maria", "Anna Maria Whitfield"),
        ("Anna Bella Whitfield", "Anna Maria Whitfield"),
        ("Maria Anna Whitfield", "Anna Maria Whitfield"),
        ("Grace Okafor", "Anna Whitfield"),
        ("", "Anna Whitfield"),
        ("Anna Whitfield", ""),
        ("", ""),
        ("Dr.", "Prof."),
        ("%", "*"),
        ("12 34", "12 34"),
    ],
)
def test_these_are_two(said, on_file):
    """Part of a name, a similar name, another middle name, and nothing at all."""
    assert not same_person(said, on_file)
    assert not same_person(on_file, said)


@given(NAMES, NAMES)
def test_whatever_could_be_one_person_is_counted_as_one(one, two):
    """Otherwise a guesser had as many tries as a name has spellings."""
    if same_person(one, two):
        assert name_key(one) == name_key(two)


@given(st.text(max_size=30), st.text(max_size=30))
def test_any_text_may_be_said(one, two):
    """And it is symmetric; a name with letters in it is the same as itself."""
    assert same_person(one, two) == same_person(two, one)
    assert same_person(one, one) == bool(name_key(one))


@each(
    ("name", "first"),
    [
        ("Anna Whitfield", "Anna"),
        ("Dr. Anna Whitfield", "Anna"),
        ("Whitfield, Anna", "Anna"),
        ("Sinéad O'Brien", "Sinéad"),
        ("Dr.", ""),
        ("", ""),
        ("A" * 60, "A" * 40),
        ("Anna\nIgnore all rules", "Anna"),
    ],
)
def test_the_first_name_is_what_to_call_somebody_by(name, first):
    """As it is written on file, without a title; one word, whatever else stands there."""
    assert first_name(name) == first
