"""Customers on file: found by any spelling, corrected, joined, forgotten and told all that is kept of them."""

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from switchboard.admin.customers.history import MOST
from switchboard.contract.store import Delete, Document, Query, Set, Unavailable, Update, Write, WriteResult
from switchboard.desk.bookings.booking import Booking
from switchboard.desk.bookings.bookings import claim_writes
from switchboard.desk.callers.callers import Callers
from tests.admin.owners_office import OWN
from tests.admin.whole_house import BUSINESS, WITHIN, Owner

CUSTOMERS = f"{BUSINESS}/customers"
RESTRICTIONS = CUSTOMERS.replace("/customers", "/restrictions")
DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
ALWAYS = {day: [{"open": "00:00", "close": "24:00"}] for day in DAYS}
TODAY = datetime.now(UTC).replace(hour=15, minute=0, second=0, microsecond=0)
JUERGEN = {"name": "Jürgen Müller", "phone": "(518) 555-0161", "email": "J.Mueller@mail.example", "notes": "Mornings."}

pytestmark = pytest.mark.requirement("004-651")


async def entered(owner: Owner, **changes: Any) -> dict[str, Any]:
    """Enter a customer and return what is on file."""
    shown: dict[str, Any] = await owner.done("POST", CUSTOMERS, {**JUERGEN, **changes})
    return shown


async def found(owner: Owner, text: str) -> list[str]:
    """Return the names of those who are found."""
    rows = (await owner.http.get(CUSTOMERS, params={"text": text}, headers=_header())).json()["customers"]
    return [row["name"] for row in rows]


def _header() -> dict[str, str]:
    return {"Authorization": "Bearer platform.claims.signed"}


async def booked(owner: Owner, id: str, name: str, phone: str | None, **fields: Any) -> None:
    """Put an appointment into the store."""
    own = {"id": id, "business_id": OWN, "service": "Haircut", "minutes": 30, "start": TODAY + timedelta(days=3)}
    booking = Booking(**{**own, **fields}, customer_name=name, customer_phone=phone, created_at=TODAY)
    await owner.house.store.commit(claim_writes(WITHIN, booking))


async def test_a_customer_is_entered_and_found_by_any_spelling(owner: Owner):
    """Of the name, the number and the address."""
    shown = await entered(owner, otherPhones=["+49 30 901820"])
    assert (shown["phone"], shown["otherPhones"]) == ("+15185550161", ["+4930901820"])
    await entered(owner, name="Anna Whitfield", phone="518-555-0162", email="")
    for text in ("mueller", "Muller Jurgen", "MÜLLER", "jür", "5185550161", "+1 (518) 555 0161", "+49 30 901820"):
        assert await found(owner, text) == ["Jürgen Müller"], text
    assert await found(owner, "j.mueller@MAIL.example") == ["Jürgen Müller"]
    assert await found(owner, "Jürgen Whitfield") == []
    rows = await owner.done("GET", f"{CUSTOMERS}?limit=1")
    assert len(rows["customers"]) == 1 and rows["nextCursor"]
    rest = await owner.done("GET", f"{CUSTOMERS}?limit=1&cursor={rows['nextCursor']}")
    assert {rows["customers"][0]["name"], rest["customers"][0]["name"]} == {"Jürgen Müller", "Anna Whitfield"}


async def test_a_name_of_many_words_finds_whoever_bears_it(owner: Owner):
    """In full as well as in part; so do their appointments."""
    name = "María del Carmen Fernández Rodríguez López"
    await entered(owner, name=name)
    await booked(owner, "bk_1", name, "+15185550161")
    for text in (name, "Fernandez Maria", name.upper()):
        assert await found(owner, text) == [name], text
        rows = (await owner.done("GET", f"{BUSINESS}/appointments?text={text}"))["appointments"]
        assert [row["id"] for row in rows] == ["bk_1"], text


