"""Equal calls have equal hashes, however a model spells them."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchboard.contract.call import arguments_hash, canonical, effect_key, spelling
from tests.each import each

SAME = [
    ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
    ({"name": "Ana  Lopez "}, {"name": "Ana Lopez"}),
    ({"name": "Jose\u0301"}, {"name": "Jos\u00e9"}),
    ({"n": 3.0}, {"n": 3}),
    ({"a": {"x": 1, "y": [1.0, "a  b"]}}, {"a": {"y": [1, "a b"], "x": 1}}),
]
DIFFERENT = [
    ({"a": 1}, {"a": 2}),
    ({"a": 1}, {"a": "1"}),
    ({"a": [1, 2]}, {"a": [2, 1]}),
    ({"a": True}, {"a": 1}),
    ({"a": None}, {}),
]

TEXT = st.text() | st.text(' ab"\\\t\x7f\x1f', max_size=8)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)


@pytest.mark.parametrize(("one", "other"), SAME)
def test_spelling_does_not_make_another_call(one, other):
    """Key order, blanks, unicode form and 3.0 for 3 are spelling."""
    assert arguments_hash("t", one) == arguments_hash("t", other)


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_another_value_makes_another_call(one, other):
    """Values, types and the order of lists are meaning."""
    assert arguments_hash("t", one) != arguments_hash("t", other)


def test_the_effect_key_is_bound_to_business_session_and_tool():
    """The same words in another business or conversation are another wish."""
    keys = {
        effect_key("b1", "s1", "t", {"a": 1}),
        effect_key("b2", "s1", "t", {"a": 1}),
        effect_key("b1", "s2", "t", {"a": 1}),
        effect_key("b1", "s1", "u", {"a": 1}),
    }
    assert len(keys) == 4
    assert effect_key("b1", "s1", "t", {"a": 1}) in keys


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(st.text(max_size=8), json_values, max_size=5))
def test_the_canonical_form_of_a_canonical_form_is_itself(arguments):
    """Canonicalising twice changes nothing, whatever the arguments."""
    once = canonical(arguments)
    assert canonical(json.loads(once)) == once


@given(st.dictionaries(TEXT, VALUES, max_size=4))
def test_it_is_the_canonical_one(arguments: dict[str, Any]):
    """The ledger's hashes and keys are made of it, on every instance."""
    assert spelling(arguments) == canonical(arguments)


@each(
    "arguments",
    [
        {},
        {"b": 1, "a": None, "c": True},
        {"word": "two words"},
        {"word": "  two   words "},
        {" a ": 1},
        {"word": "\ud800"},
        {"word": "ﬁ"},
        {"number": 2**64},
        {"number": 3.0},
        {"list": ["x  y", {"b": 1.0}]},
    ],
)
def test_no_liberty_makes_another_one(arguments: dict[str, Any]):
    """Blanks, order, unicode forms and numbers that are whole."""
    assert spelling(arguments) == canonical(arguments)
