"""What a browser is shown of a conversation, as it goes on and again from its record: only what may be known there."""

import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any, Final, assert_never

import orjson

from switchboard.contract.business.chat_person import NOTICE, PERSON, ChatPerson, chat_person, written_rows
from switchboard.contract.channel import Channel
from switchboard.contract.context import Context
from switchboard.contract.document import integer, objects_of, text
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import Clock, Paths, Store
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.record_parts import joined, part_numbers
from switchboard.contract.response import CALLERS_WORDS, Intent, IntentType
from switchboard.contract.store import Document
from switchboard.conversation.event import Effect, Event, QuestionAsked, Text, ToolFinished, ToolStarted, TurnEnded
from switchboard.conversation.record.record import CHANNEL, UNSHOWN, told_here
from switchboard.pipeline.confirmation.pending_call import read_proposal

# Where people are sent, and what the model is told about them, is not for browsers; what is, is named here.
_PAYLOAD: Final[Mapping[IntentType, tuple[str, ...]]] = {
    IntentType.START_VOICE_SESSION: ("reason",),
    IntentType.SWITCH_AGENT: ("name", "language"),
}
# What is done about a caller is no receipt for the caller.
_ABOUT_CALLERS: Final = frozenset({"flag_caller", "ignore_user"})
_PHONE = re.compile(r"\+?\d(?:[\s()/.-]*\d){6,}")

WITH_PERSON: Final = "with_person"
"""How a message ends, for whoever sent it, that a person of the business answers: their words come by themselves."""
# What a page shows again is read in time before its first turn.
_PARTS_SHOWN = 3
_BUTTONS = {"[yes]": "yes", "[no]": "no"}


@dataclass(frozen=True, slots=True)
class EventView:
    """One event as it goes out: its name, and its data as JSON."""

    name: str
    data: JsonObject

    def line(self, id: str = "") -> bytes:
        """Return it as an event of a stream (SSE)."""
        numbered = f"id: {id}\n" if id else ""
        return b"event: %b\n%bdata: %b\n\n" % (self.name.encode(), numbered.encode(), orjson.dumps(self.data))


class Showing:
    """Turns the events of one turn into what is shown of them."""

    def __init__(self) -> None:
        """Start a turn."""
        self._labels: dict[str, str] = {}

    def of(self, event: Event, turn: int, *, is_with_person: bool = False) -> list[EventView]:
        """Return what is shown of an event, in order; nothing for what is not for browsers.

        `is_with_person` tells that a person of the business answers, and not this turn.
        """
        match event:
            case Text():
                return [EventView("text", {"text": event.text, "filler": event.is_filler})] if event.text else []
            case ToolStarted():
                self._labels[event.call_id] = event.label
                return [self._tool(event.call_id, event.name, {"state": "started"})]
            case ToolFinished():
                response = event.response
                outcome = {"state": "finished", "ok": response.ok, "elapsedMs": event.elapsed_ms}
                shown = [self._tool(event.call_id, event.name, outcome)]
                receipt = response.meta.get("receipt") if response.ok else None
                if (view := receipt_view(event.name, receipt)) is not None:
                    shown.append(EventView("receipt", {"callId": event.call_id, **view}))
                return shown
            case QuestionAsked():
                return [EventView("ask", {"question": event.question, "turn": event.turn, "tool": event.tool})]
            case Effect() if event.intent == CALLERS_WORDS:
                # For whoever writes the conversation down.
                return []
            case Effect():
                return [EventView("intent", _intent(event.intent))]
            case TurnEnded():
                outcome_name = WITH_PERSON if is_with_person else event.outcome.value
                return [EventView("done", {"outcome": outcome_name, "turn": turn})]
            case _:
                assert_never(event)

    def _tool(self, call_id: str, name: str, state: JsonObject) -> EventView:
        return EventView("tool", {"callId": call_id, "name": name, "label": self._labels.get(call_id, ""), **state})


def receipt_view(tool: str, receipt: Any) -> JsonObject | None:
    """Return what is shown of a receipt: `{tool, what, for, when}`; None where there is nothing to be shown.

    `when` is local time of the business in ISO form; `for` is None where it holds a phone number. Where an appointment
    is with somebody, or for several, `with` and `partySize` say so.
    """
    if tool in _ABOUT_CALLERS or not isinstance(receipt, Mapping):
        return None
    view: JsonObject = {"tool": tool, **{name: _plain(receipt.get(name)) for name in ("what", "for", "when")}}
    if view["for"] is not None and _PHONE.search(view["for"]):
        view["for"] = None
    if (person := _plain(receipt.get("with"))) is not None:
        view["with"] = person
    if type(party := receipt.get("partySize")) is int:
        view["partySize"] = party
    return view


