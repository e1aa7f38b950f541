"""What is done with definitions: drafted, tried by a few businesses, published to all, taken back (seed 004).

Everything that changes what callers meet goes through one commit of the whole set (`definition_set`), which notes who
did it; every change is based on a revision of the tool's record.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from switchboard.admin.access.access import Permit
from switchboard.admin.access.refusal import EntryProblem, NotFound, NotValid
from switchboard.admin.definitions.canaries import Canaries
from switchboard.admin.definitions.check import check, without_effect
from switchboard.admin.definitions.definition_set import CannotPublish, publish, readable, storable
from switchboard.admin.definitions.drafts import DraftResult, Drafts, thrown_away
from switchboard.admin.definitions.history import DefinitionHistory
from switchboard.admin.definitions.record import DefinitionRecords, Record
from switchboard.admin.definitions.replay import Replay
from switchboard.admin.definitions.wording import word_changes
from switchboard.admin.evals.gate import PublishGate, TestedBefore
from switchboard.catalog.definitions.canary import CANARY, MOST_CANARIES, without_canary
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import Paths, Store
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import Write

# Whoever publishes another tool moves the same pointer: then this one is looked at again.
_ATTEMPTS = 4


@dataclass(frozen=True, slots=True)
class _DefinitionStep:
    """What becomes of a tool's stored document, and what happens to its draft in the same commit.

    Attributes:
        tested: What has the kept tests played with it first; None for what has to be done at once.
        is_more: Whether something is done where the document says what it said, too.
        deed: What it is called in place of what was asked for; empty for just that.
    """

    document: JsonObject
    beside: tuple[Write, ...] = ()
    tested: "_TestsFirst | None" = None
    is_more: bool = False
    deed: str = ""


@dataclass(frozen=True, slots=True)
class _TestsFirst:
    """Whose kept tests are played first, all businesses' for None, and which may be red."""

    businesses: tuple[str, ...] | None
    acknowledged: tuple[str, ...]


