"""A list of objects in a document, read tolerantly."""

from typing import Any

from switchboard.contract.json import JsonObject


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


def objects_of(value: Any) -> list[JsonObject]:
    """Return the objects of a list, whatever else stands there; none where it is no list."""
    return [row for row in value if isinstance(row, dict)] if isinstance(value, list) else []
