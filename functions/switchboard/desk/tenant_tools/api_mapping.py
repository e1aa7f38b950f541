"""The owner's mapping of an answer: which part of it counts, which fields, and in which words.

`{from?: path, pick?: {name: path}, text?: template}`. A path is names and positions, `data.items[0].name`; `[*]` stands
for every entry of a list; a name with other characters is quoted, `["opening hours"]`. `pick` is done for every entry
where `from` leads to a list. The template's `{{path}}`s are filled from what was picked.
"""

import re
from collections.abc import Mapping
from typing import Any

import orjson

from switchboard.contract.error import ErrorType, ToolError
from switchboard.desk.tenant_tools.api_answer import MOST_ENTRIES

_STEP = re.compile(
    r"""\.?(?P<name>[^.\[\]"'\s{}]+)|\[(?P<index>-?\d{1,6}|\*)\]|\[(?P<quote>["'])(?P<quoted>.+?)(?P=quote)\]"""
)
_HOLE = re.compile(r"\{\{([^{}]+)\}\}")
_LONGEST_PATH = 500
_LONGEST_TEXT = 4_000
_MOST_NAMES = 50
# One more than is shown, so that it is noticed that something was left out.
_READ = MOST_ENTRIES + 1
_EVERY = "*"


def mapped(value: Any, mapping: Mapping[str, Any]) -> Any:
    """Return what the owner's mapping makes of an answer; without one, the answer. What is not there is None.

    Raises:
        ToolError: PERMANENT, the mapping cannot be understood.
    """
    if mapping.get("from"):
        value = at(value, mapping["from"])
    pick = mapping.get("pick")
    if pick:
        if not isinstance(pick, Mapping) or len(pick) > _MOST_NAMES:
            raise _unclear("pick", pick)
        steps = {str(name): read_path(path) for name, path in pick.items()}
        value = [_picked(entry, steps) for entry in value[:_READ]] if isinstance(value, list) else _picked(value, steps)
    text = mapping.get("text")
    if not text:
        return value
    if not isinstance(text, str) or len(text) > _LONGEST_TEXT:
        raise _unclear("text", text)
    entries = value[:MOST_ENTRIES] if isinstance(value, list) else [value]
    return "\n".join(_HOLE.sub(lambda hole: _said(at(entry, hole[1].strip() or hole[1])), text) for entry in entries)  # noqa: B023


def at(value: Any, path: Any) -> Any:
    """Return what a path leads to, or None.

    Raises:
        ToolError: PERMANENT, it is no path.
    """
    return _followed(value, read_path(path))


def read_path(path: Any) -> tuple[str | int, ...]:
    """Return the steps of a path: names, positions, and `*` for every entry; a leading `$` is left out.

    Raises:
        ToolError: PERMANENT, it is no path.
    """
    if not isinstance(path, str) or len(path) > _LONGEST_PATH:
        raise _unclear("path", path)
    text = path.strip().removeprefix("$")
    steps: list[str | int] = []
    while text:
        step = _STEP.match(text)
        if step is None:
            raise _unclear("path", path)
        index = step["index"]
        if index is not None:
            steps.append(_EVERY if index == _EVERY else int(index))
        else:
            steps.append(step["name"] or step["quoted"])
        text = text[step.end() :]
    return tuple(steps)


def _picked(value: Any, steps: Mapping[str, tuple[str | int, ...]]) -> dict[str, Any]:
    return {name: _followed(value, path) for name, path in steps.items()}


def _followed(value: Any, steps: tuple[str | int, ...]) -> Any:
    for place, step in enumerate(steps):
        if step == _EVERY and isinstance(value, list):
            rest = steps[place + 1 :]
            return [_followed(entry, rest) for entry in value[:_READ]]
        if isinstance(value, Mapping):
            value = value.get(str(step))
        elif isinstance(value, list):
            value = _entry(value, step)
        else:
            return None
    return value


def _entry(entries: list[Any], step: str | int) -> Any:
    # `items.0` means what `items[0]` does.
    position = int(step) if isinstance(step, int) or step.isdecimal() else None
    return entries[position] if position is not None and -len(entries) <= position < len(entries) else None


def _said(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else orjson.dumps(value).decode()


def _unclear(what: str, found: Any) -> ToolError:
    return ToolError(
        ErrorType.PERMANENT,
        "The service answered, but this tool is set up in a way that its answer cannot be read; its owner has to "
        "change it.",
        detail=f"api request: response.{what} is {str(found)[:80]!r}",
    )
