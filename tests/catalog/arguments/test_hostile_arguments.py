"""Whatever a model or a stranger sends as arguments ends in a refusal, at once."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchboard.catalog.arguments.arguments import ArgumentReader
from switchboard.contract.error import ErrorType, Refused
from tests.cpu_time import taking_less_than
from tests.each import each

READER = ArgumentReader(
    {
        "type": "object",
        "properties": {"service": {"type": "string"}, "price": {"type": "number"}, "anything": {}},
        "required": ["service"],
    }
)


def refusal(raw: Any) -> str:
    """Return the message with which arguments are refused."""
    with pytest.raises(Refused) as caught:
        READER.read(raw, UTC)
    assert caught.value.type is ErrorType.VALIDATION
    return caught.value.message


HOSTILE = {
    "no object": "[]",
    "text in text": '"{}"',
    "a key twice": '{"service": "a", "service": "b"}',
    "a key twice inside": '{"anything": {"a": 1, "a": 2}}',
    "NaN": '{"price": NaN}',
    "Infinity": '{"price": -Infinity}',
    "1e400": '{"price": 1e400}',
    "5,000 digits": '{"price": 1%s}' % ("0" * 5_000),
    "31 digits": '{"price": 1%s}' % ("0" * 30),
    "half a character": '{"service": "\\ud800"}',
    "half a character in a key": '{"\\ud800": 1}',
    "raw half a character": '{"service": "\ud800"}',
    "depth bomb of 100,000": '{"anything": ' + "[" * 100_000,
    "depth bomb within the size": '{"anything": ' + "[" * 16_000 + "]" * 16_000 + "}",
    "one too deep": '{"anything": ' + '{"a":' * 17 + "1" + "}" * 18,
    "too many values": '{"anything": [' + "0," * 600 + "0]}",
    "5 MB": '{"service": "%s"}' % ("x" * 5_000_000),
    "too many bytes": '{"service": "%s"}' % ("ü" * 20_000),
    "two values": '{"service": "a"} {"service": "b"}',
    "Python instead of JSON": "{'service': 'a'}",
    "a raw line break": '{"service": "a\nb"}',
    "a byte order mark": '\ufeff{"service": "a"}',
}


@each("raw", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_text_is_refused_at_once(raw: str):
    """Reference reliability, fault 15: VALIDATION in under 50 ms."""
    # What the first refusal of a process has to import is not measured.
    assert len(refusal(raw)) < 200
    with taking_less_than(0.05):
        refusal(raw)


def _nested(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = {"a": value}
    return value


@pytest.mark.parametrize(
    "raw",
    [
        pytest.param({"service": "\ud800"}, id="half a character"),
        pytest.param({"service": float("nan")}, id="NaN"),
        pytest.param({"price": float("inf")}, id="Infinity"),
        pytest.param({"price": 10**30}, id="a huge number"),
        pytest.param({"anything": 10**5_000}, id="a monstrous number"),
        pytest.param({"anything": _nested(100_000)}, id="a depth bomb"),
        pytest.param({"anything": [0] * 1_000_000}, id="a million values"),
        pytest.param({"service": "x" * 5_000_000}, id="5 MB"),
        pytest.param({1: 2}, id="a key that is no text"),
        pytest.param({"anything": datetime.now(UTC)}, id="no JSON"),
        pytest.param([], id="no object"),
        pytest.param(7, id="a number"),
    ],
)
def test_a_hostile_object_is_refused_at_once(raw: Any):
    """Arguments that come parsed pass the same limits."""
    with taking_less_than(0.5):
        assert len(refusal(raw)) < 300


NAMES = st.sampled_from(["service", "price", "anything", "other"])
VALUES = st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text(), st.lists, max_leaves=5)


@given(st.text() | st.dictionaries(NAMES, VALUES).map(json.dumps))
def test_no_text_makes_it_crash(text: str):
    """Whatever a model writes ends in arguments that the schema allows, or in a refusal."""
    try:
        found = READER.read(text, UTC).canonical
    except Refused:
        return
    assert found.keys() <= {"service", "price", "anything"}
    assert isinstance(found["service"], str)
    assert isinstance(found.get("price", 0), int | float)
