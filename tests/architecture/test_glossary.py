"""The glossary is short, in order, and names places that are there."""

import re

from tests.architecture.house import FUNCTIONS, ROOT

GLOSSARY = ROOT / "docs/glossary.md"
MOST_TERMS = 60


def rows() -> list[tuple[str, str, str]]:
    """Return the words with what they mean and where they are."""
    lines = [line for line in GLOSSARY.read_text(encoding="utf-8").splitlines() if line.startswith("| ")][1:]
    found = [tuple(cell.strip() for cell in line.strip("|").split("|")) for line in lines]
    assert all(len(row) == 3 for row in found)
    return [(row[0], row[1], row[2]) for row in found]


def test_a_glossary_is_read_in_a_minute():
    """At most 60 words, each once, in order, with a meaning and a place."""
    words = [word for word, _, _ in rows()]
    assert 40 <= len(words) <= MOST_TERMS
    assert len(set(words)) == len(words)
    assert words == sorted(words, key=str.casefold)
    assert all(meaning and place for _, meaning, place in rows())


def test_every_place_in_the_glossary_is_there():
    """A file of the package, or a folder of it."""
    places = [re.fullmatch(r"`([\w./]+)`", place) for _, _, place in rows()]
    assert all(places)
    missing = [place[1] for place in places if place and not (ROOT / FUNCTIONS / "switchboard" / place[1]).exists()]
    assert missing == []
