"""kill -9 at every step of a booking: somebody else brings it to its end, once, and nothing is left half done."""

from __future__ import annotations

import asyncio
import itertools
import random
import time
import uuid
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import aiohttp

from drills import premises
from drills.callers import Answer, open_session, post, until_final
from drills.crashing_store import ADMISSION, CLAIM, LOOK, SETTLEMENT, TAKE_OVER
from drills.emulators import any_emulator
from drills.records import Records, read_records, until_row_settled
from drills.result import FULL, QUICK, SMOKE, Check, Effort, Result, at_most, exactly, within
from drills.servers import Server, Servers, servers
from emulator import clear
from switchboard.state.firestore import FirestoreStore

POINTS = {
    "before admission": (ADMISSION, True),
    "after admission": (ADMISSION, False),
    "in the handler, before it looks": (LOOK, True),
    "in the handler, before the claim": (CLAIM, True),
    "in the handler, after the claim": (CLAIM, False),
    "before settlement": (SETTLEMENT, True),
    "after settlement, before the answer": (SETTLEMENT, False),
}
# Where whoever takes over is killed in turn: all but the steps that a taken-over call does not come to.
SECOND_POINTS = (
    *((step, before) for step in (TAKE_OVER, LOOK, SETTLEMENT) for before in (True, False)),
    (CLAIM, True),
    (CLAIM, False),
)
REDELIVERY, REAPER, TWO, RIVAL, SECOND = "redelivery", "reaper", "two at once", "rival", "killed again"
RECOVERIES = (REDELIVERY, REAPER, TWO, RIVAL, SECOND)

# Real ones are fifteen times as long: then a drill would mostly wait.
LEASE_S, REAPER_S = 2.0, 0.5
_AT_ONCE = 6
_GIVE_UP_S = 20.0
_DIES_WITHIN_S = 10.0
# What carrying a call to its end takes on a machine that kills and starts servers at the same time.
_WORK_S = 1.0
_EXAMPLES = 10


@dataclass(frozen=True)
class Plan:
    """How many rounds of every point with every recovery, how long all may take; a small one takes only some of one."""

    rounds: int
    limit_s: float
    trials: int | None = None


PLANS = {SMOKE: Plan(1, 120, 10), QUICK: Plan(3, 400), FULL: Plan(15, 1800)}


@dataclass
class Trial:
    """One booking whose server is killed at a point, and how it is recovered.

    Attributes:
        number: Tells trials, and thereby times and names, apart.
        second: Where the server that takes over is killed.
        killed: How many servers died as they were to.
        answers: The final answers that the caller got.
        rival: The final answer that the rival got.
        settled_s: From the first kill until the call was brought to its end.
    """

    number: int
    point: str
    recovery: str
    start: datetime
    second: tuple[str, bool]
    killed: int = 0
    answers: list[Answer] = field(default_factory=list)
    rival: Answer | None = None
    settled_s: float = 0.0

    @property
    def body(self) -> dict[str, Any]:
        """The caller's request."""
        return premises.booking(f"{self.number}", self.start, phone=f"+1518555{self.number:04}")

    @property
    def rival_body(self) -> dict[str, Any]:
        """The request of another caller who wants the same time."""
        return premises.booking(f"{self.number}-rival", self.start, phone=f"+1518556{self.number:04}")

    def __str__(self) -> str:
        step, before = self.second
        again = f" ({'before' if before else 'after'} {step})" if self.recovery == SECOND else ""
        return f"{self.number}: killed {self.point}, {self.recovery}{again}"

    @property
    def is_lost(self) -> bool:
        """Whether nobody can know of the call: its server died before it was recorded, and nobody asks again."""
        return self.recovery == REAPER and self.point == "before admission"


def drill(effort: Effort) -> Result:
    """Return the table.

    Raises:
        Skipped: There is no emulator.
    """
    with any_emulator() as host, servers() as source:
        plan, project = PLANS[effort.size], f"demo-drill-{uuid.uuid4().hex[:8]}"
        try:
            return asyncio.run(within(plan.limit_s, _drill(plan, effort.seed, Instances(source, host, project))))
        finally:
            clear(host, project)
            clear(host, f"{project}-reaped")


