"""Appointments as people of the business make and change them: as a caller's are, once, and told who did it."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

import pytest

from switchboard.contract.store import Delete, Document, Query, Unavailable, Update, Write, WriteResult
from switchboard.desk.bookings.booking import CONFIRMED, Booking, read_booking
from switchboard.desk.bookings.bookings import claim_writes
from switchboard.state.memory.store import MemoryStore
from tests.admin.owners_office import OWN, token
from tests.admin.whole_house import BUSINESS, WITHIN, Owner, opened

APPOINTMENTS = f"{BUSINESS}/appointments"
DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
ALWAYS = {day: [{"open": "00:00", "close": "24:00"}] for day in DAYS}
ROSA, MARCUS = {"id": "rosa", "name": "Rosa"}, {"id": "marcus", "name": "Marcus"}


@pytest.fixture
async def owner() -> AsyncIterator[Owner]:
    """The salon's, open all day and night, with two people."""
    async with opened() as found:
        fields = {
            "workingHours": ALWAYS,
            "timezone": "America/New_York",
            "resources": [ROSA, MARCUS],
            "integrations": {"builtinCalendar": {"isConnected": True, "textConfirmations": True}},
        }
        await found.house.store.commit([Update(WITHIN.business, fields)])
        yield found


def at(days: int, hour: int = 15) -> datetime:
    """Return a time some days from now, in UTC."""
    today = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    return today + timedelta(days=days, hours=hour)


def wish(days: int = 3, **changes: Any) -> dict[str, Any]:
    """Return an appointment as somebody enters it."""
    entered = {"service": "haircut", "start": at(days).isoformat(), "customer": "Jürgen Müller", "with": "Rosa"}
    return {**entered, "phone": "(518) 555-0161", **changes}


async def made(owner: Owner, **changes: Any) -> dict[str, Any]:
    """Make an appointment and return it."""
    answer = await owner.send("POST", APPOINTMENTS, wish(**changes))
    assert answer.status_code == 201, answer.text
    shown: dict[str, Any] = answer.json()["appointment"]
    return shown


async def keyed(owner: Owner, path: str, body: Any, key: str, revision: str = "") -> Any:
    """Send something under a key by which it is known when it is sent again."""
    headers = token("owner") | {"Idempotency-Key": key} | ({"If-Match": f'"{revision}"'} if revision else {})
    return await owner.http.post(path, json=body, headers=headers)


async def listed(owner: Owner, query: str) -> list[dict[str, Any]]:
    """Return what is listed."""
    rows: list[dict[str, Any]] = (await owner.done("GET", f"{APPOINTMENTS}?{query}"))["appointments"]
    return rows


async def stored(owner: Owner) -> list[Booking]:
    """Return every appointment as it is stored."""
    documents = await owner.house.store.query(Query(WITHIN.collection("bookings")))
    return [booking for booking in map(read_booking, documents) if booking is not None]


async def texts(owner: Owner) -> list[str]:
    """Return what customers are texted."""
    return [document.data["body"] for document in await owner.house.store.query(Query(WITHIN.collection("outbox")))]


@pytest.mark.requirement("004-654")
async def test_an_appointment_is_made_as_a_callers_is_and_told_as_the_owners(owner: Owner):
    """It holds its slots, its customer is texted, the ledger and the audit name who made it."""
    shown = await made(owner)
    assert (shown["customer"], shown["phone"], shown["status"]) == ("Jürgen Müller", "+15185550161", CONFIRMED)
    assert [one["name"] for one in shown["with"]] == ["Rosa"]
    assert (shown["channel"], shown["isTrial"], shown["canChange"]) == ("desk", False, True)
    (booking,) = await stored(owner)
    slots = await owner.house.store.query(Query(WITHIN.collection("slots")))
    assert {slot.id for slot in slots} == booking.held
    (text,) = await texts(owner)
    assert "your appointment is booked" in text
    (call,) = await owner.house.store.query(Query(WITHIN.calls(shown["sessionId"])))
    assert (call.data["tool"], call.data["state"]) == ("book_appointment", "finished")
    assert call.data["facts"]["staff"]["id"] == "user:platform"
    (entry,) = (await owner.audit()).values()
    assert (entry["kind"], entry["document"], entry["deed"]) == ("booking", booking.id, "created")
    assert (entry["who"]["name"], entry["after"]["customerName"]) == ("platform@example.com", "Jürgen Müller")


