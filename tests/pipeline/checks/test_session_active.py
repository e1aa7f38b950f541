"""Calls of a conversation that is over: refused without a read of their own, and nothing that was accepted is lost."""

import asyncio
import json
import uuid
from datetime import UTC, datetime

import pytest

from switchboard.contract import policy
from switchboard.contract.channel import Channel
from switchboard.contract.error import ErrorType
from switchboard.contract.json import JsonObject
from switchboard.contract.response import Intent, IntentType, Result
from switchboard.contract.session_use import nobody_answers, person_answers
from switchboard.contract.store import Document, Set, Unavailable
from switchboard.pipeline.checks.session_active import ENDED, ended_mark, is_marked_ended
from switchboard.state.firestore.store import FirestoreStore
from tests.pipeline import planted
from tests.pipeline.conftest import BUSINESS, PATHS, Instance
from tests.pipeline.execution.test_queue import Queue
from tests.pipeline.result.test_check_trace import die

NOW = datetime(2026, 11, 3, 12, tzinfo=UTC)
SESSION = PATHS.within(BUSINESS).document("sessions", "s1")


async def hang_up(ctx, desk) -> Result:
    """End the call."""
    return Result({"ended": True}, (Intent(IntentType.END_CALL),))


async def leave(ctx, desk) -> Result:
    """End the session."""
    return Result({"ended": True}, (Intent(IntentType.END_VOICE_SESSION),))


async def put_through(ctx, desk) -> Result:
    """Transfer the call."""
    return Result({"transferred": True}, (Intent(IntentType.TRANSFER_CALL, {"number": "+4366"}),))


async def ask_back(ctx, desk, *, gate: str) -> Result:
    """Wait, then call another tool."""
    await planted.gates[gate].wait()
    found = await ctx.tools.call("look", {"word": gate})
    return Result({"found": found.ok})


@pytest.fixture
def registry():
    known = planted.registry()
    own = [
        planted._tool(hang_up, "action", {}),
        planted._tool(hang_up, "utility", {}, name="hang_up_lightly"),
        planted._tool(leave, "action", {}),
        planted._tool(put_through, "action", {}),
        planted._tool(ask_back, "action", {"gate": {"type": "string"}}, name="ask_later", **{"async": True}),
        planted._tool(ask_back, "action", {"gate": {"type": "string"}}),
    ]
    return type(known)(known.version, dict(known.tools) | {tool.name: tool for tool in own})


@pytest.fixture
def office(store, clock, registry) -> Instance:
    """One instance."""
    found = Instance(store, clock, registry)
    found.dispatcher._queue = Queue()
    return found


async def session(office):
    return await office.store.get(SESSION)


@pytest.mark.requirement("003-75")
@pytest.mark.parametrize(("ending", "channel"), [("hang_up", Channel.PHONE), ("leave", Channel.BROWSER_VOICE)])
async def test_after_the_call_that_ends_a_conversation_every_other_is_refused(office, ending, channel):
    """Also one of a later turn, of an unknown tool, and one that only reads; nothing was done."""
    assert (await office.call("look", channel=channel)).ok
    assert (await office.call(ending, channel=channel)).ok
    for name, args, turn in (("look", {}, 1), ("act", {"what": "x"}, 2), ("nonsense", {}, 3)):
        refused = await office.call(name, args, turn=turn, channel=channel)
        assert refused.failure.type is ErrorType.SESSION_INACTIVE
        assert not refused.failure.retryable and not refused.failure.partial_side_effects
    assert not planted.done


async def test_what_was_answered_before_the_end_is_answered_again_after_it(office):
    """A redelivery is no new call, and the same wish was granted before: also the wish to end."""
    done = await office.call("act", {"what": "x"}, call_id="c1")
    ended = await office.call("hang_up", call_id="c2")
    assert (await office.call("act", {"what": "x"}, call_id="c1")).data == done.data
    assert (await office.call("act", {"what": "x"}, call_id="c3")).meta["repeated"]
    assert (await office.call("hang_up", call_id="c2")).data == ended.data
    assert (await office.call("hang_up", call_id="c4", turn=2)).data == {"ended": True, "repeated": True}
    assert len(planted.done) == 1