@dataclass
class Instances:
    """The servers: those to be killed, and for each of two projects those that stay.

    In one project a reaper is at work, in the other redeliveries have to do everything.
    """

    source: Servers
    host: str
    project: str
    stores: dict[bool, FirestoreStore] = field(default_factory=dict)
    staying: dict[bool, list[Server]] = field(default_factory=dict)

    async def open(self) -> None:
        """Furnish both projects and start two servers in each."""
        for reaped in (False, True):
            store = self.stores[reaped] = premises.patient_store(self._project(reaped), self.host)
            await premises.furnish(store)
            self.staying[reaped] = [await self._start(reaped, reaper_s=REAPER_S if reaped else None) for _ in range(2)]

    async def doomed(self, reaped: bool, crash: tuple[str, bool]) -> Server:
        """Start a server that dies at a step."""
        return await self._start(reaped, crash=crash)

    async def close(self) -> None:
        """End the servers that stayed."""
        for server in itertools.chain(*self.staying.values()):
            await server.close()
        for store in self.stores.values():
            await store.close()

    async def _start(self, reaped: bool, **settings: Any) -> Server:
        return await self.source.start(self.host, self._project(reaped), policy={"CALL_LEASE_S": LEASE_S}, **settings)

    def _project(self, reaped: bool) -> str:
        return f"{self.project}-reaped" if reaped else self.project


async def _drill(plan: Plan, seed: int, instances: Instances) -> Result:
    await instances.open()
    trials = list(_trials(plan, random.Random(seed)))
    places = asyncio.Semaphore(_AT_ONCE)

    async def tried(trial: Trial) -> None:
        async with places:
            await _try(trial, instances)

    await asyncio.gather(*map(tried, trials))
    records = {reaped: await read_records(store) for reaped, store in instances.stores.items()}
    await instances.close()
    return _result(trials, records)


def _trials(plan: Plan, chance: random.Random) -> Iterator[Trial]:
    combinations = [(point, recovery) for point in POINTS for recovery in RECOVERIES]
    if plan.trials is not None:
        combinations = chance.sample(combinations, plan.trials)
    today = datetime.now(UTC)
    for number, (point, recovery) in enumerate(combinations * plan.rounds):
        yield Trial(number, point, recovery, premises.start_of(number, today), chance.choice(SECOND_POINTS))


async def _try(trial: Trial, instances: Instances) -> None:
    """Have a server killed, and the call brought to its end."""
    reaped = trial.recovery == REAPER
    store, (first, second) = instances.stores[reaped], instances.staying[reaped]
    async with open_session(keep_alive=False) as http:
        doomed = await instances.doomed(reaped, POINTS[trial.point])
        await post(http, doomed.url, trial.body)
        killed_at = time.monotonic()
        trial.killed += await doomed.was_killed(_DIES_WITHIN_S)
        await doomed.close()
        match trial.recovery:
            case "reaper":
                await until_row_settled(store, premises.row_path(trial.body), _GIVE_UP_S)
            case "two at once":
                trial.answers += await asyncio.gather(*(_final(http, s, trial.body) for s in (first, second)))
            case "rival":
                asking = [_final(http, first, trial.rival_body), _final(http, second, trial.body)]
                trial.rival, answer = await asyncio.gather(*asking)
                trial.answers.append(answer)
            case "killed again":
                await _kill_again(trial, instances, http)
                trial.answers.append(await _final(http, first, trial.body))
            case _:
                trial.answers.append(await _final(http, first, trial.body))
        trial.settled_s = time.monotonic() - killed_at
        if not trial.is_lost:
            # What was said once is said again, by whichever server.
            trial.answers.append(await _final(http, second, trial.body))


async def _kill_again(trial: Trial, instances: Instances, http: aiohttp.ClientSession) -> None:
    """Redeliver to a server that is killed as well, or that answers because it never comes to that step."""
    doomed = await instances.doomed(False, trial.second)
    deadline = time.monotonic() + LEASE_S + _GIVE_UP_S
    answer = None
    while time.monotonic() < deadline and (answer is None or (answer.status and not answer.is_final)):
        answer = await post(http, doomed.url, trial.body)
        await asyncio.sleep(0.1)
    if answer is not None and not answer.status:
        trial.killed += await doomed.was_killed(_DIES_WITHIN_S)
    await doomed.close()


