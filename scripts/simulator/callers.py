"""What happens in each kind of step: what a caller wants, and how often, when and where it is delivered."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any

from simulator import premises
from simulator.plan import SERVICES, Chances
from simulator.world import World
from switchboard.contract.caller.strangers import VOUCHED_FOR
from switchboard.contract.context import PhoneContext
from switchboard.contract.error import ErrorType
from switchboard.contract.response import ToolResponse
from switchboard.contract.store import StoreError
from switchboard.pipeline.confirmation.approvals import Approvals

_TRIES = 4
_INTRUDERS = 0.4
_ASKED = ErrorType.CONFIRMATION_REQUIRED
_MANNERS = ("once", "once", "once", "twice", "again", "anew")
_LOOK_UPS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("get_working_hours", {}),
    ("get_business_services", {}),
    ("get_faqs", {"topic": "parking"}),
    ("get_policies", {"topic": "cancellation"}),
)


@dataclass(slots=True)
class Wish:
    """What a caller wants done once, in one turn of one conversation.

    Attributes:
        number: The step's.
        kind: What it is, by the name of its step.
        answers: What was answered to its first call id, in order.
        others: What was answered to others.
        begun: How many deliveries of it have begun, of all its ids.
        ended: How many of them have ended.
    """

    number: int
    kind: str
    tool: str
    arguments: Mapping[str, Any]
    facts: PhoneContext
    answers: list[ToolResponse] = field(default_factory=list)
    others: list[ToolResponse] = field(default_factory=list)
    begun: int = 0
    ended: int = 0


class Callers:
    """Acts the steps of a plan, and keeps what was wished for and what was heard of it."""

    def __init__(self, check: Any) -> None:
        """Have every answer looked at by `check`."""
        self.wishes: list[Wish] = []
        self.refused_consents: list[str] = []
        self._check = check

    async def act(self, world: World, chances: Chances) -> None:
        """Let one step happen."""
        await getattr(self, f"_{chances.step.kind}")(world, chances)

    async def _look(self, world: World, chances: Chances) -> None:
        day = chances.random.choice(premises.DAYS)
        arguments = {"date": day, "service": premises.SERVICE_NAME}
        await self._ask_for(world, chances, "look", "check_availability", arguments)

    async def _ask(self, world: World, chances: Chances) -> None:
        tool, arguments = chances.random.choice(_LOOK_UPS)
        await self._ask_for(world, chances, "ask", tool, arguments)

    async def _book(self, world: World, chances: Chances) -> Wish:
        return await self._ask_for(world, chances, "book", "book_appointment", _booking(chances))

    async def _text(self, world: World, chances: Chances) -> None:
        await self._ask_for(world, chances, "text", "send_sms", {"message": f"Word {chances.step.number}."})

    async def _message(self, world: World, chances: Chances) -> None:
        number = chances.step.number
        arguments = {"caller_name": f"Caller {number}", "message": f"Please note {number}."}
        await self._ask_for(world, chances, "message", "take_message", arguments)

    async def _order(self, world: World, chances: Chances) -> None:
        name = chances.random.choice(SERVICES)
        await self._ask_for(world, chances, "order", f"order_{name}", {"number": str(chances.step.number)})

    async def _cancel(self, world: World, chances: Chances) -> None:
        wish = await self._booked(world, chances)
        if wish is not None:
            booking = _reference(wish)
            if chances.random.random() < _INTRUDERS:
                await self._intrude(world, chances, booking)
            await self._with_consent(world, chances, "cancel", "cancel_appointment", booking)

    async def _intrude(self, world: World, chances: Chances, booking: dict[str, Any]) -> None:
        """Have somebody else, who knows its reference, ask for an appointment to be cancelled."""
        number = chances.step.number
        facts = replace(
            self._facts(chances, call_id=f"i{number}"),
            session_id=f"i{number}",
            caller_phone=premises.number_of(number, area=607),
        )
        answer = await world.deliver(chances.random.randrange(3), "cancel_appointment", booking, facts)
        is_asked = answer is not None and answer.failure is not None and answer.failure.type is _ASKED
        if answer is not None and (answer.ok or is_asked):
            world.breaks(f"nobody changes what is somebody else's: {facts.call_id} was about to cancel")

    async def _move(self, world: World, chances: Chances) -> None:
        wish = await self._booked(world, chances)
        if wish is not None:
            arguments = _reference(wish) | {"new_start_time": chances.random.choice(premises.TIMES)}
            stands_at = str(wish.arguments["start_time"])
            await self._with_consent(world, chances, "move", "reschedule_appointment", arguments, stands_at)

    async def _booked(self, world: World, chances: Chances) -> Wish | None:
        """Book, and return what came of it; None where there is no appointment."""
        wish = await self._book(world, chances)
        if not any(answer.ok and answer.data for answer in wish.answers):
            return None
        # From here on somebody else answers for what becomes of it.
        wish.kind = "changed"
        return wish

    async def _with_consent(
        self, world: World, chances: Chances, kind: str, tool: str, arguments: dict[str, Any], stands_at: str = "then"
    ) -> None:
        """Have a question asked, answer it, and have done what was agreed to."""
        facts = self._facts(chances, turn=2, call_id=f"q{chances.step.number}")
        asked = None
        for _ in range(_TRIES):
            asked = await world.deliver(chances.random.randrange(3), tool, arguments, facts)
            if asked is not None and not (asked.failure and asked.failure.retryable):
                break
            await asyncio.sleep(chances.random.uniform(3, 15))
        # To be moved to where it is asks for nothing that anybody would have to be asked about.
        if asked is not None and asked.ok and arguments.get("new_start_time") != stands_at:
            world.breaks(f"nothing is done without the caller's yes: {tool} of {facts.session_id} asked nobody")
        if asked is None or asked.failure is None or asked.failure.type is not _ASKED:
            return
        agrees = chances.random.random() < 0.7
        life = world.lives[chances.random.randrange(3) % len(world.lives)]
        approvals = Approvals(life.house.store, premises.PATHS)
        word = "yes" if agrees else "no"
        world.note(life, f"hears {word!r}")
        try:
            hearing = approvals.hear(premises.BUSINESS, facts.session_id, 3, word, life.clock.now(), question=2)
            await asyncio.wait_for(hearing, 30)
        except (StoreError, TimeoutError):
            world.note(life, "has not heard it")
        if not agrees:
            # A model that calls it all the same.
            self.refused_consents.append(arguments["booking_id"])
        await self._ask_for(world, chances, kind if agrees else "refused", tool, arguments, turn=3)

    async def _flood(self, world: World, chances: Chances) -> None:
        """Call more in one turn than a turn may have, at several instances at once."""
        number = chances.step.number

        async def one(place: int) -> None:
            facts, order = self._facts(chances, call_id=f"c{number}.{place}"), f"{number}.{place}"
            answer = await world.deliver(place, "order_once", {"number": order}, facts)
            failure = answer.failure if answer is not None else None
            if failure is not None and not failure.partial_side_effects and world.outside.orders[order]:
                world.breaks(f"who is told that nothing was done has nothing done: {facts.call_id}, {failure.message}")

        await asyncio.gather(*(world.begin(one(place)) for place in range(6)))

    async def _death(self, world: World, chances: Chances) -> None:
        world.die(world.lives[chances.random.randrange(3) % len(world.lives)])

    async def _freeze(self, world: World, chances: Chances) -> None:
        life, seconds = world.lives[chances.random.randrange(3) % len(world.lives)], chances.random.uniform(1, 40)
        world.note(life, f"gets no answer from the store for {seconds:.0f} s")
        life.frozen_until = world.loop.time() + seconds

    async def _clock(self, world: World, chances: Chances) -> None:
        life = world.lives[chances.random.randrange(3) % len(world.lives)]
        life.clock.ahead = timedelta(
            seconds=round(chances.random.choice((2, 10, 40)) * chances.random.uniform(-1, 1), 1)
        )
        world.note(life, f"takes it for {life.clock.ahead.total_seconds():+} s later than it is")

    async def _ask_for(
        self, world: World, chances: Chances, kind: str, tool: str, arguments: dict[str, Any], turn: int = 1
    ) -> Wish:
        """Want something done once, delivered as often as networks and models do."""
        random, number = chances.random, chances.step.number
        facts = self._facts(chances, turn=turn, call_id=f"c{number}.{turn}")
        wish = Wish(number, kind, tool, arguments, facts)
        self.wishes.append(wish)
        manner, place = random.choice(_MANNERS), random.randrange(3)
        others: list[asyncio.Task[Any]] = []
        if manner == "twice":
            others.append(world.begin(self._after(random.uniform(0, 0.4), world, wish, facts, place + 1)))
        if manner == "anew":
            other = self._facts(chances, turn=turn, call_id=f"c{number}.{turn}n")
            others.append(world.begin(self._after(random.uniform(0, 3), world, wish, other, place + 1)))
        for tries in range(_TRIES):
            answer = await self._deliver(world, wish, facts, place + tries)
            if answer is not None and not (answer.failure and answer.failure.retryable):
                break
            await asyncio.sleep(random.uniform(2, 20))
        if manner == "again":
            await self._after(random.uniform(0, 50), world, wish, facts, place + 1)
        if others:
            await asyncio.wait(others)
        return wish

    async def _after(self, seconds: float, world: World, wish: Wish, facts: PhoneContext, place: int) -> None:
        await asyncio.sleep(seconds)
        await self._deliver(world, wish, facts, place)

    async def _deliver(self, world: World, wish: Wish, facts: PhoneContext, place: int) -> ToolResponse | None:
        before, is_alone = tuple(wish.answers), wish.begun == wish.ended
        wish.begun += 1
        number = wish.begun
        answer = await world.deliver(place, wish.tool, wish.arguments, facts)
        wish.ended += 1
        if answer is not None:
            await self._check(wish, facts, answer, before, is_alone and wish.begun == number)
            (wish.answers if facts is wish.facts else wish.others).append(answer)
        return answer

    async def once_more(self, world: World) -> None:
        """Deliver every call once more, when everything has come to its end."""
        for wish in self.wishes:
            if not world.broken:
                await self._deliver(world, wish, wish.facts, wish.number)

    def _facts(self, chances: Chances, turn: int = 1, call_id: str = "") -> PhoneContext:
        number = chances.step.number
        return PhoneContext(
            business_id=premises.BUSINESS,
            session_id=f"s{number}",
            turn=turn,
            call_id=call_id,
            caller_phone=premises.number_of(number),
            attestation=VOUCHED_FOR,
            caller_verified=True,
        )


def _reference(wish: Wish) -> dict[str, Any]:
    """Return by what an appointment that was made is changed."""
    return next({"booking_id": answer.data["bookingId"]} for answer in wish.answers if answer.ok and answer.data)


def _booking(chances: Chances) -> dict[str, Any]:
    return {
        "service": premises.SERVICE_NAME,
        "start_time": chances.random.choice((*premises.TIMES, premises.CLOSED)),
        "customer_name": f"Caller {chances.step.number}",
    }
