"""What comes of a call that was accepted: told in the next turn, once, by whoever holds the conversation then."""

from typing import Any

import orjson
import pytest

from switchboard.contract.channel import Channel
from switchboard.contract.context import CONTEXTS, Context
from switchboard.contract.error import ErrorType
from switchboard.contract.model import Noted, UserMessage
from switchboard.contract.response import EARLIER, Earlier, Failure, ToolResponse
from switchboard.contract.store import Delete, Document, Query, Set
from switchboard.conversation.conversation import Conversation
from switchboard.conversation.dependencies import Dependencies
from switchboard.conversation.event import Text, ToolFinished, TurnEnded, TurnOutcome
from switchboard.conversation.held_conversations import Conversations
from switchboard.conversation.pending_results import Arrival, arrivals_in
from switchboard.state.firestore.store import FirestoreStore
from tests.conversation.conftest import answer
from tests.conversation.record.test_interactions import Office, office
from tests.conversation.scripted import calls, says
from tests.conversation.test_conversations import parts
from tests.desk.front_desk import NOW
from tests.pipeline.conftest import BUSINESS, PATHS
from tests.pipeline.execution.test_queue import Queue
from tests.pipeline.execution.test_reaper import until

__all__ = ["office"]
ACCEPTED = {EARLIER: Earlier.ACCEPTED}
SENDS = (calls(("send_later", {"what": "letter"})), says("It is being sent."))


def facts(channel: Channel = Channel.PORTAL, session_id: str = "s1") -> Context:
    return CONTEXTS[channel](business_id=BUSINESS, session_id=session_id, turn=0)


class Elsewhere:
    """An instance that holds conversations over the office's store; what is queued waits until it is asked for."""

    def __init__(self, office: Office, *answers: Any) -> None:
        self.office = office
        self.parts: Dependencies = parts(office, *answers)
        self.conversations = Conversations(self.parts, office.interactions)

    @property
    def last_prompt(self) -> list[Any]:
        return self.parts.model.prompts[-1].messages  # type: ignore[attr-defined, no-any-return]

    async def turn(self, text: str = "Hello", channel: Channel = Channel.PORTAL) -> list[Any]:
        return await answer(await self.conversations.open(facts(channel)), text)


@pytest.fixture
def queued(office: Office) -> Office:
    """An office whose dispatcher carries accepted calls out only when told to."""
    office.instance.dispatcher._queue = Queue()
    return office


def instance(office: Office, *answers: Any, carries_out: bool = True) -> Elsewhere:
    found = Elsewhere(office, *answers)
    arrivals = office.instance.dispatcher.arrivals
    if carries_out:
        arrivals[:] = [found.conversations.arrived]
    return found


async def carry_out(office: Office) -> None:
    assert await office.instance.dispatcher.carry_out_queued(BUSINESS) == 1


def notes(messages: list[Any]) -> list[str]:
    return [m.text for m in messages if isinstance(m, Noted) and "accepted before" in m.text]


async def kept(office: Office) -> dict[str, Any]:
    document = await office.store.get(PATHS.within(BUSINESS).document("sessions", "s1"))
    return document.data.get("arrivals", {})


@pytest.mark.requirement("002-30", "003-143")
async def test_the_agent_goes_on_talking_and_learns_the_result_before_it_answers_the_next_turn(queued: Office) -> None:
    """The first answer speaks of what is being done; the second knows what came of it."""
    here = instance(queued, *SENDS, says("It was sent."), says("Bye."))
    first = await here.turn("Send a letter.")
    assert [e.text for e in first if isinstance(e, Text)] == ["It is being sent."]
    await carry_out(queued)
    second = await here.turn("And?")
    [note] = notes(here.last_prompt)
    assert '{"sent":"letter"}' in note and "send_later" in note
    assert here.last_prompt.index(Noted(note)) < here.last_prompt.index(UserMessage("And?"))
    [finished] = [e for e in second if isinstance(e, ToolFinished)]
    assert finished.response.data == {"sent": "letter"}
    await here.turn("Thanks.")
    assert len(notes(here.last_prompt)) == 1


@pytest.mark.requirement("003-143")
async def test_a_result_that_another_instance_has_is_told_by_the_one_that_answers_next(queued: Office) -> None:
    """A chat's turns may each be served by another instance; each result is told by one of them."""
    first, second = instance(queued, *SENDS, says("I know.")), instance(queued, says("It was sent."), carries_out=False)
    await first.turn()
    instance(queued)  # carries it out, and holds no conversation
    await carry_out(queued)
    assert await kept(queued)
    await second.turn("And?")
    assert len(notes(second.last_prompt)) == 1
    assert not await kept(queued)
    await first.turn("Well?")
    assert notes(first.last_prompt) == []


