"""Recursion through properties that must be given: what some vendors refuse, made optional."""

from collections.abc import Iterator, Mapping
from typing import Any

from switchboard.contract.json import JsonObject
from switchboard.formats.schema.description_hints import with_hints
from switchboard.formats.schema.dialect import Lowered
from switchboard.formats.schema.subschema import children, pointer

_PREFIX = "#/$defs/"


def with_optional_recursion(lowered: Lowered) -> Lowered:
    """Return a lowered schema in which no property that leads back to its own definition is required.

    Gemini unrolls recursion itself and takes it inside optional properties only.
    """
    definitions = lowered.schema.get("$defs", {})
    reached = {name: _reached(name, definitions) for name in definitions}
    if not any(name in names for name, names in reached.items()):
        return lowered
    notes = list(lowered.notes)
    loosened = {
        name: _loosened(
            schema, pointer("$defs", name), {other for other in reached[name] if name in reached[other]}, notes
        )
        for name, schema in definitions.items()
    }
    return Lowered(lowered.schema | {"$defs": loosened}, tuple(dict.fromkeys(notes)))


def _reached(start: str, definitions: Mapping[str, Any]) -> set[str]:
    """Return the definitions that one leads to."""
    found: set[str] = set()
    queue = [start]
    while queue:
        for name in _named(definitions[queue.pop()]):
            if name in definitions and name not in found:
                found.add(name)
                queue.append(name)
    return found


def _named(schema: Any) -> Iterator[str]:
    if isinstance(schema, Mapping):
        if isinstance(reference := schema.get("$ref"), str):
            yield reference.removeprefix(_PREFIX)
        for _, child in children(schema):
            yield from _named(child)


def _loosened(schema: Any, at: str, circle: set[str], notes: list[str]) -> Any:
    if not isinstance(schema, Mapping) or not circle:
        return schema
    word: JsonObject = dict(schema)
    properties = word.get("properties", {})
    back = [n for n in word.get("required", ()) if n in properties and circle & set(_named(properties[n]))]
    if back:
        word["required"] = [name for name in word["required"] if name not in back]
        word["description"] = with_hints(word.get("description"), [f"always with {', '.join(back)}"])
        notes += [f"{at}: {name} leads back to itself and is told as optional" for name in back]
    if "properties" in word:
        word["properties"] = {
            name: _loosened(child, at + pointer("properties", name), circle, notes)
            for name, child in properties.items()
        }
    for keyword in ("items", "additionalProperties"):
        if keyword in word:
            word[keyword] = _loosened(word[keyword], at + pointer(keyword), circle, notes)
    for keyword in ("anyOf", "prefixItems"):
        if keyword in word:
            word[keyword] = [
                _loosened(child, at + pointer(keyword, index), circle, notes)
                for index, child in enumerate(word[keyword])
            ]
    return word
