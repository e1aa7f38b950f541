"""What is given for a schema and is only a part of one: a list of parameters, a map from names to types."""

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from switchboard.catalog.schema.repair.keywords import COMMENTS, KEYWORDS, RENAMED
from switchboard.catalog.schema.repair.types import meaning
from switchboard.contract.definitions.definition import DefinitionError
from switchboard.contract.json import JsonObject

Note: TypeAlias = Callable[[str, str], None]
"""Reports one repair: a JSON pointer, and a sentence."""

_WHOLE_TOOLS = ("parameters", "inputSchema", "input_schema", "parametersJsonSchema", "function", "functionSchema")
_ONLY_WORDS = frozenset({"title", "description", "type", "format", "pattern", "required", "enum", "$comment"})


def as_schema(document: Any, note: Note) -> JsonObject:
    """Return the object schema that a document means.

    Raises:
        DefinitionError: It is no schema, or a whole tool.
    """
    if isinstance(document, list) and document and all(isinstance(row, Mapping) and "name" in row for row in document):
        note("", "a list of parameters was made the properties of an object")
        return {"type": "object", "properties": by_name(document, "")}
    if not isinstance(document, Mapping):
        raise DefinitionError(
            "/", f"is {type(document).__name__}, no schema", "write an object with type and properties"
        )
    known = document.keys() & (KEYWORDS | RENAMED.keys())
    if not known - {"description", "title"}:
        for key in _WHOLE_TOOLS:
            if isinstance(document.get(key), Mapping):
                raise DefinitionError("/", "is a whole tool", f"give only what stands under {key}, its schema")
    if document and _is_bare(document):
        note("", "a map from names to types was made the properties of an object")
        return {"type": "object", "properties": dict(document)}
    return dict(document)


def by_name(rows: list[Any], at: str) -> JsonObject:
    """Return a list of parameters, each with its `name`, as properties.

    Raises:
        DefinitionError: One has no name, or two have the same.
    """
    found: JsonObject = {}
    for index, row in enumerate(rows):
        name = row.get("name") if isinstance(row, Mapping) else None
        if not isinstance(name, str) or not name:
            raise DefinitionError(f"{at}/{index}", "has no name", 'write {"name": …, "type": …} for each parameter')
        if name in found:
            raise DefinitionError(f"{at}/{index}", f"{name!r} is there twice", "give every parameter its own name")
        found[name] = {key: value for key, value in row.items() if key != "name"}
    return found


def _is_bare(document: Mapping[str, Any]) -> bool:
    """Tell whether every key can only be the name of a property."""
    rows = {key: value for key, value in document.items() if not COMMENTS.match(key)}
    return bool(rows) and all(_is_property(key, value) for key, value in rows.items())


def _is_property(key: str, value: Any) -> bool:
    if key in KEYWORDS or key in RENAMED or key == "nullable":
        return key in _ONLY_WORDS and isinstance(value, Mapping) and "type" in value
    if isinstance(value, str):
        return meaning(value) is not None
    return isinstance(value, Mapping) and bool(value.keys() & {"type", "enum", "properties", "items", "$ref", "anyOf"})
