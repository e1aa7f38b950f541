"""Where a conversation's record is, how a call stands in it, and how much of the agent's words was heard."""

import logging
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from switchboard.contract.channel import Channel
from switchboard.contract.context import Context
from switchboard.contract.document import objects_of
from switchboard.contract.json import JsonObject
from switchboard.contract.observability.trace import shown_id
from switchboard.contract.ports import Paths, Store
from switchboard.contract.record_parts import HEARD_AT as HEARD_AT
from switchboard.contract.record_parts import MOST_BYTES, record_bytes, split
from switchboard.contract.response import ToolResponse
from switchboard.contract.shards import SHARD, shard_of
from switchboard.contract.store import Document, Invalid, Set, Stale, StoreError, Update, Write, WriteResult
from switchboard.conversation.history import heard_of

# So often a record that others write to at the same moment is divided.
_TRIES = 3

log = logging.getLogger(__name__)

_TEXT_CHARACTERS = 4_000
_FIGURE = re.compile(r"\d")
_BLOT = "•"
# With fewer figures than these, a code was said in words, or in part.
_FEWEST_FIGURES = 4
CHANNEL = "channel"
"""Where an entry of the record was said, or a receipt was made; records of earlier versions do not say."""
UNSHOWN = "unshown"
"""True of an agent's words that a tool wanted to be heard only: no page shows them, then or later."""

REPORTED = "reported"
"""True of words that a visitor's browser tells that a vendor's model said: nobody else heard them, and nothing rests on
them."""


def last_heard(path: str, now: datetime) -> JsonObject:
    """Return the fields by which the record at a path is found once nothing is heard of its conversation any more."""
    return {HEARD_AT: now, SHARD: shard_of(path)}


def told_here(rows: Iterable[JsonObject], facts: Context) -> Iterator[JsonObject]:
    """Yield the entries that are for whoever is in a conversation now.

    A portal link hands over what was said before it was opened. What is said on the line afterwards, perhaps to a
    caller who has shown who they are, is not for whoever opened it; and what is written there is not for the line.
    """
    for row in rows:
        said_on, at = row.get(CHANNEL), row.get("at")
        if facts.channel is Channel.PHONE:
            is_for_here = said_on in (None, Channel.PHONE)
        else:
            is_later = facts.since is not None and isinstance(at, datetime) and at >= facts.since
            is_for_here = said_on != Channel.PHONE or not is_later
        if is_for_here:
            yield row


def told_of(record: Document | None, facts: Context) -> list[JsonObject]:
    """Return the entries of a record's transcript that are for whoever is in a conversation now."""
    rows = objects_of(record.data.get("transcript") if record is not None else None)
    return list(told_here(rows, facts))


def record_id(facts: Context) -> str:
    """Return the id of a conversation's record."""
    return facts.interaction_id or facts.session_id


def identity(facts: Context) -> JsonObject:
    """Return the fields by which a record says which conversation it is of."""
    return {
        "id": record_id(facts),
        "businessId": facts.business_id,
        "sessionId": facts.session_id,
        "channel": facts.channel.value,
    }


def record_path(paths: Paths, facts: Context) -> str:
    """Return the path of a conversation's record."""
    return paths.within(facts.business_id).document("interactions", record_id(facts))


def session_path(paths: Paths, facts: Context) -> str:
    """Return the path of a conversation's session, which the ledger keeps."""
    return paths.within(facts.business_id).document("sessions", facts.session_id)


def marked(entries: Sequence[JsonObject], heard: str | None) -> list[JsonObject]:
    """Return an agent's entries of one turn, in which it was interrupted, with what was heard of them.

    None says that nobody can tell.
    """
    texts = [str(entry.get("text") or "") for entry in entries]
    parts = texts if heard is None else heard_of(texts, heard)
    if parts == texts:
        # What only bridged the wait for the rest is no answer that could have been broken off.
        answers = [n for n, entry in enumerate(entries) if not entry.get("filler")] or list(range(len(entries)))
        return [entry | {"interrupted": True} if n in answers[-1:] else entry for n, entry in enumerate(entries)]
    return [
        entry if part == text else entry | {"heard": part, "interrupted": True}
        for entry, text, part in zip(entries, texts, parts, strict=True)
    ]


