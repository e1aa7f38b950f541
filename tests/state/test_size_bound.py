"""A document's size is bounded without measuring it, and the bound is never too low."""

from collections.abc import Iterator
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from switchboard.contract.store import SERVER_TIME, ArrayUnion, GeoPoint, Increment, Reference, Vector
from switchboard.state.size_bound import measured
from switchboard.state.stored import size
from switchboard.state.value import checked_fields, is_special

SIMPLE = st.one_of(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats() | st.binary(max_size=9),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=9) | st.datetimes(timezones=st.timezones()),
    st.sampled_from([GeoPoint(1.5, -2), Reference("a/b"), Reference("a/b/c/d")]),
)
NAMES = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=5).filter(lambda n: "__" not in n)
VALUES = st.recursive(
    SIMPLE | st.lists(st.floats(-1, 1), min_size=1, max_size=9).map(lambda numbers: Vector(tuple(numbers))),
    lambda inner: st.dictionaries(NAMES, inner, max_size=4) | st.lists(SIMPLE, max_size=5),
    max_leaves=8,
)
INSTRUCTIONS = st.sampled_from([SERVER_TIME, Increment(), Increment(0.5), ArrayUnion((1, "a", b"bytes"))])


@given(st.dictionaries(NAMES, VALUES | INSTRUCTIONS, max_size=5))
def test_no_fields_count_for_more_than_their_bound(fields: dict[str, Any]):
    """Otherwise a document could grow beyond what the store takes."""
    checked = checked_fields(fields, specials=True)
    assert size(checked) <= measured(checked)[0]


@given(st.dictionaries(NAMES, VALUES | INSTRUCTIONS | st.dictionaries(NAMES, INSTRUCTIONS, max_size=2), max_size=5))
def test_no_instruction_is_overlooked_where_fields_are_measured(fields: dict[str, Any]):
    """Fields that are taken for plain values are stored as they are."""
    checked = checked_fields(fields, specials=True)
    others = measured(checked)[1]
    assert [value for value in others if is_special(value)] == list(instructions(checked))


def instructions(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        for inner in value.values():
            yield from instructions(inner)
    elif is_special(value):
        yield value