@pytest.mark.requirement("004-654")
async def test_what_is_sent_twice_is_made_once(owner: Owner):
    """Under one key the first answer is given again; without one the same wish is told to be there already."""
    first = await keyed(owner, APPOINTMENTS, wish(), "k1")
    again = await keyed(owner, APPOINTMENTS, wish(), "k1")
    assert first.status_code == again.status_code == 201
    assert first.json()["appointment"]["id"] == again.json()["appointment"]["id"]
    bare = [await owner.send("POST", APPOINTMENTS, wish(4)) for _ in range(2)]
    assert [answer.json()["repeated"] for answer in bare] == [False, True]
    assert len(await stored(owner)) == 2
    assert len(await owner.audit()) == 2


async def test_a_wish_under_a_key_is_not_known_again_without_it(owner: Owner):
    """Nor the other way round: whoever is free then is booked as well, and once nobody is the time is taken."""
    bare = {name: value for name, value in wish().items() if name != "with"}
    first = (await keyed(owner, APPOINTMENTS, bare, "k1")).json()
    second = await owner.done("POST", APPOINTMENTS, bare)
    assert (first["repeated"], second["repeated"]) == (False, False)
    assert first["appointment"]["with"] != second["appointment"]["with"]
    assert (await keyed(owner, APPOINTMENTS, wish(), "k2")).status_code == 409


async def test_a_key_that_stands_for_another_wish_does_nothing_and_says_so(owner: Owner):
    """In the words of whoever sends keys, for another wish of the same kind and for one of another."""
    first = (await keyed(owner, APPOINTMENTS, wish(), "k1")).json()["appointment"]
    cancel = f"{APPOINTMENTS}/{first['id']}/cancel"
    for answer in (
        await keyed(owner, APPOINTMENTS, wish(4), "k1"),
        await keyed(owner, cancel, {}, "k1", first["revision"]),
    ):
        assert answer.status_code == 409
        assert answer.json()["error"]["message"].startswith("This Idempotency-Key was already used for something else")
    assert [booking.status for booking in await stored(owner)] == [CONFIRMED]


async def test_what_is_under_way_is_said_to_be_worth_asking_again(owner: Owner):
    """Whoever sends the same at once gets its answer, or a no that a client's own repetition ends."""
    refused, hours = [], range(9, 15)
    for hour in hours:
        entered = wish(start=at(3, hour).isoformat())
        answers = await asyncio.gather(*(keyed(owner, APPOINTMENTS, entered, f"k{hour}") for _ in range(6)))
        refused += [answer.json()["error"] for answer in answers if answer.status_code == 409]
        later = await keyed(owner, APPOINTMENTS, entered, f"k{hour}")
        ids = {answer.json()["appointment"]["id"] for answer in (*answers, later) if answer.status_code == 201}
        assert len(ids) == 1
    # Whether one is still under way when the others come is chance each time, not six times.
    assert refused and all(error["retryable"] for error in refused)
    assert len(await stored(owner)) == len(hours)


async def test_a_cancelled_appointment_can_be_made_again(owner: Owner):
    """The same wish of the same person is another one once the first is cancelled."""
    first = await made(owner)
    await owner.send("POST", f"{APPOINTMENTS}/{first['id']}/cancel", {}, first["revision"])
    second = await made(owner)
    assert second["id"] != first["id"]
    assert sorted(booking.status for booking in await stored(owner)) == ["cancelled", "confirmed"]


