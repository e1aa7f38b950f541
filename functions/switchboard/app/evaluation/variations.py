"""The forms in which every scenario is held, each of which must come to the same as the plain one."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Iterator
from dataclasses import field, replace
from typing import Any

from switchboard.admin.evals.scenario import Channel, Scenario
from switchboard.app.evaluation.observing import Execute
from switchboard.app.evaluation.world import World
from switchboard.contract.call import ToolCall
from switchboard.contract.context import Context
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.response import ToolResponse

KINDS = {
    "thrice": "each call is delivered three times: twice under its id, and once under another",
    "killed": "the process dies after a call, and another one takes over",
    "slow": "the store takes longer over everything",
    "frozen": "the store answers nothing while a call is made",
    "restarted": "the store writes, and its answer is lost",
    "interrupted": "the caller talks into an answer, and says it again",
    "channel": "the same on another channel",
    "dialect": "tools are declared in another vendor's words",
    "two callers": "somebody else calls at the same time and wants the same",
}
DIALECTS = ("openai", "anthropic", "gemini")
BREAKING = frozenset({"killed", "frozen", "restarted"})
_MOST_KILLED = 6


@dataclass(frozen=True, slots=True)
class ScenarioForm:
    """One of them; the plain one has no `kind`.

    Attributes:
        at: The number of the call, or line, at which it happens; the first is 1.
    """

    kind: str = ""
    at: int = 0
    channel: Channel = "phone"
    dialect: str = DIALECTS[0]

    @property
    def name(self) -> str:
        """What it is called in tables."""
        if self.kind == "channel":
            return f"channel {self.channel}"
        if self.kind == "dialect":
            return f"dialect {self.dialect}"
        if self.kind == "interrupted":
            return f"interrupted at line {self.at}"
        return f"{self.kind} at call {self.at}" if self.at else self.kind or "plain"


def plain(scenario: Scenario) -> ScenarioForm:
    """Return the form that a scenario is written for."""
    return ScenarioForm(channel=scenario.channels[0])


def forms(scenario: Scenario, calls: int, lines: int, seed: int) -> Iterator[ScenarioForm]:
    """Yield every other form of a scenario.

    Args:
        scenario: What is varied.
        calls: How many calls were made in the plain form.
        lines: How many lines were said.
        seed: Chooses where something happens that can happen anywhere.
    """
    chance, base = random.Random(f"{seed}/{scenario.business}/{scenario.name}"), plain(scenario)
    first: list[ScenarioForm] = [
        replace(base, kind="thrice"),
        replace(base, kind="slow"),
        replace(base, kind="two callers"),
    ]
    numbers = range(1, calls + 1)
    chosen = sorted(chance.sample(numbers, min(calls, _MOST_KILLED)))
    first += [replace(base, kind="killed", at=number) for number in chosen]
    if calls:
        first += [replace(base, kind=kind, at=chance.choice(numbers)) for kind in ("frozen", "restarted")]
    if lines:
        first.append(replace(base, kind="interrupted", at=chance.randint(1, lines)))
    first += [replace(base, kind="channel", channel=channel) for channel in scenario.channels[1:]]
    first += [replace(base, kind="dialect", dialect=dialect) for dialect in DIALECTS[1:]]
    yield from (form for form in first if form.kind not in scenario.without)


@dataclass(slots=True)
class Disturbance:
    """Does to the calls of a conversation what a form says.

    Attributes:
        died: Set when the process has died.
        has_happened: Whether it has been done; it is done once.
    """

    form: ScenarioForm
    world: World
    died: asyncio.Event = field(default_factory=asyncio.Event)
    has_happened: bool = False
    odd: list[str] = field(default_factory=list)

    async def deliver(self, number: int, execute: Execute, call: ToolCall, facts: Context) -> ToolResponse:
        """Deliver a call, and return its answer."""
        kind, is_now = self.form.kind, number == self.form.at and not self.has_happened
        if kind == "thrice":
            return await self._thrice(execute, call, facts)
        if not is_now or kind not in BREAKING:
            return await execute(call, facts)
        self.has_happened = True
        connection = self.world.connection
        if kind == "killed":
            await execute(call, facts)
            self.world.kill()
            self.died.set()
            await asyncio.get_running_loop().create_future()
        connection.is_frozen, connection.loses_answers = kind == "frozen", kind == "restarted"
        try:
            return await execute(call, facts)
        finally:
            connection.is_frozen = connection.loses_answers = False

    async def _thrice(self, execute: Execute, call: ToolCall, facts: Context) -> ToolResponse:
        response = await execute(call, facts)
        again = await execute(call, facts)
        if (again.ok, again.data) != (response.ok, response.data):
            self.odd.append(f"{call.name} was delivered again under its id and answered otherwise: {_shown(again)}")
        await execute(call, replace(facts, call_id=f"{facts.call_id}.again"))
        return response


def _shown(response: ToolResponse) -> Any:
    return response.data if response.ok else f"{response.failure.type}: {response.failure.message}"  # type: ignore[union-attr]
