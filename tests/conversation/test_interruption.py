"""Barge-in: speech and reading stop at once, an action never, and history holds what the caller heard."""

import asyncio
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchboard.contract.call import ToolCall
from switchboard.contract.model import Ended, Ending, Noted, Spoken, TextPiece, ToolMessage, UserMessage
from switchboard.contract.response import ToolResponse
from switchboard.conversation.conversation import Conversation
from switchboard.conversation.event import Event, Text, ToolFinished, ToolStarted, TurnEnded, TurnOutcome
from switchboard.conversation.history import Filler, heard_of
from switchboard.conversation.speech.utterance import Utterance
from tests.conversation.conftest import Talk, answer
from tests.conversation.planted import begun, gates
from tests.conversation.scripted import calls, says
from tests.conversation.test_turn import is_well_formed, messages, outcome, spoken
from tests.each import each
from tests.leisure import limited
from tests.pipeline.planted import done


async def until(conversation: Conversation, wanted: Any) -> tuple[list[Event], Any]:
    """Take events until one is as wanted; return them and the rest."""
    events = conversation.reply(Utterance("Hello"))
    found = []
    async for event in events:
        found.append(event)
        if wanted(event):
            break
    return found, events


async def until_begun(conversation: Conversation, key: str) -> tuple[list[Event], Any]:
    """Take events until a slow tool is at work."""
    found, events = await until(conversation, lambda e: isinstance(e, ToolStarted))
    while key not in begun:
        await asyncio.sleep(0)
    return found, events


async def test_an_interruption_ends_the_turn_at_once_and_history_holds_what_was_heard(talk: Talk) -> None:
    """Wire-formats §2.4: the model goes on from what the caller knows, not from what it meant to say."""
    conversation = talk([TextPiece("We open at nine. "), TextPiece("We close at six."), asyncio.Event()], says("Sure."))
    _, events = await until(conversation, lambda e: e == Text("We close at six."))
    await conversation.interrupt("We open at")
    assert [event async for event in events] == [TurnEnded(TurnOutcome.INTERRUPTED)]
    assert messages(conversation)[:2] == [UserMessage("Hello"), Spoken("We open at")]
    assert conversation.model.closed == 1  # type: ignore[attr-defined]
    await answer(conversation, "And on Sunday?")
    told = conversation.model.prompts[1].messages  # type: ignore[attr-defined]
    assert told[-1] == UserMessage("And on Sunday?")
    assert any(isinstance(m, Noted) and "interrupted" in m.text for m in told)


async def test_an_interrupted_read_is_dropped_and_still_has_its_one_answer(talk: Talk) -> None:
    """Its result would come too late; a history without an answer would be refused by every vendor."""
    gates["slow"] = asyncio.Event()
    conversation = talk(calls(("fetch", {"key": "slow"}), text="Wait."), says("Yes?"))
    _, events = await until_begun(conversation, "slow")
    await conversation.interrupt("Wait.")
    assert outcome([event async for event in events]) is TurnOutcome.INTERRUPTED
    assert spoken(await answer(conversation)) == "Yes?"
    answered = [m for m in messages(conversation) if isinstance(m, ToolMessage)]
    assert len(answered) == 1
    assert answered[0].response.failure is not None
    assert "broken off" in answered[0].response.failure.message
    assert is_well_formed(conversation)


async def test_an_interrupted_action_is_finished_and_its_receipt_is_in_the_next_turn(talk: Talk) -> None:
    """The booking that was under way is made once, and the agent knows of it."""
    gates["slow"] = asyncio.Event()
    conversation = talk(calls(("post", {"key": "slow"})), says("It is done."))
    _, events = await until_begun(conversation, "slow")
    await conversation.interrupt("")
    _ = [event async for event in events]
    assert done == []
    gates["slow"].set()
    heard = await answer(conversation, "Did it work?")
    assert done == ["slow"]
    assert any(isinstance(e, ToolFinished) and e.response.ok for e in heard)
    assert conversation.session.receipts[0].words == {"what": "slow"}
    assert is_well_formed(conversation)


async def test_an_action_that_was_not_begun_is_not_begun_after_an_interruption(talk: Talk) -> None:
    """Of two actions in a row the caller may stop the second."""
    gates.update(one=asyncio.Event(), two=asyncio.Event())
    conversation = talk(calls(("post", {"key": "one"}), ("post", {"key": "two"})), says("Only one."))
    _, events = await until_begun(conversation, "one")
    await conversation.interrupt("")
    _ = [event async for event in events]
    for gate in gates.values():
        gate.set()
    await answer(conversation)
    assert done == ["one"]
    assert is_well_formed(conversation)


