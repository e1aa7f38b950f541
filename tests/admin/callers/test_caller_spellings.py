"""On file means found: numbers and addresses in the usual spellings, mended or not."""

from datetime import timedelta
from typing import Any

import pytest

from switchboard.admin.callers.caller_spellings import CallerSpellings, mark_of
from switchboard.contract.store import Set, Update
from switchboard.desk.callers.callers import Callers
from switchboard.state.memory.store import MemoryStore
from tests.desk.front_desk import StoppedClock
from tests.each import each
from tests.pipeline.conftest import PATHS

PLACES = {"us": "+12015550100", "de": "+493023125500", "uk": "+442079460000", "nowhere": ""}
US, GERMAN = "+15185550171", "+493023125501"


def opened() -> tuple[MemoryStore, StoppedClock]:
    return MemoryStore(), StoppedClock()


async def entered(store: MemoryStore, business: str, **record: Any) -> None:
    """Type one record into the store itself."""
    within = PATHS.within(business)
    await store.commit(
        [
            Set(within.business, {"name": business, "phone": PLACES[business]}),
            Set(within.document("callers", "c"), {"name": "Ute Berg", **record}),
        ]
    )


async def found(store: MemoryStore, business: str, number: str) -> list[str | None]:
    return [caller.phone for caller in await Callers(store).of_number(PATHS.within(business), number)]


SPELLINGS = [
    *(("us", US, t) for t in ("+15185550171", "+1 518 555 0171", "+1-518-555-0171", "+1 (518) 555-0171")),
    *(("us", US, t) for t in ("(518) 555-0171", "518-555-0171", "518.555.0171", "5185550171", "518 555 0171")),
    *(("us", US, t) for t in ("1-518-555-0171", "15185550171", "1 518-555-0171", "0015185550171")),
    *(("de", GERMAN, t) for t in ("+493023125501", "+49 30 23125501", "+49-30-23125501", "+49 (0)30 23125501")),
    *(("de", GERMAN, t) for t in ("+49(0)3023125501", "+49 (0) 30 23125501", "00493023125501", "0049 30 23125501")),
    *(("de", GERMAN, t) for t in ("030 23125501", "03023125501", "030-23125501")),
]
UNUSUAL = [
    *(("us", US, t) for t in (" +1 518  555 01 71 ", "(518)5550171", "\u202a518\u2011555\u20110171\u202c")),
    *(
        ("de", GERMAN, t)
        for t in ("030/231 255 01", "(030) 231-25501", "0049 (0) 30 / 231 255 01", "+49 30 231 255 01")
    ),
]


@pytest.mark.requirement("004-113")
@each(("business", "number", "typed"), SPELLINGS)
async def test_a_number_is_found_in_the_usual_spellings_before_it_is_mended(business: str, number: str, typed: str):
    """By the country of the business where the number does not say its own."""
    store, _ = opened()
    await entered(store, business, phone=typed)
    assert await found(store, business, number) == [number]


@pytest.mark.requirement("004-113")
@each(("business", "number", "typed"), [*SPELLINGS, *UNUSUAL])
async def test_a_number_is_found_in_any_spelling_once_it_is_mended(business: str, number: str, typed: str):
    """What was typed stays; a second look mends nothing."""
    store, clock = opened()
    await entered(store, business, phone=typed)
    assert await CallerSpellings(store, PATHS, clock).mend(business) == {"mended": 1}
    assert await CallerSpellings(store, PATHS, clock).mend() == {"mended": 0}
    record = await store.get(PATHS.within(business).document("callers", "c"))
    assert record is not None and (record.data["phone"], record.data["phoneNormalised"]) == (typed, number)
    assert await found(store, business, number) == [number]


@pytest.mark.requirement("004-113")
@each(
    ("business", "typed", "caller"),
    [
        ("uk", "0151 23125501", "+4915123125501"),
        ("us", "030 23125501", GERMAN),
        ("de", "(518) 555-0171", US),
        ("nowhere", "(518) 555-0171", US),
    ],
)
async def test_a_number_without_its_country_is_nobodys_elsewhere(business: str, typed: str, caller: str):
    """The same digits are another person's number in another country."""
    store, clock = opened()
    await entered(store, business, phone=typed)
    for _ in range(2):
        assert await found(store, business, caller) == []
        await CallerSpellings(store, PATHS, clock).mend(business)


