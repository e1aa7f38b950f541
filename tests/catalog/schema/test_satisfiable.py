"""Required arguments that no value satisfies are refused when saved; whatever some value satisfies is not."""

import time
from copy import deepcopy
from typing import Any

import jsonschema_rs
from hypothesis import given
from hypothesis import strategies as st

from switchboard.catalog.schema.schema import check_schema
from tests.each import each

ITSELF = {"type": "object", "properties": {"next": {"$ref": "#/$defs/t"}}, "required": ["next"]}
IMPOSSIBLE: list[Any] = [
    False,
    {"not": {}},
    {"allOf": [{"type": "string"}, {"type": "integer"}]},
    {"type": "string", "minLength": 5, "allOf": [{"maxLength": 2}]},
    {"type": "string", "enum": ["abc"], "maxLength": 2},
    {"type": "string", "enum": ["abc"], "pattern": "^x"},
    {"enum": [1, 2], "const": 3},
    {"type": "integer", "minimum": 1.2, "maximum": 1.8},
    {"type": "integer", "exclusiveMinimum": 3, "exclusiveMaximum": 4},
    {"type": "integer", "minimum": 1, "maximum": 4, "multipleOf": 5},
    {"type": "number", "exclusiveMinimum": 3, "maximum": 3},
    {"anyOf": [False, {"type": "string", "not": True}]},
    {"type": "string", "oneOf": [{"type": "integer"}, {"type": "null"}]},
    {"type": "array", "items": False, "minItems": 1},
    {"type": "array", "prefixItems": [{}, False], "minItems": 2},
    {"type": "string", "minLength": 1_000_000_000},
    {"type": "array", "minItems": 1_000_000_000},
    {"type": "object", "minProperties": 1_000_000_000},
    {"type": "array", "contains": False},
    {"type": "array", "contains": {}, "maxItems": 0},
    {"type": "object", "properties": {"b": {}, "c": {}}, "required": ["b", "c"], "maxProperties": 1},
    {"type": "object", "additionalProperties": False, "allOf": [{"required": ["b"]}]},
    {"type": "object", "propertyNames": False, "properties": {"b": {}}, "required": ["b"]},
    {"$ref": "#/$defs/t"},
]
POSSIBLE: list[Any] = [
    True,
    {},
    {"type": "string", "pattern": "^x"},
    {"type": "string", "minLength": 30_000},
    {"type": "array", "minItems": 400, "maxItems": 1_000_000_000},
    {"type": ["string", "null"], "minLength": 1_000_000_000},
    {"type": ["string", "integer"], "minimum": 5, "maxLength": 0},
    {"type": "integer", "exclusiveMinimum": 3, "maximum": 4},
    {"type": "integer", "maximum": -1},
    {"type": "number", "minimum": 3, "maximum": 3},
    {"type": "integer", "minimum": 1.5, "maximum": 2.5},
    {"allOf": [{"type": "number"}, {"type": "integer"}]},
    {"anyOf": [False, {"type": "null"}]},
    {"type": "array", "items": False},
    {"type": "array", "items": {"$ref": "#/$defs/list"}},
    {"type": "object", "properties": {"b": False}},
    {"type": "object", "additionalProperties": False, "patternProperties": {"^b": {}}, "required": ["b"]},
    {"not": {"type": "null"}},
]
DEFINITIONS = {"t": ITSELF, "list": {"type": "array", "items": {"$ref": "#/$defs/list"}}}


def of(inner: Any, *required: str) -> dict[str, Any]:
    """Return parameters with one argument, which may be required."""
    return {"type": "object", "properties": {"a": inner}, "required": list(required), "$defs": DEFINITIONS}


@each("inner", IMPOSSIBLE)
def test_a_required_argument_that_no_value_satisfies_is_refused_where_it_stands(inner: Any):
    """Left out it harms nobody, but required it makes a tool that no call can ever be right for."""
    [problem] = check_schema(of(inner, "a"))
    assert problem.field.startswith("/properties/a")
    assert str(problem).endswith("no value fits it; widen it, or take it out of required")
    assert check_schema(of(inner)) == []


@each("inner", POSSIBLE)
def test_a_required_argument_that_some_value_satisfies_is_not(inner: Any):
    """Patterns and conditions are not looked into."""
    assert check_schema(of(inner, "a")) == []


