"""One-time codes and tries to be verified, by very many at once: no more are looked at than are allowed."""

from __future__ import annotations

import asyncio
import re
import time
import uuid
from collections.abc import Awaitable, Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from drills.emulators import any_emulator
from drills.premises import BUSINESS, PATHS, WITHIN, patient_store
from drills.result import FULL, QUICK, SMOKE, Effort, Result, exactly, within
from running.emulator import clear
from switchboard.contract.business.business import Business
from switchboard.contract.context import CallContext, PortalContext
from switchboard.contract.error import ToolError
from switchboard.contract.ports import Store
from switchboard.contract.store import Set
from switchboard.desk.callers.callers import Callers
from switchboard.desk.callers.code_state import CodeHash
from switchboard.desk.callers.one_time_codes import DIGITS, TRIES, OneTimeCodes
from switchboard.desk.callers.verification import TRIES_PER_DAY, SaidFacts, Verification
from switchboard.desk.limits.rate_limits import RateLimits

# (how many codes, how many guesses at each of them at once)
AMOUNTS = {SMOKE: (1, 100), QUICK: (3, 1_000), FULL: (20, 1_000)}
CODES_IN_TEN_MINUTES = 3
INSTANCES = 4
_LIMIT_S = 900.0
_PEPPER = b"a pepper for drills, of no use elsewhere"


class CountingSeal(CodeHash):
    """A seal that counts how many codes were held against it."""

    evaluated = 0

    def opens(self, sealed: str, code: str, *bound_to: str) -> bool:
        self.evaluated += 1
        return super().opens(sealed, code, *bound_to)


class Watch:
    """The machine's time, which the limits ask for."""

    def now(self) -> datetime:
        return datetime.now(UTC)

    def monotonic(self) -> float:
        return time.monotonic()


@dataclass(frozen=True)
class Person:
    """Somebody on file, whose telephone keeps the codes that were sent to it."""

    number: int
    at: datetime

    @property
    def phone(self) -> str:
        return f"+1518555{100 + self.number:04}"

    @property
    def facts(self) -> SaidFacts:
        return SaidFacts(name=f"Caller {_letters(self.number)}", phone=self.phone)

    def call(self, session: str, call_id: str = "", level: str = "code") -> CallContext:
        """Return a call of this person, or of somebody who claims to be, at a business that asks for so much."""
        session_id = f"{session} of {self.number}"
        return CallContext(
            business=Business(BUSINESS, name="The Drilled Dentist", phone="+15185550142", caller_verification=level),
            facts=PortalContext(business_id=BUSINESS, session_id=session_id, call_id=call_id or uuid.uuid4().hex),
            paths=WITHIN,
            now=self.at,
            tool="check_verification_code",
            effect_key=f"{session_id}|{uuid.uuid4().hex}",
        )


class Instance:
    """One of several that share the store and the pepper, and nothing else."""

    def __init__(self, store: Store, sent: dict[str, list[str]]) -> None:
        self.store, self._sent, self.seal = store, sent, CountingSeal(_PEPPER)
        self.codes = OneTimeCodes(store, RateLimits(store, Watch()), self.seal, self._deliver)
        self.verification = Verification(store, Callers(store), self.codes)

    async def _deliver(self, ctx: CallContext, to: str, body: str, *, effect_key: str, purpose: str) -> None:
        self._sent.setdefault(to, []).append(body)


def drill(effort: Effort) -> Result:
    """Return the table.

    Raises:
        Skipped: There is no emulator.
    """
    with any_emulator() as host:
        project = f"demo-drill-{uuid.uuid4().hex[:8]}"
        try:
            return asyncio.run(within(_LIMIT_S, _drill(effort, host, project)))
        finally:
            clear(host, project)


