"""JSON Merge Patch (RFC 7396): what a partial document makes of a whole one."""

from collections.abc import Mapping
from typing import Any

from switchboard.contract.json import JsonObject


def merged(whole: Mapping[str, Any], patch: Mapping[str, Any]) -> JsonObject:
    """Return `whole` with objects joined, null removing and everything else replacing."""
    found = dict(whole)
    for name, value in patch.items():
        if value is None:
            found.pop(name, None)
        elif isinstance(value, Mapping):
            inner = found.get(name)
            found[name] = merged(inner if isinstance(inner, Mapping) else {}, value)
        else:
            found[name] = value
    return found
