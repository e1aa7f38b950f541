"""A stranger writes, and a model says, what careless code takes minutes to read: everybody else is served meanwhile.

A program of its own asks for `/healthz` all the time; how long it was not answered is what every business had to wait.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator
from datetime import timedelta

import aiohttp

from drills.adversarial import FAMILIES, Family
from drills.own_house import SALON, OwnHouse, own_house
from drills.result import FULL, QUICK, SMOKE, Check, Effort, Result, at_most, exactly, within
from switchboard.contract.model import Ended, Ending, ModelEvent, Prompt, TextPiece

_LIMIT_S = 900.0
LONGEST_GAP_S = 0.25
# What a stranger may write at once, and what a model may say before it is broken off.
_WRITTEN, _SAID = 4_000, 16_000
_TAKEN = {SMOKE: 3, QUICK: len(FAMILIES), FULL: len(FAMILIES)}
_ROUNDS = {SMOKE: 1, QUICK: 1, FULL: 5}
_PIECES = (9, _SAID)
_PROBE = """
import http.client, select, sys, time
connection = http.client.HTTPConnection("127.0.0.1", int(sys.argv[1]), timeout=120)
longest, answers = 0.0, 0
print("ready", flush=True)
while True:
    began = time.perf_counter()
    connection.request("GET", "/healthz")
    connection.getresponse().read()
    longest, answers = max(longest, time.perf_counter() - began), answers + 1
    if select.select([sys.stdin], [], [], 0.005)[0]:
        break
print(longest, answers, flush=True)
"""


class _Repeating:
    """A model that says a text in pieces of some size."""

    name, dialect = "repeating", "openai"

    def __init__(self) -> None:
        self.text, self.piece = "", 1
        self.answered = 0

    async def stream(self, prompt: Prompt) -> AsyncIterator[ModelEvent]:
        """Yield the text."""
        for at in range(0, len(self.text), self.piece):
            yield TextPiece(self.text[at : at + self.piece])
            await asyncio.sleep(0)
        yield Ended(Ending.STOPPED)


def drill(effort: Effort) -> Result:
    """Return the table."""
    return asyncio.run(within(_LIMIT_S, _drill(effort)))


async def _drill(effort: Effort) -> Result:
    model = _Repeating()
    taken = list(FAMILIES.items())[: _TAKEN[effort.size]]
    checks: list[Check] = []
    worst = 0.0
    async with own_house(model) as own, aiohttp.ClientSession() as http:
        await _visit(own, http, model, FAMILIES["one letter"])
        model.answered = 0
        for name, family in taken:
            gaps = [await _beside(own, http, model, family) for _ in range(_ROUNDS[effort.size])]
            longest = max(gap for gap, _ in gaps)
            checks.append(at_most(f"longest gap: {name}", LONGEST_GAP_S, longest))
            worst = max(worst, longest)
            if not min(answers for _, answers in gaps):
                checks.append(Check(f"answers of /healthz: {name}", "some", "none", False))
        asked = len(taken) * _ROUNDS[effort.size] * (len(_PIECES) + 1)
        checks.append(exactly("texts that were taken and answered", asked, model.answered))
    return Result(
        f"stall: {len(taken)} adversarial texts, written by a stranger and said by a model",
        f"/healthz silent ≤ {LONGEST_GAP_S:g} s",
        f"longest {worst:.2f} s",
        tuple(checks),
        (f"{_WRITTEN:,} characters are written, {_SAID:,} said, in pieces of {_PIECES[0]} and all at once.",),
    )


async def _beside(own: OwnHouse, http: aiohttp.ClientSession, model: _Repeating, family: Family) -> tuple[float, int]:
    """Let a text be written and said; return the longest silence of `/healthz` meanwhile, and how often it answered."""
    port = own.url.rpartition(":")[2]
    probe = await asyncio.create_subprocess_exec(
        sys.executable, "-c", _PROBE, port, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert probe.stdin is not None
    assert probe.stdout is not None
    try:
        await probe.stdout.readline()
        await _visit(own, http, model, family)
        probe.stdin.write(b"end\n")
        await probe.stdin.drain()
        longest, answers = (await probe.stdout.readline()).split()
        return float(longest), int(answers)
    finally:
        if probe.returncode is None:
            probe.kill()
        await probe.wait()


async def _visit(own: OwnHouse, http: aiohttp.ClientSession, model: _Repeating, family: Family) -> None:
    """Write a text as a visitor of the portal, and be answered with it; then call a tool with it."""
    # Blanks alone are refused; and what strangers may have in an hour is not to be used up by a drill.
    written = f"Hi {family(_WRITTEN - 10)} there"
    for model.piece in _PIECES:
        own.clock.ahead += timedelta(hours=1, minutes=1)
        model.text = family(_SAID)
        async with http.post(f"{own.url}/portal/session", json={"businessId": SALON}) as begun:
            token = (await begun.json()).get("token", "")
        headers = {"Authorization": f"Bearer {token}"}
        async with http.post(f"{own.url}/portal/chat", json={"text": written}, headers=headers) as answer:
            parsed = await answer.json()
            model.answered += answer.status == 200 and parsed["outcome"] in ("answered", "failed")
    body = {
        "businessId": SALON,
        "name": "search_knowledge",
        "args": {"query": written},
        "context": {"channel": "portal", "sessionId": "stall", "callId": str(hash(model.text)), "turn": 1},
    }
    headers = {"Authorization": f"Bearer {own.keys[SALON]}"}
    async with http.post(f"{own.url}/tools/execute", json=body, headers=headers) as answer:
        parsed = await answer.json()
        model.answered += parsed["ok"] or parsed["error"]["type"] == "VALIDATION"
