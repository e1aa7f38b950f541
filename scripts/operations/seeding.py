"""Push the files of seeds/ into a store: read and check all of them, show what differs, write that and nothing else.

Every step can be repeated: what is there already is not written again, so a run that was killed is finished by the
next. What the running system writes itself (bookings, callers, fields that no file names) is never taken away.
"""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TypeVar

from command_line import Problem
from operations.offer_changes import lost_tools
from operations.seed_files import PARTS, BadSeeds, Seeds, read_seeds
from switchboard.admin.definitions import definition_set
from switchboard.admin.definitions.canaries import trial_ended
from switchboard.admin.definitions.changes import prompts_noted
from switchboard.admin.definitions.definition_set import CannotPublish, Published
from switchboard.admin.maintenance.business_folder import BusinessFolder
from switchboard.admin.maintenance.demo_bookings import BookingWish, enter
from switchboard.admin.maintenance.diff import Comparison, DocumentChange, compare, compare_entered, compare_whole
from switchboard.app.settings import Configuration, ConfigurationError, read_configuration
from switchboard.catalog.definitions.canary import CANARY, with_canary_of
from switchboard.catalog.offer.phone_numbers import NumberClaims
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import Paths, Store
from switchboard.contract.store import Query, Unavailable, Write

# Daily work goes on in these: a document is entered when it is missing, and never touched again.
ENTERED_ONCE = frozenset({"callers", "bookings"})
PAUSE_S = 1.1
_ATTEMPTS = 5
_Result = TypeVar("_Result")
TestsFirst = Callable[[Mapping[str, JsonObject], Mapping[str, JsonObject]], Awaitable[JsonObject | None]]
"""Plays kept tests with the definitions that are to be published, given those that are; raises where one is red.

Returns what was tested, for the list of publications."""
_WRITES_PER_COMMIT = 50
_ENDED = "the files of seeds/ were pushed"

__all__ = ["PARTS", "BadSeeds", "CannotPublish", "Seeds", "Summary", "push", "read_seeds", "read_target", "seed"]


@dataclass(frozen=True, slots=True)
class Summary:
    """How many documents were new, changed, removed, as they should be, and left although no file names them."""

    new: int
    changed: int
    removed: int
    unchanged: int
    left: int
    is_pushed: bool = False
    revision: int | None = None

    @property
    def writes(self) -> int:
        """How many documents a push touches."""
        return self.new + self.changed + self.removed

    def __str__(self) -> str:
        left = f"; {self.left} in no file" if self.left else ""
        if not self.writes:
            return f"nothing to do: {self.unchanged} documents are as the files have them{left}"
        counts = f"{self.new} new, {self.changed} changed, {self.removed} removed, {self.unchanged} unchanged{left}"
        tools = f"; tools are at revision {self.revision}" if self.revision else ""
        return f"pushed: {counts}{tools}" if self.is_pushed else f"nothing was written: {counts}"


@dataclass(frozen=True, slots=True)
class Plan:
    """What a push would do: the comparisons that are shown, and what it needs beyond their writes."""

    comparisons: tuple[Comparison, ...]
    tools: tuple[Published, Mapping[str, JsonObject]] | None
    bookings: tuple[BookingWish, ...]
    is_pruning: bool

    def lines(self) -> Iterator[str]:
        """Yield what would happen, document by document."""
        extra = "will be removed" if self.is_pruning else "would be removed (only with --prune)"
        for comparison in self.comparisons:
            yield from comparison.lines(extra)

    def summary(self) -> Summary:
        """Count what the comparisons found."""
        new, changed, extra = (sum(c.count(sign) for c in self.comparisons) for sign in "+~-")
        removed = extra if self.is_pruning else 0
        return Summary(new, changed, removed, sum(c.unchanged for c in self.comparisons), left=extra - removed)


async def seed(
    store: Store,
    paths: Paths,
    seeds_dir: Path,
    *,
    now: datetime,
    only: Collection[str] = PARTS,
    prune: bool = False,
    dry_run: bool = False,
    out: Callable[[str], object] = print,
    agree: Callable[[Summary], bool] = lambda _: True,
    by: str = "scripts/seed",
    tests_first: TestsFirst | None = None,
) -> Summary:
    """Read all files, show what differs from the store, and write it unless `dry_run` or somebody disagrees.

    Raises:
        BadSeeds: Files cannot be used; nothing was written.
        CannotPublish: The tool definitions cannot be switched; nothing that anybody reads was written.
        StoreError: The store refused or did not answer; the next run goes on where this one stopped.
    """
    seeds = read_seeds(seeds_dir, only)
    how = {"prune": prune, "dry_run": dry_run}
    return await push(store, paths, seeds, now=now, out=out, agree=agree, by=by, tests_first=tests_first, **how)