async def test_a_call_that_is_held_open_here_hears_of_a_result_from_elsewhere(queued: Office) -> None:
    """A relay is opened once and answers turn after turn; it looks only while it expects something."""
    here = instance(queued, *SENDS, says("Not yet."), says("It was sent."), says("Bye."), carries_out=False)
    conversation = await here.conversations.open(facts(Channel.PHONE))
    await answer(conversation)
    queued.store.asked.clear()
    await answer(conversation, "And?")
    assert notes(here.last_prompt) == [] and queued.store.asked["get"] == 1
    await carry_out(queued)
    await answer(conversation, "And now?")
    assert len(notes(here.last_prompt)) == 1
    queued.store.asked.clear()
    await answer(conversation, "Thanks.")
    assert queued.store.asked["get"] == 0 and len(notes(here.last_prompt)) == 1


async def test_a_result_that_comes_twice_is_told_once(queued: Office) -> None:
    """From the instance itself, and from the document that its turn's end has not cleared yet."""
    here = instance(queued, *SENDS, says("It was sent."), says("I said so."))
    conversation = await here.conversations.open(facts())
    await answer(conversation)
    await carry_out(queued)
    again = await here.conversations.open(facts())
    assert again is conversation
    queued.store.fail("commit")
    await answer(again, "And?")
    queued.store.recover()
    await here.turn("Well?")
    assert len(notes(here.last_prompt)) == 1
    assert not await kept(queued)


async def test_a_failure_is_told_as_one(office: Office) -> None:
    """The caller was told that it was accepted, and has to be told that it was not done."""
    here = instance(office, says("Hello."), says("It could not be sent."))
    await here.turn()
    failure = Failure(
        ErrorType.AUTH, "The mailbox must be connected again.", retryable=False, partial_side_effects=False
    )
    own = CONTEXTS[Channel.PORTAL](business_id=BUSINESS, session_id="s1", call_id="c9", turn=1)
    await here.conversations.arrived(own, "send_later", ToolResponse(failure=failure, meta=ACCEPTED))
    await here.turn("And?")
    [note] = notes(here.last_prompt)
    assert "The mailbox must be connected again." in note and "not been told" in note


async def test_what_was_done_late_may_be_spoken_of_as_done(queued: Office) -> None:
    """Its receipt is evidence, and stands once in the record, with the call's outcome."""
    here = instance(queued, *SENDS, says("It was sent."))
    await here.turn()
    await carry_out(queued)
    queued.clock.wait(1)
    await here.turn("And?")
    conversation = await here.conversations.open(facts())
    assert [receipt.words for receipt in conversation.session.receipts] == [{"what": "letter"}]
    record = await queued.record()
    assert [row["what"] for row in record["receipts"]] == ["letter"]
    assert [row.get("late", False) for row in record["tools"]] == [False, True]
    resumed = await queued.interactions.resume(facts())
    assert len(resumed.receipts) == 1


async def test_a_result_that_comes_within_the_first_turn_is_recorded_before_the_turn_is(office: Office) -> None:
    """Without a task queue the work begins at once, while the model still says that it will."""
    here = instance(office, *SENDS)
    await here.turn()

    async def is_recorded() -> bool:
        return [row.get("late", False) for row in (await office.record())["tools"]].count(True) == 1

    await until(is_recorded)
    record = await office.record()
    assert record["sessionId"] == "s1" and len(record["tools"]) == 2


async def test_a_message_that_the_late_call_leaves_is_said_first(queued: Office) -> None:
    """SET_PENDING_MESSAGE of a call that nobody waited for."""
    here = instance(queued, calls(("send_later", {"what": "parcel"})), says("On it."), says("Yes."))
    await here.turn()
    await carry_out(queued)
    events = await here.turn("And?")
    assert [e.text for e in events if isinstance(e, Text)] == ["It is on its way.", " Yes."]


async def test_a_late_call_that_ends_the_conversation_ends_it_in_the_next_turn(queued: Office) -> None:
    """As one does that was under way when the caller interrupted."""
    here = instance(queued, calls(("send_later", {"what": "farewell"})), says("On it."))
    await here.turn(channel=Channel.PHONE)
    await carry_out(queued)
    assert (await here.turn("And?", channel=Channel.PHONE))[-1] == TurnEnded(TurnOutcome.ENDED)


