"""What an owner changes between telling and booking is told, and nothing is booked by it before the caller agrees."""

import uuid
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from typing import Any

import pytest

from benchmarks.billed_store import BilledStore
from running import demo
from switchboard.app.container import Container, build
from switchboard.app.settings import read_configuration
from switchboard.catalog.offer.catalog import Options
from switchboard.contract.channel import Channel
from switchboard.contract.context import CONTEXTS
from switchboard.contract.error import ErrorType
from switchboard.contract.response import ToolResponse
from switchboard.contract.store import Query, Set, Update
from switchboard.pipeline.confirmation.consent import Said
from switchboard.state.memory.store import MemoryStore
from switchboard.state.paths import FirestorePaths
from tests.conversation.demo_house import StandingClock

pytestmark = pytest.mark.requirement("004-2411")
NOW = datetime(2027, 3, 15, 15, tzinfo=UTC)
SALON = FirestorePaths().within(demo.SALON)
HAIRCUT = {"service": "Haircut", "start_time": "2027-03-16T10:00:00", "customer_name": "Anna Whitfield"}


class House:
    """Two instances over one store, whose business its owner changes."""

    def __init__(self, store: BilledStore) -> None:
        self.store = store
        self.instances = [self._instance(), self._instance()]

    def _instance(self) -> Container:
        house = build(read_configuration({"SWITCHBOARD_EMBEDDINGS": "none"}), self.store)
        house.clock = StandingClock(NOW)  # type: ignore[assignment]
        return house

    async def call(self, name: str, args: dict[str, Any], turn: int = 1, at: int = 0, **facts: Any) -> ToolResponse:
        known = {"business_id": demo.SALON, "session_id": "s1", "call_id": uuid.uuid4().hex, "turn": turn}
        context = CONTEXTS[Channel.PHONE](**known | {"caller_phone": "+15185550171"} | facts)
        return await self.instances[at].dispatcher.execute_tool(name, args, demo.SALON, context)

    async def look(self, at: int = 0, **facts: Any) -> None:
        asked = {"date": "2027-03-16T10:00:00", "service": "Haircut"}
        assert (await self.call("check_availability", asked, at=at, **facts)).ok

    async def change(self, of: str = "Haircut", what: str = "services", seen_by: Any = (0, 1), **fields: Any) -> None:
        """Have the owner change a service, or what `what` says; only some instances know it at once."""
        document = await self.store.get(SALON.business)
        assert document is not None
        rows = [row | fields if row["name"] == of else row for row in document.data[what]]
        await self.store.commit([Set(SALON.business, {what: rows}, merge=True)])
        for at in seen_by:
            self.instances[at].catalog.forget(demo.SALON)

    async def hear(self, words: str, asked: ToolResponse, turn: int) -> None:
        """Let the caller answer a question."""
        said, question = Said(words, "en"), asked.meta["readBack"]
        await self.instances[0].approvals.hear(demo.SALON, "s1", turn, said, NOW, asked=question)

    async def booked(self) -> list[dict[str, Any]]:
        """Return what the conversation has booked."""
        documents = await self.store.query(Query(SALON.collection("bookings")))
        return [each.data for each in documents if each.data.get("source", {}).get("sessionId") == "s1"]

    async def refusal(self, turn: int = 2, at: int = 0, **args: Any) -> str:
        """Return why nothing was booked."""
        answer = await self.call("book_appointment", HAIRCUT | args, turn, at)
        assert answer.failure is not None and answer.failure.type is ErrorType.CONFLICT, answer
        assert answer.meta["reason"] == "changed" and await self.booked() == []
        return answer.failure.message


@pytest.fixture
async def house() -> AsyncIterator[House]:
    """The demo salon at two instances."""
    found = House(BilledStore(MemoryStore()))
    await demo.furnish(found.store, FirestorePaths(), NOW)
    yield found
    for instance in found.instances:
        await instance.close()


async def test_a_price_that_was_changed_since_is_told_and_nothing_is_booked_before_the_next_turn(house: House) -> None:
    await house.look()
    await house.change(price="$55")
    told = await house.refusal()
    assert "the price of Haircut was $48, and is $55 now" in told and "Call book_appointment again" in told
    # The model has not asked anybody yet.
    assert "was $48, and is $55 now" in await house.refusal(customer_name="Anna W")
    answer = await house.call("book_appointment", HAIRCUT, turn=3)
    assert answer.data is not None and answer.data["price"] == "$55"
    (booked,) = await house.booked()
    assert booked["price"] == "$55"


