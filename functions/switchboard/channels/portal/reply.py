"""One answer while it is being given: everybody who asked for it hears all of it, from the beginning.

A browser whose connection drops comes back with the same message and hears it again. Once nobody has listened for a
moment, the answer is given up: whoever goes away has interrupted.
"""

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import contextmanager
from typing import Final

import orjson

from switchboard.channels.portal.event_view import EventView
from switchboard.contract.error import Refused

# Long enough for a phone that changes from one network to another.
REJOIN_S: Final = 2.0


class Reply:
    """What is shown in answer to one message.

    Attributes:
        events: What was shown so far; `done` is the last.
        turn: The human turn that is answered; 0 until it begins.
        given_up: Set when nobody wants the rest.
        refused: Why the message is not answered, if it is not.
    """

    def __init__(self, rejoin_s: float = REJOIN_S) -> None:
        """Start with nothing; listeners who are gone for `rejoin_s` do not come back."""
        self.events: list[EventView] = []
        self.turn = 0
        self.given_up = asyncio.Event()
        self._rejoin_s = rejoin_s
        self._listeners = 0
        self.refused: Refused | None = None
        self._ended, self._taken = asyncio.Event(), asyncio.Event()
        self._news = asyncio.Event()

    @property
    def has_ended(self) -> bool:
        """Whether nothing more comes."""
        return self._ended.is_set()

    def add(self, events: Sequence[EventView]) -> None:
        """Show more."""
        self.events += events
        self._tell()

    def take(self) -> None:
        """Say that the message is being answered."""
        self._taken.set()

    async def taken(self) -> None:
        """Return when the message is being answered, was answered, or is not going to be.

        Raises:
            Refused: It is not.
        """
        await self._taken.wait()
        if self.refused is not None:
            raise self.refused

    def end(self) -> None:
        """Say that nothing more comes."""
        self._ended.set()
        self._taken.set()
        self._tell()

    async def ended(self) -> None:
        """Return when nothing more comes."""
        await self._ended.wait()

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Want the answer, for as long as this is entered."""
        self._listeners += 1
        try:
            yield
        finally:
            self._listeners -= 1
            if not self._is_wanted():
                asyncio.get_running_loop().call_later(self._rejoin_s, self._give_up)

    async def follow(self, beat_s: float) -> AsyncIterator[EventView | None]:
        """Yield everything in order, and None whenever nothing has happened for `beat_s`."""
        position = 0
        while True:
            news = self._news
            while position < len(self.events):
                position += 1
                yield self.events[position - 1]
            if self.has_ended:
                return
            try:
                async with asyncio.timeout(beat_s):
                    await news.wait()
            except TimeoutError:
                yield None

    def _is_wanted(self) -> bool:
        return self._listeners > 0 or self.has_ended

    def _give_up(self) -> None:
        if not self._is_wanted():
            self.given_up.set()

    def _tell(self) -> None:
        news, self._news = self._news, asyncio.Event()
        news.set()


def answered(events: Sequence[EventView], turn: int = 0) -> Reply:
    """Return a reply that has been given already."""
    reply = Reply()
    reply.turn = turn
    reply.add(events)
    reply.end()
    return reply


def to_text(reply: Reply) -> str:
    """Return a reply for keeping; pieces of text that follow each other become one."""
    kept: list[EventView] = []
    for event in reply.events:
        last = kept[-1] if kept else None
        if last is not None and last.name == event.name == "text" and last.data["filler"] == event.data["filler"]:
            kept[-1] = EventView("text", last.data | {"text": last.data["text"] + event.data["text"]})
        else:
            kept.append(event)
    return orjson.dumps([reply.turn, [[event.name, event.data] for event in kept]]).decode()


def from_text(text: str) -> tuple[int, list[EventView]]:
    """Return the turn and the events of a reply that `to_text` wrote."""
    turn, events = orjson.loads(text)
    return turn, [EventView(name, data) for name, data in events]
