"""A call that is recorded and safe against redelivery and `kill -9`: ours beside DBOS and Restate, in one run.

Each service carries out the same call: it adds a line to a file. That is loaded at 1 and at 32 at once; then each is
killed in the middle of its work, again and again, and every call is delivered again until it has its answer, and once
more after that. The file then tells what was done twice, and what was said to be done and was not.
"""

from __future__ import annotations

import asyncio
import json
import random
import statistics
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

import aiohttp

from benchmarks import recorders
from benchmarks.figure import Effort, Figure, Line, Skipped
from benchmarks.loading import Loaded
from benchmarks.recorders import Recorder
from command_line import Problem
from running import listening

AT_ONCE = (1, 32)
_SECONDS, _QUICK_SECONDS, _WARM_S = 5.0, 1.0, 2.0
_ROUNDS = 3
_KILLS, _QUICK_KILLS = 20, 2
_CALLS_A_KILL, _CALLERS = 96, 16
_KILLED_WITHIN_S = (0.02, 0.4)
_ANSWER_WITHIN_S = 8.0
_SETTLED_WITHIN_S = 120.0
_PAUSE_S = 1.0
PEERS: tuple[Callable[[Path], AbstractContextManager[Recorder]], ...] = (recorders.dbos, recorders.restate)

Verdict = Literal["done", "not known", "not done", ""]


@dataclass(frozen=True)
class _Load:
    """What one load came to: the service's own figures, and the CPU time of all that took part, for one call."""

    loaded: Loaded
    all_cpu_ms: float | None


@dataclass
class Killed:
    """What came of the calls whose service was killed.

    Attributes:
        calls: How many there were.
        interrupted: How many had no answer when it was.
        twice: How many had their effect more than once.
        lost: How many were said to be done, and were not.
        not_known: How many were said to be neither.
        not_known_though_done: How many of those had been done.
        open: How many had no answer at the end.
        settled_s: How long it took from the last start until every call had its answer.
    """

    calls: int = 0
    interrupted: int = 0
    twice: int = 0
    lost: int = 0
    not_known: int = 0
    not_known_though_done: int = 0
    open: int = 0
    settled_s: float = 0.0

    @property
    def is_safe(self) -> bool:
        """Whether nothing was done twice, lost or left open."""
        return not (self.twice or self.lost or self.open)

    def text(self) -> str:
        """Return it for a table."""
        unknown = f"{self.not_known} not known"
        if self.not_known_though_done:
            unknown += f" ({self.not_known_though_done} were)"
        return (
            f"{self.interrupted} of {self.calls}: {self.twice} twice, {self.lost} lost, {unknown}, "
            f"{self.open} open after {self.settled_s:.0f} s"
        )


@dataclass
class _Side:
    recorder: Recorder
    loads: dict[int, list[_Load]] = field(default_factory=dict)
    killed: Killed = field(default_factory=Killed)

    def cpu_ms(self, at_once: int) -> list[float]:
        return [load.loaded.cpu_ms for load in self.loads[at_once]]


def measure(effort: Effort) -> Figure:
    """Return the figure; a peer that cannot be had is left out, and said so.

    Raises:
        Skipped: There is no emulator.
    """
    left_out = []
    with ExitStack() as running:
        folder = Path(running.enter_context(tempfile.TemporaryDirectory(prefix="durable-")))
        # PostgreSQL may have to run as somebody else, who has to get there.
        folder.chmod(0o755)
        sides = [_Side(running.enter_context(recorders.ours(folder)))]
        for peer in PEERS:
            try:
                sides.append(_Side(running.enter_context(peer(folder))))
            except (Problem, Skipped) as problem:
                left_out.append(f"{peer.__name__} is left out: {problem}")
        for side in sides:
            if side.recorder.service is None:
                side.recorder.start()
        _load(sides, effort)
        for side in sides:
            side.killed = asyncio.run(_kill(side.recorder, _QUICK_KILLS if effort.quick else _KILLS))
    notes = (
        "The same call of each, one line added to a file, recorded under the caller's id; ours over the emulator.",
        "CPU: of the service's process, of all (emulator, PostgreSQL, Restate's server). Ratio: of the service's.",
        "After the kills every call is delivered again until it is answered, and once more. What nobody can look up,",
        "DBOS and Restate do again when the record of it was lost; Switchboard says that it is not known.",
        *left_out,
    )
    title = f"durable: a recorded call at {' and '.join(map(str, AT_ONCE))} at once, and services killed in it"
    return Figure(title, "peer", tuple(_lines(sides)), notes)


def _load(sides: list[_Side], effort: Effort) -> None:
    seconds = _QUICK_SECONDS if effort.quick else _SECONDS
    for number in range(1 if effort.quick else min(_ROUNDS, effort.rounds)):
        for at_once in AT_ONCE:
            for side in random.sample(sides, len(sides)):
                service = side.recorder.service
                assert service is not None
                order = side.recorder.order(at_once, seconds)
                if not number:
                    service.load(replace(order, seconds=_WARM_S, warm_s=0, name=f"{order.name}-warm"))
                before_s = side.recorder.store_cpu_s()
                loaded = service.load(replace(order, warm_s=0))
                after_s = side.recorder.store_cpu_s()
                all_ms = None
                if before_s is not None and after_s is not None:
                    all_ms = loaded.cpu_ms + (after_s - before_s) / loaded.answered * 1e3
                side.loads.setdefault(at_once, []).append(_Load(loaded, all_ms))


