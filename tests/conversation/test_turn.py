"""One human turn: the model streams, its calls run, what they found goes back, and it speaks on."""

import asyncio
from collections.abc import Collection
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest

from switchboard.contract.channel import Channel
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.model import (
    CallPiece,
    Ended,
    Ending,
    ModelError,
    Noted,
    Spoken,
    TextPiece,
    ToolMessage,
    UserMessage,
)
from switchboard.contract.policy import CHANNEL_POLICY
from switchboard.conversation import turn
from switchboard.conversation.conversation import Conversation
from switchboard.conversation.event import (
    Effect,
    Event,
    QuestionAsked,
    Text,
    ToolFinished,
    ToolStarted,
    TurnEnded,
    TurnOutcome,
)
from switchboard.conversation.guard import Unfounded, Unguarded
from switchboard.conversation.speech.house_phrases import cut_short_words
from tests.conversation.conftest import Talk, answer
from tests.conversation.planted import begun, gates
from tests.conversation.scripted import calls, says
from tests.leisure import AS_IN_PRODUCTION, limited
from tests.pipeline.planted import done


def spoken(events: list[Event]) -> str:
    return "".join(event.text for event in events if isinstance(event, Text))


def ends_in_a_way_on(said: str) -> bool:
    """Nothing can be had in these conversations: no tool takes a message, and the salon names no number."""
    return said.endswith(("a little later.", "Is there anything else I can do for you?"))


def outcome(events: list[Event]) -> TurnOutcome:
    assert isinstance(events[-1], TurnEnded)
    assert sum(isinstance(event, TurnEnded) for event in events) == 1
    return events[-1].outcome


def messages(conversation: Conversation) -> list[Any]:
    return conversation.session.history.messages


def is_well_formed(conversation: Conversation) -> bool:
    """Every call has exactly one answer, right after the words that made it."""
    found = messages(conversation)
    for i, message in enumerate(found):
        if isinstance(message, Spoken):
            after = found[i + 1 : i + 1 + len(message.calls)]
            assert [c.call_id for c in message.calls] == [m.call_id for m in after if isinstance(m, ToolMessage)]
    return not conversation.session.history.unanswered()


@pytest.mark.requirement("000-65", "000-66")
async def test_words_are_passed_on_as_they_come(talk: Talk) -> None:
    """Nobody waits for the end of an answer to hear its beginning."""
    gate = asyncio.Event()
    conversation = talk([TextPiece("Good "), TextPiece("morning."), gate, Ended(Ending.STOPPED)])
    events = conversation.reply(turn.Utterance("Hello"))
    assert [await anext(events), await anext(events)] == [Text("Good "), Text("morning.")]
    gate.set()
    assert await anext(events) == TurnEnded(TurnOutcome.ANSWERED)
    assert messages(conversation) == [UserMessage("Hello"), Spoken("Good morning.")]


@pytest.mark.requirement("000-53", "000-06", "000-08", "000-36", "000-39")
async def test_a_tool_called_in_mid_speech_runs_and_speech_resumes_with_its_result(talk: Talk) -> None:
    """Seed 000, "Streaming LLM Integration": text before and after a call in one turn."""
    conversation = talk(calls(("look", {"word": "tea"}), text="Let me look."), says("There is tea."))
    events = await answer(conversation)
    assert spoken(events) == "Let me look. There is tea."
    assert [type(e) for e in events] == [Text, ToolStarted, ToolFinished, Text, TurnEnded]
    told = conversation.model.prompts[1].messages[-1]  # type: ignore[attr-defined]
    assert isinstance(told, ToolMessage)
    assert told.response.data == {"said": "tea", "business": "salon"}
    assert is_well_formed(conversation)