def _plain(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _intent(intent: Intent) -> JsonObject:
    names = _PAYLOAD.get(intent.type, ())
    payload = {name: _PHONE.sub("…", text) for name in names if (text := _plain(intent.payload.get(name)))}
    return {"type": intent.type.value, "payload": payload}


async def transcript_of(store: Store, paths: Paths, clock: Clock, context: Context) -> JsonObject:
    """Return `{turn, outcome, transcript, receipts, ask, person}` of a conversation; empty before its first turn ended.

    Entries are `{role, text, turn, at}`, the oldest first, with `role` `caller`, `agent`, `person` or `notice`; a
    caller's `button` takes the place of words, an agent's `interrupted` says that the rest was not read or heard, and
    `cut` that the record does not hold the rest; `unheard` is the rest that a page has shown while it spoke. A person
    of the business has a `name`, and their words an `id`; a notice says that somebody came or left. `person` says who
    answers now, as `news_of` does. What was to be heard only is not among them. Receipts carry the turn in which they
    were made. `ask` is what was asked on the channel of `context` and is still open. Times are UTC.

    Raises:
        StoreError: It cannot be read.
    """
    within = paths.within(context.business_id)
    record, session = await store.get_many(
        [within.document("interactions", context.session_id), within.document("sessions", context.session_id)]
    )
    if record is not None and (numbers := part_numbers(record.data, _PARTS_SHOWN)):
        record = joined(record, await store.get_many([within.part(context.session_id, n) for n in numbers]))
    data, now = record.data if record is not None else {}, clock.now()
    person = chat_person(data, now)
    rows = list(told_here(objects_of(data.get("transcript")), context))
    return {
        "turn": integer(data.get("turns")),
        "outcome": text(data.get("outcome")) or None,
        "transcript": [entry for row in rows if not _is_passing(row) and _is_something(entry := _entry(row))],
        "receipts": list(_receipts(told_here(objects_of(data.get("receipts")), context), rows)),
        "ask": _open_question(session, rows, now, context.channel),
        "person": _person_view(person),
    }


async def news_of(store: Store, paths: Paths, clock: Clock, context: Context, after: int) -> JsonObject:
    """Return `{person, waiting, transcript}` of a chat in which a person may answer, for one read.

    `transcript` holds what people of the business wrote, and that they came and left, behind the turn `after`, as
    `transcript_of` has it. `person` is who answers now, `{name, givesWayAt}`, or null; `givesWayAt` is when the model
    goes on unless they write before, null while nobody waits for them. `waiting` says that nobody answers any more, and
    that the visitor still waits for an answer.

    Raises:
        StoreError: It cannot be read.
    """
    record = await store.get(paths.within(context.business_id).document("interactions", context.session_id))
    data = record.data if record is not None else {}
    person, rows = chat_person(data, clock.now()), told_here(written_rows(data), context)
    news = [row for row in rows if row.get("role") in (PERSON, NOTICE) and integer(row.get("turn")) > after]
    return {
        "person": _person_view(person),
        "waiting": person.leaves_waiting,
        "transcript": [_entry(row) for row in news],
    }


def _person_view(person: ChatPerson) -> JsonObject | None:
    return {"name": person.name, "givesWayAt": _stamp(person.gives_way_at)} if person.is_answering else None


def _is_passing(row: JsonObject) -> bool:
    """Tell whether it only bridged a wait, or was to be heard and not to be read."""
    return bool(row.get("filler") or row.get(UNSHOWN))


def _is_something(entry: JsonObject) -> bool:
    return bool(entry["text"] or entry.get("unheard"))


def _entry(row: JsonObject) -> JsonObject:
    role = row["role"] if row.get("role") in ("caller", PERSON, NOTICE) else "agent"
    text = str(row.get("heard", row.get("text")) or "")
    entry: JsonObject = {"role": role, "text": text, "turn": row.get("turn", 0), "at": _stamp(row.get("at"))}
    if role == "caller" and text in _BUTTONS:
        entry["button"] = _BUTTONS[text]
    if role in (PERSON, NOTICE):
        entry |= {name: str(row[name]) for name in ("id", "name", "notice") if row.get(name)}
    if row.get("interrupted") is True:
        entry["interrupted"] = True
        # On a page that speaks, what was not heard was to be read all the same.
        if row.get(CHANNEL) == Channel.BROWSER_VOICE and (rest := str(row.get("text") or "")[len(text) :]).strip():
            entry["unheard"] = rest
    if row.get("cut") is True:
        entry["cut"] = True
    return entry


def _receipts(rows: Iterable[JsonObject], spoken: list[JsonObject]) -> Iterable[JsonObject]:
    for row in rows:
        view = receipt_view(str(row.get("tool") or ""), row)
        if view is not None:
            yield {**view, "turn": _turn_at(row.get("at"), spoken), "at": _stamp(row.get("at"))}


def _turn_at(at: Any, spoken: list[JsonObject]) -> int:
    """Return the turn that was under way: receipts are written down at its end, and do not name it."""
    if not isinstance(at, datetime):
        return 0
    before = [row["turn"] for row in spoken if isinstance(row.get("at"), datetime) and row["at"] <= at]
    return max((turn for turn in before if isinstance(turn, int)), default=0)


def _open_question(
    session: Document | None, rows: Iterable[JsonObject], now: datetime, channel: Channel
) -> JsonObject | None:
    proposal = read_proposal(session.data.get("proposal")) if session is not None else None
    if proposal is None or now >= proposal.expires_at or proposal.channel not in ("", channel):
        return None
    if any(row.get("role") in (PERSON, NOTICE) and integer(row.get("turn")) > proposal.turn for row in rows):
        # A person has answered since, who has asked nothing that a button could answer; what was asked has lapsed.
        return None
    return {"question": proposal.read_back, "turn": proposal.turn, "tool": proposal.tool}


def _stamp(moment: Any) -> str | None:
    if not isinstance(moment, datetime):
        return None
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
