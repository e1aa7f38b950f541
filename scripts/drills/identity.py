"""Whose data somebody gets: by the number that is shown, by facts, by a code, at each level and on each channel."""

from __future__ import annotations

import asyncio
import itertools
import re
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any
from zoneinfo import ZoneInfo

import aiohttp

from drills.identity_lines import Chat, Executed, Line, Mcp, Phone, Voice
from drills.injection_goals import ANNA
from drills.own_house import SALON, NotingStore, OwnHouse, own_house
from drills.premises import PATHS, SECRETS_KEY
from drills.result import FULL, QUICK, SMOKE, Check, Effort, Result, exactly, within
from running import demo
from stand_ins.loopback import serving
from stand_ins.twilio.account import SID, TOKEN
from stand_ins.twilio.app import TwilioStandIn
from switchboard.contract.model import CallPiece, Ended, Ending, ModelEvent, Prompt, TextPiece, ToolMessage, UserMessage
from switchboard.contract.store import Delete, Document, Query, Update
from switchboard.desk.bookings.appointments import MOST_FOUND

ATTESTATIONS = {
    "A": "TN-Validation-Passed-A",
    "B": "TN-Validation-Passed-B",
    "C": "TN-Validation-Passed-C",
    "none": None,
    "failed": "TN-Validation-Failed-A",
}
PROOFS = ("nothing", "own facts", "the owner's facts", "a code")
LEVELS = ("none", "match", "code")
_WITHIN = PATHS.within(SALON)
_LIMIT_S = 1_800.0
_ZONE = ZoneInfo("America/New_York")
_LOOK_AGAIN_S = 0.01
_ORDER = re.compile(r"call ([a-z_]+) with (\{.*\})", re.S)
_CODE = re.compile(r"\b(\d{6})\b")
_OWNER, _CALLER = "clr_anna_whitfield", "clr_miguel_santos"
_FACTS = {
    "own facts": {"name": "Miguel Santos", "phone": "+15185550162"},
    "the owner's facts": {"name": "Anna Whitfield", "email": "Anna.Whitfield@mail.example"},
    "a code": {"name": "Anna Whitfield", "date_of_birth": "1988-04-12"},
}


@dataclass(frozen=True)
class Case:
    """One conversation: a call that shows Anna's number, or a browser, and what its caller can prove.

    Attributes:
        channel: How it is held.
        attestation: What the carrier says of the number; None where none is shown.
        proof: What the caller shows.
        level: What the business asks for.
    """

    channel: str
    attestation: str | None
    proof: str
    level: str

    @property
    def whose(self) -> str | None:
        """Whose data it may get, besides what it makes itself; None: nobody's."""
        if self.proof == "a code":
            return _OWNER
        if self.level != "code":
            if self.proof == "own facts":
                return _CALLER
            if self.proof == "the owner's facts" or self.attestation == "A":
                return _OWNER
        return None

    def __str__(self) -> str:
        shown = f", number attested {self.attestation}" if self.attestation else ""
        return f"{self.channel}{shown}, level {self.level}, {self.proof} shown"


class Orders:
    """A model that makes the call that was asked for last, once more when it is told yes, and keeps the answers."""

    name, dialect = "orders", "openai"

    def __init__(self) -> None:
        self.calls = 0
        self.answer: dict[str, Any] | None = None
        self._wanted: tuple[str, str] | None = None

    async def stream(self, prompt: Prompt) -> AsyncIterator[ModelEvent]:
        """Yield one call in a turn, and then nothing worth hearing."""
        at = max((n for n, message in enumerate(prompt.messages) if isinstance(message, UserMessage)), default=0)
        answers = [message for message in prompt.messages[at:] if isinstance(message, ToolMessage)]
        heard = prompt.messages[at] if prompt.messages else None
        order = _ORDER.search(heard.text) if isinstance(heard, UserMessage) else None
        if order is not None:
            self._wanted = order[1], order[2]
        if answers:
            self.answer = dict(answers[-1].response.to_json())
        elif self._wanted and prompt.tools:
            self.calls += 1
            yield CallPiece(0, f"call_{self.calls}", *self._wanted)
            yield Ended(Ending.CALLS)
            return
        yield TextPiece("Is there anything else?")
        yield Ended(Ending.STOPPED)


@dataclass
class Seen:
    """What differed, and how much was looked at."""

    deeds: int = 0
    wrong: list[str] = field(default_factory=list)
    own: int = 0

    def hold(self, case: Case, deed: str, expected: object, seen: object) -> None:
        """Hold what was seen against what was expected."""
        self.deeds += 1
        if expected != seen:
            self.wrong.append(f"{case}: {deed}: expected {expected}, seen {seen}")


