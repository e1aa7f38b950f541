"""Where JSON Schema 2020-12 keeps schemas inside schemas, and how a local reference is followed.

Data may look like a schema (a property named `$ref`, a default that holds `properties`), so a walk must know the
keywords instead of searching every object.
"""

from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import unquote

IN_MAPS = ("properties", "patternProperties", "dependentSchemas", "$defs", "definitions")
"""Keywords whose value maps names to schemas."""
IN_LISTS = ("anyOf", "oneOf", "allOf", "prefixItems")
"""Keywords whose value is a list of schemas."""
ALONE = (
    "items",
    "additionalProperties",
    "not",
    "if",
    "then",
    "else",
    "contains",
    "propertyNames",
    "unevaluatedItems",
    "unevaluatedProperties",
    "contentSchema",
)
"""Keywords whose value is one schema."""

ANNOTATIONS = frozenset(
    {"title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly", "$comment"}
)
"""Keywords that say something about a value without refusing any."""


def children(schema: Any) -> Iterator[tuple[str, Any]]:
    """Yield the schemas directly inside a schema, each with its JSON pointer relative to it."""
    if not isinstance(schema, Mapping):
        return
    for keyword in IN_MAPS:
        inner = schema.get(keyword)
        if isinstance(inner, Mapping):
            yield from ((pointer(keyword, name), child) for name, child in inner.items())
    for keyword in IN_LISTS:
        inner = schema.get(keyword)
        if isinstance(inner, list):
            yield from ((pointer(keyword, index), child) for index, child in enumerate(inner))
    yield from ((pointer(keyword), schema[keyword]) for keyword in ALONE if keyword in schema)


def pointer(*parts: str | int) -> str:
    """Return the JSON pointer (RFC 6901) of a path: `/properties/start_time`."""
    return "".join(f"/{str(part).replace('~', '~0').replace('/', '~1')}" for part in parts)


def target(root: Any, reference: str) -> Any:
    """Return the schema that a reference points at: `#/…`, or `#` for the whole.

    Raises:
        LookupError: It leaves the document, or there is nothing at that place.
    """
    if reference == "#":
        return root
    if not reference.startswith("#/"):
        raise LookupError(reference)
    node = root
    for part in unquote(reference[2:]).split("/"):
        key = part.replace("~1", "/").replace("~0", "~")
        if isinstance(node, list):
            node = node[int(key)] if key.isascii() and key.isdigit() and int(key) < len(node) else None
        else:
            node = node.get(key) if isinstance(node, Mapping) else None
        if node is None:
            raise LookupError(reference)
    return node
