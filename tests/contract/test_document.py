"""Fields of documents are read as what they should be, or as nothing; none of them breaks a call."""

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchboard.contract import document

AT = datetime(2026, 7, 1, 9, tzinfo=UTC)
NAIVE = datetime(2026, 7, 1, 9)

READINGS: list[tuple[Any, Any, Any]] = [
    (document.text, " as it is ", " as it is "),
    (document.text, None, ""),
    (document.text, 7, ""),
    (document.text, ["a"], ""),
    (document.integer, 7, 7),
    (document.integer, -7, -7),
    (document.integer, True, 0),
    (document.integer, 7.0, 0),
    (document.integer, "7", 0),
    (document.integer, None, 0),
    (document.moment, AT, AT),
    (document.moment, NAIVE, None),
    (document.moment, "2026-07-01T09:00:00Z", None),
    (document.mapping, {"a": 1}, {"a": 1}),
    (document.mapping, [("a", 1)], {}),
    (document.mapping, None, {}),
    (document.json_object, {"a": 1}, {"a": 1}),
    (document.json_object, "{}", {}),
    (document.items, [1, "a"], [1, "a"]),
    (document.items, "abc", []),
    (document.items, {"a": 1}, []),
    (document.strings, ["a", 1, None, "b", ["c"]], ("a", "b")),
    (document.strings, "abc", ()),
]


@pytest.mark.parametrize(("read", "value", "meant"), READINGS)
def test_a_field_reads_as_what_it_should_be_or_as_if_it_were_not_there(read: Any, value: Any, meant: Any):
    """Whoever wrote it: an owner, somebody with the console, a version before this one."""
    assert read(value) == meant


def test_a_number_that_is_none_reads_as_what_is_usual():
    """Where nothing is something else than 0."""
    assert [document.integer(value, 1) for value in (3, "3", None, False)] == [3, 1, 1, 1]


@given(st.recursive(st.none() | st.booleans() | st.floats() | st.text() | st.datetimes(), st.lists, max_leaves=5))
def test_nothing_that_can_be_stored_breaks_a_reader(value: Any):
    """Each gives a value of its own kind."""
    assert isinstance(document.text(value), str)
    assert type(document.integer(value)) is int
    assert all(isinstance(item, str) for item in document.strings(value))
    assert document.moment(value) is None or document.moment(value).tzinfo is not None
