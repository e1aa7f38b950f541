"""People, rooms and seats as owners enter them: checked, told first what would break, audited, and put back."""

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from switchboard.admin.health.resources import about_appointments
from switchboard.admin.resources.resources import Resources
from switchboard.contract.business.business import read_business
from switchboard.contract.store import Query, Update
from switchboard.desk.bookings.assignment import NOTHING_ASSIGNED, Assignment, TakenResource
from switchboard.desk.bookings.booking import CONFIRMED, Booking, read_booking
from switchboard.desk.bookings.bookings import claim_writes
from switchboard.desk.bookings.request import BookingRequest
from switchboard.desk.calendars.grid import slot_id
from tests.admin.owners_office import OWN
from tests.admin.whole_house import BUSINESS, WITHIN, Owner, opened
from tests.desk.front_desk import call
from tests.each import each

RESOURCES, ABSENCES, BOOKINGS = f"{BUSINESS}/resources", f"{BUSINESS}/absences", f"{BUSINESS}/bookings"
ALWAYS = {
    day: [{"open": "00:00", "close": "24:00"}] for day in ("monday", "tuesday", "wednesday", "thursday", "friday")
}
WEEKEND = {day: [{"open": "00:00", "close": "24:00"}] for day in ("saturday", "sunday")}
ROSA, MARCUS = {"id": "rosa", "name": "Rosa"}, {"id": "marcus", "name": "Marcus"}
SERVICES = [
    {"name": "Haircut", "durationMinutes": 30},
    {"name": "Razor line-up", "durationMinutes": 30, "needs": [{"kind": "person", "any": ["marcus"]}]},
]


@pytest.fixture
async def owner() -> AsyncIterator[Owner]:
    """The salon's, open all day and night, of which nothing was changed yet."""
    async with opened() as found:
        fields = {"workingHours": {**ALWAYS, **WEEKEND}, "services": SERVICES[:1], "timezone": "UTC"}
        fields["integrations"] = {"builtinCalendar": {"isConnected": True}}
        await found.house.store.commit([Update(WITHIN.business, fields)])
        yield found


def at(days: int, hour: int = 10) -> datetime:
    """Return a time some days from now."""
    today = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    return today + timedelta(days=days, hours=hour)


def day(days: int) -> str:
    return at(days).date().isoformat()


async def booked(owner: Owner, id: str, start: datetime, with_: str = "", **changes: Any) -> Booking:
    """Enter an appointment as it is stored."""
    taken = NOTHING_ASSIGNED
    booking = Booking(
        id=f"bk_{id}",
        business_id=OWN,
        service="Haircut",
        start=start,
        minutes=30,
        customer_name=f"Customer {id}",
        created_at=at(-1),
        status=CONFIRMED,
    )
    if with_:
        one = TakenResource(with_.casefold(), "person", with_)
        taken = Assignment((one,), tuple(slot_id(step, one.id) for step in booking.claims))
    booking = replace(booking, **{"taken": taken, **changes})
    await owner.house.store.commit(claim_writes(WITHIN, booking))
    return booking


async def stored(owner: Owner, id: str) -> Booking:
    """Return an appointment as it is stored now."""
    found = await owner.house.store.get(WITHIN.document("bookings", f"bk_{id}"))
    booking = read_booking(found) if found is not None else None
    assert booking is not None
    return booking


async def slots(owner: Owner) -> dict[str, str]:
    """Return who holds which slot."""
    found = await owner.house.store.query(Query(WITHIN.collection("slots")))
    return {document.id: document.data["bookingId"] for document in found}


async def entered(owner: Owner, *rows: dict[str, Any]) -> None:
    """Put people and rooms into the business's document."""
    await owner.house.store.commit([Update(WITHIN.business, {"resources": list(rows)})])


async def names(owner: Owner) -> list[str]:
    """Return whom calls know."""
    found = await owner.house.store.get(WITHIN.business)
    assert found is not None
    return [resource.name for resource in read_business(OWN, found.data).resources]


@pytest.mark.requirement("004-530")
async def test_an_owner_enters_changes_and_removes_somebody(owner: Owner):
    """Calls follow; the audit tells of each, and each is put back."""
    made = await owner.done("POST", RESOURCES, {"name": "  Rosa   Díaz ", "hours": ALWAYS})
    assert (made["resource"]["id"], made["resource"]["name"], made["dryRun"]) == ("rosa-diaz", "Rosa Díaz", False)
    path = f"{RESOURCES}/rosa-diaz"
    changed = await owner.done("PUT", path, {"name": "Rosa Díaz", "services": ["haircut"], "confirm": True})
    assert changed["resource"]["services"] == ["Haircut"]
    assert (await owner.undo(await owner.last())).status_code == 200
    assert (await owner.done("GET", path))["resource"] == made["resource"]
    await owner.done("DELETE", path, {})
    assert await names(owner) == []
    assert (await owner.undo(await owner.last())).status_code == 200
    assert await names(owner) == ["Rosa Díaz"]
    listed = await owner.done("GET", RESOURCES)
    assert [row["resource"] for row in listed["resources"]] == [made["resource"]]


