"""Lowering as a whole: what was valid stays valid in every dialect."""

import json
from datetime import UTC
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from switchboard.catalog.arguments.arguments import ArgumentReader
from switchboard.catalog.schema.schema import check_schema
from switchboard.contract.response import ToolResponse
from switchboard.formats import FORMATS
from switchboard.formats.schema.strict import strictly
from tests.formats.definitions import accepts, as_json_schema, one, tool

WORDS = ["a", "b", "cc"]
SCALARS = st.one_of(
    st.sampled_from([*WORDS, "", "2026-03-05", "2026-03-05T14:00:00Z"]), st.integers(-3, 6), st.booleans(), st.none()
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(WORDS), inner, max_size=3),
    max_leaves=6,
)
LEAVES = st.one_of(
    st.builds(lambda n: {"type": "integer", "minimum": n, "exclusiveMaximum": n + 4}, st.integers(-3, 3)),
    st.builds(lambda n: {"type": "number", "exclusiveMinimum": n, "multipleOf": 2}, st.integers(-3, 3)),
    st.builds(lambda n: {"type": "string", "minLength": n, "pattern": "a|b"}, st.integers(0, 2)),
    st.sampled_from(
        [
            {"type": "string", "format": "date"},
            {"type": "string", "format": "date-time"},
            {"type": ["string", "null"]},
            {"type": ["integer", "string"], "minimum": 2},
            {"enum": ["a", "cc"]},
            {"type": "integer", "enum": [1, 4]},
            {"const": "b"},
            {"type": "boolean"},
            {"type": "null"},
            {"type": "string", "x-label": "Name"},
        ]
    ),
)


