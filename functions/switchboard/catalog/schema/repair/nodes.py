"""One loosely written schema, repaired keyword by keyword; the schemas inside it are repaired by whoever calls.

The order matters where one repair reads what another wrote: names of keywords first, then types, then what needs them.
"""

import math
from collections.abc import Mapping
from typing import Any

from switchboard.catalog.schema.repair.bare_types import Note
from switchboard.catalog.schema.repair.defaults import with_fitting_default
from switchboard.catalog.schema.repair.keywords import (
    COMMENTS,
    COUNTS,
    FLAGS,
    FORMATS,
    KEYWORDS,
    NUMBERS,
    RENAMED,
    SIZES,
    flag_in,
    number_in,
)
from switchboard.catalog.schema.repair.properties import with_properties, with_required
from switchboard.catalog.schema.repair.type_inference import (
    or_null_if_told,
    with_forgotten_type,
    with_type,
    with_typed_enum,
)
from switchboard.catalog.schema.repair.types import meaning, unclear
from switchboard.catalog.schema.schema import DIALECT
from switchboard.contract.definitions.definition import DefinitionError
from switchboard.contract.json import JsonObject
from switchboard.formats.schema.subschema import IN_LISTS

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
            found = meaning(schema)
            if found is None:
                raise unclear(self._at or "/", schema)
            self._note(self._at, f"{schema!r} is written as a schema")
            return found
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
        found: JsonObject = {}
        for key, value in word.items():
            fresh = RENAMED.get(key)
            if COMMENTS.match(key) or (key == "$comment" and not isinstance(value, str)):
                self._note(self._at, f"the comment {key!r} was left out")
            elif fresh is None or fresh in word or fresh in found:
                found[key] = value
            else:
                self._note(self._at, f"{key} is written as {fresh}")
                found[fresh] = value
        if "example" in found:
            self._note(self._at, "example is written as a list, examples")
            example = found.pop("example")
            found.setdefault("examples", [example])
        return found

    def _valued(self, word: JsonObject) -> JsonObject:
        """Read numbers and truth values that stand in quotes, and make lists of what must be one."""
        found: JsonObject = {}
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
            found[key] = value if fresh is None else fresh
        for key, value in word.items():
            if key in IN_LISTS and isinstance(value, Mapping):
                self._note(self._at, f"{key} is written as a list of one")
                found[key] = [value]
        if isinstance(found.get("description"), list) and all(isinstance(t, str) for t in found["description"]):
            self._note(self._at, "the lines of the description were joined")
            found["description"] = " ".join(found["description"])
        return found

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