async def push(
    store: Store,
    paths: Paths,
    seeds: Seeds,
    *,
    now: datetime,
    prune: bool = False,
    dry_run: bool = False,
    out: Callable[[str], object] = print,
    agree: Callable[[Summary], bool] = lambda _: True,
    by: str = "scripts/seed",
    tests_first: TestsFirst | None = None,
) -> Summary:
    """Do with what was read what `seed` does; raises as it does, but for `BadSeeds`."""
    await _patiently(lambda: _require_free(store, paths, seeds.businesses or {}), out)
    planner = _Planner(store, paths, prune)
    plan = await _patiently(lambda: planner.plan(seeds), out)
    for line in plan.lines():
        out(line)
    summary = plan.summary()
    if summary.writes and dry_run:
        silent = partial(push, now=now, prune=prune, out=lambda _: None)
        for line in await lost_tools(store, paths, lambda copy: silent(copy, paths, seeds)):
            out(f"  ! {line}")
    if not summary.writes or dry_run or not agree(summary):
        return summary
    work = _Push(store, paths, now, out, tests_first)

    async def go_on() -> None:
        # The first time by the plan that was shown; after a missing answer by what is left of it.
        await work.run(await planner.plan(seeds) if work.has_begun else plan, by)

    await _patiently(go_on, out)
    return replace(summary, is_pushed=True, revision=work.revision)


async def _require_free(store: Store, paths: Paths, folders: Mapping[str, BusinessFolder]) -> None:
    """Refuse numbers that become those of a second business; what two claim already is told by Health."""
    ids_by_number = {one.business.twilio_number: id for id, one in folders.items() if one.business.twilio_number}
    taken = list[str]()
    for number, claims in (await NumberClaims(store, paths).main(ids_by_number.keys())).items():
        id, owners = ids_by_number[number], [claim.business_id for claim in claims]
        # Whose document is pushed as well may give it up by that.
        others = [owner for owner in owners if owner not in folders]
        if id not in owners and others:
            taken.append(
                f"businesses/{id}/business.json: twilioNumber: {number} is the number of {others[0]} in the store "
                "already, and belongs to one business alone; take it out there first"
            )
    if taken:
        raise BadSeeds(taken)


async def _patiently(step: Callable[[], Awaitable[_Result]], out: Callable[[str], object]) -> _Result:
    """Do a step that may be repeated, again when the store did not answer."""
    attempts_left = _ATTEMPTS
    while True:
        attempts_left -= 1
        try:
            return await step()
        except Unavailable as error:
            if not attempts_left:
                raise
            out(f"no answer, trying again: {error}")
            # A store that has answered nobody is asked again every second, and not before.
            await asyncio.sleep(PAUSE_S)


def read_target(
    project: str | None, database: str | None, environ: Mapping[str, str], *, in_memory: str = ""
) -> Configuration:
    """Return which Firestore the options and, where they are silent, the environment name together.

    Args:
        project: Given on the command line, if it was.
        database: Likewise.
        environ: The environment's variables.
        in_memory: What to do instead beside a server that keeps everything in its memory, as half a sentence.

    Raises:
        Problem: None, or one that cannot be.
    """
    for name, value in (("--project", project), ("--database", database)):
        if value == "":
            raise Problem(f"{name} is empty; name one, or leave it out for the environment's")
    options = {"GOOGLE_CLOUD_PROJECT": project, "FIRESTORE_DATABASE": database}
    try:
        by_name = read_configuration({**environ, **{name: value for name, value in options.items() if value}})
    except ConfigurationError as error:
        raise Problem(str(error)) from None
    if by_name.store == "memory":
        raise Problem(
            "which Firestore? Set FIRESTORE_EMULATOR_HOST for an emulator, or name a project by --project. What "
            "scripts/run --store memory keeps is in that process alone: "
            + (f"{in_memory}, or " if in_memory else "")
            + "run it with --store emulator and set FIRESTORE_EMULATOR_HOST to the address it prints"
        )
    return by_name


