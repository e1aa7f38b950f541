"""kill -9 at every step of a booking that an outside calendar keeps: it ends in the store and in the calendar alike."""

from __future__ import annotations

import asyncio
import itertools
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

import aiohttp
import orjson

from drills import premises
from drills.callers import Answer, open_session, post
from drills.crashing_calendars import ENTRY, OTHERS
from drills.crashing_store import ADMISSION, CLAIM, CONFIRMATION, LOOK, SETTLEMENT, TAKE_OVER
from drills.drilled_calendars import CALENDARS, DrilledCalendar
from drills.killing import GIVE_UP_S, PAUSE_S, carried_out, until_killed
from drills.outside import until_at_rest
from drills.records import Records, read_records, until_settled
from drills.result import FULL, QUICK, SMOKE, Check, Effort, Result, exactly
from drills.servers import Server, Servers
from drills.trial import LEASE_S, REAPER, REAPER_S, RECOVERIES, RIVAL, SECOND, TWO, Trial
from running.emulator import clear
from stand_ins.loopback import serving
from switchboard.desk.bookings.booking import CONFIRMED
from switchboard.state.firestore.store import FirestoreStore

POINTS = {
    "before admission": (ADMISSION, True),
    "after admission": (ADMISSION, False),
    "before it looks": (LOOK, True),
    "before the claim": (CLAIM, True),
    "after the claim": (CLAIM, False),
    "before the entry": (ENTRY, True),
    "after the entry": (ENTRY, False),
    "before the look at others' entries": (OTHERS, True),
    "after the look at others' entries": (OTHERS, False),
    "before the confirmation": (CONFIRMATION, True),
    "after the confirmation": (CONFIRMATION, False),
    "before settlement": (SETTLEMENT, True),
    "after settlement": (SETTLEMENT, False),
}
SECOND_POINTS = tuple(
    (step, before) for step in (TAKE_OVER, ENTRY, CONFIRMATION, SETTLEMENT) for before in (True, False)
)
# How many rounds of every point with every recovery; a small one takes only some.
ROUNDS = {SMOKE: 1, QUICK: 1, FULL: 3}
_SMOKE_TRIALS = 4
_AT_REST_WITHIN_S = 60.0
_EXAMPLES = 10


@dataclass
class Site:
    """What the trials share: the store's project, the calendar, and two servers that stay, with a reaper or not."""

    source: Servers
    host: str
    project: str
    calendar: DrilledCalendar
    url: str

    async def start(self, **settings: Any) -> Server:
        """Start a server."""
        return await self.source.start(
            self.host,
            self.project,
            policy={"CALL_LEASE_S": LEASE_S},
            booking_lease_s=LEASE_S,
            **self.calendar.at(self.url),
            **settings,
        )


async def drill_outside(effort: Effort, within_s: float, source: Servers, host: str, project: str) -> Result:
    """Return what came of it, where no trial begins later; its checks stand beside those of the built-in calendar."""
    calendar = CALENDARS[effort.calendar]()
    with serving(calendar.app) as url:
        try:
            # One project with a reaper and one without, as for the built-in calendar; one calendar account for both.
            sites = {reaped: Site(source, host, f"{project}-{int(reaped)}", calendar, url) for reaped in (False, True)}
            return await _drill(effort, within_s, sites, calendar)
        finally:
            for reaped in (0, 1):
                clear(host, f"{project}-{reaped}")


async def _drill(effort: Effort, within_s: float, sites: dict[bool, Site], calendar: DrilledCalendar) -> Result:
    stores = {reaped: premises.patient_store(site.project, site.host) for reaped, site in sites.items()}
    staying = {}
    for reaped, site in sites.items():
        await premises.furnish(stores[reaped], site.calendar, site.url)
        staying[reaped] = [await site.start(reaper_s=REAPER_S if reaped else None) for _ in range(2)]

    async def tried(trial: Trial) -> None:
        reaped = trial.recovery == REAPER
        async with open_session(keep_alive=False) as http:
            await _try(trial, sites[reaped], staying[reaped], http)
        if reaped and await _had_failed(stores[reaped], trial):
            # The calendar was too late for it: the server died with a no in its hand, and there is nothing to recover.
            trial.killed = 0

    trials, are_all = await carried_out(list(_trials(effort)), tried, within_s)
    await until_settled(stores[True], GIVE_UP_S)
    # Redeliveries bring calls to their ends; a booking that nobody asks about any more is the reaper's, everywhere.
    last = await sites[False].start(reaper_s=REAPER_S)
    at_rest = [await until_at_rest(store, _AT_REST_WITHIN_S) for store in stores.values()]
    records = {reaped: await read_records(store) for reaped, store in stores.items()}
    for server in itertools.chain([last], *staying.values()):
        await server.close()
    for store in stores.values():
        await store.close()
    result = _judged(trials, records, calendar, all(at_rest))
    own = replace(are_all, what=f"{calendar.title}: {are_all.what}")
    return replace(result, checks=(own, *result.checks))


async def _had_failed(store: FirestoreStore, trial: Trial) -> bool:
    """Tell whether a call had been settled as one that failed, and had done nothing, before its server was killed."""
    row = await store.get(premises.row_path(trial.body))
    if row is None or row.data.get("state") != "failed":
        return False
    error = orjson.loads(row.data["response"])["error"]
    return error["retryable"] is True and error["partialSideEffects"] is False


