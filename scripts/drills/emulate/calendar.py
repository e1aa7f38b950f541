"""An owner's consent, free times, entries and a revoked permission, with emulate's Google."""

from __future__ import annotations

import asyncio
import json
import logging
import uuid
from collections.abc import Awaitable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import aiohttp

from drills import premises
from drills.calendar_revoked import seen_after
from drills.callers import Answer, open_session, post, until_final
from drills.emulate.google import EVENTS_ALONE, FREE_BUSY, INSERTING, LISTING, SCOPES, THERE, GoogleSide, seed
from drills.emulate.passage import ANSWER_LOST, REQUEST_LOST, Passage
from drills.emulate.server import emulating, version
from drills.emulators import any_emulator
from drills.result import SMOKE, Check, Effort, Result, exactly, within
from drills.servers import Server, Servers, servers
from running.emulator import clear
from stand_ins.calendar_connection import connect_by
from stand_ins.faults import Fault
from switchboard.contract.business.calendar import CalendarEntry
from switchboard.contract.error import ErrorType, ToolError
from switchboard.state.firestore.store import FirestoreStore

_LIMIT_S = 600.0
_PATIENCE_S = 30.0
_PATIENT = dict.fromkeys(("STORE_READ_S", "STORE_WRITE_S", "STORE_FIRST_CALL_S"), 20.0)
_PEOPLE, _PAGES = 300, 2
_CALLERS = {SMOKE: 5}
_MOST_CALLERS = 20
# One every eight hours: more days than one question about free/busy may cover.
_APART, _LONG = timedelta(hours=8), timedelta(minutes=30)
_FAR = timedelta(days=premises.SETTINGS["maxDaysAhead"] + 30)
_AUTH = ErrorType.AUTH.value
LEFT_OUT = (
    "Left out: bookings that stand, are moved or cancelled, since emulate gives entries ids of its own, forgets which "
    "booking they name, and knows neither events.get nor events.patch; so also conditions (If-Match, 412), two entries "
    "of one id (409), and looking up what became of a lost answer. A refused token (401), since it takes any. Limits "
    "and failures (403, 429, 500), which it never answers. All-day and transparent events, which its two ways of "
    "asking tell differently."
)


def drill(effort: Effort) -> Result:
    """Return the table.

    Raises:
        Skipped: There is no Firestore emulator, or no emulate.
    """
    logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL + 1)
    project = f"demo-drill-{uuid.uuid4().hex[:8]}"
    with emulating("google", seed()) as target, any_emulator() as host, servers() as source:
        passage = Passage(target, THERE)
        with passage.open() as url:
            try:
                return asyncio.run(within(_LIMIT_S, _drill(effort, _Scene(passage, url, source, host, project))))
            finally:
                clear(host, project)


@dataclass(frozen=True)
class _Scene:
    """What takes part: emulate behind a passage, and servers over a project of the Firestore emulator."""

    passage: Passage
    url: str
    source: Servers
    host: str
    project: str

    async def server(self) -> Server:
        """Start one that waits for the store for as long as a busy machine may need: that is not what is drilled."""
        return await self.source.start(self.host, self.project, policy=_PATIENT, google_url=self.url)


async def _drill(effort: Effort, scene: _Scene) -> Result:
    store = premises.patient_store(scene.project, scene.host)
    # It takes any token as its first account's.
    async with aiohttp.ClientSession(headers={"Authorization": "Bearer a person's"}) as people:
        google = GoogleSide(scene.url, people)
        checks = await _consent(google)
        checks += await _reading(google, scene.passage)
        checks += await _booking(effort, google, scene, store)
        checks += await _revoked(google, scene, store)
        await google.close()
    await store.close()
    wrong = sum(check.is_met is False for check in checks)
    return Result(
        f"calendar: consent, free times, entries and a revoked permission, with emulate {version()}",
        "0 differ",
        f"{wrong} differ",
        tuple(checks),
        (LEFT_OUT,),
    )