async def test_independent_reads_run_side_by_side(talk: Talk) -> None:
    """Two look-ups take as long as the slower one."""
    gates.update(one=asyncio.Event(), two=asyncio.Event())
    conversation = talk(calls(("fetch", {"key": "one"}), ("fetch", {"key": "two"})), says("Both are there."))
    task = asyncio.create_task(answer(conversation))
    while len(begun) < 2:
        await asyncio.sleep(0)
    for gate in gates.values():
        gate.set()
    assert outcome(await task) is TurnOutcome.ANSWERED
    assert is_well_formed(conversation)


async def test_actions_run_one_after_the_other_in_the_models_order(talk: Talk) -> None:
    """What one action changes the next may depend on."""
    gates.update(one=asyncio.Event(), two=asyncio.Event())
    conversation = talk(calls(("post", {"key": "one"}), ("post", {"key": "two"})), says("Done."))
    task = asyncio.create_task(answer(conversation))
    while not begun:
        await asyncio.sleep(0)
    gates["two"].set()
    assert begun == ["one"]
    gates["one"].set()
    await task
    assert done == ["one", "two"]


async def test_a_filler_is_spoken_once_a_tool_takes_longer_than_800_ms(talk: Talk, monkeypatch: Any) -> None:
    """The caller hears that something is happening; the words are the tool's own."""
    assert {limits.filler_after_ms for limits in AS_IN_PRODUCTION.values()} == {800}
    limited(monkeypatch, filler_after_ms=20)
    gates["slow"] = asyncio.Event()
    conversation = talk(calls(("fetch", {"key": "slow"}), text="Sure."), says("Here it is."))
    heard: list[Event] = []
    async for event in conversation.reply(turn.Utterance("Hello")):
        heard.append(event)
        if event == Text(" One moment.", is_filler=True):
            gates["slow"].set()
    assert spoken(heard) == "Sure. One moment. Here it is."
    # It bridges the wait, and is no part of what the model said.
    assert "One moment" not in str(messages(conversation))


async def test_a_quick_tool_needs_no_filler(talk: Talk) -> None:
    """Talking over every look-up would be worse than the silence."""
    assert not any(isinstance(e, Text) and e.is_filler for e in await answer(talk(calls(("look", {})), says("Hi."))))


AWKWARD = {
    "fails before the first word": [ModelError("503")],
    "breaks off after some words": [TextPiece("Well, "), ModelError("reset")],
    "says nothing": [Ended(Ending.STOPPED)],
    "only blanks": [TextPiece("  \n"), Ended(Ending.STOPPED)],
    "is cut off within a call": [CallPiece(0, "c", "look", '{"wo'), Ended(Ending.CUT_OFF)],
    "refuses": [Ended(Ending.REFUSED)],
    "ends without an end": [CallPiece(0, "c", "look", "{}")],
}


@pytest.mark.parametrize("events", AWKWARD.values(), ids=AWKWARD.keys())
@pytest.mark.parametrize("channel", Channel)
async def test_a_model_that_gives_no_answer_still_ends_in_something_said(
    talk: Talk, events: list[Any], channel: Channel
) -> None:
    """Silence is the one answer that a caller cannot do anything with."""
    conversation = talk(events, list(events), channel=channel)
    heard = await answer(conversation)
    assert outcome(heard) is TurnOutcome.FAILED
    assert ends_in_a_way_on(spoken(heard))
    assert is_well_formed(conversation)
    # And the next turn works.
    conversation.model.answers = [says("Hello again.")]  # type: ignore[attr-defined]
    assert spoken(await answer(conversation)) == "Hello again."