async def test_an_action_that_does_not_end_is_reported_as_unknown_once(talk: Talk, monkeypatch: Any) -> None:
    """The model must neither claim it nor repeat it."""
    gates["never"] = asyncio.Event()
    conversation = talk(calls(("post", {"key": "never"})), says("I am on it."))
    _, events = await until_begun(conversation, "never")
    limited(monkeypatch, action_deadline_ms=20)
    await conversation.interrupt("")
    _ = [event async for event in events]
    await answer(conversation)
    answers = [m for m in messages(conversation) if isinstance(m, ToolMessage)]
    assert len(answers) == 1
    assert answers[0].response.failure is not None
    assert answers[0].response.failure.partial_side_effects


async def test_speaking_while_a_turn_is_answered_interrupts_it(talk: Talk) -> None:
    """A channel that only sends turns needs to know nothing about interruptions."""
    conversation = talk([TextPiece("Well"), asyncio.Event()], says("Yes?"))
    _, events = await until(conversation, lambda e: isinstance(e, Text))
    assert spoken(await answer(conversation, "Hello?")) == "Yes?"
    assert outcome([event async for event in events]) is TurnOutcome.INTERRUPTED


async def test_a_channel_that_goes_away_breaks_the_turn_off(talk: Talk) -> None:
    """Closing the events is hanging up in the middle of a sentence."""
    conversation = talk([TextPiece("Well"), asyncio.Event()])
    _, events = await until(conversation, lambda e: isinstance(e, Text))
    await events.aclose()
    assert conversation.model.closed == 1  # type: ignore[attr-defined]
    assert conversation.notes.saves == 1  # type: ignore[attr-defined]


@pytest.mark.parametrize("heard", [None, "Hello."])
async def test_an_interruption_between_turns_changes_nothing_where_all_was_heard(talk: Talk, heard: str | None) -> None:
    """Twilio may report one when everything has been said."""
    conversation = talk(says("Hello."))
    await answer(conversation)
    before = list(messages(conversation))
    await conversation.interrupt(heard)
    assert messages(conversation) == before


async def test_what_was_said_faster_than_it_was_heard_is_taken_back(talk: Talk) -> None:
    """Wire-formats §2.4: a whole answer is made in a second, and spoken for ten."""
    conversation = talk(says("We open at nine. ", "We close at six."), says("Sure."))
    await answer(conversation)
    await conversation.interrupt("We open at")
    assert messages(conversation)[1] == Spoken("We open at")
    await answer(conversation, "And on Sunday?")
    told = conversation.model.prompts[1].messages  # type: ignore[attr-defined]
    assert any(isinstance(m, Noted) and "interrupted" in m.text for m in told)


@pytest.mark.parametrize(("heard", "is_done"), [("Bo", False), ("Book lun", False), ("Book lunch", True)])
async def test_a_yes_to_a_question_that_was_not_heard_is_none(talk: Talk, heard: str, is_done: bool) -> None:
    """Whoever spoke into it is asked again, at once; then the yes counts."""
    wish = ("book", {"what": "lunch"})
    conversation = talk(calls(wish), calls(wish), says("Done."))
    await answer(conversation, "Lunch")
    await conversation.interrupt(heard)
    again = await answer(conversation, "Yes")
    assert (done == ["lunch"]) is is_done
    if not is_done:
        assert spoken(again) == "Book lunch?"
        await answer(conversation, "Yes")
    assert done == ["lunch"]


async def test_a_click_below_a_question_counts_also_where_it_was_not_heard(talk: Talk) -> None:
    """It was read."""
    wish = ("book", {"what": "lunch"})
    conversation = talk(calls(wish), calls(wish), says("Well."))
    await answer(conversation, "Lunch")
    await conversation.interrupt("Bo")
    await answer(conversation, "", button="yes", question=1)
    assert done == ["lunch"]


async def test_closing_waits_for_actions_and_writes_everything_down(talk: Talk) -> None:
    """The caller hangs up while the booking is made: the record shows that it was."""
    gates["slow"] = asyncio.Event()
    conversation = talk(calls(("post", {"key": "slow"})), says("Never said."))
    _, _ = await until_begun(conversation, "slow")
    asyncio.get_running_loop().call_soon(gates["slow"].set)
    await conversation.close()
    assert done == ["slow"]
    assert conversation.session.receipts
    assert is_well_formed(conversation)


