"""How many requests an owner's service gets at once: as many as its owner says, and fewer while it is too many for it.

Two bounds hold, and a request waits for a place within both as long as its caller can:

- The owner's (`maxAtOnce`). Instances share the places in one document of the business, each holding some for a while
  and giving back what it does not use. One that dies loses its places when they run out. A request that a vanished
  instance had under way may still be at work then, and instances' clocks may differ by a second: so the bound is kept
  approximately, and exactly while all goes well.
- The service's own. Whoever answers 429, or 503 with a time, is left alone for that time and then gets half as much;
  whoever becomes slow while several requests are under way gets a quarter less; and a little more with every answer
  that comes as it should. Each instance finds this out by itself.
"""

import asyncio
import hashlib
import logging
import math
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import field
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Final
from urllib.parse import urlsplit

from cachetools import LRUCache

from switchboard.contract.background import in_background
from switchboard.contract.context import CallContext
from switchboard.contract.deadline import bounded, without_end
from switchboard.contract.error import ErrorType, Refused, ToolError
from switchboard.contract.json import JsonObject
from switchboard.contract.policy import CALLS_AT_ONCE, OWNERS_ACTION_S
from switchboard.contract.ports import Clock, Store
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import AlreadyExists, Create, Document, Missing, Stale, StoreError, Update

log = logging.getLogger(__name__)

_SERVICES_KNOWN: Final = 2_000
# A caller who waits longer than this for a place is better told that there is none.
_WAITS_S: Final = 3.0
# What has to be left of a call's time for its request to be worth sending.
_WORTHWHILE_S: Final = 0.3
_LOOKS_EVERY_S: Final = 0.15
_TRIES: Final = 5
# A place outlives the longest request that may be sent on it.
_HELD_FOR_S: Final = 2 * OWNERS_ACTION_S + 5
_IDLE_S: Final = 0.5
_LONGEST_PAUSE_S: Final = 60.0
_PAUSE_S: Final = 1.0
# Slow is what takes three times as long as the fastest of late, and long enough to be felt.
_SLOWER: Final = 3.0
_FELT_S: Final = 0.2
_FASTEST_FADES: Final = 1.002
_NEWEST_COUNTS: Final = 0.2
_TOOLS_KNOWN: Final = 50
_TOO_MANY: Final = 429
_UNAVAILABLE: Final = 503


@dataclass(slots=True)
class Answered:
    """What a service's answer said of how it bears its requests; whoever sends a request fills it in."""

    status: int = 0
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def asks_for_less(self) -> bool:
        """Whether it says that it gets too much."""
        return self.status == _TOO_MANY or (self.status == _UNAVAILABLE and bool(self._retry_after))

    @property
    def says_when(self) -> bool:
        """Whether it says itself for how long it wants to be left alone."""
        return self.asks_for_less and bool(self._retry_after)

    def pause_s(self, now: datetime) -> float:
        """Return for how many seconds it wants to be left alone; a moment where it says no time that can be read."""
        text = self._retry_after
        seconds = float(text) if text.isascii() and text.isdecimal() else _until(text, now)
        return min(max(seconds, 0.0), _LONGEST_PAUSE_S)

    @property
    def _retry_after(self) -> str:
        return next((value.strip() for name, value in self.headers.items() if name.lower() == "retry-after"), "")


def _until(text: str, now: datetime) -> float:
    try:
        until = parsedate_to_datetime(text)
    except ValueError:
        return _PAUSE_S
    return ((until if until.tzinfo else until.replace(tzinfo=UTC)) - now).total_seconds()


@dataclass(slots=True)
class _Pace:
    """How long one tool's requests take there, in seconds: the fastest of late, and usually."""

    fastest: float
    usual: float

    def is_slowed_by(self, took: float) -> bool:
        """Take one more into account, and tell whether they take much longer than they could."""
        self.fastest = min(took, self.fastest * _FASTEST_FADES)
        self.usual += _NEWEST_COUNTS * (took - self.usual)
        return self.usual > max(_FELT_S, _SLOWER * self.fastest)


