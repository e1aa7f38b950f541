"""Callers over HTTP: what they are answered, and how they deliver the same call again until the answer is final."""

from __future__ import annotations

import asyncio
import json
import random
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import aiohttp

from drills.premises import KEY

HEADERS = {"Authorization": f"Bearer {KEY}", "Content-Type": "application/json"}
# "Wait a second and make the same call again", says the refusal.
_TOLD_TO_WAIT_S = 1.0
_PATIENCE = aiohttp.ClientTimeout(total=15)
_OWN_TO_A_DELIVERY = frozenset({"replayed", "elapsedMs"})


@dataclass(frozen=True)
class Answer:
    """One answer; status 0 stands for none at all, and then `problem` says why."""

    status: int
    envelope: dict[str, Any] | None
    took_s: float
    problem: str = ""

    @property
    def is_ok(self) -> bool:
        """Whether the call did what was asked."""
        return self.status == 200 and bool(self.envelope and self.envelope.get("ok"))

    @property
    def error(self) -> dict[str, Any]:
        """The envelope's error; empty without one."""
        return (self.envelope or {}).get("error") or {}

    @property
    def is_final(self) -> bool:
        """Whether delivering the call again is not to change anything."""
        is_passing = self.error.get("retryable") or self.error.get("type") == "TRANSIENT" or self._was_unread
        return self.is_ok or (self.status == 200 and bool(self.error) and not is_passing)

    @property
    def _was_unread(self) -> bool:
        """Whether the store was too late for the server to know what the business offers, which passes."""
        return self.error.get("type") == "MODE_RESTRICTED" and "could not be read" in self.error.get("message", "")

    @property
    def kind(self) -> str:
        """One word or two for tables."""
        if self.is_ok:
            return "ok"
        if self.status != 200:
            return f"HTTP {self.status}" if self.status else "no answer"
        kind = str(self.error.get("type"))
        return f"{kind}, in progress" if kind == "CONFLICT" and self.error["retryable"] else kind

    @property
    def substance(self) -> str:
        """The whole answer as text, but for how it came about: equal for every delivery of one call."""
        envelope = dict(self.envelope or {})
        # Who takes a call over whose answer could not be written down says the same, after a time of its own.
        meta = {name: value for name, value in envelope.get("meta", {}).items() if name not in _OWN_TO_A_DELIVERY}
        return json.dumps({**envelope, "meta": meta}, sort_keys=True)


def open_session(*, keep_alive: bool = True) -> aiohttp.ClientSession:
    """Return a session without a limit of its own; doomed servers are better asked without keeping connections."""
    connector = aiohttp.TCPConnector(limit=0, force_close=not keep_alive)
    return aiohttp.ClientSession(connector=connector, headers=HEADERS, timeout=_PATIENCE)


async def post(http: aiohttp.ClientSession, url: str, body: dict[str, Any] | bytes) -> Answer:
    """Deliver a call once."""
    sent = body if isinstance(body, bytes) else json.dumps(body).encode()
    return await _asked(http, "POST", f"{url}/tools/execute", sent)


async def get_definitions(http: aiohttp.ClientSession, url: str, query: str) -> Answer:
    """Ask for the offered tools; an answer that lists some counts as ok."""
    answer = await _asked(http, "GET", f"{url}/tools/definitions?{query}", None)
    if answer.status == 200 and answer.envelope and answer.envelope.get("tools"):
        return Answer(200, {"ok": True, **answer.envelope}, answer.took_s)
    return answer


async def _asked(http: aiohttp.ClientSession, method: str, url: str, body: bytes | None) -> Answer:
    began = time.perf_counter()
    try:
        async with http.request(method, url, data=body) as response:
            text = await response.read()
    except (aiohttp.ClientError, TimeoutError, OSError) as error:
        return Answer(0, None, time.perf_counter() - began, type(error).__name__)
    took_s = time.perf_counter() - began
    try:
        envelope = json.loads(text)
    except ValueError:
        return Answer(response.status, None, took_s, "not JSON")
    return Answer(response.status, envelope if isinstance(envelope, dict) else None, took_s)


async def until_final(
    http: aiohttp.ClientSession,
    url: str,
    body: dict[str, Any],
    *,
    give_up_s: float,
    seen: Counter[str] | None = None,
    pause_s: Callable[[], float] = lambda: random.uniform(0.05, 0.2),
) -> Answer:
    """Deliver a call until the answer is final, as a webhook's sender does, or patience is over; return the last."""
    deadline = time.monotonic() + give_up_s
    while True:
        answer = await post(http, url, body)
        if seen is not None:
            seen[answer.kind] += 1
        if answer.is_final or time.monotonic() > deadline:
            return answer
        # A sender waits before it tries again, as long as it was told; there is nothing to wait for but time.
        await asyncio.sleep(pause_s() + _TOLD_TO_WAIT_S * (answer.kind == "RATE_LIMIT"))