async def test_what_was_said_and_stopped_within_an_answer_stays(talk: Talk) -> None:
    """Without word from the channel, everything that was said counts as heard."""
    conversation = talk([TextPiece("One. "), TextPiece("Two."), asyncio.Event()], [Ended(Ending.STOPPED)] * 2)
    _, events = await until(conversation, lambda e: e == Text("Two."))
    await conversation.interrupt(None)
    _ = [event async for event in events]
    assert Spoken("One. Two.") in messages(conversation)


WORDS = st.lists(st.text("abc .", max_size=12), min_size=1, max_size=4)


@given(WORDS, st.data())
def test_what_was_heard_is_a_beginning_of_what_was_said(texts: list[str], data: st.DataObject) -> None:
    """However blanks are told; fillers in between do not matter."""
    letters = "".join("".join(texts).split())
    count = data.draw(st.integers(0, len(letters)))
    found = heard_of(texts, " ".join(letters[:count]))
    assert "".join("".join(found).split()) == letters[:count]
    assert all(text.startswith(part) for text, part in zip(texts, found, strict=True))


def test_a_filler_that_was_heard_in_between_is_no_part_of_the_answer() -> None:
    """The channel tells what it played, fillers included."""
    assert heard_of(["Sure.", " Here it is."], "Sure. One moment. Here it") == ["Sure.", " Here it"]


ANSWER = ["We open at nine on weekdays. ", "On Saturday we open at ten. ", "Would you like to come by?"]
PIECES = {
    "On Saturday we open": "We open at nine on weekdays. On Saturday we open",
    "Would you like to come by?": "".join(ANSWER),
    "Would": "We open at nine on weekdays. On Saturday we open at ten. Would",
    "would you like": "We open at nine on weekdays. On Saturday we open at ten. Would you like",
    "We open at": "We open at",
    "We open at nine on weekdays. On Sat": "We open at nine on weekdays. On Sat",
    "": "",
}


@pytest.mark.requirement("000-390")
@each("heard", PIECES)
@each("is_over", [True, False])
async def test_the_piece_that_was_being_played_tells_that_all_before_it_was_heard(
    talk: Talk, heard: str, is_over: bool
) -> None:
    """Relays tell either all that was played or its last piece: eighteen words that were heard must not be lost."""
    pieces = [TextPiece(piece) for piece in ANSWER]
    conversation = talk([*pieces, Ended(Ending.STOPPED) if is_over else asyncio.Event()], says("Sure."))
    _, events = await until(conversation, lambda e: e == Text(ANSWER[-1]))
    if is_over:
        _ = [event async for event in events]
    await conversation.interrupt(heard)
    assert [m.text.rstrip() for m in messages(conversation) if isinstance(m, Spoken)] == [PIECES[heard]]
    await answer(conversation)


@pytest.mark.requirement("000-390")
async def test_a_question_whose_last_piece_was_heard_was_heard(talk: Talk) -> None:
    """Also where only that piece is told; and half of it is not the whole."""
    wish = ("book", {"what": "lunch"})
    for heard, is_done in (("lunch?", True), ("lun", False)):
        done.clear()
        conversation = talk(calls(wish), calls(wish), says("Done."))
        await answer(conversation, "Lunch")
        await conversation.interrupt(heard)
        await answer(conversation, "Yes")
        assert (done == ["lunch"]) is is_done


@pytest.mark.requirement("000-390")
def test_what_bridged_a_wait_is_told_apart_from_the_answer() -> None:
    """It stands between words of the answer in what was played, and may say the same."""
    fillers = [Filler(len("Sure."), "One moment.")]
    texts = ["Sure.", " One moment of your time."]
    assert heard_of(texts, "Sure. One mom", fillers) == ["Sure.", ""]
    assert heard_of(texts, "Sure. One moment. One moment of", fillers) == ["Sure.", " One moment of"]
    assert heard_of(texts, "One moment. One", fillers) == ["Sure.", " One"]


async def test_what_a_channel_has_not_passed_on_was_not_heard(talk: Talk) -> None:
    """A caller who speaks into an answer, and a relay that says nothing of it: words are made faster than sent."""
    conversation = talk([TextPiece("We open at nine. "), TextPiece("We close at six."), asyncio.Event()], says("Sure."))
    await until(conversation, lambda e: e == Text("We close at six."))
    await conversation.interrupt(None, sent="We open at nine. ")
    assert messages(conversation)[1] == Spoken("We open at nine.")
    await answer(conversation)


