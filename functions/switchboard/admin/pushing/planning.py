"""What a push would do to one business: which values would change, which are its own, and what could not be kept."""

import asyncio
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import field, replace
from difflib import get_close_matches
from typing import Any, TypeAlias

from switchboard.admin.access.access import Permit
from switchboard.admin.access.refusal import EntryProblem, Forbidden, NotValid
from switchboard.admin.audit.document_kind import DocumentKind, revision_of
from switchboard.admin.audit.joint_changes import JointChange, JointChanges
from switchboard.admin.businesses.known_names import KnownNames
from switchboard.admin.documents.difference import ABSENT
from switchboard.admin.knowledge.entries import Entries
from switchboard.admin.pushing.comparing import DeviationStanding, TemplateDeviation, adopted, deviations, prints
from switchboard.admin.pushing.noted import TemplateNotes
from switchboard.admin.pushing.parts import (
    DOCUMENT_PARTS,
    ENTRY_PARTS,
    EntryPart,
    Part,
    document_tree,
    entry_tree,
    field_path,
    name_of,
    with_part,
)
from switchboard.admin.pushing.pattern import PushPattern
from switchboard.admin.resources.consequences import NotConfirmed
from switchboard.contract.json import JsonObject
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import Document

MOST_DOCUMENTS = 200
"""So many documents of one business change in one commit, each with its entry in the audit."""
_NAMING = ("enabledTools", "features")
_ROW = re.compile(r"(?P<list>services|escalation\.rules)\[(?P<at>[0-9]+)\]")

EntryRooms: TypeAlias = Mapping[EntryPart, Entries]


@dataclass(frozen=True, slots=True)
class BusinessState:
    """A business as it was read: its document, what templates said to it, and the entries that the push is about."""

    document: Document
    notes: TemplateNotes
    entries: Mapping[EntryPart, Mapping[str, Document]]


@dataclass(frozen=True, slots=True)
class PushChoice:
    """What whoever pushes has decided about one business.

    Attributes:
        take: Values of the business's own that the template's shall stand in the place of, by their paths.
        leave: Values that would change and shall not.
        is_confirmed: Whether it is done although appointments lose something by it.
    """

    take: Collection[str] = ()
    leave: Collection[str] = ()
    is_confirmed: bool = False


@dataclass(frozen=True, slots=True)
class FieldDeviation:
    """A value that is not as the template says, with the path by which it is chosen.

    `name` is what the service, rule or entry is called that it is of; `beside` what the business has on the same.
    """

    part: Part
    field: str
    name: str | None
    deviation: TemplateDeviation
    beside: str = ""

    def is_adopted(self, choice: PushChoice) -> bool:
        """Tell whether the template's value will stand there."""
        if self.deviation.standing is DeviationStanding.OUTDATED:
            return self.field not in choice.leave
        return self.field in choice.take


@dataclass(frozen=True, slots=True)
class PushPlan:
    """What would be done.

    Attributes:
        token: Names what this was planned upon: the business, what templates said to it, and what the template says.
        deviations: Every value that is not as the template says.
        changes: What would be written.
        problems: Why it cannot be; empty where it can.
        breaks: What would break by it, a sentence each, and is to be confirmed.
        template: What the template says, by part, to be noted.
        places: The paths of all values that the business or the template has, whether or not they differ.
    """

    token: str
    deviations: tuple[FieldDeviation, ...] = ()
    changes: tuple[JointChange, ...] = ()
    problems: tuple[EntryProblem, ...] = ()
    breaks: str = ""
    template: Mapping[Part, Any] = field(default_factory=dict)
    places: frozenset[str] = frozenset()

    def misnamed(self, choice: PushChoice) -> str:
        """Return which of the paths that were chosen leads nowhere, and what it may mean; empty where each does."""
        fields = [one.field for one in self.deviations]
        named = sorted({*choice.take, *choice.leave} - self.places - {*fields})
        if not named:
            return ""
        close = get_close_matches(named[0], fields, n=1, cutoff=0.5)
        return f"{named[0]!r}" + (f" (did you mean {close[0]!r}?)" if close else "")


