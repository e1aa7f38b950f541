"""Definitions under another name than `$defs`, and references to them."""

from collections.abc import Mapping
from typing import Any

from switchboard.catalog.schema.repair.bare_types import Note
from switchboard.contract.definitions.definition import DefinitionError
from switchboard.contract.json import JsonObject
from switchboard.formats.schema.subschema import ALONE, ANNOTATIONS, IN_LISTS, IN_MAPS, pointer, target

_PREFIXES = ("#/definitions/", "#/$definitions/", "#/components/schemas/")


def with_definitions(schema: JsonObject, note: Note) -> JsonObject:
    """Return a schema whose definitions stand in `$defs`, with every reference to them rewritten.

    Raises:
        DefinitionError: Two definitions of the same name differ.
    """
    kept: dict[str, Any] = dict(schema["$defs"]) if isinstance(schema.get("$defs"), Mapping) else {}
    own = set(kept)
    for path in (("definitions",), ("$definitions",), ("components", "schemas")):
        holder: Any = schema
        for part in path:
            holder = holder.get(part) if isinstance(holder, Mapping) else None
        if not isinstance(holder, Mapping):
            continue
        at = pointer(*path)
        note(at, "definitions were moved to $defs")
        schema = {key: value for key, value in schema.items() if key != path[0]}
        for name, inner in holder.items():
            if name in kept and kept[name] != inner:
                raise DefinitionError(at + pointer(name), "is also defined otherwise", "keep one of the two in $defs")
            kept[name] = inner
    if kept.keys() - own or (own and "$defs" in schema):
        schema = schema | {"$defs": kept}
    rewritten: JsonObject = _Rewriting(kept, note).node(schema, "")
    return rewritten


def written_out(schema: JsonObject, note: Note) -> JsonObject:
    """Return a schema that is not merely a reference to one of its own definitions, as generators like to write it."""
    followed: set[str] = set()
    while isinstance(reference := schema.get("$ref"), str) and reference not in followed:
        followed.add(reference)
        try:
            meant = target(schema, reference)
        except LookupError:
            return schema
        if not isinstance(meant, Mapping) or schema.keys() - {"$ref", "$defs", "$schema"} - ANNOTATIONS:
            return schema
        note("/$ref", f"what {reference} refers to was written out here")
        schema = {**meant, **{key: value for key, value in schema.items() if key != "$ref"}}
    return schema


class _Rewriting:
    def __init__(self, kept: Mapping[str, Any], note: Note) -> None:
        self._kept = kept
        self._note = note

    def node(self, schema: Any, at: str) -> Any:
        """Return a schema with its references rewritten; data that looks like one is left alone."""
        if isinstance(schema, list):
            return [self.node(inner, f"{at}/{index}") for index, inner in enumerate(schema)]
        if not isinstance(schema, Mapping):
            return schema
        found = dict(schema)
        if isinstance(found.get("$ref"), str):
            found["$ref"] = self._reference(found["$ref"], at)
        for keyword in IN_MAPS:
            if isinstance(found.get(keyword), Mapping):
                inside = found[keyword].items()
                found[keyword] = {name: self.node(inner, at + pointer(keyword, name)) for name, inner in inside}
        for keyword in (*IN_LISTS, *ALONE):
            if isinstance(found.get(keyword), Mapping | list):
                found[keyword] = self.node(found[keyword], f"{at}/{keyword}")
        return found

    def _reference(self, reference: str, at: str) -> str:
        fresh = reference
        for prefix in _PREFIXES:
            if reference.startswith(prefix):
                fresh = f"#/$defs/{reference.removeprefix(prefix)}"
        if reference in self._kept:
            fresh = "#" + pointer("$defs", reference)
        if fresh != reference:
            self._note(f"{at}/$ref", f"{reference} is written as {fresh}")
        return fresh