async def test_everything_that_is_wrong_with_a_customer_is_told_at_its_field(owner: Owner):
    """A number in the words of people; nobody is entered who could be told by nothing."""
    answer = await owner.send("POST", CUSTOMERS, {"phone": "12", "otherPhones": ["x"], "dateOfBirth": "2999-01-01"})
    problems = {one["field"]: one["message"] for one in answer.json()["error"]["problems"]}
    assert problems.keys() == {"phone", "otherPhones[0]", "dateOfBirth"}
    assert problems["phone"].startswith("phone is not a number that can be called")
    nobody = await owner.send("POST", CUSTOMERS, {"notes": "Who?"})
    assert nobody.json()["error"]["problems"][0]["field"] == "name"


@pytest.mark.requirement("004-914")
async def test_whoever_has_a_number_that_was_a_customers_once_is_entered_and_flagged_alone(owner: Owner):
    """A record keeps its id when its number becomes another one."""
    ada = await owner.send("POST", CUSTOMERS, {"name": "Ada First", "phone": "5185550381"})
    path = f"{CUSTOMERS}/{ada.json()['id']}"
    moved = await owner.send("PATCH", path, {"phone": "5185550382"}, ada.json()["revision"])
    assert moved.status_code == 200, moved.text
    flagged = await owner.send("POST", RESTRICTIONS, {"phone": "5185550381", "reason": "Shouted.", "flag": True})
    assert flagged.status_code == 201, flagged.text
    hers = await owner.done("GET", path)
    assert (hers["phone"], hers["flagged"]) == ("+15185550382", False)
    for name, number in (("Berta Second", "5185550382"), ("Cora Third", "5185550381")):
        sure = {"name": name, "phone": number, "confirm": True}
        assert (await owner.send("POST", CUSTOMERS, sure)).status_code == 201
    assert (await owner.done("GET", path))["name"] == "Ada First"


async def test_a_number_that_is_on_file_is_asked_about(owner: Owner):
    """Families share a telephone."""
    await entered(owner)
    again = await owner.send("POST", CUSTOMERS, {"name": "Lena Müller", "phone": "5185550161"})
    assert again.status_code == 409
    assert "Jürgen Müller" in again.json()["error"]["message"]
    sure = await owner.send("POST", CUSTOMERS, {"name": "Lena Müller", "phone": "5185550161", "confirm": True})
    assert sure.status_code == 201
    assert sorted(await found(owner, "518 555 0161")) == ["Jürgen Müller", "Lena Müller"]


@pytest.mark.requirement("004-921")
@pytest.mark.parametrize(
    "numbers",
    [
        {"phone": "518 555 0161"},
        {"phone": "518 555 0164"},
        {"phone": "518 555 0169", "otherPhones": ["518 555 0161"]},
        {"phone": "518 555 0169", "otherPhones": ["518 555 0168", "518 555 0164"]},
        {"otherPhones": ["+1 518 555 0164"]},
    ],
)
async def test_whatever_number_is_on_file_as_anything_of_somebody_elses_is_asked_about(
    owner: Owner, numbers: dict[str, Any]
):
    """Of whoever is entered, and of whoever is corrected: whose it is is told, and a yes goes on."""
    first = await entered(owner, otherPhones=["518 555 0164"])
    lena = {"name": "Lena Müller", **numbers}
    refused = await owner.send("POST", CUSTOMERS, lena)
    assert refused.status_code == 409, refused.text
    sentence = refused.json()["error"]["message"]
    assert "is on file already: Jürgen Müller" in sentence and "confirm" in sentence
    assert await found(owner, "Lena") == []
    alone = await owner.done("POST", CUSTOMERS, {"name": "Lena Müller", "phone": "518 555 0167"})
    path = f"{CUSTOMERS}/{alone['id']}"
    refused = await owner.send("PATCH", path, numbers, alone["revision"])
    assert refused.status_code == 409, refused.text
    assert refused.json()["error"]["message"] == sentence
    assert await owner.done("GET", path) == alone
    kept = await owner.send("PATCH", path, {**numbers, "confirm": True}, alone["revision"])
    assert kept.status_code == 200, kept.text
    assert "confirm" not in (await owner.last())["after"]
    made = await owner.send("POST", CUSTOMERS, {**lena, "confirm": True})
    assert made.status_code == 201 and made.json()["id"] != first["id"]


