"""Coercion helps and never harms: valid values stay, and doing it twice is doing it once."""

from datetime import UTC
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from switchboard.catalog.arguments.arguments import ArgumentReader
from switchboard.catalog.arguments.coercion import ArgumentProblem, coerced
from switchboard.catalog.schema.schema import check_schema
from switchboard.catalog.schema.types import shape_of
from switchboard.contract.error import Refused
from tests.formats.definitions import accepts, one

NAMES = st.sampled_from(["a", "b", "cc"])
SCALARS = st.one_of(
    st.sampled_from(["a", " A ", "b", "", "3", "-1.0", "2.50", "true", "False", "null", "[1]", "1e3", "2026-03-05"]),
    st.integers(-3, 4),
    st.sampled_from([0.0, 1.0, 2.5, -3.0, 1e300]),
    st.booleans(),
    st.none(),
)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3), max_leaves=6
)
TYPES = st.sampled_from(["string", "integer", "number", "boolean", "null", "array", "object"])
LEAVES = st.one_of(
    st.builds(lambda t: {"type": t}, TYPES),
    st.builds(lambda one, two: {"type": [one, two] if one != two else one}, TYPES, TYPES),
    st.sampled_from(
        [
            {},
            True,
            {"enum": ["a", "b", 3, None]},
            {"enum": ["A", "a"]},
            {"type": "string", "enum": ["a"]},
            {"const": True},
            {"type": "integer", "minimum": 0, "maximum": 3},
            {"type": "string", "format": "date"},
            {"type": "integer", "default": 2},
        ]
    ),
)


def _containers(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.one_of(
        st.builds(lambda a: {"type": "array", "items": a}, inner),
        st.builds(lambda a: {"items": a}, inner),
        st.builds(lambda a, b: {"anyOf": [a, b]}, inner, inner),
        st.builds(lambda a, b: {"oneOf": [a, b]}, inner, inner),
        st.builds(lambda a: {"anyOf": [a, {"type": "null"}]}, inner),
        st.builds(lambda a, b: {"allOf": [a, b]}, inner, inner),
        st.builds(lambda a: {"additionalProperties": a}, inner),
        st.builds(lambda a, b: {"patternProperties": {"^a": a}, "additionalProperties": b}, inner, inner),
        st.builds(lambda a, b: {"prefixItems": [a], "items": b}, inner, inner),
        st.builds(
            lambda a, b: {
                "anyOf": [
                    {"type": "object", "properties": {"a": {"const": "a"}, "b": a}, "required": ["a"]},
                    {"type": "object", "properties": {"a": {"const": "b"}, "b": b}, "required": ["a"]},
                ]
            },
            inner,
            inner,
        ),
        st.builds(lambda a, b: {"properties": {"a": a, "b": b}, "required": ["a"]}, inner, inner),
        st.builds(lambda a, b: {"type": "object", "properties": {"a": a}, "additionalProperties": b}, inner, inner),
    )


SCHEMAS = st.recursive(LEAVES, _containers, max_leaves=5).map(one)
RECURSIVE = {
    "$defs": {
        "node": {
            "type": "object",
            "properties": {
                "a": {"type": "integer"},
                "b": {"type": "array", "items": {"$ref": "#/$defs/node"}},
                "cc": {"anyOf": [{"$ref": "#/$defs/node"}, {"type": "null"}]},
            },
        }
    }
}


def again(value: Any, schema: dict[str, Any]) -> tuple[Any, list[ArgumentProblem]]:
    """Return a value coerced, and the problems met."""
    problems: list[ArgumentProblem] = []
    return coerced(value, shape_of(schema, schema), UTC, problems), problems


@given(schema=SCHEMAS, value=VALUES)
def test_a_valid_value_keeps_its_meaning(schema: dict[str, Any], value: Any):
    """Coercion is for what is wrong: what is right stays equal, save for defaults that fill gaps."""
    sent = {"x": value}
    if accepts(schema, sent):
        found, problems = again(sent, schema)
        assert problems == []
        assert accepts(schema, found)
        assert found == sent or "default" in str(schema)


@given(schema=SCHEMAS, value=VALUES)
def test_coercing_twice_is_coercing_once(schema: dict[str, Any], value: Any):
    """Canonical arguments are a fixed point: their hash is the same whenever it is taken."""
    found, _ = again({"x": value}, schema)
    assert again(found, schema)[0] == found


@given(schema=SCHEMAS, value=VALUES)
def test_what_a_reader_takes_is_valid_and_read_the_same_again(schema: dict[str, Any], value: Any):
    """Whatever passes satisfies the schema, and passes again unchanged; the quick look and the full one agree."""
    if check_schema(schema):
        return
    reader = ArgumentReader(schema)
    try:
        found = reader.read({"x": value}, UTC)
    except Refused:
        return
    assert accepts(schema, found.canonical)
    assert reader.read(found.canonical, UTC) == found
    assert reader._read_fully(found.canonical, UTC) == found


@given(value=VALUES)
def test_a_value_of_a_schema_that_contains_itself_is_coerced_at_every_level(value: Any):
    """The same three promises hold where a shape has no end."""
    schema = one({"$ref": "#/$defs/node"}) | RECURSIVE
    found, _ = again({"x": value}, schema)
    assert again(found, schema)[0] == found
    if accepts(schema, {"x": value}):
        assert found == {"x": value} and accepts(schema, found)
