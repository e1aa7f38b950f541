"""What templates said to a business last, kept beside it, by which an owner's own change is told from a template's.

`businesses/{id}/templateNotes/latest` holds `sources`, the newest last, and by source and part the prints of what was
said (`comparing.prints`); a part of which nothing was said is null.
"""

from collections.abc import Mapping
from typing import Any

from switchboard.admin.documents.difference import ABSENT, same
from switchboard.admin.pushing.comparing import UNKNOWN, prints
from switchboard.admin.pushing.parts import Part
from switchboard.admin.pushing.pattern import PushPattern
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import BusinessCollection, BusinessPaths
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import SERVER_TIME, Create, Document, Filter, Query, Update, Write

COLLECTION: BusinessCollection = "templateNotes"
_ID = "latest"
_MOST_SOURCES = 8


@dataclass(frozen=True, slots=True)
class TemplateNotes:
    """What is noted of one business.

    Attributes:
        by_source: Prints by source and part, the sources in the order in which they said something last.
        document: As it is stored; None where nothing is noted.
    """

    by_source: Mapping[str, Mapping[str, Any]]
    document: Document | None = None

    def of(self, source: str, part: Part) -> Any:
        """Return prints of what a source said of a part; `ABSENT` for nothing, `UNKNOWN` where nobody knows."""
        part_prints = self.by_source.get(source, {}).get(part, UNKNOWN)
        return ABSENT if part_prints is None else part_prints

    def elsewhere(self, source: str, part: Part) -> list[Any]:
        """Return the same of all other sources."""
        return [self.of(other, part) for other in self.by_source if other != source]

    def renewed(self, within: BusinessPaths, source: str, trees: Mapping[Part, Any]) -> Write | None:
        """Return the write that notes what a source says now; None where that is what is noted.

        It fails as `Stale` or `AlreadyExists` where something else was noted meanwhile.
        """
        noted = {**self.by_source.get(source, {}), **_prints(trees)}
        if same(noted, self.by_source.get(source)):
            return None
        order = [*(name for name in self.by_source if name != source), source]
        # Of so many, the one that a business was made of stays: by it, all that were made of it are found.
        order = order if len(order) <= _MOST_SOURCES else [order[0], *order[2:]]
        fields = _fields(order, {**self.by_source, source: noted})
        if self.document is None:
            return Create(within.document(COLLECTION, _ID), fields)
        return Update(self.document.path, fields, if_update_time=self.document.update_time)


def notes_path(within: BusinessPaths) -> str:
    """Return where what is noted of a business stands."""
    return within.document(COLLECTION, _ID)


def read_notes(document: Document | None) -> TemplateNotes:
    """Return what is noted, of which nothing may be."""
    data = document.data if document is not None else {}
    sources, stored = data.get("sources"), data.get("prints")
    known = stored if isinstance(stored, Mapping) else {}
    order = [name for name in sources if isinstance(known.get(name), Mapping)] if isinstance(sources, list) else []
    return TemplateNotes({name: known[name] for name in order}, document)


def first_note(within: BusinessPaths, pattern: PushPattern, trees: Mapping[Part, Any]) -> Create:
    """Return the write that notes of what a business is made."""
    return Create(notes_path(within), _fields([pattern.key], {pattern.key: _prints(trees)}))


def notes_of(source: str, limit: int) -> Query:
    """Return the query for the notes of all businesses that a source has said something to."""
    return Query(COLLECTION, (Filter("sources", "array-contains", source),), limit=limit, group=True)


def _prints(trees: Mapping[Part, Any]) -> JsonObject:
    return {part: None if tree is ABSENT else prints(tree) for part, tree in trees.items()}


def _fields(order: list[str], by_source: Mapping[str, Any]) -> JsonObject:
    return {"sources": order, "prints": {name: by_source[name] for name in order}, "notedAt": SERVER_TIME}
