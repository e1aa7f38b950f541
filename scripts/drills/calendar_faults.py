"""Each fault of the outside calendar's stand-in meets a booking, a cancellation and a move; then it passes.

One lane for each of the three, with a calendar of its own: a fault is set, the call is made over HTTP by a server that
has no access token yet, the fault ends, and the reaper does what is left to do. Then store and calendar are compared
with what the caller was told.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from typing import Any

import aiohttp

from command_line import Problem
from drills import premises
from drills.calendar_trial import BOOK, CANCEL, DEEDS, KINDS, MOVE, NO, OK, UNKNOWN, Trial
from drills.callers import HEADERS, Answer, open_session, post, until_final
from drills.drilled_calendars import CALENDARS, DrilledCalendar
from drills.outside import until_at_rest
from drills.result import FULL, SMOKE, Check, Effort, Result, exactly
from drills.servers import Servers
from stand_ins.loopback import serving
from switchboard.contract.error import ErrorType
from switchboard.contract.store import Filter, Query
from switchboard.desk.bookings.booking import CANCELLED, CONFIRMED, Booking, read_booking
from switchboard.state.firestore.store import FirestoreStore

_SMOKE_MODES = ("401", "429", "accept-then-drop")
_LEASE_S, _REAPER_S, _AT_REST_WITHIN_S, _PREPARED_WITHIN_S, _AGAIN_S = 2.0, 0.5, 60.0, 30.0, 0.2
# Longer than the slowest answer that a fault makes, and than any other; what is dropped is never answered.
_LATE_S, _SOON_S = 6.0, 0.5


@dataclass(frozen=True)
class Outcome:
    """How a trial ended: what was told, and what is wrong with it, if anything."""

    told: str
    problem: str = ""


@dataclass
class Lane:
    """A business, its calendar and its servers, for one deed after another."""

    source: Servers
    host: str
    project: str
    calendar: DrilledCalendar
    url: str
    store: FirestoreStore

    async def outcome(self, trial: Trial) -> Outcome:
        """Carry out a trial and wait until everything is at rest."""
        async with open_session() as http:
            server = await self._server(None)
            call = await self._prepared(http, server.url, trial)
            await server.close()
            faulty = await self._server(_REAPER_S)
            self.calendar.faults.waiting += trial.faults
            answer = await post(http, faulty.url, call)
            self.calendar.faults.waiting.clear()
            await self._reconnected()
            is_at_rest = await until_at_rest(self.store, _AT_REST_WITHIN_S)
            await faulty.close()
            await self._until_all_answered(_LATE_S if trial.mode == "slow" else _SOON_S)
        problem = await self._problem(trial, answer) if is_at_rest else "something is left under way"
        return Outcome(_told(answer), problem and f"{trial}: {problem}: {answer.substance}")

    async def _server(self, reaper_s: float | None) -> Any:
        return await self.source.start(
            self.host, self.project, booking_lease_s=_LEASE_S, reaper_s=reaper_s, **self.calendar.at(self.url)
        )

    async def _prepared(self, http: aiohttp.ClientSession, url: str, trial: Trial) -> dict[str, Any]:
        """Bring about what the deed needs, a yes included; return the call that does it."""
        name = f"{trial.deed}-{trial.number}"
        booking = premises.in_portal(premises.booking(_letters(trial.number), trial.start), name, 1)
        if trial.deed == BOOK:
            return booking
        made = await _prepare("ok", http, url, booking)
        args = {"booking_id": made.envelope["data"]["bookingId"]} if made.envelope else {}
        if trial.deed == MOVE:
            args["new_start_time"] = f"{trial.new_start.astimezone(premises.ZONE):%Y-%m-%dT%H:%M:%S}"
        tool = f"{trial.deed}_appointment"
        proposal = premises.in_portal(premises.request(tool, args, name), name, 2)
        refused = await _prepare("CONFIRMATION_REQUIRED", http, url, proposal)
        call = premises.in_portal(premises.request(tool, args, name), name, 3)
        asked = refused.envelope["meta"]["readBack"] if refused.envelope else ""
        await self._agree(http, url, call["context"], asked)
        return call

    async def _agree(self, http: aiohttp.ClientSession, url: str, context: dict[str, Any], asked: str) -> None:
        """Say yes, again where the store was too late to hear it."""
        agreed = {"businessId": premises.BUSINESS, "context": context, "heard": {"text": "yes"}, "asked": asked}
        deadline = time.monotonic() + _PREPARED_WITHIN_S
        while True:
            async with http.post(f"{url}/tools/heard", json=agreed, headers=HEADERS) as heard:
                parsed = await heard.json()
            if parsed.get("verdict") == "approved":
                return
            if time.monotonic() > deadline:
                raise Problem(f"a yes is not heard: {heard.status} {parsed}")
            await asyncio.sleep(0.1)

    async def _reconnected(self) -> None:
        """Do what an owner does when the calendar has to be connected again."""
        document = await self.store.get(premises.WITHIN.business)
        integration = self.calendar.vendor.integration
        if document and document.data["integrations"][integration].get("needsReauth"):
            await self.calendar.connect(self.store, self.url)

    async def _until_all_answered(self, within_s: float) -> None:
        """Wait for what the calendar does late, long after whoever asked for it has given up."""
        deadline = time.monotonic() + within_s
        # One whose caller hung up before it was read is never answered.
        while any("status" not in line for line in self.calendar.faults.journal) and time.monotonic() < deadline:
            await asyncio.sleep(0.05)
        self.calendar.faults.journal.clear()

    async def _problem(self, trial: Trial, answer: Answer) -> str:
        booking = await self._booking(trial)
        answer_told, was_done = _told(answer), _was_done(trial, booking)
        if answer_told == OK and not was_done:
            return "told of something that was not done"
        if answer_told == NO and was_done:
            return "done although the caller was told that it was not"
        entries, starts = self.calendar.active_entries(), self.calendar.entry_starts()
        if booking is not None and booking.status == CONFIRMED:
            if entries.get(booking.id) != 1 or starts.get(booking.id) != booking.start:
                return "the entry is not the booking's"
        elif booking is not None and booking.id in entries and not _stays_behind(trial):
            return "an entry is left over"
        return ""

    async def _booking(self, trial: Trial) -> Booking | None:
        own = Filter("source.sessionId", "==", f"{trial.deed}-{trial.number}")
        documents = await self.store.query(Query(premises.WITHIN.collection("bookings"), filters=(own,)))
        return read_booking(documents[0]) if documents else None


async def drill_faults(effort: Effort, source: Servers, host: str, fresh_project: Callable[[], str]) -> Result:
    """Return a row for each fault, and what must be so for all of them."""
    modes = _SMOKE_MODES if effort.size == SMOKE else tuple(KINDS[effort.calendar].ends)
    kinds = [(mode, lasts) for mode in modes for lasts in ((False, True) if effort.size == FULL else (True,))]
    lanes = await asyncio.gather(
        *(_lane(deed, kinds, effort.calendar, source, host, fresh_project()) for deed in DEEDS)
    )
    rows = dict(zip(kinds, zip(*(outcomes for outcomes, _ in lanes), strict=True), strict=True))
    checks = []
    for (mode, lasts), outcomes in rows.items():
        expected, seen = (
            ", ".join(KINDS[effort.calendar].ends[mode][lasts]),
            ", ".join(outcome.told for outcome in outcomes),
        )
        checks.append(Check(f"{mode}, {'for as long' if lasts else 'once'}", expected, seen, expected == seen))
    wrong = [outcome.problem for outcomes in rows.values() for outcome in outcomes if outcome.problem]
    confirmed, extra, missing = (sum(counts) for counts in zip(*(counts for _, counts in lanes), strict=True))
    left = sum((KINDS[effort.calendar].forbidden, lasts) in rows for lasts in (False, True))
    checks += [
        exactly("answers at odds with what was done", 0, len(wrong)),
        Check("entries beside the confirmed bookings'", f"{left} left behind", f"{extra} left behind", extra == left),
        exactly("confirmed bookings without their one entry", 0, missing),
    ]
    return Result(
        f"{len(kinds)} faults x {', '.join(DEEDS)}",
        "",
        f"{len(wrong)} dishonest, {extra - left} orphans",
        tuple(checks),
        (
            f"Faults meet {', '.join(DEEDS)} in this order. After a no nothing was done; after an unknown the reaper "
            f"did what was decided. {confirmed} bookings stand in the end, each with its entry. A calendar that "
            "forbids to remove an entry keeps it; the log tells.",
            *wrong,
        ),
    )


async def _lane(
    deed: str, kinds: Sequence[tuple[str, bool]], name: str, source: Servers, host: str, project: str
) -> tuple[list[Outcome], tuple[int, int, int]]:
    """Return how each trial ended; how many bookings are confirmed, entries are nobody's, bookings have not one."""
    calendar, store = CALENDARS[name](), premises.patient_store(project, host)
    with serving(calendar.app) as url:
        await premises.furnish(store, calendar, url)
        lane = Lane(source, host, project, calendar, url, store)
        outcomes = [
            await lane.outcome(Trial(n, mode, lasts, deed, KINDS[name])) for n, (mode, lasts) in enumerate(kinds)
        ]
    confirmed = {booking.id async for booking in _confirmed(store)}
    entries = calendar.active_entries()
    await store.close()
    missing = sum(entries.get(id) != 1 for id in confirmed)
    return outcomes, (len(confirmed), len(entries.keys() - confirmed), missing)