@pytest.mark.requirement("004-530")
async def test_whoever_does_a_service_does_it_however_the_owner_spells_it(owner: Owner):
    """What is kept is the service's own name, so that it can be booked with them."""
    services = [{"name": "Café Crème", "durationMinutes": 30}, {"name": "X-Ray", "durationMinutes": 30}]
    await owner.house.store.commit([Update(WITHIN.business, {"services": services})])
    made = await owner.done("POST", RESOURCES, {"name": "Rosa", "services": ["cafe creme", "x ray"]})
    assert made["resource"]["services"] == ["Café Crème", "X-Ray"]
    found = await owner.house.store.get(WITHIN.business)
    assert found is not None
    (rosa,) = read_business(OWN, found.data).resources
    assert rosa.does("Café Crème")
    assert rosa.does("X-Ray")


@pytest.mark.requirement("004-530")
@each(
    ("given", "fields", "words"),
    [
        ({"name": "Zoe", "capacity": 0}, {"capacity"}, "from 1 to 500"),
        ({"name": "Zoe", "capacity": 10_000}, {"capacity"}, "from 1 to 500"),
        ({"name": "Zoe", "capacity": 2.5, "seats": True}, {"capacity", "seats"}, "whole number"),
        ({"id": "rosa", "name": "Zoe"}, {"id"}, "choose another, such as rosa-2"),
        ({"id": "main", "name": "Zoe"}, {"id"}, "'main' is taken"),
        ({"id": "Ro sa\n", "name": "Zoe"}, {"id"}, "small letters, digits and hyphens"),
        ({"id": 5, "name": "Zoe"}, {"id"}, "5 is no id: use text of small letters"),
        ({"id": False, "name": "Zoe"}, {"id"}, "false is no id"),
        ({"id": ["zoe"], "name": "Zoe"}, {"id"}, '["zoe"] is no id'),
        ({"name": 5}, {"name"}, "1 to 100"),
        ({"name": "Zoe", "kind": 5}, {"kind"}, "one word in small letters"),
        ({"name": "Zoe", "kind": ["person"]}, {"kind"}, "one word in small letters"),
        ({"name": "Zoe", "calendars": [{"integration": ["fax"]}]}, {"calendars[0]"}, "must be one of googleCalendar"),
        ({"name": "Zoe", "absences": [{"start": "2026-12-24", "id": 5}]}, {"absences[0].id"}, "leave it out for a new"),
        (
            {"name": "Zoe", "absences": [{"start": "2026-12-24", "id": "ab"}, {"start": "2026-12-26", "id": "ab"}]},
            *({"absences"}, "the same id"),
        ),
        ({"name": "rosa"}, {"name"}, "add a surname"),
        ({"name": "Rosá"}, {"name"}, "add a surname"),
        ({"name": "\uff32osa"}, {"name"}, "add a surname"),
        ({"name": "R\u043esa."}, {"name"}, "add a surname"),
        ({"name": "Ro\u200bsa."}, {"name"}, 'nobody sees, after "Ro"'),
        ({"name": "anyone"}, {"name"}, "nobody in particular"),
        ({"name": "😀"}, {"name"}, "nobody in particular"),
        ({"name": ""}, {"name"}, "1 to 100"),
        ({"name": "Zoe", "kind": "Big room!"}, {"kind"}, "such as person, room, chair or seats"),
        (
            {"name": "Zoe", "hours": {"monday": [{"open": "18:00", "close": "09:00"}]}},
            {"hours.monday"},
            "open before close",
        ),
        ({"name": "Zoe", "hours": {"funday": []}}, {"hours.funday"}, "is no weekday"),
        ({"name": "Zoe", "services": ["Massage"]}, {"services"}, "There are: Haircut."),
        ({"name": "Zoe", "services": []}, {"services"}, "null for all"),
        (
            {"name": "Zoe", "calendars": [{"integration": "googleCalendar", "calendarId": "zoe"}]},
            {"calendars[0]"},
            "not connected here; connect it first",
        ),
        (
            {"name": "Zoe", "calendars": [{"integration": "caldavCalendar", "serverUrl": "https://evil.example"}]},
            {"calendars[0]"},
            "has no 'serverUrl'",
        ),
        ({"name": "Zoe", "calendars": [{"integration": "fax"}]}, {"calendars[0]"}, "must be one of googleCalendar"),
        ({"name": "Zoe", "absences": [{"start": "soon"}]}, {"absences[0].start", "absences[0].end"}, "2026-12-24"),
        ({"name": "Zoe", "colour": "red"}, {"colour"}, "Use id, name"),
        ({"name": "Zoe", "dryRun": 1}, {"dryRun"}, "true or false"),
    ],
)
async def test_what_cannot_be_is_refused_in_words_that_say_what_would_work(
    owner: Owner, given: Any, fields: set[str], words: str
):
    """And nothing is written."""
    await entered(owner, ROSA)
    answer = await owner.send("POST", RESOURCES, given)
    error = answer.json()["error"]
    assert answer.status_code == 400
    assert ({problem["field"] for problem in error["problems"]}, words in error["message"]) == (fields, True), error
    assert (await names(owner), await owner.audit()) == (["Rosa"], {})


@pytest.mark.requirement("004-530")
async def test_who_has_the_calendar_of_somebody_else_is_said_also_where_it_is_the_businesss(owner: Owner):
    """Once for each other, however it is written."""
    await entered(owner, {**ROSA, "calendars": [{"integration": "googleCalendar"}]})
    google = {"isConnected": True, "calendarId": "front"}
    await owner.house.store.commit([Update(WITHIN.business, {"integrations.googleCalendar": google})])
    own = [{"integration": "googleCalendar", "calendarId": "front"}, {"integration": "googleCalendar"}]
    told = await owner.done("POST", RESOURCES, {"name": "Marcus", "calendars": own})
    assert told["notes"] == ["Rosa has the same calendar: whatever stands in it keeps both of them busy."]


