"""What has to be so after every step of a history, and what when everything has come to its end.

Held against the store past any instance, and against what was counted outside: by other means than the product's own.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from simulator import premises
from simulator.callers import Callers, Wish
from simulator.outside import MOST_AT_ONCE
from simulator.plan import DISTURBANCES
from simulator.world import World
from switchboard.contract.context import PhoneContext
from switchboard.contract.error import ErrorType
from switchboard.contract.policy import CHANNEL_POLICY
from switchboard.contract.response import ToolResponse
from switchboard.contract.store import Document, Query, Write
from switchboard.desk.bookings.booking import CANCELLED, CONFIRMED, Booking, read_booking

_WITHIN = premises.WITHIN
_WITHOUT_EFFECT = ("look", "ask", "refused", "changed")
_WORDS, _NOTES = re.compile(r"Word \d+\."), re.compile(r"Please note \d+\.")
_AT_REST = ("finished", "failed", "refused", "unknown")
# Tools that find out what came of what nobody knows, by doing the same again.
_RESOLVED = ("book_appointment", "cancel_appointment", "reschedule_appointment", "take_message", "order_safe")


class Promises:
    """Looks at a world for what was promised of it."""

    def __init__(self, world: World) -> None:
        """Look after every commit, effect and answer from now on."""
        self.world, self.callers = world, Callers(self.answered)
        disturbed = any(step.faults or step.kind in DISTURBANCES for step in world.plan.steps)
        self._is_calm = not world.plan.pass_faults and not disturbed
        world.on_effect, world.on_commit = self._effect, self._committed
        # What was seen so far, so that each step is held against it and not everything against everything.
        self._sent: Counter[tuple[str, str]] = Counter()
        self._asked_for: Counter[str] = Counter()
        self._active: dict[str, Booking] = {}
        self._held: dict[int, Booking] = {}

    def _effect(self, what: str) -> None:
        """Hold what was done outside against what was done before."""
        outside, (kind, _, number) = self.world.outside, what.partition(" ")
        if kind == "order" and outside.orders[number] > 1:
            self.world.breaks(f"one wish has one effect: order {number} was carried out twice")
        if kind == "text":
            text = outside.texts[-1]
            self._asked_for.update(_WORDS.findall(text.body))
            self._sent[text.to, text.body] += 1
            if self._sent[text.to, text.body] > 1:
                self.world.breaks(f"one wish has one effect: {text.body!r} was sent twice")

    async def _committed(self, writes: Sequence[Write]) -> None:
        """Hold the appointments that a commit has touched against all others."""
        touched = [write.path for write in writes if "/bookings/" in write.path]
        for path, document in zip(touched, await self.world.store.get_many(touched), strict=True):
            before = self._active.pop(path, None)
            for step in _steps(before):
                self._held.pop(step, None)
            booking = read_booking(document) if document is not None else None
            if booking is None or not booking.is_active:
                continue
            self._active[path] = booking
            if _local(booking) not in premises.TIMES:
                self._breaks(f"nobody comes while it is closed: {_shown(booking)}")
            for step in _steps(booking):
                other = self._held.setdefault(step, booking)
                if other.id != booking.id:
                    self._breaks(f"no time is given twice: {_shown(other)} and {_shown(booking)}")
                    return

    async def answered(
        self,
        wish: Wish,
        facts: PhoneContext,
        answer: ToolResponse,
        before: Sequence[ToolResponse],
        is_alone: bool = True,
    ) -> None:
        """Hold an answer against what is so, and against those to the same call, `before` it was asked and since.

        Unless it `is_alone`, the same was asked for at the same time, and may have been under way then.
        """
        if wish.kind in ("look", "ask"):
            # A look-up that cannot be recorded is answered all the same, each time with what is so then.
            return
        failure = answer.failure
        if facts is wish.facts:
            earlier = next((given for given in self._comparable(wish, answer, before) if is_done(given)), None)
            if earlier is not None and _plain(earlier) != _plain(answer):
                self._breaks(
                    f"a call has one answer: {facts.call_id} was told {earlier.data}, and then {_told(answer)}"
                )
        is_unknown = failure is not None and failure.partial_side_effects and not answer.meta.get("timedOut")
        if self._is_calm and is_unknown and is_alone:
            self._breaks(f"what was done is known where nothing goes wrong: {facts.call_id}, {_told(answer)}")
        if not answer.ok or answer.data is None:
            return
        if answer.meta.get("receipt") is None and not answer.meta.get("queued"):
            self._breaks(f"nothing is said to be done without a receipt: {facts.call_id}, {wish.tool}")
        if wish.kind == "refused":
            self._breaks(f"nothing is done without the caller's yes: {wish.tool} of {facts.session_id}")
        if wish.kind == "book":
            booking = await self._booking(answer.data["bookingId"])
            if booking is None or booking.status != CONFIRMED:
                self._breaks(f"who is told that they are booked is booked: {facts.call_id} is not")
        if wish.kind == "text" and answer.data["sent"] and not self._texts(wish):
            self._breaks(f"who is told of a text has been sent one: {facts.call_id} has not")

    def _comparable(self, wish: Wish, answer: ToolResponse, before: Sequence[ToolResponse]) -> Sequence[ToolResponse]:
        """Return the answers to the same call that this one may not contradict."""
        failure = answer.failure
        if wish.kind == "changed" and failure is not None and failure.type is ErrorType.CONFLICT:
            # What was made has been cancelled since, and somebody else has its time: an instance that takes up a call
            # of which nobody could write down what came of it finds no more than that.
            return ()
        if is_as_good(answer):
            # Where nothing goes wrong, who has been told that it is done is never told anything else.
            return before if self._is_calm else ()
        return wish.answers

    async def at_the_end(self) -> None:
        """Hold everything against what was promised for when nothing goes wrong any more."""
        await self._rows()
        await self._calendar()
        for look in (self._wishes, self._budgets, self._consents):
            if not self.world.broken:
                await look()
        if self._is_calm and self.world.outside.busiest > MOST_AT_ONCE:
            self._breaks(
                f"a service gets no more at once than its owner says: {self.world.outside.busiest}, not {MOST_AT_ONCE}"
            )

    async def _rows(self) -> None:
        for row in await self._documents("calls"):
            state, tool = row.data.get("state"), row.data.get("tool")
            if state not in _AT_REST:
                self._breaks(f"no call is stuck: {row.id} is {state}")
            if state == "unknown" and tool in _RESOLVED:
                self._breaks(f"what nobody knows is found out: {row.id}, {tool}, is still unknown")
            if row.data.get("givenUp"):
                self._breaks(f"no call is given up: {row.id}, {row.data['givenUp']}")

    async def _calendar(self) -> None:
        """Hold appointments, the times that are held for them, and the outside calendar against each other."""
        bookings = await self._bookings()
        for booking in bookings:
            if booking.status not in (CONFIRMED, CANCELLED):
                self._breaks(f"no appointment is stuck: {_shown(booking)}")
        due = {slot: b.id for b in bookings if b.is_active for slot in b.held}
        held = {document.id: document.data.get("bookingId") for document in await self._documents("slots")}
        for slot in due.keys() | held.keys():
            if due.get(slot) != held.get(slot):
                self._breaks(
                    f"times are held for appointments alone: {slot} is for {held.get(slot)}, not {due.get(slot)}"
                )
                return
        if not self.world.plan.has_calendar:
            return
        stands = Counter((b.id, b.start) for b in bookings if b.status == CONFIRMED)
        entries = [entry for entry in self.world.outside.entries.values() if not entry.is_cancelled]
        shown = Counter((entry.booking_id, entry.start) for entry in entries)
        if stands != shown:
            odd = sorted(map(str, (stands - shown) + (shown - stands)))
            self._breaks(f"the calendar shows each appointment once, and nothing else: {odd[0]}")

    async def _wishes(self) -> None:
        """Deliver every call once more, and hold its last answer against what was done for it."""
        told_no = [wish for wish in self.callers.wishes if _is_told_no(wish)]
        done_before = await self._done_by_wish(told_no)
        for wish in told_no:
            if done_before[wish.number] and not self.world.broken:
                why = ", ".join(answer.failure.message for answer in wish.answers if answer.failure is not None)
                self._breaks(f"who is told that nothing was done has nothing done: {wish.facts.call_id}, {why}")
        await self.callers.once_more(self.world)
        due = await self.world.next_due()
        if due is not None and not self.world.broken:
            await self.world.finish()
        counts = await self._done_by_wish(self.callers.wishes)
        for wish in self.callers.wishes:
            if wish.kind in _WITHOUT_EFFECT or not wish.answers or self.world.broken:
                continue
            count, answer = counts[wish.number], wish.answers[-1]
            if count > 1:
                self._breaks(f"one wish has one effect: {wish.facts.call_id}, {wish.tool}, has {count}")
            if any(map(is_done, [*wish.answers, *wish.others])) and not count:
                self._breaks(f"who is told that it is done has it done: {wish.facts.call_id}, {wish.tool}")
            failure = answer.failure
            is_no = failure is not None and not failure.partial_side_effects and not failure.retryable
            if is_no and count and failure is not None and not wish.others:
                self._breaks(
                    f"who is told that nothing was done has nothing done: {wish.facts.call_id}, {failure.message}"
                )
            if is_done(answer):
                await self._receipt(wish)

    async def _done_by_wish(self, wishes: Iterable[Wish]) -> Mapping[int, int]:
        """Return how often each wish has been fulfilled by now, by its number."""
        bookings, left = defaultdict(list), Counter[str]()
        for booking in await self._bookings():
            bookings[booking.customer_name].append(booking)
        for document in await self._documents("outbox"):
            if document.data.get("kind") == "message":
                left.update(set(_NOTES.findall(str(document.data))))
        own = [wish for wish in wishes if wish.kind not in _WITHOUT_EFFECT and wish.answers]
        return {wish.number: self._done(wish, bookings[f"Caller {wish.number}"], left) for wish in own}

    def _done(self, wish: Wish, bookings: Sequence[Booking], left: Mapping[str, int]) -> int:
        """Return how often a wish has been fulfilled, with its caller's appointments and the notes that were left."""
        if wish.kind == "text":
            return self._texts(wish)
        if wish.kind == "order":
            return self.world.outside.orders[str(wish.number)]
        if wish.kind == "message":
            return left.get(wish.arguments["message"], 0)
        if wish.kind == "cancel":
            return len([b for b in bookings if b.status == CANCELLED and b.cancelled_because == "caller"])
        stands = [b for b in bookings if b.status == CONFIRMED]
        if wish.kind == "move":
            return len([b for b in stands if _local(b) == wish.arguments["new_start_time"]])
        return len(stands)

    async def _receipt(self, wish: Wish) -> None:
        session = await self.world.store.get(_WITHIN.document("sessions", wish.facts.session_id))
        receipts: dict[str, Any] = session.data.get("receipts", {}) if session is not None else {}
        if not any(receipt.get("tool") == wish.tool for receipt in receipts.values()):
            self._breaks(f"what was done has a receipt in its conversation: {wish.facts.call_id}, {wish.tool}")

    async def _budgets(self) -> None:
        """Hold every turn against what a turn may have."""
        used: Counter[tuple[str, int]] = Counter()
        for row in await self._documents("calls"):
            # What another instance took over was let in before, and is not refused for what came after it.
            is_own = not row.data.get("recoveries") and row.data.get("kind") == "action"
            if is_own and row.data.get("state") in ("finished", "unknown"):
                used[row.path.split("/")[3], int(row.data["turn"])] += 1
        policy = CHANNEL_POLICY[PhoneContext.channel]
        for (session, turn), count in used.items():
            if count > policy.calls_per_turn:
                self._breaks(f"no turn has more than it may: {count} calls in turn {turn} of {session}")

    async def _consents(self) -> None:
        for id in self.callers.refused_consents:
            booking = await self._booking(id)
            if booking is not None and booking.cancelled_because == "caller":
                self._breaks(f"nothing is done without the caller's yes: {_shown(booking)}")

    def _texts(self, wish: Wish) -> int:
        return self._asked_for[wish.arguments["message"]]

    async def _bookings(self) -> list[Booking]:
        return [booking for booking in map(read_booking, await self._documents("bookings")) if booking is not None]

    async def _booking(self, id: str) -> Booking | None:
        document = await self.world.store.get(_WITHIN.document("bookings", id))
        return read_booking(document) if document is not None else None

    async def _documents(self, collection: str) -> list[Document]:
        return await self.world.store.query(Query(collection, group=True))

    def _breaks(self, promise: str) -> None:
        self.world.breaks(promise)


