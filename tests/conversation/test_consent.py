"""Who asks for a yes, and what a yes is to: Switchboard's own question, last in its turn, and heard to its end."""

from typing import Any

import pytest

from switchboard.contract.channel import Channel
from switchboard.contract.error import ErrorType
from switchboard.contract.model import Ended, Ending, ModelError, Noted, Spoken, TextPiece, ToolMessage
from switchboard.conversation.event import QuestionAsked, Text, ToolStarted
from switchboard.conversation.speech.utterance import Utterance
from tests.conversation.conftest import Talk, answer
from tests.conversation.scripted import calls, says
from tests.conversation.test_turn import NoClaims, spoken
from tests.each import each
from tests.models.vendors import bodies
from tests.pipeline.planted import done

pytestmark = pytest.mark.requirement("003-170")
WISH = ("book", {"what": "lunch"})
OWN = "Would you like me to text you our address?"


@pytest.mark.parametrize("channel", Channel)
async def test_the_question_is_the_last_thing_of_its_turn_and_the_models_words_after_it_are_not_said(
    talk: Talk, channel: Channel
) -> None:
    """Whatever a model would have said then is never asked of it."""
    conversation = talk(calls(WISH, text="Certainly."), calls(WISH), says("Done."), channel=channel)
    heard = await answer(conversation, "Lunch")
    assert spoken(heard) == "Certainly. Book lunch?"
    assert [e.question for e in heard if isinstance(e, QuestionAsked)] == ["Book lunch?"]
    assert done == []
    # What the model would have said next is its second answer, which it gives in the next turn.
    await answer(conversation, "Yes please.")
    assert done == ["lunch"]


@pytest.mark.parametrize("channel", Channel)
async def test_a_yes_after_the_models_own_question_does_nothing(talk: Talk, channel: Channel) -> None:
    """The caller declined ours; the model asks something else and then calls the tool all the same."""
    conversation = talk(calls(WISH), says(OWN), calls(WISH), calls(WISH), says("Done."), channel=channel)
    await answer(conversation, "Lunch")
    assert spoken(await answer(conversation, "No.")) == OWN
    assert spoken(await answer(conversation, "Yes please.")) == "Book lunch?"
    assert done == []
    await answer(conversation, "Yes please.")
    assert done == ["lunch"]


@pytest.mark.parametrize("words", [says(OWN), says(""), [ModelError("away")]])
async def test_an_unclear_answer_has_the_question_asked_last_whatever_the_model_says(talk: Talk, words: Any) -> None:
    """Another question of the model's is not said before it, and no safe sentence behind it."""
    conversation = talk(calls(WISH), words, says(""), calls(WISH), says("Done."))
    await answer(conversation, "Lunch")
    assert spoken(await answer(conversation, "What did you say?")).strip() == "Book lunch?"


async def test_a_statement_stands_before_the_question_that_is_asked_again(talk: Talk) -> None:
    """The caller's own question is answered."""
    conversation = talk(calls(WISH), says("It is at noon."), calls(WISH), says("Done."))
    await answer(conversation, "Lunch")
    assert spoken(await answer(conversation, "When is that?")) == "It is at noon. Book lunch?"
    await answer(conversation, "Yes, go ahead.")
    assert done == ["lunch"]


@pytest.mark.parametrize(
    "broken",
    [
        says("It is at noon, I think. ", "And you are booked."),
        [TextPiece("It is at noon, and also"), Ended(Ending.CUT_OFF)],
    ],
)
async def test_of_an_answer_that_was_taken_back_nothing_stands_before_the_question(talk: Talk, broken: Any) -> None:
    """None of it was said, and the model was told so: what it says instead is all that is heard."""
    answers = (calls(WISH), broken, says("It is at noon."), calls(WISH), says("Done."))
    conversation = talk(*answers, guard=lambda *_: NoClaims())
    await answer(conversation, "Lunch")
    assert spoken(await answer(conversation, "When is that?")) == "It is at noon. Book lunch?"