@dataclass(slots=True, eq=False)
class _Service:
    """One host of one business, as this instance knows it; times are seconds on the monotonic clock.

    Attributes:
        under_way: Requests that were sent and are not answered.
        bears: How many at once it has shown that it bears.
        quiet_until: Until when it wants to be left alone.
        lessened_at: When it was last given less: answers to what was sent before say nothing new.
        paces: By tool.
        held: Places of all instances' that are this one's.
        held_until: When they run out.
        sharing: Requests under way on those places.
        busiest: The most of these since somebody last looked whether places can be given back.
        asking: Who waits for one more of those places.
        turn: Held by the one of them that asks.
        is_watched: Whether somebody looks after giving places back.
        ends: Wakes whoever waits for a request to end.
    """

    under_way: int = 0
    bears: float = float(CALLS_AT_ONCE)
    quiet_until: float = 0.0
    lessened_at: float = -math.inf
    paces: LRUCache[str, _Pace] = field(default_factory=lambda: LRUCache(_TOOLS_KNOWN))
    held: int = 0
    held_until: float = 0.0
    sharing: int = 0
    busiest: int = 0
    asking: int = 0
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    is_watched: bool = False
    ends: asyncio.Event = field(default_factory=asyncio.Event)

    def has_room(self, most: int) -> bool:
        """Tell whether one more may be under way, as far as this instance knows."""
        return self.under_way < min(int(self.bears), most or CALLS_AT_ONCE)

    def note(self, tool: str, sent_at: float, now: float, answered: Answered, wall: datetime) -> None:
        """Learn from one request that has ended; that it found no answer is counted by the circuit, not here."""
        if answered.asks_for_less:
            self.quiet_until = max(self.quiet_until, now + answered.pause_s(wall))
            self._less(0.5, 1.0, sent_at, now)
            return
        if not answered.status:
            return
        took = now - sent_at
        pace = self.paces.setdefault(tool, _Pace(took, took))
        if pace.is_slowed_by(took) and self.under_way > 1:
            self._less(0.75, 2.0, sent_at, now)
        else:
            self.bears = min(self.bears + 1.0 / self.bears, float(CALLS_AT_ONCE))

    def end(self) -> None:
        """Have one less under way, and let everybody who waits look again, those first who came first."""
        self.under_way -= 1
        self.ends.set()
        self.ends = asyncio.Event()

    def _less(self, part: float, least: float, sent_at: float, now: float) -> None:
        if sent_at > self.lessened_at:
            self.bears = max(least, min(self.bears, float(self.under_way)) * part)
            self.lessened_at = now


