"""What callers say of their own behind a yes makes of it no other, and what touches the question does."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from switchboard.pipeline.confirmation.approvals import answered
from switchboard.pipeline.confirmation.asked_call import AskedCall
from switchboard.pipeline.confirmation.asked_times import AskedTimes
from switchboard.pipeline.confirmation.consent import Reply, Said
from switchboard.pipeline.confirmation.pending_call import PendingCall
from tests.each import each

_NOW = datetime(2026, 11, 30, 18, 0, tzinfo=UTC)
_DEEDS: Mapping[str, tuple[str, ...]] = {
    "cancel": ("cancelled",),
    "move": ("moved",),
    "book": ("booked",),
    "email": ("mailed",),
    "both": (),
}
_DATA = Path(__file__).parents[1] / "data"


def rows(name: str) -> list[list[str]]:
    return [line.split("\t") for line in (_DATA / name).read_text(encoding="utf-8").splitlines()]


_QUESTIONS = {(language, asked): put for language, asked, put in rows("own_beside_questions.tsv")}


def _reply(language: str, asked: str, text: str) -> Reply:
    put, calls = _QUESTIONS[language, asked], ()
    if asked == "both":
        calls = tuple(AskedCall(deed, deed, put, (deed,)) for deed in ("cancelled", "booked"))
    times = AskedTimes(datetime(2026, 12, 3, 15, 0, tzinfo=UTC), None, "Europe/Berlin", _NOW)
    call = PendingCall(
        "tool", "key", put, 1, _NOW + timedelta(minutes=5), deeds=_DEEDS[asked], joint=calls, times=times
    )
    return answered(Said(text, language), call, _NOW)


@pytest.mark.requirement("004-2441")
def test_what_is_the_callers_own_takes_no_yes_back_and_what_touches_the_question_does() -> None:
    """A reason, a wish or a question of its own, the deed in other words, impatience and thanks; but no condition, no
    other time, person, service, number or price, and nothing that is said to what is merely heard.
    """
    found = rows("own_beside.tsv")
    assert sum(meaning == "yes" for _, _, meaning, _ in found) >= 55
    assert sum(meaning == "other" for _, _, meaning, _ in found) >= 90
    wrong = [row for row in found if (_reply(row[0], row[1], row[3]) == "yes") != (row[2] == "yes")]
    assert wrong == []


@pytest.mark.requirement("004-2441")
@each(
    ("language", "text", "reply"),
    [
        ("de", "nein, wieso Ole? ich will zu Rosa", "no"),
        ("en", "No, why Ole? I want Rosa", "no"),
        ("en", "No, what? I want it", "unclear"),
        ("en", "no? I want to come", "unclear"),
        ("en", "No, what was that?", "unclear"),
        ("en", "no, who? yes, I want Rosa", "unclear"),
    ],
)
def test_a_no_that_asks_and_then_says_what_is_wanted_is_a_no(language: str, text: str, reply: str) -> None:
    """A question alone leaves it open, since it may be about what was asked."""
    assert _reply(language, "book", text) == reply


@pytest.mark.requirement("004-2441")
def test_hers_his_and_mine_may_be_somebody_elses_than_the_question_names() -> None:
    """Nobody can tell by a name whose "hers" is, nor whether who calls is the one who comes: it is asked again."""
    for name in ("Mia Hartmann", "Tom Miller"):
        put = f"Shall I cancel your Kids' cut appointment for {name} on Wednesday, December 16 at 5:00 PM?"
        call = PendingCall("tool", "key", put, 1, _NOW + timedelta(minutes=5), deeds=("cancelled",))
        for whose in ("hers", "his", "mine"):
            assert answered(Said(f"yes cancel {whose}", "en"), call, _NOW) == "unclear"
        assert answered(Said("yes cancel it", "en"), call, _NOW) == "yes"
