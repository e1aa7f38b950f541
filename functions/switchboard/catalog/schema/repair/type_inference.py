"""The type of a loosely written schema: by another name, forgotten, with null beside it, or unlike its enum."""

from typing import Any

from switchboard.catalog.schema.repair.types import TYPED, TYPES, Note, meaning, number_in, or_null, unclear
from switchboard.catalog.schema.schema import ASSERTED_FORMATS
from switchboard.catalog.schema.types import kind_of
from switchboard.contract.definitions.definition import DefinitionError
from switchboard.contract.document import items
from switchboard.contract.json import JsonObject
from switchboard.formats.schema.subschema import target

_LONGEST_CHAIN = 20
_NUMBER_FORMATS = {"int32": "integer", "int64": "integer", "float": "number", "double": "number"}


def with_type(word: JsonObject, at: str, note: Note) -> JsonObject:
    """Return a schema whose `type` is one of JSON Schema's.

    Raises:
        DefinitionError: The type can mean more than one, or none.
    """
    if "type" not in word:
        return word
    declared = word["type"]
    if declared in ("enum", "ENUM") and isinstance(word.get("enum"), list):
        note(at, "type: enum was left out: the enum says it")
        return {key: value for key, value in word.items() if key != "type"}
    names = declared if isinstance(declared, list) else [declared]
    if not names or not all(isinstance(name, str) for name in names):
        raise unclear(f"{at}/type", declared)
    if all(name in TYPES for name in names) and len({*names}) == len(names):
        return word
    meant = meaning(names[0]) if isinstance(declared, str) else meaning(" | ".join(names))
    if meant is None:
        raise unclear(f"{at}/type", declared)
    rest = {key: value for key, value in word.items() if key != "type"}
    for key in meant.keys() & rest.keys() - {"format"}:
        if rest[key] not in (meant[key], {}) and meant[key] != {}:
            raise DefinitionError(
                f"{at}/type", f"{declared!r} says other than {key}", f"write the type and {key} alike"
            )
    note(at, f"type {declared!r} is written as {_shown(meant)}")
    return {**meant, **{key: value for key, value in rest.items() if key not in meant or key == "format"}}


def with_typed_enum(word: JsonObject, at: str, note: Note) -> JsonObject:
    """Return a schema whose words are a list, and have the type that it states.

    Raises:
        DefinitionError: Nobody can tell which words are meant.
    """
    words = word.get("enum")
    if isinstance(words, str):
        if not words.strip() or any(mark in words for mark in ",;|/"):
            raise DefinitionError(f"{at}/enum", f"{words[:60]!r} is text", "write a list of words")
        note(at, "enum is written as a list of one")
        word["enum"] = words = [words]
    if not isinstance(words, list) or not isinstance(word.get("type"), str):
        return word
    kind = word["type"]
    if kind in ("integer", "number") and any(isinstance(item, str) for item in words):
        fresh = [number_in(item) if isinstance(item, str) else item for item in words]
        if any(item is None and words[index] is not None for index, item in enumerate(fresh)):
            raise DefinitionError(f"{at}/enum", f"has words that are no {kind}", "write numbers, or type string")
        note(at, f"the numbers in enum were in quotes, although the type is {kind}")
        word["enum"] = fresh
    elif kind == "string" and any(isinstance(item, int) and not isinstance(item, bool) for item in words):
        note(at, "the numbers in enum are written as text, as the type says")
        word["enum"] = [str(item) if isinstance(item, int) and not isinstance(item, bool) else item for item in words]
    elif kind == "string" and any(isinstance(item, bool) for item in words):
        raise DefinitionError(f"{at}/enum", "has true or false among words of text", "put the words in quotes")
    return word


def with_forgotten_type(word: JsonObject, at: str, note: Note) -> JsonObject:
    """Return a schema with the type that its other keywords speak of, where that is one and was forgotten."""
    if word.keys() & {"type", "$ref", "$dynamicRef", "allOf"}:
        return word
    if any(isinstance(b, dict) and b.keys() & {"type", "$ref"} for k in ("anyOf", "oneOf") for b in _branches(word, k)):
        return word
    words = word["enum"] if isinstance(word.get("enum"), list) else [word["const"]] if "const" in word else []
    kinds: list[Any] = list(dict.fromkeys(map(kind_of, words)))
    if "number" in kinds:
        kinds = [kind for kind in kinds if kind != "integer"]
    if not kinds:
        kinds = [kind for kind, keywords in TYPED if word.keys() & keywords]
        kinds += [kind for kind in _kinds_of_format(word.get("format")) if kind not in kinds]
        if len(kinds) != 1:
            return word
    note(at, f"type was missing: {' or '.join(kinds)}, as the rest says")
    return {"type": kinds[0] if len(kinds) == 1 else kinds} | word


def as_object_if_told(schema: JsonObject, note: Note) -> JsonObject:
    """Return a whole schema with the type object, where each of its forms is one and nothing else says so."""
    for keyword in ("anyOf", "oneOf", "allOf"):
        forms = [_followed(form, schema) for form in _branches(schema, keyword)]
        if "type" not in schema and forms and all(form.get("type") == "object" for form in forms):
            note("", f"type was missing: object, as each schema in {keyword} says")
            return {"type": "object"} | schema
    return schema


def _followed(form: Any, root: JsonObject) -> JsonObject:
    """Return what one of several forms is, where it may be a reference."""
    for _ in range(_LONGEST_CHAIN):
        if not isinstance(form, dict) or not isinstance(form.get("$ref"), str):
            break
        try:
            form = target(root, form["$ref"])
        except LookupError:
            break
    return form if isinstance(form, dict) else {}


def or_null_if_told(word: JsonObject, at: str, note: Note) -> JsonObject:
    """Return a schema with OpenAPI's `nullable` written as a type."""
    marks = [key for key in ("nullable", "x-nullable") if isinstance(word.get(key), bool)]
    if not marks:
        return word
    unmarked = {key: value for key, value in word.items() if key not in marks}
    if not any(word[key] for key in marks):
        note(at, f"{marks[0]}: false was left out: only what says null takes it")
        return unmarked
    note(at, f"{marks[0]} is written as null beside the type")
    return or_null(unmarked)


def _branches(word: JsonObject, keyword: str) -> list[Any]:
    return items(word.get(keyword))


def _kinds_of_format(name: Any) -> list[str]:
    if not isinstance(name, str):
        return []
    return [_NUMBER_FORMATS[name]] if name in _NUMBER_FORMATS else ["string"] if name in ASSERTED_FORMATS else []


def _shown(schema: JsonObject) -> str:
    return ", ".join(f"{key} {value!r}" for key, value in schema.items()) or "any type"