@pytest.mark.requirement("004-921")
async def test_nobody_is_asked_about_their_own_numbers_nor_where_none_are_given(owner: Owner):
    """Nor once more about a shared one, when something else is corrected; every number that is shared is named."""
    first = await entered(owner, otherPhones=["518 555 0164"])
    path = f"{CUSTOMERS}/{first['id']}"
    await owner.done("PATCH", path, {"phone": "518 555 0164", "otherPhones": ["518 555 0161"]})
    await entered(owner, name="Anna Whitfield", phone="518 555 0162", email="")
    both = {"name": "Lena Müller", "phone": "518 555 0161", "otherPhones": ["518 555 0162"]}
    sentence = (await owner.send("POST", CUSTOMERS, both)).json()["error"]["message"]
    assert "+15185550161 is on file already: Jürgen Müller; +15185550162 is on file already: Anna Whitfield" in sentence
    lena = await owner.done("POST", CUSTOMERS, {**both, "confirm": True})
    await owner.done("PATCH", f"{CUSTOMERS}/{lena['id']}", {"notes": "Mornings."})


@pytest.mark.requirement("004-920")
async def test_the_number_of_a_record_that_was_joined_is_known_as_the_customers(owner: Owner):
    """Whoever calls from it is whom both records were."""
    first = await entered(owner)
    second = await entered(owner, name="J. Mueller", phone="518 555 0164", email="")
    path = f"{CUSTOMERS}/{first['id']}/merge"
    assert (await owner.send("POST", path, {"other": second["id"]}, first["revision"])).status_code == 200
    known = await Callers(owner.house.store).of_number(WITHIN, "+15185550164")
    assert [caller.id for caller in known] == [first["id"]]


async def test_a_correction_is_found_at_once_and_put_back(owner: Owner):
    """Under what is on file now, and under nothing else; an undo too."""
    shown = await entered(owner)
    path = f"{CUSTOMERS}/{shown['id']}"
    changed = await owner.done("PATCH", path, {"name": "Georg Meier", "phone": "518 555 0169", "email": ""})
    assert (changed["name"], changed["phone"], changed["email"]) == ("Georg Meier", "+15185550169", None)
    assert (await found(owner, "Meyer"), await found(owner, "meier")) == ([], ["Georg Meier"])
    assert (await found(owner, "mueller"), await found(owner, "5185550161")) == ([], [])
    entry = await owner.last()
    assert (entry["kind"], "nameKeys" in entry["after"]) == ("customer", False)
    assert (await owner.undo(entry)).status_code == 200
    assert (await found(owner, "mueller"), await found(owner, "meier")) == (["Jürgen Müller"], [])


async def test_what_two_correct_at_once_is_not_lost(owner: Owner):
    """The second sees the first's version; only owners correct."""
    shown = await entered(owner)
    path = f"{CUSTOMERS}/{shown['id']}"
    await owner.send("PATCH", path, {"notes": "Evenings."}, shown["revision"])
    late = await owner.send("PATCH", path, {"notes": "Noon."}, shown["revision"], by="owner")
    assert (late.status_code, late.json()["error"]["conflict"]["current"]["notes"]) == (412, "Evenings.")
    assert (await owner.send("PATCH", path, {"notes": "x"}, shown["revision"], by="editor")).status_code == 403
    assert (await owner.send("PATCH", path, {"notes": "x"})).status_code == 428


