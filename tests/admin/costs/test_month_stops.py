"""What of a month is used up is noted where calls read it: by what is counted, and by whoever sets the limits."""

import asyncio
from datetime import datetime
from typing import Any

import pytest

from switchboard.admin.costs.counting import MonthCounting
from switchboard.admin.costs.month_stops import MonthStops
from switchboard.contract.business.business import Business, read_business
from switchboard.contract.json import JsonObject
from switchboard.contract.store import Delete, Invalid, Set, Unavailable, Update, Write, WriteResult
from switchboard.state.firestore.store import FirestoreStore
from switchboard.state.memory.store import MemoryStore
from tests.admin.costs.test_counting import NEW_YORK, SENT_S, SETTLED_S, moved_to, record
from tests.desk.front_desk import StoppedClock
from tests.pipeline.conftest import BUSINESS, PATHS

WITHIN = PATHS.within(BUSINESS)
OTHER = PATHS.within("demo-plumber")
NOVEMBER = datetime(2027, 11, 9, 12, tzinfo=NEW_YORK)
MONTH = "2027-11"


def texts(*figures: int) -> JsonObject:
    """Return a limit of texts: what it warns at, and what it stops at; the last alone stops."""
    return {"texts": dict(zip(("stopAt", "warnAt"), reversed(figures), strict=False))}


class Ledger:
    """A store with a salon in New York, whose month was counted, and what notes it."""

    def __init__(self, store: Any) -> None:
        self.store, self.clock, self.forgotten = store, StoppedClock(), list[str]()
        moved_to(self.clock, NOVEMBER)

    def stops(self) -> MonthStops:
        """Return what notes it in another process."""
        return MonthStops(self.store, PATHS, self.clock, self.forgotten.append)

    async def limited(self, limits: JsonObject, sums: JsonObject | None = None, month: str = MONTH) -> None:
        """Limit the salon's months, of which one has these sums."""
        salon = {
            "name": "Salon",
            "timezone": NEW_YORK.key,
            "integrations": {},
            "monthlyLimits": {"isSet": True, **limits},
        }
        await self.store.commit([Set(WITHIN.business, salon), Set(WITHIN.document("days", month), sums or {})])

    async def used(self, **sums: Any) -> None:
        """Count so much in the month of now."""
        month = f"{self.clock.now().astimezone(NEW_YORK):%Y-%m}"
        await self.store.commit([Set(WITHIN.document("days", month), sums, merge=True)])

    async def business(self) -> Business:
        """Return the salon as every call reads it."""
        return read_business(BUSINESS, (await self.store.get(WITHIN.business)).data)

    async def stopped(self) -> set[str]:
        """Return what is stopped now."""
        return set((await self.business()).stopped(self.clock.now()))


@pytest.fixture
def ledger() -> Ledger:
    """One in memory."""
    return Ledger(MemoryStore())


@pytest.mark.requirement("004-842")
@pytest.mark.parametrize(
    ("limits", "sums", "stopped"),
    [
        (texts(3), {"texts": {"segments": 2, "unknown": 9}}, set()),
        (texts(3), {"texts": {"segments": 3}}, {"texts"}),
        (texts(0), {}, {"texts"}),
        ({"texts": {"warnAt": 1}}, {"texts": {"segments": 9}}, set()),
        ({"phoneMinutes": {"stopAt": 4}}, {"conversations": {"phone": {"minutes": 4}}}, {"phoneMinutes"}),
        ({"phoneMinutes": {"stopAt": 4}}, {"conversations": {"browser_voice": {"minutes": 4}}}, set()),
        (
            {"modelTokens": {"stopAt": 30}},
            {"models": {"a": {"input": 10, "output": 5}, "b": {"input": 15}}},
            {"modelTokens"},
        ),
        ({"cost": {"stopAt": "0.0237"}}, {"texts": {"segments": 3}}, {"cost"}),
        ({"cost": {"stopAt": "0.0238"}}, {"texts": {"segments": 3}}, set()),
        ({"cost": {"stopAt": "not money"}, "texts": {"stopAt": -1}}, {"texts": {"segments": 3}}, set()),
    ],
)
async def test_what_is_used_up_follows_from_what_was_counted(
    ledger: Ledger, limits: JsonObject, sums: JsonObject, stopped: set[str]
) -> None:
    """Unknown ones are not guessed; money is decimal; what cannot be read limits nothing."""
    await ledger.limited(limits, sums)
    await ledger.store.commit(
        [Set(PATHS.prices, {"currency": "USD", "prices": [{"item": "texts", "price": "0.0079"}]})]
    )
    await ledger.stops().note({BUSINESS})
    assert await ledger.stopped() == stopped


@pytest.mark.requirement("004-842")
async def test_without_any_price_a_cost_stops_nothing(ledger: Ledger) -> None:
    """Nobody can tell what it cost."""
    await ledger.limited({"cost": {"stopAt": "0"}}, {"texts": {"segments": 3}})
    await ledger.stops().note({BUSINESS})
    assert await ledger.stopped() == set()