@pytest.mark.requirement("004-530")
async def test_no_more_than_a_hundred_are_kept(owner: Owner):
    """The hundred and first is refused."""
    await entered(owner, *({"id": f"p{n}", "name": f"Person {n}"} for n in range(100)))
    answer = await owner.send("POST", RESOURCES, {"name": "Zoe"})
    assert (answer.status_code, "100 already" in answer.text) == (400, True)


@pytest.mark.requirement("004-530")
@each(
    ("needs", "words"),
    [
        ([{"kind": "person", "any": ["zoe"]}], "There are: rosa"),
        ([{"kind": "room"}], "none yet; enter them first"),
        ([{"kind": "person", "count": 2}], "only 1 can"),
        ([{"kind": "Room!"}], "is not a kind"),
        ([{"kind": "person", "count": 0}], "from 1 to 20"),
        ([{"kind": "person", "size": 3}], "has no 'size'"),
        ("person", "must be a list"),
    ],
)
async def test_a_service_cannot_need_what_nobody_meets(owner: Owner, needs: Any, words: str):
    """What was stored before is left alone: Marcus is gone, and the price of another service can still be changed."""
    await owner.house.store.commit([Update(WITHIN.business, {"services": SERVICES})])
    await entered(owner, ROSA)
    haircut = {**SERVICES[0], "price": "$50"}
    answer = await owner.send(
        *("PATCH", BUSINESS, {"services": [{**haircut, "needs": needs}, SERVICES[1]]}, await owner.revision(BUSINESS))
    )
    assert (answer.status_code, words in answer.text) == (400, True), answer.text
    good = {**haircut, "needs": [{"kind": "person", "any": ["rosa"]}]}
    saved = await owner.done("PATCH", BUSINESS, {"services": [good, SERVICES[1]]})
    assert saved["business"]["services"] == [good, SERVICES[1]]
    refused = await owner.send("PATCH", BUSINESS, {"resources": []}, await owner.revision(BUSINESS))
    assert (refused.status_code, "below /resources" in refused.text) == (400, True)


@pytest.mark.requirement("004-531")
async def test_what_would_break_is_told_before_somebody_is_removed(owner: Owner):
    """With who could take each; without a confirmation nothing is saved, and with it the appointments stand."""
    await owner.house.store.commit([Update(WITHIN.business, {"services": SERVICES})])
    await entered(owner, ROSA, MARCUS, {"id": "dana", "name": "Dana", "services": ["Razor line-up"]})
    await booked(owner, "1", at(2), "Marcus")
    await booked(owner, "2", at(3), "Marcus")
    await booked(owner, "3", at(3), "Rosa")
    await booked(owner, "4", at(-2), "Marcus")
    path = f"{RESOURCES}/marcus"
    revision = await owner.revision(path)
    trial = (await owner.send("DELETE", path, {"dryRun": True}, revision)).json()
    told = trial["consequences"]
    rows = [
        (row["id"], row["service"], row["customer"], [one["id"] for one in row["instead"]]) for row in told["bookings"]
    ]
    assert rows == [("bk_1", "Haircut", "Customer 1", ["rosa"]), ("bk_2", "Haircut", "Customer 2", [])]
    assert told["bookings"][0]["lost"][0]["means"] == "Marcus is not there any more."
    assert (trial["dryRun"], told["bookingCount"], told["undoneServices"]) == (True, 2, ["Razor line-up"])
    refused = await owner.send("DELETE", path, {}, revision)
    error = refused.json()["error"]
    assert (refused.status_code, error["type"], error["consequences"]) == (409, "CONFLICT", told)
    assert error["message"].startswith("2 appointments would lose their person or room. Nobody would do Razor line-up")
    assert (await names(owner), await owner.audit()) == (["Rosa", "Marcus", "Dana"], {})
    done = await owner.send("DELETE", path, {"confirm": True}, revision)
    assert (done.status_code, await names(owner)) == (200, ["Rosa", "Dana"])
    assert (await stored(owner, "1")).taken.person == "Marcus"
    astray = await owner.done("GET", f"{BOOKINGS}/astray")
    assert ([row["id"] for row in astray["bookings"]], astray["count"], astray["areAll"]) == (["bk_1", "bk_2"], 2, True)
    soonest = await owner.done("GET", f"{BOOKINGS}/astray?most=1")
    assert ([row["id"] for row in soonest["bookings"]], soonest["areAll"]) == (["bk_1"], False)
    for most in ("0", "1001", "-1", "x"):
        assert (await owner.send("GET", f"{BOOKINGS}/astray?most={most}")).status_code == 400