async def _final(http: aiohttp.ClientSession, server: Server, body: dict[str, Any]) -> Answer:
    return await until_final(http, server.url, body, give_up_s=_GIVE_UP_S, pause_s=lambda: 0.1)


def _result(trials: Sequence[Trial], records: dict[bool, Records]) -> Result:
    bookings = {t.number: records[t.recovery == REAPER].by_start.get(t.start, []) for t in trials}
    wrong = [
        f"{trial}: {problem}"
        for trial in trials
        for problem in _problems(trial, [booking.id for booking in bookings[trial.number]])
    ]
    kills, found = sum(trial.killed for trial in trials), records.values()
    checks = [exactly("servers killed where they were to be", len(trials) + _again(trials), kills)]
    for recovery in RECOVERIES:
        those = [trial for trial in trials if trial.recovery == recovery]
        checks.append(_made(recovery, those, Counter(len(bookings[trial.number]) for trial in those)))
    checks += [
        exactly("answers that disagree with each other or with the store", 0, len(wrong)),
        exactly("slots without their booking", 0, sum(len(r.orphan_slots) for r in found)),
        exactly("bookings' claims without their slot", 0, sum(len(r.missing_slots) for r in found)),
        exactly("bookings without a receipt in their session", 0, sum(len(r.without_receipt) for r in found)),
        exactly("ledger rows left as started", 0, sum(len(r.in_state("started")) for r in found)),
    ]
    for recovery in RECOVERIES:
        slowest = max((trial.settled_s for trial in trials if trial.recovery == recovery), default=0.0)
        limit_s = (LEASE_S + REAPER_S) * (2 if recovery == SECOND else 1) + _WORK_S
        checks.append(at_most(f"settled after the kill: {recovery}", limit_s, slowest))
    return Result(
        f"kill: {kills} times kill -9 at {len(POINTS)} steps of a booking, {len(RECOVERIES)} ways to recover",
        tuple(checks),
        (
            f"A lease is {LEASE_S:g} s and the reaper looks every {REAPER_S:g} s: a call is settled within their sum, "
            f"twice that if it was killed twice, and {_WORK_S:g} s for the work.",
            *wrong[:_EXAMPLES],
        ),
    )


def _again(trials: Sequence[Trial]) -> int:
    """Return how many second kills there were: some calls are at their end before they come to that step."""
    return sum(trial.killed == 2 for trial in trials)


def _made(recovery: str, trials: Sequence[Trial], seen: Counter[int]) -> Check:
    lost = sum(trial.is_lost for trial in trials)
    expected = Counter({1: len(trials) - lost, 0: lost})

    def told(numbers: Counter[int]) -> str:
        return ", ".join(f"{count} x {number}" for number, count in numbers.most_common() if count) or "none"

    return Check(f"bookings of a time: {recovery}", told(expected), told(seen), +seen == +expected)


def _problems(trial: Trial, bookings: list[str]) -> Iterator[str]:
    if trial.killed < 1:
        yield "the server was not killed"
    if len({answer.substance for answer in trial.answers}) > 1:
        yield "different answers: " + " / ".join(answer.substance for answer in trial.answers)
    everyone = [*trial.answers, *([trial.rival] if trial.rival else [])]
    for answer in everyone:
        if not answer.is_final:
            yield f"no final answer but {answer.kind}: {answer.substance}"
        elif not answer.is_ok and answer.kind != "CONFLICT":
            yield f"answered {answer.kind}: {answer.substance}"
        elif answer.is_ok and answer.envelope and answer.envelope["data"]["bookingId"] not in bookings:
            yield f"told of a booking that there is not: {answer.substance}"
    if not trial.is_lost and [answer.is_ok for answer in everyone[-2:]].count(True) == 0:
        yield "nobody was told of the booking"
    if trial.rival and trial.rival.is_ok and any(answer.is_ok for answer in trial.answers):
        yield "both the caller and the rival were told that it is theirs"
