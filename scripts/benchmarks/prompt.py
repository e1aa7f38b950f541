"""What a conversation's first request costs in tokens, for the demo businesses, and what a later one shares with it.

Tokens are estimated from characters, a little above what the tokenizer of current OpenAI models (o200k) counts for
these texts: it needs 3.7 to 3.9 characters of prose, English or German, and 4.3 to 4.4 of declared tools.
"""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import Awaitable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from benchmarks.figure import Effort, Figure, Line
from switchboard.catalog.offer.offer import Offer
from switchboard.contract.call import ToolCall
from switchboard.contract.channel import Channel
from switchboard.contract.context import CONTEXTS, Context
from switchboard.contract.model import Prompt, Spoken, ToolMessage
from switchboard.contract.response import ToolResponse
from switchboard.conversation.dependencies import Dependencies
from switchboard.conversation.session import CallSession
from switchboard.conversation.speech.briefing import Briefing
from switchboard.models.openai_chat import OpenAIChat
from switchboard.state.memory.store import MemoryStore
from switchboard.state.paths import FirestorePaths

CHARACTERS_OF_PROSE, CHARACTERS_OF_TOOLS = 3.7, 4.25
BUDGETS = {"demo-salon": 4_200, "demo-plumber": 2_500}
"""So many tokens at most, on whichever channel."""
EQUAL = 0.9
"""So much of the second turn's first request, at least, is how the first turn's last one began."""
_NOW = datetime(2026, 11, 24, 15, 4, 50, tzinfo=UTC)


@dataclass(frozen=True)
class Request:
    """The first request, and the share of the second turn's that begins as the first turn's last."""

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
        text = (
            f"{request.tokens:,} tokens: prompt {request.prose:,}, tools {request.tools:,}; {request.equal:.1%} equal"
        )
        met = request.tokens <= most and request.equal >= EQUAL
        target = f"≤ {most:,}, {EQUAL:.0%} equal"
        lines.append(Line(f"{request.business}, {request.channel.value}", text, "", "", target, met))
    notes = (
        "Equal: of the second turn's first request, a minute later, what begins as the first turn's last one did: "
        "tools, prompt, history; vendors' caches serve that share.",
    )
    return Figure("prompt: what the first request of a conversation holds, estimated tokens", "", tuple(lines), notes)


async def first_requests() -> list[Request]:
    """Return one for each demo business and channel."""
    from running import demo
    from switchboard.app.container import build
    from switchboard.app.settings import read_configuration

    store = MemoryStore()
    house = build(read_configuration({"SWITCHBOARD_EMBEDDINGS": "none"}), store)
    clock = house.clock = _Clock(house.clock)  # type: ignore[assignment]
    await demo.furnish(store, FirestorePaths(), _NOW)
    rows = []
    try:
        for business in BUDGETS:
            for channel in Channel:
                facts = CONTEXTS[channel](
                    business_id=business, session_id=f"s{channel.value}", turn=1, applies_intents=True
                )
                parts = (await house.channel_app.conversations.open(facts))._parts
                offer = await parts.offer(facts)
                tools = json.dumps(offer.declared_to_model("openai"), ensure_ascii=False, separators=(",", ":"))
                prose = f"{await parts.system(offer, facts)}\n\n{parts.moment(offer, facts)}"
                requests = [_sent(await request) for request in _two_turns(parts, offer, facts, clock)]
                equal = len(_common(*requests[1:])) / len(requests[-1])
                sizes = math.ceil(len(prose) / CHARACTERS_OF_PROSE), math.ceil(len(tools) / CHARACTERS_OF_TOOLS)
                rows.append(Request(business, channel, *sizes, equal))
                clock.moment = _NOW
    finally:
        await house.close()
    return rows


def _two_turns(parts: Dependencies, offer: Offer, facts: Context, clock: _Clock) -> Iterator[Awaitable[Prompt]]:
    """Yield the requests of two turns, a minute apart; something is looked up in the first."""
    session = CallSession(facts)
    session.history.heard("When could I come this week?")
    briefing = Briefing(parts, session)
    yield briefing.prompt(offer, None, may_call=True)
    session.history.add(Spoken("One moment.", (ToolCall("check_availability", '{"date": "2026-11-24"}', "call_1"),)))
    session.history.add(
        ToolMessage("call_1", "check_availability", ToolResponse(data={"free": "Friday 9:00 to 14:30"}))
    )
    clock.moment += timedelta(seconds=20)
    yield briefing.prompt(offer, None, may_call=True)
    session.history.add(Spoken("Friday from nine to half past two. What time suits you?"))
    clock.moment += timedelta(seconds=40)
    session.history.heard("Ten, please.")
    yield Briefing(parts, session).prompt(offer, None, may_call=True)


def _sent(prompt: Prompt) -> str:
    """Return a request as its vendor reads it: tools, then prompt and history."""
    body = OpenAIChat("m", "https://api.openai.com/v1", "", _no_session).request(prompt)
    return json.dumps([body["tools"], body["messages"]], ensure_ascii=False, separators=(",", ":"))


def _no_session() -> Any:
    raise AssertionError("nothing is sent")


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