@pytest.mark.requirement("004-531")
async def test_what_a_service_needs_anew_says_which_appointments_have_not_got_it(owner: Owner):
    """As for people: nothing is saved without a confirmation, and an undo breaks nothing unseen."""
    needing = {**SERVICES[0], "needs": [{"kind": "person", "any": ["marcus"]}]}
    smaller = {"name": "Dinner", "durationMinutes": 60, "needs": [{"kind": "table"}]}
    await owner.house.store.commit([Update(WITHIN.business, {"services": [SERVICES[0], smaller]})])
    tables = [{"id": f"t{n}", "name": f"Table {n}", "kind": "table", "seats": n} for n in (2, 6)]
    await entered(owner, ROSA, MARCUS, *tables)
    await booked(owner, "1", at(2), "Rosa")
    await booked(owner, "2", at(2), "Marcus")
    revision = await owner.revision(BUSINESS)
    patch = {"services": [needing, {**smaller, "needs": [{"kind": "table", "any": ["t2"]}]}]}
    refused = await owner.send("PATCH", BUSINESS, patch, revision)
    error = refused.json()["error"]
    told = error["consequences"]
    assert (refused.status_code, error["type"]) == (409, "CONFLICT")
    assert error["message"].startswith("1 appointment would lose its person or room. Dinner would be for at most 2")
    assert [(row["id"], row["lost"][0]["means"]) for row in told["bookings"]] == [
        ("bk_1", "Rosa does not do this service.")
    ]
    assert (await owner.revision(BUSINESS), await owner.audit()) == (revision, {})
    wrong = await owner.send("PATCH", BUSINESS, {**patch, "confirm": "yes"}, revision)
    assert (wrong.status_code, wrong.json()["error"]["field"]) == (400, "confirm")
    saved = await owner.send("PATCH", BUSINESS, {**patch, "confirm": True}, revision)
    assert saved.json()["business"]["services"] == patch["services"]
    entry = await owner.last()
    # What breaks nothing needs no confirmation: nor does it where what is broken already stays so.
    await owner.done("PATCH", BUSINESS, {"services": [{**needing, "price": "$50"}, patch["services"][1]]})
    assert (await owner.undo(await owner.last())).status_code == 200
    assert (await owner.undo(entry)).status_code == 200
    await booked(owner, "3", at(3), "Rosa")
    redone = await owner.undo(await owner.last())
    assert (redone.status_code, "Nothing was undone" in redone.text) == (409, True)
    assert "appointments would lose their person or room." in redone.text


@pytest.mark.requirement("004-531")
async def test_another_time_zone_says_who_would_not_be_there(owner: Owner):
    """Hours are those of the wall clock, and appointments stay at their moment; other edits ask nothing."""
    await entered(owner, {**ROSA, "hours": {name: [{"open": "09:00", "close": "12:00"}] for name in ALWAYS | WEEKEND}})
    await booked(owner, "1", at(2), "Rosa")
    refused = await owner.send("PATCH", BUSINESS, {"timezone": "Asia/Tokyo"}, await owner.revision(BUSINESS))
    (lost,) = refused.json()["error"]["consequences"]["bookings"]
    assert (refused.status_code, lost["lost"][0]["means"]) == (409, "Rosa is away then.")
    # Of the same clocks.
    await owner.done("PATCH", BUSINESS, {"address": "48 Maple Street", "timezone": "Africa/Abidjan"})


@pytest.mark.requirement("004-531")
async def test_another_time_zone_says_which_appointments_would_be_at_another_time_of_day(owner: Owner):
    """Also within the hours: whoever corrects the zone would else have everybody come at another hour than agreed."""
    start = await booked(owner, "1", at(2))
    await booked(owner, "2", at(-2))
    revision = await owner.revision(BUSINESS)
    refused = await owner.send("PATCH", BUSINESS, {"timezone": "Etc/GMT-3"}, revision)
    error = refused.json()["error"]
    assert (refused.status_code, error["message"]) == (
        409,
        "1 appointment would be at another time of day by the clocks of that zone. Nothing was saved. Send confirm: "
        "true to save it all the same.",
    )
    (told,) = error["consequences"]["stranded"]
    assert (told["id"], told["why"]) == (start.id, "another_hour")
    assert told["means"] == (
        f"It would be on {at(2):%A %Y-%m-%d} at 13:00 instead of {at(2):%A %Y-%m-%d} at 10:00: it stays at the moment "
        "for which it was made."
    )
    saved = await owner.send("PATCH", BUSINESS, {"timezone": "Etc/GMT-3", "confirm": True}, revision)
    assert (saved.status_code, (await stored(owner, "1")).start) == (200, start.start)


@pytest.mark.requirement("004-531")
@pytest.mark.parametrize("people", [(), (ROSA,)])
async def test_closing_over_appointments_and_a_service_that_is_dropped_are_told_first(owner: Owner, people: Any):
    """Whoever the appointments are with, and where there is nobody to choose from; they stand if that is wanted."""
    await entered(owner, *people)
    with_ = "Rosa" if people else ""
    await booked(owner, "1", at(2), with_)
    await booked(owner, "2", at(3, 18), with_)
    await booked(owner, "3", at(-2), with_)
    # What is no service, and what was cancelled.
    await booked(owner, "4", at(4), with_, service="Staff meeting")
    await booked(owner, "5", at(5), with_, status="cancelled")
    revision = await owner.revision(BUSINESS)
    always = {**ALWAYS, **WEEKEND}
    closed = {**always, "exceptions": {day(2): "closed"}}
    shorter = {name: [{"open": "09:00", "close": "17:00"}] for name in always}
    patches: list[tuple[dict[str, Any], list[tuple[str, str]], str]] = [
        ({"workingHours": closed}, [("bk_1", "closed")], "1 appointment would be at a time when"),
        ({"workingHours": shorter}, [("bk_2", "closed")], "1 appointment would be at a time when"),
        (
            {"services": [{"name": "Color", "durationMinutes": 30}]},
            [("bk_1", "unoffered"), ("bk_2", "unoffered")],
            "2 appointments would be for a service that is not there any more.",
        ),
    ]
    for patch, stranded, words in patches:
        refused = await owner.send("PATCH", BUSINESS, patch, revision)
        error = refused.json()["error"]
        assert refused.status_code == 409, patch
        assert error["message"].startswith(words)
        told = error["consequences"]
        assert [(row["id"], row["why"]) for row in told["stranded"]] == stranded
        assert (told["bookingCount"], told["strandedCount"]) == (0, len(stranded))
    assert (await owner.revision(BUSINESS), await owner.audit()) == (revision, {})
    saved = await owner.send("PATCH", BUSINESS, {"workingHours": closed, "confirm": True}, revision)
    assert (saved.status_code, (await stored(owner, "1")).status) == (200, CONFIRMED)
    # What was closed over already is not asked about again, nor is opening up.
    await owner.done("PATCH", BUSINESS, {"workingHours": {**closed, "monday": [{"open": "00:30", "close": "24:00"}]}})
    await owner.done("PATCH", BUSINESS, {"workingHours": always})


