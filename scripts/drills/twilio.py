"""Twilio fails in each way that it documents: nobody gets a text twice, and what is told of it is true."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from drills.result import FULL, SMOKE, Check, Effort, Result, exactly, within
from drills.texts import BUSINESS, SENDER, OneToken
from stand_ins.loopback import serving
from stand_ins.twilio.account import SID, TOKEN
from stand_ins.twilio.app import TwilioStandIn
from stand_ins.twilio.faults import MODES, REFUSALS, Fault
from switchboard.app.clients import SystemClock
from switchboard.contract.business.business import read_business
from switchboard.contract.deadline import ending_in
from switchboard.contract.error import ToolError
from switchboard.desk.limits.rate_limits import RateLimits
from switchboard.desk.messaging.outbox import OutboxItem
from switchboard.desk.messaging.sms import Texts
from switchboard.integrations.twilio.accounts import TwilioAccounts
from switchboard.state.memory.store import MemoryStore
from switchboard.state.paths import FirestorePaths

_LIMIT_S = 300.0
_ALLOWED_S = 3.0
# What a caller hears while it is carried out takes a moment of its own.
_SLACK_S = 0.5
_SENT, _NO, _UNKNOWN = "sent", "no", "unknown"
_SMOKE_MODES = ("429", "500", "accept-then-drop", "401")


@dataclass(frozen=True)
class Outcome:
    """What one wish came to: what was told of it at first, how many texts there are, and how long the answer took."""

    told: str
    texts: int
    texts_in_the_end: int
    took_s: float

    @property
    def is_honest(self) -> bool:
        """Whether what was told is so."""
        return {_SENT: self.texts == 1, _NO: self.texts == 0, _UNKNOWN: True}[self.told]


def drill(effort: Effort) -> Result:
    """Return the table."""
    # A caller who has given up on a slow answer is no news.
    logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL + 1)
    modes = _SMOKE_MODES if effort.size == SMOKE else MODES
    kinds = [(mode, lasts) for mode in modes for lasts in ((False, True) if effort.size == FULL else (False,))]
    return asyncio.run(within(_LIMIT_S, _drill(kinds)))


async def _drill(kinds: Sequence[tuple[str, bool]]) -> Result:
    rows = dict(zip(kinds, await asyncio.gather(*map(_wish, kinds)), strict=True))
    checks = []
    for (mode, lasts), outcome in rows.items():
        expected = _expected(mode, lasts)
        seen = f"{outcome.told}, {outcome.texts_in_the_end} in the end"
        checks.append(
            Check(f"row {_row(mode)}: {mode}{', lasting' * lasts}", " or ".join(expected), seen, seen in expected)
        )
    dishonest = [kind for kind, outcome in rows.items() if not outcome.is_honest]
    twice = sum(outcome.texts_in_the_end > 1 for outcome in rows.values())
    slowest_s = max(outcome.took_s for outcome in rows.values())
    checks += [
        exactly("sent twice, though asked for three times", 0, twice),
        exactly("told at odds with what was done", 0, len(dishonest)),
        soon(slowest_s),
    ]
    return Result(
        f"twilio: {len(rows)} faults meet one text message each, which is asked for three times",
        "0 twice, 0 dishonest",
        f"{twice} twice, {len(dishonest)} dishonest",
        tuple(checks),
        tuple(f"At odds: {mode}, {rows[mode, lasts].told}." for mode, lasts in dishonest),
    )


def soon(slowest_s: float) -> Check:
    """Return the row of how long the slowest answer took."""
    return Check("slowest answer", f"≤ {_ALLOWED_S:g} s", f"{slowest_s:.1f} s", slowest_s <= _ALLOWED_S + _SLACK_S)


async def _wish(kind: tuple[str, bool]) -> Outcome:
    """Wish for one text while Twilio has one fault, then twice more."""
    mode, lasts = kind
    twilio = TwilioStandIn()
    twilio.faults.waiting.append(Fault("messages.create", mode, None if lasts else 1))

    async def sent() -> int:
        return len(twilio.account.texts)

    with serving(twilio.app) as url:
        return await wished(url, "+15185550171", sent)


async def wished(
    url: str, to: str, sent: Callable[[], Awaitable[int]], *, sender: str = SENDER, token: str = TOKEN
) -> Outcome:
    """Wish for one text three times.

    Args:
        url: What stands in for Twilio; its account is the stand-in's.
        to: Whom to text.
        sent: Tells how many texts it has taken on for them.
        sender: The business's number.
        token: What the business takes for its account's.
    """
    store, clock = MemoryStore(), SystemClock()
    accounts = TwilioAccounts(OneToken(token), url)
    texts = Texts(store, accounts, RateLimits(store, clock), clock)
    settings = {"isConnected": True, "accountSid": SID}
    document = {"phone": sender, "twilioNumber": sender, "integrations": {"twilio": settings}}
    paths = FirestorePaths().within(BUSINESS)
    errand = OutboxItem(read_business(BUSINESS, document), paths, datetime.now(UTC))
    # What is loaded for the first text of a process is no part of its answer.
    await accounts.warm()
    began = time.monotonic()
    state = await _told(texts, errand, to)
    took_s, at_first = time.monotonic() - began, await sent()
    for _ in range(2):
        await _told(texts, errand, to)
    await accounts.close()
    return Outcome(state, at_first, await sent(), took_s)


async def _told(texts: Texts, errand: OutboxItem, to: str) -> str:
    try:
        with ending_in(_ALLOWED_S):
            receipt = await texts.send(errand, to, "Hello from the drill", effect_key="the wish")
        return _SENT if receipt.state == "sent" else _UNKNOWN
    except ToolError as error:
        return _UNKNOWN if error.partial_side_effects else _NO


def _row(mode: str) -> str:
    return "12" if mode in ("429", "queue-full") else "13" if mode not in REFUSALS or mode in ("500", "503") else "11"


def _expected(mode: str, lasts: bool) -> tuple[str, ...]:
    """Return what may come of it: what is told at first, and how many texts there are after two more wishes."""
    if mode in ("429", "queue-full"):
        # Never processed, so it is always safe to ask again.
        return ("no, 0 in the end",) if lasts else ("sent, 1 in the end",)
    if mode == "401":
        # Asked for again once the account answers.
        return ("no, 0 in the end",) if lasts else ("no, 1 in the end",)
    if mode in REFUSALS and mode not in ("500", "503"):
        return ("no, 0 in the end",)
    if mode.startswith("accept") or mode == "slow":
        return ("unknown, 1 in the end", "sent, 1 in the end")
    # Perhaps done: it is looked up, and never sent blindly.
    return ("unknown, 0 in the end",)
