"""kill -9 at every step of a booking, and around the writes of seven deeds: each comes to its end, once."""

from __future__ import annotations

import asyncio
import itertools
import random
import time
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

import aiohttp

from drills import premises
from drills.callers import Answer, open_session, until_final
from drills.emulators import any_emulator
from drills.kill_deeds import drill_deeds
from drills.kill_outside import drill_outside
from drills.killed import judged
from drills.killing import GIVE_UP_S, LAST_ONE_S, PAUSE_S, carried_out, until_killed
from drills.records import read_records, until_row_settled
from drills.result import FULL, QUICK, SMOKE, Effort, Result, within
from drills.servers import Server, Servers, servers
from drills.trial import LEASE_S, POINTS, REAPER, REAPER_S, RECOVERIES, SECOND_POINTS, Trial
from running.emulator import clear
from switchboard.state.firestore.store import FirestoreStore


@dataclass(frozen=True)
class Plan:
    """How many rounds of every point with every recovery, after how long none begins; a small one takes only some."""

    rounds: int
    limit_s: float
    trials: int | None = None


PLANS = {SMOKE: Plan(1, 180, 5), QUICK: Plan(1, 600), FULL: Plan(15, 1800)}


def drill(effort: Effort) -> Result:
    """Return the table.

    Raises:
        Skipped: There is no emulator.
    """
    with any_emulator() as host, servers() as source:
        if effort.trials is not None:
            return drill_deeds(effort, source, host)
        plan, project = PLANS[effort.size], f"demo-drill-{uuid.uuid4().hex[:8]}"

        async def both() -> Result:
            own, outside = await asyncio.gather(
                _drill(plan, effort.seed, Instances(source, host, project)),
                drill_outside(effort, plan.limit_s, source, host, f"{project}-outside"),
            )
            return replace(own, checks=(*own.checks, *outside.checks), notes=(*own.notes, *outside.notes))

        try:
            result = asyncio.run(within(plan.limit_s + LAST_ONE_S, both()))
        finally:
            clear(host, project)
            clear(host, f"{project}-reaped")
        deeds = drill_deeds(effort, source, host)
        return replace(result, checks=(*result.checks, *deeds.checks), notes=(*result.notes, *deeds.notes))


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
    trials_planned = list(_trials(plan, random.Random(seed)))
    trials, are_all = await carried_out(trials_planned, lambda trial: _try(trial, instances), plan.limit_s)
    records = {reaped: await read_records(store) for reaped, store in instances.stores.items()}
    await instances.close()
    result = judged(trials, records)
    return replace(result, checks=(are_all, *result.checks))


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
        trial.killed += await until_killed(http, doomed, trial.body)
        killed_at = last_killed_at = time.monotonic()
        match trial.recovery:
            case "reaper":
                row, _ = await until_row_settled(store, premises.row_path(trial.body), GIVE_UP_S)
                trial.was_left = row is not None and row["state"] == "started"
            case "two at once":
                trial.answers += await asyncio.gather(*(_final(http, s, trial.body) for s in (first, second)))
            case "rival":
                asking = [_final(http, first, trial.rival_body), _final(http, second, trial.body)]
                trial.rival, answer = await asyncio.gather(*asking)
                trial.answers.append(answer)
            case "killed again":
                trial.killed += await until_killed(http, await instances.doomed(False, trial.second), trial.body)
                last_killed_at = time.monotonic()
                trial.answers.append(await _final(http, first, trial.body))
            case _:
                trial.answers.append(await _final(http, first, trial.body))
        trial.settled_s, trial.stuck_s = time.monotonic() - killed_at, time.monotonic() - last_killed_at
        if not trial.is_lost:
            # What was said once is said again, by whichever server.
            trial.answers.append(await _final(http, second, trial.body))


async def _final(http: aiohttp.ClientSession, server: Server, body: dict[str, Any]) -> Answer:
    return await until_final(http, server.url, body, give_up_s=GIVE_UP_S, pause_s=lambda: PAUSE_S)
