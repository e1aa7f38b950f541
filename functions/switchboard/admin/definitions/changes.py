"""What was done with definitions, drafts included: who did it and when, from what to what, and what of it is in force.

Publications and drafts are noted in one place; a draft's note stands in no list of versions, since nobody was ever
offered it.
"""

import secrets
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from switchboard.admin.access.access import Permit
from switchboard.admin.access.refusal import NotFound
from switchboard.admin.access.roles import Operation, Role
from switchboard.admin.api.paging import Page, Slice, sliced
from switchboard.admin.audit.undo_links import InForce, in_force
from switchboard.admin.definitions.definition_set import readable
from switchboard.admin.definitions.reach import Reach
from switchboard.admin.definitions.wording import WordChanges, noted_words
from switchboard.admin.documents.difference import differences
from switchboard.admin.maintenance.diff import DocumentChange
from switchboard.catalog.definitions.canary import without_canary
from switchboard.contract.document import mapping, strings
from switchboard.contract.json import JsonObject, as_json
from switchboard.contract.ports import Paths, Store
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import SERVER_TIME, Create, Document, Filter, Order, Query

THE_PLATFORM = "the platform"
"""Who changes what all businesses share, to those who are not of it."""
NOT_ONE_DRAFT = "An earlier version is published again from the tool's history."
"""Why only a draft is put back into what it was before a change."""

_RANDOM_BYTES = 8


@dataclass(frozen=True, slots=True)
class DefinitionChange:
    """One thing that was done with definitions.

    Attributes:
        id: Names it.
        at: When (aware, UTC).
        who: `{id, name, role}` as they were then; only a name where a command did it.
        deed: What was done, such as `published` or `draft saved`.
        tools: What each tool's document said before and after, as content hashes; None for none.
        is_draft: Whether it is about a draft, which nobody is offered.
        tested: What was tested before, as `TestedBefore` tells it; None where nothing was.
        words: Which words it changed, and how far they were tried; None where it changed none.
        undoes: The change that this one undid, if any.
        now: Whether it is in force.
    """

    id: str
    at: datetime
    who: JsonObject
    deed: str
    tools: Mapping[str, tuple[str | None, str | None]]
    is_draft: bool
    tested: JsonObject | None
    words: WordChanges | None
    undoes: str | None
    now: InForce

    @property
    def why_not_undoable(self) -> str:
        """Why it cannot be undone; empty where it can be tried. Who has undone it is for those to know who may."""
        return self.now.why_not_again(is_named=False) if self.is_draft else NOT_ONE_DRAFT

    def to_json(self) -> JsonObject:
        """Return it as the admin API lists it."""
        return as_json(
            self,
            without=("now",),
            tools=sorted(self.tools),
            undone_by=self.now.undone_by,
            redone_by=self.now.redone_by,
            is_undoable=not self.why_not_undoable,
            why_not_undoable=self.why_not_undoable or None,
        )


class Changes:
    """The changes of all definitions. What the store raises passes through."""

    def __init__(self, store: Store, paths: Paths) -> None:
        self._store, self._paths = store, paths

    async def listed(self, page: Page, tool: str | None = None) -> Slice[DefinitionChange]:
        """Return a page of changes, the newest first; with a tool only those of it."""
        of_tool = (Filter("names", "array-contains-any", [tool, draft_mark(tool)]),) if tool else ()
        query = Query(self._paths.publications, of_tool, (Order("at", descending=True),))
        part = await sliced(self._store, query, page)
        now = await in_force(self._store, part.items)
        return Slice([_change(document, now[document.id]) for document in part.items], part.next_cursor)

    async def one(self, id: str) -> DefinitionChange:
        """Return one change.

        Raises:
            NotFound: There is none of that id.
        """
        document = await self._store.get(self._paths.publication(id))
        if document is None:
            raise NotFound("There is no such change of a definition.")
        return _change(document, (await in_force(self._store, [document]))[document.id])

    async def content(self, tool: str, hash: str | None) -> JsonObject | None:
        """Return what a tool's document said, readable; None where there was none, or it is not kept any more."""
        stored = await self._store.get(self._paths.definition_version(tool, hash)) if hash is not None else None
        document = stored.data.get("document") if stored is not None else None
        return readable(without_canary(document)) if isinstance(document, Mapping) else None

    async def told(self, change: DefinitionChange) -> JsonObject:
        """Return a change with what differs, in words, by tool."""
        result: JsonObject = {}
        for tool, (before, after) in sorted(change.tools.items()):
            old, new = await self.content(tool, before), await self.content(tool, after)
            lines = [str(difference) for difference in differences(old or {}, new or {})]
            result[tool] = {"before": old, "after": new, "changes": lines}
        return change.to_json() | {"documents": result}


def draft_mark(tool: str) -> str:
    """Return what a draft's note has in place of the tool's name; no tool can be called so."""
    return f"draft:{tool}"


def told_who(permit: Permit, note: Mapping[str, Any]) -> JsonObject:
    """Return who did what a note tells of; that it was the platform, to those who are not of it."""
    by = note.get("who")
    return seen_by(permit, dict(by) if isinstance(by, Mapping) else {"name": str(note.get("by") or "")})


def seen_by(permit: Permit, doer: JsonObject) -> JsonObject:
    """Return who changed what all businesses share, as somebody may see it: of the platform nobody has a name."""
    if permit.may(Operation.PUBLISH_DEFINITIONS):
        return doer
    return {"id": "", "name": THE_PLATFORM, "role": Role.PLATFORM.value}


def prompts_noted(paths: Paths, by: str, changes: Iterable[DocumentChange]) -> Create:
    """Return the note of a change of prompts' templates, for the commit that changes them.

    Args:
        paths: Where it is kept.
        by: Who does it.
        changes: What is written of each.
    """
    words = {"+": "is new", "-": "is gone"}
    lines = {
        change.name: [words[change.sign]] if change.sign in words else [str(line) for line in change.differences]
        for change in changes
    }
    note: JsonObject = {
        "at": SERVER_TIME,
        "by": by,
        "deed": "prompt changed",
        "names": [],
        "tools": {},
        "templates": lines,
        "words": {"fields": sorted(lines), "asked": 0},
        "reach": Reach(is_for_all=True).to_note(),
    }
    return Create(paths.publication(f"prompt-{secrets.token_hex(_RANDOM_BYTES)}"), note)


def _change(document: Document, now: InForce) -> DefinitionChange:
    data = document.data
    at, by, tools = data.get("at"), data.get("who"), data.get("tools")
    return DefinitionChange(
        id=document.id,
        at=at if isinstance(at, datetime) else document.create_time,
        who=dict(by) if isinstance(by, Mapping) else {"name": str(data.get("by") or "")},
        deed=str(data.get("deed") or "published"),
        tools={str(name): _sides(sides) for name, sides in tools.items()} if isinstance(tools, Mapping) else {},
        is_draft=data.get("isDraft") is True,
        tested=_tested(data.get("tests")),
        words=noted_words(data),
        undoes=data.get("undoes"),
        now=now,
    )


def _tested(tests: Any) -> JsonObject | None:
    if not isinstance(tests, Mapping):
        return None
    return {
        "run": int(tests.get("run") or 0),
        "acknowledged": strings(tests.get("acknowledged")),
        "notRun": dict(mapping(tests.get("notRun"))),
        "isWhole": tests.get("isWhole") is not False,
    }


def _sides(sides: Any) -> tuple[str | None, str | None]:
    hashes = [sides.get(side) if isinstance(sides, Mapping) else None for side in ("before", "after")]
    before, after = (side if isinstance(side, str) else None for side in hashes)
    return before, after
