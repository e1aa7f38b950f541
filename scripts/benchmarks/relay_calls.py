"""Two hundred phone calls at once over the relay's WebSocket, each with a turn and a look-up every five seconds.

The rehearsal model answers at once, so that every millisecond between what a caller has said and the first word of the
answer is ours. The server is one process, as scripts/run starts it, over the in-memory store.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import secrets
import statistics
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import aiohttp

import child_process
import setting_up
from benchmarks.figure import Effort, Figure, Line
from command_line import Problem
from running import listening
from simulating.twilio import PARAMETER, Parties, Webhooks

CALLS, EVERY_S = 200, 5.0
TARGET_MS, STOPS_MS, GROWTH_MB = 100.0, 50.0, 20.0
SECONDS_A_ROUND, QUICK_SECONDS = 60.0, 10.0
_CALLED = "+15185550100"
_QUESTIONS = (
    "What is your cancellation policy?",
    "Do you take cards?",
    "What are your prices?",
    "Are you free on March 16 at ten?",
)
_ANSWERED_WITHIN_S, _READY_WITHIN_S = 20.0, 90.0


@dataclass
class Heard:
    """What the callers of a round went through."""

    first_word_s: list[float] = field(default_factory=list)
    stopped_s: list[float] = field(default_factory=list)
    silent: int = 0
    cpu_s: float = 0.0


@dataclass(frozen=True)
class RelayServer:
    """A server that takes phone calls over the relay."""

    url: str
    token: str
    process: child_process.ChildProcess

    def memory_mb(self) -> float:
        """Return the resident memory of the process that serves."""
        return max(_resident_mb(pid) for pid in _family(self.process.guard.pid))

    def cpu_s(self) -> float:
        """Return the CPU time it has taken so far."""
        return max(_cpu_s(pid) for pid in _family(self.process.guard.pid))


def measure(effort: Effort) -> Figure:
    """Return the figure."""
    seconds = QUICK_SECONDS if effort.quick else SECONDS_A_ROUND
    with relay_server() as server:
        rounds, memory = asyncio.run(_rounds(server, 1 if effort.quick else effort.rounds, seconds))
    first = [s for heard in rounds for s in heard.first_word_s]
    stopped = [s for heard in rounds for s in heard.stopped_s]
    silent = sum(heard.silent for heard in rounds)
    p99 = statistics.median(_p99_ms(heard.first_word_s) for heard in rounds)
    growth = memory[-1] - memory[1]
    text = ", ".join(f"{mb:.0f}" for mb in memory)
    return Figure(
        f"relay_calls: {CALLS} calls at once, a turn with a look-up every {EVERY_S:.0f} s, rounds of {seconds:.0f} s",
        "",
        (
            Line(
                "from what was said to the first word",
                f"p50 {statistics.median(first) * 1e3:.1f} ms, p99 {p99:.1f} ms, {len(first)} turns",
                target=f"p99 {TARGET_MS:.0f} ms",
                met=p99 <= TARGET_MS and not silent,
            ),
            Line(
                "from an interruption to the last word",
                f"p50 {statistics.median(stopped) * 1e3:.1f} ms, p99 {_p99_ms(stopped):.1f} ms, {len(stopped)} times",
                target=f"p99 {STOPS_MS:.0f} ms",
                met=_p99_ms(stopped) <= STOPS_MS,
            ),
            Line(
                "the server's CPU time for a turn", f"{sum(heard.cpu_s for heard in rounds) / len(first) * 1e3:.1f} ms"
            ),
            Line("turns without an answer", str(silent), target="0", met=not silent),
            Line(
                "memory, from the first round's end on",
                f"{growth:+.0f} MB ({text} MB)",
                target=f"{GROWTH_MB:.0f} MB" if len(memory) > 2 else "",
                met=growth <= GROWTH_MB if len(memory) > 2 else None,
            ),
        ),
        ("Callers and server share this machine; the model is the rehearsal, which thinks for no time at all.",),
    )


@contextmanager
def relay_server(emulator: str = "", project: str = "") -> Iterator[RelayServer]:
    """Give a server with the demo businesses, over the store in memory or an emulator; it ends with the block.

    Raises:
        Problem: It does not become ready.
    """
    port, token = listening.require_free(0, "--port"), secrets.token_hex(16)
    url = f"http://{listening.HOST}:{port}"
    environment = {
        **os.environ,
        "SWITCHBOARD_DEMO_TWILIO_TOKEN": token,
        "SWITCHBOARD_RELAY_URL": f"ws://{listening.HOST}:{port}/phone/relay",
        "SWITCHBOARD_MODEL": "rehearsal",
    }
    environment.pop("SWITCHBOARD_PUBLIC_URL", None)
    if emulator:
        environment |= {"FIRESTORE_EMULATOR_HOST": emulator, "GOOGLE_CLOUD_PROJECT": project}
    store = ("--store", "emulator" if emulator else "memory")
    run = (sys.executable, setting_up.ROOT / "scripts" / "run", *store, "--no-admin", "--no-stand-ins")
    server = child_process.start((*run, "--port", str(port)), environment, setting_up.ROOT)
    try:
        asyncio.run(_until_ready(server, url))
        yield RelayServer(url, token, server)
    finally:
        server.stop()


async def _until_ready(process: child_process.ChildProcess, url: str) -> None:
    deadline = time.monotonic() + _READY_WITHIN_S
    async with aiohttp.ClientSession() as http:
        while time.monotonic() < deadline and process.guard.poll() is None:
            with suppress(aiohttp.ClientConnectionError):
                async with http.get(f"{url}/healthz") as answer:
                    if answer.status == 200:
                        return
            await asyncio.sleep(0.1)
    raise Problem(f"scripts/run did not become ready; the end of what it said:\n{process.tail()}")


async def _rounds(server: RelayServer, rounds: int, seconds: float) -> tuple[list[Heard], list[float]]:
    heard, memory = [], [server.memory_mb()]
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:
        calls = [RelayCaller(session, server, number) for number in range(CALLS)]
        await asyncio.gather(*(call.begin() for call in calls))
        for _ in range(rounds):
            round, before_s = Heard(), server.cpu_s()
            await asyncio.gather(*(call.talk(round, seconds) for call in calls))
            round.cpu_s = server.cpu_s() - before_s
            heard.append(round)
            memory.append(server.memory_mb())
        await asyncio.gather(*(call.end() for call in calls))
    return heard, memory


class RelayCaller:
    """One caller, who has a pace of their own and interrupts now and then."""

    def __init__(self, session: aiohttp.ClientSession, server: RelayServer, number: int) -> None:
        self._session, self._server, self._number, self._random = session, server, number, random.Random(number)
        parties = Parties(f"+1518555{1000 + number}", _CALLED, server.token, None)
        self._webhooks = Webhooks(session, server.url, server.url, parties, lambda _: None)
        self._socket: aiohttp.ClientWebSocketResponse
        self._turns = 0

    async def begin(self) -> None:
        """Call up, each a moment after the other."""
        await asyncio.sleep(self._random.random() * EVERY_S)
        twiml = await self._webhooks.ask("/phone/incoming")
        url = twiml.relay["url"]
        self._socket = await self._session.ws_connect(url, headers=self._webhooks.handshake(url))
        token = twiml.relay[f"{PARAMETER}token"]
        setup = {"type": "setup", "callSid": self._webhooks.call_sid, "from": self._webhooks.parties.caller}
        await self._socket.send_json(setup | {"to": _CALLED, "customParameters": {"token": token}})

    async def talk(self, heard: Heard, seconds: float) -> None:
        """Take a turn every five seconds."""
        began = time.monotonic()
        await asyncio.sleep(self._random.random() * EVERY_S)
        while time.monotonic() - began < seconds:
            due = time.monotonic() + EVERY_S
            await self.turn(heard)
            await asyncio.sleep(max(0.0, due - time.monotonic()))

    async def end(self) -> None:
        """Hang up."""
        await self._socket.close()
        await self._webhooks.ask("/phone/status", CallStatus="completed")

    async def turn(self, heard: Heard) -> None:
        """Ask something, and listen to the answer; now and then interrupt it."""
        self._turns += 1
        # Another question each time: one that was just asked is answered without the tool.
        text = f"{self._random.choice(_QUESTIONS)} {self._turns}"
        asked = time.monotonic()
        await self._socket.send_json({"type": "prompt", "voicePrompt": text, "last": True})
        is_first = True
        while True:
            try:
                message = json.loads(await self._socket.receive_str(timeout=_ANSWERED_WITHIN_S))
            except (TimeoutError, TypeError):
                heard.silent += 1
                return
            if is_first:
                is_first = False
                heard.first_word_s.append(time.monotonic() - asked)
                # Others at other turns, so that a short look sees some as well.
                if (self._turns + self._number) % 5 == 0:
                    heard.stopped_s.append(await self._interrupted())
                    return
            if message.get("last"):
                return

    async def _interrupted(self) -> float:
        """Interrupt, and return how long words still came."""
        sent = last = time.monotonic()
        await self._socket.send_json({"type": "interrupt", "utteranceUntilInterrupt": ""})
        try:
            while True:
                await self._socket.receive_str(timeout=1.0)
                last = time.monotonic()
        except (TimeoutError, TypeError):
            return last - sent


def _p99_ms(seconds: list[float]) -> float:
    return statistics.quantiles(seconds, n=100)[-1] * 1e3 if len(seconds) > 1 else max(seconds, default=0.0) * 1e3


def _family(pid: int) -> list[int]:
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        children = []
    return [pid, *(member for child in children for member in _family(int(child)))]


def _cpu_s(pid: int) -> float:
    try:
        # pid (name) state …: a name may hold blanks and brackets, but not the last bracket
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _resident_mb(pid: int) -> float:
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6
    except OSError:
        return 0.0