def drill(effort: Effort) -> Result:
    """Return the table."""
    return asyncio.run(within(_LIMIT_S, _drill(effort)))


def cases(effort: Effort) -> list[Case]:
    """Return the whole product of calls executed for a service, and of every other channel a part or all of it."""
    lines = list(_product("executed", ATTESTATIONS))
    shown = {SMOKE: ("failed",), QUICK: ("A", "none"), FULL: tuple(ATTESTATIONS)}[effort.size]
    for channel in ("relay", "gather"):
        lines += _product(channel, shown)
    for channel in ("portal", "browser_voice", "mcp"):
        lines += _product(channel, (None,))
    if effort.size == SMOKE:
        lines = [case for case in lines if case.channel == "executed" or case.level != "none"]
    return lines


def _product(channel: str, attestations: Any) -> Iterator[Case]:
    for level, attestation, proof in itertools.product(LEVELS, attestations, PROOFS):
        yield Case(channel, attestation, proof, level)


async def _drill(effort: Effort) -> Result:
    model, twilio, seen = Orders(), TwilioStandIn(), Seen()
    chosen = cases(effort)

    async def prepare(store: NotingStore, url: str) -> None:
        changes = {"integrations.twilio.accountSid": SID, "ai.trustCallerId": True, "features.records": True}
        await store.commit([Update(_WITHIN.business, changes)])
        await demo.keep_twilio_token(store, PATHS, SECRETS_KEY, TOKEN)

    with serving(twilio.app) as twilio_url:
        for relay in (False, True):
            settings = {"SWITCHBOARD_TWILIO_BASE_URL": twilio_url}
            async with (
                own_house(model, relay=relay, prepare=prepare, **settings) as own,
                aiohttp.ClientSession() as http,
            ):
                for level in LEVELS:
                    await own.store.commit([Update(_WITHIN.business, {"ai.callerVerification": level})])
                    own.house.catalog.forget(SALON)
                    for case in chosen:
                        if case.level == level and (case.channel == "relay") is relay:
                            await _forget_counts(own)
                            await _Conversation(own, http, model, twilio, case, seen).held()
    channels = sorted({case.channel for case in chosen})
    checks = [
        exactly(f"{channel}: deeds with other data than the matrix says", 0, sum(channel in w for w in seen.wrong))
        for channel in channels
    ]
    changed = Check("own booking of the conversation moved and cancelled", f"{len(chosen)}", f"{seen.own}")
    checks.append(Check(changed.what, changed.expected, changed.seen, seen.own == len(chosen)))
    return Result(
        f"identity: {len(chosen)} conversations x {seen.deeds // len(chosen)} deeds on {len(channels)} channels",
        "0 beyond the matrix",
        f"{len(seen.wrong)} beyond the matrix",
        tuple(checks),
        tuple(seen.wrong[:8]),
    )


async def _forget_counts(own: OwnHouse) -> None:
    """Forget how much was tried and sent: this is about whose data it is, and not about how often anybody may try."""
    tickets = await own.store.query(Query(_WITHIN.collection("tickets")))
    await own.store.commit([Delete(ticket.path) for ticket in tickets])


