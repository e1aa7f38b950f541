"""The product with its demo businesses, in this process, at a time of the test's choosing; the rehearsal answers."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime
from typing import Any

from running import demo
from switchboard.app.clients import SystemClock
from switchboard.app.container import Container, build
from switchboard.app.settings import read_configuration
from switchboard.contract.channel import Channel
from switchboard.contract.context import CONTEXTS
from switchboard.conversation.event import Text, ToolFinished
from switchboard.conversation.speech.utterance import Utterance
from switchboard.state.memory.store import MemoryStore
from switchboard.state.paths import FirestorePaths


class StandingClock:
    """A time that stands still; what is measured goes on."""

    def __init__(self, now: datetime) -> None:
        self._now, self._real = now, SystemClock()

    def now(self) -> datetime:
        return self._now

    def monotonic(self) -> float:
        return float(self._real.monotonic())


class DemoHouse:
    """A house with the demo businesses."""

    def __init__(self, house: Container) -> None:
        self.house = house
        self.tools: list[tuple[str, bool]] = []

    async def say(self, business: str, session: str, text: str, channel: str = "portal", **facts: Any) -> str:
        """Return all that is answered to a human turn; `tools` holds what was called in it."""
        context = CONTEXTS[Channel(channel)](
            business_id=business, session_id=session, turn=0, applies_intents=True, **facts
        )
        conversation = await self.house.channel_app.conversations.open(context)
        said: list[str] = []
        self.tools = []
        async for event in conversation.reply(Utterance(text)):
            if isinstance(event, Text) and not event.is_filler:
                said.append(event.text)
            elif isinstance(event, ToolFinished):
                self.tools.append((event.name, event.response.ok))
        return "".join(said)

    async def talk(self, business: str, session: str, *texts: str, channel: str = "portal", **facts: Any) -> list[str]:
        """Return the answers to several turns."""
        return [await self.say(business, session, text, channel, **facts) for text in texts]


@asynccontextmanager
async def demo_house(now: datetime, **environment: str) -> AsyncIterator[DemoHouse]:
    """Open the house, its clock standing still."""
    house = build(read_configuration({"SWITCHBOARD_EMBEDDINGS": "none", **environment}), MemoryStore())
    house.clock = StandingClock(now)  # type: ignore[assignment]
    await demo.furnish(house.store, FirestorePaths(), now)
    try:
        yield DemoHouse(house)
    finally:
        await house.close()
