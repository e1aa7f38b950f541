"""One loosely written schema, repaired keyword by keyword; the schemas inside it are repaired by whoever calls.

The order matters where one repair reads what another wrote: names of keywords first, then types, then what needs them.
"""

import math
from collections.abc import Mapping
from datetime import UTC
from typing import Any

from switchboard.catalog.arguments.coercion import coerced
from switchboard.catalog.schema.repair.type_inference import (
    or_null_if_told,
    with_forgotten_type,
    with_type,
    with_typed_enum,
)
from switchboard.catalog.schema.repair.types import (
    COMMENTS,
    COUNTS,
    FLAGS,
    FORMATS,
    KEYWORDS,
    NUMBERS,
    RENAMED,
    SIZES,
    Note,
    by_name,
    flag_in,
    meaning,
    number_in,
    unclear,
)
from switchboard.catalog.schema.schema import DIALECT
from switchboard.catalog.schema.types import kind_of, shape_of
from switchboard.contract.definitions.definition import DefinitionError
from switchboard.contract.json import JsonObject
from switchboard.formats.schema.subschema import IN_LISTS, pointer

_NEVER_NULL = (KEYWORDS | FLAGS | RENAMED.keys() | {"min", "max", "example"}) - {"default", "const", "type"}


class LooseNode:
    """A schema at its place, as it was written."""

    def __init__(self, schema: Any, at: str, note: Note) -> None:
        """Take a schema, its JSON pointer, and what reports a repair."""
        self._schema = schema
        self._at = at
        self._note = note

    def repaired(self, *, is_whole: bool, in_property: bool) -> JsonObject:
        """Return the schema with its own keywords repaired; see `loose_schema`.

        Raises:
            DefinitionError: It can mean two things, or nothing.
        """
        word = self._renamed(self._telling(self._plain(self._schema)))
        word = self._valued(word)
        word = self._of_this_dialect(word)
        word = with_type(word, self._at, self._note)
        word = with_properties(word, self._at, self._note)
        word = with_required(word, self._at, self._note, in_property=in_property)
        word = self._listed(word)
        word = self._bounded(word)
        word = with_typed_enum(word, self._at, self._note)
        if is_whole:
            word = with_forgotten_type(word, self._at, self._note)
        word = self._sized(word)
        word = or_null_if_told(word, self._at, self._note)
        return self._with_items(word)

    @staticmethod
    def finished(word: JsonObject, at: str, note: Note) -> JsonObject:
        """Return a schema, everything inside it repaired, with a default that fits it.

        Raises:
            DefinitionError: The default cannot be made to fit.
        """
        return with_fitting_default(word, at, note)

    def _plain(self, schema: Any) -> JsonObject:
        if isinstance(schema, str):
            meant = meaning(schema)
            if meant is None:
                raise unclear(self._at or "/", schema)
            self._note(self._at, f"{schema!r} is written as a schema")
            return meant
        if not isinstance(schema, Mapping):
            problem = f"is {type(schema).__name__}, no schema"
            raise DefinitionError(self._at or "/", problem, 'write an object such as {"type": "string"}')
        return dict(schema)

    def _telling(self, word: JsonObject) -> JsonObject:
        """Leave out keywords that say null, as programs write what nobody set."""
        empty = [key for key, value in word.items() if value is None and key in _NEVER_NULL]
        for key in empty:
            self._note(self._at, f"{key} says nothing (null) and was left out")
        return {key: value for key, value in word.items() if key not in empty}

    def _renamed(self, word: JsonObject) -> JsonObject:
        """Leave comments out and give keywords their names."""
        renamed: JsonObject = {}
        for key, value in word.items():
            fresh = RENAMED.get(key)
            if COMMENTS.match(key) or (key == "$comment" and not isinstance(value, str)):
                self._note(self._at, f"the comment {key!r} was left out")
            elif fresh is None or fresh in word or fresh in renamed:
                renamed[key] = value
            else:
                self._note(self._at, f"{key} is written as {fresh}")
                renamed[fresh] = value
        if "example" in renamed:
            self._note(self._at, "example is written as a list, examples")
            example = renamed.pop("example")
            renamed.setdefault("examples", [example])
        return renamed

    def _valued(self, word: JsonObject) -> JsonObject:
        """Read numbers and truth values that stand in quotes, and make lists of what must be one."""
        valued: JsonObject = {}
        for key, value in word.items():
            fresh: int | float | str | None = None
            if key in COUNTS | NUMBERS | {"min", "max"}:
                fresh = number_in(value)
            if key in FLAGS | {"additionalProperties", "required", "exclusiveMinimum", "exclusiveMaximum"}:
                fresh = fresh if fresh is not None else flag_in(value)
            if key == "format" and isinstance(value, str):
                fresh = FORMATS.get(value)
            if fresh is not None:
                self._note(self._at, f"{key}: {value!r} is written as {fresh!r}")
            valued[key] = value if fresh is None else fresh
        for key, value in word.items():
            if key in IN_LISTS and isinstance(value, Mapping):
                self._note(self._at, f"{key} is written as a list of one")
                valued[key] = [value]
        if isinstance(valued.get("description"), list) and all(isinstance(t, str) for t in valued["description"]):
            self._note(self._at, "the lines of the description were joined")
            valued["description"] = " ".join(valued["description"])
        return valued

    def _of_this_dialect(self, word: JsonObject) -> JsonObject:
        """Leave out what names another dialect or gives a part an address of its own."""
        named = word.get("$schema")
        if named is not None and str(named).rstrip("#") != DIALECT:
            self._note(self._at, "$schema names another dialect and was left out: what is returned is 2020-12")
            del word["$schema"]
        if self._at and "$id" in word:
            self._note(self._at, "$id was left out: references go by JSON pointer")
            del word["$id"]
        if isinstance(word.get("dependencies"), Mapping):
            for name, needed in word.pop("dependencies").items():
                keyword = "dependentRequired" if isinstance(needed, list) else "dependentSchemas"
                word[keyword] = word.get(keyword, {}) | {name: needed}
            self._note(self._at, "dependencies is written as dependentRequired and dependentSchemas")
        return word

    def _sized(self, word: JsonObject) -> JsonObject:
        """Write `min` and `max` as the keywords that they mean for this type."""
        types = word.get("type")
        kinds = [kind for kind in (types if isinstance(types, list) else [types]) if kind != "null"]
        names = SIZES.get(str(kinds[0]), ()) if len(kinds) == 1 else ()
        for loose, keyword in zip(("min", "max"), names, strict=False):
            if loose in word and keyword not in word:
                self._note(self._at, f"{loose} is written as {keyword}")
                word[keyword] = word.pop(loose)
        return word

    def _listed(self, word: JsonObject) -> JsonObject:
        """Write a list of items as 2020-12 does: `prefixItems`, and `items` for the rest."""
        if not isinstance(word.get("items"), list):
            if "additionalItems" in word:
                self._note(self._at, "additionalItems was left out: it says nothing without a list of items")
                del word["additionalItems"]
            return word
        first = word.pop("items")
        rest = word.pop("additionalItems", None)
        if len(first) == 1 and rest is None:
            remedy = "write items as one schema for all items, or prefixItems for the first alone"
            raise DefinitionError(f"{self._at}/items", "is a list of one, which can mean two things", remedy)
        if first:
            word["prefixItems"] = first
        if rest is not None:
            word["items"] = rest
        self._note(self._at, "a list of items is written as prefixItems" if first else "an empty items was left out")
        return word

    def _bounded(self, word: JsonObject) -> JsonObject:
        """Write draft 4's `exclusiveMinimum: true` as the number it means."""
        for flag, bound in (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")):
            if not isinstance(word.get(flag), bool):
                continue
            if not word.pop(flag):
                self._note(self._at, f"{flag}: false was left out: {bound} says it")
            elif isinstance(word.get(bound), int | float) and math.isfinite(word[bound]):
                word[flag] = word.pop(bound)
                self._note(self._at, f"{flag}: true is written with the number of {bound}")
            else:
                problem = f"is true, but there is no {bound}"
                raise DefinitionError(f"{self._at}/{flag}", problem, "write the number that is excluded")
        return word

    def _with_items(self, word: JsonObject) -> JsonObject:
        types = word.get("type")
        kinds = types if isinstance(types, list) else [types]
        if "array" in kinds and not word.keys() & {"items", "prefixItems", "enum", "const"}:
            self._note(self._at, "items was missing: an item may be anything")
            word["items"] = {}
        return word


def with_properties(word: JsonObject, at: str, note: Note) -> JsonObject:
    """Return a schema whose properties stand by name, and whose list of required ones is complete.

    Raises:
        DefinitionError: A property is both required and optional, or has no name.
    """
    if isinstance(word.get("properties"), list):
        word["properties"] = by_name(word["properties"], f"{at}/properties")
        note(at, "a list of properties is written as an object")
    properties = word.get("properties")
    if not isinstance(properties, Mapping):
        return word
    own: JsonObject = {}
    marks: dict[str, bool] = {}
    for name, inner in properties.items():
        if COMMENTS.match(name) and isinstance(inner, str):
            note(at + pointer("properties", name), "the comment was left out")
            continue
        own[name] = inner
        if isinstance(inner, Mapping):
            mark, own[name] = _marked(inner, at + pointer("properties", name), note)
            if mark is not None:
                marks[name] = mark
    word["properties"] = own
    return _merged(word, marks, at, note) if marks else word


def with_required(word: JsonObject, at: str, note: Note, *, in_property: bool) -> JsonObject:
    """Return a schema whose `required` is a list of names, each once.

    Raises:
        DefinitionError: Nobody can tell which names are meant.
    """
    required = word.get("required")
    if isinstance(word.get("optional"), bool) and not in_property:
        note(at, "optional was left out: it says nothing here")
        del word["optional"]
    if isinstance(required, bool):
        if required and not at:
            raise DefinitionError("/required", "is true, but nothing contains this schema", "list the names required")
        note(at, f"required: {str(required).lower()} was left out: it says nothing here")
        del word["required"]
    elif isinstance(required, str):
        names = [name.strip() for name in required.split(",")]
        known = word.get("properties")
        if not isinstance(known, Mapping) or not all(name in known for name in names):
            raise DefinitionError(f"{at}/required", f"{required[:60]!r} names no properties", "write a list of names")
        note(at, "required is written as a list")
        word["required"] = names
    elif isinstance(required, Mapping) and all(isinstance(flag, bool) for flag in required.values()):
        note(at, "required is written as a list")
        word["required"] = [name for name, flag in required.items() if flag]
    listed = word.get("required")
    if isinstance(listed, list) and all(isinstance(n, str) for n in listed) and len({*listed}) < len(listed):
        note(at, "required names something twice, and was written with each name once")
        word["required"] = list(dict.fromkeys(listed))
    return word


def _marked(inner: Mapping[str, Any], at: str, note: Note) -> tuple[bool | None, Mapping[str, Any]]:
    """Return whether a property says of itself that it is required, and the property without that."""
    required, optional = inner.get("required"), inner.get("optional")
    required = flag_in(required) if isinstance(required, str) else required
    optional = flag_in(optional) if isinstance(optional, str) else optional
    marks = {
        flag for flag in (required, None if not isinstance(optional, bool) else not optional) if flag in (True, False)
    }
    marks = {flag for flag in marks if isinstance(flag, bool)}
    if len(marks) == 2:
        raise DefinitionError(f"{at}/required", "says that it is required and optional", "say one of the two")
    if not marks:
        return None, inner
    gone = {key for key, flag in (("required", required), ("optional", optional)) if isinstance(flag, bool)}
    mark = marks.pop()
    repair = "was moved to the list of the object around it" if mark else "was left out: it is not in the list"
    note(at, f"{' and '.join(sorted(gone))} {repair}")
    return mark, {key: value for key, value in inner.items() if key not in gone}


def _merged(word: JsonObject, marks: Mapping[str, bool], at: str, note: Note) -> JsonObject:
    listed = word.get("required", [])
    if isinstance(listed, bool):
        # It says something about this object in the one around it.
        listed = []
    if not isinstance(listed, list):
        word = with_required(word, at, note, in_property=True)
        listed = word["required"]
    if not isinstance(listed, list):
        # No list of names at all, which the check of the whole schema says.
        return word
    for name, is_required in marks.items():
        if name in listed and not is_required:
            problem = f"lists {name!r}, which says of itself that it is optional"
            raise DefinitionError(f"{at}/required", problem, "say one of the two")
    required = [*listed, *(name for name, mark in marks.items() if mark and name not in listed)]
    if required:
        word["required"] = required
    return word


def with_fitting_default(word: JsonObject, at: str, note: Note) -> JsonObject:
    """Return a schema whose default has one of its types.

    Raises:
        DefinitionError: Nobody can tell what the default is meant to be.
    """
    if "default" not in word:
        return word
    default = word["default"]
    types = word.get("type", [])
    kinds = frozenset([types] if isinstance(types, str) else types)
    if not kinds or _is_of(default, kinds):
        return word
    if default is None:
        note(at, "default: null was left out: without the argument there is none")
        return {key: value for key, value in word.items() if key != "default"}
    plain = {key: value for key, value in word.items() if key == "type" or (key == "enum" and isinstance(value, list))}
    meant = coerced(default, shape_of(plain, plain), UTC, [])
    if not _is_of(meant, kinds):
        problem = f"is {kind_of(default)}, but the type is {' or '.join(sorted(kinds))}"
        raise DefinitionError(f"{at}/default", problem, "write a default of that type, or none")
    note(at, f"default {default!r} is written as {meant!r}")
    return word | {"default": meant}


def _is_of(value: object, kinds: frozenset[str]) -> bool:
    kind = kind_of(value)
    if isinstance(value, float) and value.is_integer() and "integer" in kinds:
        return True
    return kind in kinds or (kind == "integer" and "number" in kinds)
