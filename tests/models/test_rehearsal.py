"""The rehearsal: an offline stand-in that matches the guides' examples and says that it is one."""

import json
from pathlib import Path
from typing import Any

import pytest

from switchboard.contract.call import ToolCall
from switchboard.contract.error import ErrorType
from switchboard.contract.model import (
    Answered,
    CallPiece,
    Ended,
    Ending,
    Heard,
    Message,
    ModelEvent,
    Noted,
    Prompt,
    Spoken,
    TextPiece,
)
from switchboard.contract.response import Failure, ToolResponse
from switchboard.models.rehearsal import Rehearsal
from switchboard.models.rehearsal_matching import examples_in

TOOLS = Path(__file__).parents[2] / "functions" / "switchboard" / "tools"
NAMES = ("book_appointment", "check_availability", "get_working_hours", "search_knowledge")
# A Sunday.
SYSTEM = "You are Echo.\n\nIt is now Sunday, 2026-11-22, 10:04 (America/New_York)."


def tools() -> list[dict[str, Any]]:
    found = []
    for name in NAMES:
        schema = json.loads((TOOLS / name / "schema.json").read_text())
        words = schema["description"].replace("{{business.services}}", "Haircut, Color, Beard trim")
        function = {"name": name, "description": words, "parameters": schema["parameters"]}
        found.append({"type": "function", "function": function})
    return found


MODEL = Rehearsal([e for name in NAMES for e in examples_in(name, (TOOLS / name / "guide.md").read_text())])


async def ask(*messages: Message) -> list[ModelEvent]:
    return [event async for event in MODEL.stream(Prompt(SYSTEM, list(messages), tools()))]


async def call(text: str) -> tuple[str, Any]:
    event = (await ask(Heard(text)))[0]
    assert isinstance(event, CallPiece)
    return event.name, json.loads(event.arguments)


async def words(*messages: Message) -> str:
    return "".join(event.text for event in await ask(*messages) if isinstance(event, TextPiece))


@pytest.mark.parametrize("name", NAMES)
async def test_every_example_of_a_guide_leads_to_its_own_call(name: str) -> None:
    """With the example's words, the example's tool; dates that are past are moved ahead by weeks."""
    for example in examples_in(name, (TOOLS / name / "guide.md").read_text()):
        tool, arguments = await call(example.said)
        assert tool == name
        assert arguments.keys() == example.arguments.keys()


SAID = [
    (
        "Please book me a color tomorrow at half past three, my name is Grace Okafor.",
        {"service": "Color", "start_time": "2026-11-23T15:30:00", "customer_name": "Grace Okafor"},
    ),
    (
        "Book me a beard trim on Friday at ten, I'm Miguel.",
        {"service": "Beard trim", "start_time": "2026-11-27T10:00:00", "customer_name": "Miguel"},
    ),
    (
        "I'd like a haircut on December 3 at 2 p.m. for Anna Whitfield.",
        {"service": "Haircut", "start_time": "2026-12-03T14:00:00", "customer_name": "Anna Whitfield"},
    ),
]


@pytest.mark.parametrize(("text", "expected"), SAID)
async def test_times_names_and_services_are_those_that_the_caller_said(text: str, expected: dict[str, str]) -> None:
    """The example gives the form of the call, the caller its content."""
    tool, arguments = await call(text)
    assert tool == "book_appointment"
    assert {name: arguments[name] for name in expected} == expected


async def test_a_question_goes_to_the_search_in_the_callers_words() -> None:
    """Not in those of the example."""
    assert await call("Is there any parking near your shop?") == (
        "search_knowledge",
        {"query": "Is there any parking near your shop?"},
    )


async def test_what_a_tool_found_is_said_in_plain_words() -> None:
    """The business's own text where there is one."""
    made = Spoken("", (ToolCall("search_knowledge", "{}", "a"),))
    found = ToolResponse(data={"results": [{"id": "x", "text": "Free parking behind the house."}]})
    assert (
        await words(Heard("Parking?"), made, Answered("a", "search_knowledge", found))
        == "Free parking behind the house."
    )


async def test_a_question_that_needs_a_yes_is_read_back_and_then_called_again_unchanged() -> None:
    """As a real model is told to."""
    made = Spoken("", (ToolCall("book_appointment", '{"x": 1}', "a"),))
    failure = Failure(ErrorType.CONFIRMATION_REQUIRED, "ask first", False, False)
    asked = Answered("a", "book_appointment", ToolResponse(failure=failure, meta={"readBack": "Book it?"}))
    assert await words(Heard("Book"), made, asked) == "Book it?"
    agreed = Noted("The caller has agreed. Call book_appointment now, with exactly the same arguments as before.")
    event = (await ask(Heard("Book"), made, asked, Spoken("Book it?"), Heard("Yes"), agreed))[0]
    assert isinstance(event, CallPiece)
    assert (event.name, event.arguments) == ("book_appointment", '{"x": 1}')


async def test_what_it_does_not_know_it_says_with_its_label_and_what_can_be_said_instead() -> None:
    """Nobody mistakes it for a language model."""
    text = await words(Heard("Sing me a song about quantum physics"))
    assert "rehearsal, not a language model" in text
    assert "Try one of these" in text


async def test_the_same_words_always_get_the_same_answer() -> None:
    """It is deterministic, and ends every answer."""
    events = await ask(Heard("What are your opening hours?"))
    assert events == await ask(Heard("What are your opening hours?"))
    assert events[-1] == Ended(Ending.CALLS)