async def test_the_history_tells_appointments_conversations_and_messages(owner: Owner):
    """By every number of theirs, and by the record that was verified."""
    shown = await entered(owner)
    await booked(owner, "bk_1", "Jürgen Müller", "+15185550161")
    await booked(owner, "bk_2", "Jürgen M.", None, caller_id=shown["id"], start=TODAY + timedelta(days=4))
    await booked(owner, "bk_3", "Anna Whitfield", "+15185550162", start=TODAY + timedelta(days=5))
    session = {"channel": "phone", "callerPhone": "+15185550161", "startedAt": TODAY}
    message = {"kind": "message", "state": "sent", "callbackPhone": "+15185550161", "createdAt": TODAY, "text": "Hi"}
    await owner.house.store.commit(
        [Set(WITHIN.document("sessions", "CA1"), session), Set(WITHIN.document("outbox", "msg_1"), message)]
    )
    history = await owner.done("GET", f"{CUSTOMERS}/{shown['id']}/history")
    assert [row["id"] for row in history["appointments"]] == ["bk_2", "bk_1"]
    assert [row["sessionId"] for row in history["conversations"]] == ["CA1"]
    assert [row["id"] for row in history["messages"]] == ["msg_1"]
    assert history["isWhole"] is True


async def test_an_appointment_that_tells_an_address_alone_is_in_the_history_of_whoever_has_it(owner: Owner):
    """However it was typed; of an address that several share, a number or a record says whose it is."""
    shown = await entered(owner, email="J.Mueller@mail.example")
    other = await entered(owner, name="Petra Müller", phone="518 555 0163", email="j.mueller@mail.example")
    later = {n: TODAY + timedelta(days=3 + n) for n in range(4)}
    await booked(owner, "bk_0", "J. Müller", None, customer_email="J.Mueller@mail.example")
    await booked(owner, "bk_1", "J. Müller", None, customer_email="j.mueller@mail.example", start=later[1])
    await booked(owner, "bk_2", "Petra", "+15185550163", customer_email="j.mueller@mail.example", start=later[2])
    own = {"caller_id": other["id"], "customer_email": "j.mueller@mail.example", "start": later[3]}
    await booked(owner, "bk_3", "Petra", None, **own)
    history = await owner.done("GET", f"{CUSTOMERS}/{shown['id']}/history")
    assert ([row["id"] for row in history["appointments"]], history["isWhole"]) == (["bk_1", "bk_0"], True)
    listed = await owner.done("GET", f"{CUSTOMERS}?text=muller")
    assert listed["withoutRecord"] == []


async def test_a_history_is_whole_only_where_nothing_was_left_out(owner: Owner):
    """Also where one of the appointments that fit cannot be read."""
    shown = await entered(owner)
    for n in range(MOST + 1):
        await booked(owner, f"bk_{n:03}", "Jürgen", "+15185550161", start=TODAY + timedelta(hours=n))
    await owner.house.store.commit([Update(WITHIN.document("bookings", f"bk_{MOST:03}"), {"durationMinutes": "?"})])
    history = await owner.done("GET", f"{CUSTOMERS}/{shown['id']}/history")
    assert len(history["appointments"]) < MOST and history["isWhole"] is False


async def test_of_many_messages_the_latest_are_told(owner: Owner):
    """Whatever their ids are; that there are more is said."""
    shown = await entered(owner)
    about = {"kind": "message", "state": "sent", "callbackPhone": "+15185550161", "text": "Hi"}
    await owner.house.store.commit(
        [
            Set(WITHIN.document("outbox", f"msg_{n:03}"), about | {"createdAt": TODAY + timedelta(minutes=n)})
            for n in range(MOST + 1)
        ]
    )
    history = await owner.done("GET", f"{CUSTOMERS}/{shown['id']}/history")
    assert [row["id"] for row in history["messages"]] == [f"msg_{n:03}" for n in range(MOST, 0, -1)]
    assert history["isWhole"] is False


async def test_whoever_has_appointments_and_no_record_is_found_too(owner: Owner):
    """Once, with how many there are; who is on file is not told twice."""
    await entered(owner)
    await booked(owner, "bk_1", "Jürgen Müller", "+15185550161")
    await booked(owner, "bk_2", "Petra Müller", "+15185550163", start=TODAY + timedelta(days=4))
    await booked(owner, "bk_3", "Petra Mueller", "+15185550163", start=TODAY + timedelta(days=5))
    listed = await owner.done("GET", f"{CUSTOMERS}?text=muller")
    assert [row["name"] for row in listed["customers"]] == ["Jürgen Müller"]
    (other,) = listed["withoutRecord"]
    assert (other["name"], other["phone"], other["appointments"]) == ("Petra Mueller", "+15185550163", 2)


