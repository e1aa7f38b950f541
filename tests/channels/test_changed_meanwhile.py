"""What became something else between the question and the yes: the yes was to what was read out, and nothing else."""

from datetime import timedelta

import pytest

from switchboard.contract.response import Proposal
from switchboard.contract.store import Update
from tests.channels.http.test_tools_api import PATHS, store  # noqa: F401 - a fixture
from tests.channels.http.test_tools_heard import book, http, say, use  # noqa: F401 - a fixture
from tests.desk.front_desk import NOW
from tests.each import each

pytestmark = pytest.mark.requirement("004-120")
MOVE = {"new_start_time": "2026-12-03T11:00:00"}
TOOLS = [("cancel_appointment", {}), ("reschedule_appointment", MOVE)]


@pytest.fixture
async def booked(http):  # noqa: F811
    """The reference of an appointment on December 2 at 10, made in this conversation."""
    await book(http, 1)
    await say(http, 2, text="yes")
    return (await book(http, 2))["data"]["bookingId"]


async def change(store, id, **fields):  # noqa: F811
    """Change a booking as the owner's page, another line or another conversation would."""
    await store.commit([Update(PATHS.within("demo-salon").document("bookings", id), fields)])


async def stored(store, id):  # noqa: F811
    return (await store.get(PATHS.within("demo-salon").document("bookings", id))).data


@pytest.mark.parametrize("wish", TOOLS)
@pytest.mark.parametrize("changed", ["start", "customerName", "service"])
async def test_an_appointment_that_changed_is_asked_about_anew(http, store, booked, wish, changed):  # noqa: F811
    """Moved, for somebody else, or something else: nothing is done, the new facts are the new question."""
    (tool, args), before = wish, await stored(store, booked)
    asked = (await use(http, tool, 3, booking_id=booked, **args))["meta"]["readBack"]
    later = {name: before[name] + timedelta(hours=2) for name in ("start", "end")}
    await change(store, booked, **(later if changed == "start" else {changed: "Somebody Else"}))
    as_changed = await stored(store, booked)
    assert (await say(http, 4, text="Yes.", asked=asked))["verdict"] == "approved"
    again = await use(http, tool, 4, booking_id=booked, **args)
    assert again["error"]["type"] == "CONFIRMATION_REQUIRED"
    anew = again["meta"]["readBack"]
    assert anew != asked
    assert ("12:00" if changed == "start" else "Somebody Else") in anew
    assert await stored(store, booked) == as_changed
    # Nor is it enough to call once more, or to say yes to the question of before.
    assert (await use(http, tool, 4, booking_id=booked, **args))["error"]["type"] == "CONFIRMATION_REQUIRED"
    assert (await say(http, 5, text="Yes.", asked=asked))["verdict"] == "open"
    assert (await say(http, 6, text="Yes.", asked=anew))["verdict"] == "approved"
    assert (await use(http, tool, 6, booking_id=booked, **args))["ok"] is True


@pytest.mark.parametrize(("tool", "args"), TOOLS)
async def test_what_was_cancelled_after_the_question_is_told_so(http, store, booked, tool, args):  # noqa: F811
    """Nothing is left to do: it is told as done before, or that there is nothing to move."""
    asked = (await use(http, tool, 3, booking_id=booked, **args))["meta"]["readBack"]
    await change(store, booked, status="cancelled")
    await say(http, 4, text="Yes.", asked=asked)
    told = await use(http, tool, 4, booking_id=booked, **args)
    if tool == "cancel_appointment":
        assert told["data"]["repeated"] is True
    else:
        assert told["error"]["type"] == "CONFLICT"
    assert (await stored(store, booked))["status"] == "cancelled"


async def test_what_became_somebody_elses_after_the_question_is_not_there(http, store, booked):  # noqa: F811
    """Whose it is is looked at again as well."""
    asked = (await use(http, "cancel_appointment", 3, booking_id=booked))["meta"]["readBack"]
    await change(store, booked, source={"sessionId": "another"}, customerPhone="+15550001111", customerName="Z")
    await say(http, 4, text="Yes.", asked=asked)
    assert (await use(http, "cancel_appointment", 4, booking_id=booked))["ok"] is False
    assert (await stored(store, booked))["status"] == "confirmed"


async def test_what_changes_after_the_last_look_is_left_alone(http, store, booked):  # noqa: F811
    """Between that look and the commit lie milliseconds; the tool holds what it reads against what was agreed to."""
    asked = (await use(http, "cancel_appointment", 3, booking_id=booked))["meta"]["readBack"]
    await say(http, 4, text="Yes.", asked=asked)
    path, get, reads = PATHS.within("demo-salon").document("bookings", booked), store.get, []

    async def meddled(asked_for):
        if asked_for == path:
            reads.append(asked_for)
            if len(reads) == 2:
                await change(store, booked, customerName="Somebody Else")
        return await get(asked_for)

    store.get = meddled
    told = await use(http, "cancel_appointment", 4, booking_id=booked)
    assert told["error"]["type"] == "CONFLICT"
    assert told["error"]["partialSideEffects"] is False
    assert (await stored(store, booked))["status"] == "confirmed"


async def test_a_yes_from_before_facts_were_kept_is_asked_for_again(http, store, booked):  # noqa: F811
    """A question that an earlier version put is still read; what it was about cannot be told any more."""
    asked = (await use(http, "cancel_appointment", 3, booking_id=booked))["meta"]["readBack"]
    session = PATHS.within("demo-salon").document("sessions", "s1")
    proposal = dict((await store.get(session)).data["proposal"])
    del proposal["facts"]
    await store.commit([Update(session, {"proposal": proposal})])
    assert (await say(http, 4, text="Yes.", asked=asked))["verdict"] == "approved"
    assert (await use(http, "cancel_appointment", 4, booking_id=booked))["error"]["type"] == "CONFIRMATION_REQUIRED"


@each(
    "facts",
    [
        {},
        {"a": 1},
        {"a": "1"},
        {"b": 1},
        {"a": 1, "b": 1},
        {"a": NOW},
        {"a": NOW + timedelta(microseconds=1)},
        {"a": None},
    ],
)
def test_facts_have_one_digest_that_a_store_can_hold(facts):
    """Never the 0 of what is not known; and one moment is one fact in every zone."""
    digest = Proposal(facts).digest
    assert 0 < digest < 2**62
    assert digest == Proposal(dict(reversed(facts.items()))).digest
    others = [{}, {"a": 2}, {"A": 1}, {"a": NOW.isoformat()}]
    assert [other for other in others if Proposal(other).digest == digest] == ([facts] if facts in others else [])
