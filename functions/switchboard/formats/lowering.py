"""Lowering: what a dialect's schema language cannot say is said less strictly, and every loss is noted.

Seed 003 ("Provider Abstraction") keeps canonical JSON Schema and converts it per dialect; which dialect understands
what stands in reference/wire-formats §6.1. A lowered schema may accept more than the canonical one, which the
dispatcher enforces anyway; a limit that the dialect cannot check is told to the model in the description instead.
"""

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from switchboard.contract.json import JsonObject
from switchboard.formats.joining import TIGHTER, joined, listed
from switchboard.formats.subschema import ALONE, ANNOTATIONS, IN_LISTS, IN_MAPS, pointer, target

_Open: TypeAlias = frozenset[str]
"""The references that are being followed, so that recursion ends."""

COMMON = frozenset(
    {"anyOf", "description", "enum", "format", "items", "maxItems", "maximum"}
    | {"minItems", "minimum", "properties", "required", "title", "type"}
)
"""The keywords that every dialect understands, each in its way."""

FOR_TYPE: dict[str, frozenset[str]] = {
    "string": frozenset({"minLength", "maxLength", "pattern", "format"}),
    "number": frozenset({"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "format"}),
    "integer": frozenset({"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "format"}),
    "array": frozenset({"items", "prefixItems", "minItems", "maxItems", "uniqueItems", "contains"}),
    "object": frozenset(
        {"properties", "required", "additionalProperties", "propertyOrdering", "minProperties", "maxProperties"}
    ),
    "boolean": frozenset(),
    "null": frozenset(),
}
"""The keywords that only say something about one type of value."""

STANDARD = frozenset({"$ref", "const", "dependentRequired", "maxContains", "minContains"}).union(
    COMMON, IN_MAPS, IN_LISTS, ALONE, ANNOTATIONS, *FOR_TYPE.values()
)
"""The keywords of 2020-12 that say something about a value."""

_HINTS = {
    "minimum": "at least {}",
    "maximum": "at most {}",
    "exclusiveMinimum": "more than {}",
    "exclusiveMaximum": "less than {}",
    "multipleOf": "a multiple of {}",
    "minLength": "at least {} characters",
    "maxLength": "at most {} characters",
    "minItems": "at least {} items",
    "maxItems": "at most {} items",
    "uniqueItems": "no item twice",
    "pattern": "matching {}",
    "format": "format {}",
    "default": "default {}",
    "enum": "one of {}",
}
_LONGEST_HINT = 200


@dataclass(frozen=True, slots=True)
class Dialect:
    """What one schema language can say.

    Attributes:
        keywords: Kept as they are; schemas inside them are lowered in turn.
        formats: Values of `format` that it takes; None means any.
        enum_types: Python types that may stand in an `enum`; None means any value.
        has_references: Whether `$ref` may stay (never with other keywords beside it).
        has_type_lists: Whether `type` may be a list; otherwise null becomes `nullable` and other lists `anyOf`.
        forbidden_at_root: Keywords that the outermost schema must not have.
    """

    keywords: frozenset[str]
    formats: frozenset[str] | None = None
    enum_types: tuple[type, ...] | None = None
    has_references: bool = True
    has_type_lists: bool = True
    forbidden_at_root: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Lowered:
    """A schema as a dialect can say it, and one sentence for everything that was lost on the way."""

    schema: JsonObject
    notes: tuple[str, ...] = ()


def lower(schema: JsonObject, dialect: Dialect) -> Lowered:
    """Return the schema in the dialect's words; the argument is left as it was."""
    lowering = _Lowering(schema, dialect)
    lowered = lowering.node(schema, "", frozenset())
    return Lowered(lowered, tuple(dict.fromkeys(lowering.notes)))


def with_hints(description: Any, hints: Iterable[str]) -> str:
    """Return a description that also says what the dialect cannot check."""
    told = "; ".join(hints)
    text = description.strip() if isinstance(description, str) else ""
    return f"{text} ({told})" if text else told


def hint(keyword: str, value: Any) -> str:
    """Return words for a limit that the dialect cannot check; empty where words would not help."""
    if keyword not in _HINTS or value is False:
        return ""
    if keyword == "minLength" and value == 1:
        return "not empty"
    shown = ", ".join(map(_shown, value)) if isinstance(value, list) else _shown(value)
    told = _HINTS[keyword].format(shown)
    return told if len(told) <= _LONGEST_HINT else ""


def _shown(value: Any) -> str:
    return value if isinstance(value, str) and value else json.dumps(value, ensure_ascii=False)


class _Lowering:
    """One pass over one schema; notes are collected as it goes."""

    def __init__(self, root: JsonObject, dialect: Dialect) -> None:
        self._root = root
        self._dialect = dialect
        self.notes: list[str] = []

    def node(self, schema: Any, at: str, open_: _Open) -> JsonObject:
        """Return one schema lowered; `at` is its JSON pointer."""
        if not isinstance(schema, Mapping):
            return {}
        word, open_ = self._flat(schema, at, open_)
        self._reword_alternatives(word, at)
        self._reword_bounds(word, at)
        if not self._dialect.has_type_lists:
            self._reword_types(word, at)
        hints = self._reword_enum(word, at)
        return self._inner(self._kept(word, at, hints), at, open_)

    def _note(self, at: str, text: str) -> None:
        self.notes.append(f"{at or '/'}: {text}")

    def _flat(self, schema: Mapping[str, Any], at: str, open_: _Open) -> tuple[JsonObject, _Open]:
        """Follow `$ref` and merge `allOf`, so that one object says everything."""
        word = {key: value for key, value in schema.items() if not key.startswith("x-")}
        for key in schema.keys() - word.keys():
            self._note(at, f"{key} is an annotation of ours and left out")
        reference = word.get("$ref")
        if isinstance(reference, str) and not self._keeps_reference(word):
            del word["$ref"]
            inner, open_ = self._followed(reference, at, open_)
            word = self._joined(word, inner, at)
        apart: list[Any] = []
        for branch in listed(word.pop("allOf", [])):
            inner, open_ = self._flat(branch, at, open_) if isinstance(branch, Mapping) else ({}, open_)
            if joined(word, inner)[1] and self._understands("allOf", apart, at):
                apart.append(inner)
            else:
                word = self._joined(word, inner, at)
        word |= {"allOf": apart} if apart else {}
        return self._without_null_branch(word, at, open_)

    def _keeps_reference(self, word: JsonObject) -> bool:
        return self._dialect.has_references and all(key.startswith("$") for key in word)

    def _followed(self, reference: str, at: str, open_: _Open) -> tuple[JsonObject, _Open]:
        if reference in open_:
            self._note(at, f"the recursion of {reference} is cut off here")
            return {}, open_
        try:
            found = target(self._root, reference)
        except LookupError:
            self._note(at, f"{reference} leads nowhere and is left out")
            return {}, open_
        return self._flat(found, at, open_ | {reference}) if isinstance(found, Mapping) else ({}, open_)

    def _without_null_branch(self, word: JsonObject, at: str, open_: _Open) -> tuple[JsonObject, _Open]:
        """Turn "X or null" into a nullable X, for a dialect that says it so."""
        keyword = "anyOf" if "anyOf" in word else "oneOf"
        branches = word.get(keyword)
        if self._dialect.has_type_lists or not isinstance(branches, list):
            return word, open_
        others = [branch for branch in branches if branch != {"type": "null"}]
        if len(others) == len(branches):
            return word, open_
        if keyword == "oneOf":
            self._note(at, "oneOf is told as anyOf")
        others = others or [{"type": "null"}]
        word = {key: value for key, value in word.items() if key != keyword} | {"nullable": True}
        if len(others) != 1 or not isinstance(others[0], Mapping):
            return word | {keyword: others}, open_
        inner, open_ = self._flat(others[0], at, open_)
        return self._joined(word, inner, at), open_

    def _joined(self, first: JsonObject, second: JsonObject, at: str) -> JsonObject:
        found, lost = joined(first, second)
        for key in lost:
            self._note(at, f"two rules for {key} cannot be told as one; the second is left out")
        return found

    def _reword_alternatives(self, word: JsonObject, at: str) -> None:
        keywords = self._dialect.keywords
        if "const" in word and "const" not in keywords:
            word["enum"] = [word.pop("const")]
        if "oneOf" in word and "oneOf" not in keywords and "anyOf" not in word:
            word["anyOf"] = word.pop("oneOf")
            self._note(at, "oneOf is told as anyOf")

    def _reword_bounds(self, word: JsonObject, at: str) -> None:
        """Say an exclusive bound as an inclusive one: exactly for whole numbers, a little wider for others."""
        rules = (("exclusiveMinimum", "minimum", math.floor, 1), ("exclusiveMaximum", "maximum", math.ceil, -1))
        for exclusive, inclusive, rounded, step in rules:
            if exclusive not in word or exclusive in self._dialect.keywords or inclusive not in self._dialect.keywords:
                continue
            limit = word.pop(exclusive)
            if word.get("type") == "integer":
                limit = rounded(limit) + step
            else:
                self._note(at, f"{exclusive} is told as {inclusive}")
            word[inclusive] = TIGHTER[inclusive](limit, word.get(inclusive, limit))

    def _reword_enum(self, word: JsonObject, at: str) -> list[str]:
        """Keep the words that the dialect's `enum` can hold; return hints for what it cannot."""
        allowed = self._dialect.enum_types
        if allowed is None or not isinstance(word.get("enum"), list):
            return []
        values = word.pop("enum")
        words = [value for value in values if value is not None and value != ""]
        if None in values and not self._dialect.has_type_lists:
            word["nullable"] = True
        elif len(words) < len(values):
            self._note(at, "the enum's empty values are left out")
        kinds = {_type_of(value) for value in words}
        if not words:
            return []
        if "type" not in word and len(kinds) == 1:
            word["type"] = next(iter(kinds))
        if all(isinstance(value, allowed) and not isinstance(value, bool) for value in words):
            word["enum"] = words
            return []
        if kinds <= {"integer", "number"} and not word.keys() & {"minimum", "maximum"}:
            word |= {"minimum": min(words), "maximum": max(words)}
        self._note(at, "enum is told in the description only")
        return [hint("enum", words)]

    def _reword_types(self, word: JsonObject, at: str) -> None:
        """Say a list of types as `nullable` and `anyOf`, moving each type's keywords into its branch."""
        if not isinstance(word.get("type"), list):
            return
        types = word.pop("type")
        rest = [kind for kind in types if kind != "null"]
        if len(rest) < len(types):
            word["nullable"] = True
        if len(rest) <= 1:
            word["type"] = rest[0] if rest else "null"
        elif "anyOf" in word:
            self._note(at, "the list of types is left out beside anyOf")
        else:
            branches = [_branch(kind, word) for kind in rest]
            for keyword in [key for key in word if key == "enum" or any(key in FOR_TYPE[kind] for kind in rest)]:
                del word[keyword]
            word["anyOf"] = branches

    def _kept(self, word: JsonObject, at: str, hints: list[str]) -> JsonObject:
        """Keep what the dialect understands; note the rest, and tell the model where words can."""
        kept: JsonObject = {}
        for key, value in word.items():
            if self._understands(key, value, at):
                kept[key] = value
            elif key != "$defs" and key != "definitions":  # what they held was inlined: nothing is lost
                told = hint(key, value)
                hints += [told] if told else []
                self._note(at, f"{key} is {'told in the description only' if told else 'left out'}")
        if any(hints):
            kept["description"] = with_hints(kept.get("description"), filter(None, hints))
        return kept

    def _understands(self, key: str, value: Any, at: str) -> bool:
        if not at and key in self._dialect.forbidden_at_root:
            return False
        if key == "format" and self._dialect.formats is not None and value not in self._dialect.formats:
            return False
        return key in self._dialect.keywords

    def _inner(self, word: JsonObject, at: str, open_: _Open) -> JsonObject:
        """Lower the schemas inside."""
        for keyword in IN_MAPS:
            if isinstance(word.get(keyword), Mapping):
                never = [name for name, child in word[keyword].items() if child is False]
                for name in never:
                    self._note(at + pointer(keyword, name), "nothing may be given here; it is left out")
                word[keyword] = {
                    name: self.node(child, at + pointer(keyword, name), open_)
                    for name, child in word[keyword].items()
                    if child is not False
                }
        for keyword in IN_LISTS:
            if isinstance(word.get(keyword), list):
                word[keyword] = [
                    self.node(child, at + pointer(keyword, index), open_) for index, child in enumerate(word[keyword])
                ]
        for keyword in ALONE:
            if isinstance(word.get(keyword), Mapping):
                word[keyword] = self.node(word[keyword], at + pointer(keyword), open_)
        return word


def _branch(kind: str, word: JsonObject) -> JsonObject:
    branch = {"type": kind} | {key: word[key] for key in word if key in FOR_TYPE[kind]}
    if isinstance(word.get("enum"), list):
        words = [value for value in word["enum"] if _type_of(value) == kind]
        branch |= {"enum": words} if words else {}
    return branch


def _type_of(value: Any) -> str:
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float):
        return "integer" if float(value).is_integer() else "number"
    return "string" if isinstance(value, str) else "null" if value is None else "object"
