"""Parameters whose schemas have definitions of their own: one schema of all has them in one place, by parameter.

A reference such as `#/$defs/size` means a place in the whole schema, which whoever writes one parameter never sees.
"""

from collections.abc import Mapping
from typing import Any, Final

from switchboard.contract.json import JsonObject

_KEYWORDS: Final = ("$defs", "definitions")
# What stands there are values, not schemas.
_VALUES: Final = frozenset({"enum", "const", "default", "examples"})


def gathered(schemas: Mapping[str, JsonObject]) -> tuple[JsonObject, JsonObject]:
    """Return the schemas of parameters without definitions of their own, and all of these, as one schema has them."""
    properties: JsonObject = {}
    definitions: JsonObject = {}
    for name, schema in schemas.items():
        own = {keyword: schema[keyword] for keyword in _KEYWORDS if isinstance(schema.get(keyword), Mapping)}
        if not own:
            properties[name] = schema
            continue
        rest = {keyword: value for keyword, value in schema.items() if keyword not in own}
        properties[name] = _referring(rest, name)
        for defined in own.values():
            definitions |= {f"{name}__{inner}": _referring(value, name) for inner, value in defined.items()}
    return properties, definitions


def _referring(node: Any, name: str) -> Any:
    """Return a part of a schema in which references to its parameter's definitions lead to where they are now."""
    if isinstance(node, list):
        return [_referring(each, name) for each in node]
    if not isinstance(node, Mapping):
        return node
    return {
        keyword: _moved(value, name)
        if keyword == "$ref" and isinstance(value, str)
        else value
        if keyword in _VALUES
        else _referring(value, name)
        for keyword, value in node.items()
    }


def _moved(reference: str, name: str) -> str:
    # As for the parameter alone, and as in the whole schema that it stands in, which an importer knows.
    for place in (f"{at}/{keyword}/" for keyword in _KEYWORDS for at in ("#", f"#/properties/{name}")):
        if reference.startswith(place):
            return f"#/$defs/{name}__{reference.removeprefix(place)}"
    return reference