def _steps(booking: Booking | None) -> list[int]:
    """Return the steps of time that an appointment takes."""
    return [step for _, steps in booking.occupied for step in steps] if booking is not None else []


def _is_told_no(wish: Wish) -> bool:
    """Tell whether every delivery of a wish was answered, each with that nothing was done, and nobody is at it."""
    if wish.kind in _WITHOUT_EFFECT or wish.begun != len(wish.answers) or not wish.answers:
        return False
    failures = [answer.failure for answer in wish.answers]
    return all(f is not None and not f.partial_side_effects and f.type is not ErrorType.CONFLICT for f in failures)


def is_done(answer: ToolResponse) -> bool:
    """Tell whether an answer says that something was done."""
    return answer.ok and not answer.meta.get("queued")


def is_as_good(answer: ToolResponse) -> bool:
    """Tell whether an answer contradicts none that was given before: it is to be asked again, or nobody knows.

    An instance that answered, and died before that was written down, has left nothing that others could know.
    """
    failure = answer.failure
    return failure is not None and (failure.retryable or failure.partial_side_effects)


def _plain(answer: ToolResponse) -> Any:
    """Return what an answer says, but for whether it had been done before."""
    return {name: value for name, value in (answer.data or {}).items() if name != "repeated"}


def _shown(booking: Booking) -> str:
    return f"{booking.customer_name} at {_local(booking)}, {booking.status}"


def _local(booking: Booking) -> str:
    return f"{booking.start.astimezone(premises.ZONE):%Y-%m-%dT%H:%M:%S}"


def _told(answer: ToolResponse) -> Any:
    return answer.data if answer.failure is None else f"{answer.failure.type}: {answer.failure.message}"
