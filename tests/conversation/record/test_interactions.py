"""The record of a call or chat: what was said and done, written once per turn, and where a conversation goes on."""

import asyncio
from datetime import timedelta
from typing import Any

import pytest

from switchboard.catalog.definitions.registry import Registry
from switchboard.contract.channel import Channel
from switchboard.contract.context import CONTEXTS, CallContext
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.model import Spoken, TextPiece, UserMessage
from switchboard.contract.ports import Store
from switchboard.contract.response import CALLERS_WORDS, Result, ToolResponse
from switchboard.contract.store import Set, Unavailable
from switchboard.conversation.conversation import Conversation
from switchboard.conversation.dependencies import join
from switchboard.conversation.event import ToolFinished
from switchboard.conversation.guard import Unguarded
from switchboard.conversation.record.interactions import Interactions
from switchboard.conversation.speech.utterance import Utterance
from switchboard.pipeline.confirmation.approvals import Approvals
from switchboard.state.memory.store import MemoryStore
from tests.conversation import planted
from tests.conversation.conftest import answer
from tests.conversation.scripted import ScriptedModel, calls, says
from tests.conversation.test_interruption import until
from tests.desk.front_desk import NOW, StoppedClock, WatchedStore
from tests.pipeline import planted as pipeline_planted
from tests.pipeline.conftest import BUSINESS, PATHS, Instance
from tests.pipeline.planted import done

PATH = PATHS.within(BUSINESS).document("interactions", "s1")


class Office:
    """An instance whose conversations are written down."""

    def __init__(self, store: Store | None = None) -> None:
        self.store, self.clock = WatchedStore(store or MemoryStore()), StoppedClock()
        self.instance = Instance(self.store, self.clock, planted.registry())
        self.interactions = Interactions(self.store, PATHS, self.clock)

    async def talk(
        self, *answers: Any, channel: Channel = Channel.PHONE, session: str = "s1", **facts: Any
    ) -> Conversation:
        """Begin, or go on with, a conversation."""

        async def system(*_: Any) -> str:
            return "You are Echo."

        office = self.instance
        approvals = Approvals(self.store, PATHS)
        parts = join(
            ScriptedModel(*answers),
            office.catalog,
            office.dispatcher,
            approvals,
            self.clock,
            system,
            lambda *_: Unguarded(),
            self.interactions.recorder,
        )
        known = CONTEXTS[channel](business_id=BUSINESS, session_id=session, turn=0, **facts)
        return Conversation(parts, await self.interactions.resume(known))

    async def record(self) -> dict[str, Any]:
        document = await self.store.get(PATH)
        assert document is not None
        return document.data


@pytest.fixture
async def office() -> Office:
    found = Office()
    await found.store.inner.commit([_business()])
    done.clear()
    return found


def _business() -> Set:
    return Set(PATHS.within(BUSINESS).business, {"name": "Salon", "ai": {"language": "en"}})


@pytest.mark.requirement("000-26", "000-27")
async def test_a_call_leaves_who_when_how_long_and_what_was_said(office: Office) -> None:
    """Seed 000, "Data Model", `calls`: with nothing in it that nobody ever fills."""
    conversation = await office.talk(says("Good morning."), says("Nine."), call_sid="CA1", caller_phone="+15185550177")
    conversation.greet("Salon, hello.")
    await answer(conversation, "Hi")
    office.clock.wait(90)
    await answer(conversation, "When do you open?")
    await conversation.close()
    record = await office.record()
    assert [(t["role"], t["text"], t["turn"]) for t in record["transcript"]] == [
        ("agent", "Salon, hello.", 0),
        ("caller", "Hi", 1),
        ("agent", "Good morning.", 1),
        ("caller", "When do you open?", 2),
        ("agent", "Nine.", 2),
    ]
    assert (record["callSid"], record["callerPhone"], record["channel"]) == ("CA1", "+15185550177", "phone")
    assert (record["durationSeconds"], record["turns"], record["outcome"]) == (90, 2, "answered")
    assert record["expireAt"] - record["heardAt"] == timedelta(days=90)
    assert not {"intent", "sentimentScore", "confidenceScore", "recordingUrl"} & record.keys()


async def test_tools_and_receipts_stand_in_it(office: Office) -> None:
    """What was called, how it went, and what was really done."""
    conversation = await office.talk(calls(("act", {"what": "tea"}), ("look", {}), text="One moment."), says("Done."))
    await answer(conversation)
    record = await office.record()
    assert [(t["name"], t["ok"]) for t in sorted(record["tools"], key=lambda t: t["callId"])] == [
        ("act", True),
        ("look", True),
    ]
    assert [(r["tool"], r["what"]) for r in record["receipts"]] == [("act", "tea")]


async def unlock(ctx: CallContext, desk: Any, *, code: str) -> Result:
    """Use a code, if it has six figures."""
    if len(code) != 6:
        raise ToolError(ErrorType.VALIDATION, "A code has six figures.")
    return Result({"open": True})


