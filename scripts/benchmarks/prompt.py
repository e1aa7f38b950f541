"""What the first request of a conversation costs in tokens, for the demo businesses, and how much of the next is equal.

Tokens are estimated from characters, a little above what the tokenizer of current OpenAI models (o200k) counts for
these texts: it needs 3.7 to 3.9 characters of prose, English or German, and 4.3 to 4.4 of declared tools.
"""

from __future__ import annotations

import asyncio
import json
import math
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from benchmarks.figure import Effort, Figure, Line
from switchboard.contract.channel import Channel
from switchboard.contract.context import CONTEXTS
from switchboard.state.memory import MemoryStore
from switchboard.state.paths import FirestorePaths

CHARACTERS_OF_PROSE, CHARACTERS_OF_TOOLS = 3.7, 4.25
BUDGETS = {"demo-salon": 6_200, "demo-plumber": 2_500}
"""So many tokens at most, on whichever channel."""
EQUAL = 0.95
_NOW = datetime(2026, 11, 24, 15, 4, 50, tzinfo=UTC)


@dataclass(frozen=True)
class Request:
    """The first request of a conversation, and the share of it that is the same a minute later."""

    business: str
    channel: Channel
    prose: int
    tools: int
    equal: float

    @property
    def tokens(self) -> int:
        """Of both."""
        return self.prose + self.tools


def measure(effort: Effort) -> Figure:
    """Return the figure."""
    lines = []
    for request in asyncio.run(first_requests()):
        most = BUDGETS[request.business]
        told = (
            f"{request.tokens:,} tokens: prompt {request.prose:,}, tools {request.tools:,}; {request.equal:.1%} equal"
        )
        met = request.tokens <= most and request.equal >= EQUAL
        target = f"≤ {most:,}, {EQUAL:.0%} equal"
        lines.append(Line(f"{request.business}, {request.channel.value}", told, "", "", target, met))
    notes = ("Equal: from the beginning, tools first, to a request a minute later; vendors' caches serve that share.",)
    return Figure("prompt: what the first request of a conversation holds, estimated tokens", "", tuple(lines), notes)


async def first_requests() -> list[Request]:
    """Return one for each demo business and channel."""
    import demo
    import main

    store = MemoryStore()
    house = main.build(main.read_configuration({"SWITCHBOARD_EMBEDDINGS": "none"}), store)
    clock = house.clock = _Clock(house.clock)  # type: ignore[assignment]
    await demo.furnish(store, FirestorePaths(), _NOW)
    found = []
    try:
        for business in BUDGETS:
            for channel in Channel:
                facts = CONTEXTS[channel](
                    business_id=business, session_id=f"s{channel.value}", turn=1, applies_intents=True
                )
                parts = (await house.talking.conversations.open(facts))._parts
                offer = await parts.offer(facts)
                tools = json.dumps(offer.declared_to_model("openai"), ensure_ascii=False, separators=(",", ":"))
                texts = []
                for minutes in (0, 1):
                    clock.moment = _NOW + timedelta(minutes=minutes)
                    texts.append(await parts.system(offer, facts))
                prose = texts[0]
                same = len(tools) + len(_common(*texts))
                equal = same / (len(tools) + len(prose))
                sizes = math.ceil(len(prose) / CHARACTERS_OF_PROSE), math.ceil(len(tools) / CHARACTERS_OF_TOOLS)
                found.append(Request(business, channel, *sizes, equal))
    finally:
        await house.close()
    return found


def _common(one: str, other: str) -> str:
    """Return what two texts begin with."""
    differs = next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    return one[:differs]


class _Clock:
    """A time that is set."""

    def __init__(self, real: object) -> None:
        self.moment, self._real = _NOW, real

    def now(self) -> datetime:
        """Tell it."""
        return self.moment

    def monotonic(self) -> float:
        """Tell what goes on."""
        return float(self._real.monotonic())  # type: ignore[attr-defined]
