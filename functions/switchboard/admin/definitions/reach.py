"""Whom a publication reaches: all businesses, or those that began or ceased to try something."""

from collections.abc import Mapping
from typing import Any

from switchboard.admin.documents.difference import canonical
from switchboard.catalog.definitions.canary import CANARY, without_canary
from switchboard.contract.document import mapping, strings
from switchboard.contract.json import JsonObject
from switchboard.contract.python.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Reach:
    """Whom a publication reaches.

    Attributes:
        is_for_all: Whether what all businesses have is changed.
        tried: The ids of those who tried a draft of one of its tools before.
        trying: The ids of those who do since.
    """

    is_for_all: bool
    tried: tuple[str, ...] = ()
    trying: tuple[str, ...] = ()

    @classmethod
    def noted(cls, note: Mapping[str, Any]) -> "Reach | None":
        """Return what a note of the list of publications says; None where an earlier release wrote it."""
        reach = note.get("reach")
        if not isinstance(reach, Mapping):
            return None
        return cls(reach.get("isForAll") is True, strings(reach.get("tried")), strings(reach.get("trying")))

    def to_note(self) -> JsonObject:
        """Return it as the list of publications keeps it."""
        return {"isForAll": self.is_for_all, "tried": list(self.tried), "trying": list(self.trying)}

    def reaches(self, business_id: str) -> bool:
        """Tell whether a business's callers can meet what it changes."""
        return self.is_for_all or business_id in self.tried or business_id in self.trying

    def deed_for(self, business_id: str) -> str:
        """Return what was done, as a business sees it that it reaches and of which not all are."""
        if business_id not in self.trying:
            return "canary ended"
        return "canary changed" if business_id in self.tried else "canary started"


def reach_of(before: Mapping[str, JsonObject], after: Mapping[str, JsonObject]) -> Reach:
    """Return whom a change of definitions reaches.

    Args:
        before: By name, the stored documents that change or go, as they were.
        after: Those that change or are new, as they then are.
    """
    names = {*before, *after}
    is_for_all = any(_base(before.get(name)) != _base(after.get(name)) for name in names)
    tried, trying = (sorted({id for one in side.values() for id in _businesses(one)}) for side in (before, after))
    return Reach(is_for_all, tuple(tried), tuple(trying))


def _base(document: JsonObject | None) -> str:
    return canonical(None if document is None else without_canary(document))


def _businesses(document: JsonObject) -> tuple[str, ...]:
    return strings(mapping(document.get(CANARY)).get("businesses"))
