"""One value of a document, read tolerantly: as what it should be, or as nothing.

What is stored was written by owners, by people with the console, and by versions before this one; what vendors and
models send is no better. A field that is not what it should be reads as if it were not there.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from switchboard.contract.json import JsonObject


def text(value: object) -> str:
    """Return a text as it stands there; empty where it is none."""
    return value if isinstance(value, str) else ""


def integer(value: object, default: int = 0) -> int:
    """Return a whole number; the default where it is none. True and false are no numbers."""
    return value if isinstance(value, int) and not isinstance(value, bool) else default


def moment(value: object) -> datetime | None:
    """Return a moment; None where it is none, or nobody could tell in which zone it is meant."""
    return value if isinstance(value, datetime) and value.tzinfo is not None else None


def mapping(value: object) -> Mapping[str, Any]:
    """Return an object; empty where it is none."""
    return value if isinstance(value, Mapping) else {}


def items(value: object) -> list[Any]:
    """Return a list with whatever stands in it; empty where it is none."""
    return value if isinstance(value, list) else []


def strings(value: object) -> tuple[str, ...]:
    """Return the texts of a list, whatever else stands there; empty where it is none."""
    return tuple(item for item in items(value) if isinstance(item, str))


def json_object(value: object) -> JsonObject:
    """Return a JSON object as it may be written to; empty where it is none."""
    return value if isinstance(value, dict) else {}


def objects_of(value: object) -> list[JsonObject]:
    """Return the objects of a list, whatever else stands there; none where it is no list."""
    return [row for row in items(value) if isinstance(row, dict)]


def read_objects(value: Any, where: str, problems: list[str]) -> list[JsonObject]:
    """Return the objects of a list; none where there is nothing.

    Args:
        value: The list, as the document has it, or None.
        where: What it is called in a problem, such as `services`.
        problems: Takes what is wrong: it is no list, or something in it is no object and left out.
    """
    if value is None:
        return []
    if not isinstance(value, list):
        problems.append(f"{where}: expected a list, found {type(value).__name__}")
        return []
    good = objects_of(value)
    if len(good) < len(value):
        problems.append(f"{where}: every entry must be an object; {len(value) - len(good)} left out")
    return good
