"""Drafts on trial: which businesses meet new words before the others, and by what both sides are counted.

`canary: {businesses: [ids], document: {…}, since: "…"}` stands in a definition's document itself, so that one query
reads both and a call costs no further read. Businesses that try the same drafts share one set of definitions.

While a draft is on trial, every conversation that begins, and every call of that tool in it, keeps the trial's mark for
its side: what the two sides did is counted by these, whatever else is published meanwhile.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from switchboard.contract.definitions.definition import DefinitionError
from switchboard.contract.document import strings
from switchboard.contract.python.dataclass import dataclass

CANARY = "canary"
"""The field of a definition's document."""
MOST_CANARIES = 5
"""So many drafts may be on trial at once: every combination of them can be a set of its own."""
MOST_CANARY_BUSINESSES = 100

Set = TypeVar("Set")
Variant = TypeVar("Variant")


@dataclass(frozen=True, slots=True)
class Canary:
    """Who tries a draft, and the draft as it is stored.

    Attributes:
        since: Names the trial, and says when it began (ISO, UTC); empty where that was not noted.
    """

    businesses: tuple[str, ...]
    document: Mapping[str, Any]
    since: str = ""


def read_canary(document: Mapping[str, Any]) -> Canary | None:
    """Return the canary that a definition's document carries, or None.

    Raises:
        DefinitionError: It carries something else under that name.
    """
    canary = document.get(CANARY)
    if canary is None:
        return None
    businesses = canary.get("businesses") if isinstance(canary, Mapping) else None
    if not isinstance(businesses, list) or not all(isinstance(id, str) and id for id in businesses):
        raise DefinitionError(f"{CANARY}.businesses", "is no list of business ids", 'write ["demo-salon"]')
    if not isinstance(canary.get("document"), Mapping):
        raise DefinitionError(f"{CANARY}.document", "is no definition", "write the definition to try")
    return Canary(tuple(businesses[:MOST_CANARY_BUSINESSES]), canary["document"], since_of(document))


def since_of(document: Mapping[str, Any]) -> str:
    """Return when a definition's trial began, as its document names it; empty where none is."""
    canary = document.get(CANARY)
    since = canary.get("since") if isinstance(canary, Mapping) else None
    return since if isinstance(since, str) else ""


def mark_of(tool: str, since: str, *, is_new: bool) -> str:
    """Return what conversations and calls of one side of a trial keep: of the draft, or of the old words."""
    return f"{tool}:{since}:{'new' if is_new else 'old'}"


def marks_in(session: Mapping[str, Any]) -> dict[str, str]:
    """Return the marks of a session's document, by tool."""
    return {mark.partition(":")[0]: mark for mark in strings(session.get("canaries"))}


def without_canary(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return a definition's document as it is for everybody else."""
    return {name: value for name, value in document.items() if name != CANARY}


def with_canary_of(document: Mapping[str, Any], stored: Mapping[str, Any]) -> dict[str, Any]:
    """Return a definition's document with the trial of the stored one; without, where others would get another one."""
    is_same = CANARY in stored and without_canary(document) == without_canary(stored)
    return {**document, CANARY: stored[CANARY]} if is_same else dict(document)


def of_business(document: Mapping[str, Any], business_id: str) -> dict[str, Any]:
    """Return a definition's stored document as one business has it: the draft where it tries that."""
    canary = document.get(CANARY)
    tried = canary if isinstance(canary, Mapping) and business_id in strings(canary.get("businesses")) else {}
    draft = tried.get("document")
    return dict(draft) if isinstance(draft, Mapping) else without_canary(document)


def grouped(
    tried: Mapping[str, tuple[Iterable[str], Variant]], make: Callable[[Mapping[str, Variant]], Set]
) -> dict[str, Set]:
    """Return a set for each business that tries something; those that try the same share it.

    Args:
        tried: By tool name, who tries what; of more than `MOST_CANARIES` the first by name count.
        make: Makes a set of the tools that are tried, by name.
    """
    by_business: dict[str, dict[str, Variant]] = {}
    for name, (businesses, tool) in sorted(tried.items())[:MOST_CANARIES]:
        for business in businesses:
            by_business.setdefault(business, {})[name] = tool
    made: dict[tuple[str, ...], Set] = {}
    for tools in by_business.values():
        key = tuple(tools)
        if key not in made:
            made[key] = make(tools)
    return {business: made[tuple(tools)] for business, tools in by_business.items()}