async def _drill(effort: Effort, host: str, project: str) -> Result:
    rounds, crowd = AMOUNTS[effort.size]
    sent: dict[str, list[str]] = {}
    instances = [Instance(patient_store(project, host), sent) for _ in range(INSTANCES)]
    # In the middle of a window of the limits: one that began in between would allow as many again.
    at = datetime.now(UTC).replace(hour=12, minute=5, second=0, microsecond=0)
    people = [Person(number, at) for number in range(3 * rounds)]
    await instances[0].store.commit(
        [Set(PATHS.within(BUSINESS).document("callers", f"clr_{p.number}"), _record(p)) for p in people]
    )
    guessed, late, used, matched, wishes = 0, 0, 0, 0, 0
    began = time.monotonic()
    for number in range(rounds):
        one, two, three = people[3 * number : 3 * number + 3]
        guessed += await _guess(instances, one, crowd, sent)
        late += await _right(instances, one, 1, sent)
        await _send(instances[0], two)
        used += await _right(instances, two, crowd, sent)
        matched += await _match(instances, three, crowd)
        wishes += await _flood(instances, three)
    took_s = time.monotonic() - began
    evaluated = sum(instance.seal.evaluated for instance in instances)
    for instance in instances:
        await instance.store.close()
    # Each round has a code that is guessed at and one that is said as it is; both are held against five tries.
    allowed = 2 * rounds * TRIES
    return Result(
        f"codes: {2 * rounds} codes, {crowd:,} tries at each at once, over {INSTANCES} instances",
        f"{allowed} tries evaluated",
        f"{evaluated} of {2 * rounds * crowd:,} evaluated",
        (
            exactly("tries that were evaluated", allowed, evaluated),
            exactly("wrong guesses that counted", 0, guessed),
            exactly("right codes after five wrong guesses that counted", 0, late),
            exactly(f"right codes that counted, said {crowd:,} times at once", rounds, used),
            exactly(f"verified by facts alone, of {crowd:,}", rounds * TRIES_PER_DAY, matched),
            exactly(f"texts to one number, wished by {TRIES_PER_DAY} at once", rounds * CODES_IN_TEN_MINUTES, wishes),
        ),
        (f"{rounds * 3 * crowd:,} tries in {took_s:.1f} s.",),
    )


async def _guess(instances: list[Instance], person: Person, crowd: int, sent: dict[str, list[str]]) -> int:
    """Let a crowd guess at one code, all of them wrongly; return how many were believed."""
    await _send(instances[0], person)
    code = int(_code(person, sent))
    wrong = [f"{(code + 1 + n) % 10**DIGITS:0{DIGITS}}" for n in range(crowd)]
    return await _believed(
        instances[n % INSTANCES].codes.check(person.call("right"), digits) for n, digits in enumerate(wrong)
    )


async def _right(instances: list[Instance], person: Person, crowd: int, sent: dict[str, list[str]]) -> int:
    """Let a crowd say one code as it is; return how many were believed."""
    code = _code(person, sent)
    return await _believed(instances[n % INSTANCES].codes.check(person.call("right"), code) for n in range(crowd))


async def _match(instances: list[Instance], person: Person, crowd: int) -> int:
    """Let a crowd of sessions tell the facts of one person; return how many were verified by them alone."""
    verdicts = await _answered(
        instances[n % INSTANCES].verification.verify(person.call(f"match {n}", level="match"), person.facts)
        for n in range(crowd)
    )
    return sum(verdict.outcome == "verified" for verdict in verdicts)


async def _flood(instances: list[Instance], person: Person) -> int:
    """Let every session that has been matched ask for a code; return how many were sent."""
    calls = [person.call(f"flood {n}") for n in range(TRIES_PER_DAY)]
    (record,) = await Callers(instances[0].store).of_number(WITHIN, person.phone)
    await asyncio.gather(*(instances[0].codes.expect(call, record) for call in calls))
    wishes = [instances[n % INSTANCES].codes.send(call) for n, call in enumerate(calls)]
    answers = await _answered(wishes)
    for instance in instances:
        await instance.codes.ended()
    return len(answers)


async def _send(instance: Instance, person: Person) -> None:
    call = person.call("right")
    await instance.verification.verify(call, person.facts)
    await instance.codes.send(replace(call, tool="send_verification_code"))
    await instance.codes.ended()


async def _believed(checks: Iterable[Awaitable[Any]]) -> int:
    return sum(checked.is_right for checked in await _answered(checks))


async def _answered(wishes: Iterable[Awaitable[Any]]) -> list[Any]:
    """Return what was answered; one that the store could not count is refused, and believed by nobody."""
    answers = await asyncio.gather(*wishes, return_exceptions=True)
    for answer in answers:
        if isinstance(answer, BaseException) and not isinstance(answer, ToolError):
            raise answer
    return [answer for answer in answers if not isinstance(answer, BaseException)]


def _code(person: Person, sent: dict[str, list[str]]) -> str:
    match = re.search(rf"\b\d{{{DIGITS}}}\b", sent[person.phone][-1])
    assert match is not None
    return match[0]


def _record(person: Person) -> dict[str, Any]:
    return {"name": person.facts.name, "phone": person.phone}


def _letters(number: int) -> str:
    return "".join(chr(ord("A") + int(digit)) for digit in f"{number:03}")