@pytest.mark.requirement("004-842")
async def test_once_the_month_is_over_by_the_businesss_clock_everything_goes_on(ledger: Ledger) -> None:
    """November ends there an hour later by UTC than it began, and in UTC it has long been December."""
    moved_to(ledger.clock, datetime(2027, 11, 30, 23, 30, tzinfo=NEW_YORK))
    await ledger.limited(texts(3), {"texts": {"segments": 3}})
    await ledger.stops().note({BUSINESS})
    assert await ledger.stopped() == {"texts"}
    ledger.clock.wait(30 * 60)
    assert await ledger.stopped() == set()
    await ledger.stops().note({BUSINESS})
    assert (await ledger.business()).month_stop.month == "2027-12"
    await ledger.used(texts={"segments": 4})
    await ledger.stops().note({BUSINESS})
    assert await ledger.stopped() == {"texts"}


@pytest.mark.requirement("004-842")
async def test_a_stop_is_lifted_when_the_counts_are_corrected_the_prices_fall_or_the_note_is_lost(
    ledger: Ledger,
) -> None:
    """Every business with limits is looked at some minutes later, whether or not anything of it was counted."""
    await ledger.limited(texts(3), {"texts": {"segments": 3}})
    pass_ = ledger.stops()
    await pass_.note({BUSINESS})
    since = (await ledger.business()).month_stop.since
    await ledger.used(texts={"segments": 2})
    await pass_.note(set())
    assert await ledger.stopped() == {"texts"}
    ledger.clock.wait(601)
    await pass_.note(set())
    assert await ledger.stopped() == set()
    await ledger.used(texts={"segments": 3})
    ledger.clock.wait(601)
    await pass_.note(set())
    assert (await ledger.business()).month_stop.since.keys() == since.keys()
    assert set(ledger.forgotten) == {BUSINESS}


@pytest.mark.requirement("004-842")
async def test_since_when_it_stops_stays_and_what_stands_there_already_is_not_written_again(ledger: Ledger) -> None:
    await ledger.limited(texts(3), {"texts": {"segments": 3}})
    await ledger.stops().note({BUSINESS})
    before = await ledger.store.get(WITHIN.business)
    ledger.clock.wait(60)
    await ledger.used(texts={"segments": 5})
    await ledger.stops().note({BUSINESS})
    assert (await ledger.store.get(WITHIN.business)).update_time == before.update_time


@pytest.mark.requirement("004-842")
async def test_limits_that_are_taken_away_leave_no_note(ledger: Ledger) -> None:
    await ledger.limited(texts(3), {"texts": {"segments": 3}})
    await ledger.stops().note({BUSINESS})
    document = await ledger.store.get(WITHIN.business)
    without = {name: value for name, value in document.data.items() if name != "monthlyLimits"}
    await ledger.store.commit([Set(WITHIN.business, without)])
    await ledger.stops().note({BUSINESS})
    assert "monthStop" not in (await ledger.store.get(WITHIN.business)).data


class Contended:
    """A store in which somebody edits the salon just before a note of it is committed, so many times."""

    def __init__(self, inner: MemoryStore, times: int) -> None:
        self.inner, self.times = inner, times

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)

    async def commit(self, writes: list[Write]) -> list[WriteResult]:
        if self.times and any(isinstance(write, Update) and "monthStop" in write.data for write in writes):
            self.times -= 1
            await self.inner.commit([Update(WITHIN.business, {"name": f"Salon {self.times}"})])
        return await self.inner.commit(writes)


@pytest.mark.requirement("004-842")
async def test_a_note_gives_way_to_an_edit_at_the_same_time_and_is_made_after_it(ledger: Ledger) -> None:
    """Neither is lost."""
    await ledger.limited(texts(3), {"texts": {"segments": 3}})
    ledger.store = Contended(ledger.store, 2)
    await ledger.stops().note({BUSINESS})
    assert (await ledger.stopped(), (await ledger.business()).name) == ({"texts"}, "Salon 0")


class FullDocument:
    """A store that takes no note of the plumber, whose document can hold nothing more."""

    def __init__(self, inner: MemoryStore) -> None:
        self.inner = inner

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)

    async def commit(self, writes: list[Write]) -> list[WriteResult]:
        if any(write.path == OTHER.business for write in writes):
            raise Invalid("the document would be larger than 1 MiB")
        return await self.inner.commit(writes)


