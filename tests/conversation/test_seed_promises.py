"""What the first and the third seed promise of a conversation, shown with a scripted model."""

import asyncio
from typing import Any

import pytest

from switchboard.catalog.definitions.registry import Registry
from switchboard.contract.caller.strangers import VOUCHED_FOR
from switchboard.contract.channel import Channel
from switchboard.contract.context import CONTEXTS, CallContext
from switchboard.contract.model import CallPiece, Ended, Ending, Spoken, TextPiece, ToolMessage
from switchboard.contract.response import Intent, IntentType, Result
from switchboard.contract.store import Set
from switchboard.conversation.conversation import Conversation
from switchboard.conversation.dependencies import join
from switchboard.conversation.event import Event, Text, ToolFinished, ToolStarted, TurnEnded, TurnOutcome
from switchboard.conversation.guard import Unguarded
from switchboard.conversation.session import CallSession
from switchboard.conversation.speech.utterance import Utterance
from tests.conversation.conftest import Notes, Talk, answer
from tests.conversation.planted import gates
from tests.conversation.record.test_interactions import PATHS, Office, office
from tests.conversation.scripted import ScriptedModel, calls, says
from tests.leisure import limited
from tests.pipeline import planted
from tests.pipeline.conftest import BUSINESS, Instance
from tests.tools.guide_house import ANNA, REGISTRY, GuideHouse

__all__ = ["office"]


def spoken(events: list[Event]) -> str:
    return "".join(event.text for event in events if isinstance(event, Text))


async def put_through(ctx: CallContext, desk: Any) -> Result:
    """Put the call through."""
    return Result({"transferred": True}, (Intent(IntentType.TRANSFER_CALL, {"number": "+15185550143"}),))


@pytest.mark.requirement("000-01")
async def test_a_model_learns_bookings_policies_and_faqs_from_the_tools_of_the_house() -> None:
    """What the salon has written down reaches the model in the middle of a conversation, through the real handlers."""
    house = await GuideHouse.open(REGISTRY.tools["get_latest_booking"])
    path = PATHS.within(house.business_id).business
    document = await house.store.get(path)
    assert document is not None
    trusting = {"ai": {"callerVerification": "none", "trustCallerId": True}}
    await house.store.commit([Set(path, document.data | trusting)])
    model = ScriptedModel(
        calls(("get_policies", {"topic": "cancellation"}), ("get_faqs", {"topic": "parking"})),
        says("Just so."),
        calls(("get_latest_booking", {})),
        says("It is."),
    )

    async def system(*_: Any) -> str:
        return "You are Echo."

    parts = join(
        model,
        house.catalog,
        house.dispatcher,
        house.approvals,
        house.clock,
        system,
        lambda *_: Unguarded(),
        lambda _: Notes(),
    )
    facts = CONTEXTS[Channel.PHONE](
        business_id=house.business_id, session_id="s1", turn=0, attestation=VOUCHED_FOR, **ANNA
    )
    conversation = Conversation(parts, CallSession(facts))
    for words in ("What if I cancel, and where can I park?", "And when is my appointment?"):
        async for _ in conversation.reply(Utterance(words)):
            pass
    told = [m.response for m in conversation.session.history.messages if isinstance(m, ToolMessage)]
    assert [response.ok for response in told] == [True] * 3
    assert set(conversation.session.tool_context) == {"get_policies", "get_faqs", "get_latest_booking"}
    assert "24 hours" in str(conversation.session.tool_context["get_policies"])


@pytest.mark.requirement("000-04")
async def test_one_stream_both_talks_and_calls(talk: Talk) -> None:
    """An answer without a call costs one request; the request that asks for a call is the one that has spoken."""
    chatting = talk(says("We open at nine."))
    await answer(chatting)
    assert len(chatting.model.prompts) == 1  # type: ignore[attr-defined]
    looking = talk(calls(("look", {"word": "tea"}), text="Let me look. "), says("There is tea."))
    await answer(looking)
    prompts = looking.model.prompts  # type: ignore[attr-defined]
    assert len(prompts) == 2
    said = prompts[1].messages[1]
    assert isinstance(said, Spoken)
    assert (said.text, [call.name for call in said.calls]) == ("Let me look. ", ["look"])


@pytest.mark.requirement("003-06")
async def test_every_offered_tool_is_declared_with_the_first_request(talk: Talk) -> None:
    """Nothing has to be searched for first."""
    conversation = talk(says("Hello."))
    await answer(conversation)
    offer = await conversation._parts.offer(conversation.session.facts)
    declared = [tool["function"]["name"] for tool in conversation.model.prompts[0].tools]  # type: ignore[attr-defined]
    assert declared == [tool.name for tool in offer.tools]
    assert len(declared) > 5


