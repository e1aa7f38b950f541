"""What the house's own conversations declare of a tool, and what others are declared."""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from switchboard.catalog.definitions.definitions import Current, DefinitionSet
from switchboard.catalog.definitions.registry import BuiltTool, Registry
from switchboard.catalog.definitions.signature import HandlerSignature
from switchboard.catalog.definitions.tool import Tool
from switchboard.catalog.offer.inclusion import Situation
from switchboard.catalog.offer.offer import USUAL_TOPICS, Offer, OfferedTool, make_offer, told_briefly, unchecked
from switchboard.contract.business.business import Business, read_business
from switchboard.contract.channel import Channel
from switchboard.contract.definitions.definition import read_definition
from switchboard.formats import FORMATS
from tests.each import each

ROOT = Path(__file__).parents[3]
SALON = read_business("salon", {"name": "Maple", "timezone": "Europe/Vienna", "services": [{"name": "Cut"}]})
MODELS = ("openai", "gemini", "anthropic")
ARGUMENTS = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "minLength": 1, "maxLength": 120, "description": "Whose."},
        "zip": {"type": "string", "minLength": 5, "maxLength": 10, "pattern": "^[0-9-]*$"},
        "guests": {"type": "integer", "minimum": 1, "maximum": 8, "default": 2},
        "seat": {"enum": ["in", "out"]},
        "rows": {"type": "array", "maxItems": 3, "items": {"type": "string", "maxLength": 900}},
        "other": {"not": {"maxLength": 90}, "anyOf": [{"type": "string", "minLength": 1}, {"type": "null"}]},
    },
    "required": ["name"],
    "additionalProperties": False,
}


def tool(description: str, name: str = "look", is_built: bool = True) -> Tool:
    definition = read_definition(name, {"description": description, "category": "a", "parameters": ARGUMENTS})
    return Tool(definition, BuiltTool(definition, "", "", {}, HandlerSignature({}), "") if is_built else None)


def shipped() -> dict[str, Tool]:
    registry = Registry.load(ROOT / "functions" / "tool_registry.json")
    return {name: Tool.as_built(built) for name, built in registry.tools.items()}


def offering(*tools: Tool, business: Business = SALON) -> Offer:
    found = DefinitionSet("h", {tool.definition.name: tool for tool in tools})
    return make_offer(found, Situation(business, Channel.PHONE), Current(found, "firestore"))


def brief(text: str, business: Business | None = SALON, **how: Any) -> str:
    found = tool(text, **how)
    return told_briefly(found, found.told(business, None), business).description  # type: ignore[arg-type]


@pytest.mark.requirement("003-123")
def test_every_declaration_begins_with_what_its_guide_says_that_the_tool_does() -> None:
    """Seed 003, "Summaries pre-loaded in prompt": the declarations go with every request, and lead with the summary."""
    for name, found in shipped().items():
        told = told_briefly(found, found.told(SALON, None), SALON)  # type: ignore[arg-type]
        does, summary = told.description.split()[0], found.summary.split()[0]
        assert summary in (f"{does}s", f"{does}es"), (name, told.description, found.summary)
        first = re.split(r"(?<=[.])\s", told.description)[0]
        assert len(first) <= 200, name
        for dialect in MODELS:
            assert told.description in json.dumps(FORMATS[dialect].declare(told), ensure_ascii=False), (name, dialect)


@pytest.mark.requirement("003-442")
@each(
    ("written", "told"),
    [
        ("Book a time at {{business.name}}. Services: {{business.services}}. Be quick.", "Book a time. Be quick."),
        ("Find it. Times are local time in {{ business.timezone }}.", "Find it."),
        (f"Tell it. {USUAL_TOPICS} Ask.", "Tell it. Ask."),
        ("Do it. It is booked only if the result says booked: true. Ask.", "Do it. Ask."),
        ("Call the people of {{business.name}}.", "Call the people of the business."),
        # A rule that somebody has written around a variable stays one.
        ("Do it. Services: {{business.services}}, never on Mondays.", "Do it. Services: Cut, never on Mondays."),
        ("Do it. It is booked only if the result says booked: true and kept.", None),
        ("Do it. Our times are local time in Rome.", None),
        ("Services: {{business.services}}.", "Services: Cut."),
    ],
)
def test_what_the_prompt_says_a_conversations_declarations_do_not(written: str, told: str | None) -> None:
    """Whole sentences only, and never all of them."""
    assert brief(written) == (told if told is not None else written)


@pytest.mark.requirement("003-442")
def test_words_that_are_not_the_houses_and_businesses_that_are_not_known_lose_nothing() -> None:
    """An owner's own tool is told as it was written; without a business the prompt says nothing of it."""
    text = "Look at {{business.name}}. Times are local time in {{business.timezone}}."
    assert brief(text, is_built=False) == "Look at Maple. Times are local time in Europe/Vienna."
    assert "Times are local time in" in brief(text, business=None)


@pytest.mark.requirement("003-442")
def test_limits_that_a_model_can_heed_stay() -> None:
    """Bounds of numbers, words, patterns and short lengths; what stands in a branch may tell values apart."""
    kept = unchecked(ARGUMENTS)
    properties = kept["properties"]
    assert "additionalProperties" not in kept and kept["required"] == ["name"]
    assert properties["name"] == {"type": "string", "description": "Whose."}
    assert properties["rows"] == {"type": "array", "maxItems": 3, "items": {"type": "string"}}
    for name in ("zip", "guests", "seat", "other"):
        assert properties[name] == ARGUMENTS["properties"][name]  # type: ignore[index]
    open_keys = {"type": "object", "patternProperties": {"^x": {}}, "properties": {}, "additionalProperties": False}
    assert unchecked(open_keys) == open_keys


@pytest.mark.requirement("003-442")
def test_vendors_are_declared_everything() -> None:
    """Their prompt is not ours: a listing has every sentence, every limit and the business's name."""
    tools = tuple(OfferedTool(found.told(SALON, None), found) for found in shipped().values())  # type: ignore[arg-type]
    offer = replace(offering(), tools=tools)
    for dialect in ("vapi", "mcp", "livekit", *MODELS):
        listed = json.dumps(offer.declared(dialect), ensure_ascii=False)
        for said in ("Tell when Maple is open", "Times are local time in Europe/Vienna.", USUAL_TOPICS):
            assert said in listed, dialect
    assert '"strict": false' in json.dumps(offer.declared("openai"))
    assert '"maxLength": 120' in json.dumps(offer.declared("openai"))
    for dialect in MODELS:
        own = json.dumps(offer.declared_to_model(dialect), ensure_ascii=False)
        assert not any(
            said in own for said in ("Maple", "Times are local", "Usual topics", '"maxLength": 120', '"strict"')
        )
        assert len(own) < 0.95 * len(json.dumps([FORMATS[dialect].declare(t.definition) for t in offer.told]))


@pytest.mark.requirement("003-442")
def test_a_call_of_what_was_told_briefly_is_checked_against_the_whole() -> None:
    """What is not said is still refused, with what would work."""
    offer = offering(tool("Look it up at once."))
    found: OfferedTool | None = offer.named("look")
    assert found is not None and found.definition.parameters["additionalProperties"] is False
    assert found.definition.parameters["properties"]["name"]["maxLength"] == 120