def spoken_in(entries: Sequence[JsonObject], facts: Context, turn: int, role: str = "agent") -> list[int]:
    """Return where, among entries, those stand that somebody said in a turn, here."""
    here = (None, facts.channel.value)
    return [
        n
        for n, entry in enumerate(entries)
        if entry.get("role") == role and entry.get("turn") == turn and entry.get(CHANNEL) in here
    ]


def unkept(entry: JsonObject) -> JsonObject:
    """Return a caller's entry without the code in it: figures are blotted out; one in words takes all words with it."""
    if entry.get("suppressed"):
        return entry
    text, figures = _FIGURE.subn(_BLOT, str(entry.get("text") or ""))
    return entry | {"text": text if figures >= _FEWEST_FIGURES else _BLOT * 3, "suppressed": True}


def ended_line(record: Mapping[str, Any], by: str = "goodbye") -> None:
    """Write the log's one line of a conversation that is over: whose, where, how long, what came of it."""
    fields = {
        "business": record.get("businessId"),
        "session": shown_id(str(record.get("sessionId") or "")),
        "channel": record.get("channel"),
        "turns": record.get("turns"),
        "seconds": record.get("durationSeconds"),
        "outcome": record.get("outcome"),
        "endedBy": by,
    }
    log.info("conversation ended", extra=fields | ({"trial": True} if "triedAt" in record else {}))


def cut(entry: JsonObject) -> JsonObject:
    """Return an entry of a transcript without what is too long to be kept of it."""
    if len(entry["text"]) <= _TEXT_CHARACTERS:
        return entry
    texts = {name: entry[name][:_TEXT_CHARACTERS] for name in ("text", "heard") if name in entry}
    return entry | texts | {"cut": True}


def tool_entry(
    call_id: str, name: str, turn: int, at: datetime, elapsed_ms: float, response: ToolResponse
) -> JsonObject:
    """Return the entry of a call that was answered."""
    entry: JsonObject = {
        "callId": call_id,
        "name": name[:60],
        "turn": turn,
        "at": at,
        "elapsedMs": elapsed_ms,
        "ok": response.ok,
    }
    failure = response.failure
    if failure is not None:
        entry["error"] = failure.type.value
        # What it takes, beside its type, to tell a failure from an answer.
        entry |= {"refused": True} if failure.was_refused else {}
        entry |= {"unknown": True} if failure.partial_side_effects else {}
    return entry


class RecordParts:
    """Writes to one record, and sees that it stays short enough to be written to."""

    def __init__(self, store: Store, path: str, part_path: Callable[[int], str], size: int) -> None:
        """Write to the record at `path`, which held about `size` bytes when it was read last."""
        self._store, self._path, self._part_path, self._bytes = store, path, part_path, size

    async def commit(self, writes: Sequence[Write], size: int) -> list[WriteResult]:
        """Make writes that add about so many bytes to the record; one that is full is divided first.

        Raises:
            StoreError: As `Store.commit`.
        """
        try:
            results = await self._store.commit(writes)
        except Invalid:
            # Others have written to it as well, or did before it was divided.
            if not await self._divide():
                raise
            results = await self._store.commit(writes)
        self._bytes += size
        if self._bytes > MOST_BYTES:
            try:
                await self._divide()
            except StoreError as error:
                # With the next turn, perhaps.
                log.warning("a record is not divided", extra={"reason": type(error).__name__})
        return results

    def grew(self, size: int) -> None:
        """Note that others have added so many bytes."""
        self._bytes += size

    async def _divide(self) -> bool:
        """Move what is older into a part; tell whether anything was."""
        for _ in range(_TRIES):
            record = await self._store.get(self._path)
            parts = split(record.data) if record is not None else None
            self._bytes = record_bytes(record.data) if record is not None else 0
            if record is None or parts is None:
                return False
            left = Update(self._path, parts.left, if_update_time=record.update_time)
            try:
                # What the precondition lets through is alone: a part of that number is left of a record that expired.
                await self._store.commit([Set(self._part_path(parts.number), parts.part), left])
            except Stale:
                continue
            self._bytes = record_bytes(record.data | parts.left)
            return True
        return False