async def _consent(google: GoogleSide) -> list[Check]:
    """Consent twice: once as an owner does, once with a code that meets another consent's verifier."""
    code = await google.consent("first")
    grant = await google.oauth.exchange(code, "first")
    token = grant.refresh_token or ""
    other = await google.consent("second")
    allowed = "all" if set(SCOPES) <= set(grant.scopes) else ", ".join(grant.scopes)
    return [
        Check("consent: what was asked for is allowed", "all", allowed, allowed == "all"),
        await _check("consent: a code that is used again", _AUTH, google.oauth.exchange(code, "first")),
        await _check("consent: another consent's verifier", _AUTH, google.oauth.exchange(other, "first")),
        await _check("a refresh token in use", "done", google.oauth.refresh(token)),
        await _check("a refresh token given back", "True", google.oauth.revoke(token)),
        await _check("a refresh token used after that", _AUTH, google.oauth.refresh(token)),
    ]


async def _reading(google: GoogleSide, passage: Passage) -> list[Check]:
    """Read what people entered, in both ways, also from a calendar that is not there."""
    token = await google.permission("reading")
    # Beyond what can be booked.
    begin = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0) + _FAR
    starts = [begin + number * _APART for number in range(_PEOPLE)]
    ids = [await google.enter(f"event {n}", start, start + _LONG) for n, start in enumerate(starts)]
    end, entered = starts[-1] + _APART, [(start, start + _LONG) for start in starts]
    asked, listed = await google.calendar(token), await google.calendar(token, EVENTS_ALONE)
    by_free_busy = await asked.busy(begin, end)
    passage.losses.journal.clear()
    by_list, pages = await listed.busy(begin, end), passage.asked.count(LISTING)
    titles = [entry.title for entry in await asked.entries(begin, end, limit=3)]
    expected, soonest = "0, 1, 2", ", ".join(title.removeprefix("event ") for title in titles)
    await asked.delete(ids[0])
    left = await asked.busy(begin, end)
    checks = [
        exactly("people's events, by free/busy", _PEOPLE, _in_common(by_free_busy, entered)),
        exactly("people's events, by the list of events", _PEOPLE, _in_common(by_list, entered)),
        exactly("pages of that list", _PAGES, pages),
        Check("the soonest three events", expected, soonest, soonest == expected),
        exactly("people's events, when one was removed", _PEOPLE - 1, _in_common(left, entered[1:])),
        await _check("the same one removed again", "done", asked.delete(ids[0])),
    ]
    for way, scopes in (("free/busy", SCOPES), ("the list of events", EVENTS_ALONE)):
        missing = await google.calendar(token, scopes, "nowhere@example.com")
        seen = await _told(missing.busy(begin, end))
        # Which of the failures it is says the vendor's answer; that it is free must nobody be told.
        is_refused = seen in {ErrorType.PERMANENT.value, ErrorType.TRANSIENT.value}
        checks.append(Check(f"a calendar that is not there, by {way}", "a failure", seen, is_refused))
    return checks


def _in_common(spans_told: Any, entered: list[tuple[datetime, datetime]]) -> int:
    """Return how many of the entered times were found; -1 if others were found too."""
    spans = [(entry.start, entry.end) for entry in spans_told if isinstance(entry, CalendarEntry)]
    return len(spans) if spans == entered[: len(spans)] else -1