async def test_a_model_that_stalls_is_not_waited_for(talk: Talk, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first word has to come within twelve seconds."""
    monkeypatch.setattr(turn, "FIRST_TOKEN_S", 0.05)
    conversation = talk([asyncio.Event()])
    heard = await answer(conversation)
    assert outcome(heard) is TurnOutcome.FAILED
    assert ends_in_a_way_on(spoken(heard))
    assert conversation.model.closed == 1  # type: ignore[attr-defined]


@pytest.mark.requirement("004-141")
async def test_an_answer_without_end_is_broken_off_and_what_was_said_stays(talk: Talk) -> None:
    """In many pieces or in one; a server that heeds no limit costs nobody else's time."""
    longest = CHANNEL_POLICY[Channel.PHONE].answer_characters
    for size in (1_000, 10 * longest):
        conversation = talk([*(TextPiece("a" * size) for _ in range(10 * longest // size)), Ended(Ending.STOPPED)])
        events = await answer(conversation, "Hello")
        assert outcome(events) is TurnOutcome.ANSWERED
        assert spoken(events) == "a" * longest + f" {CUT_SHORT}"


CUT_SHORT = cut_short_words("en")


class Holding(Unguarded):
    """Holds everything back until its end."""

    has_left_out = False

    def __init__(self) -> None:
        self._held = ""

    def feed(self, text: str) -> str:
        self._held += text
        return ""

    def rest(self, calls: Collection[str] = ()) -> str:
        return self._held


CUT = [TextPiece("We open at"), Ended(Ending.CUT_OFF)]


@pytest.mark.requirement("003-333")
async def test_an_answer_that_was_cut_off_is_gone_on_with(talk: Talk) -> None:
    """The model is told where it stands, and the caller gets the rest of the sentence."""
    conversation = talk(CUT, says("nine."))
    heard = await answer(conversation)
    assert (spoken(heard), outcome(heard)) == ("We open at nine.", TurnOutcome.ANSWERED)
    note = conversation.model.prompts[1].messages[-1]  # type: ignore[attr-defined]
    assert isinstance(note, Noted) and "cut off" in note.text
    assert is_well_formed(conversation)


@pytest.mark.requirement("003-333")
@pytest.mark.parametrize("language", ["en", "de-AT", "es", "fr", "it", "pt", "nl", "fi"])
async def test_an_answer_that_is_cut_off_again_says_so(talk: Talk, language: str) -> None:
    """Nobody takes half an answer for the whole, in whichever language the business speaks."""
    conversation = talk(CUT, [TextPiece("nine and"), Ended(Ending.CUT_OFF)], says("No more."), language=language)
    heard = await answer(conversation)
    assert spoken(heard) == f"We open at nine and {cut_short_words(language)}"
    assert outcome(heard) is TurnOutcome.ANSWERED


@pytest.mark.requirement("003-333")
async def test_half_a_sentence_that_is_still_held_is_not_said(talk: Talk) -> None:
    """What is held back until its end comes is released by no cut; the model says it whole."""
    conversation = talk(CUT, says("We open at nine."), guard=lambda *_: Holding())
    assert spoken(await answer(conversation)) == "We open at nine."


@pytest.mark.requirement("003-332")
async def test_half_a_call_is_asked_for_again_and_never_run(talk: Talk) -> None:
    """Nor is one that was whole before the cut: what else was to be called with it nobody knows."""
    whole = [CallPiece(0, "c", "post", '{"key":"a"}'), CallPiece(1, "d", "post", '{"ke'), Ended(Ending.CUT_OFF)]
    conversation = talk(whole, calls(("look", {})), says("There is tea."))
    heard = await answer(conversation)
    assert (spoken(heard), begun) == ("There is tea.", [])
    note = conversation.model.prompts[1].messages[-1]  # type: ignore[attr-defined]
    assert isinstance(note, Noted) and "none of its tool calls was carried out" in note.text


@pytest.mark.requirement("003-333")
async def test_an_answer_that_is_refused_in_the_middle_is_no_whole_answer(talk: Talk) -> None:
    """A filter cuts where it likes; the caller is told what they can have instead."""
    heard = await answer(talk([TextPiece("Well, take two"), Ended(Ending.REFUSED)]))
    assert spoken(heard).startswith("Well, take two I'm sorry, I can't help with that.")
    assert outcome(heard) is TurnOutcome.FAILED


LEAVING = {
    "hang_up": (TurnOutcome.ENDED, "Goodbye."),
    "put_through": (TurnOutcome.TRANSFERRED, "One moment, I'm connecting you."),
}


@pytest.mark.requirement("004-330")
@pytest.mark.parametrize("tool", LEAVING)
async def test_a_call_is_put_through_or_ended_with_a_word_before_it(talk: Talk, tool: str) -> None:
    """A model that only calls the tool would leave the caller in silence, or cut off in the middle."""
    ending, words = LEAVING[tool]
    conversation = talk(calls(("look", {})), calls((tool, {}), ("look", {})))
    heard = await answer(conversation)
    assert (spoken(heard), outcome(heard)) == (words, ending)
    said = next(i for i, event in enumerate(heard) if isinstance(event, Text))
    assert said < next(i for i, event in enumerate(heard) if isinstance(event, Effect)), "before anything is done"
    assert is_well_formed(conversation)


@pytest.mark.requirement("004-330")
@pytest.mark.parametrize("tool", LEAVING)
async def test_who_has_had_a_word_in_this_turn_gets_no_second_one(talk: Talk, tool: str) -> None:
    """The model's own words do, also before an earlier call."""
    heard = await answer(talk(calls(("look", {}), text="Bye then, thank you."), calls((tool, {}))))
    assert spoken(heard) == "Bye then, thank you."


@pytest.mark.requirement("004-330")
async def test_what_an_owner_has_written_is_said_before_their_transfer(talk: Talk) -> None:
    """A transfer tool of an owner's own may say what the caller is told first."""
    heard = await answer(talk(calls(("put_to_rosa", {}), text="Of course.")))
    assert (spoken(heard), outcome(heard)) == ("Of course. Rosa will be with you.", TurnOutcome.TRANSFERRED)


@pytest.mark.requirement("004-330")
async def test_nobody_is_told_that_they_are_connected_when_it_was_refused(talk: Talk) -> None:
    """The word is for a transfer that was accepted; a refused one is the model's to explain."""
    heard = await answer(talk(calls(("put_nowhere", {})), says("Nobody is there now.")))
    assert (spoken(heard), outcome(heard)) == ("Nobody is there now.", TurnOutcome.ANSWERED)


@pytest.mark.requirement("004-330")
@pytest.mark.parametrize(
    ("language", "words"),
    [("de", "Einen Moment, ich verbinde Sie."), ("fr-CA", "Un instant, je vous mets en relation.")],
)
async def test_the_word_is_in_the_language_of_the_business(talk: Talk, language: str, words: str) -> None:
    """As everything else that the house says."""
    assert spoken(await answer(talk(calls(("put_through", {})), language=language))) == words


async def test_a_model_that_only_calls_tools_has_to_speak_in_the_end(talk: Talk) -> None:
    """At the budget it is told so by the pipeline; after the last round it is offered no tools any more."""
    conversation = talk(*[calls(("look", {"word": f"w{i}"})) for i in range(20)])
    heard = await answer(conversation)
    prompts = conversation.model.prompts  # type: ignore[attr-defined]
    assert len(prompts) == turn.MODEL_ROUNDS
    assert prompts[-1].tools == ()
    assert all(p.tools for p in prompts[:-1])
    assert ends_in_a_way_on(spoken(heard))
    assert is_well_formed(conversation)


@pytest.mark.requirement("004-54")
async def test_after_the_end_of_the_call_nothing_more_is_said(talk: Talk) -> None:
    """Seed 004, "Special Tool Behaviors": `{ended: true}` stops further answers, in this turn and in later ones."""
    conversation = talk(calls(("hang_up", {}), ("post", {"key": "late"}), text="Goodbye."), says("Still here?"))
    heard = await answer(conversation)
    assert (spoken(heard), outcome(heard)) == ("Goodbye.", TurnOutcome.ENDED)
    assert any(isinstance(e, Effect) for e in heard)
    assert begun == []
    later = await answer(conversation)
    assert (spoken(later), outcome(later)) == ("", TurnOutcome.ENDED)


async def test_a_tool_may_ask_for_silence_and_tell_the_model_more(talk: Talk) -> None:
    """SUPPRESS_AUDIO shows what follows without speaking it; INJECT_CONTEXT is for the model only."""
    conversation = talk(calls(("whisper", {}), text="Hm."), says("Hello Anna."))
    heard = [event for event in await answer(conversation) if isinstance(event, Text)]
    assert [(t.text, t.is_audible) for t in heard] == [("Hm.", True), (" Hello Anna.", False)]
    told = conversation.model.prompts[1].messages  # type: ignore[attr-defined]
    assert Noted("The caller is called Anna.") in told


@pytest.mark.parametrize(
    "reply", [{"text": "Yes, please."}, {"digits": "1", "text": ""}, {"button": "yes", "text": ""}]
)
async def test_what_needs_a_yes_is_done_after_the_callers_yes(talk: Talk, reply: dict[str, Any]) -> None:
    """Spoken, pressed or clicked; decided outside the model, which is only told what was decided."""
    conversation = talk(calls(("book", {"what": "tea"})), calls(("book", {"what": "tea"})), says("It is booked."))
    asked = [event for event in await answer(conversation) if isinstance(event, QuestionAsked)]
    assert [(a.question, a.turn, a.tool) for a in asked] == [("Book tea?", 1, "book")]
    assert done == []
    question = {"question": asked[0].turn} if "button" in reply else {}
    heard = await answer(conversation, **reply, **question)
    assert done == ["tea"]
    assert spoken(heard) == "It is booked."
    assert conversation.session.receipts[0].words == {"what": "tea"}


async def test_a_no_is_told_to_the_model_and_nothing_is_done(talk: Talk) -> None:
    """Even a model that calls again cannot do what was declined."""
    conversation = talk(calls(("book", {"what": "tea"})), calls(("book", {"what": "tea"})), says("Ok."))
    await answer(conversation)
    heard = await answer(conversation, "No, leave it.")
    assert done == []
    assert any(isinstance(m, Noted) and "declined" in m.text for m in messages(conversation))
    assert outcome(heard) is TurnOutcome.ANSWERED


class NoClaims:
    """Refuses every sentence with "booked" in it."""

    has_left_out = False

    def feed(self, text: str) -> str:
        if "booked" in text:
            raise Unfounded(text, "Nothing has been booked. Say so.")
        return text

    def rest(self, calls: Collection[str] = ()) -> str:
        return ""


async def test_a_claim_without_a_receipt_is_taken_back_before_it_is_heard(talk: Talk) -> None:
    """The model is asked once more, and told what is true."""
    conversation = talk(
        says("Good news. ", "You are booked. ", "Bye."), says("I have not done that yet."), guard=lambda *_: NoClaims()
    )
    heard = await answer(conversation)
    assert spoken(heard) == "Good news. I have not done that yet."
    assert Noted("Nothing has been booked. Say so.") in messages(conversation)


@pytest.mark.requirement("004-1004")
async def test_what_no_call_can_come_of_is_corrected_at_once(talk: Talk) -> None:
    """The caller hears nothing meanwhile: the rest of such an answer is not waited for, be it ever so short."""
    conversation = talk([TextPiece("You are booked. "), asyncio.Event()], says("No."), guard=lambda *_: NoClaims())
    async with asyncio.timeout(30):
        assert spoken(await answer(conversation)) == "No."


@pytest.mark.requirement("004-1004")
async def test_a_look_up_before_what_no_call_can_come_of_is_made(talk: Talk) -> None:
    """It has been asked for already."""
    *looks_up, end = calls(("look", {"word": "tea"}))
    conversation = talk([*looks_up, TextPiece("You are booked. "), end], says("Tea."), guard=lambda *_: NoClaims())
    assert spoken(await answer(conversation)) == "Tea."
    assert conversation.session.tool_context["look"]["said"] == "tea"


async def test_a_model_that_insists_on_a_claim_is_replaced_by_a_safe_sentence(talk: Talk) -> None:
    """One correction is enough; the caller is not kept waiting for a third."""
    conversation = talk(says("You are booked."), says("Really, you are booked."), guard=lambda *_: NoClaims())
    heard = await answer(conversation)
    assert spoken(heard) == "I can't confirm that this has been done. Please call again a little later."


class NoClaimsBeforeCalls(NoClaims):
    def __init__(self, *about: str) -> None:
        self.about = set(about)

    def feed(self, text: str) -> str:
        if "booked" in text:
            raise Unfounded(text, "Nothing has been booked. Say so.", lambda acting: self.about >= set(acting))
        return text


@pytest.mark.requirement("004-1004")
async def test_calls_that_a_held_sentence_is_about_are_made(talk: Talk) -> None:
    """The model hears that the caller has not heard it, and what came of the calls; it says the rest itself."""
    conversation = talk(
        calls(("act", {"what": "a"}), text="You are booked. It was easy. "),
        says("Done."),
        guard=lambda *_: NoClaimsBeforeCalls("act"),
    )
    heard = await answer(conversation)
    assert spoken(heard) == "Done." and len(done) == 1
    (note,) = [m.text for m in messages(conversation) if isinstance(m, Noted) and "You are booked" in m.text]
    assert "has not heard" in note and "were made" in note
    assert [m.has_unheard for m in messages(conversation) if isinstance(m, Spoken)] == [True, False]
    assert is_well_formed(conversation)


@pytest.mark.requirement("004-1004")
async def test_a_call_beside_a_held_sentence_still_waits_for_the_callers_yes(talk: Talk) -> None:
    """The house asks, as for any other call, and nothing is done before."""
    conversation = talk(
        calls(("book", {"what": "a"}), text="You are booked. "), guard=lambda *_: NoClaimsBeforeCalls("book")
    )
    assert spoken(await answer(conversation)) == "Book a?" and not done


@pytest.mark.requirement("004-1004")
async def test_other_calls_beside_a_held_sentence_are_not_made_and_that_is_told(talk: Talk) -> None:
    """A model that says one thing and does another is asked once more."""
    conversation = talk(
        calls(("book", {"what": "a"}), text="You are booked. "),
        says("I have not done that yet."),
        guard=lambda *_: NoClaimsBeforeCalls(),
    )
    heard = await answer(conversation)
    assert spoken(heard) == "I have not done that yet." and not done
    assert Noted("Nothing has been booked. Say so. None of the calls beside it was made.") in messages(conversation)


@pytest.mark.requirement("004-1004")
async def test_a_look_up_beside_a_held_sentence_is_made(talk: Talk) -> None:
    """It changes nothing, and tells what is true."""
    conversation = talk(
        calls(("look", {"word": "tea"}), text="You are booked. "), says("Tea."), guard=lambda *_: NoClaimsBeforeCalls()
    )
    assert spoken(await answer(conversation)) == "Tea."
    assert conversation.session.tool_context["look"]["said"] == "tea"


@pytest.mark.requirement("000-45", "000-46")
async def test_the_session_keeps_what_the_first_seed_names(talk: Talk) -> None:
    """Seed 000, "CallSession Changes": `tool_context`, `tool_history`, `tool_latency_ms`, in its JSON."""
    conversation = talk(calls(("look", {"word": "tea"})), says("Tea."))
    await answer(conversation)
    session = conversation.session
    assert session.tool_context == {"look": {"said": "tea", "business": "salon"}}
    assert session.tool_history == [
        {"type": "tool_call", "tool_name": "look", "arguments": {"word": "tea"}},
        {"type": "tool_result", "tool_name": "look", "result": {"said": "tea", "business": "salon"}},
    ]
    assert len(session.tool_latency_ms) == 1


async def test_vendors_that_repeat_their_call_ids_are_told_apart(talk: Talk) -> None:
    """`call_0` of this answer is not `call_0` of the last one: it is another delivery."""
    conversation = talk(calls(("look", {"word": "a"})), calls(("look", {"word": "b"})), says("Both."))
    finished = [e for e in await answer(conversation) if isinstance(e, ToolFinished)]
    assert [f.response.data["said"] for f in finished if f.response.data] == ["a", "b"]
    assert is_well_formed(conversation)


async def test_two_calls_under_one_id_are_two_calls(talk: Talk) -> None:
    """Some servers give every call of an answer the same id."""
    events = [CallPiece(0, "x", "look", "{}"), CallPiece(1, "x", "look", '{"word":"b"}'), Ended(Ending.CALLS)]
    conversation = talk(events, says("Both."))
    await answer(conversation)
    assert is_well_formed(conversation)
    ids = [c.call_id for m in messages(conversation) if isinstance(m, Spoken) for c in m.calls]
    assert len(set(ids)) == 2


async def test_turns_are_counted_and_follow_each_other(talk: Talk) -> None:
    """The human's turns are what budgets and confirmations count."""
    conversation = talk(says("One."), says("Two."), says("Three."))
    turns = []
    for _ in range(3):
        await answer(conversation)
        turns.append(conversation.session.facts.turn)
    assert all(b == a + 1 for a, b in pairwise(turns))
    assert conversation.notes.saves == 3  # type: ignore[attr-defined]


@pytest.mark.parametrize("error", [KeyError("a mistake of ours"), ToolError(ErrorType.NOT_FOUND, "no such business")])
async def test_a_turn_that_breaks_where_nobody_thought_of_it_still_ends_in_something_said(
    talk: Talk, error: Exception
) -> None:
    """A mistake of ours must not leave the caller listening to nothing."""
    conversation = talk([TextPiece("Well"), error], says("Hello again."))
    heard = await answer(conversation)
    assert outcome(heard) is TurnOutcome.FAILED
    assert ends_in_a_way_on(spoken(heard))
    assert spoken(await answer(conversation)) == "Hello again."


async def test_a_turn_that_breaks_ends_in_the_language_that_was_spoken_before(talk: Talk) -> None:
    """Also where it breaks so early that nobody can be asked which one that is."""
    conversation = talk(says("Hallo."), [TextPiece("Nun"), KeyError("a mistake of ours")])
    parts = conversation._parts

    async def german(facts: Any) -> Any:
        offer = await parts.offer(facts)
        assert offer.business is not None
        return replace(offer, business=replace(offer.business, language="de-AT"))

    conversation._parts = replace(parts, offer=german)
    assert spoken(await answer(conversation)) == "Hallo."
    assert spoken(await answer(conversation)).endswith("Bitte rufen Sie etwas später noch einmal an.")

    async def away(facts: Any) -> Any:
        raise ToolError(ErrorType.NOT_FOUND, "no such business")

    conversation._parts = replace(parts, offer=away)
    assert spoken(await answer(conversation)).endswith("Bitte rufen Sie etwas später noch einmal an.")


PHONE = CHANNEL_POLICY[Channel.PHONE]


def looks(count: int, first: int = 0) -> Any:
    return calls(*(("look", {"word": f"w{n}"}) for n in range(first, first + count)))


def answered_so(conversation: Conversation) -> list[str]:
    found = [m.response.failure for m in messages(conversation) if isinstance(m, ToolMessage)]
    return ["" if failure is None else failure.type.value for failure in found]


@pytest.mark.requirement("003-392")
async def test_what_a_caller_asks_in_one_breath_is_looked_up_in_one_round(talk: Talk) -> None:
    """The price, Saturday's hours and parking: they run side by side, and the caller waits once for all of them."""
    conversation = talk(looks(3), looks(3, 3), says("Here you are."))
    events = await answer(conversation)
    assert answered_so(conversation) == [""] * 6
    assert spoken(events) == "Here you are."
    assert is_well_formed(conversation)


@pytest.mark.requirement("003-392")
async def test_rounds_end_at_the_turns_limit_and_the_refusal_says_how_to_go_on(talk: Talk) -> None:
    """A third round is one wait too many: none of it runs, and the model is told what helps the caller."""
    conversation = talk(looks(2), looks(2, 2), looks(2, 4), says("Here you are."), looks(2, 6), says("Sure."))
    await answer(conversation)
    assert answered_so(conversation) == [""] * 4 + ["BUDGET_EXCEEDED"] * 2
    failure = messages(conversation)[-2].response.failure
    assert "what you have" in failure.message and "next turn has new look-ups" in failure.message
    await answer(conversation, "And the rest?")
    assert answered_so(conversation)[6:] == ["", ""]


@pytest.mark.requirement("003-392")
async def test_of_too_many_look_ups_at_once_the_first_ones_run(talk: Talk) -> None:
    """A generous number, and the model's order."""
    most = PHONE.look_ups_at_once
    conversation = talk(looks(most + 2), says("Here you are."))
    await answer(conversation)
    assert answered_so(conversation) == [""] * most + ["BUDGET_EXCEEDED"] * 2


@pytest.mark.requirement("003-392")
async def test_a_mistake_at_the_head_of_a_round_opens_no_way_round_the_limit(talk: Talk) -> None:
    """A call that is refused is given back; whatever stands behind it is counted in its place."""
    wrong = ("look", {"colour": "red"})
    rounds = [calls(wrong, ("look", {"word": f"w{n}"}), ("look", {"word": f"v{n}"})) for n in range(3)]
    conversation = talk(*rounds, says("Here you are."))
    await answer(conversation)
    assert answered_so(conversation)[:6] == ["VALIDATION", "", ""] * 2
    assert "" not in answered_so(conversation)[6:]


@pytest.mark.requirement("003-392")
async def test_a_look_up_behind_an_action_waits_for_it(talk: Talk) -> None:
    """As the model has ordered them: whoever is verified first may then be looked up. Those before it do not wait."""
    gates.update(a=asyncio.Event(), slow=asyncio.Event(), b=asyncio.Event())
    gates["a"].set(), gates["b"].set()
    conversation = talk(calls(("fetch", {"key": "a"}), ("post", {"key": "slow"}), ("fetch", {"key": "b"})), says("Ok."))
    events = conversation.reply(turn.Utterance("Hello"))
    finished: list[str] = []
    async for event in events:
        if isinstance(event, ToolFinished):
            finished.append(event.call_id)
            if finished == ["call_0"]:
                assert "b" not in begun
                gates["slow"].set()
    assert finished == ["call_0", "call_1", "call_2"]
    assert is_well_formed(conversation)


@pytest.mark.requirement("003-441")
async def test_the_moment_stands_beside_this_turns_words_and_is_the_same_for_all_its_requests(talk: Talk) -> None:
    """Told in the system prompt, it would make every request new to a vendor's cache; in the history, it would grow."""
    conversation = talk(calls(("look_up", {})), says("There is tea."), says("Good-bye."))
    told = iter(["It is 10:04.", "It is 10:05."])
    conversation._parts = replace(conversation._parts, moment=lambda *_: next(told))
    await answer(conversation, "Is there tea?")
    await answer(conversation, "Thanks.")
    first, second, third = (prompt.messages for prompt in conversation.model.prompts)  # type: ignore[attr-defined]
    assert first == [UserMessage("Is there tea?", "It is 10:04.")]
    assert second[0] == first[0] and len(second) > 1
    assert (third[0], third[-1]) == (UserMessage("Is there tea?"), UserMessage("Thanks.", "It is 10:05."))
    assert {prompt.system for prompt in conversation.model.prompts} == {"You are Echo."}  # type: ignore[attr-defined]
    assert all(m.moment == "" for m in messages(conversation) if isinstance(m, UserMessage))