@pytest.mark.requirement("004-653")
async def test_everything_that_is_wrong_is_told_at_its_field_in_words_for_people(owner: Owner):
    """Nothing of it is meant for a model."""
    body = wish(service="Massage", customer="???", phone="12", start="tomorrow", **{"with": "Zoe"})
    answer = await owner.send("POST", APPOINTMENTS, body)
    assert answer.status_code == 400
    problems = {one["field"]: one["message"] for one in answer.json()["error"]["problems"]}
    assert problems.keys() == {"service", "customer", "phone", "start", "with"}
    assert problems["service"] == "service must be one of yours: Haircut, Color, Beard trim, Highlights."
    assert "caller" not in " ".join(problems.values())


@pytest.mark.requirement("004-653")
@pytest.mark.parametrize(
    ("start", "words"),
    [
        ("2026-12-09", "start must have a time behind its day, such as 2027-03-10T09:30."),
        ("9999-12-31T10:00", "start must be a day near today."),
        ("1900-01-01T10:00:00-05:00", "start must be a day near today."),
        ("2027-03-14T02:30", "start does not exist: the clocks go forward past it on that day."),
        (
            "2027-11-07T01:30",
            "start comes twice, for the clocks go back on that day; write 2027-11-07T01:30:00-04:00 or "
            "2027-11-07T01:30:00-05:00.",
        ),
    ],
)
async def test_a_time_that_nobody_can_have_meant_is_told_by_what_is_wrong_with_it(owner: Owner, start: str, words: str):
    """Wherever one is entered: nobody is told that they are closed at a midnight they never wrote."""
    shown = await made(owner)
    entered = await owner.send("POST", APPOINTMENTS, wish(start=start))
    moved = await owner.send("POST", f"{APPOINTMENTS}/{shown['id']}/move", {"start": start}, shown["revision"])
    for answer in (entered, moved):
        assert answer.status_code == 400, answer.text
        assert answer.json()["error"]["problems"] == [{"field": "start", "message": words}]
    assert len(await stored(owner)) == 1


async def test_a_time_that_is_taken_is_refused_with_what_is_free(owner: Owner):
    """In the business's own time, and nothing is made."""
    await made(owner)
    answer = await owner.send("POST", APPOINTMENTS, wish(customer="Anna Whitfield"))
    assert answer.status_code == 409
    message = answer.json()["error"]["message"]
    assert message.startswith("That time is already taken. Free instead: ")
    assert len(await stored(owner)) == 1
    past = await owner.send("POST", APPOINTMENTS, wish(-2))
    (problem,) = past.json()["error"]["problems"]
    assert (problem["field"], problem["message"].startswith("That time is past.")) == ("start", True)


async def test_an_appointment_is_moved_and_its_customer_told(owner: Owner):
    """By somebody who has never been told of it by a caller."""
    shown = await made(owner)
    path = f"{APPOINTMENTS}/{shown['id']}/move"
    answer = await owner.send("POST", path, {"start": at(5).isoformat()}, shown["revision"])
    assert answer.status_code == 200, answer.text
    assert datetime.fromisoformat(answer.json()["appointment"]["start"]) == at(5)
    assert any("was moved" in text for text in await texts(owner))
    (booking,) = await stored(owner)
    slots = await owner.house.store.query(Query(WITHIN.collection("slots")))
    assert {slot.id for slot in slots} == booking.held


@pytest.mark.requirement("004-1101")
async def test_how_many_come_is_changed_and_told_in_the_audit(owner: Owner):
    """At the same time too; where so many never come, the field says so and nothing is changed."""
    table = {"id": "table", "name": "Table", "kind": "table", "seats": 6}
    services = [{"name": "Dinner", "durationMinutes": 60, "needs": [{"kind": "table"}]}]
    await owner.house.store.commit([Update(WITHIN.business, {"resources": [table], "services": services})])
    shown = await made(owner, service="Dinner", party=3, **{"with": ""})
    path, body = f"{APPOINTMENTS}/{shown['id']}/move", {"start": shown["start"]}
    many = await owner.send("POST", path, {**body, "party": 7}, shown["revision"])
    (problem,) = many.json()["error"]["problems"]
    assert (problem["field"], "at most 6 people" in problem["message"]) == ("party", True)
    changed, resent = [(await keyed(owner, path, {**body, "party": 5}, "k5", shown["revision"])).json() for _ in "ab"]
    assert (changed["appointment"]["party"], changed["repeated"]) == (5, False)
    assert resent == changed
    again = await owner.send("POST", path, {**body, "party": 5}, changed["appointment"]["revision"])
    assert again.json()["repeated"] is True
    stale = await owner.send("POST", path, {**body, "party": 2}, shown["revision"])
    assert stale.status_code == 412
    assert any("was changed: Dinner for 5 people" in text for text in await texts(owner))
    entry = next(one for one in (await owner.audit()).values() if one["deed"] != "created")
    assert (entry["before"]["partySize"], entry["after"]["partySize"]) == (3, 5)