async def test_a_yes_with_a_change_is_a_new_wish(talk: Talk) -> None:
    """The new wish has a question of its own."""
    conversation = talk(
        calls(WISH), calls(("book", {"what": "dinner"})), calls(("book", {"what": "dinner"})), says("Ok.")
    )
    await answer(conversation, "Lunch")
    assert spoken(await answer(conversation, "Yes, but dinner")) == "Book dinner?"
    assert done == []
    await answer(conversation, "Yes.")
    assert done == ["dinner"]


async def test_what_is_said_to_the_caller_in_between_closes_the_question(talk: Talk) -> None:
    """As when the line was cut off for a moment, or nobody spoke."""
    conversation = talk(calls(WISH), calls(WISH), calls(WISH), says("Done."))
    await answer(conversation, "Lunch")
    conversation.greet("Are you still there?")
    # The yes is to that, so that the model's call is asked about anew.
    assert spoken(await answer(conversation, "Yes.")) == "Book lunch?"
    assert done == []
    await answer(conversation, "Yes.")
    assert done == ["lunch"]


@each("heard", ["", "Book", "Book lun"])
async def test_a_question_that_was_not_played_to_its_end_is_asked_again(talk: Talk, heard: str) -> None:
    """In the same words, without the model."""
    done.clear()
    conversation = talk(calls(WISH))
    await answer(conversation, "Lunch")
    await conversation.interrupt(heard)
    again = await answer(conversation, "Yes")
    assert [e.text for e in again if isinstance(e, Text)] == ["Book lunch?"]
    assert done == []


@pytest.mark.requirement("004-121")
@pytest.mark.parametrize("channel", Channel)
@pytest.mark.parametrize(
    "before",
    [
        "If you want to keep it, please answer yes. ",
        "Just say yes to hear our hours. ",
        "Wenn Sie ihn behalten wollen, sagen Sie bitte Ja. ",
        "Would you like a coffee? ",
        "I would never do this: ",
    ],
)
async def test_a_yes_to_what_the_model_said_before_the_question_is_none(
    talk: Talk, channel: Channel, before: str
) -> None:
    """What was said cannot be taken back; the question is put once more, and alone."""
    conversation = talk(calls(WISH, text=before), says("Fine."), calls(WISH), says("Done."), channel=channel)
    await answer(conversation, "Lunch")
    assert spoken(await answer(conversation, "Yes.")).endswith("Book lunch?")
    assert done == []
    await answer(conversation, "Yes.")
    assert done == ["lunch"]


@pytest.mark.parametrize("before", ["Certainly. ", "Yes, of course. ", "Sure, no problem, I'll do that. "])
async def test_ordinary_words_before_the_question_cost_no_second_one(talk: Talk, before: str) -> None:
    """As models say them before a call."""
    conversation = talk(calls(WISH, text=before), calls(WISH), says("Done."))
    await answer(conversation, "Lunch")
    await answer(conversation, "Yes.")
    assert done == ["lunch"]


@pytest.mark.requirement("003-191")
@pytest.mark.parametrize("channel", Channel)
async def test_a_question_that_lapsed_is_told_to_the_model(talk: Talk, channel: Channel) -> None:
    """Else it waits for an answer to a question that stands no longer, or believes that it was declined."""
    conversation = talk(calls(WISH), says("Hm."), says("So."), says("Well."), channel=channel)
    await answer(conversation, "Lunch")
    await answer(conversation, "What did you say?")
    await answer(conversation, "Oh well")
    assert [n for n in noted(conversation) if "stands no longer" in n] == []
    await answer(conversation, "And how is the weather?")
    assert [n for n in noted(conversation) if "book stands no longer" in n and "nothing was done" in n] != []
    assert done == []


