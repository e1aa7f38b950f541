"""A conversation so far, for a browser that shows it again: from its record, and the question that is still open."""

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from switchboard.channels.portal.event_view import receipt_told
from switchboard.contract.channel import Channel
from switchboard.contract.context import Context
from switchboard.contract.document import integer, objects_of, text
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import Clock, Paths, Store
from switchboard.contract.record_parts import joined, part_numbers
from switchboard.contract.store import Document
from switchboard.conversation.record.record import told_here
from switchboard.pipeline.confirmation.pending_call import read_proposal

# What a page shows again is read in time before its first turn.
_PARTS_SHOWN = 3
_BUTTONS = {"[yes]": "yes", "[no]": "no"}


async def transcript_of(store: Store, paths: Paths, clock: Clock, facts: Context) -> JsonObject:
    """Return `{turn, outcome, transcript, receipts, ask}` of a conversation; empty before its first turn has ended.

    Entries are `{role, text, turn, at}`, the oldest first, with `role` `caller` or `agent`; a caller's `button` takes
    the place of words, and an agent's `interrupted` says that the rest was not read. Receipts carry the turn in which
    they were made. Times are UTC.

    Raises:
        StoreError: It cannot be read.
    """
    within = paths.within(facts.business_id)
    record, session = await store.get_many(
        [within.document("interactions", facts.session_id), within.document("sessions", facts.session_id)]
    )
    if record is not None and (numbers := part_numbers(record.data, _PARTS_SHOWN)):
        record = joined(record, await store.get_many([within.part(facts.session_id, n) for n in numbers]))
    data = record.data if record is not None else {}
    rows = list(told_here(objects_of(data.get("transcript")), facts))
    return {
        "turn": integer(data.get("turns")),
        "outcome": text(data.get("outcome")) or None,
        "transcript": [entry for row in rows if not row.get("filler") and (entry := _entry(row))["text"]],
        "receipts": list(_receipts(told_here(objects_of(data.get("receipts")), facts), rows)),
        "ask": _open_question(session, clock.now()),
    }


def _entry(row: JsonObject) -> JsonObject:
    role = "caller" if row.get("role") == "caller" else "agent"
    text = str(row.get("heard", row.get("text")) or "")
    entry: JsonObject = {"role": role, "text": text, "turn": row.get("turn", 0), "at": _stamp(row.get("at"))}
    if role == "caller" and text in _BUTTONS:
        entry["button"] = _BUTTONS[text]
    if row.get("interrupted") is True:
        entry["interrupted"] = True
    return entry


def _receipts(rows: Iterable[JsonObject], spoken: list[JsonObject]) -> Iterable[JsonObject]:
    for row in rows:
        told = receipt_told(str(row.get("tool") or ""), row)
        if told is not None:
            yield {**told, "turn": _turn_at(row.get("at"), spoken), "at": _stamp(row.get("at"))}


def _turn_at(at: Any, spoken: list[JsonObject]) -> int:
    """Return the turn that was under way: receipts are written down at its end, and do not name it."""
    if not isinstance(at, datetime):
        return 0
    before = [row["turn"] for row in spoken if isinstance(row.get("at"), datetime) and row["at"] <= at]
    return max((turn for turn in before if isinstance(turn, int)), default=0)


def _open_question(session: Document | None, now: datetime) -> JsonObject | None:
    proposal = read_proposal(session.data.get("proposal")) if session is not None else None
    if proposal is None or now >= proposal.expires_at or proposal.channel not in ("", Channel.PORTAL):
        return None
    return {"question": proposal.read_back, "turn": proposal.turn, "tool": proposal.tool}


def _stamp(moment: Any) -> str | None:
    if not isinstance(moment, datetime):
        return None
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