async def test_what_was_told_anew_and_is_changed_once_more_is_told_once_more(house: House) -> None:
    await house.look()
    await house.change(price="$55")
    await house.refusal()
    await house.change(price="$60")
    assert "was $55, and is $60 now" in await house.refusal(turn=3)
    await house.change(price="$55")
    assert "was $60, and is $55 now" in await house.refusal(turn=4)


async def test_another_length_is_told_unless_the_caller_has_named_one(house: House) -> None:
    await house.look()
    await house.change(durationMinutes=45)
    assert "the length of Haircut was 30 minutes, and is 45 minutes now" in await house.refusal()
    assert (await house.call("book_appointment", HAIRCUT | {"duration_minutes": 30}, turn=2)).ok


async def test_somebody_who_bears_another_name_now_is_not_booked_quietly(house: House) -> None:
    await house.look()
    await house.change("Rosa", "resources", name="Rosa Diaz")
    assert "was Rosa, and is Rosa Diaz now" in await house.refusal(with_person="Rosa")
    # Whoever does not mind was told no name.
    assert (await house.call("book_appointment", HAIRCUT, turn=2)).ok


async def test_a_change_of_what_was_not_told_is_nobodys_concern(house: House) -> None:
    await house.look()
    await house.change("Color", price="from $150")
    await house.change(description="Now with tea.", bufferAfterMinutes=5)
    assert (await house.call("book_appointment", HAIRCUT, turn=2)).ok


async def test_an_instance_that_knows_the_business_of_a_minute_ago_books_what_was_told(house: House) -> None:
    """Which copy an instance has does not matter: what differs from what was told is read anew first."""
    await house.look(at=1, session_id="other")
    await house.change(price="$55", seen_by=(0,))
    await house.look(at=0)
    answer = await house.call("book_appointment", HAIRCUT, turn=2, at=1)
    assert answer.data is not None and answer.data["price"] == "$55"


async def test_what_was_told_and_booked_of_one_copy_is_what_was_agreed_to(house: House) -> None:
    await house.look()
    await house.change(price="$55", seen_by=())
    answer = await house.call("book_appointment", HAIRCUT, turn=2)
    assert answer.data is not None and answer.data["price"] == "$48"


async def test_what_is_booked_already_is_told_as_it_was_booked(house: House) -> None:
    assert (await house.call("book_appointment", HAIRCUT)).ok
    await house.change(price="$55")
    again = await house.call("book_appointment", HAIRCUT | {"customer_name": "anna whitfield"}, turn=2)
    assert again.data is not None and (again.data["repeated"], again.data["price"]) == (True, "$48")


async def test_a_session_that_is_begun_by_a_listing_keeps_what_is_told_as_well(house: House) -> None:
    await house.instances[0].catalog.get_tool_definitions(demo.SALON, Options(Channel.PHONE, "s1"))
    await house.change(price="$55")
    assert "was $48, and is $55 now" in await house.refusal(turn=1)


async def test_an_ordinary_booking_reads_nothing_more(house: House) -> None:
    """Only where something was changed the session and the business are read."""
    await house.look()
    session = f"{SALON.business}/sessions/s1"
    before = house.store.bill
    assert (await house.call("book_appointment", HAIRCUT, turn=2)).ok
    ordinary = house.store.bill - before
    document = await house.store.get(session)
    assert document is not None and "terms" in document.data
    await house.change("Color", price="from $150")
    before = house.store.bill
    assert (await house.call("book_appointment", HAIRCUT | {"start_time": "2027-03-16T14:00:00"}, turn=3)).ok
    assert (house.store.bill - before).reads > ordinary.reads


@pytest.mark.parametrize("worded", [{}, {"en": "Shall I book {{service}}?"}])
async def test_where_callers_are_asked_first_the_question_names_what_is_not_as_it_was_told(
    house: House, worded
) -> None:
    """Also where the owner's own words would not, and where it was changed after the question."""
    edit: dict[str, Any] = {"confirm": True} | ({"readBack": worded} if worded else {})
    await house.store.commit([Update(FirestorePaths().definition("book_appointment"), edit)])
    await house.look()
    asked = await house.call("book_appointment", HAIRCUT, turn=2)
    await house.change(price="$55")
    await house.hear("yes", asked, turn=3)
    anew = await house.call("book_appointment", HAIRCUT, turn=3)
    assert anew.failure is not None and anew.failure.type is ErrorType.CONFIRMATION_REQUIRED
    assert "for Anna Whitfield, now at $55. Shall I go ahead?" in anew.meta["readBack"]
    assert "now at" not in asked.meta["readBack"] and await house.booked() == []
    await house.hear("yes, please", anew, turn=4)
    answer = await house.call("book_appointment", HAIRCUT, turn=4)
    assert answer.data is not None and answer.data["price"] == "$55"