async def test_what_was_accepted_before_the_end_is_carried_out_after_it(office):
    """And may call other tools, as it might have before."""
    planted.gates["g"] = asyncio.Event()
    planted.gates["g"].set()
    accepted = await office.call("ask_later", {"gate": "g"}, call_id="c1", channel=Channel.BROWSER_VOICE)
    assert accepted.data["accepted"]
    assert (await office.call("leave", channel=Channel.BROWSER_VOICE)).ok
    assert await office.dispatcher.carry_out_queued(BUSINESS) == 1
    again = await office.call("ask_later", {"gate": "g"}, call_id="c1", channel=Channel.BROWSER_VOICE)
    assert again.data == {"found": True}


async def test_an_action_that_runs_when_the_conversation_ends_goes_on_to_its_end(office):
    """It was let in; settlement asks for no session."""
    planted.gates["g"] = asyncio.Event()
    running = asyncio.create_task(office.call("ask_back", {"gate": "g"}, call_id="c1"))
    while await office.store.get(PATHS.within(BUSINESS).call("s1", "c1")) is None:
        await asyncio.sleep(0)
    assert (await office.call("hang_up")).ok
    planted.gates["g"].set()
    assert (await running).data == {"found": True}
    assert (await office.ledger("c1"))["state"] == "finished"


async def test_what_a_dead_instance_had_begun_is_brought_to_its_end(office, clock, registry):
    """A lease that ran out after the end of the conversation."""
    await office.call("look")

    await die(office, "look", {"word": "again"})
    other = Instance(office.store, clock, registry)
    assert (await other.call("hang_up")).ok
    assert await other.dispatcher.recover() == 1
    assert (await other.ledger("c1"))["state"] == "finished"


@pytest.mark.parametrize("ending", ["put_through", "act"])
async def test_a_transfer_ends_nothing_since_it_may_come_back(office, ending):
    assert (await office.call(ending, {"what": "x"} if ending == "act" else {})).ok
    assert (await office.call("look", turn=2)).ok


async def test_an_ending_that_failed_ends_nothing(office):
    """Nobody was heard to hang up."""
    refused = await office.call("hang_up", {"colour": "red"})
    assert refused.failure.type is ErrorType.VALIDATION
    assert (await office.call("look")).ok


async def test_a_portal_chat_goes_on_after_the_phone_call_that_it_continues(office):
    """One session, two channels: a link that was sent on the phone."""
    await office.call("hang_up")
    assert (await office.call("look", channel=Channel.PORTAL)).ok
    assert (await office.call("look", channel=Channel.PHONE)).failure.type is ErrorType.SESSION_INACTIVE


async def test_a_chat_is_never_closed_by_a_tool(office):
    """It goes on when somebody writes again."""
    await office.call("leave", channel=Channel.PORTAL)
    assert (await office.call("look", channel=Channel.PORTAL)).ok


@pytest.mark.requirement("003-75")
async def test_every_instance_knows_it_in_the_commit_that_admits(office, clock, store, registry):
    """The end is written with what ends it, and read with what is admitted: not one more round trip."""
    await office.call("look")
    other = Instance(store, clock, registry)
    await other.call("look", turn=2)
    store.asked.clear()
    await office.call("hang_up")
    # Let in, begun, settled.
    assert store.asked == {"commit": 3}
    assert is_marked_ended(await session(office), Channel.PHONE)
    store.asked.clear()
    assert (await other.call("look", turn=3)).failure.type is ErrorType.SESSION_INACTIVE
    assert store.asked == {"commit": 2}


async def test_a_channel_ends_and_reopens_a_session_by_its_mark(office, clock):
    """Hung up, and come back."""
    await office.call("look")
    await office.store.commit([Set(SESSION, ended_mark(Channel.PHONE, clock.now()), merge=True)])
    assert (await office.call("look", turn=2)).failure.type is ErrorType.SESSION_INACTIVE
    await office.store.commit([Set(SESSION, ended_mark(Channel.PHONE, None), merge=True)])
    assert (await office.call("look", turn=3)).ok
    assert (await session(office)).data[ENDED] == {"phone": 0}


async def test_a_refusal_costs_the_turn_nothing_and_is_recorded(office):
    """For whoever asks later why nothing was done."""
    await office.call("hang_up")
    await office.call("look", call_id="c9", turn=2)
    assert (await office.ledger("c9"))["state"] == "refused"
    assert (await session(office)).data["turns"]["2"]["calls"] == 0


async def test_while_the_store_is_away_nobody_can_tell_and_a_look_up_is_answered(office, store):
    """As every other check by counts."""
    await office.call("look")
    store.fail("commit")
    assert (await office.call("look", {"times": 2}, turn=2)).ok
    store.recover()