@pytest.mark.requirement("000-38")
async def test_while_a_tool_runs_only_its_own_filler_is_spoken(talk: Talk, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the model has to say of the result comes after the result."""
    limited(monkeypatch, filler_after_ms=20)
    gates["slow"] = asyncio.Event()
    asked = [TextPiece("Sure."), CallPiece(0, "c", "fetch", '{"key": "slow"}'), Ended(Ending.CALLS)]
    conversation = talk(asked, says("Here it is."))
    heard: list[Event] = []
    async for event in conversation.reply(Utterance("Hello")):
        heard.append(event)
        if isinstance(event, Text) and event.is_filler:
            gates["slow"].set()
    kinds = [type(event) for event in heard]
    meanwhile = heard[kinds.index(ToolStarted) : kinds.index(ToolFinished)]
    assert [event.is_filler for event in meanwhile if isinstance(event, Text)] == [True]
    assert spoken(heard) == "Sure. One moment. Here it is."


@pytest.mark.requirement("000-47")
async def test_the_session_keeps_how_long_each_call_took(talk: Talk) -> None:
    """In milliseconds and in the order of the calls."""
    conversation = talk(calls(("look", {"word": "tea"})), calls(("crash", {})), says("Well."))
    finished = [event for event in await answer(conversation) if isinstance(event, ToolFinished)]
    assert conversation.session.tool_latency_ms == [event.elapsed_ms for event in finished]
    assert all(0 <= took < 10_000 for took in conversation.session.tool_latency_ms)
    assert len(finished) == 2


@pytest.mark.requirement("000-49")
@pytest.mark.parametrize("channel", Channel)
async def test_a_tool_that_fails_ends_in_a_safe_sentence_if_the_model_has_none(talk: Talk, channel: Channel) -> None:
    """Neither silence nor the words of an error."""
    conversation = talk(calls(("crash", {})), [Ended(Ending.STOPPED)], [Ended(Ending.STOPPED)], channel=channel)
    heard = spoken(await answer(conversation))
    assert heard.startswith("I'm having trouble pulling that up right now. Please ")
    assert "secret detail" not in heard and "INTERNAL" not in heard


@pytest.mark.requirement("000-60")
async def test_a_conversation_has_its_session_document_before_the_first_word(office: Office) -> None:
    """The business is read and the session opened, and only then is the model asked."""
    path = PATHS.within(BUSINESS).document("sessions", "s1")
    conversation = await office.talk(says("Hello."))
    assert await office.store.get(path) is None
    async for event in conversation.reply(Utterance("Hi")):
        if isinstance(event, Text):
            document = await office.store.get(path)
            assert document is not None and document.data["catalogHash"]
            return
    pytest.fail("nothing was said")


@pytest.mark.requirement("000-107")
async def test_tools_follow_one_another_in_a_turn_until_its_limit(talk: Talk) -> None:
    """What one has found the next may use; the call beyond the limit is told so, and the model still answers."""
    chain = [calls(("act", {"what": f"step {n}"})) for n in range(4)]
    conversation = talk(calls(("look", {"word": "tea"})), *chain, says("That is all I could do."))
    events = await answer(conversation)
    types = [e.response.failure and e.response.failure.type.value for e in events if isinstance(e, ToolFinished)]
    assert types == [None, None, None, "BUDGET_EXCEEDED", "BUDGET_EXCEEDED"]
    assert (len(planted.done), spoken(events)) == (2, "That is all I could do.")


@pytest.mark.requirement("003-104")
async def test_a_model_that_goes_round_in_circles_is_told_and_still_answers(talk: Talk) -> None:
    """LOOP_DETECTED is the result of its call, with advice."""
    same = calls(("look", {"word": "tea"}))
    conversation = talk(same, list(same), list(same), says("I cannot find it."), channel=Channel.PORTAL)
    events = await answer(conversation)
    told = [m.response for m in conversation.session.history.messages if isinstance(m, ToolMessage)]
    assert told[-1].failure is not None
    assert told[-1].failure.type.value == "LOOP_DETECTED"
    assert spoken(events) == "I cannot find it."
    assert events[-1] == TurnEnded(TurnOutcome.ANSWERED)


@pytest.mark.requirement("004-53")
async def test_after_a_transfer_nothing_more_is_said(office: Office) -> None:
    """Neither in this turn nor in a later one; the model is not asked again."""
    tools = dict(office.instance.definitions.registry.tools)
    tools["put_through"] = planted._tool(put_through, "action", {})
    office.instance = Instance(office.store, office.clock, Registry("1.0.00000000", tools))
    conversation = await office.talk(calls(("put_through", {}), text="One second."), says("Still here?"))
    heard = await answer(conversation)
    assert (spoken(heard), heard[-1]) == ("One second.", TurnEnded(TurnOutcome.TRANSFERRED))
    assert spoken(await answer(conversation)) == ""
    assert len(conversation._parts.model.prompts) == 1  # type: ignore[attr-defined]
