"""Documents of strangers as text: JSON, or the part of YAML that means the same to everybody, within limits.

YAML is read event by event with the scalars of JSON (YAML 1.2, "JSON schema" and the spellings of its core schema), so
that `no` is a word and `2020-01-01` a text. What an alias stands for counts as often as it is used: a document that
grows a billionfold when it is read ends at the same limit as any other.
"""

import re
from collections.abc import Iterator
from dataclasses import field
from typing import Any

from switchboard.contract import policy
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.python.strict_json import Limits, MalformedJson, check_value, parse_json

LIMITS = Limits(depth=100, nodes=200_000, bytes=policy.BODY_BYTES)
"""How much one document may hold."""
_NULLS = frozenset({"", "~", "null", "Null", "NULL"})
_FLAGS = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_WHOLE = re.compile(r"[-+]?[0-9]{1,40}")
_BASED = re.compile(r"0(?:o[0-7]{1,30}|x[0-9a-fA-F]{1,30})")
_NUMBER = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]{1,5})?")
_TEXT_TAGS = (None, "!", "tag:yaml.org,2002:str")
_STRUCTURE_TAGS = (None, "!", "tag:yaml.org,2002:map", "tag:yaml.org,2002:seq")
_MERGE = "<<"


def read_document(text: str, limits: Limits = LIMITS) -> Any:
    """Return the value of a JSON or YAML text.

    Raises:
        MalformedJson: It is neither, means different things to different readers, or exceeds a limit.
    """
    if len(text) > limits.bytes:
        raise MalformedJson(f"is larger than {limits.bytes} bytes")
    if text.lstrip("\ufeff \t\r\n")[:1] in ("{", "["):
        try:
            return parse_json(text.lstrip("\ufeff"), limits)
        except MalformedJson as error:
            if "is not valid JSON" not in str(error):
                raise
            # YAML may begin like JSON; where it is none either, what is wrong with the JSON is the better answer.
            return _of_yaml(text, limits, error)
    return _of_yaml(text, limits, None)


def _of_yaml(text: str, limits: Limits, otherwise: MalformedJson | None) -> Any:
    # 20 ms, and only owners who import ever need it.
    import yaml

    loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        value = _Building(limits).value(yaml.parse(text, Loader=loader))
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f" at line {mark.line + 1}" if mark is not None else ""
        reason = str(getattr(error, "problem", None) or "it cannot be read")[:100]
        raise otherwise or MalformedJson(f"is neither JSON nor YAML: {reason}{where}") from None
    check_value(value, limits)
    return value


@dataclass
class _Open:
    """A list or an object that is not at its end yet; `size` counts the values in it."""

    value: Any
    anchor: str | None
    line: int
    key: str | None = None
    size: int = 1
    merged: list[Any] = field(default_factory=list)


class _Building:
    """Builds one value out of events, on a stack of its own instead of Python's."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._open: list[_Open] = []
        self._anchored: dict[str, tuple[Any, int]] = {}
        self._nodes = 0
        self._found: Any = None
        self._documents = 0

    def value(self, events: Iterator[Any]) -> Any:
        """Return what the events of one document say."""
        for event in events:
            match type(event).__name__:
                case "DocumentStartEvent":
                    self._documents += 1
                    if self._documents > 1:
                        raise MalformedJson("holds more than one document")
                case "ScalarEvent":
                    self._scalar(event)
                case "AliasEvent":
                    self._alias(event)
                case "MappingStartEvent" | "SequenceStartEvent":
                    self._begin(event)
                case "MappingEndEvent" | "SequenceEndEvent":
                    self._end()
        if not self._documents:
            raise MalformedJson("is empty")
        return self._found

    def _begin(self, event: Any) -> None:
        line = event.start_mark.line + 1
        if event.tag not in _STRUCTURE_TAGS:
            raise MalformedJson(f"has the tag {event.tag[:60]} at line {line}, which is not read")
        if len(self._open) >= self._limits.depth:
            raise MalformedJson("is nested too deeply")
        if self._open and isinstance(self._open[-1].value, dict) and self._open[-1].key is None:
            raise MalformedJson(f"has a key that is not text at line {line}")
        value: Any = {} if type(event).__name__ == "MappingStartEvent" else []
        self._open.append(_Open(value, event.anchor, line))

    def _end(self) -> None:
        closed = self._open.pop()
        for more in closed.merged:
            for key, value in more.items():
                closed.value.setdefault(key, value)
        if closed.anchor is not None:
            self._anchored[closed.anchor] = (closed.value, closed.size)
        # What is inside was counted when it was added there.
        self._add(closed.value, closed.size, 1, closed.line)

    def _scalar(self, event: Any) -> None:
        line = event.start_mark.line + 1
        top = self._open[-1] if self._open else None
        if top is not None and isinstance(top.value, dict) and top.key is None:
            self._key(top, event, line)
            return
        value = _plain(event, line)
        if event.anchor is not None:
            self._anchored[event.anchor] = (value, 1)
        self._add(value, 1, 1, line)

    def _key(self, top: _Open, event: Any, line: int) -> None:
        if event.tag not in _TEXT_TAGS and event.tag is not None:
            raise MalformedJson(f"has a key that is not text at line {line}")
        key = str(event.value)
        if key in top.value:
            raise MalformedJson(f"has the key {key[:40]!r} twice in one object, at line {line}")
        # A number for a key, as in `200:`, is the text that it is written as.
        top.key = key

    def _alias(self, event: Any) -> None:
        line = event.start_mark.line + 1
        top = self._open[-1] if self._open else None
        if top is not None and isinstance(top.value, dict) and top.key is None:
            raise MalformedJson(f"has a key that is not text at line {line}")
        if event.anchor not in self._anchored:
            raise MalformedJson(f"refers to *{event.anchor[:40]} at line {line}, which is not complete there")
        value, size = self._anchored[event.anchor]
        self._add(value, size, size, line)

    def _add(self, value: Any, size: int, counted: int, line: int) -> None:
        self._nodes += counted
        if self._nodes > self._limits.nodes:
            raise MalformedJson(f"holds more than {self._limits.nodes} values")
        if not self._open:
            self._found = value
            return
        top = self._open[-1]
        top.size += size
        if isinstance(top.value, list):
            top.value.append(value)
            return
        key, top.key = str(top.key), None
        if key != _MERGE:
            top.value[key] = value
            return
        listed = value if isinstance(value, list) else [value]
        if not all(isinstance(item, dict) for item in listed):
            raise MalformedJson(f"merges something that is no object at line {line}")
        top.merged += listed


def _plain(event: Any, line: int) -> Any:
    """Return the value of a scalar: what stands in quotes is a text, the rest as JSON would have it."""
    text = str(event.value)
    if not event.implicit[0]:
        # Quoted, or with a tag of its own.
        if event.tag in _TEXT_TAGS:
            return text
        raise MalformedJson(f"has the tag {event.tag[:60]} at line {line}, which is not read")
    if text in _NULLS:
        return None
    if text in _FLAGS:
        return _FLAGS[text]
    if _WHOLE.fullmatch(text):
        return int(text)
    if _BASED.fullmatch(text):
        return int(text, 0)
    return float(text) if _NUMBER.fullmatch(text) else text
