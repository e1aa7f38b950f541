"""Forget one caller of a business: all that is kept of their numbers, found and deleted place by place.

Every document of the places that hold callers' data is read, several times where one record leads to the next: an
index would lack what somebody typed in. What was deleted before is not found again, so a run that was interrupted is
simply repeated. What is written while a conversation goes on is found by a further run.
"""

from collections.abc import Mapping, Sequence
from dataclasses import field
from datetime import datetime, timedelta

from switchboard.admin.maintenance.caller_data import CallerData, is_desks, leads
from switchboard.admin.maintenance.data_inventory import PLACES, DataPlace, documents_of
from switchboard.admin.maintenance.deletion_progress import DeletionProgress
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import Paths, Store
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import DELETE_FIELD, Delete, Document, Missing, Set, Stale, Update, Write
from switchboard.desk.messaging.sms import STOP_PREFIX

_AT_ONCE = 100
# No conversation is silent for longer without being over.
_SILENT_FOR = timedelta(minutes=30)
_LOOKS = 8
_ROWS = next(place for place in PLACES if place.name == "items")
KEPT_PREFIX = STOP_PREFIX
"""Tickets of that name stay: that a number must not be texted is what its owner asked for."""

_NAMELESS: Mapping[str, object] = {
    "customerName": "",
    "customerKeys": [],
    "customerPhone": None,
    "customerEmail": None,
    "customerNotes": None,
    "internalNotes": None,
    "callerPhone": None,
    "callId": None,
    "source": {},
}
_GONE = ("callerId", "attendees", "cancelledBecause", "caution")


@dataclass(slots=True)
class Forgotten:
    """What was found of a caller, and what became of it.

    Attributes:
        deleted: How many documents went, by collection.
        cleared: Bookings that stay without the person.
        redacted: How many documents of others had the caller taken out of them, by collection.
        kept: How many documents stay as they are, by why.
        upcoming: Those of the bookings that are still to come, by id.
        outside: Ids of entries in an outside calendar, which stay there.
        left: Documents that somebody changed in that moment; run it again.
        running: Conversations that had not ended, which may write down more; run it again behind them.
        rows: How many rows of the business's own collections name the caller, which stay there, by collection.
    """

    deleted: dict[str, int] = field(default_factory=dict)
    cleared: int = 0
    redacted: dict[str, int] = field(default_factory=dict)
    kept: dict[str, int] = field(default_factory=dict)
    upcoming: list[str] = field(default_factory=list)
    outside: list[str] = field(default_factory=list)
    left: int = 0
    running: int = 0
    rows: dict[str, int] = field(default_factory=dict)

    @property
    def found(self) -> int:
        """How many documents there is something to do with."""
        return sum(self.deleted.values()) + self.cleared + sum(self.redacted.values())


@dataclass(frozen=True, slots=True)
class _ForgettingStep:
    place: str
    write: Write


async def forget_caller(
    store: Store,
    paths: Paths,
    business_id: str,
    *numbers: str,
    records: Sequence[str] = (),
    dry_run: bool = False,
    now: datetime | None = None,
    progress: DeletionProgress | None = None,
) -> Forgotten:
    """Delete what is kept of a caller, or count it.

    Who has no number is told by the record and by the e-mail address in it, as far as that is nobody else's.

    Args:
        store: Where it is kept.
        paths: Where a business's documents are.
        business_id: Whose caller.
        numbers: Every number of the caller, in E.164. They are to be forgotten at once: the record that tells them
            goes last.
        records: The ids of the caller's records.
        dry_run: Whether only to look.
        now: The time (aware), to tell bookings that are still to come; without it none is named.
        progress: Is told how far it has come.

    Raises:
        StoreError: The store refuses or does not answer; what was deleted until then stays deleted.
    """
    far = progress or DeletionProgress()
    traces = await _traces(store, paths, far, business_id, numbers, records)
    done = Forgotten()
    steps: list[_ForgettingStep] = []
    # What leads to the rest goes last: a further run must find its way too.
    for place in reversed(_places()):
        leading: list[_ForgettingStep] = []
        async for document in far.reading(documents_of(store, paths, place, business_id)):
            write = _decide(place, document, traces, done, now)
            if write is not None:
                (leading if leads(document) else steps).append(_ForgettingStep(place.name, write))
            if len(steps) >= _AT_ONCE:
                await _carry_out_all(store, steps, done, far, dry_run)
        steps += leading
    await _carry_out_all(store, steps, done, far, dry_run)
    async for row in far.reading(documents_of(store, paths, _ROWS, business_id)):
        if traces.names_caller(row):
            collection = row.path.split("/")[-3]
            done.rows[collection] = done.rows.get(collection, 0) + 1
    return done