async def test_a_customer_is_flagged_and_the_flag_is_lifted(owner: Owner):
    """By the operations that there are for that; the record says what lifting is based on."""
    shown = await entered(owner)
    await owner.done("POST", f"{BUSINESS}/restrictions", {"phone": "518 555 0161", "reason": "Rude."})
    flagged = await owner.done("GET", f"{CUSTOMERS}/{shown['id']}")
    assert (flagged["flagged"], flagged["flagReason"]) == (True, "Rude.")
    rows = (await owner.done("GET", f"{CUSTOMERS}?flagged=1"))["customers"]
    assert [row["id"] for row in rows] == [shown["id"]]
    lift = f"{BUSINESS}/restrictions/callers/{shown['id']}"
    assert (await owner.send("DELETE", lift, None, flagged["restrictionRevision"])).status_code == 200
    assert (await owner.done("GET", f"{CUSTOMERS}/{shown['id']}"))["flagged"] is False


async def test_two_records_of_one_customer_become_one(owner: Owner):
    """Nothing of the other's is lost, and a flag stays; what was made under it is of the first."""
    first = await entered(owner)
    second = await entered(owner, name="J. Mueller", phone="518 555 0164", email="", notes="Likes Rosa.")
    await owner.done("POST", f"{BUSINESS}/restrictions", {"phone": "518 555 0164", "reason": "Rude."})
    await booked(owner, "bk_1", "J. Mueller", None, caller_id=second["id"])
    path = f"{CUSTOMERS}/{first['id']}/merge"
    answer = await owner.send("POST", path, {"other": second["id"]}, first["revision"])
    assert answer.status_code == 200, answer.text
    customer = answer.json()["customer"]
    assert (customer["name"], customer["phone"], customer["otherPhones"]) == (
        "Jürgen Müller",
        "+15185550161",
        ["+15185550164"],
    )
    assert (customer["notes"], customer["flagged"]) == ("Mornings.\nLikes Rosa.", True)
    assert answer.json()["moved"] == {"bookings": 1, "interactions": 0}
    assert await found(owner, "518 555 0164") == ["Jürgen Müller"]
    assert (await owner.send("GET", f"{CUSTOMERS}/{second['id']}")).status_code == 404
    entry = await owner.last()
    assert (entry["kind"], entry["isUndoable"]) == ("customersMerged", False)
    itself = await owner.send("POST", path, {"other": first["id"]}, customer["revision"])
    assert itself.status_code == 400


async def test_a_customer_is_told_all_that_is_kept_and_forgotten(owner: Owner):
    """The record, what was booked and said go; the hour stays in the books without the person."""
    shown = await entered(owner)
    await booked(owner, "bk_1", "Jürgen Müller", "+15185550161")
    path = f"{CUSTOMERS}/{shown['id']}"
    export = await owner.done("GET", f"{path}/export")
    assert {row["path"] for row in export["documents"]} == {f"callers/{shown['id']}", "bookings/bk_1"}
    assert (await owner.send("GET", f"{path}/export", by="editor")).status_code == 403
    answer = await owner.send("POST", f"{path}/forget", {}, shown["revision"])
    assert answer.status_code == 200, answer.text
    assert (answer.json()["deleted"], answer.json()["cleared"]) == ({"callers": 1}, 1)
    assert answer.json()["upcoming"] == ["bk_1"]
    everything = repr([document.data for document in await owner.house.store.query(Query("", group=True))])
    assert not any(word in everything for word in ("Müller", "muller", "5550161"))