@pytest.mark.requirement("004-531")
async def test_a_smaller_class_says_who_would_not_fit(owner: Owner):
    """Those who booked last lose their seats, and the largest party shrinks."""
    needs = [{"kind": "seats"}]
    await owner.house.store.commit(
        [Update(WITHIN.business, {"services": [*SERVICES, {"name": "Class", "durationMinutes": 60, "needs": needs}]})]
    )
    row = {"id": "class", "name": "Class", "kind": "seats", "capacity": 6}
    await entered(owner, ROSA, MARCUS, row)
    for id, party, made in (("1", 3, -3), ("2", 2, -2)):
        taken = Assignment((TakenResource("class", "seats", "Class", party),), (slot_id(0, "class", int(id)),))
        await booked(owner, id, at(2), service="Class", created_at=at(made), party=party, taken=taken)
    revision = await owner.revision(f"{RESOURCES}/class")
    trial = await owner.send("PUT", f"{RESOURCES}/class", {**row, "capacity": 4, "dryRun": True}, revision)
    told = trial.json()["consequences"]
    assert told["smallerParties"] == [{"service": "Class", "before": 6, "after": 4}]
    assert [(one["id"], one["lost"][0]["why"]) for one in told["bookings"]] == [("bk_2", "full")]


@pytest.mark.requirement("004-531")
async def test_what_has_begun_keeps_its_seats_and_whoever_comes_to_it_has_none(owner: Owner):
    """Wherever it is told, before and after; whoever was first to book."""
    classes = [{"name": "Class", "durationMinutes": 60, "needs": [{"kind": "seats"}]}]
    await owner.house.store.commit([Update(WITHIN.business, {"services": classes})])
    row = {"id": "class", "name": "Class", "kind": "seats", "capacity": 6}
    await entered(owner, row)
    now = datetime.now(UTC).replace(second=0, microsecond=0)
    now -= timedelta(minutes=now.minute % 5)
    for id, minutes, made in (("1", -20, -1), ("2", 15, -2)):
        taken = Assignment((TakenResource("class", "seats", "Class", 3),), (slot_id(0, "class", int(id)),))
        start = now + timedelta(minutes=minutes)
        await booked(owner, id, start, service="Class", minutes=60, party=3, taken=taken, created_at=at(made))
    revision, smaller = await owner.revision(f"{RESOURCES}/class"), {**row, "capacity": 4}
    trial = (await owner.send("PUT", f"{RESOURCES}/class", {**smaller, "dryRun": True}, revision)).json()
    assert [(one["id"], one["lost"][0]["why"]) for one in trial["consequences"]["bookings"]] == [("bk_2", "full")]
    await owner.send("PUT", f"{RESOURCES}/class", {**smaller, "confirm": True}, revision)
    assert [one["id"] for one in (await owner.done("GET", f"{BOOKINGS}/astray"))["bookings"]] == ["bk_2"]
    assert [one["id"] for one in (await owner.done("POST", f"{BOOKINGS}/assign"))["left"]] == ["bk_2"]
    document = await owner.house.store.get(WITHIN.business)
    assert document is not None
    business = read_business(OWN, document.data)
    (found,) = await about_appointments(owner.house.store, WITHIN, business, datetime.now(UTC))
    assert (found.what, found.count) == ("bookings_astray", 1)


@pytest.mark.requirement("004-531")
async def test_an_absence_says_which_appointments_are_in_it(owner: Owner):
    """And is saved only when that is wanted; it can be read, taken back and put back."""
    await entered(owner, ROSA, MARCUS)
    await booked(owner, "1", at(2), "Rosa")
    given = {"resource": "rosa", "start": day(2), "end": day(4), "reason": "Holiday"}
    trial = await owner.send("POST", ABSENCES, {**given, "dryRun": True})
    (row,) = trial.json()["consequences"]["bookings"]
    assert (row["id"], row["lost"][0]["means"], row["instead"]) == (
        *("bk_1", "Rosa is away then."),
        [{"id": "marcus", "name": "Marcus"}],
    )
    assert (await owner.send("POST", ABSENCES, given)).status_code == 409
    made = await owner.done("POST", ABSENCES, {**given, "confirm": True})
    (kept,) = (await owner.done("GET", ABSENCES))["absences"]
    assert kept == made["absence"]
    assert (kept["name"], kept["start"], kept["end"], kept["reason"]) == ("Rosa", day(2), day(4), "Holiday")
    refused = await owner.send("DELETE", f"{ABSENCES}/{kept['id']}", {"dryRun": True}, kept["revision"])
    assert (refused.status_code, refused.json()["error"]["field"]) == (400, "dryRun")
    assert (await owner.done("GET", ABSENCES))["absences"] == [kept]
    await owner.done("DELETE", f"{ABSENCES}/{kept['id']}")
    assert (await owner.done("GET", ABSENCES))["absences"] == []
    undone = await owner.undo(await owner.last())
    assert (undone.status_code, "1 appointment would lose its person or room" in undone.text) == (409, True)