async def _confirmed(store: FirestoreStore) -> AsyncIterator[Booking]:
    for document in await store.query(Query(premises.WITHIN.collection("bookings"))):
        booking = read_booking(document)
        if booking is not None and booking.status == CONFIRMED:
            yield booking


async def _prepare(kind: str, http: aiohttp.ClientSession, url: str, call: dict[str, Any]) -> Answer:
    """Return the answer to what is only prepared, without a fault.

    Raises:
        Problem: It is another one.
    """
    gives_up = time.monotonic() + _PREPARED_WITHIN_S
    while True:
        answer = await until_final(http, url, call, give_up_s=_PREPARED_WITHIN_S)
        if answer.kind == kind:
            return answer
        # An emulator on a busy machine may not have read the business in time, which is no fault of this drill's.
        if answer.kind != ErrorType.MODE_RESTRICTED or time.monotonic() > gives_up:
            raise Problem(f"what a fault is to meet cannot be prepared: {answer.kind}: {answer.substance}")
        await asyncio.sleep(_AGAIN_S)


def _told(answer: Answer) -> str:
    if answer.is_ok:
        return OK
    if not answer.error:
        return answer.kind
    return UNKNOWN if answer.error.get("partialSideEffects") else NO


def _stays_behind(trial: Trial) -> bool:
    return trial.mode == trial.kind.forbidden and trial.deed == CANCEL


def _was_done(trial: Trial, booking: Booking | None) -> bool:
    if booking is None:
        return False
    if trial.deed == CANCEL:
        return booking.status == CANCELLED
    return booking.status == CONFIRMED and booking.start == (trial.new_start if trial.deed == MOVE else trial.start)


def _letters(number: int) -> str:
    return "".join(chr(ord("A") + int(digit)) for digit in f"{number:02}")
