"""A draft on trial: a definition's document may carry another one for a few businesses, which get it before the others.

`canary: {businesses: [ids], document: {…}}` stands in the document itself, so that one query reads both and a call
costs no further read. Businesses that try the same drafts share one set of definitions.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from switchboard.contract.definitions.definition import DefinitionError

CANARY = "canary"
"""The field of a definition's document."""
MOST_CANARIES = 5
"""So many drafts may be on trial at once: every combination of them can be a set of its own."""
MOST_CANARY_BUSINESSES = 100

Set = TypeVar("Set")
Tool = TypeVar("Tool")


@dataclass(frozen=True, slots=True)
class Canary:
    """Who tries a draft, and the draft as it is stored."""

    businesses: tuple[str, ...]
    document: Mapping[str, Any]


def read_canary(document: Mapping[str, Any]) -> Canary | None:
    """Return the canary that a definition's document carries, or None.

    Raises:
        DefinitionError: It carries something else under that name.
    """
    found = document.get(CANARY)
    if found is None:
        return None
    businesses = found.get("businesses") if isinstance(found, Mapping) else None
    if not isinstance(businesses, list) or not all(isinstance(id, str) and id for id in businesses):
        raise DefinitionError(f"{CANARY}.businesses", "is no list of business ids", 'write ["demo-salon"]')
    if not isinstance(found.get("document"), Mapping):
        raise DefinitionError(f"{CANARY}.document", "is no definition", "write the definition to try")
    return Canary(tuple(businesses[:MOST_CANARY_BUSINESSES]), found["document"])


def without_canary(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return a definition's document as it is for everybody else."""
    return {name: value for name, value in document.items() if name != CANARY}


def grouped(
    tried: Mapping[str, tuple[Iterable[str], Tool]], make: Callable[[Mapping[str, Tool]], Set]
) -> dict[str, Set]:
    """Return a set for each business that tries something; those that try the same share it.

    Args:
        tried: By tool name, who tries what; of more than `MOST_CANARIES` the first by name count.
        make: Makes a set of the tools that are tried, by name.
    """
    wanted: dict[str, dict[str, Tool]] = {}
    for name, (businesses, tool) in sorted(tried.items())[:MOST_CANARIES]:
        for business in businesses:
            wanted.setdefault(business, {})[name] = tool
    made: dict[tuple[str, ...], Set] = {}
    for tools in wanted.values():
        key = tuple(tools)
        if key not in made:
            made[key] = make(tools)
    return {business: made[tuple(tools)] for business, tools in wanted.items()}