@pytest.mark.requirement("004-539")
@each("days", [2, -2])
async def test_whoever_comes_after_somebody_who_was_removed_takes_over_none_of_their_appointments(
    owner: Owner, days: int
):
    """Neither those to come nor those of "the same as last time"; that it was the same one can be said by undoing."""
    await entered(owner, ROSA, MARCUS)
    await booked(owner, f"at{days}", at(days), "Rosa")
    path = f"{RESOURCES}/rosa"
    await owner.done("DELETE", path, {"confirm": True})
    removal = await owner.last()
    for method, where, given, based_on in (
        ("POST", RESOURCES, {"id": "rosa", "name": "Rosalind"}, None),
        ("PUT", path, {"name": "Rosalind", "dryRun": True}, "none"),
    ):
        refused = await owner.send(method, where, given, based_on)
        problem = refused.json()["error"]["problems"][0]
        assert (refused.status_code, problem["field"]) == (400, "id")
        assert "such as rosa-2" in problem["message"] and "still stands in appointments" in problem["message"]
    made = await owner.done("POST", RESOURCES, {"name": "Rosa"})
    assert made["resource"]["id"] == "rosa-2"
    assert made["notes"][-1].startswith("Appointments or calendar addresses still name 'rosa', who was removed")
    assert (await stored(owner, f"at{days}")).taken.resources[0].id == "rosa"
    await owner.done("DELETE", f"{RESOURCES}/rosa-2", {"confirm": True})
    assert (await owner.undo(removal)).status_code == 200
    assert await names(owner) == ["Marcus", "Rosa"]


@pytest.mark.requirement("004-539")
async def test_a_secret_address_of_somebody_who_was_removed_tells_nobody_elses_appointments(owner: Owner):
    """Whoever has the address would read those of whoever got the id."""
    await entered(owner, ROSA)
    feed = await owner.done("POST", f"{BUSINESS}/calendar-feeds", {"name": "Rosa's phone", "person": "rosa"})
    await owner.done("DELETE", f"{RESOURCES}/rosa", {})
    refused = await owner.send("POST", RESOURCES, {"id": "rosa", "name": "Rosalind"})
    assert (refused.status_code, "still stands in calendar addresses" in refused.text) == (400, True)
    (kept,) = (await owner.done("GET", f"{BUSINESS}/calendar-feeds"))["feeds"]
    await owner.send("DELETE", f"{BUSINESS}/calendar-feeds/{feed['id']}", None, kept["revision"])
    assert (await owner.done("POST", RESOURCES, {"id": "rosa", "name": "Rosalind"}))["notes"] == []


@pytest.mark.requirement("004-531")
@pytest.mark.parametrize("what", ["absence", "hours", "removal"])
async def test_an_appointment_that_is_made_while_a_change_is_saved_is_told_in_the_answer(
    owner: Owner, monkeypatch: pytest.MonkeyPatch, what: str
):
    """After the count and before the save: it would have been told by nobody."""
    await entered(owner, ROSA, MARCUS)
    written = Resources._commit

    async def commit_after_a_call(*args: Any) -> Any:
        await booked(owner, what, at(2), "Rosa")
        return await written(*args)

    path = f"{RESOURCES}/rosa"
    wishes: dict[str, tuple[Any, ...]] = {
        "absence": ("POST", ABSENCES, {"resource": "rosa", "start": day(2)}, None),
        "hours": ("PUT", path, {"name": "Rosa", "hours": {"sunday": []}}, await owner.revision(path)),
        "removal": ("DELETE", path, {}, await owner.revision(path)),
    }
    with monkeypatch.context() as patch:
        patch.setattr(Resources, "_commit", commit_after_a_call)
        answer = await owner.send(*wishes[what])
    found = answer.json()
    assert answer.is_success and found["consequences"]["bookingCount"] == 1
    assert [row["id"] for row in found["consequences"]["bookings"]] == [f"bk_{what}"]
    assert found["notes"][-1].startswith("While this was saved, 1 more appointment was made, which has lost its person")


@pytest.mark.requirement("004-531")
@each(
    ("given", "fields", "words"),
    [
        ({"start": "2027-05-05", "end": "2027-05-01"}, {"end"}, "ends before it begins"),
        ({"start": "2027-05-05T14:00", "end": "2027-05-05T14:00"}, {"end"}, "ends before it begins"),
        ({"start": "2027-05-05T14:00:00Z", "end": "2027-05-06"}, {"start"}, "without an offset"),
        ({"start": "tomorrow"}, {"start", "end"}, "2026-12-24"),
        ({"resource": "zoe", "start": "2027-05-05"}, {"resource"}, "There are: rosa"),
        ({"start": "2027-05-05", "reason": "a\nb"}, {"reason"}, "one line"),
    ],
)
async def test_an_absence_that_cannot_be_is_refused(owner: Owner, given: Any, fields: set[str], words: str):
    """In words that say what would work."""
    await entered(owner, ROSA)
    answer = await owner.send("POST", ABSENCES, {"resource": "rosa", **given})
    error = answer.json()["error"]
    assert (answer.status_code, {problem["field"] for problem in error["problems"]}) == (400, fields)
    assert words in error["message"]