@pytest.fixture
async def locked() -> Office:
    """An instance with a tool that takes a code."""
    found = Office()
    tool = pipeline_planted._tool(unlock, "action", {"code": {"type": "string", "x-secret": True}}, repeatable=True)
    registry = Registry("1.0.00000000", planted.registry().tools | {"unlock": tool})
    found.instance = Instance(found.store, found.clock, registry)
    await found.store.inner.commit([_business()])
    return found


@pytest.mark.parametrize(
    ("said", "sent", "kept"),
    [
        ("It is 12 34 56, for Friday.", "123456", "It is •• •• ••, for Friday."),
        ("one two three four five six", "123456", "•••"),
        ("123 vier fünf sechs", "123456", "•••"),
        ("1 2 3 4 5", "12345", "• • • • •"),
    ],
)
@pytest.mark.requirement("003-83")
async def test_a_code_that_a_caller_says_is_not_kept(locked: Office, said: str, sent: str, kept: str) -> None:
    """However the tool answers; an instance that goes on with the conversation has what was kept."""
    conversation = await locked.talk(calls(("unlock", {"code": sent})), says("Thank you."), says("Nine."))
    await answer(conversation, said)
    await answer(conversation, "When do you open? 8 or 9?")
    await conversation.close()
    record = await locked.record()
    texts = [entry["text"] for entry in record["transcript"] if entry["role"] == "caller"]
    assert texts == [kept, "When do you open? 8 or 9?"]
    assert said not in repr(record) and sent not in repr(record)


async def test_a_code_that_was_written_down_before_its_tool_was_called_is_taken_out(locked: Office) -> None:
    """A live model hears first and calls later, by another request."""
    facts = CONTEXTS[Channel.BROWSER_VOICE](business_id=BUSINESS, session_id="s1", turn=1)
    session = await locked.interactions.resume(facts)
    recorder = locked.interactions.recorder(session)
    recorder.heard(session, Utterance("It is 123456."))
    await recorder.save(session)
    assert "123456" in repr(await locked.record())
    response = ToolResponse(data={"open": True}, intents=(CALLERS_WORDS,))
    recorder.happened(session, ToolFinished("c1", "unlock", response, 1.0))
    await recorder.save(session)
    assert "123456" not in repr(await locked.record())


CODE_TAKEN = ToolFinished("c1", "unlock", ToolResponse(data={"open": True}, intents=(CALLERS_WORDS,)), 1.0)


@pytest.mark.requirement("003-83")
@pytest.mark.parametrize("is_late", [False, True])
async def test_a_code_is_taken_out_also_where_nobody_knows_whether_it_was_written_down(
    locked: Office, monkeypatch, is_late: bool
) -> None:
    """The store had no answer in time: it may have written it all the same, or does so a moment later."""
    facts = CONTEXTS[Channel.PORTAL](business_id=BUSINESS, session_id="s1")
    session = await locked.interactions.resume(facts)
    recorder, commit, late = locked.interactions.recorder(session), locked.store.commit, []

    async def unanswered(writes: Any) -> Any:
        late.append(writes)
        if not is_late:
            await commit(writes)
        raise Unavailable("no answer")

    monkeypatch.setattr(locked.store, "commit", unanswered)
    await recorder.begin(session, Utterance("It is 123456."))
    monkeypatch.setattr(locked.store, "commit", commit)
    recorder.happened(session, CODE_TAKEN)
    await recorder.save(session)
    if is_late:
        await commit(late[0])
        await recorder.begin(session, Utterance("And on Friday?"))
        await recorder.save(session)
    record = await locked.record()
    assert "••••••" in repr(record) and "123456" not in repr(record)


@pytest.mark.requirement("003-83")
async def test_of_two_codes_that_were_written_down_none_stays(locked: Office) -> None:
    """Also where the first could not be taken out before the second was said."""
    facts = CONTEXTS[Channel.PORTAL](business_id=BUSINESS, session_id="s1")
    session = await locked.interactions.resume(facts)
    recorder = locked.interactions.recorder(session)
    for code in ("123456", "654321"):
        await recorder.begin(session, Utterance(f"It is {code}."))
        recorder.happened(session, CODE_TAKEN)
        if code == "123456":
            locked.store.fail("get")
        await recorder.save(session)
        locked.store.recover()
    assert "123456" not in repr(await locked.record()) and "654321" not in repr(await locked.record())


async def test_every_answer_of_a_tool_that_takes_a_code_says_that_it_is_not_to_be_kept(locked: Office) -> None:
    """For services that keep a transcript of their own; what failed too, and a call whose arguments were wrong."""
    for arguments in ({"code": "123456"}, {"code": "1234"}, {"code": 5.5, "x": 1}):
        response = await locked.instance.call("unlock", arguments, call_id=repr(arguments))
        told = [intent.to_json() for intent in response.intents]
        assert told == [{"type": "SUPPRESS_TRANSCRIPT", "payload": {"of": "caller"}}]
    assert (await locked.instance.call("look", {"word": "x"}, call_id="c9")).intents == ()