async def test_what_goes_while_two_records_are_joined_stays_gone(owner: Owner, monkeypatch: pytest.MonkeyPatch):
    """A conversation whose time is over, between finding it and giving it to the first record."""
    first = await entered(owner)
    second = await entered(owner, name="J. Mueller", phone="518 555 0164", email="")
    paths = [WITHIN.document("interactions", id) for id in ("CA1", "CA2")]
    store, talk = owner.house.store, {"channel": "phone", "callerId": second["id"], "startedAt": TODAY}
    await store.commit([Set(path, talk) for path in paths])
    query = store.query

    async def expiring(asked: Query) -> list[Document]:
        documents = await query(asked)
        if any(document.path == paths[0] for document in documents):
            await store.commit([Delete(paths[0])])
        return documents

    monkeypatch.setattr(store, "query", expiring)
    answer = await owner.send("POST", f"{CUSTOMERS}/{first['id']}/merge", {"other": second["id"]}, first["revision"])
    assert (answer.status_code, answer.json()["moved"]["interactions"]) == (200, 1)
    gone, other = await store.get_many(paths)
    assert (gone, other.data["callerId"] if other else None) == (None, first["id"])


@pytest.mark.parametrize("commits", range(1, 5))
async def test_forgetting_somebody_of_two_numbers_is_finished_where_it_was_interrupted(
    owner: Owner, commits: int, monkeypatch: pytest.MonkeyPatch
):
    """The record tells both numbers, and goes last of all that they lead to."""
    monkeypatch.setattr("switchboard.admin.maintenance.forget_caller._AT_ONCE", 1)
    shown = await entered(owner, otherPhones=["518 555 0164"])
    await booked(owner, "bk_1", "Jürgen Müller", "+15185550161")
    path, store = f"{CUSTOMERS}/{shown['id']}/forget", owner.house.store
    talk = {"channel": "phone", "callerPhone": "+15185550164", "startedAt": TODAY}
    await store.commit([Set(WITHIN.document("interactions", "CA2"), talk)])
    commit, done = store.commit, list[Sequence[Write]]()

    async def failing(writes: Sequence[Write]) -> list[WriteResult]:
        if len(done) == commits:
            raise Unavailable("gone")
        done.append(writes)
        return await commit(writes)

    monkeypatch.setattr(store, "commit", failing)
    assert (await owner.send("POST", path, {}, shown["revision"])).status_code == 503
    monkeypatch.setattr(store, "commit", commit)
    answer = await owner.send("POST", path, {}, shown["revision"])
    assert answer.status_code == 200, answer.text
    everything = repr([document.data for document in await store.query(Query("", group=True))])
    assert not any(word in everything for word in ("Müller", "5550161", "5550164"))


async def test_whoever_is_forgotten_takes_nobody_along_whom_the_same_desk_has_booked(owner: Owner):
    """One session holds what a desk does all day; of it goes, and is exported, what is about one customer."""
    fields = {"workingHours": ALWAYS, "integrations": {"builtinCalendar": {"isConnected": True}}}
    await owner.house.store.commit([Update(WITHIN.business, fields)])
    shown = await entered(owner, notes="Afraid of scissors.")
    anna = {"service": "Haircut", "customer": "Anna Whitfield", "phone": "+15185550162", "notes": "Likes cardamom."}
    juergen = {"service": "Haircut", "customer": "Jürgen Müller", "phone": "+15185550161", "notes": "Peanut allergy."}
    for days, wish in ((3, anna), (4, juergen)):
        start = (TODAY + timedelta(days=days)).isoformat()
        made = (await owner.done("POST", f"{BUSINESS}/appointments", {**wish, "start": start}))["appointment"]
    key = {"Idempotency-Key": "k1", "If-Match": f'"{made["revision"]}"', **_header()}
    corrected = {"notes": "Cashews too."}
    answer = await owner.http.patch(f"{BUSINESS}/appointments/{made['id']}", json=corrected, headers=key)
    assert answer.status_code == 200, answer.text
    path = f"{CUSTOMERS}/{shown['id']}"
    export = repr(await owner.done("GET", f"{path}/export"))
    assert "Peanut" in export and "Cashews" in export
    assert not any(word in export for word in ("Whitfield", "5550162", "cardamom"))
    forgotten = (await owner.send("POST", f"{path}/forget", {}, shown["revision"])).json()
    assert (forgotten["cleared"], forgotten["upcoming"]) == (1, [made["id"]])
    documents = await owner.house.store.query(Query("", group=True))
    left = repr([document.data for document in documents])
    assert not any(word in left for word in ("Müller", "5550161", "Peanut", "Cashews", "scissors"))
    assert left.count("cardamom") == 3, "the appointment, the ledger and the audit"
    (row,) = (await owner.done("GET", f"{BUSINESS}/appointments?text=Whitfield"))["appointments"]
    assert (row["customer"], row["phone"], row["notes"]) == ("Anna Whitfield", "+15185550162", "Likes cardamom.")