def _trials(effort: Effort) -> Iterator[Trial]:
    chance, today = random.Random(effort.seed), datetime.now(UTC)
    combinations = list(itertools.product(POINTS, RECOVERIES)) * ROUNDS[effort.size]
    if effort.size == SMOKE:
        combinations = chance.sample(combinations, _SMOKE_TRIALS)
    for number, (point, recovery) in enumerate(combinations):
        yield Trial(number, point, recovery, premises.start_of(number, today), chance.choice(SECOND_POINTS))


async def _try(trial: Trial, site: Site, staying: Sequence[Server], http: aiohttp.ClientSession) -> None:
    first, second = staying
    trial.killed += await until_killed(http, await site.start(crash=POINTS[trial.point]), trial.body)
    if trial.recovery == TWO:
        trial.answers += await asyncio.gather(*(_heard(http, s, trial.body) for s in (first, second)))
    elif trial.recovery == RIVAL:
        trial.rival, answer = await asyncio.gather(
            _heard(http, first, trial.rival_body), _heard(http, second, trial.body)
        )
        trial.answers.append(answer)
    elif trial.recovery == SECOND:
        trial.killed += await until_killed(http, await site.start(crash=trial.second), trial.body)
    if trial.recovery != REAPER:
        # What was said once is said again, by whichever server.
        trial.answers += [await _heard(http, first, trial.body), await _heard(http, second, trial.body)]


async def _heard(http: aiohttp.ClientSession, server: Server, body: dict[str, Any]) -> Answer:
    """Deliver a call until it is answered for good, be it that nobody can say what became of it."""
    deadline = asyncio.get_running_loop().time() + GIVE_UP_S
    while True:
        answer = await post(http, server.url, body)
        if answer.is_final or _is_unknown(answer) or asyncio.get_running_loop().time() > deadline:
            return answer
        await asyncio.sleep(PAUSE_S)


def _is_unknown(answer: Answer) -> bool:
    """Whether the caller is told honestly that the outcome is not known, and not only that it takes long."""
    meta = (answer.envelope or {}).get("meta") or {}
    return bool(answer.error.get("partialSideEffects")) and not meta.get("timedOut")


def _judged(
    trials: Sequence[Trial], records: dict[bool, Records], calendar: DrilledCalendar, is_at_rest: bool
) -> Result:
    entries, own = calendar.active_entries(), calendar.title
    bookings = {t.number: records[t.recovery == REAPER].by_start.get(t.start, []) for t in trials}
    confirmed = {b.id for r in records.values() for b in r.bookings if b.status == CONFIRMED}
    wrong = [f"{own}, {trial}: {problem}" for trial in trials for problem in _problems(trial, bookings[trial.number])]
    lost = [t for t in trials if not bookings[t.number] and not t.is_lost]
    orphans = [id for id in entries if id not in confirmed]
    heard = Counter(_kind(a) for t in trials for a in (*t.answers, *([t.rival] if t.rival else [])))
    text = ", ".join(f"{count} {kind}" for kind, count in heard.most_common())
    checks = (
        exactly(f"{own}: servers killed where they were to be", len(trials), sum(t.killed > 0 for t in trials)),
        exactly(f"{own}: bookings lost", 0, len(lost)),
        exactly(f"{own}: times with two bookings", 0, sum(len(item) > 1 for item in bookings.values())),
        exactly(
            f"{own}: confirmed bookings with one entry each",
            len(confirmed),
            sum(entries.get(id) == 1 for id in confirmed),
        ),
        exactly(f"{own}: entries without a confirmed booking", 0, len(orphans)),
        exactly(f"{own}: slots without their booking", 0, sum(len(r.orphan_slots) for r in records.values())),
        Check(f"{own}: left under way", "nothing", "nothing" if is_at_rest else "something", is_at_rest),
        exactly(f"{own}: answers at odds with each other or the store", 0, len(wrong)),
    )
    title = f"{len(trials)} kills at {len(POINTS)} steps of a booking in {own}'s calendar"
    return Result(title, "", "", checks, (f"{title}; answered: {text}.", *wrong[:_EXAMPLES]))


def _kind(answer: Answer) -> str:
    return "unknown, to be confirmed" if _is_unknown(answer) else answer.kind


def _problems(trial: Trial, bookings: Sequence[Any]) -> Iterator[str]:
    ids = {booking.id for booking in bookings}
    everyone = [*trial.answers, *([trial.rival] if trial.rival else [])]
    # Who was told that nobody can say yet may be told the truth later; two truths may not be told.
    chosen = [answer.substance for answer in trial.answers if not _is_unknown(answer)]
    if len(set(chosen)) > 1:
        yield "different answers: " + " / ".join(chosen)
    for answer in everyone:
        if answer.is_ok and answer.envelope and answer.envelope["data"]["bookingId"] not in ids:
            yield f"told of a booking that there is not: {answer.substance}"
        elif not answer.is_ok and answer.kind != "CONFLICT" and not _is_unknown(answer):
            yield f"answered {answer.kind}: {answer.substance}"
    if trial.rival and trial.rival.is_ok and any(answer.is_ok for answer in trial.answers):
        yield "both the caller and the rival were told that it is theirs"
