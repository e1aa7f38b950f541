"""Coercion helps and never harms: valid values stay, and doing it twice is doing it once."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo, available_timezones

import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchboard.catalog.arguments.arguments import ArgumentReader
from switchboard.catalog.arguments.coercion import ArgumentProblem, coerced, read_moment
from switchboard.catalog.schema.schema import check_schema
from switchboard.catalog.schema.types import shape_of
from switchboard.contract.error import Refused
from tests.each import each
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

HOUR = timedelta(hours=1)
ZONES = sorted(available_timezones())


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


def changes(zone: ZoneInfo) -> Iterator[tuple[datetime, timedelta]]:
    """Yield each change of a zone's clocks from 2026 to 2028: the last moment before it, and by how much they jump."""
    moment = datetime(2026, 1, 1, tzinfo=UTC)
    while moment.year < 2029:
        before, after = (m.astimezone(zone).utcoffset() for m in (moment, moment + 24 * HOUR))
        assert before is not None and after is not None
        if before != after:
            low, high = moment, moment + 24 * HOUR
            while high - low > timedelta(minutes=1):
                middle = low + (high - low) // 2
                low, high = (middle, high) if middle.astimezone(zone).utcoffset() == before else (low, middle)
            yield low.replace(second=0, microsecond=0), after - before
        moment += 24 * HOUR


@each("initial", sorted({zone[0] for zone in ZONES}))
def test_no_change_of_any_zone_moves_a_time(initial: str):
    """Every gap is refused with two times that exist, every overlap with two that mean different moments."""
    for name in (zone for zone in ZONES if zone.startswith(initial)):
        zone = ZoneInfo(name)
        for before, jump in changes(zone):
            shown = before.astimezone(zone).replace(tzinfo=None)
            inside = shown + timedelta(minutes=2) if jump > timedelta(0) else shown - timedelta(minutes=2)
            with pytest.raises(ValueError, match="clocks") as caught:
                read_moment(inside.isoformat(), zone)
            words = [word.rstrip(";") for word in str(caught.value).split() if word[:2] == "20"]
            # in UTC, because times of one zone are compared by what its clocks show
            one, two = (read_moment(word, zone).astimezone(UTC) for word in words)
            assert two - one == (abs(jump) if jump < timedelta(0) else jump)


@pytest.mark.parametrize(
    ("zone", "day", "first"),
    [
        ("Africa/Cairo", "2026-04-24", "2026-04-24T01:00:00+03:00"),  # midnight is skipped
        ("America/Havana", "2026-11-01", "2026-11-01T00:00:00-04:00"),  # midnight comes twice
        ("Europe/Berlin", "2026-03-29", "2026-03-29T00:00:00+01:00"),
    ],
)
def test_a_bare_date_is_the_first_moment_of_that_day(zone: str, day: str, first: str):
    """Nobody asked for 00:00: a date is never refused because the clocks skip or repeat midnight."""
    assert read_moment(day, ZoneInfo(zone)).isoformat() == first


def test_a_bare_date_is_no_time_for_what_is_to_happen_then():
    """Nobody who names a day wants to come at midnight; what would do is said."""
    with pytest.raises(ValueError, match="needs a time of day as well, such as 2026-12-17T14:00"):
        read_moment("2026-12-17", ZoneInfo("Europe/Berlin"), with_time=True)
    named = read_moment("2026-12-17T00:00", ZoneInfo("Europe/Berlin"), with_time=True)
    assert named.isoformat() == "2026-12-17T00:00:00+01:00"
    with pytest.raises(ValueError, match="not a real date"):
        read_moment("2026-02-30", ZoneInfo("Europe/Berlin"), with_time=True)


@each(
    "text",
    [
        "2026-W10-1",
        "20260305T140000",
        "2026-03-05T14",
        "2026-03-05T14:00:00+1",
        "2026-03-05T14:00:00 Europe/Berlin",
        "2026-03-05T14:00:60Z",
        "٢٠٢٦-03-05",
        "",
        "9999-12-31T23:59:59-14:00",
    ],
)
def test_only_plain_forms_are_read(text: str):
    """What other readers could understand differently is asked again."""
    with pytest.raises(ValueError, match=r"date and time"):
        read_moment(text, ZoneInfo("Asia/Tokyo"))


@pytest.mark.parametrize(
    ("zone", "text"),
    [
        ("America/Phoenix", "9999-12-31T23:59:59"),
        ("America/Phoenix", "9999-12-31T17:00:00-07:00"),
        ("Asia/Tokyo", "0001-01-01"),
        ("Asia/Tokyo", "0001-01-01T08:59:59"),
    ],
)
def test_a_time_whose_instant_lies_outside_the_calendar_is_refused(zone: str, text: str):
    """Whoever compares it with another zone's time would otherwise fail on it."""
    with pytest.raises(ValueError, match=r"not a real date|too long ago"):
        read_moment(text, ZoneInfo(zone))


@each(
    ("text", "with_time", "told"),
    [
        ("tomorrow", False, "must be a date such as 2026-03-05, or a date and time such as 2026-03-05T14:00"),
        ("tomorrow", True, "must be a date and time such as 2026-03-05T14:00"),
        ("2026-02-30", False, "is not a real date and time; that month has 28 days, and its last one is 2026-02-28"),
        (
            "2028-02-30T09:00",
            True,
            "is not a real date and time; that month has 29 days, and its last one is 2028-02-29",
        ),
        ("2026-13-01", False, "is not a real date and time; write one such as 2026-03-05T14:00"),
        ("2026-00-31", False, "is not a real date and time; write one such as 2026-03-05T14:00"),
        ("0000-02-30", False, "is not a real date and time; write one such as 2026-03-05T14:00"),
        ("2026-03-05T25:00", True, "is not a real date and time; write one such as 2026-03-05T14:00"),
        ("2026-12-31T24:00", True, "is not a real date and time; midnight at the end of that day is 2027-01-01T00:00"),
        (
            "2026-02-30T24:00",
            True,
            "is not a real date and time; that month has 28 days, and its last one is 2026-02-28",
        ),
        ("9999-12-31T24:00", True, "is not a real date and time; write one such as 2026-03-05T14:00"),
    ],
)
def test_a_time_that_is_none_is_told_with_one_that_would_do(text: str, with_time: bool, told: str):
    """In every form that is taken where it stands, so that no day alone is held for wrong where it is right."""
    with pytest.raises(ValueError) as caught:
        read_moment(text, UTC, with_time=with_time)
    assert str(caught.value) == told
    for example in told.replace(",", "").split():
        if example[:2] == "20":
            assert read_moment(example, UTC)
