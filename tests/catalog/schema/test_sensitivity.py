"""What of a value is shown, by how its schema declares it: secrets to nobody, what may be personal not to everybody."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchboard.catalog.schema.sensitivity import MASK, MaskedPart, MaskReason, holds_secret, shown_to
from tests.each import each

PLAIN, SECRET = {"x-personal": False}, {"x-secret": True}
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "service": {"type": "string", "x-personal": False},
        "name": {"type": "string"},
        "code": {"type": "string", "x-secret": True},
        "urgency": {"enum": ["low", "high"]},
        "silent": {"type": "boolean"},
        "place": {"type": "object", "x-personal": False, "properties": {"room": {}, "guest": {"x-personal": True}}},
        "people": {"type": "array", "items": {"$ref": "#/$defs/person"}},
    },
    "$defs": {"person": {"type": "object", "properties": {"age": PLAIN, "name": {}, "pin": SECRET}}},
}
VALUE = {
    "service": "Haircut",
    "name": "Ana",
    "code": "4711",
    "urgency": "high",
    "silent": True,
    "place": {"room": "blue", "guest": "Bea", "view": "sea"},
    "people": [{"age": 30, "name": "Cem", "pin": "1"}],
}


def places(value: Any, schema: Any, *, may_see_personal: bool) -> dict[str, str]:
    """Return why what is not shown, by its place."""
    return {one.at: one.reason.value for one in shown_to(value, schema, may_see_personal=may_see_personal).masked}


@pytest.mark.requirement("004-810")
def test_secrets_are_shown_to_nobody_and_all_else_to_whoever_may_see_what_is_personal():
    """Also in lists, and behind references."""
    shown = shown_to(VALUE, SCHEMA, may_see_personal=True)
    assert shown.value == VALUE | {"code": MASK, "people": [{"age": 30, "name": "Cem", "pin": MASK}]}
    assert shown.masked == (
        MaskedPart("/code", MaskReason.SECRET),
        MaskedPart("/people/0/pin", MaskReason.SECRET),
    )


@pytest.mark.requirement("004-810")
def test_who_may_not_see_what_is_personal_sees_what_is_declared_to_name_nobody():
    """Which an object says of all in it, until something in it says otherwise."""
    shown = shown_to(VALUE, SCHEMA, may_see_personal=False)
    assert shown.value == {
        "service": "Haircut",
        "name": MASK,
        "code": MASK,
        "urgency": "high",
        "silent": True,
        "place": {"room": "blue", "guest": MASK, "view": "sea"},
        "people": [{"age": 30, "name": MASK, "pin": MASK}],
    }


@each(
    ("value", "schema", "expected"),
    [
        ("Ana", None, {"": "personal"}),
        ({"a": 1}, None, {"": "personal"}),
        ({"Ana": 1, "Bea": 2}, {"properties": {}}, {"/•••": "personal"}),
        ({"Ana": 1}, {"additionalProperties": PLAIN}, {}),
        (["a", "b"], {"items": PLAIN}, {}),
        (["a", "b"], {"prefixItems": [PLAIN]}, {"/1": "personal"}),
        ("urgent", {"enum": ["low", "high"]}, {"": "personal"}),
        ("low", {"enum": ["low"], "x-personal": True}, {"": "personal"}),
        ("a", {"anyOf": [PLAIN, {"x-personal": True}]}, {"": "personal"}),
        ("a", {"anyOf": [PLAIN, SECRET]}, {"": "secret"}),
        ("loose words", {"properties": {"pin": SECRET}}, {"": "secret"}),
        ({"a/b~": "c"}, {"properties": {"a/b~": SECRET}}, {"/a~1b~0": "secret"}),
        ({"pin1": "c"}, {"additionalProperties": True, "patternProperties": {"^pin": SECRET}}, {"/pin1": "secret"}),
        (None, None, {}),
    ],
)
def test_each_declaration_counts_and_what_nobody_declared_may_be_personal(value: Any, schema: Any, expected: Any):
    """The stricter one, where two speak of the same."""
    assert places(value, schema, may_see_personal=False) == expected


def test_what_is_nested_beyond_reason_is_not_shown():
    """And breaks nothing."""
    schema: Any = {"items": {"$ref": "#"}}
    value: Any = "end"
    for _ in range(60):
        value = [value]
    shown = shown_to(value, schema, may_see_personal=True)
    assert [one.reason for one in shown.masked] == [MaskReason.NESTED]


def test_a_schema_in_a_circle_holds_no_secret_for_ever():
    """It is looked through once."""
    assert not holds_secret({"$ref": "#"}, {"$ref": "#"})
    assert holds_secret(SCHEMA, SCHEMA["properties"]["people"])


WORDS = st.recursive(
    st.sampled_from(["Ana", "4711", 7, None, True]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["name", "x", "people"]), inner),
    max_leaves=8,
)


@given(WORDS, st.booleans())
def test_a_secret_never_shows_whatever_form_it_comes_in(value: Any, may_see_personal: bool):
    """What is of another form than was declared is masked as a whole."""
    schema = {"type": "object", "properties": {"pin": SCHEMA}}
    shown = shown_to({"pin": {"code": {"any": ["s3cret", value]}}}, schema, may_see_personal=may_see_personal)
    assert "s3cret" not in json.dumps(shown.value)
    other = shown_to({"pin": ["s3cret", value]}, schema, may_see_personal=may_see_personal)
    assert "s3cret" not in json.dumps(other.value)