async def caller_documents(
    store: Store, paths: Paths, business_id: str, *numbers: str, records: Sequence[str] = ()
) -> list[Document]:
    """Return every document that is a caller's, as it is stored: what forgetting the caller would take away.

    Args:
        store: Where it is kept.
        paths: Where a business's documents are.
        business_id: Whose caller.
        numbers: Every number of the caller, in E.164.
        records: The ids of the caller's records.

    Raises:
        StoreError: The store refuses or does not answer.
    """
    traces = await _traces(store, paths, DeletionProgress(), business_id, numbers, records)
    own: list[Document] = []
    for place in _places():
        if place.caller == "redacted":
            continue
        async for document in documents_of(store, paths, place, business_id):
            if traces.owns(document):
                own.append(document)
    return own


async def _traces(
    store: Store,
    paths: Paths,
    progress: DeletionProgress,
    business_id: str,
    numbers: Sequence[str],
    records: Sequence[str],
) -> CallerData:
    """Return what is known of a caller, once everything that one record leads to was looked at."""
    traces = CallerData(paths.within(business_id).business, *numbers, records=records)
    for _ in range(_LOOKS):
        known = traces.size
        traces.begin_look()
        for place in _places():
            async for document in progress.reading(documents_of(store, paths, place, business_id)):
                traces.owns(document)
        if traces.size == known and traces.is_settled:
            break
    traces.begin_look()
    return traces


def _places() -> list[DataPlace]:
    return [place for place in PLACES if place.caller != "nothing"]


def _decide(
    place: DataPlace, document: Document, traces: CallerData, done: Forgotten, now: datetime | None
) -> Write | None:
    if document.id.startswith(KEPT_PREFIX):
        if traces.names_caller(document):
            done.kept["the list of numbers that must not be texted"] = 1
        return None
    if place.caller == "redacted" or not traces.owns(document):
        return _redaction(place, document, traces, done)
    if place.caller == "cleared":
        return _cleared(document, done, now)
    done.deleted[place.name] = done.deleted.get(place.name, 0) + 1
    done.running += place.name == "interactions" and _is_running(document.data, now)
    return Delete(document.path)


def _is_running(data: JsonObject, now: datetime | None) -> bool:
    """Tell whether a conversation goes on, as far as its record knows: it has no end, and was heard of just now."""
    heard_at = data.get("heardAt")
    if now is None or data.get("endedAt") is not None or not isinstance(heard_at, datetime):
        return False
    return now - heard_at < _SILENT_FOR


def _redaction(place: DataPlace, document: Document, traces: CallerData, done: Forgotten) -> Write | None:
    asked = document.data.get("question")
    if place.name == "questions" and isinstance(asked, str) and " ".join(asked.casefold().split()) in traces.questions:
        done.deleted[place.name] = done.deleted.get(place.name, 0) + 1
        return Delete(document.path)
    data = document.data
    if place.name == "audit":
        data = traces.without_notes(data)
    if place.name == "sessions" and is_desks(document.id):
        data = traces.without_receipts(data)
    without = traces.without(document, data)
    if without == document.data:
        return None
    done.redacted[place.name] = done.redacted.get(place.name, 0) + 1
    # Only what changes, by field: a name with a dot in it is replaced with the whole document.
    changed: JsonObject = {n: v for n, v in without.items() if document.data.get(n, v) != v or n not in document.data}
    if changed.keys() - document.data.keys() or any(not name.isidentifier() for name in changed):
        return Set(document.path, without)
    return Update(document.path, changed, if_update_time=document.update_time)


def _cleared(document: Document, done: Forgotten, now: datetime | None) -> Write | None:
    """Return what takes the person out of a booking; the time, the service and the price stay."""
    data = document.data
    fields = {name: value for name, value in _NAMELESS.items() if name in data and data[name] != value}
    fields |= {name: DELETE_FIELD for name in _GONE if name in data}
    if not fields:
        return None
    done.cleared += 1
    start = data.get("start")
    if now is not None and isinstance(start, datetime) and start >= now and data.get("status") != "cancelled":
        done.upcoming.append(document.id)
    if data.get("calendar") not in (None, "", "builtinCalendar"):
        done.outside.append(document.id)
    return Update(document.path, fields, if_update_time=document.update_time)


async def _carry_out_all(
    store: Store, steps: list[_ForgettingStep], done: Forgotten, progress: DeletionProgress, dry_run: bool
) -> None:
    """Carry out steps in their order, and leave none; a dry run carries out nothing."""
    for begin in range(0, 0 if dry_run else len(steps), _AT_ONCE):
        part = steps[begin : begin + _AT_ONCE]
        await _carry_out(store, part, done)
        await progress.wrote(len(part))
    steps.clear()


async def _carry_out(store: Store, steps: Sequence[_ForgettingStep], done: Forgotten) -> None:
    try:
        await store.commit([step.write for step in steps])
    except (Stale, Missing):
        if len(steps) == 1:
            done.left += 1
            return
        for step in steps:
            await _carry_out(store, [step], done)
