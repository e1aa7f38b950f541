"""Bringing a model's arguments into the form the schema asks for, where only one reading is possible.

Models write "30" for 30, "True" for true and one word where a list of words is asked. A value that already has one of
the declared types is never touched, and nothing is guessed: what stays wrong is refused with a message.

Design §9: gaps and overlaps of daylight saving are refused or asked, never silently moved. A time that carries an
offset is an instant and needs no asking; one without is the business's local time; a bare date is the beginning of
that day, and no time at all where something is to happen then: nobody who names a day means midnight.
"""

import re
from calendar import monthrange
from collections.abc import Mapping
from contextlib import suppress
from copy import deepcopy
from datetime import MAXYEAR, MINYEAR, UTC, date, datetime, timedelta, tzinfo
from typing import Any, TypeAlias

from switchboard.catalog.schema.types import Shape, folded, kind_of
from switchboard.contract.json import JsonObject
from switchboard.contract.python.dataclass import dataclass

Place: TypeAlias = tuple[str | int, ...]
"""Where a value stands: argument names and list positions, from the top."""

_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?P<rest>(?:\.\d+)?(?:[eE][+-]?\d+)?)", re.ASCII)
_LONGEST_NUMBER = 32
_EXACT = 2**53  # beyond, a float no longer tells neighbouring whole numbers apart
_BOOLEANS = {"true": True, "false": False}

_FORM = re.compile(
    r"(?P<day>\d{4}-\d{2}-\d{2})"
    r"(?:[Tt ](?P<clock>\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?) ?(?P<offset>[Zz]|[+-]\d{2}:?\d{2})?)?",
    re.ASCII,
)
EXAMPLE = "2026-03-05T14:00"
_MIDNIGHT = re.compile(r"24:00(?::00(?:\.0+)?)?")


@dataclass(frozen=True, slots=True)
class ArgumentProblem:
    """What is wrong with one argument; the text fits behind its name, and `sent` is quoted if it is not None."""

    at: Place
    text: str
    sent: str | None = None


def coerced(
    value: Any, shape: Shape, zone: tzinfo, problems: list[ArgumentProblem], at: Place = (), *, with_time: bool = False
) -> Any:
    """Return a value in the form its shape asks for, defaults filled in, times as local time with offset.

    Idempotent. What cannot be coerced is returned as it is, for the validator to refuse; only a time that does not
    exist, or exists twice, is added to `problems` here, because the validator knows no zones; with `with_time` so is a
    date without a time.
    """
    value = _fitted(value, shape)
    if isinstance(value, str):
        if shape.words is not None:
            return _word(value, shape.words)
        return _moment(value, zone, problems, at, with_time=with_time) if shape.is_moment else value
    if isinstance(value, dict):
        value = _object(value, shape, zone, problems, at, with_time=with_time)
    elif isinstance(value, list):
        value = _list(value, shape, zone, problems, at, with_time=with_time)
    else:
        return value
    for form in shape.forms(value):
        value = coerced(value, form, zone, problems, at, with_time=with_time)
    return value


def with_moments(value: Any, shape: Shape | None, zone: tzinfo) -> Any:
    """Return a copy of a coerced and valid value with its times as aware `datetime` in `zone`."""
    if not isinstance(value, dict | list):
        return read_moment(value, zone) if shape and shape.is_moment and isinstance(value, str) else value
    forms = list(shape.forms(value)) if shape else []
    if isinstance(value, dict):
        value = {name: with_moments(item, shape and shape.at(name), zone) for name, item in value.items()}
    else:
        value = [with_moments(item, shape and shape.at(position), zone) for position, item in enumerate(value)]
    for form in forms:
        value = with_moments(value, form, zone)
    return value


def _fitted(value: Any, shape: Shape) -> Any:
    """Return the value as one of the declared types, if there is exactly one way."""
    kinds, kind = shape.types, kind_of(value)
    if kind == "number" and "integer" in kinds and "number" not in kinds and _is_whole(value):
        return int(value)
    if not kinds or kind in kinds or (kind == "integer" and "number" in kinds):
        return value
    if isinstance(value, str):
        converted = _from_text(value, kinds)
        if converted is not None:
            return converted
    if "array" in kinds and shape.items is not None and shape.items.is_scalar and _is_one_item(value):
        return [value]
    return value


def _is_one_item(value: Any) -> bool:
    # Text that opens a bracket is a list in quotes, not a list of one.
    is_list_in_quotes = isinstance(value, str) and value.lstrip()[:1] in ("[", "{")
    return isinstance(value, str | int | float) and not is_list_in_quotes


def _from_text(text: str, kinds: frozenset[str]) -> bool | int | float | None:
    """Return the number or boolean that a text spells, or None."""
    text = text.strip()
    if kinds & {"integer", "number"} and len(text) <= _LONGEST_NUMBER and (match := _NUMBER.fullmatch(text)):
        if not match["rest"]:
            return int(text)
        number = float(text)
        if _is_whole(number) and "integer" in kinds:
            return int(number)
        if "number" in kinds and abs(number) != float("inf"):
            return number
    return _BOOLEANS.get(text.casefold()) if "boolean" in kinds else None


def _is_whole(number: float) -> bool:
    return number.is_integer() and abs(number) <= _EXACT