async def test_a_result_for_a_conversation_that_is_over_is_recorded_and_never_spoken(queued: Office) -> None:
    """The owner sees what came of it; the caller has gone."""
    here = instance(queued, *SENDS)
    conversation = await here.conversations.open(facts(Channel.PHONE))
    await answer(conversation)
    await conversation.close()
    await carry_out(queued)
    record = await queued.record()
    assert [(row["name"], row["ok"]) for row in record["tools"]] == [("send_later", True), ("send_later", True)]
    assert [row["what"] for row in record["receipts"]] == ["letter"]
    assert await answer(conversation, "Hello?") == [TurnEnded(TurnOutcome.ENDED)]
    assert not conversation.session.waiting.arrived


async def test_a_result_of_a_phone_call_is_not_told_in_the_chat_that_goes_on_from_it(queued: Office) -> None:
    """One session, two conversations: it belongs to the one in which it was asked for."""
    here = instance(queued, *SENDS, says("Hello."), says("It was sent."))
    await here.turn(channel=Channel.PHONE)
    await carry_out(queued)
    await here.turn(channel=Channel.PORTAL)
    assert notes(here.last_prompt) == []
    await here.turn("And?", channel=Channel.PHONE)
    assert len(notes(here.last_prompt)) == 1


async def test_a_service_that_holds_its_own_conversation_gets_no_record_of_ours(queued: Office) -> None:
    """It asks for the call again under its id, and is answered."""
    instance(queued)
    known = {"call_id": "c1", "channel": Channel.PORTAL, "interaction_id": "theirs"}
    response = await queued.instance.call("send_later", {"what": "letter"}, **known)
    assert response.data is not None and response.data["accepted"]
    await carry_out(queued)
    assert await queued.store.get(PATHS.within(BUSINESS).document("interactions", "theirs")) is None
    again = await queued.instance.call("send_later", {"what": "letter"}, **known)
    assert again.data == {"sent": "letter"}


async def test_a_store_that_does_not_answer_holds_nobody_up(queued: Office) -> None:
    """The result is told in a later turn."""
    here = instance(queued, *SENDS, says("Not yet."), says("It was sent."), carries_out=False)
    conversation = await here.conversations.open(facts(Channel.PHONE))
    await answer(conversation)
    await carry_out(queued)
    queued.store.fail("get")
    assert (await answer(conversation, "And?"))[-1] == TurnEnded(TurnOutcome.ANSWERED)
    queued.store.recover()
    await answer(conversation, "And now?")
    assert len(notes(here.last_prompt)) == 1


async def test_what_cannot_be_recorded_is_told_all_the_same(queued: Office) -> None:
    """Whoever carries a call out is never stopped by its record."""
    here = instance(queued, *SENDS, says("It was sent."))
    conversation = await here.conversations.open(facts())
    await answer(conversation)
    queued.store.fail("commit")
    own = CONTEXTS[Channel.PORTAL](business_id=BUSINESS, session_id="s1", call_id="c9", turn=1)
    await here.conversations.arrived(own, "send_later", ToolResponse({"sent": "letter"}, meta=ACCEPTED))
    queued.store.recover()
    await answer(conversation, "And?")
    assert len(notes(here.last_prompt)) == 1


@pytest.mark.parametrize(
    "left", ["x", 7, {"c": 1}, {"c": {}}, {"c": {"channel": "portal", "tool": "t", "response": "{"}}]
)
async def test_whatever_stands_in_the_document_the_conversation_goes_on(office: Office, left: Any) -> None:
    """Documents may be changed by hand."""
    await office.store.commit([Set(PATHS.within(BUSINESS).document("sessions", "s1"), {"arrivals": left}, merge=True)])
    here = instance(office, says("Hello."))
    assert (await here.turn())[-1] == TurnEnded(TurnOutcome.ANSWERED)


@pytest.mark.emulator
async def test_firestore_forgets_a_result_that_was_told(
    emulator_host: str, worker_project: str, patience: None
) -> None:
    """Call ids hold dots, which are no paths into a document."""
    store = FirestoreStore(worker_project, emulator_host=emulator_host)
    try:
        office = Office(store)
        office.instance.dispatcher._queue = Queue()
        path = PATHS.within(BUSINESS).document("sessions", "s1")
        stale = await store.query(Query(PATHS.within(BUSINESS).calls("s1")))
        places = [path, PATHS.within(BUSINESS).document("interactions", "s1"), *(row.path for row in stale)]
        await store.commit([*(Delete(place) for place in places), Set(PATHS.within(BUSINESS).business, {"name": "S"})])
        here = instance(office, *SENDS, says("It was sent."))
        await here.turn()
        await office.instance.dispatcher.carry_out_queued(BUSINESS)
        assert any("." in call_id for call_id in await kept(office))
        await here.turn("And?")
        assert len(notes(here.last_prompt)) == 1 and not await kept(office)
    finally:
        await store.close()