async def test_a_turn_costs_two_writes(office: Office) -> None:
    """As it begins and when it is answered, however much was said in it."""
    conversation = await office.talk(says("Hello."), says("a", "b", "c"))
    await answer(conversation)
    office.store.asked.clear()
    await answer(conversation)
    assert office.store.asked == {"commit": 2}


async def test_what_the_caller_did_not_hear_is_marked(office: Office) -> None:
    """The words stay, with what was heard of them."""
    conversation = await office.talk([TextPiece("We open at nine."), asyncio.Event()])
    _, events = await until(conversation, lambda e: type(e).__name__ == "Text")
    await conversation.interrupt("We open")
    _ = [event async for event in events]
    last = (await office.record())["transcript"][-1]
    assert (last["text"], last["heard"], last["interrupted"]) == ("We open at nine.", "We open", True)


async def test_a_store_that_does_not_answer_loses_nothing(office: Office) -> None:
    """The next turn writes both."""
    conversation = await office.talk(says("One."), says("Two."))
    office.store.fail("commit")
    await answer(conversation, "a")
    office.store.recover()
    await answer(conversation, "b")
    assert [t["text"] for t in (await office.record())["transcript"]] == ["a", "One.", "b", "Two."]


async def test_a_commit_whose_answer_was_lost_is_not_written_twice(office: Office) -> None:
    """Adding the same entries again leaves them there once."""
    conversation = await office.talk(says("One."), says("Two."))
    await answer(conversation, "x")
    office.store.fail("commit", after=True)
    await answer(conversation, "a")
    office.store.recover()
    await conversation.close()
    assert [t["text"] for t in (await office.record())["transcript"]] == ["x", "One.", "a", "Two."]


async def test_a_chat_goes_on_where_it_was_left_on_any_instance(office: Office) -> None:
    """Resumable by session id: the words, the turns and the receipts."""
    first = await office.talk(calls(("act", {"what": "tea"})), says("Done."), channel=Channel.PORTAL)
    await answer(first, "Tea, please.")
    await first.close()
    second = await office.talk(says("You had tea."), channel=Channel.PORTAL)
    assert second.session.facts.turn == 1
    assert [r.words["what"] for r in second.session.receipts] == ["tea"]
    assert second.session.history.messages == [UserMessage("Tea, please."), Spoken("Done.")]
    office.clock.wait(60)
    await answer(second, "What did I have?")
    assert second.session.facts.turn == 2
    assert len((await office.record())["transcript"]) == 4
    assert len((await office.record())["receipts"]) == 1


async def test_a_yes_counts_also_on_the_instance_that_did_not_ask(office: Office) -> None:
    """The question stands in the session, not in a process."""
    wish = calls(("book", {"what": "tea"}))
    await answer(await office.talk(wish, channel=Channel.PORTAL), "Tea, please.")
    await answer(await office.talk(wish, says("Booked."), channel=Channel.PORTAL), "Yes.")
    assert done == ["tea"]


async def test_an_endless_text_is_cut(office: Office) -> None:
    """A document holds 1 MiB."""
    conversation = await office.talk(says("x" * 10_000), *[says("Yes.")] * 5)
    await answer(conversation, "y" * 10_000)
    longest = max((await office.record())["transcript"], key=lambda t: len(t["text"]))
    assert (len(longest["text"]), longest["cut"]) == (4_000, True)


async def test_tools_without_words_are_written_down_too(office: Office) -> None:
    """As where the vendor speaks, and only the calls come here."""
    conversation = await office.talk()
    recorder = office.interactions.recorder(conversation.session)
    finished = ToolFinished("c1", "look", ToolResponse(data={}), 1.0)
    recorder.happened(conversation.session, finished)
    await recorder.save(conversation.session)
    assert [tool["name"] for tool in (await office.record())["tools"]] == ["look"]


@pytest.mark.requirement("004-82")
async def test_what_is_written_behind_a_link_is_not_for_the_line():
    """Whoever had the number shown may have sent its owner the link."""
    office = Office()
    portal = CONTEXTS[Channel.PORTAL](business_id=BUSINESS, session_id="s1", since=NOW)
    page = await office.talk(says("Of course."), channel=Channel.PORTAL, since=NOW)
    await answer(page, "My door code is 4711")
    line = await office.interactions.resume(CONTEXTS[Channel.PHONE](business_id=BUSINESS, session_id="s1"))
    assert "4711" not in repr(line.history.messages)
    again = await office.interactions.resume(portal)
    assert "4711" in repr(again.history.messages)
