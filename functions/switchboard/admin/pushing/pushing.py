"""Pushes a template to many businesses: told first for each, then carried out in one commit for each.

Each business is changed by itself, and only as it was when the push was told: one that has changed since is left, and
one that fails does not keep the others. What is done is not done again, since nothing of it is left to do.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import field
from enum import StrEnum

from switchboard.admin.access.access import FORBIDDEN, OwnerIdentity, Permit
from switchboard.admin.access.known_business import business_document
from switchboard.admin.access.refusal import EntryProblem, NotValid
from switchboard.admin.access.roles import Operation
from switchboard.admin.audit.document_kind import DocumentKind
from switchboard.admin.audit.joint_changes import JointChanges
from switchboard.admin.pushing.noted import notes_of, notes_path, read_notes
from switchboard.admin.pushing.parts import ENTRY_PARTS, EntryPart, Part
from switchboard.admin.pushing.pattern import PushPattern, of_business
from switchboard.admin.pushing.planning import (
    BusinessState,
    EntryRooms,
    FieldDeviation,
    PushChoice,
    PushPlan,
    PushPlanning,
)
from switchboard.contract.error import ToolError
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import BusinessPaths, Paths, Store
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import AlreadyExists, Document, Invalid, Missing, Query, Stale, StoreError, documents_of

MOST_BUSINESSES = 200
"""So many businesses are pushed to at once."""
PUSHED = DocumentKind(
    "templatePush", Operation.EDIT_BUSINESS, lambda paths, id: notes_path(paths), lambda after, before: ()
)
"""What the audit of a business tells of a push as a whole; what it changed stands in entries of their own."""
PUSHED_STAYS = (
    "A push is taken back change by change: undo the entries of the same moment, of the details and of each text."
)

_READ_AT_ONCE = 100
_PLANNED_AT_ONCE, _PUSHED_AT_ONCE = 8, 4
_ATTEMPTS = 4
_GONE = "There is no such business."
_ITSELF = "This is the business that is the pattern; nothing is pushed to it."
_MEANWHILE = "This business, or what is pushed, has changed since the dry run; nothing was touched. Look once more."
_NOWHERE = "There is nothing at {} here or in what is pushed; nothing was touched. Name paths as the dry run told them."
_AWAY = "The store did not answer. Push to it again: what is done already is not done twice."
_NOT_TAKEN = "The store does not take what would stand there, most likely because it is too large: push fewer parts."
_BUSY = "This business is changing too quickly right now; push to it again in a moment."


class PushState(StrEnum):
    """How it stands with one business.

    `READY`: something would change. `UNCHANGED`: nothing would, or did. `INVALID`: what would change cannot be kept.
    `UNCONFIRMED`: something breaks by it, and nobody has said that this is wanted. `REFUSED`: it is not theirs to
    change, or not there, or a path that was chosen leads nowhere. `PUSHED`: it was changed. `OUT_OF_DATE`: it has
    changed since the dry run. `FAILED`: the store did not do it.
    """

    READY = "ready"
    UNCHANGED = "unchanged"
    INVALID = "invalid"
    UNCONFIRMED = "unconfirmed"
    REFUSED = "refused"
    PUSHED = "pushed"
    OUT_OF_DATE = "outOfDate"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class PushTarget:
    """A business that is pushed to; `token` is what its dry run answered, empty in a dry run."""

    business_id: str
    choice: PushChoice = field(default_factory=PushChoice)
    token: str = ""


@dataclass(frozen=True, slots=True)
class PushOutcome:
    """How it stands with one business, or what became of it.

    Attributes:
        business_id: Which one.
        state: In a word.
        name: What it is called, where that may be told.
        plan: What would be done; None where nothing was looked at.
        message: A sentence that says what is in the way; empty where nothing is.
        entry_ids: What the audit tells of it.
    """

    business_id: str
    state: PushState
    name: str = ""
    plan: PushPlan | None = None
    message: str = ""
    entry_ids: tuple[str, ...] = ()

    @property
    def deviations(self) -> tuple[FieldDeviation, ...]:
        """Every value that is not as the template says."""
        return self.plan.deviations if self.plan is not None else ()


class TemplatePush:
    """Tells pushes, and carries them out. What the store raises passes through, where it is about all businesses."""

    def __init__(
        self, store: Store, paths: Paths, planning: PushPlanning, joint: JointChanges, rooms: EntryRooms
    ) -> None:
        """Read from `store`, plan by `planning`, write by `joint`; `rooms` keep the entries of each part."""
        self._store, self._paths, self._rooms = store, paths, rooms
        self._planning, self._joint = planning, joint

    async def pattern_of(self, business_id: str, parts: Sequence[Part]) -> PushPattern:
        """Return a business as the pattern of others.

        Raises:
            NotFound: There is no such business.
        """
        within = self._paths.within(business_id)
        document = await business_document(self._store, within)
        entries: dict[EntryPart, Mapping[str, JsonObject]] = {}
        for part in ENTRY_PARTS:
            if part in parts:
                entries[part] = await self._all_entries(within, part)
        return of_business(business_id, self._planning.kind.view(document.data), entries)

    async def made_from(self, identity: OwnerIdentity, pattern: PushPattern) -> tuple[list[str], bool]:
        """Return which of somebody's businesses were made of the pattern or had it pushed, by id, the first 200.

        The second is whether no business is left out for being one too many.
        """
        documents = await self._store.query(notes_of(pattern.key, MOST_BUSINESSES + 1))
        ids = sorted(self._paths.business_of(document.path) for document in documents)
        theirs = [id for id in ids if identity.role_in(id) is not None and id != pattern.business_id]
        return theirs[:MOST_BUSINESSES], len(documents) <= MOST_BUSINESSES

    async def dry_run(
        self, identity: OwnerIdentity, pattern: PushPattern, parts: Sequence[Part], targets: Sequence[PushTarget]
    ) -> list[PushOutcome]:
        """Return what a push would do to each of some businesses, and change none."""
        permits = {target.business_id: _permit(identity, target.business_id) for target in targets}
        states = await self._states(pattern, parts, [id for id, permit in permits.items() if permit is not None])

        async def one(target: PushTarget) -> PushOutcome:
            permit, state = permits[target.business_id], states.get(target.business_id)
            refusal = _refusal(pattern, permit, target.business_id, state)
            if refusal is not None or permit is None or state is None:
                return PushOutcome(target.business_id, PushState.REFUSED, message=refusal or _GONE)
            return _foreseen(target, state, await self._planning.plan(permit, pattern, parts, state, target.choice))

        return await _side_by_side(targets, one, _PLANNED_AT_ONCE)

    async def carry_out(
        self, identity: OwnerIdentity, pattern: PushPattern, parts: Sequence[Part], targets: Sequence[PushTarget]
    ) -> list[PushOutcome]:
        """Push to each of some businesses by itself, and return what became of each."""

        async def one(target: PushTarget) -> PushOutcome:
            try:
                return await self._pushed(identity, pattern, parts, target)
            except Invalid:
                return PushOutcome(target.business_id, PushState.FAILED, message=_NOT_TAKEN)
            except StoreError:
                return PushOutcome(target.business_id, PushState.FAILED, message=_AWAY)
            except ToolError as error:
                return PushOutcome(target.business_id, PushState.FAILED, message=error.message)

        return await _side_by_side(targets, one, _PUSHED_AT_ONCE)

    async def _pushed(
        self, identity: OwnerIdentity, pattern: PushPattern, parts: Sequence[Part], target: PushTarget
    ) -> PushOutcome:
        id = target.business_id
        permit = _permit(identity, id)
        for _ in range(_ATTEMPTS):
            state = (await self._states(pattern, parts, [id] if permit is not None else [])).get(id)
            refusal = _refusal(pattern, permit, id, state)
            if refusal is not None or permit is None or state is None:
                return PushOutcome(id, PushState.REFUSED, message=refusal or _GONE)
            plan = await self._planning.plan(permit, pattern, parts, state, target.choice)
            foreseen = _foreseen(target, state, plan)
            if plan.token != target.token:
                # Of one that was pushed to already by the same request, nothing is left to do.
                is_done = foreseen.state is PushState.UNCHANGED
                return foreseen if is_done else _left(foreseen, PushState.OUT_OF_DATE, _MEANWHILE)
            if misnamed := plan.misnamed(target.choice):
                return _left(foreseen, PushState.REFUSED, _NOWHERE.format(misnamed))
            if foreseen.state not in (PushState.READY, PushState.UNCHANGED):
                return foreseen
            try:
                return await self._written(permit, pattern, parts, foreseen, state)
            except (Stale, Missing, AlreadyExists):
                # What the running system notes there may come between; what an owner changed is told by the token.
                continue
        return PushOutcome(id, PushState.FAILED, message=_BUSY)

    async def _written(
        self, permit: Permit, pattern: PushPattern, parts: Sequence[Part], foreseen: PushOutcome, state: BusinessState
    ) -> PushOutcome:
        plan = foreseen.plan
        assert plan is not None
        within = self._paths.within(permit.business_id)
        note = state.notes.renewed(within, pattern.key, plan.template)
        if not plan.changes:
            if note is not None:
                await self._store.commit([note])
            return foreseen
        summary = {"template": pattern.key, "parts": list(parts), "documents": len(plan.changes)}
        whole = self._joint.entry(permit, PUSHED, pattern.key, None, summary)
        entry_ids = await self._joint.commit(permit, plan.changes, whole, [note] if note is not None else [])
        return PushOutcome(foreseen.business_id, PushState.PUSHED, foreseen.name, plan, "", entry_ids)

    async def _states(
        self, pattern: PushPattern, parts: Sequence[Part], ids: Sequence[str]
    ) -> dict[str, BusinessState]:
        """Return businesses as they are now, by id; those that are there."""
        within = {id: self._paths.within(id) for id in ids}
        heads = [path for place in within.values() for path in (place.business, notes_path(place))]
        documents = await self._read(heads)
        notes = {id: read_notes(documents[notes_path(place)]) for id, place in within.items()}
        names: dict[str, dict[EntryPart, list[str]]] = {
            id: {
                part: _entries_of(pattern, part, notes[id].of(pattern.key, part))
                for part in ENTRY_PARTS
                if part in parts
            }
            for id in ids
            if documents[within[id].business] is not None
        }
        below = [
            within[id].document(part, entry)
            for id, by in names.items()
            for part, entries in by.items()
            for entry in entries
        ]
        rows = await self._read(below)
        states = {}
        for id, by in names.items():
            entries = {
                part: {entry: row for entry in ids_of if (row := rows[within[id].document(part, entry)]) is not None}
                for part, ids_of in by.items()
            }
            document = documents[within[id].business]
            assert document is not None
            states[id] = BusinessState(document, notes[id], entries)
        return states

    async def _read(self, paths: Sequence[str]) -> dict[str, Document | None]:
        """Return documents by their paths, read a hundred in one request and a few requests side by side."""
        documents: dict[str, Document | None] = {}
        groups = [paths[begin : begin + _READ_AT_ONCE] for begin in range(0, len(paths), _READ_AT_ONCE)]
        for begin in range(0, len(groups), _PLANNED_AT_ONCE):
            side_by_side = groups[begin : begin + _PLANNED_AT_ONCE]
            for group, read in zip(
                side_by_side, await asyncio.gather(*map(self._store.get_many, side_by_side)), strict=True
            ):
                documents |= dict(zip(group, read, strict=True))
        return documents

    async def _all_entries(self, within: BusinessPaths, part: EntryPart) -> dict[str, JsonObject]:
        kind, form = self._rooms[part].kind, self._rooms[part].form
        rows: dict[str, JsonObject] = {}
        async for document in documents_of(self._store.query, Query(within.collection(part)), form.at_once):
            rows[document.id] = kind.view(document.data)
            if len(rows) >= form.most:
                break
        return rows


def require_targets(targets: Sequence[PushTarget], *, is_dry: bool) -> None:
    """Let a list of businesses through that can be pushed to.

    Raises:
        NotValid: Everything that is wrong with it.
    """
    problems = list[EntryProblem]()
    seen = set[str]()
    if not targets:
        problems.append(EntryProblem("businesses", "businesses must name one at least."))
    for at, target in enumerate(targets):
        if target.business_id in seen:
            sentence = f"businesses[{at}] names {target.business_id[:60]!r} a second time."
            problems.append(EntryProblem(f"businesses[{at}].businessId", sentence))
        seen.add(target.business_id)
        if not is_dry and not target.token:
            sentence = f"businesses[{at}].token is missing: it is what the dry run answered for this business."
            problems.append(EntryProblem(f"businesses[{at}].token", sentence))
    if problems:
        raise NotValid(problems)


def _permit(identity: OwnerIdentity, business_id: str) -> Permit | None:
    role = identity.role_in(business_id)
    return Permit(identity, business_id, role) if role is not None else None


def _refusal(pattern: PushPattern, permit: Permit | None, business_id: str, state: BusinessState | None) -> str | None:
    if permit is None or not permit.may(Operation.EDIT_BUSINESS):
        # Whether or not there is such a business.
        return FORBIDDEN
    if business_id == pattern.business_id:
        return _ITSELF
    return _GONE if state is None else None


def _foreseen(target: PushTarget, state: BusinessState, plan: PushPlan) -> PushOutcome:
    name = str(state.document.data.get("name") or "")
    if plan.problems:
        message = "What would change cannot be kept, and nothing of this business is touched."
        return PushOutcome(target.business_id, PushState.INVALID, name, plan, message)
    if plan.breaks and not target.choice.is_confirmed:
        return PushOutcome(target.business_id, PushState.UNCONFIRMED, name, plan, plan.breaks)
    word = PushState.READY if plan.changes else PushState.UNCHANGED
    return PushOutcome(target.business_id, word, name, plan)


def _left(foreseen: PushOutcome, state: PushState, message: str) -> PushOutcome:
    return PushOutcome(foreseen.business_id, state, foreseen.name, foreseen.plan, message)


def _entries_of(pattern: PushPattern, part: EntryPart, said: object) -> list[str]:
    """Return the ids of the entries that a pattern says, or said."""
    return sorted({*pattern.entries.get(part, {}), *(said if isinstance(said, Mapping) else ())})


async def _side_by_side(
    targets: Sequence[PushTarget], one: Callable[[PushTarget], Awaitable[PushOutcome]], most: int
) -> list[PushOutcome]:
    """Return the outcome for each, of which so many are asked for at once."""
    turns = asyncio.Semaphore(most)

    async def in_turn(target: PushTarget) -> PushOutcome:
        async with turns:
            return await one(target)

    return list(await asyncio.gather(*(in_turn(target) for target in targets)))
