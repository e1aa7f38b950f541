"""Addresses in the question that a caller is asked: spelled, so that a wrong letter is heard."""

import pytest

from switchboard.contract.business import Business
from switchboard.contract.definition import Definition, Kind
from switchboard.pipeline.read_back import read_back
from tests.desk.front_desk import NOW

TOOL = Definition("mail", "message", Kind.ACTION, "", {}, read_back={"en": "Send it to {{to}}?", "de": "An {{to}}?"})


@pytest.mark.parametrize(
    ("language", "question"),
    [
        ("en", "Send it to an_na.w@x-y.com (a n underscore n a dot w at x dash y dot c o m)?"),
        ("de-AT", "An an_na.w@x-y.com (a n Unterstrich n a Punkt w at x Minus y Punkt c o m)?"),
    ],
)
def test_an_address_is_said_and_spelled(language, question):
    """Letter by letter, with the signs named in the business's language."""
    assert read_back(TOOL, {"to": "an_na.w@x-y.com"}, Business("b", language=language), NOW) == question


@pytest.mark.parametrize("text", ["a text about a@b", "two@example.com words", "12:30", "a@b"])
def test_only_a_whole_address_is_spelled(text):
    """Other texts stay as they are."""
    assert read_back(TOOL, {"to": text}, Business("b"), NOW) == f"Send it to {text}?"


@pytest.mark.parametrize("language", ["en", "de", "es", "fr", "it", "nl", "pt"])
def test_every_language_has_a_word_for_every_sign(language):
    """Where no sentence was written, the list of arguments spells the address too."""
    unwritten = Definition("mail", "message", Kind.ACTION, "", {})
    address = "a.b-c_d+e@f.gh"
    question = read_back(unwritten, {"to": address}, Business("b", language=language), NOW)
    spelled = question.partition(f"{address} (")[2].partition(")")[0].split()
    assert [word for word in spelled if len(word) == 1] == list("abcdefgh")
    assert len(spelled) == len(address)