@pytest.mark.requirement("004-531")
@each(("path", "given"), [(RESOURCES, MARCUS), (ABSENCES, {"resource": "rosa", "start": "2027-05-05"})])
async def test_what_a_dry_run_answers_is_described_beside_what_a_change_does(owner: Owner, path: str, given: Any):
    """By the same schema, with a status of its own: nothing was made, and nothing is left in the audit.

    Beside it stands what `?dryRun=true` answers, which tells who would lose tools.
    """
    await entered(owner, ROSA)
    answer = await owner.send("POST", path, {**given, "dryRun": True})
    described = (await owner.send("GET", "/admin/openapi.json")).json()["paths"]
    answers = described[path.replace(OWN, "{business_id}")]["post"]["responses"]
    dry, made = (answers[status]["content"]["application/json"]["schema"] for status in ("200", "201"))
    assert (answer.status_code, dry["anyOf"]) == (200, [made, {"$ref": "#/components/schemas/OffersForeseen"}])
    assert ("Audit-Entry" in answers["201"]["headers"], "headers" in answers["200"]) == (True, False)


@pytest.mark.requirement("004-531")
async def test_past_and_overlapping_absences_are_kept_and_said(owner: Owner):
    """Of two hundred, the past make room first; as many to come are the most."""
    past = [{"id": f"ab_{n}", "start": f"2020-01-{n % 28 + 1:02}"} for n in range(2)]
    ahead = [{"id": f"ab_a{n}", "start": day(500 + n)} for n in range(198)]
    await entered(owner, {**ROSA, "absences": [*past, *ahead]})
    made = await owner.done("POST", ABSENCES, {"resource": "rosa", "start": day(500)})
    assert [note.partition(";")[0].partition(":")[0] for note in made["notes"]] == [
        "It overlaps another absence of the same",
        "1 of the past were dropped",
    ]
    over = await owner.done("POST", ABSENCES, {"resource": "rosa", "start": "2021-03-01"})
    assert over["notes"][0] == "This absence is over already; it is kept, and changes nothing."
    await owner.done("POST", ABSENCES, {"resource": "rosa", "start": day(900)})
    refused = await owner.send("POST", ABSENCES, {"resource": "rosa", "start": day(901)})
    assert (refused.status_code, "200 absences to come already" in refused.text) == (400, True)
    assert len((await owner.done("GET", ABSENCES))["absences"]) == 200


@pytest.mark.requirement("004-532")
async def test_appointments_of_one_chair_get_somebody_when_people_are_entered(owner: Owner):
    """In the commit that frees the chair; whoever nobody is free for is told before, and stands."""
    await booked(owner, "1", at(2))
    first = await booked(owner, "2", at(3))
    path = f"{RESOURCES}/rosa"
    given = {"name": "Rosa", "absences": [{"start": day(3)}]}
    refused = await owner.send("PUT", path, given, "none")
    told = refused.json()["error"]["consequences"]
    assert (refused.status_code, [row["id"] for row in told["bookings"]], told["bookingCount"]) == (409, ["bk_2"], 1)
    done = (await owner.send("PUT", path, {**given, "confirm": True}, "none")).json()
    assert [row["id"] for row in done["assigned"]["assigned"]] == ["bk_1"]
    (left,) = done["assigned"]["left"]
    assert (left["id"], "is not free for this appointment then" in left["because"]) == ("bk_2", True)
    assert ((await stored(owner, "1")).taken.person, (await stored(owner, "2")).taken) == ("Rosa", NOTHING_ASSIGNED)
    held = await slots(owner)
    assert {id.partition("_")[0] for id, whose in held.items() if whose == "bk_1"} == {"rosa"}
    assert {id for id, whose in held.items() if whose == "bk_2"} == first.slots
    made = await owner.done("POST", RESOURCES, MARCUS)
    assert [row["id"] for row in made["assigned"]["assigned"]] == ["bk_2"]
    kinds = sorted((entry["kind"], entry["document"]) for entry in (await owner.audit()).values())
    assert kinds == [("booking", "bk_1"), ("booking", "bk_2"), ("resource", "marcus"), ("resource", "rosa")]