class PushPlanning:
    """Plans pushes. What the store raises passes through."""

    def __init__(self, kind: DocumentKind, rooms: EntryRooms, joint: JointChanges, known: KnownNames) -> None:
        """Plan them.

        Args:
            kind: What a business's own document is.
            rooms: Where entries are kept, by part.
            joint: Holds changes to the rules of their kinds.
            known: Knows which tools and features there are.
        """
        self.kind, self._rooms, self._joint, self._known = kind, rooms, joint, known

    async def plan(
        self, permit: Permit, pattern: PushPattern, parts: Sequence[Part], state: BusinessState, choice: PushChoice
    ) -> PushPlan:
        """Return what a push of some parts would do to a business, as it is decided about it."""
        id, current = permit.business_id, self.kind.view(state.document.data)
        template = pattern.trees(parts, str(current.get("name") or ""))
        trees = {part: self._tree(part, current, state) for part in parts}
        differing = list[FieldDeviation]()
        for part in parts:
            own = _deviations(pattern, part, template[part], trees[part], state.notes)
            differing += await self._with_near(id, list(own))
        chosen = [one for one in differing if one.is_adopted(choice)]
        changes = [*self._document_change(id, current, chosen, trees, state), *self._entry_changes(chosen, state)]
        problems = await self._problems(permit, changes, current)
        breaks = "" if problems else await self._broken(permit, changes)
        token = revision_of(
            {
                "business": revision_of(current),
                "entries": {
                    part: {entry: self._rooms[part].kind.revision(document) for entry, document in rows.items()}
                    for part, rows in state.entries.items()
                },
                "notes": {part: [one.get(part) for one in state.notes.by_source.values()] for part in parts},
                "template": {part: None if tree is ABSENT else prints(tree) for part, tree in template.items()},
            }
        )
        places = frozenset(place for part in parts for place in _places(part, template[part], trees[part]))
        return PushPlan(token, tuple(differing), tuple(changes), tuple(problems), breaks, template, places)

    def _tree(self, part: Part, current: JsonObject, state: BusinessState) -> Any:
        for entries in ENTRY_PARTS:
            if part == entries:
                kind = self._rooms[entries].kind
                return {id: entry_tree(kind.view(row.data)) for id, row in state.entries.get(entries, {}).items()}
        return next(document_tree(name, current) for name in DOCUMENT_PARTS if name == part)

    async def _with_near(self, id: str, differing: Sequence[FieldDeviation]) -> list[FieldDeviation]:
        """Return deviations of one part, where new entries that the business has something like are to be chosen."""
        new = [it for it in differing if it.part in ENTRY_PARTS and it.deviation.before is ABSENT and _is_whole(it)]
        room = next((self._rooms[part] for part in ENTRY_PARTS if new and new[0].part == part), None)
        if room is None:
            return list(differing)
        near = dict(zip((it.field for it in new), await room.near(id, [it.deviation.after for it in new]), strict=True))
        return [_beside(it, [one.passage.title for one in near.get(it.field, ())]) for it in differing]

    def _document_change(
        self,
        id: str,
        current: JsonObject,
        chosen: Sequence[FieldDeviation],
        trees: Mapping[Part, Any],
        state: BusinessState,
    ) -> Iterator[JointChange]:
        after = current
        for part in DOCUMENT_PARTS:
            changed = [it.deviation for it in chosen if it.part == part]
            if changed:
                after = with_part(part, after, adopted(trees[part], changed))
        if after is not current:
            yield JointChange(self.kind, id, state.document, after)

    def _entry_changes(self, chosen: Sequence[FieldDeviation], state: BusinessState) -> Iterator[JointChange]:
        for part in ENTRY_PARTS:
            kind, rows = self._rooms[part].kind, state.entries.get(part, {})
            by_id: dict[str, list[TemplateDeviation]] = {}
            for it in chosen:
                if it.part == part:
                    entry, *steps = it.deviation.steps
                    by_id.setdefault(entry, []).append(replace(it.deviation, steps=tuple(steps)))
            for entry, changed in by_id.items():
                document = rows.get(entry)
                after = adopted(kind.view(document.data) if document is not None else {}, changed)
                yield JointChange(kind, entry, document, None if after is ABSENT else after)

    async def _problems(
        self, permit: Permit, changes: Sequence[JointChange], current: JsonObject
    ) -> list[EntryProblem]:
        problems = list[EntryProblem]()
        if len(changes) > MOST_DOCUMENTS:
            sentence = f"More than {MOST_DOCUMENTS} texts would change at once: push fewer parts at a time."
            return [EntryProblem("", sentence)]
        for change in changes:
            is_own = change.kind is self.kind
            place = "" if is_own else f"{change.kind.name}[{change.id}]."
            try:
                await self._joint.check(permit, change)
            except NotValid as error:
                named = (_by_name(one, change.after or {}) if is_own else one for one in error.problems)
                problems += [replace(one, field=f"{place}{one.field}") for one in named]
            except Forbidden as error:
                problems.append(EntryProblem(place.rstrip("."), error.message))
            edited = change.after or {}
            if is_own and any(edited.get(name) != current.get(name) for name in _NAMING):
                problems += await self._known.problems(edited, current)
        for part in ENTRY_PARTS:
            room = self._rooms[part]
            new = sum(change.kind is room.kind and change.document is None for change in changes)
            if new and new + await room.count(permit.business_id) > room.form.most:
                problems.append(EntryProblem(part, f"There may be {room.form.most} {part} at most: remove some first."))
        return problems

    async def _broken(self, permit: Permit, changes: Sequence[JointChange]) -> str:
        try:
            await asyncio.gather(*(self._joint.require_unbroken(permit, change) for change in changes))
        except NotConfirmed as error:
            return error.words
        return ""