def test_the_innermost_is_blamed():
    """Rather than everything that holds it."""
    inner = {"type": "object", "properties": {"b": {"type": "string", "not": {}}}, "required": ["b"]}
    assert [p.field for p in check_schema(of(inner, "a"))] == ["/properties/a/properties/b"]
    apart = {"type": "object", "allOf": [{"properties": {"a": False}, "required": ["a"]}]}
    assert [p.field for p in check_schema(apart)] == ["/required"]


def test_an_intricate_schema_is_not_looked_through_for_ever():
    """Forms in forms multiply; beyond a bound the schema counts as possible."""
    forms = {"anyOf": [{"type": "object", "properties": {"a": {"minimum": n}}} for n in range(12)]}
    together = {"allOf": [deepcopy(forms) for _ in range(12)], "type": "string"}
    assert check_schema(of(together, "a")) == []


def test_all_required_arguments_together_are_looked_through_no_longer_than_one():
    """A schema is checked while callers wait: what is not decided in time counts as possible."""
    forms = {"anyOf": [{"type": "object", "properties": {"a": {"minimum": n}}} for n in range(5)]}
    names = [f"p{n}" for n in range(20)]
    intricate = {name: {"allOf": [deepcopy(forms) for _ in range(6)], "type": "string"} for name in names}
    began = time.process_time()
    assert check_schema({"type": "object", "properties": intricate, "required": names}) == []
    # A fortieth of that, and ten seconds where each has a bound of its own.
    assert time.process_time() - began < 2


def test_words_without_end_are_checked_in_a_moment():
    """All of them by one look: none fits, and the schema is refused."""
    words, began = [f"word {n}" for n in range(4_000)], time.process_time()
    [problem] = check_schema(of({"type": "string", "enum": words, "pattern": "^x"}, "a"))
    assert str(problem).endswith("no value fits it; widen it, or take it out of required")
    assert time.process_time() - began < 1


def test_a_large_schema_without_forms_is_looked_through_to_its_end():
    """What is refused at its end is found, whatever stands before it."""
    inner: Any = {"type": "string", "not": {}}
    for depth in range(10):
        fields = {f"f{depth}_{n}": {"type": "string", "minLength": 1} for n in range(40)}
        inner = {"type": "object", "properties": {**fields, "z": inner}, "required": [*fields, "z"]}
    [problem] = check_schema(of(inner, "a"))
    assert problem.field == "/properties/a" + "/properties/z" * 10


SCHEMAS = st.recursive(
    st.sampled_from(
        [
            *({}, True, False, {"type": "string"}, {"type": "integer", "minimum": 2}, {"maximum": 1}, {"const": 1}),
            *({"enum": ["a", 2, None]}, {"type": ["number", "null"]}, {"maxLength": 1}, {"minLength": 2}),
            *({"multipleOf": 3}, {"exclusiveMaximum": 2}, {"not": {"type": "string"}}, {"maxItems": 1}),
        ]
    ),
    lambda inner: st.one_of(
        st.builds(lambda x, y: {"allOf": [x, y]}, inner, inner),
        st.builds(lambda x, y: {"anyOf": [x, y]}, inner, inner),
        st.builds(lambda x, y: {"oneOf": [x, y]}, inner, inner),
        st.builds(lambda x, n: {"type": "array", "items": x, "minItems": n}, inner, st.integers(0, 2)),
        st.builds(lambda x, y: {"properties": {"b": x}, "required": ["b"], "additionalProperties": y}, inner, inner),
    ),
    max_leaves=6,
)
VALUES = st.recursive(
    st.sampled_from([None, True, 0, 1, 2, 3, 6, 1.5, "", "a", "ab"]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["b", "c"]), inner, max_size=2),
    max_leaves=4,
)


@given(SCHEMAS, VALUES)
def test_what_takes_a_value_is_never_called_impossible(schema: Any, value: Any):
    """Held against the validator itself."""
    if jsonschema_rs.Draft202012Validator({"properties": {"a": schema}}).is_valid({"a": value}):
        found = check_schema({"type": "object", "properties": {"a": schema}, "required": ["a"]})
        assert not [problem for problem in found if "no value fits it" in str(problem)]