async def _booking(effort: Effort, google: GoogleSide, scene: _Scene, store: FirestoreStore) -> list[Check]:
    """Book where emulate keeps no id that it is given, where somebody else is, and where the calendar is not heard."""
    count = _CALLERS.get(effort.size, _MOST_CALLERS)
    await premises.furnish(store)
    await _connect(google, scene, store, "booking")
    server = await scene.server()
    now, losses = datetime.now(UTC), scene.passage.losses
    losses.journal.clear()
    times = [premises.start_of(number, now) for number in range(count + 3)]
    taken, unheard, unasked = times[count:]
    starts = {f"number {chr(ord('A') + number)}": start for number, start in enumerate(times[:count])}
    await google.enter("a person's", taken, taken + _LONG)
    losses.journal.clear()
    async with open_session() as http:

        async def booked(name: str, start: datetime) -> Answer:
            return await until_final(http, server.url, _booking_of(name, start), give_up_s=_PATIENCE_S)

        answers = await asyncio.gather(*(booked(name, start) for name, start in starts.items()))
        understood = [json.loads(line["answer"]) for line in losses.journal if line["method"] == INSERTING]
        left = await google.titles(now, now + timedelta(days=premises.SETTINGS["maxDaysAhead"]))
        losses.journal.clear()
        occupied = await booked("late", taken)
        listing = premises.request("list_events", _range(taken), "listing")
        events = await until_final(http, server.url, premises.in_portal(listing, "listing", 1), give_up_s=_PATIENCE_S)
        silent = []
        for mode, start in ((ANSWER_LOST, unheard), (REQUEST_LOST, unasked)):
            losses.waiting.append(Fault(FREE_BUSY, mode, None))
            silent.append(await post(http, server.url, _booking_of(mode, start)))
            losses.waiting.clear()
    await server.close()
    moments = {datetime.fromisoformat(event["start"]["dateTime"]) for event in understood}
    worded = {event["summary"] for event in understood}
    later = scene.passage.asked.count(INSERTING)
    kinds = {answer.kind for answer in answers}
    return [
        exactly("entries that came at their times", count, len(moments & set(starts.values()))),
        exactly("entries that came with their words", count, len(worded & {_title(name) for name in starts})),
        Check("bookings whose entry's id is not kept", "PERMANENT", ", ".join(sorted(kinds)), kinds == {"PERMANENT"}),
        exactly("entries beside people's after that", 0, len(left) - left.count("a person's")),
        Check("booking a time with a person's event", "CONFLICT", occupied.kind, occupied.kind == "CONFLICT"),
        _listed(events, taken),
        *(
            Check(f"booking while free/busy is {mode}", "TRANSIENT", answer.kind, answer.kind == "TRANSIENT")
            for mode, answer in zip((ANSWER_LOST, REQUEST_LOST), silent, strict=True)
        ),
        exactly("entries made in these three", 0, later),
    ]


def _booking_of(name: str, start: datetime) -> dict[str, Any]:
    return premises.in_portal(premises.booking(name, start), name, 1)


def _title(name: str) -> str:
    return f"{premises.SERVICE}: Caller {name}"


def _range(start: datetime) -> dict[str, str]:
    """Return the arguments of a look at the hour from then on, which nothing else is in."""
    local = start.astimezone(premises.ZONE)
    return {"time_min": f"{local:%Y-%m-%dT%H:%M:%S}", "time_max": f"{local + timedelta(hours=1):%Y-%m-%dT%H:%M:%S}"}


def _listed(answer: Answer, start: datetime) -> Check:
    """Return the row of how a person's event is listed for a caller."""
    data = answer.envelope["data"] if answer.is_ok and answer.envelope else {"events": []}
    expected, text = f"{start.astimezone(premises.ZONE):%H:%M} busy", []
    for event in data["events"]:
        text.append(f"{datetime.fromisoformat(event['start']):%H:%M} {event['title']}")
    seen = ", ".join(text) or answer.kind
    return Check("listing it for a caller", expected, seen, seen == expected)


async def _revoked(google: GoogleSide, scene: _Scene, store: FirestoreStore) -> list[Check]:
    """Take the permission away before a server has asked for anything."""
    token = await _connect(google, scene, store, "revoked")
    server = await scene.server()

    async def revoke() -> None:
        await google.oauth.revoke(token)

    journal = scene.passage.losses.journal
    seen = await seen_after(server.url, store, revoke, journal, is_warm=False, channel=premises.in_portal)
    await server.close()
    return seen.checks("revoked", "Google")


async def _connect(google: GoogleSide, scene: _Scene, store: FirestoreStore, state: str) -> str:
    """Connect the drilled business anew, and return its permission."""
    token = await google.permission(state)
    await connect_by(store, premises.PATHS, premises.BUSINESS, premises.SECRETS_KEY, token, **premises.SETTINGS)
    return token


async def _check(what: str, expected: str, work: Awaitable[object]) -> Check:
    seen = await _told(work)
    return Check(what, expected, seen, seen == expected)


async def _told(work: Awaitable[object]) -> str:
    """Do something; return `done`, what it gave if that is a truth value, or which failure it was."""
    try:
        result = await work
    except ToolError as error:
        return error.type.value
    return str(result) if isinstance(result, bool) else "done"