class _Planner:
    """Holds what the files say against what the store has; reads only."""

    def __init__(self, store: Store, paths: Paths, prune: bool) -> None:
        self._store = store
        self._paths = paths
        self._prune = prune

    async def plan(self, seeds: Seeds) -> Plan:
        comparisons: list[Comparison] = []
        tools = None
        if seeds.tools is not None:
            comparison, tools = await self._tools(seeds.tools)
            comparisons.append(comparison)
        if seeds.prompts is not None:
            given = {self._paths.prompt_template(name): text for name, text in seeds.prompts.items()}
            comparisons.append(await self._owned(self._paths.prompt_templates, given))
        folders = [*(seeds.businesses or {}).values()]
        given = {self._paths.within(f.business.id).business: f.document for f in folders}
        comparisons.append(compare(self._paths.businesses, await self._present(given), given))
        bookings: list[BookingWish] = []
        for folder in folders:
            comparisons += await self._below(folder)
            comparison, missing = await self._bookings(folder)
            comparisons.append(comparison)
            bookings += missing
        return Plan(tuple(comparisons), tools, tuple(bookings), self._prune)

    async def _tools(
        self, given: Mapping[str, JsonObject]
    ) -> tuple[Comparison, tuple[Published, Mapping[str, JsonObject]] | None]:
        published = await definition_set.read_published(self._store, self._paths)
        # What businesses try of a tool is daily work, as long as the files do not change what it is tried beside.
        given = {name: with_canary_of(each, published.documents.get(name, {})) for name, each in given.items()}
        by_name = {} if self._prune else published.documents
        documents = {**by_name, **given}
        comparison = compare_whole(self._paths.definitions, published.documents, given, definition_set.readable)
        stale = published.pointer_differences(documents)
        if not published.has_documents(documents):
            return comparison, (published, documents)
        if not stale:
            return comparison, None
        # Somebody edited definitions past the scripts and the admin pages, or a pointer was never written.
        pointer = DocumentChange("~", f"(the pointer {self._paths.tool_pointer})", stale)
        return replace(comparison, changes=(*comparison.changes, pointer)), (published, documents)

    async def _below(self, folder: BusinessFolder) -> list[Comparison]:
        within = self._paths.within(folder.business.id)
        rows = []
        for name, documents in folder.stored.items():
            given = {within.document(name, key): document for key, document in documents.items()}
            if name in ENTERED_ONCE:
                rows.append(compare_entered(within.collection(name), await self._present(given), given))
            else:
                rows.append(await self._owned(within.collection(name), given))
        return rows

    async def _bookings(self, folder: BusinessFolder) -> tuple[Comparison, list[BookingWish]]:
        within = self._paths.within(folder.business.id)
        at = {within.document("bookings", wish.id): wish for wish in folder.wishes}
        present = await self._present(at)
        missing = [wish for path, wish in at.items() if path not in present]
        changes = tuple(DocumentChange("+", wish.name) for wish in missing)
        return Comparison(within.collection("bookings"), changes, len(present)), missing

    async def _owned(self, collection: str, given: Mapping[str, JsonObject]) -> Comparison:
        documents = {document.path: document.data for document in await self._store.query(Query(collection))}
        return compare(collection, documents, given, prune=self._prune)

    async def _present(self, given: Iterable[str]) -> dict[str, JsonObject]:
        documents = await self._store.get_many(list(given))
        return {document.path: document.data for document in documents if document is not None}


class _Push:
    """Writes what a plan found, in an order that can stop anywhere, and tells how far it is."""

    def __init__(
        self,
        store: Store,
        paths: Paths,
        now: datetime,
        out: Callable[[str], object],
        tests_first: TestsFirst | None = None,
    ) -> None:
        self._store = store
        self._paths = paths
        self._now, self._tests_first = now, tests_first
        self._out = out
        self._total = self._done = 0
        self.has_begun = False
        self.revision: int | None = None

    async def run(self, plan: Plan, by: str) -> None:
        """Do all of it; `revision` is then that of the tool definitions, if they changed."""
        self._total, self._done, self.has_begun = plan.summary().writes, 0, True
        if plan.tools is not None:
            await self._switch_tools(plan, by, *plan.tools)
        for comparison in plan.comparisons:
            writes = [change.write for change in comparison.changes if change.write is not None]
            for start in range(0, len(writes), _WRITES_PER_COMMIT):
                part = writes[start : start + _WRITES_PER_COMMIT]
                await self._store.commit([*part, *self._noted(comparison, part, by)])
                self._tell(len(part), comparison.place)
        for wish in plan.bookings:
            self._tell(1, await self._enter(wish))

    def _noted(self, comparison: Comparison, part: Sequence[Write], by: str) -> list[Write]:
        if comparison.place != self._paths.prompt_templates:
            return []
        return [prompts_noted(self._paths, by, (one for one in comparison.changes if one.write in part))]

    async def _switch_tools(
        self, plan: Plan, by: str, published: Published, documents: Mapping[str, JsonObject]
    ) -> None:
        place, tests = self._paths.definitions, None
        if self._tests_first is not None and not published.has_documents(documents):
            # Tools come before all else: where a test is red, nothing at all was written.
            tests = await self._tests_first(published.documents, documents)
        tried = [name for name, stored in published.documents.items() if CANARY in stored]
        ended = [name for name in tried if CANARY not in documents.get(name, {})]
        notes = (trial_ended(self._paths, name, published.documents[name], self._now, _ENDED) for name in ended)
        self.revision = await definition_set.publish(
            *(self._store, self._paths, published, documents, by),
            tests=tests,
            beside=[note for each in notes for note in each],
            report=lambda step: self._tell(0, f"{place}: {step}"),
        )
        for name in ended:
            self._tell(0, f"{place}: the trial of {name} is over, as its definition is another one now")
        touched = sum(change.sign != "-" or plan.is_pruning for change in plan.comparisons[0].changes)
        self._tell(touched, f"{place}: switched to revision {self.revision}")

    async def _enter(self, wish: BookingWish) -> str:
        """Enter a booking at the first free time and say when that is."""
        within = self._paths.within(wish.business.id)
        place = f"{within.collection('bookings')}: {wish.name}"
        start = await enter(self._store, within, wish, self._now)
        if start is None:
            return f"{place} found no free time and was left out"
        return f"{place} on {start.astimezone(wish.business.timezone):%a %Y-%m-%d %H:%M}"

    def _tell(self, documents: int, what: str) -> None:
        self._done += documents
        self._out(f"[{self._done:>{len(str(self._total))}}/{self._total}] {what}")
