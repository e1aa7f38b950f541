"""Every definition of the corpus, in every dialect: its vendor takes the declaration, and calls come back as meant."""

import json
from functools import cache
from typing import Any

import pytest

from switchboard.catalog.schema.schema import check_schema
from switchboard.contract.definitions.definition import Definition, Kind
from switchboard.formats import FORMATS, anthropic, gemini
from switchboard.formats.schema.spelling import argument_names, respelled, told_names
from switchboard.formats.vapi import tools as vapi_schema
from tests.each import each
from tests.formats.definitions import accepts, validator
from tests.formats.families import CORPUS, FAMILIES, text_of

RULES = {"anthropic": anthropic.ARGUMENT_NAMES, "vapi": vapi_schema.ARGUMENT_NAMES} | dict.fromkeys(
    ("gemini", "gemini_json", "gemini_live", "livekit"), gemini.ARGUMENT_NAMES
)


@cache
def corpus(family: str) -> list[tuple[Definition, list[dict[str, Any]]]]:
    rows = json.loads((CORPUS / f"{family}.json").read_text(encoding="utf-8"))
    return [(definition_of(row), row["arguments"]) for row in rows]


def definition_of(row: dict[str, Any]) -> Definition:
    return Definition(
        name=row["name"],
        category="general",
        kind=Kind(row["kind"]),
        description=row["description"],
        parameters=row["parameters"],
        returns=row.get("returns"),
        writes=row["kind"] == "action",
    )


def sent(dialect: str, definition: Definition, schema: dict[str, Any], arguments: dict[str, Any]) -> dict[str, Any]:
    """Return how a model that follows the declaration says these arguments."""
    if dialect in RULES:
        told = told_names(argument_names(definition.parameters), RULES[dialect])
        arguments = respelled(arguments, told)
    if dialect.endswith("_strict") and schema.get("additionalProperties") is False and _is_strict(dialect, definition):
        arguments = completed(arguments, schema, schema)
    return arguments


def _is_strict(dialect: str, definition: Definition) -> bool:
    declared = FORMATS[dialect].declare(definition)
    return bool(declared.get("function", declared)["strict"])


def completed(value: Any, schema: dict[str, Any], root: dict[str, Any]) -> Any:
    """Return a value with null for whatever strict mode requires and the value leaves out."""
    if "$ref" in schema:
        return completed(value, root["$defs"][schema["$ref"].removeprefix("#/$defs/")], root)
    for branch in schema.get("anyOf", ()):
        found = completed(value, branch, root)
        if accepts({**branch, "$defs": root.get("$defs", {})}, found):
            return found
    if isinstance(value, dict):
        known = schema.get("properties", {})
        return {n: completed(v, known[n], root) if n in known else v for n, v in value.items()} | {
            name: None for name in known if name not in value
        }
    return [completed(item, schema.get("items", {}), root) for item in value] if isinstance(value, list) else value


def without_ambiguous_nulls(value: Any, meant: Any) -> Any:
    """Return a value without the nulls that may have been left out as well: strict mode tells both alike."""
    if isinstance(value, dict) and isinstance(meant, dict):
        return {
            name: without_ambiguous_nulls(item, meant.get(name))
            for name, item in value.items()
            if name in meant or item is not None
        }
    if isinstance(value, list) and isinstance(meant, list):
        return [without_ambiguous_nulls(*pair) for pair in zip(value, meant, strict=True)]
    return value


def test_the_corpus_is_what_the_families_make():
    """`python -m tests.formats.families` writes it anew."""
    for family in FAMILIES:
        assert (CORPUS / f"{family}.json").read_text(encoding="utf-8") == text_of(family)
    assert len({definition.name for family in FAMILIES for definition, _ in corpus(family)}) >= 300


def test_the_vendors_are_those_of_the_table(vendors: dict[str, Any]):
    """A dialect without a vendor's own word would be trusted blindly."""
    assert vendors.keys() == FORMATS.keys()


@each("family", FAMILIES)
def test_the_corpus_is_sound(family: str):
    """Every definition can be saved, and its arguments are valid under its canonical schema."""
    for definition, examples in corpus(family):
        assert check_schema(definition.parameters) == [], definition.name
        is_valid = validator(definition.parameters)
        for arguments in examples:
            assert is_valid(arguments), (definition.name, arguments)


@cache
def taken(dialect: str, family: str) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """Return every declaration of a family, with the schema that its vendor, who takes it, finds in it."""
    from tests.formats.vendors import VENDORS

    found: list[tuple[dict[str, Any], dict[str, Any]]] = []
    for definition, _ in corpus(family):
        declared = FORMATS[dialect].declare(definition)
        try:
            found.append((declared, VENDORS[dialect].check(declared)))
        except Exception as problem:
            raise AssertionError(f"{dialect} refuses {definition.name}") from problem
    return found


@pytest.mark.requirement("003-86")
@each("family", FAMILIES)
@each("dialect", FORMATS)
def test_a_vendor_takes_every_declaration(dialect: str, family: str):
    """Held against the vendor's own SDK and its documented rules."""
    taken(dialect, family)


@pytest.mark.requirement("003-89")
@each("family", FAMILIES)
@each("dialect", FORMATS)
def test_a_call_comes_back_as_it_was_meant(vendors: dict[str, Any], dialect: str, family: str):
    """What is valid under the canonical schema can be said under the declared one, and is read back equal."""
    format, vendor = FORMATS[dialect], vendors[dialect]
    offered = {definition.name: definition for definition, _ in corpus(family)}
    for (definition, examples), (declared, schema) in zip(corpus(family), taken(dialect, family), strict=True):
        is_told, is_meant = validator(schema), validator(definition.parameters)
        for arguments in examples:
            said = sent(dialect, definition, schema, arguments)
            # Vapi knows one type for each value: what it cannot say, its model may still send.
            if dialect != "vapi":
                assert is_told(said), (definition.name, said)
            name = next(declared[k] for k in ("name", "tool_name", "function") if k in declared)
            call = format.read(vendor.call(name["name"] if isinstance(name, dict) else name, said, "call_1"), offered)
            read = json.loads(call.arguments) if isinstance(call.arguments, str) else call.arguments
            if dialect.endswith("_strict"):
                read = without_ambiguous_nulls(read, arguments)
            assert (call.name, read, call.call_id) == (definition.name, arguments, "call_1")
            assert is_meant(read)


@each("family", FAMILIES)
@each("dialect", ["openai", "gemini_json", "anthropic", "mcp", "livekit", "tool_call"])
def test_what_is_lost_is_said(dialect: str, family: str):
    """Without a note, a declaration takes nothing that the canonical schema does not: spoilt arguments show it."""
    for (definition, examples), (_, schema) in zip(corpus(family), taken(dialect, family), strict=True):
        if FORMATS[dialect].lowerings(definition):
            continue
        is_told = validator(schema)
        is_meant = validator(definition.parameters)
        for arguments in examples:
            for name in arguments:
                for spoilt in ({**arguments, name: -17.5}, {**arguments, name: "\u0000"}, {**arguments, name: [[{}]]}):
                    assert is_meant(spoilt) or not is_told(spoilt), (definition.name, spoilt)
