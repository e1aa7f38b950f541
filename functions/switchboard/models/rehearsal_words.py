"""A tool's result in plain words, as far as that can be done without understanding it."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from switchboard.contract.json import JsonObject

_TEXTS = ("text", "answer", "content", "summary", "snippet")
_SILENT = frozenset(
    {"id", "bookingid", "timezone", "durationminutes", "kind", "score", "source", "updatedat", "repeated"}
)
_MOST_ROWS = 3
_LONGEST = 400


def describe(tool: str, data: JsonObject) -> str:
    """Return one or two sentences about what a tool answered."""
    if data.get("booked") is True:
        return f"You are booked: {_phrase(data, ('service', 'startTime', 'customerName'))}."
    texts = list(_texts(data))[:_MOST_ROWS]
    if texts:
        return " ".join(texts)[:_LONGEST]
    rows = [value for value in data.values() if isinstance(value, list)]
    if rows and not any(rows):
        return "I found nothing about that. Shall I take a message?"
    words = "; ".join(_pairs(data))
    return f"Here is what I found: {words[:_LONGEST]}." if words else "That is done."


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        yield from (value[name] for name in _TEXTS if isinstance(value.get(name), str) and value[name])
        for inner in value.values():
            if isinstance(inner, list | dict):
                yield from _texts(inner)
    elif isinstance(value, list):
        for inner in value[:_MOST_ROWS]:
            yield from _texts(inner)


def _phrase(data: JsonObject, names: tuple[str, ...]) -> str:
    return ", ".join(_spell(data[name]) for name in names if data.get(name))


def _pairs(data: JsonObject) -> Iterator[str]:
    for name, value in data.items():
        if name.lower() in _SILENT or value in (None, "", [], {}):
            continue
        if isinstance(value, list):
            yield f"{_words(name)}: " + ", ".join(_spell(item) for item in value[:_MOST_ROWS])
        elif isinstance(value, dict):
            yield f"{_words(name)}: {_spell(value)}"
        else:
            yield f"{_words(name)}: {_spell(value)}"


def _spell(value: Any) -> str:
    if value is True or value is False:
        return "yes" if value else "no"
    if isinstance(value, dict):
        return " ".join(_spell(v) for k, v in value.items() if k.lower() not in _SILENT and v not in (None, "", [], {}))
    if isinstance(value, list):
        return ", ".join(_spell(item) for item in value) or "none"
    text = str(value)
    if len(text) >= 16 and text[4:5] == text[7:8] == "-":
        try:
            moment = datetime.fromisoformat(text)
        except ValueError:
            return text
        return f"{moment:%A, %B} {moment.day} at {moment:%H:%M}"
    return text


def _words(name: str) -> str:
    return "".join(f" {c.lower()}" if c.isupper() else c for c in name).replace("_", " ").strip()
