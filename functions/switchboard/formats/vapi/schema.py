"""Parameters as Vapi's `JsonSchema` says them: ten keywords, one type for each value."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from switchboard.contract.json import JsonObject
from switchboard.formats import gemini
from switchboard.formats.schema.dialect import FOR_TYPE, Dialect, Lowered
from switchboard.formats.schema.lowering import lower
from switchboard.formats.schema.memo import once_per_schema
from switchboard.formats.schema.subschema import pointer
from switchboard.formats.vapi.call_facts import HIDDEN

ARGUMENT_NAMES = replace(gemini.ARGUMENT_NAMES, taken=HIDDEN)
"""How arguments may be called: as every vendor takes it, since Vapi hands a tool on to whichever model it drives.

Names of what Vapi itself fills in are left to it: whatever a model said under them would be read as Vapi's word.
"""
# `anyOf` is no keyword of Vapi's: it is kept so far because it tells which one type comes nearest.
_DIALECT = Dialect(
    frozenset(
        {"type", "items", "properties", "description", "pattern", "format", "required", "enum", "title", "anyOf"}
    ),
    formats=frozenset({"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"}),
    enum_types=(str,),
    has_references=False,
    has_type_lists=False,
    names=ARGUMENT_NAMES,
)
_TYPES = frozenset(FOR_TYPE) - {"null"}


@once_per_schema
def lowered(parameters: JsonObject) -> Lowered:
    """Return parameters as Vapi takes them, with `properties` even where there are none, and what that lost."""
    found = lower(parameters, _DIALECT)
    notes = list(found.notes)
    schema = _typed(found.schema | {"type": "object"}, "", notes)
    schema.setdefault("properties", {})
    return Lowered(schema, tuple(dict.fromkeys(notes)))


def _typed(schema: Mapping[str, Any], at: str, notes: list[str]) -> JsonObject:
    """Return a lowered schema in which every value has exactly one type."""
    word = dict(schema)
    while "anyOf" in word:
        word = _nearest(word, word.pop("anyOf"), at, notes)
    if word.get("type") not in _TYPES:
        word["type"] = _guessed(word)
        notes.append(f"{at or '/'}: Vapi needs a type; {word['type']} is told")
    kind = word["type"]
    for key in [key for key in word if key in _STRANGERS[kind]]:
        del word[key]
        notes.append(f"{at or '/'}: {key} is left out")
    if isinstance(word.get("properties"), Mapping):
        word["properties"] = {
            name: _typed(child, at + pointer("properties", name), notes) for name, child in word["properties"].items()
        }
    if kind == "array":
        items = word.get("items")
        word["items"] = _typed(items if isinstance(items, Mapping) else {}, at + pointer("items"), notes)
    if "required" in word:
        word["required"] = [name for name in word["required"] if name in word.get("properties", {})]
        if not word["required"]:
            del word["required"]
    return word


_STRANGERS = {
    kind: frozenset({"pattern", "format", "items", "properties", "required", "enum"})
    - FOR_TYPE[kind]
    - ({"enum"} if kind == "string" else set())
    # Formats are those of texts.
    | ({"format"} if kind in ("integer", "number") else set())
    for kind in _TYPES
}


def _nearest(word: JsonObject, branches: Sequence[Any], at: str, notes: list[str]) -> JsonObject:
    """Join the one branch that says most for most values: text where text will do, else the first."""
    if not at or "type" in word:
        # They only narrow what is told already; one of them alone would forbid what another allows.
        notes.append(f"{at or '/'}: a choice between further rules is left out")
        return word
    notes.append(f"{at}: only one of several forms is told")
    rows = [branch for branch in branches if isinstance(branch, Mapping)]
    chosen = next((row for row in rows if row.get("type") == "string"), rows[0] if rows else {})
    kinds = {row.get("type") for row in rows}
    words = [row.get("enum") for row in rows]
    if kinds == {"string"}:
        every = [value for some in words if isinstance(some, list) for value in some]
        chosen = {"type": "string"} | ({"enum": list(dict.fromkeys(every))} if all(words) else {})
    return {**chosen, **word}


def _guessed(word: JsonObject) -> str:
    if "properties" in word:
        return "object"
    return "array" if "items" in word else "string"