def _deviations(
    pattern: PushPattern, part: Part, template: Any, tree: Any, notes: TemplateNotes
) -> Iterator[FieldDeviation]:
    before, elsewhere = notes.of(pattern.key, part), notes.elsewhere(pattern.key, part)
    for one in deviations(template, tree, before, elsewhere):
        yield FieldDeviation(
            part, field_path(part, one.steps, template, tree), name_of(part, one.steps, template, tree), one
        )


def _places(part: Part, *sides: Any) -> Iterator[str]:
    """Yield the path of every value of a part that one of two sides has."""
    below: list[tuple[tuple[str, ...], Any]] = [((), side) for side in sides]
    while below:
        steps, value = below.pop()
        if steps:
            yield field_path(part, steps, *sides)
        if isinstance(value, Mapping):
            below += [((*steps, name), inner) for name, inner in value.items()]


def _by_name(problem: EntryProblem, document: Mapping[str, Any]) -> EntryProblem:
    """Return a problem of a row that names the row as deviations do: by its name, and not by its place."""
    place = _ROW.match(problem.field)
    if place is None:
        return problem
    rows: Any = document
    for step in place["list"].split("."):
        rows = rows.get(step) if isinstance(rows, Mapping) else None
    at = int(place["at"])
    row = rows[at] if isinstance(rows, list) and at < len(rows) else None
    name = row.get("name") or row.get("id") if isinstance(row, Mapping) else None
    if not name:
        return problem
    named = f"{place['list']}[{name}]"
    field = problem.field.replace(place[0], named, 1)
    return replace(problem, field=field, message=problem.message.replace(place[0], named))


def _is_whole(one: FieldDeviation) -> bool:
    return len(one.deviation.steps) == 1 and one.deviation.standing is DeviationStanding.OUTDATED


def _beside(one: FieldDeviation, titles: Sequence[str]) -> FieldDeviation:
    if not titles:
        return one
    return replace(one, beside="; ".join(titles), deviation=replace(one.deviation, standing=DeviationStanding.NEAR))
