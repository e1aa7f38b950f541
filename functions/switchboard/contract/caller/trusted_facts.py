"""How far a value may be believed, and the facts of a call that can stand in for a model's word.

A caller's number that the model passes on can be talked into being another one; the same number
as the telephone network signalled it cannot. The table is closed: a definition may name these facts and no others.
"""

from collections.abc import Callable, Mapping
from enum import Enum
from functools import cache, total_ordering
from typing import TypeAlias

from switchboard.contract.business.business import Business
from switchboard.contract.caller.strangers import proven_number
from switchboard.contract.context import Context, PhoneContext
from switchboard.contract.python.dataclass import dataclass


@total_ordering
class Trust(Enum):
    """Where a value comes from, the least trusted first; the words are those of `x-trust`.

    Signalling can be spoofed by a caller, though never by the model; verification is proof against the caller too; what
    the business wrote about itself is out of everybody's reach. What an earlier tool found may hold words of strangers.
    """

    MODEL = "model"
    TOOL = "tool"
    SIGNALLING = "signalling"
    VERIFIED = "verified"
    TENANT = "tenant"

    def __lt__(self, other: "Trust") -> bool:
        return _LEVELS.index(self) < _LEVELS.index(other)


_LEVELS = tuple(Trust)

Reader: TypeAlias = Callable[[Context, Business | None], str | None]
"""Reads one fact of a call; None or blank where it is not known."""


@dataclass(frozen=True, slots=True)
class Fact:
    """Something the call knows.

    Attributes:
        words: What it is, for the sentence that says it is missing.
        readings: How it is read at each level at which it is known, the least trusted first.
    """

    words: str
    readings: Mapping[Trust, Reader]

    @property
    def trust(self) -> Trust:
        """The most that this fact can be trusted."""
        return max(self.readings)

    def level(self, least: Trust) -> Trust | None:
        """Return the lowest level that is good enough, or None where the fact is never trusted that much."""
        return min((trust for trust in self.readings if trust >= least), default=None)


def _called_phone(facts: Context, _: Business | None) -> str | None:
    return facts.called_phone if isinstance(facts, PhoneContext) else None


def _call_sid(facts: Context, _: Business | None) -> str | None:
    return facts.call_sid if isinstance(facts, PhoneContext) else None


def _of_business(read: Callable[[Business], str | None]) -> Mapping[Trust, Reader]:
    return {Trust.TENANT: lambda _, business: read(business) if business else None}


FACTS: Mapping[str, Fact] = {
    "caller_phone": Fact(
        "the caller's phone number",
        {
            Trust.SIGNALLING: lambda facts, _: facts.caller_phone,
            Trust.VERIFIED: proven_number,
        },
    ),
    "called_phone": Fact("the phone number that was called", {Trust.SIGNALLING: _called_phone}),
    "call_sid": Fact("a phone call", {Trust.SIGNALLING: _call_sid}),
    "caller_id": Fact(
        "the caller's record", {Trust.VERIFIED: lambda facts, _: facts.caller_id if facts.caller_verified else None}
    ),
    # The credential says which business it is, also while its document cannot be read.
    "business.id": Fact("the business", {Trust.TENANT: lambda facts, _: facts.business_id}),
    "business.name": Fact("the business's name", _of_business(lambda b: b.name)),
    "business.phone": Fact("the business's phone number", _of_business(lambda b: b.phone)),
    "business.timezone": Fact("the business's time zone", _of_business(lambda b: b.timezone.key)),
    "business.twilioNumber": Fact("the business's Twilio number", _of_business(lambda b: b.twilio_number)),
}
"""The facts by the name that `x-from` gives them; nothing is taken from an earlier tool yet."""


def provide(fact: str, facts: Context, business: Business | None, least: Trust = Trust.MODEL) -> str | None:
    """Return a fact of this call, or None where it is not known, or not trusted enough.

    Args:
        fact: One of `FACTS`.
        facts: What the channel knows.
        business: None when it could not be read; then only its id is known.
        least: How far the value must be trusted: the caller's number at `VERIFIED` is there for verified callers only.
    """
    read = _reader(fact, least)
    value = read(facts, business) if read else None
    return value if value and value.strip() else None


@cache
def _reader(fact: str, least: Trust) -> Reader | None:
    known = FACTS[fact]
    level = known.level(least)
    return known.readings[level] if level else None
