"""A question that was asked at one instance and is answered at another: the model there sees what it was about."""

from collections.abc import Iterable
from dataclasses import replace

import pytest

from switchboard.contract.call import ToolCall
from switchboard.contract.error import ErrorType
from switchboard.contract.model import Message, Noted, Spoken, ToolMessage, UserMessage
from switchboard.contract.response import Failure, ToolResponse
from switchboard.conversation.asked_question import AskedQuestion, calls_asked_about
from switchboard.conversation.held_conversations import Conversations
from switchboard.models.rehearsal.model import Rehearsal
from tests.conversation.conftest import answer
from tests.conversation.record.test_interactions import Office, office
from tests.conversation.scripted import calls, says
from tests.conversation.test_conversations import FACTS, parts
from tests.conversation.test_turn import spoken
from tests.pipeline.conftest import PATHS
from tests.pipeline.planted import done

__all__ = ["office"]
pytestmark = pytest.mark.requirement("004-2203")
WISH = ("book", {"what": "lunch"})


@pytest.fixture(autouse=True)
def nothing_done() -> None:
    """Start with no effects."""
    done.clear()


async def at(office: Office, *answers: object) -> Conversations:
    """Return conversations as an instance holds them that has just been started."""
    return Conversations(parts(office, *answers), office.interactions)


async def asked(office: Office, *wishes: object) -> None:
    """Have somebody asked, at an instance that is heard of no more."""
    await answer(await (await at(office, calls(*wishes))).open(FACTS), "Lunch")


def of_calls(messages: Iterable[Message]) -> list[tuple[str, object]]:
    return [(call.name, call.arguments) for m in messages if isinstance(m, Spoken) for call in m.calls]


async def test_the_model_there_sees_the_call_with_its_arguments_before_the_question(office: Office) -> None:
    """As where it was made: the call, that it waits, the question, the yes, and what to do."""
    await asked(office, WISH)
    there = await at(office, calls(WISH), says("It is booked."))
    assert spoken(await answer(await there.open(FACTS), "Yes")) == "It is booked."
    told = there._parts.model.prompts[0].messages  # type: ignore[attr-defined]
    heard, made, waits, question, yes, note = told
    assert (heard, question, yes) == (UserMessage("Lunch"), Spoken("Book lunch?"), UserMessage("Yes"))
    assert of_calls([made]) == [("book", '{"what":"lunch"}')]
    assert waits.response.failure.type is ErrorType.CONFIRMATION_REQUIRED
    assert isinstance(note, Noted) and "exactly the same arguments" in note.text
    assert done == ["lunch"]


async def test_the_rehearsal_there_makes_the_call_that_was_agreed_to(office: Office) -> None:
    """It reads the messages alone."""
    await asked(office, WISH)
    there = replace(parts(office), model=Rehearsal(office.clock))
    await answer(await Conversations(there, office.interactions).open(FACTS), "Yes")
    assert done == ["lunch"]


async def test_of_a_joint_question_every_call_is_there(office: Office) -> None:
    """In their order."""
    await asked(office, WISH, ("book", {"what": "dinner"}))
    session = (await (await at(office)).open(FACTS)).session
    assert of_calls(session.history.messages) == [("book", '{"what":"lunch"}'), ("book", '{"what":"dinner"}')]
    assert not session.history.unanswered()


async def test_a_question_that_was_asked_again_keeps_its_calls(office: Office) -> None:
    """The model made none in the turn in which it was."""
    here = await (await at(office, calls(WISH), says("Well."))).open(FACTS)
    await answer(here, "Lunch")
    await answer(here, "Hm, what was that?")
    session = (await (await at(office)).open(FACTS)).session
    assert of_calls(session.history.messages) == [("book", '{"what":"lunch"}')]


async def test_what_was_answered_is_in_the_record_no_more(office: Office) -> None:
    """Nor in what is told from it."""
    here = await (await at(office, calls(WISH), says("As you like."))).open(FACTS)
    await answer(here, "Lunch")
    await answer(here, "No.")
    session = (await (await at(office)).open(FACTS)).session
    assert of_calls(session.history.messages) == []
    record = await office.store.get(PATHS.within(FACTS.business_id).document("interactions", "s1"))
    assert record is not None and record.data["question"] == {"portal": None}


class _Offered:
    """An offer of one tool, which holds a secret or does not."""

    def __init__(self, *secrets: str) -> None:
        self.tool, self.secret_arguments = self, frozenset(secrets)

    def named(self, name: str) -> "_Offered | None":
        return self if name == "book" else None


@pytest.mark.parametrize(
    ("call", "secrets", "is_kept"),
    [
        (ToolCall("book", {"what": "lunch"}, "1"), (), True),
        (ToolCall("book", '{"what": "lunch"}', "1"), (), True),
        (ToolCall("book", {"what": "lunch", "pin": "1234"}, "1"), ("pin",), False),
        (ToolCall("unheard_of", {"what": "lunch"}, "1"), (), False),
        (ToolCall("book", "{", "1"), (), False),
        (ToolCall("book", {"what": "x" * 4_000}, "1"), (), False),
    ],
)
def test_nothing_is_kept_that_is_a_secret_or_that_nobody_could_send_again(
    call: ToolCall, secrets: tuple[str, ...], is_kept: bool
) -> None:
    """The model there has to ask anew, as before."""
    waits = Failure(ErrorType.CONFIRMATION_REQUIRED, "", retryable=False, partial_side_effects=False)
    messages = [UserMessage("Lunch"), Spoken("", (call,)), ToolMessage("1", call.name, ToolResponse(failure=waits))]
    kept = calls_asked_about(messages, _Offered(*secrets))  # type: ignore[arg-type]
    assert kept == ((ToolCall("book", '{"what":"lunch"}'),) if is_kept else ())
    question = AskedQuestion("Book lunch?", "book", 1, 1, calls=kept)
    assert AskedQuestion.of(question.to_document()) == question
