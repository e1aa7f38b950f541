"""What happens in a history: planned from one seed before anything runs, so that a part of it can be left out.

Whatever is decided while a step runs is drawn from the step's own seed, so that a step without its neighbours does what
it did beside them.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

FAULTS = {
    "slow": "the store takes longer over it",
    "refused": "the store refuses it",
    "contended": "somebody else changes the document at the same moment",
    "lost": "the store does it, and its answer is lost",
    "late": "the store does it after its answer was given up",
    "unanswered": "the service does it, and its answer is lost",
    "away": "the service cannot be reached",
    "dies": "the instance dies at it",
}
"""What can go wrong with one request of a step, to the store or to what is outside."""
_SHARES = (
    *(("slow", 0.03), ("refused", 0.01), ("contended", 0.02), ("lost", 0.015), ("late", 0.01)),
    *(("unanswered", 0.12), ("away", 0.03), ("dies", 0.006)),
)
OF_STORE = frozenset({"slow", "refused", "contended", "lost", "late", "dies"})
OF_OUTSIDE = frozenset({"unanswered", "away", "dies"})
WISHES = {
    "look": 26,
    "ask": 14,
    "book": 20,
    "cancel": 8,
    "move": 6,
    "text": 8,
    "message": 6,
    "order": 10,
    "flood": 5,
}
"""What callers want, and how often one wants it among how many."""
DISTURBANCES = {"death": 3, "freeze": 2, "clock": 2}
SERVICES = ("once", "safe", "later")
"""The owner's tools: one that must not be repeated, one that may, and one that is carried out afterwards."""


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that happens: somebody calls, or something breaks.

    Attributes:
        number: Its own, whatever is left out.
        kind: One of `WISHES`, or `death`, `freeze` or `clock`.
        at_s: When, in seconds from the beginning.
        seed: Decides everything else about it.
        faults: What may go wrong with its requests.
    """

    number: int
    kind: str
    at_s: float
    seed: str
    faults: tuple[str, ...] = tuple(FAULTS)


@dataclass(frozen=True, slots=True)
class Plan:
    """A history before it happens.

    Attributes:
        seed: Of the whole.
        instances: How many processes serve.
        has_calendar: Whether appointments are kept in an outside calendar.
        steps: In order of time.
        pass_faults: What may go wrong with what instances do every few seconds.
    """

    seed: str
    instances: int
    has_calendar: bool
    steps: tuple[Step, ...]
    pass_faults: tuple[str, ...] = ()


def planned(seed: str, callers: int) -> Plan:
    """Return the plan of a seed, for so many callers."""
    chance = random.Random(seed)
    instances, has_calendar = chance.choice((1, 2, 2, 3)), chance.random() < 0.4
    is_calm = chance.random() < 0.15
    steps, at_s = [], 1.0
    for _ in range(callers):
        at_s += chance.expovariate(1 / 1.5)
        steps.append((at_s, _one_of(chance, WISHES)))
    for kind, most in () if is_calm else DISTURBANCES.items():
        steps += [(chance.uniform(1.0, at_s), kind) for _ in range(chance.randint(0, most))]
    faults = () if is_calm else tuple(name for name in FAULTS if chance.random() < 0.75)
    rows = enumerate(sorted(steps), 1)
    return Plan(
        seed,
        instances,
        has_calendar,
        tuple(Step(number, kind, at, f"{seed}/{number}", faults) for number, (at, kind) in rows),
        faults,
    )


class Chances:
    """What is drawn while a step runs; the same draws, whichever faults are left out."""

    def __init__(self, step: Step) -> None:
        """Begin with the step's seed; nothing goes wrong any more once `is_over`."""
        self.step, self.is_over = step, False
        self.random = random.Random(step.seed)
        self._of_requests = random.Random(f"{step.seed}/requests")

    def request(self, possible: frozenset[str]) -> tuple[str, float]:
        """Return what goes wrong with a request, empty for nothing, and a share from 0 to 1: how long it takes."""
        drawn, share = self._of_requests.random(), self._of_requests.random()
        for name, part in _SHARES:
            if name in possible:
                if drawn < part:
                    return (name if name in self.step.faults and not self.is_over else ""), share
                drawn -= part
        return "", share


def _one_of(chance: random.Random, shares: dict[str, int]) -> str:
    names: Sequence[str] = tuple(shares)
    return chance.choices(names, weights=tuple(shares.values()))[0]