class ServicePlaces:
    """The places of every owner's service.

    Args:
        store: Where instances share places, in `tickets` of the business.
        clock: Says when places run out.
        pause: Waits so many seconds before another look.
    """

    def __init__(self, store: Store, clock: Clock, pause: Callable[[float], Awaitable[None]] = asyncio.sleep) -> None:
        self._store, self._clock, self._pause = store, clock, pause
        self._services: LRUCache[tuple[str, str], _Service] = LRUCache(_SERVICES_KNOWN)
        self._instance = uuid.uuid4().hex

    @asynccontextmanager
    async def place(self, ctx: CallContext, url: str, most: int) -> AsyncIterator[Answered]:
        """Hold a place at the host of `url` for one request; what it answered is to be put into what this yields.

        Args:
            ctx: The call.
            url: Where the request goes; all tools that reach one host of a business share its places.
            most: How many requests the owner says may be under way there at once, of all instances; 0 for no word.

        Raises:
            Refused: RATE_LIMIT, retryable: no place came free in the time that the call has; nothing was sent.
            StoreError: The shared places could not be asked for; nothing was sent.
        """
        host = urlsplit(url).netloc.rpartition("@")[2].lower()
        service = self._services.get((ctx.business.id, host))
        if service is None:
            service = self._services[ctx.business.id, host] = _Service()
        path = ctx.paths.document("tickets", f"service:{hashlib.sha256(host.encode()).hexdigest()[:32]}")
        await self._enter(service, path, host, most)
        answered, sent_at = Answered(), self._clock.monotonic()
        try:
            yield answered
        except ToolError as error:
            if error.type is ErrorType.RATE_LIMIT:
                answered.status = _TOO_MANY
            raise
        finally:
            service.note(ctx.tool, sent_at, self._clock.monotonic(), answered, self._clock.now())
            if most:
                service.sharing -= 1
            service.end()

    async def _enter(self, service: _Service, path: str, host: str, most: int) -> None:
        """Take a place, waiting for one where there is none."""
        ends_at = self._clock.monotonic() + bounded(_WAITS_S) - _WORTHWHILE_S
        while True:
            ended, now = service.ends, self._clock.monotonic()
            pause_s = service.quiet_until - now
            if pause_s <= 0 and service.has_room(most):
                if await self._taken(service, path, most):
                    return
                if not service.has_room(most):
                    continue
                # Another instance holds it, which tells nobody when it gives it back.
                pause_s = _LOOKS_EVERY_S
            now = self._clock.monotonic()
            if now + max(pause_s, 0.0) >= ends_at:
                raise _full(host, most, service.quiet_until - now)
            if pause_s > 0:
                await self._pause(pause_s)
            elif not await _is_set_within(ended, ends_at - now):
                raise _full(host, most, 0.0)

    async def _taken(self, service: _Service, path: str, most: int) -> bool:
        """Take a place if there is one; where the owner has said how many, one of those of all instances."""
        if most:
            service.asking += 1
            try:
                async with service.turn:
                    if not service.has_room(most):
                        return False
                    lasts_s = service.held_until - self._clock.monotonic()
                    is_held = service.sharing < service.held and lasts_s > OWNERS_ACTION_S
                    # One request to the store for all who wait.
                    wanted = service.sharing + service.asking
                    if not is_held and not await self._hold(service, path, service.sharing + 1, wanted, most):
                        return False
            finally:
                service.asking -= 1
            if not service.has_room(most):
                # Taken meanwhile by a tool of the same service whose owner has not said how many it bears.
                return False
            service.sharing += 1
            service.busiest = max(service.busiest, service.sharing)
        service.under_way += 1
        return True

    async def _hold(self, service: _Service, path: str, least: int, wanted: int, most: float) -> bool:
        """Hold as many as are wanted of the places that others leave, and tell whether these are at least so many."""
        for _ in range(_TRIES):
            document, now = await self._store.get(path), self._clock.now()
            others = _others(document, self._instance, now)
            places = int(min(wanted, most - sum(holder["places"] for holder in others.values())))
            if places < least:
                return False
            until = now + timedelta(seconds=_HELD_FOR_S)
            mine = {self._instance: {"places": places, "until": until}} if places else {}
            fields = {"holders": others | mine, "expireAt": until + timedelta(days=1)}
            write = Create(path, fields) if document is None else Update(path, fields, document.update_time)
            try:
                await self._store.commit([write])
            except (AlreadyExists, Missing, Stale):
                continue
            service.held, service.held_until = places, self._clock.monotonic() + _HELD_FOR_S
            if places and not service.is_watched:
                service.is_watched = True
                in_background(self._give_back(service, path))
            return True
        return False

    async def _give_back(self, service: _Service, path: str) -> None:
        """Give back what was not used for a moment, until nothing is held any more."""
        try:
            with without_end():
                while service.held:
                    service.busiest = service.sharing
                    await self._pause(_IDLE_S)
                    async with service.turn:
                        if service.busiest < service.held:
                            await self._hold(service, path, 0, service.busiest, math.inf)
        except StoreError as error:
            # They run out by themselves.
            service.held = 0
            log.info(
                "places at a service were not given back",
                extra={"reason": type(error).__name__, "pii.detail": str(error)},
            )
        finally:
            service.is_watched = False


def _others(document: Document | None, instance: str, now: datetime) -> JsonObject:
    """Return the places that other instances hold, as they are stored; those that have run out are nobody's."""
    holders = document.data.get("holders") if document is not None else None
    others: JsonObject = {}
    for name, holder in (holders if isinstance(holders, Mapping) else {}).items():
        places, until = (holder.get("places"), holder.get("until")) if isinstance(holder, Mapping) else (None, None)
        if name != instance and isinstance(places, int) and isinstance(until, datetime) and until > now:
            others[name] = {"places": places, "until": until}
    return others


async def _is_set_within(event: asyncio.Event, seconds: float) -> bool:
    try:
        async with asyncio.timeout(seconds):
            return await event.wait()
    except TimeoutError:
        return False


def _full(host: str, most: int, pause_s: float) -> Refused:
    retry_s = max(1, math.ceil(pause_s))
    reason = "has asked to be left alone for a moment" if pause_s > 0 else "has as many requests as it takes at once"
    return Refused(
        ErrorType.RATE_LIMIT,
        f"The service behind this tool {reason}; nothing was sent. Make the same call again in "
        f"{'a second' if retry_s == 1 else f'{retry_s} seconds'}, or go on without it.",
        retryable=True,
        detail=f"{host}: {f'at most {most} at once' if most else 'adaptive'}, pause {pause_s:.1f} s",
        meta={"retryAfterS": retry_s},
    )
