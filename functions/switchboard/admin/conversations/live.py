"""Running conversations as they go on: begun, turn, call and ended, read from the store every few seconds.

Any instance can tell them, whichever carries the conversation: it asks for the records that were heard of since it
looked last. A look costs one read, and one more for each record that has changed in the last seconds. Silence ends a
conversation without its being heard of: whoever goes on is told first which ones it has ended meanwhile, for a read.
"""

from collections.abc import Iterator, Mapping
from dataclasses import field
from datetime import datetime, timedelta
from typing import Any, Final

import orjson

from switchboard.admin.conversations.records import has_failed
from switchboard.catalog.schema.sensitivity import MASK
from switchboard.contract.context import is_trials_id
from switchboard.contract.document import integer, moment, objects_of, text
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import BusinessPaths, Clock, Store
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.record_parts import HEARD_AT, SILENCE_NOTED_AT
from switchboard.contract.store import Document, Filter, Order, Query

SHOWN_FROM: Final = timedelta(minutes=30)
"""What was heard of in this time, and has not ended, is running for whoever begins to watch."""
SLACK: Final = timedelta(minutes=2)
"""What happened so long before the last event that somebody knows is told again: it may have been written after it."""
# Clocks of instances differ, and a commit takes a moment.
_OVERLAP = timedelta(seconds=5)
_A_PAGE, _MOST_PAGES, _MOST_RUNNING = 50, 4, 200


@dataclass(frozen=True, slots=True)
class LiveEvent:
    """Something that happened; `id` is what a stream goes on behind, and `data["key"]` is the same whenever told."""

    name: str
    at: datetime
    id: str
    data: JsonObject

    def line(self) -> bytes:
        """Return it as an event of a stream (SSE)."""
        data = orjson.dumps(self.data, option=orjson.OPT_UTC_Z)
        return b"event: %b\nid: %b\ndata: %b\n\n" % (self.name.encode(), self.id.encode(), data)


@dataclass(slots=True)
class _Watched:
    """What is known of one conversation: when it was changed, and which of its events were told."""

    changed_at: datetime
    is_over: bool
    keys: set[str] = field(default_factory=set)


class ConversationWatch:
    """Watches the conversations of one business for one reader."""

    def __init__(self, store: Store, within: BusinessPaths, clock: Clock, last_id: str = "") -> None:
        """Go on behind the event of an id, or begin with what is running where nobody was told anything lately."""
        self._store, self._within, self._clock = store, within, clock
        self._known: dict[str, _Watched] = {}
        now, last = clock.now(), _read_id(last_id)
        is_recent = last is not None and now - SHOWN_FROM <= last <= now + SLACK
        self._told_from = last - SLACK if last is not None and is_recent else None
        self._since = self._told_from or now - SHOWN_FROM
        self._is_first = self._told_from is None
        self._is_silence_told = self._is_first
        self.reached = ""
        """The id behind which another watch goes on with what happens after the last look; empty before the first."""

    async def look(self, *, may_see_personal: bool) -> list[LiveEvent]:
        """Return what has happened since the last look, in order.

        Raises:
            StoreError: The store does not answer; the next look tells what this one would have.
        """
        now = self._clock.now()
        silent = [] if self._is_silence_told else await self._changed(SILENCE_NOTED_AT)
        heard = await self._changed(HEARD_AT)
        events: list[LiveEvent] = []
        for document in (*silent, *heard):
            events += self._news(document, may_see_personal)
        if heard:
            self._since = max(self._since, heard[-1].data[HEARD_AT] - _OVERLAP)
        self._is_first, self._is_silence_told = False, True
        # Of more than is read at once, the next look goes on behind what was read.
        self.reached = (now if len(heard) < _A_PAGE * _MOST_PAGES else self._since).isoformat()
        self._forget()
        return events

    async def _changed(self, field: str) -> list[Document]:
        """Return the records of which a moment is behind the one up to which everything was told, in its order."""
        behind, order = (Filter(field, ">", self._since),), (Order(field),)
        documents: list[Document] = []
        after: tuple[Any, ...] | None = None
        for _ in range(_MOST_PAGES):
            query = Query(self._within.collection("interactions"), behind, order, _A_PAGE, after)
            page = await self._store.query(query)
            documents += page
            if len(page) < _A_PAGE:
                break
            after = (page[-1].data[field], page[-1].id)
        return documents

    def _news(self, document: Document, may_see_personal: bool) -> Iterator[LiveEvent]:
        data, known = document.data, self._known.get(document.id)
        if "triedAt" in data or is_trials_id(document.id):
            return
        if known is not None and known.changed_at == document.update_time:
            return
        is_over = moment(data.get("endedAt")) is not None
        is_new = known is None
        known = known or _Watched(document.update_time, is_over)
        known.changed_at, known.is_over = document.update_time, is_over
        self._known[document.id] = known
        id = max(at for at in (_heard_at(document), _silence_noted_at(document)) if at is not None).isoformat()
        for key, name, at, more in _happened(document, may_see_personal):
            if key in known.keys:
                continue
            known.keys.add(key)
            if is_new and self._is_first:
                # Whoever begins to watch is told what goes on, and not how it came there.
                is_told = name == "begun" and not is_over
            else:
                happened_at = (name == "ended" and _silence_noted_at(document)) or at
                is_told = not is_new or self._told_from is None or happened_at > self._told_from
            if is_told:
                yield LiveEvent(name, at, id, {"key": f"{document.id}/{key}", **_whose(document), "at": at, **more})

    def _forget(self) -> None:
        """Keep those that go on, and of the others as many as may come again."""
        over = [id for id, one in self._known.items() if one.is_over]
        for id in over[: max(0, len(self._known) - _MOST_RUNNING)]:
            del self._known[id]


