"""What is left in the end: what has changed since the conversation began, and whose doing it was."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from switchboard.app.evaluation.world import PATHS, World
from switchboard.contract.document import mapping, objects_of
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import Query
from switchboard.desk.bookings.booking import CANCELLED
from switchboard.pipeline.ledger.row import CallRow


@dataclass(frozen=True, slots=True)
class Row:
    """A call as the ledger has it.

    Attributes:
        error: The kind of refusal or failure; empty where there is none.
    """

    session: str
    id: str
    tool: str
    state: str
    error: str
    effect_key: str


@dataclass(frozen=True, slots=True)
class ScenarioEnding:
    """All of it, for one conversation among those of a run.

    Attributes:
        bookings: Appointments that are new or have changed, as documents.
        texts: `to` and `body` of each text message but those that tell the business of a message.
        messages: What the business was told, as documents.
        emails: As the mail server took them.
        rows: The ledger.
        transcript: What the record holds, as rows of `role` and `text`.
        clashes: Appointments that take the same at the same time, a sentence each.
    """

    bookings: Sequence[Mapping[str, Any]]
    texts: Sequence[Mapping[str, str]]
    messages: Sequence[Mapping[str, Any]]
    emails: Sequence[Mapping[str, str]]
    rows: Sequence[Row]
    transcript: Sequence[Mapping[str, Any]]
    clashes: Sequence[str]


@dataclass(frozen=True, slots=True)
class Beginning:
    """What there was before."""

    bookings: Mapping[str, Mapping[str, Any]]
    outbox: Mapping[str, Mapping[str, Any]]


async def beginning_of(world: World) -> Beginning:
    """Return what there is before a conversation begins."""
    return Beginning(await world.documents("bookings"), await world.documents("outbox"))


async def ending_of(
    world: World, before: Beginning, session: str, others: Sequence[str], phones: Sequence[str]
) -> ScenarioEnding:
    """Return what is left of one conversation.

    Args:
        world: In which it was.
        before: What there was.
        session: Its own.
        others: The sessions of those who called at the same time.
        phones: Their numbers.
    """
    bookings = await world.documents("bookings")
    changed = [
        data for id, data in bookings.items() if id not in before.bookings or _differs(before.bookings[id], data)
    ]
    outbox = [data for id, data in (await world.documents("outbox")).items() if id not in before.outbox]
    own = [data for data in outbox if data.get("kind") == "message" and data.get("sessionId") not in others]
    rows = [row for one in (session, *others) for row in await _rows(world, one)]
    theirs = {row.effect_key for row in rows if row.session in others and row.effect_key}
    within = PATHS.within(world.premises.business.id)
    record = await world.store.get(within.document("interactions", session))
    destinations = _destinations(world)
    return ScenarioEnding(
        [data for data in changed if mapping(data.get("source")).get("sessionId") not in others],
        [
            {"to": text["to"], "body": text["body"]}
            for text in world.vendors.texts()
            if text["to"] not in (*destinations, *phones)
        ],
        [data for data in own if data.get("effectKey") not in theirs],
        world.vendors.emails(),
        [row for row in rows if row.session == session],
        objects_of(record.data.get("transcript")) if record is not None else (),
        list(_clashes(world, list(bookings.values()))),
    )


def _differs(before: Mapping[str, Any], after: Mapping[str, Any]) -> bool:
    names = ("status", "start", "end", "service", "customerName", "customerPhone", "customerEmail", "customerNotes")
    return any(before.get(name) != after.get(name) for name in names)


def _destinations(world: World) -> set[str]:
    """Return the numbers on which the business itself is told of messages."""
    return {str(rule.data.get("destination")) for rule in world.premises.business.escalation_rules}


async def _rows(world: World, session: str) -> list[Row]:
    within = PATHS.within(world.premises.business.id)
    documents = await world.store.query(Query(within.calls(session)))
    rows = []
    for document in sorted(documents, key=lambda one: one.data.get("startedAt", datetime.min)):
        row = CallRow(document)
        failure = row.response.failure if row.response is not None else None
        error = failure.type.value if failure is not None else ""
        key = str(document.data.get("effectKey") or "")
        rows.append(Row(session, str(document.data.get("callId")), row.tool, row.state, error, key))
    return rows


def _clashes(world: World, bookings: Sequence[Mapping[str, Any]]) -> Any:
    """Yield a sentence for every two appointments that take more of something than there is, or the one chair."""
    live = sorted((one for one in bookings if one.get("status") != CANCELLED), key=lambda one: one["start"])
    room = {resource.id: resource.capacity for resource in world.premises.business.resources}
    for at, first in enumerate(live):
        for second in live[at + 1 :]:
            if second["start"] >= first["end"]:
                break
            if not room:
                yield f"{_shown(first)} and {_shown(second)} are at the same time"
            for one, other in _shared(first, second):
                if _units(one) + _units(other) > (room.get(str(one.get("id"))) or 1):
                    yield f"{_shown(first)} and {_shown(second)} both take {one.get('name') or one.get('id')}"


def _shared(first: Mapping[str, Any], second: Mapping[str, Any]) -> Any:
    theirs = {str(row.get("id")): row for row in objects_of(second.get("resources"))}
    for row in objects_of(first.get("resources")):
        if str(row.get("id")) in theirs:
            yield row, theirs[str(row.get("id"))]


def _units(row: Mapping[str, Any]) -> int:
    units = row.get("units")
    return units if isinstance(units, int) else 1


def _shown(booking: Mapping[str, Any]) -> str:
    return f"{booking.get('service')} of {booking.get('customerName')} at {booking['start']:%Y-%m-%d %H:%M}"


def as_json(value: Any) -> str:
    """Return a document for a person to read: in one line, times as text."""
    return json.dumps(value, ensure_ascii=False, default=str)
