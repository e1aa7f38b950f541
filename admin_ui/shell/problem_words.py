"""What is wrong with what was entered, in the words of the pages: a row by its number, a field by its label."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from admin_ui.shell import words

_ROWS = {
    "services": "Service",
    "rules": "Person",
    "needs": "What it takes up",
    "absences": "Absence",
    "calendars": "Calendar",
    "otherPhones": "Other number",
    "fillers": "Words while something takes a moment",
    "parameters": "Parameter",
    "headers": "Header",
    "recipients": "Recipient",
    "exceptions": "Special day",
}
"""What one of a list is called on the pages."""
_MISSING = ("is required.", "must not be empty.", "must be text, and not be empty.", "must not be blank.")
# Of a form for an account, what stands in it is meant.
_OF_A_FORM = re.compile(r"^(?:config|sensitiveConfig)\.")
_STEP = re.compile(r"([^.\[\]]+)((?:\[\d+\])*)")
_NUMBER = re.compile(r"\[(\d+)\]")
_PATH = re.compile(r"\b[A-Za-z]+(?:\.[A-Za-z]+)*(?:\[\d+\](?:\.[A-Za-z]+)*)+")
# A pattern holds blanks only where it says so; what follows it begins behind a semicolon.
_PATTERN = re.compile(r"must match the pattern [^;]+(?=;|$)")


def told(problem: Mapping[str, Any]) -> str:
    """Return what is wrong as people read it, such as `Service 11 has no name.`"""
    path, message = str(problem.get("field") or ""), str(problem.get("message") or "")
    if not path or not message.startswith(path):
        return _PATTERN.sub("is not written as it has to be", _PATH.sub(lambda found: place(found[0]), message))
    rest = message[len(path) :].lstrip(": ")
    row, name = _apart(path)
    if row and name and rest in _MISSING:
        return f"{row} has no {name.casefold()}."
    where = f"{row}: {name.casefold()}" if row and name else row or name
    joined = f"{where}{message[len(path) :]}"
    return _PATTERN.sub("is not written as it has to be", _PATH.sub(lambda found: place(found[0]), joined))


def place(path: str) -> str:
    """Return where something stands as people say it, such as `Service 11, name`."""
    row, name = _apart(path)
    return f"{row}, {name.casefold()}" if row and name else row or name


def _apart(path: str) -> tuple[str, str]:
    """Return the row that a path leads to, empty where it leads to none, and the field within it."""
    path = _OF_A_FORM.sub("", path)
    steps = [(name, [int(at) + 1 for at in _NUMBER.findall(numbers)]) for name, numbers in _STEP.findall(path)]
    last = max((at for at, (_, numbers) in enumerate(steps) if numbers), default=-1)
    rows = [f"{_ROWS.get(name) or words.field(name)} {numbers[0]}" for name, numbers in steps[: last + 1] if numbers]
    return ", ".join(rows), words.field(".".join(name for name, _ in steps[last + 1 :]))
