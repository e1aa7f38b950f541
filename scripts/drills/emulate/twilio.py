"""Texts, phone calls and webhooks between Switchboard and emulate's Twilio."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from drills.emulate.account import SENDING, EmulatedAccount, seed
from drills.emulate.passage import ANSWER_LATE, ANSWER_LOST, REQUEST_LOST, Passage
from drills.emulate.server import emulating, version
from drills.emulate.webhooks import webhook_checks
from drills.result import Check, Effort, Result, exactly, within
from drills.texts import BUSINESS, SENDER, OneToken
from drills.twilio import Outcome, soon, wished
from stand_ins.faults import Fault
from stand_ins.twilio.account import SID
from switchboard.contract.business.business import read_business
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.ports import Telephony
from switchboard.integrations.twilio.accounts import TwilioAccounts

_LIMIT_S = 300.0
_LATE_S = 5.0
_LISTED, _MORE_THAN_LISTED = 50, 60
_TWIML = "<Response><Say>One moment.</Say></Response>"
# What may come of a wish that is made three times: what is told at first, and how many texts there are in the end.
_MAYBE = ("unknown, 1 in the end", "sent, 1 in the end")
_EITHER = "unknown or sent, 1 in the end"
_WISHES: dict[str, tuple[str, ...]] = {
    "nothing is wrong": ("sent, 1 in the end",),
    "another token (401)": ("no, 0 in the end",),
    "another's number (21606)": ("no, 0 in the end",),
    ANSWER_LOST: _MAYBE,
    ANSWER_LATE: _MAYBE,
    # Perhaps done: it is looked up, and never sent blindly.
    REQUEST_LOST: ("unknown, 0 in the end",),
}
_HOW: dict[str, Mapping[str, str]] = {
    "another token (401)": {"token": "not the account's"},
    "another's number (21606)": {"sender": "+15185550199"},
}
LEFT_OUT = (
    "Left out: 429, a full queue, opted-out and unreachable numbers, 500, 503 and what is no JSON, which emulate never "
    "answers; and that a call which has ended takes no changes (21220), since in emulate it does. What is lost or late "
    "is so on the way, after emulate has done it or before it was asked."
)


def drill(effort: Effort) -> Result:
    """Return the table, which is the same whatever the effort.

    Raises:
        Skipped: There is no emulate.
    """
    # A caller who has given up on a slow answer is no news.
    logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL + 1)
    with emulating("twilio", seed()) as target:
        passage = Passage(target)
        with passage.open() as url:
            return asyncio.run(within(_LIMIT_S, _drill(passage, url)))


async def _drill(passage: Passage, url: str) -> Result:
    async with EmulatedAccount(passage.target) as account:
        names = list(_WISHES)
        outcomes = await asyncio.gather(*(_outcome(n, name, passage, url, account) for n, name in enumerate(names)))
        checks = [_wish_check(name, outcome) for name, outcome in zip(names, outcomes, strict=True)]
        dishonest = [name for name, outcome in zip(names, outcomes, strict=True) if not outcome.is_honest]
        twice = sum(outcome.texts_in_the_end > 1 for outcome in outcomes)
        checks += [
            exactly("sent twice, though asked for three times", 0, twice),
            exactly("told at odds with what was done", 0, len(dishonest)),
            soon(max(outcome.took_s for outcome in outcomes)),
        ]
        accounts = TwilioAccounts(OneToken(), url)
        phone = await _connected(accounts)
        checks += [await _listing(phone, account), *await _calls(phone, account)]
        await accounts.close()
    checks += await webhook_checks()
    return Result(
        f"twilio: texts, phone calls and signed webhooks, with emulate {version()}",
        "0 twice, 0 dishonest",
        f"{twice} twice, {len(dishonest)} dishonest",
        tuple(checks),
        (*(f"At odds: {name}." for name in dishonest), LEFT_OUT),
    )


async def _outcome(number: int, name: str, passage: Passage, url: str, account: EmulatedAccount) -> Outcome:
    to = f"+1518555017{number}"
    if name in (ANSWER_LOST, ANSWER_LATE, REQUEST_LOST):
        passage.losses.waiting.append(Fault(SENDING, name, seconds=_LATE_S, to=to))

    async def sent() -> int:
        return len(await account.texts(to))

    return await wished(url, to, sent, **_HOW.get(name, {}))


def _wish_check(name: str, outcome: Outcome) -> Check:
    expected, seen = _WISHES[name], f"{outcome.told}, {outcome.texts_in_the_end} in the end"
    return Check(f"a text: {name}", _EITHER if expected is _MAYBE else expected[0], seen, seen in expected)


async def _connected(accounts: TwilioAccounts) -> Telephony:
    twilio: dict[str, Any] = {"isConnected": True, "accountSid": SID}
    phone = await accounts.of(read_business(BUSINESS, {"twilioNumber": SENDER, "integrations": {"twilio": twilio}}))
    assert phone is not None
    return phone


async def _listing(phone: Telephony, account: EmulatedAccount) -> Check:
    """Look up what was sent to a number that got, and sent, more texts than are looked at."""
    to = "+15185550180"
    for number in range(_MORE_THAN_LISTED):
        await account.text(to, f"text {number}")
    await account.simulate("inbound-message", To=SENDER, From=to, Body="not ours")
    texts = await phone.texts_to(to, datetime.now(UTC) - timedelta(hours=1))
    latest = {f"text {number}" for number in range(_MORE_THAN_LISTED - _LISTED, _MORE_THAN_LISTED)}
    is_latest = {text.body for text in texts} == latest and len(texts) == _LISTED
    return Check(
        f"looked up, of {_MORE_THAN_LISTED} texts",
        f"the latest {_LISTED}",
        _seen_list(len(texts), is_latest),
        is_latest,
    )


def _seen_list(count: int, is_latest: bool) -> str:
    return f"the latest {count}" if is_latest else f"{count} others"


async def _calls(phone: Telephony, account: EmulatedAccount) -> list[Check]:
    """Redirect a call and end it, twice; and try both with one that there is not."""
    sid, unknown = await account.call("+15185550181"), "CA" + "9" * 32
    rows = (
        ("a call: redirected", lambda: phone.redirect_call(sid, _TWIML), "done, ringing"),
        ("a call: hung up", lambda: phone.hang_up(sid), "done, completed"),
        ("a call: hung up again", lambda: phone.hang_up(sid), "done, completed"),
    )
    checks = []
    for what, do, expected in rows:
        seen = f"{await _done(do)}, {await account.call_status(sid)}"
        checks.append(Check(what, expected, seen, expected == seen))
    for what, do in (
        ("a call that is not there: redirected", lambda: phone.redirect_call(unknown, _TWIML)),
        ("a call that is not there: hung up", lambda: phone.hang_up(unknown)),
    ):
        seen = await _done(do)
        checks.append(Check(what, ErrorType.NOT_FOUND.value, seen, seen == ErrorType.NOT_FOUND.value))
    return checks


async def _done(do: Callable[[], Any]) -> str:
    try:
        await do()
    except ToolError as error:
        return error.type.value
    return "done"