@pytest.mark.requirement("003-391")
async def test_a_result_stands_behind_its_call_whatever_is_noted_in_between(talk: Talk) -> None:
    """`verify_caller` leaves a note beside another call, and results may come long after an interruption."""
    conversation = talk(says("Hi."))
    history = conversation.session.history
    first, second = ToolCall("fetch", "{}", "a"), ToolCall("fetch", "{}", "b")
    history.heard("Hello")
    history.add(Spoken("Wait.", (first, second)))
    history.add(ToolMessage("a", "fetch", ToolResponse(data={})))
    history.add(Noted("The caller is Ann."))
    history.heard("And?")
    history.add(Spoken("Well."))
    history.add(ToolMessage("b", "fetch", ToolResponse(data={})))
    kinds = [type(message) for message in history.messages]
    assert kinds == [UserMessage, Spoken, ToolMessage, ToolMessage, Noted, UserMessage, Spoken]
    assert history.last_spoken == "Well."


@pytest.mark.requirement("004-990")
async def test_whoever_leaves_late_breaks_off_nothing_but_their_own_turn(talk: Talk) -> None:
    """A stream that is cut, or closed, when the next turn is being answered leaves that one alone."""
    conversation = talk([TextPiece("One"), asyncio.Event()], says("Two."))
    first = Utterance("First")
    cut = conversation.reply(first)
    assert await anext(cut) == Text("One")
    second = conversation.reply(Utterance("Second"))
    heard = [await anext(second)]
    await conversation.leave(first)
    await cut.aclose()  # type: ignore[attr-defined]
    heard += [event async for event in second]
    assert (spoken(heard), outcome(heard)) == ("Two.", TurnOutcome.ANSWERED)


@pytest.mark.requirement("004-991")
@pytest.mark.parametrize("leaves", [True, False])
async def test_what_was_done_and_not_said_is_said_to_whoever_left_and_noted_for_whoever_speaks(
    talk: Talk, leaves: bool
) -> None:
    """Who left is told by the house; who interrupted by speaking is told by the model, which is told to."""
    gates["slow"] = asyncio.Event()
    conversation = talk(calls(("post", {"key": "slow"})), says("Yes."))
    _, events = await until_begun(conversation, "slow")
    await (conversation.leave() if leaves else conversation.interrupt(None))
    _ = [event async for event in events]
    gates["slow"].set()
    assert spoken(await answer(conversation, "Did it work?")) == ("Done: post. Yes." if leaves else "Yes.")
    noted = [m.text for m in messages(conversation) if isinstance(m, Noted)]
    assert any("the caller has not been told" in text for text in noted) is not leaves
    assert is_well_formed(conversation)


@pytest.mark.requirement("004-991")
async def test_what_was_done_just_before_an_interruption_is_noted_as_not_told(talk: Talk) -> None:
    """Its result stands in the history already, and no word of it was said."""
    gates["k"] = asyncio.Event()
    gates["k"].set()
    conversation = talk(calls(("post", {"key": "k"})), [asyncio.Event()], says("Yes."))
    _, events = await until(conversation, lambda e: isinstance(e, ToolFinished))
    while len(conversation.model.prompts) < 2:  # type: ignore[attr-defined]
        await asyncio.sleep(0)
    await conversation.interrupt(None)
    _ = [event async for event in events]
    await answer(conversation, "Did it work?")
    noted = [m.text for m in messages(conversation) if isinstance(m, Noted)]
    assert sum("the caller has not been told" in text for text in noted) == 1


@pytest.mark.requirement("004-2445")
async def test_of_two_calls_of_one_tool_that_were_carried_out_both_are_noted(talk: Talk) -> None:
    """By what each has done: whoever reads of one would call the other again."""
    for key in ("mum", "son"):
        gates[key] = asyncio.Event()
        gates[key].set()
    conversation = talk(calls(("post", {"key": "mum"}), ("post", {"key": "son"})), [asyncio.Event()], says("Yes."))
    _, events = await until(conversation, lambda e: isinstance(e, ToolFinished))
    while len(conversation.model.prompts) < 2:  # type: ignore[attr-defined]
        await asyncio.sleep(0)
    await conversation.interrupt(None)
    _ = [event async for event in events]
    await answer(conversation, "Did it work?")
    (note,) = [m.text for m in messages(conversation) if isinstance(m, Noted) and "not been told" in m.text]
    assert "post (mum); post (son)" in note and "each was carried out" in note


