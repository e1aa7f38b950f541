"""Arguments have one spelling, whichever way it was found."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from switchboard.catalog.arguments.canonical_json import spelling
from switchboard.contract.call import canonical
from tests.each import each

TEXT = st.text() | st.text(' ab"\\\t\x7f\x1f', max_size=8)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)


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