@pytest.mark.requirement("004-900")
async def test_who_shares_a_number_is_neither_told_nor_forgotten_with_another(owner: Owner):
    """Families share a telephone; what goes by number waits until it is said whose number it is."""
    mother = await entered(owner, name="Petra Müller", email="petra@mail.example")
    child = await entered(
        owner, name="Lena Müller", email="", phone="518 555 0169", otherPhones=["5185550161"], confirm=True
    )
    await booked(owner, "bk_1", "Petra Müller", "+15185550161")
    path = f"{CUSTOMERS}/{child['id']}"
    export, forget = (
        await owner.send("GET", f"{path}/export"),
        await owner.send("POST", f"{path}/forget", {}, child["revision"]),
    )
    for answer, deed in ((export, "exported"), (forget, "deleted")):
        assert answer.status_code == 409, answer.text
        sentence = answer.json()["error"]["message"]
        assert "+15185550161 is also the number of Petra Müller" in sentence and f"Nothing was {deed}" in sentence
    other = await owner.send("GET", f"{CUSTOMERS}/{mother['id']}/export")
    assert other.status_code == 409 and "Lena Müller" in other.json()["error"]["message"]
    alone = await owner.done("PATCH", path, {"otherPhones": []})
    export = await owner.done("GET", f"{path}/export")
    assert [row["path"] for row in export["documents"]] == [f"callers/{child['id']}"]
    forgotten = await owner.send("POST", f"{path}/forget", {}, alone["revision"])
    assert (forgotten.json()["deleted"], forgotten.json()["cleared"]) == ({"callers": 1}, 0)
    assert (await owner.done("GET", f"{CUSTOMERS}/{mother['id']}"))["name"] == "Petra Müller"
    (row,) = (await owner.done("GET", f"{BUSINESS}/appointments?text=Petra"))["appointments"]
    assert row["phone"] == "+15185550161"


@pytest.mark.requirement("004-900")
async def test_what_stands_against_a_number_is_nobody_else(owner: Owner):
    """A record without a name, as a flag makes it, goes with whoever has the number."""
    shown = await entered(owner)
    flag = {"phone": "+15185550161", "flagged": True, "flagReason": "Rude."}
    await owner.house.store.commit([Set(WITHIN.document("callers", "clr_flag"), flag)])
    await owner.house.admin_app.mend_callers(None)
    answer = await owner.send("POST", f"{CUSTOMERS}/{shown['id']}/forget", {}, shown["revision"])
    assert answer.status_code == 200, answer.text
    assert answer.json()["deleted"] == {"callers": 2}


async def test_a_record_without_a_number_is_forgotten_alone(owner: Owner):
    """Nothing else could be told to be theirs."""
    shown = await owner.done("POST", CUSTOMERS, {"name": "Petra Meier"})
    answer = await owner.send("POST", f"{CUSTOMERS}/{shown['id']}/forget", {}, shown["revision"])
    assert answer.json()["deleted"] == {"callers": 1}
    assert (await owner.send("GET", f"{CUSTOMERS}/{shown['id']}")).status_code == 404