@pytest.mark.requirement("004-842")
@pytest.mark.parametrize("counted", [set(), {"demo-plumber", BUSINESS}], ids=["all are looked at", "both were counted"])
async def test_a_business_that_can_hold_no_note_keeps_no_other_from_its_turn(ledger: Ledger, counted: set[str]) -> None:
    """Whichever comes first, and the next look is made when it is due."""
    await ledger.limited(texts(3), {"texts": {"segments": 3}})
    plumber = {"name": "Plumber", "timezone": "UTC", "monthlyLimits": {"isSet": True, **texts(3)}}
    sums = {"texts": {"segments": 9}}
    await ledger.store.commit([Set(OTHER.business, plumber), Set(OTHER.document("days", MONTH), sums)])
    ledger.store = FullDocument(ledger.store)
    await ledger.stops().note(counted)
    assert await ledger.stopped() == {"texts"}


@pytest.mark.requirement("004-842")
async def test_two_passes_at_once_note_the_same(ledger: Ledger) -> None:
    await ledger.limited(texts(3), {"texts": {"segments": 3}})
    await asyncio.gather(*(ledger.stops().note({BUSINESS}) for _ in range(5)))
    assert await ledger.stopped() == {"texts"}


@pytest.mark.requirement("004-842")
async def test_another_business_is_neither_looked_at_nor_stopped(ledger: Ledger) -> None:
    """What one has used up is its own."""
    await ledger.limited(texts(3), {"texts": {"segments": 3}})
    plumber = {"name": "Plumber", "timezone": "UTC", "monthlyLimits": {"isSet": True, **texts(3)}}
    await ledger.store.commit([Set(OTHER.business, plumber), Set(OTHER.document("days", MONTH), {"texts": {}})])
    await ledger.stops().note({BUSINESS, "demo-plumber"})
    assert await ledger.stopped() == {"texts"}
    other = read_business("demo-plumber", (await ledger.store.get(OTHER.business)).data)
    assert other.stopped(ledger.clock.now()) == frozenset()


@pytest.mark.requirement("004-842")
async def test_a_pass_that_counts_notes_what_is_used_up_by_it(ledger: Ledger) -> None:
    """A text an hour and a quarter later, a call ten minutes after it was heard last."""
    await ledger.limited(texts(2) | {"phoneMinutes": {"stopAt": 3}})
    counting = MonthCounting(ledger.store, PATHS, ledger.clock, ledger.stops())
    await counting.count()
    now = ledger.clock.now()
    sent = {"kind": "text", "state": "sent", "body": "x" * 200, "createdAt": now}
    await ledger.store.commit([record("i1", now, durationSeconds=121), Set(WITHIN.document("outbox", "t1"), sent)])
    ledger.clock.wait(SETTLED_S)
    await counting.count()
    assert await ledger.stopped() == {"phoneMinutes"}
    ledger.clock.wait(SENT_S - SETTLED_S)
    await counting.count()
    assert await ledger.stopped() == {"phoneMinutes", "texts"}


@pytest.mark.requirement("004-842")
async def test_a_pass_that_cannot_note_it_has_counted_and_the_next_one_notes_it(ledger: Ledger) -> None:
    """The sums are not counted twice for it."""

    class Away(Contended):
        async def commit(self, writes: list[Write]) -> list[WriteResult]:
            if self.times and any(isinstance(write, Update) and "monthStop" in write.data for write in writes):
                self.times -= 1
                raise Unavailable("no answer")
            return await self.inner.commit(writes)

    await ledger.limited({"phoneMinutes": {"stopAt": 3}})
    ledger.store = Away(ledger.store, 0)
    counting = MonthCounting(ledger.store, PATHS, ledger.clock, ledger.stops())
    await counting.count()
    await ledger.store.commit([record("i1", ledger.clock.now(), durationSeconds=180)])
    ledger.clock.wait(SETTLED_S)
    ledger.store.times = 1
    with pytest.raises(Unavailable):
        await counting.count()
    assert await ledger.stopped() == set()
    await counting.count()
    assert await ledger.stopped() == {"phoneMinutes"}
    sums = await ledger.store.get(WITHIN.document("days", MONTH))
    assert sums.data["conversations"]["phone"]["minutes"] == 3


@pytest.mark.requirement("004-842")
async def test_a_business_that_is_gone_is_not_made_again_by_a_note(ledger: Ledger) -> None:
    await ledger.limited(texts(3), {"texts": {"segments": 3}})
    await ledger.store.commit([Delete(WITHIN.business)])
    await ledger.stops().note({BUSINESS})
    assert await ledger.store.get(WITHIN.business) is None


@pytest.mark.requirement("004-842")
async def test_on_firestore_too_all_with_limits_are_found_and_noted(firestore: FirestoreStore) -> None:
    """By what is noted of them; those without limits are not read."""
    ledger = Ledger(firestore)
    await ledger.limited(texts(3), {"texts": {"segments": 3}})
    await ledger.stops().note({BUSINESS})
    assert await ledger.stopped() == {"texts"}
    await ledger.used(texts={"segments": 1})
    await ledger.stops().note(set())
    assert await ledger.stopped() == set()
