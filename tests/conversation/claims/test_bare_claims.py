"""A "Done." is a claim of what was asked for now: what was done before in the conversation does not bear it out."""

from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest

from switchboard.contract.call import ToolCall
from switchboard.contract.response import ToolResponse
from switchboard.conversation.guard import Unfounded
from switchboard.conversation.session import CallSession
from tests.conversation.claims.test_claims import BOOKED, SALON, WHEN, ZONE, say, session
from tests.each import each

BARE = ("Done.", "All done!", "That's taken care of.", "Consider it done.", "Erledigt.", "Hecho.", "C'est fait.")


def later(heard: str, *done: tuple[str, dict[str, Any]], agreed: tuple[str, ...] = ()) -> CallSession:
    """Return a conversation in which something was done a turn ago, and somebody says something now."""
    found = session(*done)
    found.facts = replace(found.facts, turn=found.facts.turn + 1)
    found.history.heard(heard)
    found.agreed = agreed
    return found


@each("sentence", [*BARE, "Sorted, you're all set.", "You're all set!", "You're booked."])
@pytest.mark.requirement("000-465")
def test_after_a_yes_nothing_bears_out_a_bare_done_but_what_was_agreed_to(sentence: str) -> None:
    """A booking of before is no cancellation, whatever the deed is called; once it is done it may be told so."""
    owed = later("Yes please.", BOOKED, agreed=("cancel",))
    with pytest.raises(Unfounded) as held:
        say(sentence, owed)
    assert "nothing was done now" in held.value.correction and "Haircut" in held.value.correction


@each("sentence", BARE)
@pytest.mark.requirement("000-465")
def test_what_was_agreed_to_and_done_may_be_told_in_a_word(sentence: str) -> None:
    done = later("Yes please.", BOOKED, agreed=("cancel",))
    words = {"what": "cancelled: Haircut", "for": "Anna Whitfield", "when": WHEN, "effectIds": ["bk_1"]}
    done.note(ToolCall("cancel", {}), ToolResponse(data={}, meta={"receipt": words}), 1.0)
    assert say(sentence, done).strip() == sentence


@each("sentence", BARE)
@pytest.mark.requirement("000-465")
def test_whoever_asks_for_something_is_not_told_done_of_what_was_before(sentence: str) -> None:
    """Without a call, and without a question of the house."""
    with pytest.raises(Unfounded):
        say(sentence, later("Please switch me to Rosa then.", BOOKED))


@each(
    ("heard", "sentence"),
    [
        ("No, that's all, thanks. Bye!", "You're all set!"),
        ("No thanks, that's everything.", "All done, then. Have a nice day!"),
        ("When is it again?", "You're booked for Tuesday at ten."),
        ("So it's booked?", "You're all set for Tuesday at ten."),
        ("Okay.", "Your haircut is booked."),
        ("Great, thanks!", "You're all set."),
        ("Is it done now?", "Done."),
        ("Okay, lovely.", "That's sorted."),
        ("Super, danke.", "Erledigt."),
        ("Nein danke, das war's.", "Sie sind eingetragen, auf Wiederhören!"),
    ],
)
@pytest.mark.requirement("000-465")
def test_what_was_done_before_is_told_again_by_name_or_where_nothing_else_was_asked_for(
    heard: str, sentence: str
) -> None:
    assert say(sentence, later(heard, BOOKED)).strip() == sentence


@each(
    ("minute", "day"),
    [("22:59", 15), ("23:00", None), ("23:59", None), ("00:00", None), ("00:59", None), ("01:00", 16)],
)
def test_about_midnight_no_day_is_called_tomorrow(minute: str, day: int | None) -> None:
    """The same word would mean another day to whoever answers a minute later; and nobody's day is known at first."""
    found = session()
    hour, minutes = map(int, minute.split(":"))
    then = datetime(2027, 3, 15 if hour > 12 else 16, hour, minutes, tzinfo=ZONE)
    assert found.today(then) is None
    found.business = SALON
    today = found.today(then)
    assert (today.day if today is not None else None) == day


@each(
    "heard",
    [
        "Please switch me to Rosa then.",
        "And cancel the other one.",
        "Can you text me that?",
        "Bitte verschieben.",
        "Cámbiela.",
    ],
)
@pytest.mark.requirement("000-465")
def test_what_asks_for_a_deed_is_known_in_every_form_of_asking(heard: str) -> None:
    with pytest.raises(Unfounded):
        say("Done.", later(heard, BOOKED))