@pytest.mark.requirement("003-191")
async def test_a_try_that_waits_for_a_yes_is_not_said_to_be_under_way(talk: Talk) -> None:
    """The page shows "I'm booking that" only when there is a yes to it."""
    conversation = talk(calls(WISH), calls(WISH), says("Done."), channel=Channel.PORTAL)
    tried = [e.label for e in await answer(conversation, "Lunch") if isinstance(e, ToolStarted)]
    agreed = [e.label for e in await answer(conversation, "Yes please.") if isinstance(e, ToolStarted)]
    assert (tried, agreed) == ([""], ["I'm booking that."])


def noted(conversation: Any) -> list[str]:
    """What the model was told between the lines."""
    return [m.text for m in conversation.session.history.messages if isinstance(m, Noted)]


@pytest.mark.requirement("003-421")
@pytest.mark.parametrize("channel", Channel)
@pytest.mark.parametrize("by", ["words", "button"])
async def test_two_wishes_of_one_answer_are_one_question_and_one_yes(talk: Talk, channel: Channel, by: str) -> None:
    """Asked one after the other, the caller hangs up; each is done once."""
    wishes = [("book", {"what": what}) for what in ("lunch", "dinner")]
    conversation = talk(calls(*wishes), calls(*wishes), says("Both are booked."), channel=channel)
    heard = await answer(conversation, "Lunch and dinner")
    question = "Book lunch? Book dinner? Shall I do both?"
    assert spoken(heard) == question
    [asked] = [event for event in heard if isinstance(event, QuestionAsked)]
    said = Utterance("Yes, both please.") if by == "words" else Utterance(button="yes", question=asked.turn)
    assert spoken([event async for event in conversation.reply(said)]) == "Both are booked."
    assert done == ["lunch", "dinner"]
    assert any("agreed to all of it" in note and "book, book" in note for note in noted(conversation))


@pytest.mark.requirement("003-421")
@pytest.mark.parametrize("words", ["Only lunch.", "Yes, but not dinner", "Yes, lunch", "Yes, the first"])
async def test_a_part_of_what_was_asked_is_a_wish_of_its_own(talk: Talk, words: str) -> None:
    """Nothing is done; the model calls what was meant, and the caller is asked about that alone."""
    wishes = [("book", {"what": what}) for what in ("lunch", "dinner")]
    conversation = talk(calls(*wishes), calls(WISH), calls(WISH), says("Done."))
    await answer(conversation, "Lunch and dinner")
    assert spoken(await answer(conversation, words)) == "Book lunch?"
    assert done == []
    await answer(conversation, "Yes, lunch.")
    assert done == ["lunch"]


@pytest.mark.requirement("003-421")
async def test_a_joint_question_that_nothing_clear_is_said_to_is_asked_once_more(talk: Talk) -> None:
    """The same one; then a yes to it counts for all of it."""
    wishes = [("book", {"what": what}) for what in ("lunch", "dinner")]
    conversation = talk(calls(*wishes), says("For two?"), calls(*wishes), says("Done."))
    await answer(conversation, "Lunch and dinner")
    assert (
        spoken(await answer(conversation, "Hm, what was that?")).strip() == "Book lunch? Book dinner? Shall I do both?"
    )
    await answer(conversation, "Yes, both.")
    assert done == ["lunch", "dinner"]


@pytest.mark.parametrize(
    "before", ["I just need one clear yes from you before I do that.", "To keep it, say yes.", "It is at noon and then"]
)
async def test_words_that_would_void_the_yes_are_not_said_before_the_question(talk: Talk, before: str) -> None:
    """A caller who says yes, and is asked again and again, hangs up."""
    conversation = talk(calls(WISH), says(before), calls(WISH), says("Done."))
    await answer(conversation, "Lunch")
    assert spoken(await answer(conversation, "That was loud here.")).strip() == "Book lunch?"
    await answer(conversation, "Yes.")
    assert done == ["lunch"]


