"""Every change that reaches a business's callers, in one order: the business's own, and those of what all share.

What all businesses share is changed by whoever runs the platform: tools' words and rules, for everybody or for some who
try them first, and the templates of prompts. To a business it is told as far as it is concerned: of a trial whether its
own callers are in it, never who else is, and of who did it that it was the platform.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Literal, TypeAlias

from switchboard.admin.access.access import Permit
from switchboard.admin.access.refusal import NotFound
from switchboard.admin.access.roles import Operation
from switchboard.admin.api.paging import Page, Slice, cursor_of, page_at, sifted
from switchboard.admin.definitions.changes import told_who
from switchboard.admin.definitions.definition_set import readable
from switchboard.admin.definitions.reach import Reach, reach_of
from switchboard.admin.definitions.wording import noted_words
from switchboard.admin.documents.difference import differences
from switchboard.admin.undo.undoing import Audit, UndoableEntry
from switchboard.catalog.definitions.canary import of_business
from switchboard.contract.document import mapping, strings
from switchboard.contract.json import JsonObject, ToldAsJson
from switchboard.contract.ports import Paths, Store
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import Document, Order, Query

_NAMED = 5


@dataclass(frozen=True, slots=True)
class SharedChange(ToldAsJson):
    """A change of what all businesses share, as it concerns one of them.

    Attributes:
        id: Names it.
        at: When (aware, UTC).
        who: `{id, name, role}`; to whom the platform is somebody else, that it was the platform.
        deed: What was done, such as `published` or `canary started`.
        kind: Whether it is about definitions of tools or templates of prompts.
        names: Of the tools or templates.
        what: What it means to the business's callers, in a sentence.
        words: Of words that it changed, whether these were tried; None where it changed none.
    """

    id: str
    at: datetime
    who: JsonObject
    deed: str
    kind: Literal["definition", "prompt"]
    names: tuple[str, ...]
    what: str
    words: str | None


class ReachingChanges:
    """Lists changes. What the store raises passes through."""

    def __init__(self, audit: Audit, store: Store, paths: Paths) -> None:
        self._audit, self._store, self._paths = audit, store, paths

    async def listed(self, permit: Permit, page: Page) -> Slice[UndoableEntry | SharedChange]:
        """Return a page of changes, the newest first.

        So many are looked at and no more: a page may hold fewer than it could, and say that there is a next one.
        """
        own = await self._audit.entries(permit.business_id, page)
        query = Query(self._paths.publications, (), (Order("at", descending=True),))
        shared = await sifted(self._store, query, page, lambda note: _may_reach(note, permit.business_id))
        reaches = await self._reaches(shared.items)
        rows: list[tuple[datetime, str, UndoableEntry | SharedChange]] = [
            (one.entry.at, one.entry.id, one) for one in own.items
        ]
        for note, reach in zip(shared.items, reaches, strict=True):
            if reach.reaches(permit.business_id):
                rows.append((_at(note), note.id, _told(permit, note, reach)))
        rows.sort(key=lambda row: row[:2], reverse=True)
        # Behind where one of the lists goes on, its next page may hold something that is newer than the other's.
        ends = [_place(part.next_cursor) for part in (own, shared) if part.next_cursor]
        last = max(ends) if ends else None
        whole = [row for row in rows if last is None or row[:2] >= last]
        listed = whole[: page.limit]
        if len(whole) > len(listed):
            return Slice([row[2] for row in listed], cursor_of(*listed[-1][:2]))
        return Slice([row[2] for row in listed], cursor_of(*last) if last is not None else None)

    async def look(self, permit: Permit, id: str) -> tuple[SharedChange, JsonObject]:
        """Return a change of what all share, and by name what the business had before and has since, in words.

        Raises:
            NotFound: There is none of that id that reaches the business.
        """
        note = await self._store.get(self._paths.publication(id))
        if note is None or not _may_reach(note, permit.business_id):
            raise NotFound("There is no such change of what all businesses share.")
        [reach] = await self._reaches([note])
        if not reach.reaches(permit.business_id):
            raise NotFound("There is no such change of what all businesses share.")
        documents: JsonObject = {}
        for tool, sides in sorted((await self._versions(note)).items()):
            before, after = (one and readable(of_business(one, permit.business_id)) for one in sides)
            lines = [str(difference) for difference in differences(before or {}, after or {})]
            if lines:
                documents[tool] = {"before": before, "after": after, "changes": lines}
        for name, lines in sorted(mapping(note.data.get("templates")).items()):
            documents[name] = {"before": None, "after": None, "changes": list(strings(lines))}
        return _told(permit, note, reach), documents

    async def _reaches(self, notes: Sequence[Document]) -> list[Reach]:
        """Return whom each reaches; what an earlier release has noted less of is found in what was published."""
        result = []
        for note in notes:
            reach = Reach.noted(note.data)
            if reach is None:
                versions = await self._versions(note)
                reach = reach_of(_those_there(versions, 0), _those_there(versions, 1))
            result.append(reach)
        return result

    async def _versions(self, note: Document) -> "_Versions":
        """Return what each tool's document said before a publication and after it, in one read; None for none."""
        hashes = {
            (tool, side): hash
            for tool, sides in mapping(note.data.get("tools")).items()
            for side in ("before", "after")
            if isinstance(hash := mapping(sides).get(side), str)
        }
        paths = [self._paths.definition_version(tool, hash) for (tool, _), hash in hashes.items()]
        documents = dict(zip(hashes, await self._store.get_many(paths) if paths else [], strict=True))

        def said(tool: str, side: str) -> JsonObject | None:
            version = documents.get((tool, side))
            document = version.data.get("document") if version is not None else None
            return dict(document) if isinstance(document, Mapping) else None

        return {tool: (said(tool, "before"), said(tool, "after")) for tool, _ in hashes}


