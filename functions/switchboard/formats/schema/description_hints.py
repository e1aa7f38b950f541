"""Words for limits that a dialect cannot check: the model reads them in the description instead."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

_HINTS = {
    "minimum": "at least {}",
    "maximum": "at most {}",
    "exclusiveMinimum": "more than {}",
    "exclusiveMaximum": "less than {}",
    "multipleOf": "a multiple of {}",
    "minLength": "at least {} characters",
    "maxLength": "at most {} characters",
    "minItems": "at least {} items",
    "maxItems": "at most {} items",
    "minProperties": "at least {} entries",
    "maxProperties": "at most {} entries",
    "uniqueItems": "no item twice",
    "pattern": "matching {}",
    "format": "format {}",
    "default": "default {}",
    "enum": "one of {}",
}
_LONGEST_HINT = 200


def with_hints(description: Any, hints: Iterable[str]) -> str:
    """Return a description that also says what the dialect cannot check."""
    told = "; ".join(hints)
    text = description.strip() if isinstance(description, str) else ""
    return f"{text} ({told})" if text else told


def hint(keyword: str, value: Any) -> str:
    """Return words for a limit that the dialect cannot check; empty where words would not help."""
    if keyword == "minLength" and value == 1:
        told = "not empty"
    elif keyword in ("anyOf", "oneOf"):
        told = _needed(value)
    elif keyword == "dependentRequired" and isinstance(value, Mapping):
        told = "; ".join(f"{name} only with {' and '.join(others)}" for name, others in value.items() if others)
    elif keyword not in _HINTS or value is False:
        return ""
    else:
        told = _HINTS[keyword].format(", ".join(map(_shown, value)) if isinstance(value, list) else _shown(value))
    return told if len(told) <= _LONGEST_HINT else ""


def _needed(branches: Any) -> str:
    """Return which arguments are needed where the branches say nothing else."""
    if not isinstance(branches, list) or not all(isinstance(b, Mapping) and list(b) == ["required"] for b in branches):
        return ""
    return "needs " + " or ".join(" and ".join(map(str, branch["required"])) for branch in branches)


def _shown(value: Any) -> str:
    return value if isinstance(value, str) and value else json.dumps(value, ensure_ascii=False)