@pytest.mark.emulator
async def test_firestore_reads_the_mark_with_the_counts(emulator_host, worker_project, clock, registry, monkeypatch):
    """An increment by nothing, beside the others, in the commit that creates the call."""
    for limit in ("STORE_READ_S", "STORE_WRITE_S", "STORE_FIRST_CALL_S"):
        monkeypatch.setattr(policy, limit, 30.0)
    store = FirestoreStore(worker_project, emulator_host=emulator_host)
    try:
        await store.commit([Set(PATHS.within(BUSINESS).business, {"name": "Salon"})])
        office, known = Instance(store, clock, registry), {"session_id": uuid.uuid4().hex}
        assert (await office.call("look", **known)).ok
        assert (await office.call("hang_up", **known)).ok
        refused = await office.call("look", turn=2, **known)
        assert refused.failure.type is ErrorType.SESSION_INACTIVE
        assert (await office.call("look", channel=Channel.PORTAL, turn=3, **known)).ok
        path = PATHS.within(BUSINESS).document("sessions", known["session_id"])
        await store.commit([Set(path, ended_mark(Channel.PHONE, None), merge=True)])
        assert (await office.call("look", {"times": 2}, turn=4, **known)).ok
    finally:
        await store.close()


@pytest.mark.requirement("003-75")
def test_a_conversation_is_over_by_its_mark_alone():
    """One without a document, without a mark, or that was opened again goes on; another channel's end is its own."""

    def is_over(data: JsonObject) -> bool:
        return is_marked_ended(Document("sessions/s1", data, NOW, NOW), Channel.PHONE)

    assert not is_marked_ended(None, Channel.PHONE)
    assert not is_over({})
    assert not is_over(ended_mark(Channel.PHONE, None))
    assert not is_over(ended_mark(Channel.PORTAL, NOW))
    assert is_over(ended_mark(Channel.PHONE, NOW))
    assert is_over({ENDED: {"phone": 1}})
    assert ended_mark(Channel.PHONE, NOW) == {ENDED: {"phone": 1_793_707_200_000}}


async def answers_in(office: Instance, record_id: str, at: datetime) -> None:
    """Let a person of the business have taken the session's chat over."""
    answering = {"answeringPerson": {"at": at, "turn": 2, "by": {"id": "x"}}, "transcript": [], "channel": "portal"}
    record = PATHS.within(BUSINESS).document("interactions", record_id)
    marks = person_answers(2, record_id, at)
    await office.store.commit([Set(SESSION, marks, merge=True), Set(record, answering)])


@pytest.mark.parametrize("named", [None, "s1", "whatever", "the-chat"])
@pytest.mark.parametrize("record_id", ["s1", "the-chat"])
async def test_where_a_person_answers_a_service_does_nothing_whatever_record_it_names(office, clock, named, record_id):
    """Which one they answer in is told by the session."""
    assert (await office.call("look", channel=Channel.PORTAL)).ok
    await answers_in(office, record_id, clock.now())
    refused = await office.call("act", {"what": "x"}, channel=Channel.PORTAL, turn=3, interaction_id=named)
    assert refused.failure.type is ErrorType.SESSION_INACTIVE and "A person of the business" in refused.failure.message
    assert not planted.done
    await office.store.commit([Set(SESSION, nobody_answers(clock.now()), merge=True)])
    assert (await office.call("act", {"what": "x"}, channel=Channel.PORTAL, turn=4, interaction_id=named)).ok


async def test_while_nobody_can_tell_whether_a_person_answers_a_call_may_be_made_again(office, clock, monkeypatch):
    """Nothing was done, and nobody is told that a person answers where none does."""
    assert (await office.call("look", channel=Channel.PORTAL)).ok
    await office.store.commit([Set(SESSION, person_answers(2, "s1", clock.now()), merge=True)])
    with monkeypatch.context() as patched:
        patched.setattr(office.store, "get_many", away)
        patched.setattr(office.store, "get", away)
        refused = await office.call("act", {"what": "x"}, channel=Channel.PORTAL, turn=3, call_id="c1")
    assert refused.failure.type is ErrorType.TRANSIENT and refused.failure.retryable
    assert not refused.failure.partial_side_effects and not planted.done
    checked = {entry["check"]: entry["decided"] for entry in json.loads((await office.ledger("c1"))["checks"])}
    assert (checked["session_active"], checked["run"]) == ("refused", "skipped")
    assert (await office.call("act", {"what": "x"}, channel=Channel.PORTAL, turn=3)).ok


async def away(*_: object) -> object:
    """Do not answer."""
    raise Unavailable("away")
