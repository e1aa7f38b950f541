"""Closing a schema: where it is silent about further properties, there are none.

Design §5: unknown keys are refused.
"""

from collections.abc import Mapping
from typing import Any

from switchboard.catalog.schema.types import effective, is_mere_reference
from switchboard.contract.json import JsonObject
from switchboard.formats.schema.subschema import target

_COMBINING = frozenset({"allOf", "anyOf", "oneOf", "$ref", "if", "dependentSchemas", "not"})


def closed(schema: Any, root: JsonObject) -> Any:
    """Return a schema in which silence about further properties means that there are none.

    An object that names no properties at all is a free map and stays one, except at the top, where it means that the
    tool takes no arguments. What is referred to is closed in a copy of its own: it may also be a part of something.
    """
    if not isinstance(schema, Mapping):
        return schema
    closing = _Closing(root)
    found = closing.inside(effective(schema, root), at_top=True)
    copies = closing.copies()
    return found | {"$defs": found.get("$defs", {}) | copies} if copies else found


class _Closing:
    """Closes one document's schemas; references lead to closed copies, each made once, also where they go round."""

    def __init__(self, root: JsonObject) -> None:
        self._root = root
        self._names: dict[str, str] = {}

    def copies(self) -> JsonObject:
        """Return the closed copies by the names under which they are referred to."""
        found: JsonObject = {}
        while len(found) < len(self._names):
            for reference, name in list(self._names.items())[len(found) :]:
                found[name] = self.node(target(self._root, reference))
        return found

    def node(self, schema: Any) -> Any:
        """Return one schema closed."""
        if not isinstance(schema, Mapping):
            return schema
        if is_mere_reference(schema):
            return dict(schema) | {"$ref": f"#/$defs/{self._name(schema['$ref'])}"}
        return self.inside(dict(schema))

    def inside(self, found: JsonObject, *, at_top: bool = False) -> JsonObject:
        """Close a schema that is more than a reference."""
        for keyword in ("items", "additionalProperties"):
            if isinstance(found.get(keyword), Mapping):
                found[keyword] = self.node(found[keyword])
        if isinstance(found.get("prefixItems"), list):
            found["prefixItems"] = [self.node(inner) for inner in found["prefixItems"]]
        if "properties" not in found:
            # Beside `properties`, a branch usually names only a part of the keys.
            for keyword in ("anyOf", "oneOf"):
                if isinstance(found.get(keyword), list):
                    found[keyword] = [self.node(branch) for branch in found[keyword]]
        else:
            found["properties"] = {name: self.node(inner) for name, inner in found["properties"].items()}
        is_silent = not found.keys() & {"additionalProperties", "unevaluatedProperties"}
        if is_silent and (at_top or "properties" in found):
            found["unevaluatedProperties" if found.keys() & _COMBINING else "additionalProperties"] = False
        return found

    def _name(self, reference: str) -> str:
        taken = self._root.get("$defs", {})
        if reference not in self._names:
            number = len(self._names)
            while f"closed-{number}" in taken:
                number += len(taken) + 1
            self._names[reference] = f"closed-{number}"
        return self._names[reference]