def _lines(sides: list[_Side]) -> Iterator[Line]:
    ours, *peers = sides
    for at_once in AT_ONCE:
        yield Line(f"ours, {at_once} at once", _loaded_text(ours.loads[at_once]))
        for peer in peers:
            ratios = [theirs / mine for mine, theirs in zip(ours.cpu_ms(at_once), peer.cpu_ms(at_once), strict=True)]
            ratio = statistics.median(ratios)
            text = _loaded_text(peer.loads[at_once])
            yield Line(f"{peer.recorder.name}, {at_once} at once", "", text, f"{ratio:.2f}", "≥ 1", ratio >= 1)
    yield Line(
        "calls cut off by kills: ours", ours.killed.text(), "", "", "none twice, lost, open", ours.killed.is_safe
    )
    for peer in peers:
        yield Line(f"calls cut off by kills: {peer.recorder.name}", "", peer.killed.text())


def _loaded_text(loads: list[_Load]) -> str:
    def median(value: Callable[[_Load], float]) -> float:
        return statistics.median(map(value, loads))

    text = f"{median(lambda load: load.loaded.per_s):,.0f}/s, CPU {median(lambda load: load.loaded.cpu_ms):.2f}"
    if all(load.all_cpu_ms is not None for load in loads):
        text += f" of {median(lambda load: load.all_cpu_ms or 0):.2f} ms"
    p50, p99 = (median(lambda load: load.loaded.p50_ms), median(lambda load: load.loaded.p99_ms))
    return f"{text}, p50 {p50:.0f} ms, p99 {p99:.0f}"


async def _kill(recorder: Recorder, times: int) -> Killed:
    """Kill the service in the middle of calls, start it again, and settle all of them at the end."""
    chosen, verdicts, interrupted = random.Random(1), {}, 0
    async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(_ANSWER_WITHIN_S)) as http:
        for number in range(times):
            calls = [f"k{number}s{each // 4}-{each}" for each in range(_CALLS_A_KILL)]
            queue, answered = iter(calls), {}
            callers = [asyncio.create_task(_caller(recorder, http, queue, answered)) for _ in range(_CALLERS)]
            await asyncio.sleep(chosen.uniform(*_KILLED_WITHIN_S))
            await asyncio.to_thread(recorder.kill)
            for caller in callers:
                caller.cancel()
            await asyncio.gather(*callers, return_exceptions=True)
            interrupted += sum(not verdict for verdict in answered.values())
            verdicts |= dict.fromkeys(calls, "") | answered
            await asyncio.to_thread(recorder.start)
        began = time.monotonic()
        while not all(verdicts.values()) and time.monotonic() - began < _SETTLED_WITHIN_S:
            queue = iter([call for call, verdict in verdicts.items() if not verdict])
            await asyncio.gather(*(_caller(recorder, http, queue, verdicts) for _ in range(_CALLERS)))
            await asyncio.sleep(_PAUSE_S)
        took_s = time.monotonic() - began
        queue = iter(list(verdicts))
        await asyncio.gather(*(_caller(recorder, http, queue, {}) for _ in range(_CALLERS)))
    killed = counted(verdicts, recorder.log.read_text().split())
    return replace(killed, interrupted=interrupted, settled_s=took_s)


def counted(verdicts: Mapping[str, Verdict], log: Iterable[str]) -> Killed:
    """Return what became of calls, by what was answered in the end and by the lines that they left."""
    effects, killed = Counter(log), Killed(len(verdicts))
    for call, verdict in verdicts.items():
        killed.twice += effects[call] > 1
        killed.lost += verdict == "done" and not effects[call]
        killed.not_known += verdict == "not known"
        killed.not_known_though_done += verdict == "not known" and effects[call] > 0
        killed.open += not verdict
    return killed


async def _caller(
    recorder: Recorder, http: aiohttp.ClientSession, calls: Iterator[str], verdicts: dict[str, Verdict]
) -> None:
    for call in calls:
        verdicts[call] = ""
        verdicts[call] = await _delivered(recorder, http, call)


async def _delivered(recorder: Recorder, http: aiohttp.ClientSession, call: str) -> Verdict:
    service = recorder.service
    session, _, number = call.rpartition("-")
    filled = {"session": session, "number": int(number), "turn": int(number) % 4 + 1}
    headers = {name: value % filled for name, value in recorder.headers.items()}
    port = recorder.front or (service.port if service else 0)
    url = f"http://{listening.HOST}:{port}{recorder.path}"
    headers |= {"Content-Type": "application/json"}
    try:
        async with http.post(url, data=recorder.body % filled, headers=headers) as answer:
            text = await answer.text()
    except (aiohttp.ClientError, TimeoutError):
        return ""
    return _verdict(recorder, text)


def _verdict(recorder: Recorder, text: str) -> Verdict:
    if recorder.expected in text:
        return "done"
    try:
        answer = json.loads(text)
        error = answer.get("error") if isinstance(answer, dict) else None
    except ValueError:
        error = None
    if not isinstance(error, dict) or error.get("type") == "CONFLICT" or error.get("retryable"):
        return ""
    return "not known" if error.get("partialSideEffects") else "not done"
