"""A scenario is held by the product, and judged by what is left, in every form."""

from dataclasses import replace
from typing import Any

import pytest

from switchboard.app.evaluation.variations import DIALECTS, KINDS, ScenarioForm
from switchboard.app.evaluation.world import World
from switchboard.conversation.guard import Unguarded
from tests.each import each
from tests.scripts.evals.conftest import BOOK, Hold, document

pytestmark = pytest.mark.requirement("004-661")
CANCEL: dict[str, Any] = {
    "cancel_appointment": {
        "booking_id": "$lookup_appointment.appointments.0.bookingId",
        "start_time": "$lookup_appointment.appointments.0.startTime",
    }
}
CANCELS: dict[str, Any] = {
    "caller": {"phone": "+15185550161"},
    "lines": [
        {"say": "Cancel my appointment, please.", "agent": [{"lookup_appointment": {}}, CANCEL]},
        {"when": "readBack has 09:30 -> Yes.", "agent": [{"cancel_appointment": "again"}, "It is cancelled."]},
    ],
    "expect": {"bookings": [{"customer": "Anna Whitfield", "status": "cancelled"}]},
}


@pytest.mark.parametrize("channel", ["phone", "portal"])
def test_what_is_booked_is_what_is_expected(hold: Hold, channel: str) -> None:
    """By phone and in writing, through the doors that callers come by."""
    held = hold(ScenarioForm(channel=channel))
    assert held.findings == []
    assert [exchange.heard for exchange in held.talk.exchanges] == ["You are booked for Friday at 2 PM, Jane."]
    assert [(call.tool, call.response.ok) for call in held.talk.seen.calls] == [("book_appointment", True)]


def test_one_seed_has_one_result(hold: Hold) -> None:
    """Word for word and id for id."""
    first, second = hold(), hold()
    assert first.talk.exchanges[0].calls[0].response.data == second.talk.exchanges[0].calls[0].response.data
    assert first.talk.heard == second.talk.heard


@each(
    "form",
    [
        *(ScenarioForm(kind=kind) for kind in ("thrice", "slow", "two callers")),
        *(ScenarioForm(kind=kind, at=at) for kind in ("killed", "frozen", "restarted") for at in (1, 2, 3)),
        *(ScenarioForm(kind="interrupted", at=at) for at in (1, 2)),
        *(ScenarioForm(kind="dialect", dialect=dialect) for dialect in DIALECTS[1:]),
    ],
)
@pytest.mark.requirement("004-662")
def test_a_cancellation_comes_to_the_same_in_every_form(hold: Hold, form: ScenarioForm) -> None:
    """One yes, one cancellation."""
    assert hold(form, **CANCELS).findings == []


def test_every_form_is_tried_above() -> None:
    """But for the channel, which this caller is not known on."""
    assert {"thrice", "slow", "two callers", "killed", "frozen", "restarted", "interrupted", "dialect"} == {*KINDS} - {
        "channel"
    }


def test_a_caller_says_no_to_what_was_misheard(hold: Hold) -> None:
    """And goes back to the question until it is right."""
    wrong, right = (
        {"reschedule_appointment": {**CANCEL["cancel_appointment"], "new_start_time": f"2026-12-09T{clock}:00"}}
        for clock in ("16:00", "14:00")
    )
    for item in (wrong, right):
        del item["reschedule_appointment"]["start_time"]
    lines = [
        {"say": "Move my appointment to Wednesday at two.", "agent": [{"lookup_appointment": {}}, wrong]},
        {
            "name": "hears",
            "when": [
                {
                    "when": "readBack has T14:00",
                    "say": "Yes.",
                    "agent": [{"reschedule_appointment": "again"}, "Moved."],
                },
                {"when": "otherwise", "say": "No, at two.", "agent": [right], "next": "hears"},
            ],
        },
    ]
    expect = {"bookings": [{"customer": "Grace Okafor", "start": "2026-12-09 14:00"}]}
    held = hold(caller={"phone": "+15185550163"}, lines=lines, expect=expect)
    assert held.findings == []
    assert [exchange.said for exchange in held.talk.exchanges][1:] == ["No, at two.", "Yes."]


def test_a_caller_who_hears_nothing_that_was_foreseen_says_so(hold: Hold) -> None:
    """With the line, and what would have had to be so."""
    held = hold(lines=["Hello.", {"when": "offered has 16:00 -> Yes."}])
    (finding,) = held.findings
    assert finding.what == "line 2: the caller has nothing to say: `offered has 16:00` is not so"


def test_a_booking_that_is_missing_is_told_with_its_call_and_why(hold: Hold) -> None:
    """In the words in which owners are told why a call ended as it did."""
    at_night = {"book_appointment": {**BOOK["book_appointment"], "start_time": "2026-12-04T23:00:00"}}
    (finding,) = hold(lines=[{"say": "At eleven at night.", "agent": [at_night, "I see."]}]).findings
    assert finding.what.startswith("no appointment is service Haircut, start 2026-12-04 14:00")
    assert finding.sentence == "I see."
    assert "the model asked for book_appointment in turn 1 of a phone call" in finding.story[0]


def test_what_nobody_expects_is_told(hold: Hold) -> None:
    """An appointment, as any other effect."""
    (finding,) = hold(expect={}).findings
    assert finding.what == "nobody expects this appointment: 2026-12-04 14:00 Haircut, Jane Doe, confirmed, Maya"


@each(
    ("expect", "what"),
    [
        ({"said": {"has": ["three o'clock"]}}, '"three o\'clock" is not said'),
        ({"said": {"never": ["booked"]}}, "'booked' is said"),
        ({"transcript": {"has": ["for John"]}}, "'for John' is not in the transcript"),
        ({"ledger": [{"tool": "send_sms"}]}, "the ledger has no send_sms; it has book_appointment finished"),
        ({"never": ["book_appointment"]}, "book_appointment may not have done anything, and has"),
        ({"texts": [{"to": "+15185550171"}]}, "there is no text to +15185550171, and 0 others"),
        ({"messages": [{"has": "call back"}]}, "there is no message to the business with 'call back', and 0 others"),
        ({"language": "de"}, "this is not said in de"),
        ({"ended": True}, "the conversation goes on"),
        ({"transferredTo": "+15185550120"}, "nobody was dialled, not +15185550120"),
        ({"leftOut": 1}, "0 sentences were held back, not 1"),
        ({"limits": {"wordsPerAnswer": 3}}, "an answer has 9 words, more than 3"),
        ({"limits": {"callsPerTurn": 0}}, "1 calls were made for one line, more than 0"),
    ],
)
def test_what_is_not_as_expected_is_told(hold: Hold, expect: dict[str, Any], what: str) -> None:
    """Each kind of expectation."""
    both = {**document()["expect"], **expect}
    assert what in [finding.what for finding in hold(expect=both).findings]


def test_a_lie_that_is_spoken_is_found_by_other_means_than_the_guard(
    hold: Hold, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the product's own check is gone, the sentence is held against the receipts here."""
    opened = World.open

    async def unguarded(world: World) -> None:
        watch = world.watch
        world.watch = lambda parts: watch(replace(parts, guard=lambda session, offer: Unguarded()))
        await opened(world)

    monkeypatch.setattr(World, "open", unguarded)
    lines = [{"say": "A haircut on Friday.", "agent": ["You are booked for Friday at 2 PM."]}]
    (finding,) = hold(lines=lines, expect={}).findings
    assert finding.what == "this was said, and book_appointment has not done it"
    assert finding.sentence == "You are booked for Friday at 2 PM."