@pytest.mark.parametrize(
    ("told", "heard", "reason"),
    [
        ("It costs 20 euros. Just say yes to go on.", "It costs 20 euros.", "speaks of an answer"),
        ("I just need a yes. Parking is free.", "Parking is free.", "speaks of an answer"),
        ("It costs 20 euros. Is that all right?", "It costs 20 euros.", "asks"),
        ("It costs 20 euros. And then", "It costs 20 euros.", "breaks off"),
        ("I will not book it. It costs 20 euros.", "It costs 20 euros.", "denies it"),
        ("To see Dr. Smith, say yes. Parking is free.", "Parking is free.", "speaks of an answer"),
    ],
)
async def test_of_words_before_the_question_only_what_would_void_the_yes_is_left_out_and_logged(
    talk: Talk, caplog: pytest.LogCaptureFixture, told: str, heard: str, reason: str
) -> None:
    """What the caller wanted to know is answered all the same, and a yes then counts."""
    caplog.set_level("INFO", logger="switchboard.conversation.speech.done_words")
    conversation = talk(calls(WISH), says(told), calls(WISH), says("Done."))
    await answer(conversation, "Lunch")
    assert spoken(await answer(conversation, "What does it cost?")) == f"{heard} Book lunch?"
    left_out = [r for r in caplog.records if r.name == "switchboard.conversation.speech.done_words"]
    assert [record.reason for record in left_out] == [reason]  # type: ignore[attr-defined]
    await answer(conversation, "Yes.")
    assert done == ["lunch"]


async def test_a_model_may_say_what_it_cannot_say_before_the_question(talk: Talk) -> None:
    """To speak of oneself asks for no answer; words that were kept back for it made callers ask the same again."""
    told = "I can't see whether you have used it, so I can't say for certain."
    conversation = talk(calls(WISH), says(told), calls(WISH), says("Done."))
    await answer(conversation, "Lunch")
    assert spoken(await answer(conversation, "Is that the free one?")) == f"{told} Book lunch?"
    await answer(conversation, "Yes.")
    assert done == ["lunch"]


@pytest.mark.requirement("004-613")
@pytest.mark.parametrize("channel", Channel)
async def test_where_the_house_asks_the_model_is_told_that_it_does_and_not_to_ask(talk: Talk, channel: Channel) -> None:
    """What a model on another platform is told, to say the question itself, nobody here takes for its task."""
    conversation = talk(calls(WISH), calls(WISH), says("Done."), channel=channel)
    await answer(conversation, "Lunch")
    await answer(conversation, "Yes please.")
    messages = conversation.model.prompts[1].messages  # type: ignore[attr-defined]
    (refused,) = [m.response.failure for m in messages if isinstance(m, ToolMessage) and not m.response.ok]
    assert refused.type is ErrorType.CONFIRMATION_REQUIRED
    assert "The house asks them" in refused.message and "Do not ask" in refused.message
    assert "the next one tells you" in refused.message
    assert not any(word in refused.message for word in ("Say exactly", "call book again", "Book lunch?"))
    # The question stands in what was said, once.
    assert [m.text for m in messages if isinstance(m, Spoken) and "Book lunch?" in m.text] == ["Book lunch?"]


@pytest.mark.requirement("004-613")
async def test_no_vendor_is_told_a_turn_of_the_agents_that_begins_with_a_blank(talk: Talk) -> None:
    """Where it is spoken one keeps the sentences apart; in the history each stands by itself."""
    conversation = talk(calls(WISH, text="Certainly."), calls(WISH), says("Done."))
    assert spoken(await answer(conversation, "Lunch")) == "Certainly. Book lunch?"
    await answer(conversation, "Yes please.")
    openai, *_ = bodies(conversation.model.prompts[1].messages).values()  # type: ignore[attr-defined]
    said = [m["content"] for m in openai["messages"] if m["role"] == "assistant" and m["content"]]
    assert said == ["Certainly.", "Book lunch?"]
