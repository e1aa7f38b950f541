"""JSON from outside is read one way or not at all; request bodies pass the same reader as arguments."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchboard.contract.python.strict_json import Limits, MalformedJson, check_value, parse_json
from tests.each import each

NUMBERS = st.integers(-(2**63) + 1, 2**63 - 1) | st.floats(allow_nan=False, allow_infinity=False)
PLAIN = st.recursive(
    st.none() | st.booleans() | NUMBERS | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(PLAIN)
def test_what_json_can_carry_comes_back_unchanged(value: Any):
    """Strictness costs nothing that is JSON: text, bytes and both ways of writing characters."""
    for text in (json.dumps(value), json.dumps(value, ensure_ascii=False)):
        assert parse_json(text) == value
        assert parse_json(text.encode()) == value


@each(
    "text",
    [
        b"\xff",
        b'{"a": "\xed\xa0\x80"}',
        b"",
        b"\xef\xbb\xbf{}",
        b'{"a": 1, "a": 1}',
        b"[1,]",
        b"01",
        b"'a'",
        b"[" * 9_999,
    ],
)
def test_bytes_that_are_no_json_are_refused(text: bytes):
    """Other encodings, marks and liberties are refused with a reason."""
    with pytest.raises(MalformedJson, match=r"."):
        parse_json(text)


@pytest.mark.parametrize(
    "text",
    [
        '{"a": {"b": 1, "b": 2}}',
        r'{"a": "\"", "a": "\""}',
        r'{"a": 1, "\u0061": 2, "b": "\"\""}',
        r'{"a": "\u0022", "a": 1}',
        '[{"a": "b", "c": 1, "c": 1}]',
    ],
)
def test_no_quotes_in_a_text_hide_a_key_that_stands_there_twice(text: str):
    """However they are written: two readers would take different values."""
    with pytest.raises(MalformedJson, match="twice"):
        parse_json(text)


@pytest.mark.parametrize("number", [2**63, -(2**63), 2**64, 10**25])
def test_a_whole_number_is_never_taken_for_one_with_a_fraction(number: int):
    """What needs more than 64 bits would come back as another number."""
    with pytest.raises(MalformedJson, match="too large"):
        parse_json(f'{{"a": {number}}}')


@pytest.mark.parametrize("text", ["[[[1]]]", "[1,2,3,4,5]", '["ééééé"]', '"abcdefghi"'])
def test_a_text_is_held_against_the_limits_too(text: str):
    """Depth, number of values, and bytes, which are not characters."""
    with pytest.raises(MalformedJson):
        parse_json(text, Limits(depth=2, nodes=5, bytes=9))


@each(
    ("value", "fits"),
    [
        ([[1]], True),
        ([[[1]]], False),
        ([1, 2, 3, 4], True),
        ([1, 2, 3, 4, 5], False),
        ({"ab": "cd"}, True),
        ({"ab": "cde"}, False),
        ({"é": "é"}, True),
        ({"é": "éa"}, False),
    ],
)
def test_limits_are_exact(value: Any, fits: bool):
    """Depth counts containers' levels, nodes count every value, bytes count UTF-8."""
    limits = Limits(depth=2, nodes=5, bytes=4)
    if fits:
        check_value(value, limits)
    else:
        with pytest.raises(MalformedJson):
            check_value(value, limits)
