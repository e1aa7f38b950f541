"""Several tools called in one answer of a LiveKit agent: the package runs them side by side, one yes is asked for all.

The agent is run by the package's own harness, `AgentSession.run`, with our tools in its process and over HTTP.
"""

import asyncio
import json
from typing import Any

import pytest
from livekit.agents import ConversationItemAddedEvent
from livekit.agents.llm import ChatContext, ChatMessage

from switchboard.channels.livekit.conversation import Acting, LiveKitConversation
from switchboard.channels.livekit.tools import ConversationTools
from switchboard.contract.call import ToolCall
from switchboard.contract.definitions.definition import Definition, Kind
from switchboard.contract.error import ErrorType
from switchboard.contract.response import Failure, ToolResponse
from tests.channels.livekit.scripted_model import Call
from tests.channels.livekit.test_conversation import HAIRCUT, house, store, talking, tools  # noqa: F401 - fixtures

TIMES = ("2026-12-02T10:00:00", "2026-12-04T14:00:00")
JOINT = (
    "I would now cancel your Haircut appointment for Ana Lopez with Rosa on Wednesday, December 2 at 10:00 AM, and "
    "cancel your Haircut appointment for Ana Lopez with Rosa on Friday, December 4 at 2:00 PM. Shall I do both?"
)
BOOKINGS: list[Call] = [
    ("book_appointment", json.dumps(HAIRCUT | {"start_time": at, "with_person": "Rosa"}), f"book_{number}")
    for number, at in enumerate(TIMES)
]


def answers(context: ChatContext) -> list[dict[str, Any]]:
    """What the tools have answered so far, in order."""
    return [json.loads(item.output) for item in context.items if item.type == "function_call_output"]


def booked(context: ChatContext) -> list[str]:
    return [answer["bookingId"] for answer in answers(context) if "bookingId" in answer and answer.get("booked")]


def cancelling(round: int, *which: int) -> Any:
    """A step that cancels several of the bookings at once."""

    def step(context: ChatContext) -> list[Call]:
        ids = booked(context)
        return [("cancel_appointment", json.dumps({"booking_id": ids[n]}), f"cancel_{round}_{n}") for n in which]

    return step


@pytest.mark.requirement("001-89")
async def test_two_cancellations_of_one_answer_are_one_question_and_one_yes(tools: ConversationTools):  # noqa: F811
    """Both answers tell the model the one question that names each; after the yes each is cancelled, once."""
    steps = [BOOKINGS, "Both are booked.", cancelling(1, 0, 1), JOINT, cancelling(2, 0, 1), "Both are cancelled."]
    async with talking(tools, steps) as talk:
        await talk.say("A haircut on Wednesday at ten and one on Friday at two, for Ana Lopez")
        assert [answer["booked"] for answer in talk.answers] == [True, True]
        asked = await talk.say("Please cancel both")
        asked.expect.contains_function_call(name="cancel_appointment")
        asked.expect[-1].is_message(role="assistant")
        waiting = talk.answers[2:]
        assert [answer["type"] for answer in waiting] == ["CONFIRMATION_REQUIRED"] * 2
        assert [JOINT in answer["message"] for answer in waiting] == [True, True]
        done = await talk.say("Yes, both please.")
        done.expect[-1].is_message(role="assistant")
        assert [(a["cancelled"], a["repeated"]) for a in talk.answers[4:]] == [(True, False)] * 2
    assert talk.replies == ["Both are booked.", JOINT, "Both are cancelled."]


@pytest.mark.requirement("001-89")
async def test_a_no_to_the_one_question_cancels_neither(tools: ConversationTools):  # noqa: F811
    """And a later call asks again, about that one alone."""
    steps = [BOOKINGS, "Booked.", cancelling(1, 0, 1), JOINT, cancelling(2, 1), "Shall I?"]
    async with talking(tools, steps) as talk:
        for words in ("Two haircuts for Ana Lopez", "Please cancel both", "No."):
            await talk.say(words)
    last = talk.answers[-1]
    assert last["type"] == "CONFIRMATION_REQUIRED"
    assert "December 4" in last["message"] and "December 2" not in last["message"]


async def test_what_only_reads_is_answered_beside_a_question(tools: ConversationTools):  # noqa: F811
    """Each call has an answer of its own, also where another one of the same round waits for a yes or fails."""

    def round(context: ChatContext) -> list[Call]:
        (cancel,) = cancelling(1, 0)(context)
        wrong = ("reschedule_appointment", json.dumps({"booking_id": "bk_nobody"}), "wrong")
        return [cancel, ("get_business_services", "{}", "read"), wrong]

    async with talking(tools, [BOOKINGS[0], "Booked.", round, "Shall I?"]) as talk:
        await talk.say("A haircut on Wednesday at ten, for Ana Lopez")
        await talk.say("Cancel it, and what else do you do?")
    by_id = {item.call_id: json.loads(item.output) for item in talk.outputs}
    assert by_id["cancel_1_0"]["type"] == "CONFIRMATION_REQUIRED"
    assert "Haircut" in str(by_id["read"])
    assert by_id["wrong"]["type"] == "VALIDATION"


async def test_an_action_begins_when_the_one_before_it_has_ended_however_it_ended():
    """One that broke holds nobody up, and leaves the others their own answers."""
    acting, begun, may_end = Acting(), asyncio.Event(), asyncio.Event()
    order: list[str] = []

    async def first() -> ToolResponse:
        begun.set()
        await may_end.wait()
        order.append("first")
        raise ValueError("lost")

    async def second() -> ToolResponse:
        order.append("second")
        return ToolResponse(failure=Failure(ErrorType.CONFIRMATION_REQUIRED, "Shall I?", False, False))

    tasks = [asyncio.create_task(acting.run(first))]
    await begun.wait()
    tasks.append(asyncio.create_task(acting.run(second)))
    for _ in range(10):
        await asyncio.sleep(0)
    assert order == []
    may_end.set()
    with pytest.raises(ValueError, match="lost"):
        await tasks[0]
    answer = await tasks[1]
    assert order == ["first", "second"]
    assert answer.failure is not None and answer.failure.message == "Shall I?"


async def test_a_call_that_others_keep_waiting_is_of_the_turn_in_which_it_was_made():
    """What the human says meanwhile is a later turn, and no answer to what the call will ask."""
    begun, may_end, turns = asyncio.Event(), asyncio.Event(), list[int]()

    class Slow:
        whose = "demo-salon", "lk-1"

        async def offered(self) -> list[Definition]:
            return []

        async def execute(self, tool: Any, arguments: Any, call_id: str, turn: int) -> ToolResponse:
            turns.append(turn)
            begun.set()
            await may_end.wait()
            return ToolResponse(data={})

        async def heard(self, text: str, turn: int, asked: str) -> None:
            return None

    async def ignored(intent: Any) -> None:
        return None

    conversation = LiveKitConversation(Slow(), ignored)
    tool = Definition("act", "general", Kind.ACTION, "_", {"type": "object"}, writes=True)
    said = ConversationItemAddedEvent(item=ChatMessage(role="user", content=["Yes."]))
    conversation._added(said)
    calls = [asyncio.create_task(conversation._run(tool, ToolCall("act", {}, f"c{n}"))) for n in (1, 2)]
    await begun.wait()
    conversation._added(said)
    may_end.set()
    await asyncio.gather(*calls)
    assert (turns, conversation.turn) == ([1, 1], 2)