def _containers(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.one_of(
        st.builds(lambda a: {"type": "array", "items": a, "uniqueItems": True}, inner),
        st.builds(lambda a, b: {"anyOf": [a, b]}, inner, inner),
        st.builds(lambda a, b: {"oneOf": [a, b, {"type": "null"}]}, inner, inner),
        st.builds(lambda a, b: {"allOf": [a, b], "description": "Both."}, inner, inner),
        st.builds(
            lambda a, b: {"type": "object", "properties": {"a": a, "b": b}, "required": ["b"], "minProperties": 1},
            inner,
            inner,
        ),
    )


SCHEMAS = st.recursive(LEAVES, _containers, max_leaves=5)


def lowered(name: str, schema: Any) -> Any:
    """Return what a dialect says of a schema, as JSON Schema."""
    declared = FORMATS[name].declare(tool(one(schema)))
    match name:
        case "openai":
            return declared["function"]["parameters"]
        case "gemini_json":
            return declared["parametersJsonSchema"]
    return as_json_schema(declared["parameters"])


@pytest.mark.requirement("003-86")
@pytest.mark.parametrize("name", ["openai", "gemini", "gemini_json"])
@given(schema=SCHEMAS, value=VALUES)
def test_a_dialect_never_forbids_what_the_schema_allows(name: str, schema: Any, value: Any):
    """A model that follows the declaration can say everything the tool takes."""
    if accepts(one(schema), {"x": value}):
        assert accepts(lowered(name, schema), {"x": value})


@pytest.mark.parametrize("name", ["openai", "gemini", "gemini_json"])
@given(schema=SCHEMAS, value=VALUES)
def test_a_dialect_that_lost_nothing_allows_nothing_else(name: str, schema: Any, value: Any):
    """Without a note the declaration means the same as the schema."""
    if not FORMATS[name].lowerings(tool(one(schema))) and not accepts(one(schema), {"x": value}):
        assert not accepts(lowered(name, schema), {"x": value})


@given(schema=SCHEMAS, value=VALUES)
def test_a_strict_declaration_never_forbids_what_the_schema_allows(schema: Any, value: Any):
    """Closed objects aside: strict mode only widens, and takes null for what may be left out."""
    strict = strictly(one(schema) | {"required": ["x"]}).schema
    if strict is not None and accepts(one(schema), {"x": value}) and not _has_object(value):
        assert accepts(strict, {"x": value})


DEFINED = {
    "A": {"type": "object", "properties": {"a": {"type": "string"}, "next": {"$ref": "#/$defs/A"}}, "required": ["a"]},
    "List<A>": {"type": "array", "items": {"$ref": "#/$defs/A"}},
}
STRANGE_LEAVES = st.sampled_from(
    [
        *({}, True, {"type": "array"}, {"type": "array", "items": True}, {"type": "object"}, {"required": ["größe"]}),
        *(
            {"$ref": "#/$defs/A"},
            {"$ref": "#/$defs/List<A>", "description": "Who comes."},
            {"type": ["string", "null"]},
        ),
        {"type": ["string", "integer"], "items": {"type": "string"}, "properties": {"a": {"type": "object"}}},
        {"type": "string", "properties": {"a": {"type": "object"}}},
        *({"enum": ["a", 1, None, True]}, {"const": None}, {"type": "number", "multipleOf": 0.5}),
    ]
)


def _strange_containers(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    several = st.lists(inner, min_size=1, max_size=3)
    keyword = st.sampled_from(["anyOf", "oneOf", "allOf"])
    named = st.dictionaries(st.sampled_from(["a", "größe", "x y"]), inner, max_size=2)
    return st.one_of(
        st.builds(lambda a: {"type": "array", "items": a}, inner),
        st.builds(lambda a: {"prefixItems": a, "items": False}, several),
        st.builds(lambda word, a: {word: a, "description": "One."}, keyword, several),
        st.builds(lambda a, word, b: {"type": "object", "properties": a, word: b}, named, keyword, several),
        st.builds(lambda a: {"allOf": a, "unevaluatedProperties": False}, several),
        st.builds(lambda a, b: {"properties": a, "patternProperties": {"^x": b}}, named, inner),
        st.builds(lambda a, b: {"properties": a, "dependentSchemas": {"a": {"properties": b}}}, named, named),
    )


@pytest.mark.requirement("003-86")
@pytest.mark.parametrize("name", FORMATS)
@example(schema={"type": "object", "anyOf": [{"anyOf": [True]}]})
@given(schema=st.recursive(STRANGE_LEAVES, _strange_containers, max_leaves=6))
def test_whatever_is_sound_can_be_declared(vendors: dict[str, Any], name: str, schema: Any):
    """One schema that a vendor refuses, or that cannot be said at all, would take every other tool along."""
    parameters = one(schema) | {"$defs": DEFINED}
    if not check_schema(parameters):
        vendors[name].check(FORMATS[name].declare(tool(parameters)))


@pytest.mark.requirement("003-97")
@given(schema=SCHEMAS, value=VALUES)
def test_what_the_model_is_shown_is_what_its_arguments_are_held_against(schema: Any, value: Any):
    """Declaration and reader come from the same schema: a call that follows a lossless declaration is taken."""
    definition = tool(one(schema))
    is_lossless = not FORMATS["openai"].lowerings(definition) and not check_schema(definition.parameters)
    if is_lossless and accepts(lowered("openai", schema), {"x": value}) and not _has_object(value):
        ArgumentReader(definition.parameters).read({"x": value}, UTC)


VENDOR_CALLS = {
    "openai": {"id": "c1", "type": "function", "function": {"name": "a", "arguments": '{"x": 2}'}},
    "gemini": {"functionCall": {"id": "c1", "name": "a", "args": {"x": 2.0}}},
    "gemini_json": {"functionCall": {"id": "c1", "name": "a", "args": {"x": 2.0}}},
}


@pytest.mark.requirement("003-23", "003-89")
def test_a_call_means_the_same_in_every_dialect():
    """Each dialect is found by its name, reads the same call and carries the same answer."""
    reader = ArgumentReader(one({"type": "integer"}))
    for name, vendor in VENDOR_CALLS.items():
        call = FORMATS[name].parse(vendor)
        assert (call.name, call.call_id) == ("a", "c1")
        assert reader.read(call.arguments, UTC).canonical == {"x": 2}
        assert "the answer" in json.dumps(FORMATS[name].render("c1", "a", ToolResponse(data={"b": "the answer"})))
        assert FORMATS[name].declare_all([FORMATS[name].declare(tool())])


def _has_object(value: Any) -> bool:
    return isinstance(value, dict) or (isinstance(value, list) and any(map(_has_object, value)))
