"""Somebody has the business send text messages, as many as they can: no limit is passed, and nobody gets one twice."""

from __future__ import annotations

import asyncio
import random
import time
import uuid
from collections import Counter, deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from command_line import Problem
from drills.emulators import any_emulator
from drills.premises import patient_store
from drills.result import FULL, QUICK, SMOKE, Check, Effort, Result, exactly, within
from running.emulator import clear
from stand_ins.loopback import serving
from stand_ins.twilio.account import SID, TOKEN
from stand_ins.twilio.app import TwilioStandIn
from stand_ins.twilio.faults import Fault
from switchboard.contract.business.business import read_business
from switchboard.contract.error import ToolError
from switchboard.desk.limits.rate_limits import TEXTS_PER_HOUR, RateLimits
from switchboard.desk.messaging.outbox import OutboxItem
from switchboard.desk.messaging.sms import Texts
from switchboard.integrations.twilio.accounts import TwilioAccounts
from switchboard.state.firestore.store import FirestoreStore
from switchboard.state.paths import FirestorePaths

BUSINESS = "flooded"
VICTIM, RANGE, SENDER = "+15185550171", "+1518556", "+15185550100"
PER_NUMBER, PER_RANGE = 3, 10
_AT_ONCE = 64
_PROCESSES = 4
_LIMIT_S = 1_200.0
_REQUESTS = {SMOKE: 400, QUICK: 2_000, FULL: 10_000}
# Within the texts that do go out, so that some of them meet each.
_FAULTS = (("429", 3), ("accept-then-drop", 2), ("500", 2))


@dataclass(frozen=True)
class _Clock:
    """One moment for all requests: however long they take, they fall into one window of every limit."""

    moment: datetime

    def now(self) -> datetime:
        return self.moment

    def monotonic(self) -> float:
        return time.monotonic()


class OneToken:
    """The secrets of a single business, whose only one is its account's token."""

    def __init__(self, token: str = TOKEN) -> None:
        self._token = token

    async def reveal(self, business_id: str, toolkit: str, field: str, *, agent_id: str = "") -> str | None:
        return self._token

    async def keep(self, business_id: str, toolkit: str, field: str, value: str, *, agent_id: str = "") -> None:
        raise Problem("the drill keeps no secrets")

    async def forget(self, business_id: str, toolkit: str, *, agent_id: str = "") -> None:
        raise Problem("the drill keeps no secrets")


def drill(effort: Effort) -> Result:
    """Return the table.

    Raises:
        Skipped: There is no emulator.
    """
    twilio = TwilioStandIn()
    twilio.faults.waiting += [Fault("messages.create", mode, times) for mode, times in _FAULTS]

    async def sent() -> Sequence[Mapping[str, str]]:
        return list(twilio.account.texts.values())

    with serving(twilio.app) as url:
        return flooded(effort, url, sent)


def flooded(effort: Effort, url: str, sent: Callable[[], Awaitable[Sequence[Mapping[str, str]]]]) -> Result:
    """Return the table of a flood of requests.

    Args:
        effort: How many.
        url: What stands in for Twilio; its account is the stand-in's.
        sent: Tells which texts it has taken on.

    Raises:
        Skipped: There is no emulator.
    """
    with any_emulator() as host:
        project = f"demo-drill-{uuid.uuid4().hex[:8]}"
        stores = [patient_store(project, host) for _ in range(_PROCESSES)]
        try:
            return asyncio.run(within(_LIMIT_S, _drill(effort, stores, url, sent)))
        finally:
            clear(host, project)


async def _drill(
    effort: Effort,
    stores: Sequence[FirestoreStore],
    url: str,
    sent: Callable[[], Awaitable[Sequence[Mapping[str, str]]]],
) -> Result:
    clock, accounts = _Clock(datetime.now(UTC)), TwilioAccounts(OneToken(), url)
    desks = [Texts(store, accounts, RateLimits(store, clock), clock) for store in stores]
    for store in stores:
        await store.warm()
    twilio_settings = {"isConnected": True, "accountSid": SID}
    document = {"phone": SENDER, "twilioNumber": SENDER, "integrations": {"twilio": twilio_settings}}
    errand = OutboxItem(read_business(BUSINESS, document), FirestorePaths().within(BUSINESS), clock.moment)
    chance, count = random.Random(effort.seed), _REQUESTS[effort.size]
    waiting = deque((f"wish-{n}", _number(chance)) for n in range(count))
    seen: Counter[str] = Counter()
    began = time.monotonic()

    async def sender(texts: Texts) -> None:
        while waiting:
            wish, number = waiting.popleft()
            try:
                receipt = await texts.send(errand, number, f"Hello from {wish}", effect_key=wish)
                seen[receipt.state] += 1
            except ToolError as error:
                seen[f"{error.type}{', unknown' if error.partial_side_effects else ''}"] += 1

    await asyncio.gather(*(sender(desks[n % _PROCESSES]) for n in range(_AT_ONCE)))
    took_s = time.monotonic() - began
    await accounts.close()
    for store in stores:
        await store.close()
    return _result(count, await sent(), seen, took_s)


def _number(chance: random.Random) -> str:
    """Return whom a request wants texted: mostly one victim, often one range, sometimes anybody."""
    where = chance.random()
    if where < 0.6:
        return VICTIM
    if where < 0.9:
        return f"{RANGE}{chance.randrange(2_000, 2_200):04}"
    return f"+1518{chance.randrange(2_000_000, 9_999_999)}"


def _result(count: int, texts: Sequence[Mapping[str, str]], seen: Counter[str], took_s: float) -> Result:
    twice = len(texts) - len({text["body"] for text in texts})
    checks = (
        _most("to one number", PER_NUMBER, texts, lambda to: to),
        _most("to one range of numbers", PER_RANGE, texts, lambda to: to[:-4]),
        _most("of the business", TEXTS_PER_HOUR, texts, lambda to: ""),
        exactly("sent twice", 0, twice),
        exactly("requests that were answered", count, sum(seen.values())),
    )
    told = ", ".join(f"{number:,} {kind}" for kind, number in seen.most_common())
    return Result(
        f"texts: {count:,} requests for text messages, {_AT_ONCE} at once from {_PROCESSES} processes, within one hour",
        f"≤ {TEXTS_PER_HOUR} texts, none twice",
        f"{len(texts)} texts, {twice} twice",
        checks,
        (f"Answered: {told}.", f"{count / took_s:,.0f} requests a second."),
    )


def _most(what: str, allowed: int, texts: Sequence[Mapping[str, str]], key: Callable[[str], str]) -> Check:
    """Return the row of how many texts there were at most for one key of the number."""
    most = max(Counter(key(text["to"]) for text in texts).values(), default=0)
    return Check(what, f"≤ {allowed}", str(most), most <= allowed)