@pytest.mark.requirement("004-532")
async def test_an_appointment_is_given_to_somebody_who_is_free_once(owner: Owner):
    """All that can be at once, or one to somebody by name; the audit says from whom to whom."""
    await entered(owner, ROSA, {**MARCUS, "absences": [{"start": day(2), "end": day(3)}]})
    await booked(owner, "1", at(2), "Marcus")
    await booked(owner, "2", at(3), "Marcus")
    await booked(owner, "3", at(3), "Rosa")
    answer = await owner.send("POST", f"{BOOKINGS}/bk_1/assign", {"resource": "rosa"})
    assert (answer.json()["changed"], answer.json()["booking"]["with"][0]["name"]) == (True, "Rosa")
    entry = (await owner.audit())[answer.headers["audit-entry"]]
    assert (entry["before"]["with"], entry["after"]["with"]) == (["Marcus"], ["Rosa"])
    again = await owner.send("POST", f"{BOOKINGS}/bk_1/assign", {})
    assert (again.json()["changed"], "audit-entry" in again.headers) == (False, False)
    done = await owner.done("POST", f"{BOOKINGS}/assign", {})
    assert ([row["id"] for row in done["assigned"]], [row["id"] for row in done["left"]]) == ([], ["bk_2"])
    held = await slots(owner)
    assert {id.partition("_")[0] for id, whose in held.items() if whose == "bk_1" and "wish" not in id} == {"rosa"}
    for path, status, words in (
        (f"{BOOKINGS}/bk_2/assign", 409, "Rosa is not free"),
        (f"{BOOKINGS}/bk_9/assign", 404, "no such appointment"),
    ):
        refused = await owner.send("POST", path, {"resource": "rosa"})
        assert (refused.status_code, words in refused.text) == (status, True), refused.text
    refused = await owner.send("POST", f"{BOOKINGS}/bk_2/assign", {"resource": "zoe"})
    assert (refused.status_code, "nobody, and nothing" in refused.text) == (400, True)


@pytest.mark.requirement("004-532")
@each("said", ["", " ", None, ["rosa"], 3])
async def test_an_appointment_is_not_given_to_anybody_for_an_empty_name(owner: Owner, said: Any):
    """Whoever means somebody in particular, and says nothing, gets no other; what would work is said."""
    await entered(owner, ROSA, MARCUS)
    refused = await owner.send("POST", f"{BOOKINGS}/bk_1/assign", {"resource": said})
    (problem,) = refused.json()["error"]["problems"]
    assert (refused.status_code, problem["field"]) == (400, "resource")
    assert "leave it out for whoever is free. There are: rosa, marcus." in problem["message"]


@pytest.mark.requirement("004-533")
async def test_the_list_of_appointments_says_with_whom_each_is(owner: Owner):
    """In pages, of a period; only what is to come can have lost somebody."""
    await entered(owner, ROSA)
    for n, (days, name) in enumerate([(-2, "Marcus"), (2, "Rosa"), (3, "Marcus")]):
        await booked(owner, str(n), at(days), name)
    listed = await owner.done("GET", f"{BOOKINGS}?limit=2")
    assert [(row["id"], row["with"][0]["name"], bool(row["lost"])) for row in listed["bookings"]] == [
        *(("bk_0", "Marcus", False), ("bk_1", "Rosa", False)),
    ]
    rest = await owner.done("GET", f"{BOOKINGS}?cursor={listed['nextCursor']}")
    assert [(row["id"], row["lost"][0]["why"]) for row in rest["bookings"]] == [("bk_2", "gone")]
    since = await owner.done("GET", f"{BOOKINGS}?from={at(1):%Y-%m-%dT%H:%M:%SZ}&to={at(3, 0):%Y-%m-%dT%H:%M:%SZ}")
    assert [row["id"] for row in since["bookings"]] == ["bk_1"]
    one = await owner.done("GET", f"{BOOKINGS}/bk_2")
    assert (one["instead"], one["lost"][0]["name"]) == ([{"id": "rosa", "name": "Rosa"}], "Marcus")
    assert (await owner.send("GET", f"{BOOKINGS}/bk_9")).status_code == 404


@pytest.mark.requirement("004-533")
async def test_who_has_too_many_at_once_is_told_wherever_an_appointment_is_read(owner: Owner):
    """Also by itself, at the beginning of a page, and where the period begins between the two."""
    await entered(owner, ROSA)
    first = await booked(owner, "1", at(2), "Rosa", minutes=60)
    # As it comes about where somebody's capacity was larger once.
    twice = Assignment(first.taken.resources, (slot_id(first.claims[-1], "rosa", 1),))
    await booked(owner, "2", at(2) + timedelta(minutes=30), taken=twice, created_at=at(0))

    def why(row: dict[str, Any]) -> list[str]:
        return [one["why"] for one in row["lost"]]

    assert why(await owner.done("GET", f"{BOOKINGS}/bk_2")) == ["full"]
    assert why(await owner.done("GET", f"{BOOKINGS}/bk_1")) == []
    paged = await owner.done("GET", f"{BOOKINGS}?limit=1")
    assert [(row["id"], why(row)) for row in paged["bookings"]] == [("bk_1", [])]
    rest = await owner.done("GET", f"{BOOKINGS}?limit=1&cursor={paged['nextCursor']}")
    assert [(row["id"], why(row)) for row in rest["bookings"]] == [("bk_2", ["full"])]
    since = await owner.done("GET", f"{BOOKINGS}?from={at(2) + timedelta(minutes=20):%Y-%m-%dT%H:%M:%SZ}")
    assert [(row["id"], why(row)) for row in since["bookings"]] == [("bk_2", ["full"])]


@pytest.mark.requirement("004-532")
async def test_a_call_books_beside_what_was_assigned(owner: Owner):
    """The whole house is busy by an appointment of the one chair until somebody is found for it."""
    await booked(owner, "1", at(2))
    await owner.done("POST", RESOURCES, ROSA)
    await owner.done("POST", RESOURCES, MARCUS)
    document = await owner.house.store.get(WITHIN.business)
    assert document is not None
    ctx = call(read_business(OWN, document.data), now=datetime.now(UTC))
    made = await owner.house.desk.bookings.book(
        ctx, BookingRequest(service="Haircut", start=at(2), customer_name="Ana", customer_phone="+12015550123")
    )
    assert made.taken.person == "Marcus"