def _word(value: str, words: tuple[Any, ...]) -> str:
    """Return the word of an enum that a text means, whatever its case and blanks; the text itself if it is unclear."""
    if value in words:
        return value
    alike = [word for word in words if isinstance(word, str) and folded(word) == folded(value)]
    return alike[0] if len(alike) == 1 else value


def _moment(value: str, zone: tzinfo, problems: list[ArgumentProblem], at: Place, *, with_time: bool) -> str:
    try:
        return read_moment(value, zone, with_time=with_time).isoformat()
    except ValueError as error:
        problems.append(ArgumentProblem(at, str(error), value))
        return value


def _list(
    value: list[Any], shape: Shape, zone: tzinfo, problems: list[ArgumentProblem], at: Place, *, with_time: bool
) -> list[Any]:
    inner = [shape.at(position) for position in range(len(value))]
    return [
        item if one is None else coerced(item, one, zone, problems, (*at, position), with_time=with_time)
        for position, (item, one) in enumerate(zip(value, inner, strict=True))
    ]


def _object(
    value: Mapping[str, Any], shape: Shape, zone: tzinfo, problems: list[ArgumentProblem], at: Place, *, with_time: bool
) -> JsonObject:
    fields: JsonObject = {}
    for name, item in value.items():
        inner = shape.at(name)
        if inner is None:
            fields[name] = item
        # Models that must send every property spell a missing one as null.
        elif item is not None or inner.takes_null or name in shape.required:
            fields[name] = coerced(item, inner, zone, problems, (*at, name), with_time=with_time)
    for name, default in shape.defaults.items():
        if name not in fields:
            fields[name] = coerced(deepcopy(default), shape.properties[name], zone, problems, (*at, name))
    return fields


def names_a_day(text: str) -> bool:
    """Tell whether a text names a date and no time."""
    match = _FORM.fullmatch(text.strip())
    return match is not None and match.group("clock") is None


def read_moment(text: str, zone: tzinfo, *, with_time: bool = False) -> datetime:
    """Return the time that a text means, aware, in `zone`.

    Args:
        text: ISO 8601.
        zone: Where it is meant, unless it carries an offset.
        with_time: Whether a bare date is none.

    Raises:
        ValueError: There is no such time, or there are two; the message says what would do, and fits behind "it".
    """
    match = _FORM.fullmatch(text.strip())
    if match is None:
        either = "" if with_time else f"a date such as {EXAMPLE[:10]}, or "
        raise ValueError(f"must be {either}a date and time such as {EXAMPLE}")
    day, clock, offset = match.group("day", "clock", "offset")
    try:
        moment = datetime.fromisoformat(f"{day}T{clock or '00:00'}{(offset or '').upper()}")
        if offset:
            moment = moment.astimezone(zone)
    except (ValueError, OverflowError):
        raise ValueError(f"is not a real date and time; {_instead_of(day, clock or '')}") from None
    if clock is None and with_time:
        raise ValueError(f"needs a time of day as well, such as {day}T14:00; ask which one is wanted")
    if not offset:
        moment = _first_of_day(moment, zone) if clock is None else _local(moment, zone)
    try:
        moment.astimezone(UTC)
    except OverflowError:  # on the calendar's first or last day the instant itself may lie beyond it
        raise ValueError(f"is not a real date and time; {_instead_of(day)}") from None
    if moment.utcoffset() is None or moment.utcoffset() % timedelta(minutes=1):  # type: ignore[operator]
        raise ValueError("is too long ago")  # before zones had whole minutes: RFC 3339 cannot write it
    return moment


def _instead_of(day: str, clock: str = "") -> str:
    """Return what would be right where a day, as `2026-02-30`, or the time behind it, as `24:00`, does not exist."""
    year, month, number = map(int, day.split("-"))
    if _MIDNIGHT.fullmatch(clock):
        with suppress(ValueError, OverflowError):
            return f"midnight at the end of that day is {date(year, month, number) + timedelta(days=1)}T00:00"
    if MINYEAR <= year <= MAXYEAR and 1 <= month <= 12 and number > (days := monthrange(year, month)[1]):
        return f"that month has {days} days, and its last one is {day[:8]}{days}"
    return f"write one such as {EXAMPLE}"


def _local(naive: datetime, zone: tzinfo) -> datetime:
    """Return the one moment at which the zone's clocks show a time."""
    first = naive.replace(tzinfo=zone)
    second = first.replace(fold=1)
    before, after = _offset(first), _offset(second)
    if before == after:
        return first
    if before > after:
        raise ValueError(
            f"happens twice, because the clocks go back; write {first.isoformat()} or {second.isoformat()}"
        )
    earlier, later = naive - (after - before), naive + (after - before)
    raise ValueError(f"does not exist, because the clocks go forward; use {_short(earlier)} or {_short(later)} instead")


def _first_of_day(midnight: datetime, zone: tzinfo) -> datetime:
    # Nobody asked for 00:00: where the clocks skip it the day begins later, where it comes twice, the first time.
    first = midnight.replace(tzinfo=zone)
    gap = _offset(first.replace(fold=1)) - _offset(first)
    return (midnight + gap).replace(tzinfo=zone) if gap > timedelta(0) else first


def _offset(moment: datetime) -> timedelta:
    return moment.utcoffset() or timedelta(0)


def _short(naive: datetime) -> str:
    return naive.isoformat(timespec="minutes")