@pytest.mark.requirement("004-648")
async def test_two_owners_at_once_do_not_undo_each_other(owner: Owner):
    """The second is shown what the first has made of it, and by whom."""
    shown = await made(owner)
    path = f"{APPOINTMENTS}/{shown['id']}"
    assert (
        await owner.send("POST", f"{path}/move", {"start": at(5).isoformat()}, shown["revision"])
    ).status_code == 200
    late = await owner.send("POST", f"{path}/cancel", {}, shown["revision"], by="owner")
    assert late.status_code == 412
    conflict = late.json()["error"]["conflict"]
    assert conflict["changedBy"] == "platform@example.com"
    assert datetime.fromisoformat(conflict["current"]["start"]) == at(5)
    assert [booking.status for booking in await stored(owner)] == [CONFIRMED]


async def test_a_change_that_is_sent_again_under_its_key_is_answered_again(owner: Owner):
    """Although the appointment is another one by then."""
    shown = await made(owner)
    path = f"{APPOINTMENTS}/{shown['id']}/cancel"
    answers = [await keyed(owner, path, {}, "k2", shown["revision"]) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [200, 200]
    assert len(await owner.audit()) == 2


async def test_a_callers_own_appointment_is_cancelled_and_corrected_by_the_business(owner: Owner):
    """Whoever made it; the record says that it was the business."""
    booking = await planted(owner, "bk_1", at(2))
    path = f"{APPOINTMENTS}/{booking.id}"
    shown = await owner.done("GET", path)
    changed = await owner.send("PATCH", path, {"customer": "Anna Meyer", "phone": "518 555 0162"}, shown["revision"])
    assert changed.status_code == 200, changed.text
    row = changed.json()["appointment"]
    assert (row["customer"], row["phone"]) == ("Anna Meyer", "+15185550162")
    gone = await owner.send("POST", f"{path}/cancel", {}, row["revision"])
    assert gone.json()["appointment"]["cancelledBecause"] == "business"
    over = await owner.send(
        "POST", f"{path}/move", {"start": at(4).isoformat()}, gone.json()["appointment"]["revision"]
    )
    assert over.status_code == 409
    assert over.json()["error"]["message"].startswith("This appointment was cancelled")


async def planted(owner: Owner, id: str, start: datetime, **changes: Any) -> Booking:
    """Put an appointment into the store, as a caller has made it."""
    booking = Booking(
        id=id,
        business_id=OWN,
        service="Haircut",
        start=start,
        minutes=30,
        customer_name="Anna Whitfield",
        created_at=at(-9),
        session_id="CA1",
        channel="phone",
        call_id="ia1",
    )
    booking = replace(booking, **changes)
    await owner.house.store.commit(claim_writes(WITHIN, booking))
    return booking


async def test_somebody_who_did_not_come_is_noted_and_taken_back(owner: Owner):
    """Only once the appointment has begun; what was noted is told in the audit."""
    booking = await planted(owner, "bk_1", at(-1))
    path = f"{APPOINTMENTS}/{booking.id}"
    shown = await owner.done("GET", path)
    assert (shown["canBeMissed"], shown["canChange"]) == (True, False)
    missed = await owner.send("POST", f"{path}/no-show", {}, shown["revision"])
    assert missed.json()["appointment"]["status"] == "no_show"
    assert await owner.house.store.query(Query(WITHIN.collection("slots"))) == []
    back = await owner.send("POST", f"{path}/no-show", {"missed": False}, missed.json()["appointment"]["revision"])
    assert back.json()["appointment"]["status"] == CONFIRMED
    coming = await planted(owner, "bk_2", at(2))
    revision = (await owner.done("GET", f"{APPOINTMENTS}/{coming.id}"))["revision"]
    early = await owner.send("POST", f"{APPOINTMENTS}/{coming.id}/no-show", {}, revision)
    assert early.status_code == 409


class Losing(MemoryStore):
    """A store that notes which entries of the audit are read, and loses the answer to a change of an appointment."""

    def __init__(self) -> None:
        super().__init__()
        self.entries_read: list[str] = []
        self.loses: Literal["nothing", "its answer", "all but what another writes"] = "nothing"

    async def get(self, path: str) -> Document | None:
        """Read, and note where."""
        self.entries_read += [path] if "/audit/" in path else []
        return await super().get(path)

    async def commit(self, writes: Sequence[Write]) -> list[WriteResult]:
        """Write, and answer if that is not to be lost."""
        change = next((write for write in writes if isinstance(write, Update) and "/bookings/" in write.path), None)
        if change is None or self.loses == "nothing":
            return await super().commit(writes)
        await super().commit(writes if self.loses == "its answer" else [change])
        raise Unavailable("the answer is lost")


@pytest.mark.requirement("004-970")
@pytest.mark.parametrize(
    ("loses", "reads", "is_repeated"),
    [("nothing", 0, False), ("its answer", 1, False), ("all but what another writes", 1, True)],
)
async def test_whose_a_no_show_is_is_looked_for_where_the_answer_was_lost(loses: Any, reads: int, is_repeated: bool):
    """Everywhere else the store has said it."""
    store = Losing()
    async with opened(store) as owner:
        booking = await planted(owner, "bk_1", at(-1))
        revision = (await owner.done("GET", f"{APPOINTMENTS}/{booking.id}"))["revision"]
        store.entries_read.clear()
        store.loses = loses
        missed = await owner.send("POST", f"{APPOINTMENTS}/{booking.id}/no-show", {}, revision)
        assert (missed.status_code, missed.json()["appointment"]["status"]) == (200, "no_show")
        assert (missed.json()["repeated"], "audit-entry" in missed.headers) == (is_repeated, not is_repeated)
        assert len(store.entries_read) == reads


@pytest.mark.requirement("004-648")
async def test_whose_time_was_given_away_is_not_taken_for_present_after_all(owner: Owner):
    """Until that time is free again; why is said."""
    booking = await planted(owner, "bk_1", at(-1))
    path = f"{APPOINTMENTS}/{booking.id}/no-show"
    missed = await owner.send("POST", path, {}, (await owner.done("GET", f"{APPOINTMENTS}/{booking.id}"))["revision"])
    other = await planted(owner, "bk_2", booking.start)
    revision = missed.json()["appointment"]["revision"]
    back = await owner.send("POST", path, {"missed": False}, revision)
    assert (back.status_code, "somebody else" in back.json()["error"]["message"]) == (409, True)
    await owner.house.store.commit([Delete(WITHIN.document("slots", id)) for id in other.slots])
    assert (await owner.send("POST", path, {"missed": False}, revision)).status_code == 200


@pytest.mark.requirement("004-649")
async def test_appointments_are_found_by_day_week_person_name_and_number(owner: Owner):
    """A day is the business's own; a name is found however it is written."""
    for number, day in enumerate((2, 3, 8)):
        who = ("Jürgen Müller", "Anna Whitfield", "Ahmet Yilmaz")[number]
        await made(
            owner, days=day, customer=who, phone=f"518 555 016{number}", **{"with": ("Rosa", "Marcus")[number % 2]}
        )
    day = at(2).date().isoformat()
    assert [row["customer"] for row in await listed(owner, f"day={day}")] == ["Jürgen Müller"]
    assert len(await listed(owner, f"day={day}&days=7")) == 3
    assert len(await listed(owner, f"day={day}&days=6")) == 2
    assert [row["customer"] for row in await listed(owner, f"day={day}&days=7&person=marcus")] == ["Anna Whitfield"]
    for spelt in ("mueller", "MULLER", "Müller, Jürgen", "juerg", "mü"):
        assert [row["customer"] for row in await listed(owner, f"text={spelt}")] == ["Jürgen Müller"], spelt
    for spelt in ("(518) 555-0161", "%2B1 518 555 0161", "5185550161"):
        assert [row["customer"] for row in await listed(owner, f"text={spelt}")] == ["Anna Whitfield"], spelt
    assert await listed(owner, "text=Whitfield Jürgen") == []
    odd = await owner.send("GET", f"{APPOINTMENTS}?days=2")
    assert odd.json()["error"]["problems"][0]["field"] == "days"


@pytest.mark.requirement("004-649")
async def test_five_thousand_appointments_in_a_day_are_told_page_by_page(owner: Owner):
    """Each once, in their order."""
    day = at(30, 0)
    writes = []
    for number in range(5_000):
        start = day + timedelta(minutes=5 * (number % 100) + 600)
        writes += claim_writes(WITHIN, over(number, start))
    for begin in range(0, len(writes), 400):
        await owner.house.store.commit(writes[begin : begin + 400])
    ids: list[str] = []
    cursor = ""
    while True:
        query = f"from={day.isoformat().replace('+', '%2B')}&limit=100&cursor={cursor}"
        page = await owner.done("GET", f"{APPOINTMENTS}?{query}")
        ids += [row["id"] for row in page["appointments"]]
        cursor = page["nextCursor"]
        if cursor is None:
            break
    assert len(ids) == len(set(ids)) == 5_000


def over(number: int, start: datetime) -> Booking:
    """Return an appointment that holds no time."""
    own = {"id": f"bk_{number:05}", "business_id": OWN, "service": "Haircut", "start": start, "minutes": 30}
    return Booking(**own, customer_name="Ana", created_at=at(-9), status="completed")  # type: ignore[arg-type]


async def test_who_may_only_look_changes_nothing(owner: Owner):
    """An owner whose role was taken meanwhile is told so, and nothing is done."""
    shown = await made(owner)
    for path, body in ((APPOINTMENTS, wish(6)), (f"{APPOINTMENTS}/{shown['id']}/cancel", {})):
        answer = await owner.send("POST", path, body, shown["revision"], by="viewer")
        assert answer.status_code == 403
    assert (await owner.send("GET", APPOINTMENTS, by="viewer")).status_code == 200
    assert [booking.status for booking in await stored(owner)] == [CONFIRMED]


async def test_what_callers_may_not_have_done_the_business_still_does(owner: Owner):
    """A tool that is switched off for callers, or an agent without a calendar, is not about its own desk."""
    await owner.house.store.commit([Update(WITHIN.business, {"enabledTools": ["get_faqs"]})])
    owner.house.catalog.forget(OWN)
    shown = await made(owner)
    gone = await owner.send("POST", f"{APPOINTMENTS}/{shown['id']}/cancel", {}, shown["revision"])
    assert gone.status_code == 200, gone.text


async def test_whoever_is_chosen_and_does_not_do_it_is_not_taken_for_somebody_of_a_longer_name(owner: Owner):
    """The page sends an id, which means that one: an appointment with another is none that was asked for."""
    people = [{"id": "anna", "name": "Anna"}, {"id": "anna-meier", "name": "Anna Meier"}]
    cut = {"name": "Cut", "durationMinutes": 30, "needs": [{"kind": "person", "any": ["anna-meier"]}]}
    await owner.house.store.commit([Update(WITHIN.business, {"resources": people, "services": [cut]})])
    for given in ("anna", "Anna"):
        answer = await owner.send("POST", APPOINTMENTS, wish(service="Cut", **{"with": given}))
        assert answer.status_code == 400
        (problem,) = answer.json()["error"]["problems"]
        assert problem["message"] == "with must be somebody who does this: Anna Meier."
    shown = await made(owner, service="Cut", **{"with": "anna-meier"})
    assert [one["name"] for one in shown["with"]] == ["Anna Meier"]
