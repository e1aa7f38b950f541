"""How a record is told in JSON."""

from dataclasses import field
from enum import StrEnum

from switchboard.contract.json import JsonObject, ToldAsJson, as_json, at_path
from switchboard.contract.python.dataclass import dataclass


class _Colour(StrEnum):
    RED = "red"


@dataclass(frozen=True, slots=True)
class _Part:
    count: int

    def to_json(self) -> JsonObject:
        return as_json(self, is_none=not self.count)


@dataclass(frozen=True, slots=True)
class _Whole(ToldAsJson):
    is_red: bool
    colour: _Colour
    parts: tuple[_Part, ...]
    by_name: dict[str, _Part] = field(default_factory=dict)


WHOLE = _Whole(True, _Colour.RED, (_Part(0),), {"one_of_them": _Part(1)})


def test_a_record_is_told_by_its_fields_and_what_it_holds_likewise() -> None:
    """Fields are named as JSON names them; the names in an object of its own stay as they are."""
    assert WHOLE.to_json() == {
        "isRed": True,
        "colour": "red",
        "parts": [{"count": 0, "isNone": True}],
        "byName": {"one_of_them": {"count": 1, "isNone": False}},
    }
    assert type(WHOLE.to_json()["colour"]) is str


def test_fields_are_left_out_replaced_and_added() -> None:
    """What is given stands in place of a field of that name, or beside the fields."""
    told = as_json(WHOLE, without=("parts", "by_name"), colour="blue", may_be_sold=False)
    assert told == {"isRed": True, "colour": "blue", "mayBeSold": False}


def test_what_stands_at_a_path_is_found_where_it_leads_through_objects_alone() -> None:
    """What is not there, or lies in a list, is what stands otherwise; null is something."""
    document = {"a": {"b": {"c": None}, "list": [{"d": 1}]}}
    assert at_path(document, "a.b") == {"c": None}
    assert at_path(document, "a.b.c", "none") is None
    for path in ("b", "a.list.d", "a.b.c.d"):
        assert at_path(document, path, "none") == "none"
