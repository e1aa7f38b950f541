"""Field values as Firestore's messages: each comes back as it was, and what others stored is understood."""

import enum
import math
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from google.api_core.datetime_helpers import DatetimeWithNanoseconds
from google.cloud.firestore_v1.types import document as document_types
from google.protobuf.timestamp_pb2 import Timestamp

from switchboard.contract.store import GeoPoint, Invalid, Reference, Vector
from switchboard.state.firestore.values import (
    DocumentMessage,
    ValueCodec,
    decode_time,
    encode_time,
    field_path,
    quoted,
)
from tests.each import each

Value = document_types.Value.pb()
CODEC = ValueCodec("projects/p/databases/(default)")
ELSEWHERE = "projects/other/databases/(default)/documents/a/b"


class Colour(enum.IntEnum):
    """A number with a name."""

    RED = 7


class OtherFloat(float):
    """A number as other libraries have them."""


def sent(value: Any) -> Any:
    """Return a value's message as it arrives: what is left at its default on the way is not sent."""
    message = Value()
    CODEC.encode(message, value)
    return Value.FromString(message.SerializeToString())


@each(
    "value",
    [
        None,
        True,
        False,
        0,
        -1,
        2**63 - 1,
        -(2**63),
        0.0,
        1.0,
        -2.5,
        math.inf,
        "",
        "naïve ✓",
        b"",
        b"\x00\xff",
        datetime(2026, 1, 2, 3, 4, 5, 678901, UTC),
        datetime(1970, 1, 1, tzinfo=UTC),
        datetime(1969, 12, 31, 23, 59, 59, 999999, UTC),
        datetime(1, 1, 1, tzinfo=UTC),
        datetime(9999, 12, 31, 23, 59, 59, 999999, UTC),
        [],
        [None, [], {}, "", 0],
        {},
        {"a": {}, "b": {"c": [{"d": None}]}, "": 1, "__type__": "mine"},
        Vector((0.0, -1.5, 2.0)),
        GeoPoint(0.0, 0.0),
        GeoPoint(-33.5, 151.25),
        Reference("a/b"),
        Reference("a/b/projects/x"),
        Reference(ELSEWHERE),
        {"deep": [{"v": Vector((1.0,)), "p": [GeoPoint(1.0, 2.0), Reference("a/b")]}]},
    ],
)
def test_a_value_comes_back_as_it_was(value: Any) -> None:
    """Of the same type too, whatever it stands in, and also where it is nothing but defaults."""
    returned = CODEC.decode(sent(value))
    assert (type(returned), returned) == (type(value), value)
    assert CODEC.decode(sent({"in": [value]}))["in"] == [value]


def test_what_is_not_a_number_comes_back_as_that() -> None:
    """It equals nothing, not even itself."""
    assert math.isnan(CODEC.decode(sent(math.nan)))
    assert math.copysign(1, CODEC.decode(sent(-0.0))) == -1


@each(
    ("value", "stored"),
    [
        (Colour.RED, 7),
        (OtherFloat(1.5), 1.5),
        (DatetimeWithNanoseconds(2026, 1, 1, nanosecond=1_500, tzinfo=UTC), datetime(2026, 1, 1, 0, 0, 0, 1, UTC)),
        (datetime(2026, 1, 1, 2, tzinfo=timezone(timedelta(hours=2))), datetime(2026, 1, 1, tzinfo=UTC)),
    ],
)
def test_a_value_of_a_finer_type_is_stored_as_the_plain_one(value: Any, stored: Any) -> None:
    """Whatever libraries make of numbers and times."""
    returned = CODEC.decode(sent(value))
    assert (type(returned), returned) == (type(stored), stored)


def test_what_has_no_message_is_refused() -> None:
    """By the name of its type."""
    with pytest.raises(Invalid, match="set"):
        sent({1, 2})


def test_a_time_comes_back_without_the_librarys_own_type() -> None:
    """JSON libraries do not take it; what is finer than a microsecond is not Firestore's."""
    message = Value(timestamp_value=Timestamp(seconds=5, nanos=1_999))
    assert CODEC.decode(message) == datetime(1970, 1, 1, 0, 0, 5, 1, UTC)
    assert type(CODEC.decode(message)) is datetime


def test_a_value_of_a_kind_that_came_later_is_told() -> None:
    """Nothing is made up for it."""
    with pytest.raises(Invalid, match="newer"):
        CODEC.decode(Value())
    with pytest.raises(Invalid, match="function_value"):
        CODEC.decode(Value(function_value=document_types.Function.pb()(name="f")))


def test_a_document_has_the_path_below_its_database() -> None:
    """Its times are exact: a write may be conditioned on them."""
    message = DocumentMessage(name="projects/p/databases/(default)/documents/a/b c/d/e")
    CODEC.encode_fields(message.fields, {"n": 1})
    message.update_time.CopyFrom(Timestamp(seconds=7, nanos=123_456_789))
    message.create_time.CopyFrom(Timestamp(seconds=6, nanos=5_000))
    document = CODEC.decode_document(message)
    assert (document.path, document.data, document.id) == ("a/b c/d/e", {"n": 1}, "e")
    assert document.create_time == datetime(1970, 1, 1, 0, 0, 6, 5, UTC)
    assert type(document.create_time) is datetime


@each("nanos", [0, 1_000, 123_456_000, 123_456_789, 1])
def test_a_time_of_a_change_is_given_back_to_the_nanosecond(nanos: int) -> None:
    """Or nothing would ever be found unchanged."""
    stamp, again = Timestamp(seconds=1_790_000_000, nanos=nanos), Timestamp()
    encode_time(again, decode_time(stamp))
    assert again == stamp


@each(
    ("names", "spelled"),
    [
        (("a",), "a"),
        (("a", "b_1"), "a.b_1"),
        (("usage", "2026-01"), "usage.`2026-01`"),
        (("a.b", "ü"), "`a.b`.`ü`"),
        (("back`tick", "back\\slash"), "`back\\`tick`.`back\\\\slash`"),
        (("e f", "1"), "`e f`.`1`"),
    ],
)
def test_a_name_that_is_no_plain_word_is_quoted(names: tuple[str, ...], spelled: str) -> None:
    """Firestore would take it for something else."""
    assert field_path(names) == spelled


def test_a_dotted_path_is_quoted_part_by_part() -> None:
    """Its dots part it."""
    assert quoted("usage.2026-01.n") == "usage.`2026-01`.n"