def _read_id(text: str) -> datetime | None:
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        return None
    return at if at.tzinfo is not None else None


def _heard_at(document: Document) -> datetime | None:
    return moment(document.data.get(HEARD_AT))


def _silence_noted_at(document: Document) -> datetime | None:
    return moment(document.data.get(SILENCE_NOTED_AT))


def _whose(document: Document) -> JsonObject:
    data = document.data
    return {"id": document.id, "sessionId": text(data.get("sessionId")) or document.id, "channel": data.get("channel")}


def _happened(document: Document, may_see_personal: bool) -> Iterator[tuple[str, str, datetime, JsonObject]]:
    """Yield key, name, time and more of all that a record tells, in order."""
    data = document.data
    began = moment(data.get("startedAt")) or document.create_time
    phone = text(data.get("callerPhone")) or None
    shown = {"callerPhone": phone if may_see_personal or phone is None else MASK, "turns": integer(data.get("turns"))}
    yield "begun", "begun", began, shown
    steps = [*_turns(data), *_calls(data)]
    yield from sorted(steps, key=lambda step: step[2])
    ended = moment(data.get("endedAt"))
    if ended is not None:
        outcome, lasted = text(data.get("outcome")) or None, data.get("durationSeconds")
        yield f"ended:{ended.isoformat()}", "ended", ended, {"outcome": outcome, "durationSeconds": lasted}


def _turns(data: Mapping[str, Any]) -> Iterator[tuple[str, str, datetime, JsonObject]]:
    for row in objects_of(data.get("transcript")):
        at = moment(row.get("at"))
        if row.get("role") == "caller" and at is not None:
            turn = integer(row.get("turn"))
            yield f"turn:{turn}:{text(row.get('channel'))}", "turn", at, {"turn": turn}


def _calls(data: Mapping[str, Any]) -> Iterator[tuple[str, str, datetime, JsonObject]]:
    for row in objects_of(data.get("tools")):
        at = moment(row.get("at"))
        if at is None:
            continue
        call = {
            "turn": integer(row.get("turn")),
            "tool": text(row.get("name")) or None,
            "ok": row.get("ok") is True,
            "error": text(row.get("error")) or None,
            "isFailure": has_failed(row),
            "elapsedMs": row.get("elapsedMs"),
        }
        yield f"call:{call['turn']}:{text(row.get('callId'))}:{at.isoformat()}", "call", at, call