@pytest.mark.requirement("004-991")
@pytest.mark.parametrize("leaves", [True, False])
async def test_an_action_under_way_is_told_to_whoever_spoke_twice_while_it_ran(talk: Talk, leaves: bool) -> None:
    """The turn that waited for it was broken off as well; the one after it waits on, and knows who was cut off."""
    gates["slow"] = asyncio.Event()
    conversation = talk(calls(("post", {"key": "slow"})), says("Yes."))
    await until_begun(conversation, "slow")
    await (conversation.leave() if leaves else conversation.interrupt(None))
    await _waits_for_what_is_under_way(conversation)
    last = asyncio.create_task(answer(conversation, "Are you there?"))
    await asyncio.sleep(0.01)
    gates["slow"].set()
    heard = await last
    assert spoken(heard) == ("Done: post. Yes." if leaves else "Yes.")
    assert any(isinstance(e, ToolFinished) and e.response.ok for e in heard)
    assert [m.response.ok for m in messages(conversation) if isinstance(m, ToolMessage)] == [True]
    assert [receipt.words for receipt in conversation.session.receipts] == [{"what": "slow"}]
    noted = [m.text for m in messages(conversation) if isinstance(m, Noted)]
    assert sum("the caller has not been told" in text for text in noted) == (not leaves)
    assert is_well_formed(conversation)


@pytest.mark.requirement("004-991")
async def test_an_action_under_way_is_written_down_where_the_call_ends_while_a_turn_waits_for_it(talk: Talk) -> None:
    """Whoever asks whether it works, and hangs up, has it in the record."""
    gates["slow"] = asyncio.Event()
    conversation = talk(calls(("post", {"key": "slow"})), says("Never said."))
    await until_begun(conversation, "slow")
    await _waits_for_what_is_under_way(conversation)
    asyncio.get_running_loop().call_later(0.01, gates["slow"].set)
    await conversation.close()
    assert [receipt.words for receipt in conversation.session.receipts] == [{"what": "slow"}]
    assert is_well_formed(conversation)


@pytest.mark.requirement("004-991")
@pytest.mark.parametrize("closes", [True, False])
async def test_what_two_wait_for_is_told_by_one_of_them(talk: Talk, closes: bool) -> None:
    """A caller who was cut off is greeted again while the call is closed, or while the next turn has begun."""
    gates["slow"] = asyncio.Event()
    conversation = talk(calls(("post", {"key": "slow"})), says("Yes."))
    await until_begun(conversation, "slow")
    greeted = asyncio.create_task(conversation.cut_off(60.0))
    await asyncio.sleep(0.01)
    other = asyncio.create_task(conversation.close() if closes else answer(conversation))  # type: ignore[arg-type]
    await asyncio.sleep(0.01)
    gates["slow"].set()
    words, heard = await asyncio.gather(greeted, other)
    assert (words, closes or spoken(heard)) == ("Done: post.", closes or "Yes.")  # type: ignore[arg-type]
    assert [m.response.ok for m in messages(conversation) if isinstance(m, ToolMessage)] == [True]
    assert [receipt.words for receipt in conversation.session.receipts] == [{"what": "slow"}]
    assert is_well_formed(conversation)


@pytest.mark.requirement("004-991")
async def test_nobody_is_greeted_with_what_the_end_of_the_call_has_taken(talk: Talk, monkeypatch: Any) -> None:
    """The carrier says that the call is over while its caller is still waited for; that is no failure."""
    gates["slow"] = asyncio.Event()
    conversation = talk(calls(("post", {"key": "slow"})), says("Never said."))
    await until_begun(conversation, "slow")
    greeted = asyncio.create_task(conversation.cut_off(60.0))
    await asyncio.sleep(0.01)
    limited(monkeypatch, action_deadline_ms=20)
    await conversation.close()
    gates["slow"].set()
    assert await greeted == ""
    assert len([m for m in messages(conversation) if isinstance(m, ToolMessage)]) == 1
    assert is_well_formed(conversation)


async def _waits_for_what_is_under_way(conversation: Conversation) -> None:
    """Begin a turn, and let it wait for the action that an earlier one has begun."""
    waiting = asyncio.create_task(answer(conversation, "Hello?"))
    await asyncio.sleep(0.01)
    assert not waiting.done()