@pytest.mark.requirement("004-113")
async def test_whoever_had_a_number_before_is_not_found_by_it(business: str = "us"):
    """An owner types a new number over the old one; what stands beside it counts for nothing until it is mended."""
    store, clock = opened()
    await entered(store, business, phone="518-555-0171")
    spellings = CallerSpellings(store, PATHS, clock)
    await spellings.mend()
    path = PATHS.within(business).document("callers", "c")
    await store.commit([Update(path, {"phone": "(518) 555-0172"})])
    assert (await found(store, business, US), await found(store, business, "+15185550172")) == ([], ["+15185550172"])
    clock.moment += timedelta(days=1)
    assert await spellings.mend() == {"mended": 1}
    record = await store.get(path)
    assert record is not None and record.data["phoneNormalised"] == "+15185550172"


@pytest.mark.requirement("004-113")
@each("typed", ["ute.berg@post.example", "Ute.Berg@Post.Example", "UTE.BERG@POST.EXAMPLE", " uTe.bErG@post.example "])
async def test_an_address_is_found_in_any_case(typed: str):
    """In the record and in what is said."""
    store, clock = opened()
    await entered(store, "us", email=typed)
    await CallerSpellings(store, PATHS, clock).mend()
    for said in ("ute.berg@post.example", "Ute.Berg@Post.Example", "UTE.BERG@post.example"):
        assert [caller.id for caller in await Callers(store).of_email(PATHS.within("us"), said)] == ["c"]


@pytest.mark.requirement("004-113")
async def test_many_records_are_mended_a_few_at_a_time_and_none_is_left_out():
    """A pass is bounded; the next goes on behind it, and is made again a day later."""
    store, clock = opened()
    await entered(store, "us", phone="1")
    within = PATHS.within("us")
    for n in range(0, 2_300, 100):
        records = {f"c{i:05}": {"phone": f"518-555-{i:04}"} for i in range(n, n + 100)}
        await store.commit([Set(within.document("callers", id), record) for id, record in records.items()])
    spellings, counts = CallerSpellings(store, PATHS, clock), []
    for _ in range(3):
        counts.append((await spellings.mend())["mended"])
    # The first one's number is none, and its name is found from now on.
    assert (sum(counts), counts[2], counts[0] < 2_300) == (2_301, 0, True)
    mark = await store.get(mark_of(within))
    assert mark is not None and mark.data["doneAt"] == clock.now()


@pytest.mark.requirement("004-920")
async def test_further_numbers_are_found_once_they_are_mended_and_not_once_they_are_taken_out(business: str = "de"):
    """What they are found by is written beside them, and goes with the last of them."""
    store, clock = opened()
    await entered(store, business, phone="030 901820", otherPhones=["030/23125501", "no number"])
    assert await CallerSpellings(store, PATHS, clock).mend(business) == {"mended": 1}
    path = PATHS.within(business).document("callers", "c")
    record = await store.get(path)
    assert record is not None and record.data["otherPhonesNormalised"] == [GERMAN]
    assert await found(store, business, GERMAN) == ["+4930901820"]
    await store.commit([Update(path, {"otherPhones": []})])
    assert await found(store, business, GERMAN) == []
    clock.moment += timedelta(days=1)
    assert await CallerSpellings(store, PATHS, clock).mend(business) == {"mended": 1}
    record = await store.get(path)
    assert record is not None and record.data["otherPhonesNormalised"] == []


@pytest.mark.requirement("004-113")
async def test_a_block_of_an_owner_holds_for_a_record_that_was_typed_in(business: str = "de"):
    """Blocks and flags stand in the record, in whatever spelling its number is."""
    store, clock = opened()
    until = clock.now() + timedelta(hours=1)
    await entered(store, business, phone="030/23125501", flagged=True, blockedUntil=until)
    await CallerSpellings(store, PATHS, clock).mend()
    (caller,) = await Callers(store).of_number(PATHS.within(business), GERMAN)
    assert (caller.is_flagged, caller.blocked_until) == (True, until)
