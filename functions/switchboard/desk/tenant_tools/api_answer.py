"""What an owner's service answered, as a value that a model can read: JSON as it is, anything else as text; bounded.

The owner's mapping is `{from?: path, pick?: {name: path}, text?: template}`, with paths as `answer_path` has them; what
of an answer means that something was done is for `api_success` to say. `pick` is done for every entry where `from`
leads to a list. The template's `{{path}}`s are filled from what was picked.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any

import orjson

from switchboard.contract.definitions.answer_path import EVERY, HOLE, LONGEST_TEXT, MOST_PICKED, steps_of
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.python.dataclass import dataclass
from switchboard.desk.untrusted_text import quoted

TEXT_CHARACTERS = 6_000
MOST_ENTRIES = 100
"""The most that is shown of a list or an object."""
_NAME_CHARACTERS = 200
_MOST_VALUES = 2_000
_DEEPEST = 8
_CHARSETS = {"utf-8", "us-ascii", "iso-8859-1", "iso-8859-15", "windows-1252", "utf-16"}
_CHARSET = re.compile(r"charset\s*=\s*[\"']?([\w-]+)", re.IGNORECASE)
_BINARY = re.compile(r"(?:image|audio|video|font)/|application/(?:octet-stream|pdf|zip|gzip)", re.IGNORECASE)
_STORABLE = 2**63
_DEEPEST_READ = 200
_NO_JSON: Any = object()

# One more than is shown, so that it is noticed that something was left out.
_READ = MOST_ENTRIES + 1


def read_answer(headers: Mapping[str, str], body: bytes) -> Any:
    """Return a body as a JSON value, or as text where it is none; None where it is empty."""
    if not body.strip():
        return None
    kind = headers.get("Content-Type") or headers.get("content-type") or ""
    try:
        value = orjson.loads(body.removeprefix(b"\xef\xbb\xbf"))
    except orjson.JSONDecodeError:
        value = _NO_JSON
    if value is not _NO_JSON and not _is_too_deep(value, body):
        return value
    if _BINARY.match(kind) or b"\0" in body[:1_000]:
        return f"(a file of {len(body)} bytes, {kind.partition(';')[0].strip()[:60] or 'of an unknown kind'})"
    named = _CHARSET.search(kind)
    # Of the many codecs that Python knows, some take far more time or room than their input would suggest.
    charset = named[1].lower() if named and named[1].lower() in _CHARSETS else "utf-8"
    return body.decode(charset, "replace").removeprefix("\ufeff").strip()


def _is_too_deep(value: Any, body: bytes) -> bool:
    """Tell whether a value is nested further than it could be written again, or followed."""
    if body.count(b"[") + body.count(b"{") <= _DEEPEST_READ:
        return False
    level = [value]
    for _ in range(_DEEPEST_READ):
        level = [
            inner
            for each in level
            if isinstance(each, dict | list)
            for inner in (each.values() if isinstance(each, dict) else each)
        ]
        if not level:
            return False
    return True


@dataclass(slots=True)
class Bounds:
    """Cuts a value down to what may be stored and shown, without what must be hidden.

    Attributes:
        hide: Takes secrets out of a text; asked before the text is cut, so that no half of one is left.
        is_cut: Whether anything was left out.
    """

    hide: Callable[[str], str] = str
    is_cut: bool = False
    _left: int = _MOST_VALUES

    def within(self, value: Any, depth: int = 0) -> Any:
        """Return a JSON value within the bounds of depth, number of entries and length of texts."""
        self._left -= 1
        if isinstance(value, str):
            return self._text(value, TEXT_CHARACTERS)
        if isinstance(value, int | float) and not isinstance(value, bool):
            return self._number(value)
        if isinstance(value, dict | list) and depth >= _DEEPEST:
            self.is_cut = True
            return "…"
        if isinstance(value, dict):
            entries = self._entries(list(value.items()))
            return {self._text(str(n), _NAME_CHARACTERS): self.within(inner, depth + 1) for n, inner in entries}
        if isinstance(value, list):
            return [self.within(inner, depth + 1) for inner in self._entries(value)]
        return value

    def _entries(self, entries: list[Any]) -> list[Any]:
        most = min(MOST_ENTRIES, max(self._left, 0))
        self.is_cut = self.is_cut or len(entries) > most
        return entries[:most]

    def _number(self, value: int | float) -> int | float | str:
        shown = self.hide(str(value))
        is_storable = isinstance(value, float) or abs(value) < _STORABLE
        return value if is_storable and shown == str(value) else shown

    def _text(self, text: str, most: int) -> str:
        text = self.hide(text)
        if len(text) > most:
            self.is_cut = True
            text = text[: most - 1] + "…"
        return quoted(text)


def mapped(value: Any, mapping: Mapping[str, Any]) -> Any:
    """Return what the owner's mapping makes of an answer; without one, the answer. What is not there is None.

    Raises:
        ToolError: PERMANENT, the mapping cannot be understood.
    """
    if mapping.get("from"):
        value = at(value, mapping["from"])
    pick = mapping.get("pick")
    if pick:
        if not isinstance(pick, Mapping) or len(pick) > MOST_PICKED:
            raise _unclear("pick", pick)
        steps = {str(name): read_path(path) for name, path in pick.items()}
        value = [_picked(entry, steps) for entry in value[:_READ]] if isinstance(value, list) else _picked(value, steps)
    text = mapping.get("text")
    if not text:
        return value
    if not isinstance(text, str) or len(text) > LONGEST_TEXT:
        raise _unclear("text", text)
    entries = value[:MOST_ENTRIES] if isinstance(value, list) else [value]
    return "\n".join(HOLE.sub(lambda hole: _said(at(entry, hole[1].strip() or hole[1])), text) for entry in entries)  # noqa: B023


def gaps(value: Any, mapping: Mapping[str, Any]) -> dict[str, str]:
    """Return the places of a sound mapping where an answer holds nothing, in no entry: by the setting, the path."""
    found: dict[str, str] = {}
    if mapping.get("from"):
        value = at(value, mapping["from"])
        if value is None:
            return {"from": mapping["from"]}
    entries, pick = value[:_READ] if isinstance(value, list) else [value], mapping.get("pick") or {}
    if not entries:
        return {}
    found |= {f"pick.{name}": path for name, path in pick.items() if all(at(one, path) is None for one in entries)}
    if pick:
        steps = {str(name): read_path(path) for name, path in pick.items()}
        entries = [_picked(one, steps) for one in entries]
    for hole in HOLE.findall(mapping.get("text") or ""):
        path = hole.strip()
        if path not in pick and all(at(one, path) is None for one in entries):
            found.setdefault("text", f"{{{{{path}}}}}")
    return found


def at(value: Any, path: Any) -> Any:
    """Return what a path leads to, or None.

    Raises:
        ToolError: PERMANENT, it is no path.
    """
    return _followed(value, read_path(path))


def read_path(path: Any) -> tuple[str | int, ...]:
    """Return the steps of a path: names, positions, and `EVERY` (`answer_path`).

    Raises:
        ToolError: PERMANENT, it is no path.
    """
    steps = steps_of(path) if isinstance(path, str) else None
    if steps is None:
        raise _unclear("path", path)
    return steps


def _picked(value: Any, steps: Mapping[str, tuple[str | int, ...]]) -> dict[str, Any]:
    return {name: _followed(value, path) for name, path in steps.items()}


def _followed(value: Any, steps: tuple[str | int, ...]) -> Any:
    for place, step in enumerate(steps):
        if step == EVERY and isinstance(value, list):
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


def _unclear(what: str, value: Any) -> ToolError:
    return ToolError(
        ErrorType.PERMANENT,
        "The service answered, but this tool is set up in a way that its answer cannot be read; its owner has to "
        "change it.",
        detail=f"api request: response.{what} is {str(value)[:80]!r}",
    )
