"""What was made of definitions before, by what they say: to read and check all of them anew would hold up callers."""

import hashlib
import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any
from weakref import WeakKeyDictionary

from cachetools import LRUCache

from switchboard.catalog.definitions.registry import Registry
from switchboard.catalog.definitions.tool import Tool
from switchboard.contract.definitions.definition import DefinitionError
from switchboard.contract.json import JsonObject

# Of each tool what is published now, what was before, and the drafts that are on trial.
_READ_BEFORE = 256


class Readings:
    """Tools by the text of their documents, shared by all who read by one registry: what was read is never changed.

    Attributes:
        builtin: The tools as they were built.
    """

    def __init__(self, registry: Registry) -> None:
        """Begin with what was built."""
        self.builtin = tuple(Tool.as_built(built) for built in registry.tools.values())
        self._tools: LRUCache[str, Tool] = LRUCache(_READ_BEFORE)

    def get(self, key: str) -> Tool | None:
        """Return what a document was read as before, None where it was not or could not be used."""
        return self._tools.get(key)

    def put(self, key: str, tool: Tool) -> None:
        """Note what a document was read as."""
        self._tools[key] = tool


_BY_REGISTRY: "WeakKeyDictionary[Registry, Readings]" = WeakKeyDictionary()


def readings_by(registry: Registry) -> Readings:
    """Return what was read by a registry, in this process."""
    readings = _BY_REGISTRY.get(registry)
    if readings is None:
        readings = _BY_REGISTRY[registry] = Readings(registry)
    return readings


def key_of(name: str, document: Mapping[str, Any]) -> str:
    """Return the same text for what would be read in the same way."""
    # As JSON, since 1, 1.0 and true are three values in a definition and one in a comparison.
    return json.dumps([name, document], sort_keys=True, default=repr)


def decoded(data: Mapping[str, Any]) -> JsonObject:
    """Return the fields with schemas that are stored as JSON text (Firestore has no array in an array) read.

    Raises:
        DefinitionError: Such a text is no JSON.
    """
    document = dict(data)
    for part in ("parameters", "returns"):
        if isinstance(document.get(part), str):
            try:
                document[part] = json.loads(document[part])
            except ValueError as error:
                raise DefinitionError(part, f"is text but not JSON ({error})", "write a JSON Schema") from None
    return document


@lru_cache(maxsize=64)
def hash_of(tools: tuple[Tool, ...]) -> str:
    """Return a hash of what some tools say, the same on every instance."""
    text = json.dumps([tool.definition.to_document() for tool in tools], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:32]