class DefinitionService:
    """Changes definitions; `drafts` are kept apart. What the store raises passes through.

    Every change takes the revision that it is based on and may raise `RevisionMissing`, `OutOfDate` (with both
    versions) and `NotFound` (no such tool).
    """

    def __init__(
        self,
        store: Store,
        paths: Paths,
        records: DefinitionRecords,
        history: DefinitionHistory,
        replay: Replay,
        canaries: Canaries,
        forget: Callable[[], None],
        gate: PublishGate,
    ) -> None:
        """Join the parts; `forget` has this process read the definitions anew, `gate` plays kept tests."""
        self._store, self._paths = store, paths
        self.records, self.history, self.replay, self.canaries = records, history, replay, canaries
        self.drafts = Drafts(store, paths, records)
        self._forget, self._gate = forget, gate

    async def publish(
        self, permit: Permit, name: str, based_on: str | None, acknowledged: str, red: Sequence[str] = ()
    ) -> DraftResult:
        """Make the draft what every business has; nobody tries anything of this tool afterwards.

        Args:
            permit: Who does it.
            name: The tool's name.
            based_on: The record's revision.
            acknowledged: The hash of the replay's report.
            red: The names of kept tests that are red with it, and may be.

        Raises:
            NotValid: There is no draft, no report was acknowledged, or a test is named that is not red.
            RedTests: Kept tests are red with it that are not named.
            ToolError: CONFLICT; what would change is not what was acknowledged.
        """

        async def step(record: Record) -> _DefinitionStep:
            document = self._sound(record, record.drafted)
            await self.replay.require(record, acknowledged)
            thrown = (thrown_away(record),)
            return _DefinitionStep(document, thrown, _TestsFirst(None, tuple(red)), is_more=True)

        return await self._change(permit, name, based_on, "published", step)

    async def stage(
        self,
        permit: Permit,
        name: str,
        based_on: str | None,
        businesses: list[str],
        acknowledged: str,
        red: Sequence[str] = (),
    ) -> DraftResult:
        """Have some businesses try the draft before the others; the draft stays, for publishing it to all.

        Args:
            permit: Who does it.
            name: The tool's name.
            based_on: The record's revision.
            businesses: Their ids, in place of those that tried something of this tool before.
            acknowledged: The hash of the replay's report.
            red: The names of these businesses' kept tests that are red with it, and may be.

        Raises:
            NotValid: There is no draft, no such business, too many are tried at once, nothing was acknowledged, or a
                test is named that is not red.
            RedTests: Kept tests of these businesses are red with it that are not named.
            ToolError: CONFLICT; what would change is not what was acknowledged.
        """

        async def step(record: Record) -> _DefinitionStep:
            draft = self._sound(record, record.drafted)
            canary = await self._known(businesses)
            _require_room(record)
            await self.replay.require(record, acknowledged)
            document = without_canary(_stored(record))
            since, noted = self.canaries.staged(record, draft, canary, permit.identity.name)
            staged = document | {CANARY: {"businesses": canary, "document": draft, "since": since}}
            before = record.canary
            deed = "" if before is None or before.since != since else _given_to(before.businesses, canary)
            return _DefinitionStep(staged, tuple(noted), _TestsFirst(tuple(canary), tuple(red)), deed=deed)

        return await self._change(permit, name, based_on, "canary started", step)

    async def end_canary(self, permit: Permit, name: str, based_on: str | None) -> DraftResult:
        """Take the draft back from the businesses that try it, at once: they have again what all have.

        Raises:
            NotFound: Nobody tries anything of this tool.
        """

        async def step(record: Record) -> _DefinitionStep:
            if CANARY not in (record.stored or {}):
                raise NotFound("Nobody tries a draft of this tool.")
            return _DefinitionStep(without_canary(_stored(record)))

        return await self._change(permit, name, based_on, "canary ended", step)

    async def roll_back(self, permit: Permit, name: str, based_on: str | None, version: str) -> DraftResult:
        """Publish an earlier version again, at once; a draft stays.

        Raises:
            NotFound: There is no such version.
            NotValid: The tool's handler has changed since, and could not serve it.
        """

        async def step(record: Record) -> _DefinitionStep:
            chosen, document = await self.history.version(name, version)
            if document is None:
                raise NotFound(f"Version {chosen.number} removed the tool; there is nothing to go back to.")
            return _DefinitionStep(self._sound(record, document))

        return await self._change(permit, name, based_on, f"rolled back to {version}", step)

    async def reset(self, permit: Permit, name: str, based_on: str | None) -> DraftResult:
        """Publish the built-in definition, at once; a draft stays."""

        async def step(record: Record) -> _DefinitionStep:
            return _DefinitionStep(storable(record.built_in))

        return await self._change(permit, name, based_on, "reset to built-in", step)

    async def switch(self, permit: Permit, name: str, based_on: str | None, is_enabled: bool) -> DraftResult:
        """Switch a tool on or off for every business; running conversations lose it within a minute, too."""

        async def step(record: Record) -> _DefinitionStep:
            document = _enabled(_stored(record), is_enabled)
            canary = record.canary
            if canary is not None:
                # A tool that is switched off must be off for those, too, who try another version of it.
                tried = _enabled(canary.document, is_enabled)
                since = {"since": canary.since} if canary.since else {}
                document[CANARY] = {"businesses": list(canary.businesses), "document": tried} | since
            return _DefinitionStep(document)

        return await self._change(permit, name, based_on, "enabled" if is_enabled else "disabled", step)

    async def _change(
        self, permit: Permit, name: str, based_on: str | None, deed: str, step: Callable[[Record], Any]
    ) -> DraftResult:
        why = ""
        for _ in range(_ATTEMPTS):
            record = await self.records.read(name)
            record.require(based_on)
            next_step: _DefinitionStep = await step(record)
            if record.stored == next_step.document and not next_step.is_more:
                return DraftResult(record, None)
            whole = record.others | {name: next_step.document}
            ended = self.canaries.ended(record, deed) if CANARY not in next_step.document else []
            notes: list[str] = []
            # What is published is what was tested: the commit is refused where somebody else published meanwhile.
            tested = await self._tested(record, whole, next_step.tested)
            try:
                await publish(
                    *(self._store, self._paths, record.whole, whole, permit.identity.name),
                    deed=next_step.deed or deed,
                    who=permit.who,
                    tests=tested.to_json() if tested is not None else None,
                    # What is put back was in force before, and is not tried anew.
                    words=word_changes(record).to_note() if next_step.tested is not None else None,
                    beside=(*next_step.beside, *ended),
                    noted=notes.append,
                )
            except CannotPublish as error:
                why = str(error)
                if tested is not None:
                    break  # tests took their time, and would take it again
                continue
            self._forget()
            findings = without_effect(record, readable(without_canary(next_step.document)))
            return DraftResult(await self.records.read(name), notes[0], findings, tested)
        raise ToolError(ErrorType.CONFLICT, f"Nothing was published: {why}.")

    async def _tested(
        self, record: Record, whole: Mapping[str, JsonObject], first: _TestsFirst | None
    ) -> TestedBefore | None:
        """Return what was tested, and None where nothing is: because it is to happen at once, or no test is kept."""
        if first is None:
            return None
        before = record.whole.documents
        tested = await self._gate.require(before, whole, first.businesses, first.acknowledged)
        return tested if tested.run or tested.not_run else None

    def _sound(self, record: Record, document: JsonObject | None) -> JsonObject:
        """Return a definition as it is stored, if the handler of today can serve it."""
        if document is None:
            raise NotValid([EntryProblem("draft", "There is no draft of this tool; save one first.")])
        problems = check(record, document).problems
        if problems:
            raise NotValid(problems)
        return storable(document)

    async def _known(self, businesses: list[str]) -> list[str]:
        names = sorted(businesses)
        documents = await self._store.get_many([self._paths.within(name).business for name in names])
        missing = [name for name, document in zip(names, documents, strict=True) if document is None]
        if missing:
            raise NotValid([EntryProblem("businesses", f"There is no business {name!r}.") for name in missing])
        return names


def _stored(record: Record) -> JsonObject:
    """Return what is published of a tool as it is stored, so that only what is meant to change does."""
    if record.stored is not None:
        return dict(record.stored)
    if record.whole.documents:
        raise ToolError(ErrorType.CONFLICT, "This tool is not published; publish its draft, or reset it to built-in.")
    return storable(record.built_in)


def _given_to(before: Sequence[str], now: Sequence[str]) -> str:
    """Return what it is called that others try a draft than did before."""
    return "canary widened" if set(before) < set(now) else "canary given to other businesses"


def _require_room(record: Record) -> None:
    tried = [name for name, document in record.others.items() if CANARY in document]
    if len(tried) >= MOST_CANARIES:
        message = f"{', '.join(sorted(tried))} are being tried already; publish one of them or take it back first."
        raise NotValid([EntryProblem("businesses", message)])


def _enabled(document: Mapping[str, Any], is_enabled: bool) -> JsonObject:
    return {name: value for name, value in document.items() if name != "enabled"} | (
        {} if is_enabled else {"enabled": False}
    )
