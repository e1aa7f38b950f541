"""The server's clock jumps while callers are on the line: nothing happens twice, is lost, or fails as ours."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import aiohttp

from drills import premises
from drills.callers import Answer, open_session, post
from drills.own_house import SALON, NotingStore, OwnHouse, own_house
from drills.premises import PATHS, SECRETS_KEY
from drills.records import read_records
from drills.replays import SECRET, asked, signed
from drills.result import FULL, QUICK, SMOKE, Check, Effort, Result, exactly, within
from switchboard.integrations.secrets.kms import LocalKeyKeeper
from switchboard.integrations.secrets.sealed_secrets import SealedSecrets

_LIMIT_S = 300.0
_JUMPS_MIN = (10, -10, 60 * 24, -60 * 24, 4, -4)
_FRESH_MIN = 5
_CALLS = {SMOKE: 2, QUICK: 10, FULL: 200}
_VAPI = "/api/tools/take_message/execute"


@dataclass
class _Seen:
    """What callers were answered."""

    kinds: Counter[str] = field(default_factory=Counter)
    differing: int = 0
    failed: int = 0
    signed: dict[int, int] = field(default_factory=dict)


def drill(effort: Effort) -> Result:
    """Return the table."""
    return asyncio.run(within(_LIMIT_S, _drill(_CALLS[effort.size])))


async def _drill(calls: int) -> Result:
    async def prepare(store: NotingStore, url: str) -> None:
        secrets = SealedSecrets(store, PATHS, LocalKeyKeeper.from_text(SECRETS_KEY))
        await secrets.keep(SALON, "vapi", "callbackSecret", SECRET)

    seen, numbers = _Seen(), iter(range(10_000))
    async with own_house(prepare=prepare) as own, open_session() as http:
        for minutes in _JUMPS_MIN:
            await _jump(http, own, minutes, [next(numbers) for _ in range(calls)], seen)
        own.clock.ahead = timedelta()
        for work in own.house.passes.values():
            await work(None)
        records = await read_records(own.store)  # type: ignore[arg-type]
        codes = await _spent_by_time(own)
    made = calls * len(_JUMPS_MIN)
    let_in = {minutes: status for minutes, status in seen.signed.items() if abs(minutes) <= _FRESH_MIN}
    kept_out = {minutes: status for minutes, status in seen.signed.items() if abs(minutes) > _FRESH_MIN}
    is_right = set(let_in.values()) == {200} and set(kept_out.values()) == {403}
    checks = (
        exactly("row 36: bookings of as many calls", made, len(records.bookings)),
        exactly("row 36: calls that were answered otherwise after a jump", 0, seen.differing),
        exactly("row 36: answers of 500 or more, or none", 0, seen.failed),
        exactly("row 36: times booked twice", 0, sum(len(item) > 1 for item in records.by_start.values())),
        exactly("row 36: slots and bookings that disagree", 0, len(records.orphan_slots) + len(records.missing_slots)),
        exactly("row 36: ledger rows left as started", 0, len(records.in_state("started"))),
        Check("row 36: signatures 4 minutes off / 10 and more", "200 / 403", _told(let_in, kept_out), is_right),
        Check("row 20: a visitor's token a day later", "401", codes, codes == "401"),
    )
    wrong = sum(not check.is_met for check in checks)
    return Result(
        f"clock: {len(_JUMPS_MIN)} jumps of up to a day, back and forth, {calls} bookings around each",
        "nothing twice, nothing lost",
        f"{wrong} differ",
        checks,
        (f"Answers: {', '.join(f'{count:,} {kind}' for kind, count in seen.kinds.most_common())}.",),
    )


async def _jump(http: aiohttp.ClientSession, own: OwnHouse, minutes: int, numbers: list[int], seen: _Seen) -> None:
    """Deliver bookings before, during and after a jump; each is the same call every time."""
    bodies = [premises.booking(f"clock-{n}", premises.start_of(n, datetime.now(UTC))) for n in numbers]
    before = await asyncio.gather(*(post(http, own.url, body) for body in bodies[::2]))
    during = asyncio.gather(*(post(http, own.url, body) for body in bodies))
    await asyncio.sleep(0)
    own.clock.ahead = timedelta(minutes=minutes)
    answers = [*before, *await during]
    body = json.dumps(asked(f"clock-{minutes}", "Call back")).encode()
    # Without the key that stands in all other requests.
    async with (
        aiohttp.ClientSession() as unknown,
        unknown.post(own.url + _VAPI, data=body, headers=signed(body)) as got,
    ):
        seen.signed[minutes] = got.status
    own.clock.ahead = timedelta()
    after = await asyncio.gather(*(post(http, own.url, body) for body in bodies))
    answers += after
    for answer in answers:
        seen.kinds[answer.kind] += 1
        seen.failed += answer.status == 0 or answer.status >= 500
    seen.differing += sum(_ids(one) != _ids(other) for one, other in zip(before, after[::2], strict=True))


def _ids(answer: Answer) -> str:
    return str((answer.envelope or {}).get("data", {}).get("bookingId"))


def _told(*groups: dict[int, int]) -> str:
    return " / ".join(", ".join(sorted({str(status) for status in group.values()})) for group in groups)


async def _spent_by_time(own: OwnHouse) -> str:
    """Begin a visit, let a day pass, and speak; return the status."""
    async with aiohttp.ClientSession() as http:
        async with http.post(f"{own.url}/portal/session", json={"businessId": SALON}) as begun:
            token = (await begun.json()).get("token", "")
        own.clock.ahead = timedelta(days=1)
        headers = {"Authorization": f"Bearer {token}"}
        async with http.post(f"{own.url}/portal/chat", json={"text": "Hello"}, headers=headers) as answer:
            status = str(answer.status)
        own.clock.ahead = timedelta()
    return status if token else f"no token: {begun.status}"
