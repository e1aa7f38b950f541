"""What is outside: a phone network, an owner's service and a calendar, which count what was done and lose answers."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from simulator.connection import STEP
from simulator.plan import OF_OUTSIDE
from switchboard.contract.business.business import Business
from switchboard.contract.business.calendar import CalendarEntry, EntryChanged, IdTaken, NoSuchEntry
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.telephony import SentText, TextStatus

if TYPE_CHECKING:
    from simulator.world import Life, World

SERVICE = "https://orders.example.com"
MOST_AT_ONCE = 2
_NOTHING_DONE = ToolError(ErrorType.TRANSIENT, "It cannot be reached.")


def _unanswered() -> ToolError:
    return ToolError(ErrorType.TRANSIENT, "There was no answer.", retryable=False, partial_side_effects=True)


class Outside:
    """All of it, as it is whatever dies in the house.

    Attributes:
        texts: What was sent.
        orders: How often each order was carried out, by its number.
        entries: What the calendar holds, cancelled entries too.
        busiest: The most requests that the owner's service ever had at once.
    """

    def __init__(self, world: World) -> None:
        """Begin with nothing done."""
        self.world = world
        self.texts: list[SentText] = []
        self.orders: Counter[str] = Counter()
        self.keys: dict[str, str] = {}
        self.entries: dict[str, CalendarEntry] = {}
        self.under_way = self.busiest = self.versions = 0


class Reached:
    """All of it, as one instance reaches it: the accounts, the calendars and the egress of its container."""

    def __init__(self, outside: Outside, life: Life) -> None:
        """Reach it for one instance."""
        self._outside, self._life, self._world = outside, life, outside.world

    async def _asked(self, what: str) -> tuple[str, float]:
        """Let a request arrive; return what goes wrong with its answer, and how long that takes."""
        await self._life.lasts(0.0)
        fault, share = STEP.get().request(OF_OUTSIDE)
        if fault == "dies" and share < 0.5:
            self._world.die(self._life)
        await self._life.lasts(0.02 + share * 0.2)
        if fault == "away":
            self._world.note(self._life, f"cannot reach whoever is to {what}")
            raise _NOTHING_DONE
        return fault, 0.02 + (1 - share) * 0.2

    async def _answered(self, fault: str, back_s: float, what: str) -> None:
        if fault == "dies":
            self._world.die(self._life)
        await self._life.lasts(back_s)
        if fault == "unanswered":
            self._world.note(self._life, f"hears no answer to: {what}")
            raise _unanswered()


class Phones(Reached):
    """The phone network."""

    async def of(self, business: Business) -> Phones:
        """Return the one account."""
        return self

    async def send_text(self, to: str, sender: str, body: str) -> SentText:
        """Send a text."""
        fault, back_s = await self._asked("send a text")
        sent = self._outside.texts
        text = SentText(
            id=f"SM{len(sent):032x}",
            to=to,
            sender=sender,
            body=body,
            status=TextStatus.ACCEPTED,
            at=self._world.clock.now(),
        )
        sent.append(text)
        self._world.has_effect(self._life, f"text to {to}: {body}")
        await self._answered(fault, back_s, "send a text")
        return text

    async def texts_to(self, to: str, since: datetime) -> Sequence[SentText]:
        """Return what was sent to a number."""
        fault, back_s = await self._asked("list texts")
        texts = [t for t in reversed(self._outside.texts) if t.to == to and t.at + timedelta(seconds=0.5) >= since]
        await self._answered(fault, back_s, "list texts")
        return texts

    async def redirect_call(self, call_sid: str, twiml: str) -> None:
        """Do nothing: nobody is on the line."""

    async def hang_up(self, call_sid: str) -> None:
        """Do nothing: nobody is on the line."""


class Service(Reached):
    """The egress, to the one service that there is."""

    async def request(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes | None
    ) -> tuple[int, Mapping[str, str], bytes]:
        """Carry out an order; where it comes with a key that is known, once."""
        outside, number = self._outside, str(json.loads(body or b"{}").get("number"))
        fault, back_s = await self._asked("take the order")
        outside.under_way += 1
        outside.busiest = max(outside.busiest, outside.under_way)
        try:
            key = {name.lower(): value for name, value in headers.items()}.get("idempotency-key", "")
            if not url.endswith("/safe") or key not in outside.keys:
                outside.keys[key] = number
                outside.orders[number] += 1
                self._world.has_effect(self._life, f"order {number}")
            await self._answered(fault, back_s, "take the order")
        finally:
            outside.under_way -= 1
        return 200, {"Content-Type": "application/json"}, json.dumps({"taken": number}).encode()

    async def close(self) -> None:
        """Do nothing."""


class Calendar(Reached):
    """The calendar of the business."""

    async def of(self, business: Business) -> Calendar | None:
        """Return it, where the business has one."""
        return self if "googleCalendar" in business.integrations else None

    async def warm(self) -> None:
        """Do nothing."""

    async def busy(self, start: datetime, end: datetime) -> Sequence[CalendarEntry]:
        """Return when it is taken."""
        entries = await self._overlapping(start, end)
        return [CalendarEntry(id="", start=entry.start, end=entry.end) for entry in entries]

    async def busy_entries(self, start: datetime, end: datetime) -> Sequence[CalendarEntry]:
        """Return what takes it."""
        return await self._overlapping(start, end)

    async def entries(self, start: datetime, end: datetime, limit: int = 250) -> Sequence[CalendarEntry]:
        """Return what stands in it."""
        return (await self._overlapping(start, end))[:limit]

    async def find(self, id: str) -> CalendarEntry | None:
        """Return an entry."""
        fault, back_s = await self._asked("find an entry")
        entry = self._outside.entries.get(id)
        await self._answered(fault, back_s, "find an entry")
        return entry

    async def insert(self, entry: CalendarEntry) -> CalendarEntry:
        """Enter an entry under its own id."""
        fault, back_s = await self._asked("enter")
        if entry.id in self._outside.entries:
            raise IdTaken(entry.id)
        return await self._put("enter", entry, fault, back_s)

    async def move(self, id: str, start: datetime, end: datetime, version: str) -> CalendarEntry:
        """Move an entry that is still of a version."""
        fault, back_s = await self._asked("move")
        return await self._put("move", replace(self._of(id, version), start=start, end=end), fault, back_s)

    async def reword(self, id: str, title: str, description: str, version: str) -> CalendarEntry:
        """Change the words of an entry that is still of a version."""
        fault, back_s = await self._asked("reword")
        entry = replace(self._of(id, version), title=title, description=description)
        return await self._put("reword", entry, fault, back_s)

    async def delete(self, id: str) -> None:
        """Remove an entry."""
        fault, back_s = await self._asked("remove")
        entry = self._outside.entries.get(id)
        if entry is not None:
            await self._put("remove", replace(entry, is_cancelled=True), fault, back_s)

    def _of(self, id: str, version: str) -> CalendarEntry:
        entry = self._outside.entries.get(id)
        if entry is None or entry.is_cancelled:
            raise NoSuchEntry(id)
        if entry.version != version:
            raise EntryChanged(id)
        return entry

    async def _put(self, what: str, entry: CalendarEntry, fault: str, back_s: float) -> CalendarEntry:
        self._outside.versions += 1
        entry = self._outside.entries[entry.id] = replace(entry, version=str(self._outside.versions))
        self._world.note(self._life, f"{what}s {entry.title} at {entry.start:%H:%M} in the calendar")
        await self._answered(fault, back_s, what)
        return entry

    async def _overlapping(self, start: datetime, end: datetime) -> list[CalendarEntry]:
        fault, back_s = await self._asked("read the calendar")
        shown: list[Any] = sorted(
            (e for e in self._outside.entries.values() if not e.is_cancelled), key=lambda e: (e.start, e.id)
        )
        await self._answered(fault, back_s, "read the calendar")
        return [e for e in shown if e.start.astimezone(UTC) < end and start < e.end.astimezone(UTC)]
