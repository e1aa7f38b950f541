"""Names that a vendor does not take: told otherwise, never two alike, and read back."""

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchboard.contract.call import ToolCall
from switchboard.contract.error import ErrorType
from switchboard.contract.response import Failure, ToolResponse
from switchboard.formats import FORMATS, anthropic, gemini, openai
from switchboard.formats.schema.spelling import argument_names, respelled, spelled, told_names
from tests.formats.definitions import one, tool

RULES = [openai.TOOL_NAMES, gemini.TOOL_NAMES, gemini.ARGUMENT_NAMES, anthropic.ARGUMENT_NAMES]
NAMES = st.lists(st.text(max_size=90) | st.sampled_from(["a", "a.b", "a_b", "ä", "a\u0308", "A", "1a", ""]), max_size=8)


@pytest.mark.parametrize("rule", RULES)
@given(names=NAMES)
def test_no_two_names_are_told_alike_and_all_are_taken(rule: Any, names: list[str]):
    """Names that the rule takes are told as they are."""
    told = told_names(names, rule)
    final = {name: told.get(name, name) for name in names}
    assert len(set(final.values())) == len(final)
    assert all(rule.takes(name) for name in final.values())
    assert all(final[name] == name for name in names if rule.takes(name))


def test_a_name_that_looks_like_another_ones_spelling_keeps_it():
    """The strange one gets a longer digest."""
    first = spelled("größe", gemini.ARGUMENT_NAMES)
    assert re.fullmatch("groe_[0-9a-f]{8}|gro_e_[0-9a-f]{8}", first)
    second = told_names(["größe", first], gemini.ARGUMENT_NAMES)["größe"]
    assert second != first
    assert len(second) == len(first) + 4


def test_names_are_found_wherever_a_schema_gives_them():
    """In branches, conditions and items, and behind references into places that hold no schemas."""
    schema = {
        "properties": {"a": {"items": {"anyOf": [{"properties": {"b": {}}}]}}},
        "dependentRequired": {"c": ["d"]},
        "dependentSchemas": {"e": {"required": ["f"]}},
        "if": {"$ref": "#/x-parts/if"},
        "x-parts": {"if": {"properties": {"g": {}}}},
        "then": {"$ref": "#/gone"},
    }
    assert argument_names(schema) == set("abcdefg")


STRANGE = {
    "type": "object",
    "properties": {"$top": {"type": "integer"}, "plain": {"type": "string"}, "not me": False},
    "required": ["$top"],
    "patternProperties": {"^x": {"type": "string"}},
    "dependentRequired": {"plain": ["$top"]},
    "dependentSchemas": {"$top": {"required": ["plain"]}},
    "default": {"$top": 3, "free": {"$top": 1}},
}


def test_everything_that_speaks_of_an_argument_calls_it_as_it_is_told():
    """The model reads what it means; rules about names would hold for other names, and are left out with a note."""
    told = anthropic.declare(tool(one(STRANGE)))["input_schema"]["properties"]["x"]
    top = next(name for name in told["properties"] if name.startswith("top_"))
    assert told == {
        "type": "object",
        "properties": {
            top: {"type": "integer", "description": 'called "$top"'},
            "plain": {"type": "string"},
        },
        "required": [top],
        "dependentRequired": {"plain": [top]},
        "dependentSchemas": {top: {"required": ["plain"]}},
        "default": {top: 3, "free": {top: 1}},
    }
    notes = " ".join(anthropic.lowerings(tool(one(STRANGE))))
    assert f"/properties/x/properties/$top: is told as {top}" in notes
    assert "patternProperties is left out" in notes


@pytest.mark.parametrize("dialect", ["gemini", "gemini_json", "gemini_live", "anthropic", "livekit"])
def test_arguments_are_read_under_their_own_names(dialect: str):
    """At any depth, from an object or from text; text that cannot be read stays as it is."""
    definition, format = tool(one(STRANGE)), FORMATS[dialect]
    rule = anthropic.ARGUMENT_NAMES if dialect == "anthropic" else gemini.ARGUMENT_NAMES
    told = told_names(["$top"], rule)["$top"]
    for arguments in ({"x": {told: 1}}, f'{{"x": {{"{told}": 1}}}}'):
        call = format.restore(definition, ToolCall("a", arguments, "c"))  # type: ignore[arg-type]
        assert call == ToolCall("a", {"x": {"$top": 1}}, "c")
    for unread in (f'{{"{told}"', f'["{told}"]', "{}"):
        assert format.restore(definition, ToolCall("a", unread, "c")).arguments == unread


def test_a_tool_under_another_name_is_recognised():
    """`read` finds the tool that was told; what nobody offers stays for the dispatcher to refuse."""
    odd = tool()
    odd = type(odd)(**{f: getattr(odd, f) for f in odd.__slots__} | {"name": "crm.contacts/list"})
    told = FORMATS["anthropic"].declare(odd)["name"]
    offered = {odd.name: odd}
    assert FORMATS["anthropic"].read({"name": told, "input": {}, "id": "t"}, offered).name == odd.name
    assert FORMATS["anthropic"].read({"name": "other", "input": {}, "id": "t"}, offered).name == "other"


def test_values_are_left_alone():
    """Only keys are names."""
    assert respelled({"a": ["a", {"a": "a"}]}, {"a": "b"}) == {"b": ["a", {"b": "a"}]}


@pytest.mark.parametrize("name", ["openai_responses", "openai_realtime", "gemini_live", "anthropic"])
def test_an_answer_needs_the_id_of_its_call(name: str):
    """Without it the vendor could not tell which call is answered."""
    refused = ToolResponse(failure=Failure(ErrorType.TRANSIENT, "later", True, False))
    with pytest.raises(Exception, match="cannot be answered"):
        FORMATS[name].render("", "look", refused)
