"""Definitions written by strangers: unions, nesting and recursion are read, coerced, timed and refused rightly."""

from datetime import UTC, datetime
from typing import Any

import pytest

from switchboard.catalog.arguments.arguments import ArgumentReader
from switchboard.catalog.arguments.trusted_values import Provenance, declared
from switchboard.contract.definitions.definition import Definition, Kind
from switchboard.contract.error import Refused
from tests.cpu_time import taking_less_than
from tests.each import each
from tests.formats.definitions import one

NODE = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "size": {"type": "integer", "default": 1},
        "at": {"type": "string", "format": "date-time"},
        "children": {"type": "array", "items": {"$ref": "#/$defs/node"}},
        "next": {"anyOf": [{"$ref": "#/$defs/node"}, {"type": "null"}]},
    },
    "required": ["name"],
}
TREE = one({"$ref": "#/$defs/node"}) | {"$defs": {"node": NODE}}
PAYMENT = one(
    {
        "oneOf": [
            {
                "type": "object",
                "properties": {"by": {"const": "card"}, "cents": {"type": "integer"}, "at": {"$ref": "#/$defs/moment"}},
                "required": ["by", "cents"],
            },
            {
                "type": "object",
                "properties": {"by": {"const": "invoice"}, "days": {"type": "integer", "default": 14}},
                "required": ["by"],
            },
        ]
    }
) | {"$defs": {"moment": {"type": "string", "format": "date-time"}}}


def read(schema: dict[str, Any], value: Any) -> Any:
    """Return what a handler gets for the argument x."""
    return ArgumentReader(schema).read({"x": value}, UTC).values["x"]


def refusal(schema: dict[str, Any], value: Any) -> str:
    """Return the message with which the argument x is refused."""
    with pytest.raises(Refused) as caught:
        read(schema, value)
    return caught.value.message


def test_a_tree_is_read_to_its_leaves():
    """Numbers in quotes, times and defaults are brought into form at every level, behind null and in lists."""
    sent = {"name": "a", "size": "3", "children": [{"name": "b", "next": {"name": "c", "at": "2027-03-16T10:00:00Z"}}]}
    leaf = {"name": "c", "size": 1, "at": datetime(2027, 3, 16, 10, tzinfo=UTC)}
    assert read(TREE, sent) == {"name": "a", "size": 3, "children": [{"name": "b", "size": 1, "next": leaf}]}
    assert read(TREE, {"name": "a", "next": None}) == {"name": "a", "size": 1, "next": None}


@pytest.mark.parametrize(
    ("value", "says"),
    [
        ({"name": "a", "children": [{"size": 2}]}, "x.children[0].name: is required (text)"),
        ({"name": "a", "children": [{"name": "b", "nam": 2}]}, "x.children[0].nam: is not an argument; did you mean"),
        ({"name": "a", "children": [{"name": "b", "children": [{"name": 7}]}]}, "x.children[0].children[0].name: must"),
        ({"name": "a", "next": {"name": "b", "next": {"name": 7}}}, "x.next: next.name must be text (you sent"),
    ],
)
def test_what_is_wrong_deep_inside_is_named_by_its_place(value: Any, says: str):
    """Design §5: the message names what is wrong and what would be right, unknown keys included."""
    assert says in refusal(TREE, value)


def test_a_value_that_nests_without_end_is_refused():
    """Reference reliability, fault 15: depth is limited by what arguments may be, not by the schema."""
    value: dict[str, Any] = {"name": "a"}
    for _ in range(20):
        value = {"name": "a", "next": value}
    assert "nested too deeply" in refusal(TREE, value)


@pytest.mark.parametrize(
    ("value", "meant"),
    [
        ({"by": "card", "cents": "250"}, {"by": "card", "cents": 250}),
        ({"by": "Card ", "cents": "250"}, {"by": "card", "cents": 250}),
        ({"by": "invoice"}, {"by": "invoice", "days": 14}),
        (
            {"by": "card", "cents": 1, "at": "2027-03-16T10:00:00Z"},
            {"by": "card", "cents": 1, "at": datetime(2027, 3, 16, 10, tzinfo=UTC)},
        ),
    ],
)
def test_the_form_of_a_union_that_is_meant_is_read(value: Any, meant: Any):
    """A word tells the forms apart, so only one reading is possible."""
    assert read(PAYMENT, value) == meant


def test_a_union_is_corrected_in_the_form_that_is_meant():
    """What the other forms would ask for only confuses a model."""
    message = refusal(PAYMENT, {"by": "card", "cents": "much"})
    assert "cents must be a whole number" in message
    assert "invoice" not in message
    assert "does not go with what else was sent" not in refusal(PAYMENT, {"by": "cash"})


@each(
    ("inner", "value", "meant"),
    [
        ({"type": "array", "items": {"type": "array", "items": {"type": "integer"}}}, [["1", 2.0], []], [[1, 2], []]),
        ({"allOf": [{"$ref": "#/$defs/n"}], "description": "As Pydantic writes it."}, "5", 5),
        ({"$ref": "#/$defs/n", "maximum": 9}, "5", 5),
        ({"type": ["integer", "null"]}, "5", 5),
        ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, None, None),
        ({"prefixItems": [{"type": "string"}, {"type": "integer"}]}, ["3", "3"], ["3", 3]),
        (
            {"patternProperties": {"^s": {"type": "string"}}, "additionalProperties": {"type": "integer"}},
            {"s": "3"},
            {"s": "3"},
        ),
        ({"anyOf": [{"type": "array", "items": {"type": "integer"}}, {"type": "string"}]}, ["3"], [3]),
        (
            {"allOf": [{"type": "object", "properties": {"a": {"$ref": "#/$defs/n"}}}, {"minProperties": 1}]},
            {"a": "1"},
            {"a": 1},
        ),
    ],
)
def test_however_a_schema_is_composed_the_value_is_read(inner: dict[str, Any], value: Any, meant: Any):
    """Nested lists, both spellings of nullable, references beside other rules, lists by position."""
    assert read(one(inner) | {"$defs": {"n": {"type": "integer"}}}, value) == meant


def test_hundreds_of_properties_are_read_and_refused_in_time():
    """Every one of 450 is coerced; 450 unknown ones are counted, and eight are named."""
    schema = {"type": "object", "properties": {f"p{n}": {"type": "integer"} for n in range(600)}}
    reader = ArgumentReader(schema)
    with taking_less_than(0.5):
        assert reader.read({f"p{n}": str(n) for n in range(450)}, UTC).canonical == {f"p{n}": n for n in range(450)}
        with pytest.raises(Refused) as caught:
            reader.read({f"q{n}": 1 for n in range(450)}, UTC)
    assert caught.value.message.endswith("and 442 more")


def test_where_arguments_come_from_is_kept_beside_recursion():
    """A provided parameter is hidden from the model, whatever else the schema refers to."""
    own = {"type": "string", "description": "Own.", "x-trust": "signalling", "x-from": "caller_phone"}
    parameters = TREE | {"properties": TREE["properties"] | {"phone": own}}
    definition = Definition("store_tree", "records", Kind.ACTION, "Store it.", parameters)
    assert Provenance.of(parameters).sources.keys() == {"phone"}
    shown = declared(definition).parameters
    assert shown["properties"].keys() == {"x"} and shown["$defs"] == TREE["$defs"]
    assert ArgumentReader(shown).read({"x": {"name": "a", "size": "2"}}, UTC).canonical == {
        "x": {"name": "a", "size": 2}
    }