class TestEnding:
    """A conversation that ends marks its session, and one that is come back to clears the mark."""

    async def mark(self, office: Office) -> dict[str, int]:
        document = await office.store.get(PATHS.within(BUSINESS).document("sessions", "s1"))
        assert document is not None
        return {channel: bool(ms) for channel, ms in document.data["endedMs"].items()}

    @pytest.mark.requirement("003-75")
    async def test_whoever_hangs_up_ends_the_session_with_the_record(self, office: Office) -> None:
        here = instance(office, calls(("look", {})), says("Hello."))
        conversation = await here.conversations.open(facts(Channel.PHONE))
        await answer(conversation)
        office.store.asked.clear()
        await conversation.close()
        assert office.store.asked == {"commit": 1}
        assert await self.mark(office) == {"phone": True}
        refused = await office.instance.call("look", {"times": 2}, turn=2)
        assert refused.failure is not None and refused.failure.type is ErrorType.SESSION_INACTIVE

    async def test_one_that_goes_on_lets_calls_in_again_on_any_instance(self, office: Office) -> None:
        here, there = instance(office, calls(("hang_up", {}))), instance(office, calls(("look", {})), says("Hello."))
        await here.turn(channel=Channel.BROWSER_VOICE)
        assert await self.mark(office) == {"browser_voice": True}
        conversation = await there.conversations.open(facts(Channel.BROWSER_VOICE))
        assert conversation.session.is_over
        await conversation.go_on()
        events = await answer(conversation)
        assert [e.response.ok for e in events if isinstance(e, ToolFinished)] == [True]
        assert await self.mark(office) == {"browser_voice": False}

    async def test_a_chat_and_a_transfer_end_no_session(self, office: Office) -> None:
        here = instance(office, calls(("hang_up", {})), says("Hello."))
        await here.turn(channel=Channel.PORTAL)
        assert (await office.instance.call("look", channel=Channel.PORTAL)).ok

    async def test_closing_what_was_put_through_leaves_its_record_as_it_was(self, office: Office) -> None:
        here = instance(office, calls(("look", {})), says("Hello."))
        conversation: Conversation = await here.conversations.open(facts(Channel.PHONE))
        await answer(conversation)
        conversation.session.finish(TurnOutcome.TRANSFERRED)
        await conversation._recorder.save(conversation.session)
        assert await self.mark(office) == {"phone": False}
        before = await office.record()
        office.clock.wait(60)
        await conversation.close()
        assert await office.record() == before
        assert await self.mark(office) == {"phone": True}


@pytest.mark.requirement("004-2404")
def test_the_model_is_told_of_each_result_what_was_told_of_its_call_before() -> None:
    """That it was accepted of none that never was."""
    done_later = ToolResponse(data={"sent": 1})
    never = ToolResponse(failure=Failure(ErrorType.TRANSIENT, "It was not begun.", True, False))
    told = {e: Arrival("c1", "send", done_later, earlier=e).note for e in (*Earlier, None)}
    assert all("has been carried out" in note for note in told.values()) and len(set(told.values())) == 5
    assert [e for e, note in told.items() if "accepted" in note] == [Earlier.ACCEPTED]
    notes = {e: Arrival("c1", "send", never, earlier=e).note for e in Earlier}
    ended = "has ended so: It was not begun. The caller has not been told."
    assert all(note.endswith(ended) for note in notes.values())
    assert notes[Earlier.UNKNOWN].startswith("send, of which it was not known when it was called whether")
    row = {"tool": "send", "channel": "portal", "response": orjson.dumps(done_later.to_json()).decode()}
    path, now = PATHS.within(BUSINESS).document("sessions", "s1"), NOW
    rows = {"c1": row | {EARLIER: "went on"}, "c2": row, "c3": row | {EARLIER: 7}}
    known = arrivals_in(Document(path, {"arrivals": rows}, now, now), facts())
    assert [arrival.earlier for arrival in known] == [Earlier.WENT_ON, None, None]