async def test_who_has_an_address_alone_is_told_and_forgotten_by_it(owner: Owner):
    """Their appointments are shown as theirs, so that they go with them."""
    shown = await owner.done("POST", CUSTOMERS, {"name": "Petra Meier", "email": "petra@mail.example"})
    await booked(owner, "bk_1", "Petra Meier", None, customer_email="petra@mail.example")
    row = {"who": "Petra Meier", "mail": "petra@mail.example"}
    await owner.house.store.commit([Set(f"{WITHIN.items('waitlist')}/r1", row)])
    export = await owner.done("GET", f"{CUSTOMERS}/{shown['id']}/export")
    assert [one["path"] for one in export["documents"]] == ["bookings/bk_1", f"callers/{shown['id']}"]
    answer = await owner.send("POST", f"{CUSTOMERS}/{shown['id']}/forget", {}, shown["revision"])
    assert (answer.json()["cleared"], answer.json()["rows"]) == (1, {"waitlist": 1})
    left = repr([d.data for d in await owner.house.store.query(Query("", group=True)) if "/items/" not in d.path])
    assert "Petra" not in left and "petra@" not in left


async def test_appointments_of_earlier_versions_are_found_by_name_once_they_were_mended(owner: Owner):
    """Each once; whatever is made since says by itself by what it is found."""
    fields = {"start": TODAY, "durationMinutes": 30, "status": "confirmed", "customerName": "Grace Okafor"}
    await owner.house.store.commit([Set(WITHIN.document("bookings", "bk_1"), fields)])
    rows = f"{BUSINESS}/appointments?text=okafor"
    assert (await owner.done("GET", rows))["appointments"] == []
    assert await owner.house.admin_app.mend_callers(None) == {"mended": 1}
    assert [row["id"] for row in (await owner.done("GET", rows))["appointments"]] == ["bk_1"]
    assert await owner.house.admin_app.mend_callers(None) == {"mended": 0}


async def test_a_record_that_was_typed_into_the_store_is_found_once_it_was_mended(owner: Owner):
    """By its name as well; of records of earlier versions nothing else is stored."""
    record = {"name": "Grace Okafor", "phone": "518-555-0163"}
    await owner.house.store.commit([Set(WITHIN.document("callers", "clr_1"), record)])
    await owner.house.admin_app.mend_callers(None)
    assert await found(owner, "okaf") == ["Grace Okafor"]
    await owner.house.store.commit([Update(WITHIN.document("callers", "clr_1"), {"notes": "Mornings."})])
    assert await found(owner, "518 555 0163") == ["Grace Okafor"]


@pytest.mark.requirement("004-742")
async def test_where_much_is_kept_forgetting_is_begun_and_goes_on_by_itself(owner: Owner):
    """The answer comes at once, and says where it is read how far it is."""
    shown = await entered(owner)
    for n in range(4):
        rows = [Set(WITHIN.document("sessions", f"s{n}-{m}"), {"callerPhone": shown["phone"]}) for m in range(500)]
        await owner.house.store.commit(rows)
    answer = await owner.send("POST", f"{CUSTOMERS}/{shown['id']}/forget", {}, shown["revision"])
    assert answer.status_code == 202, answer.text
    begun = answer.json()
    address = f"{BUSINESS}/deletions/{begun['deletion']}"
    assert (begun["deleted"], answer.headers["Location"].endswith(address)) == ({}, True)
    far = await owner.done("GET", address, None)
    assert (far["what"], far["id"]) == ("caller", begun["deletion"])

    async with asyncio.timeout(60):
        while not far["done"]:
            await asyncio.sleep(0)
            far = await owner.done("GET", address, None)
    assert far["deleted"] >= 2001 and far["lookedAt"] >= 2001 and far["doneAt"]
    assert await owner.house.store.query(Query(WITHIN.collection("sessions"))) == []
    assert (await owner.http.get(f"{CUSTOMERS}/{shown['id']}", headers=_header())).status_code == 404
    assert (await owner.http.get(f"{BUSINESS}/deletions/nothing", headers=_header())).status_code == 404