@dataclass
class _Conversation:
    """One conversation of the matrix."""

    own: OwnHouse
    http: aiohttp.ClientSession
    model: Orders
    twilio: TwilioStandIn
    case: Case
    seen: Seen

    async def held(self) -> None:
        """Show what can be shown, and then ask for everything."""
        stored = {d.id: d for d in await self.own.store.query(Query(_WITHIN.collection("bookings")))}
        line = self._line()
        await line.begin()
        try:
            await self._prove(line)
            await self._look(line, stored)
            await self._change_others(line, stored)
            await self._change_own(line)
        finally:
            await line.end()

    def _line(self) -> Line:
        case, given = self.case, (self.own, self.http, self.model)
        verdict = ATTESTATIONS[case.attestation] if case.attestation else None
        match case.channel:
            case "executed":
                return Executed(*given, verdict)
            case "relay" | "gather":
                return Phone(*given, verdict, is_relay=case.channel == "relay")
            case "portal":
                return Chat(*given)
            case "browser_voice":
                return Voice(*given)
        return Mcp(*given)

    async def _prove(self, line: Line) -> None:
        facts = _FACTS.get(self.case.proof)
        if facts is None:
            return
        await line.ask("verify_caller", **facts)
        if self.case.proof == "a code":
            known = len(self._codes())
            await line.ask("send_verification_code")
            if self.case.level == "code":
                # Whoever asks for a code is answered before it is sent.
                while len(self._codes()) == known:
                    await asyncio.sleep(_LOOK_AGAIN_S)
                await line.ask("check_verification_code", code=self._codes()[-1])

    def _codes(self) -> list[str]:
        texts = [text["body"] for text in self.twilio.account.texts.values() if text["to"] == ANNA]
        return [code for text in texts for code in _CODE.findall(text)]

    async def _look(self, line: Line, stored: dict[str, Document]) -> None:
        own = {id for id, booking in stored.items() if self._is_own(booking)}
        appointments = await line.ask("lookup_appointment")
        shown = {one["bookingId"] for one in (appointments.get("data") or {}).get("appointments", ())}
        # Of more than a handful the nearest are told.
        self.seen.hold(self.case, "look up", set(), shown - own)
        self.seen.hold(self.case, "look up: all, or five", min(len(own), MOST_FOUND), len(shown))
        latest = (await line.ask("get_latest_booking")).get("data") or {}
        # What only somebody with the number shown has made comes behind what the caller is known to have made.
        proven = {id for id in own if self._is_proven(stored[id])} or own
        newest = max(proven, key=lambda id: stored[id].data["createdAt"], default=None)
        self.seen.hold(self.case, "latest", newest, latest.get("booking_id"))
        for id in _some(stored):
            one = (await line.ask("get_booking_by_id", booking_id=id)).get("data") or {}
            self.seen.hold(self.case, f"by id {id}", id in own, one.get("booking_id") == id)
        now = self.own.clock.now()
        start = f"{now.astimezone(_ZONE):%Y-%m-%dT%H:%M:%S}"
        listed = (await line.ask("list_events", time_min=start, max_results=50)).get("data") or {}
        events = listed.get("events", ())
        coming = {id for id in own if stored[id].data["status"] == "confirmed" and stored[id].data["start"] > now}
        titled = {event.get("bookingId") for event in events if event["title"] != "busy"}
        self.seen.hold(self.case, "list: titles", coming, titled)
        self.seen.hold(self.case, "list: others", True, any(event["title"] == "busy" for event in events))

    async def _change_others(self, line: Line, stored: dict[str, Document]) -> None:
        for id in _some(stored):
            may = self._is_own(stored[id])
            for tool, more in (("cancel_appointment", {}), ("reschedule_appointment", {"new_start_time": _LATER})):
                answer = await line.ask(tool, booking_id=id, **more)
                kind = (answer.get("error") or {}).get("type")
                # What is the caller's own is asked about; a move may also meet a closed day. Of others' nothing.
                asked = kind in ("CONFIRMATION_REQUIRED", "CONFLICT", "VALIDATION")
                self.seen.hold(self.case, f"{tool} {id}, answered with {kind}", may, asked)
                self.seen.hold(self.case, f"{tool} {id} done", False, answer["ok"])

    async def _change_own(self, line: Line) -> None:
        """Book as somebody new, and move and cancel that in the same conversation."""
        day = (self.own.clock.now() + timedelta(days=8)).date()
        while day.weekday() not in (1, 2, 3):
            day += timedelta(days=1)
        free = await line.ask("check_availability", date=day.isoformat(), service="Haircut")
        times = (free.get("data") or {}).get("openTimes") or []
        if len(times) < 2:
            return
        made = await line.agreed("book_appointment", service="Haircut", start_time=times[0], customer_name="Nora New")
        id = (made.get("data") or {}).get("bookingId")
        moved = await line.agreed("reschedule_appointment", booking_id=id, new_start_time=times[-1])
        gone = await line.agreed("cancel_appointment", booking_id=id)
        is_done = bool(moved["ok"] and gone["ok"])
        self.seen.own += is_done
        self.seen.hold(self.case, "own booking moved and cancelled", True, is_done)

    def _is_own(self, booking: Document) -> bool:
        whose = {_OWNER: ANNA, _CALLER: "+15185550162", None: ""}[self.case.whose]
        made_by = booking.data.get("callerId")
        return bool(booking.data["customerPhone"] == whose or (self.case.whose and made_by == self.case.whose))

    def _is_proven(self, booking: Document) -> bool:
        made_by, number = booking.data.get("callerId"), booking.data.get("callerPhone")
        if made_by is not None and self.case.proof in _FACTS:
            return bool(made_by == self.case.whose)
        return booking.data.get("callerProven") is not False and number in (None, booking.data["customerPhone"])


_LATER = "2027-03-16T11:00:00"


def _some(stored: dict[str, Document]) -> list[str]:
    """Return a coming booking of the number's owner, and one of the caller's."""
    rows = []
    for phone in (ANNA, "+15185550162"):
        own = [d for d in stored.values() if d.data["customerPhone"] == phone and d.data["status"] == "confirmed"]
        rows.append(max(own, key=lambda d: d.data["start"]).id)
    return rows
