"""A converter from loosely written schemas to JSON Schema 2020-12: every repair is reported, and nothing is guessed.

Definitions come from seeds, SDKs, spreadsheets and other models: Python's names of types, `required: true` inside a
property, OpenAPI's and draft 4's spellings. Where a schema could mean two things the answer is an error that says what
to write. A schema that is sound and says what it means comes back as it was.
"""

from collections.abc import Mapping
from copy import deepcopy
from typing import Any, NamedTuple

from switchboard.catalog.schema.repair.nodes import LooseNode
from switchboard.catalog.schema.repair.type_inference import as_object_if_told
from switchboard.catalog.schema.repair.types import Note, as_schema
from switchboard.catalog.schema.schema import check_schema
from switchboard.contract import policy
from switchboard.contract.definitions.definition import DefinitionError
from switchboard.contract.json import JsonObject
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.python.strict_json import Limits, MalformedJson, check_value
from switchboard.formats.schema.subschema import ALONE, ANNOTATIONS, IN_LISTS, IN_MAPS, pointer, target

_LIMITS = Limits(depth=4 * policy.SCHEMA_DEPTH, nodes=4 * policy.SCHEMA_NODES, bytes=policy.SCHEMA_BYTES)
_MOST_ROUNDS = 5
_UNTYPED = frozenset({"allOf", "not", "if", "then", "else", "dependentSchemas"})

_PREFIXES = ("#/definitions/", "#/$definitions/", "#/components/schemas/")


@dataclass(frozen=True, slots=True)
class Repair:
    """One thing that was written differently: its JSON pointer in the document, and what was done, in one sentence."""

    place: str
    text: str

    def __str__(self) -> str:
        return f"{self.place}: {self.text}"


class Repaired(NamedTuple):
    """A schema that `check_schema` finds nothing wrong with, and everything that was done to make it one."""

    schema: JsonObject
    report: tuple[Repair, ...]


def repair(document: Any) -> Repaired:
    """Return the JSON Schema 2020-12 that a loosely written one means; the document is left as it was.

    Repairing what was repaired changes nothing any more.

    Raises:
        DefinitionError: It can mean two things, or nothing; the error says what to write.
    """
    try:
        check_value(document, _LIMITS)
    except MalformedJson as error:
        raise DefinitionError("/", str(error), "make the schema smaller or plainer") from None
    repaired = _repaired_once(document)
    for _ in range(_MOST_ROUNDS):
        # What said nothing, and was left out, may have kept something from being read as what it means.
        again = _repaired_once(repaired.schema)
        if again == Repaired(repaired.schema, ()):
            break
        repaired = Repaired(again.schema, (*repaired.report, *again.report))
    return repaired


def _repaired_once(document: Any) -> Repaired:
    repairs: list[Repair] = []

    def note(at: str, text: str) -> None:
        repairs.append(Repair(at or "/", text))

    schema = written_out(with_definitions(as_schema(deepcopy(document), note), note), note)
    repaired = _Walk(note, has_parts_in_conditions(schema)).schema(schema, "", is_whole=True)
    if repaired is True or repaired is False:
        raise DefinitionError("/", "is no object", "write a JSON Schema")
    repaired = as_object_if_told(repaired, note)
    problems = check_schema(repaired)
    if problems:
        raise problems[0]
    return Repaired(repaired, tuple(repairs))


def has_parts_in_conditions(schema: Any) -> bool:
    """Tell whether `not` or `if` is used anywhere, so that definitions may be parts of a condition."""
    if isinstance(schema, Mapping):
        return bool(schema.keys() & {"not", "if"}) or any(map(has_parts_in_conditions, schema.values()))
    return isinstance(schema, list) and any(map(has_parts_in_conditions, schema))


class _Walk:
    """Repairs one schema after another, from the outside in."""

    def __init__(self, note: Any, definitions_are_parts: bool) -> None:
        self._note = note
        self._definitions_are_parts = definitions_are_parts

    def schema(self, schema: Any, at: str, *, is_whole: bool, in_property: bool = False) -> Any:
        """Return one schema repaired.

        Args:
            schema: As it was written.
            at: Its JSON pointer.
            is_whole: Whether it says by itself what a value is, so that a missing type is one that was forgotten.
            in_property: Whether whoever called has dealt with `required` and `optional` in it.
        """
        if isinstance(schema, bool):
            return schema
        word = LooseNode(schema, at, self._note).repaired(is_whole=is_whole, in_property=in_property)
        if isinstance(word.get("properties"), Mapping):
            word["properties"] = {
                name: self.schema(inner, at + pointer("properties", name), is_whole=is_whole, in_property=True)
                for name, inner in word["properties"].items()
            }
        for keyword in ("patternProperties", "dependentSchemas", "$defs"):
            if isinstance(word.get(keyword), Mapping):
                whole = keyword == "patternProperties" or (keyword == "$defs" and not self._definitions_are_parts)
                word[keyword] = {
                    name: self.schema(inner, at + pointer(keyword, name), is_whole=whole)
                    for name, inner in word[keyword].items()
                }
        for keyword in IN_LISTS:
            if isinstance(word.get(keyword), list):
                whole = is_whole and keyword not in _UNTYPED and "type" not in word
                whole = whole or keyword == "prefixItems"
                word[keyword] = [
                    self.schema(inner, at + pointer(keyword, index), is_whole=whole)
                    for index, inner in enumerate(word[keyword])
                ]
        for keyword in ALONE:
            if keyword in word:
                whole = is_whole and keyword in ("items", "additionalProperties")
                word[keyword] = self.schema(word[keyword], at + pointer(keyword), is_whole=whole)
        return LooseNode.finished(word, at, self._note)


def with_definitions(schema: JsonObject, note: Note) -> JsonObject:
    """Return a schema whose definitions stand in `$defs`, with every reference to them rewritten.

    Raises:
        DefinitionError: Two definitions of the same name differ.
    """
    definitions: dict[str, Any] = dict(schema["$defs"]) if isinstance(schema.get("$defs"), Mapping) else {}
    own = set(definitions)
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
            if name in definitions and definitions[name] != inner:
                raise DefinitionError(at + pointer(name), "is also defined otherwise", "keep one of the two in $defs")
            definitions[name] = inner
    if definitions.keys() - own or (own and "$defs" in schema):
        schema = schema | {"$defs": definitions}
    rewritten: JsonObject = _Rewriting(definitions, note).node(schema, "")
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
    def __init__(self, untouched: Mapping[str, Any], note: Note) -> None:
        self._kept = untouched
        self._note = note

    def node(self, schema: Any, at: str) -> Any:
        """Return a schema with its references rewritten; data that looks like one is left alone."""
        if isinstance(schema, list):
            return [self.node(inner, f"{at}/{index}") for index, inner in enumerate(schema)]
        if not isinstance(schema, Mapping):
            return schema
        node = dict(schema)
        if isinstance(node.get("$ref"), str):
            node["$ref"] = self._reference(node["$ref"], at)
        for keyword in IN_MAPS:
            if isinstance(node.get(keyword), Mapping):
                inside = node[keyword].items()
                node[keyword] = {name: self.node(inner, at + pointer(keyword, name)) for name, inner in inside}
        for keyword in (*IN_LISTS, *ALONE):
            if isinstance(node.get(keyword), Mapping | list):
                node[keyword] = self.node(node[keyword], f"{at}/{keyword}")
        return node

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
