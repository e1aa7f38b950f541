"""The required part of the JSON Schema Test Suite for draft 2020-12, as `data/json_schema_2020_12.json` keeps it."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

KEPT = json.loads((Path(__file__).parent / "data" / "json_schema_2020_12.json").read_text())
REMOTES: dict[str, Any] = KEPT["remotes"]
FILES: tuple[str, ...] = tuple(KEPT["files"])


@dataclass(frozen=True)
class Case:
    """One value, and whether the group's schema takes it."""

    description: str
    data: Any
    valid: bool


@dataclass(frozen=True)
class Group:
    """A schema and the values it is tried on."""

    description: str
    schema: Any
    cases: tuple[Case, ...]


def groups_of(file: str) -> Iterator[Group]:
    """Yield the groups of one of `FILES`."""
    for group in KEPT["files"][file]:
        yield Group(group["description"], group["schema"], tuple(Case(**case) for case in group["tests"]))


def remote(uri: str) -> Any:
    """Return the remote document that a group refers to."""
    return REMOTES[uri.partition("#")[0]]