_Versions: TypeAlias = Mapping[str, tuple[JsonObject | None, JsonObject | None]]


def _those_there(versions: _Versions, side: Literal[0, 1]) -> dict[str, JsonObject]:
    return {tool: document for tool, sides in versions.items() if (document := sides[side]) is not None}


def _may_reach(note: Document, business_id: str) -> bool:
    if note.data.get("isDraft") is True:
        return False
    reach = Reach.noted(note.data)
    return reach is None or reach.reaches(business_id)


def _told(permit: Permit, note: Document, reach: Reach) -> SharedChange:
    data = note.data
    templates = tuple(sorted(mapping(data.get("templates"))))
    names = templates or tuple(sorted(mapping(data.get("tools"))))
    deed = str(data.get("deed") or "published")
    is_known = permit.may(Operation.PUBLISH_DEFINITIONS)
    return SharedChange(
        id=note.id,
        at=_at(note),
        who=told_who(permit, data),
        deed=deed if is_known or reach.is_for_all else reach.deed_for(permit.business_id),
        kind="prompt" if templates else "definition",
        names=names,
        what=_sentence(names, bool(templates), reach, permit.business_id),
        words=words.remark if (words := noted_words(data)) is not None else None,
    )


def _sentence(names: Sequence[str], is_prompt: bool, reach: Reach, business_id: str) -> str:
    listed = ", ".join(names[:_NAMED]) + (f" and {len(names) - _NAMED} more" if len(names) > _NAMED else "")
    if is_prompt:
        return f"What every receptionist is told before a conversation changed: {listed}."
    if reach.is_for_all:
        return f"The words or rules of {listed} changed, for all businesses."
    if business_id in reach.trying:
        return f"New words or rules of {listed} are tried here before others have them."
    return f"New words or rules of {listed} are not tried here any more: all have the same."


def _at(note: Document) -> datetime:
    at = note.data.get("at")
    return at if isinstance(at, datetime) else note.create_time


def _place(cursor: str | None) -> tuple[datetime, str]:
    at, id = page_at(cursor or "", 1, 1).after or ()
    return at, id
