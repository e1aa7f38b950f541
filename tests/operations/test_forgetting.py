"""Somebody is forgotten: a caller leaves nothing behind but what is named, a business nothing at all."""

import asyncio
import json
import unicodedata
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from switchboard.admin.maintenance.data_inventory import PLACES, documents_of
from switchboard.admin.maintenance.forget_business import forget_business
from switchboard.admin.maintenance.forget_caller import caller_documents, forget_caller
from switchboard.contract.store import Create, Document, Query, Set, Unavailable
from switchboard.state.memory.store import MemoryStore
from tests.each import each
from tests.operations.premises import (
    BUSINESS,
    CANARY,
    ENVIRONMENT,
    NEIGHBOUR,
    OTHER,
    PATHS,
    Person,
    Premises,
    open_premises,
)

pytestmark = pytest.mark.usefixtures("patience")

WITHIN = PATHS.within(BUSINESS)
FULL_WIDTH = {ord("0") + digit: 0xFF10 + digit for digit in range(10)}


@pytest.fixture
def by_words(monkeypatch: pytest.MonkeyPatch) -> None:
    """Houses that search by words alone: what their traffic leaves is the same, and takes a third of the time."""
    monkeypatch.setitem(ENVIRONMENT, "SWITCHBOARD_EMBEDDINGS", "none")


def holding(documents: list[Document], person: Person) -> dict[str, list[str]]:
    """Return where somebody's marks stand, by the document's path."""
    texts = {d.path: json.dumps([d.path, d.data], ensure_ascii=False, default=str).casefold() for d in documents}
    found = {path: [m for m in person.marks if m.casefold() in text] for path, text in texts.items()}
    return {path: marks for path, marks in found.items() if marks}


def collections(documents: dict[str, list[str]]) -> set[str]:
    return {path.split("/")[-2] for path in documents}


async def test_every_place_in_which_traffic_leaves_something_is_on_the_map():
    """So that a new collection cannot be forgotten by backups and deletions."""
    async with open_premises(MemoryStore()) as premises:
        await premises.does_everything(CANARY)
        kept = {name.rpartition("/")[2] for name, rows in premises.store._documents._collections.items() if rows}
        assert kept <= {place.name for place in PLACES}


@pytest.mark.requirement("004-901")
async def test_conversations_go_on_while_everything_is_looked_through():
    """Also between two documents of one page, each of which takes its time to look at."""
    store, turns = MemoryStore(), 0
    paths = [WITHIN.document("bookings", f"bk_{number:03}") for number in range(100)]
    await store.commit([Set(path, {"status": "confirmed"}) for path in paths])

    async def converses() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    conversation = asyncio.create_task(converses())
    (bookings,) = (place for place in PLACES if place.name == "bookings")
    seen = [turns async for _ in documents_of(store, PATHS, bookings, BUSINESS)]
    conversation.cancel()
    assert len(seen) == len(paths)
    assert len(set(seen)) >= len(paths) // 10


async def test_a_forgotten_caller_is_found_nowhere(premises: Premises):
    """Number, name and words on every channel; the booking stays for the books, without the person."""
    before = holding(await premises.documents(), CANARY)
    # The traffic is worth looking for: what is claimed to be deleted has been there.
    assert collections(before) >= {"calls", "interactions", "sessions", "outbox", "bookings", "callers"}
    looked = await forget_caller(premises.store, PATHS, BUSINESS, CANARY.number, dry_run=True)
    assert holding(await premises.documents(), CANARY) == before
    done = await forget_caller(premises.store, PATHS, BUSINESS, CANARY.number)
    assert (done.deleted, done.cleared, done.redacted) == (looked.deleted, looked.cleared, looked.redacted)
    left = await premises.documents()
    assert holding(left, CANARY) == {}
    bookings = [d for d in left if d.path.startswith(WITHIN.collection("bookings"))]
    assert any(d.data["service"] == "Haircut" and d.data["customerName"] == "" for d in bookings)
    again = await forget_caller(premises.store, PATHS, BUSINESS, CANARY.number)
    assert again.found == 0


@pytest.mark.usefixtures("by_words")
async def test_others_keep_what_is_theirs():
    """Also when they come on the same day and ask the same things."""
    async with open_premises(MemoryStore()) as premises:
        await premises.does_everything(NEIGHBOUR)
        before = {d.path: d.data for d in await premises.documents()}
        await premises.does_everything(CANARY)
        await forget_caller(premises.store, PATHS, BUSINESS, CANARY.number)
        after = {d.path: d.data for d in await premises.documents()}
        theirs = holding(await premises.documents(), NEIGHBOUR)
        assert theirs
        assert {path for path in theirs if before.get(path) != after[path]} <= {
            path for path in theirs if path.split("/")[-2] == "questions"
        }
        assert before.keys() <= after.keys()


@pytest.mark.usefixtures("by_words")
async def test_what_others_said_of_a_caller_loses_the_number_and_nothing_else():
    """Somebody else's conversation stays theirs."""
    async with open_premises(MemoryStore()) as premises:
        await premises.book(CANARY)
        said = [{"role": "caller", "text": f"Call {CANARY.name} at (518) 555-0196, not +1 518 555 0197."}]
        path = WITHIN.document("interactions", "theirs")
        await premises.store.commit([Create(path, {"callerPhone": NEIGHBOUR.number, "transcript": said})])
        await forget_caller(premises.store, PATHS, BUSINESS, CANARY.number)
        left = await premises.store.get(path)
        assert left.data["transcript"][0]["text"] == "Call (removed) at ((removed), not +1 518 555 0197."
        assert left.data["callerPhone"] == NEIGHBOUR.number


@each(
    "written",
    [
        "+1 (518) 555-0196",
        "+1.518.555.0196",
        "0015185550196",
        "011 1 518 555 0196",
        "518\u2011555\u20110196",
        "518 \u2013 555 \u2013 0196",
        "\u202a+1 518 555 0196",
        "518-555-0196".translate(FULL_WIDTH),
        "5 1 8, 5 5 5, 0 1 9 6",
        "518_555_0196",
        "518·555·0196",
        json.dumps("518\u2011555\u20110196").strip('"'),
        json.dumps(json.dumps("518\u2011555\u20110196")).strip('"'),
    ],
)
async def test_a_number_is_taken_out_however_it_is_written(written: str):
    """By keyboards, transcribers and JSON within JSON; a longer number is another one."""
    store, path = MemoryStore(), WITHIN.document("interactions", "theirs")
    await store.commit([Create(path, {"callerPhone": NEIGHBOUR.number, "summary": f"It is {written}."})])
    await store.commit([Create(f"{path}2", {"callerPhone": NEIGHBOUR.number, "summary": "It is 5185550196777."})])
    await forget_caller(store, PATHS, BUSINESS, CANARY.number)
    left = str((await store.get(path)).data["summary"])
    assert not any(end in left for end in ("0196", "0196".translate(FULL_WIDTH), "0 1 9 6")) and "(removed)" in left
    assert (await store.get(f"{path}2")).data["summary"] == "It is 5185550196777."


NAME = "Zoë O'Brien-Çelik"


@each(
    "written",
    [
        NAME,
        NAME.upper(),
        unicodedata.normalize("NFD", NAME),
        NAME.replace("'", "\u2019").replace("-", "\u2011"),
        NAME.replace(" ", "  "),
        NAME.replace(" ", "\n"),
        NAME.replace(" ", "\u00a0"),
        *(
            json.dumps(text).strip('"')
            for text in (NAME, unicodedata.normalize("NFD", NAME).lower(), f"\n{NAME}", NAME.replace(" ", "\u00a0\t"))
        ),
        json.dumps(json.dumps(NAME.upper()))[3:-3],
    ],
)
async def test_a_name_is_taken_out_however_it_is_written(written: str):
    """A ledger keeps what was refused as it came, which is JSON in plain ASCII; a longer name is another one."""
    store, path = MemoryStore(), WITHIN.document("interactions", "theirs")
    await store.commit([Create(WITHIN.document("callers", "c1"), {"phone": CANARY.number, "name": NAME})])
    await store.commit([Create(path, {"callerPhone": NEIGHBOUR.number, "summary": f"It is {written}."})])
    await store.commit([Create(f"{path}2", {"callerPhone": NEIGHBOUR.number, "summary": f"It is {NAME}son."})])
    await forget_caller(store, PATHS, BUSINESS, CANARY.number)
    left = str((await store.get(path)).data["summary"])
    assert left in ("It is (removed).", "It is \\n(removed).")
    assert (await store.get(f"{path}2")).data["summary"] == f"It is {NAME}son."


@pytest.mark.usefixtures("by_words")
async def test_what_a_refused_call_of_somebody_else_said_of_a_caller_is_taken_out():
    """As the dispatcher writes it down: refused arguments are kept as they came."""
    caller = Person(CANARY.number, "José Ångström", "xylotomic")
    async with open_premises(MemoryStore()) as premises:
        await premises.book(caller)
        said = {"message": f"Tell\n{caller.name} that\u00a0518\u00a0555\u00a00196 is wrong.", "unknown": 1}
        answer = await premises.use(NEIGHBOUR, "take_message", said)
        assert answer["error"]["type"] == "VALIDATION"
        await forget_caller(premises.store, PATHS, BUSINESS, caller.number)
        left = [str(document.data) for document in await premises.documents(BUSINESS)]
        assert not any("ngstr" in text or "0196" in text for text in left)


@pytest.mark.parametrize(
    "number", ["+15185550196", "5185550196", "001 518 555 0196", "011-1-518-555-0196".translate(FULL_WIDTH)]
)
async def test_a_record_is_the_callers_however_its_number_is_written(number: str):
    """An owner may have typed it."""
    store, path = MemoryStore(), WITHIN.document("callers", "c1")
    other = WITHIN.document("callers", "c2")
    await store.commit([Create(path, {"phone": number}), Create(other, {"phone": NEIGHBOUR.number})])
    await forget_caller(store, PATHS, BUSINESS, CANARY.number)
    assert await store.get(path) is None
    assert await store.get(other) is not None


def outbox(id: str, **data: object) -> Create:
    return Create(WITHIN.document("outbox", id), {"id": id, **data})


async def test_the_text_that_brings_a_callers_message_to_the_owner_goes_with_it(monkeypatch: pytest.MonkeyPatch):
    """It names neither the caller nor the conversation, only the message; one that brings another stays.

    Also where the deletion is interrupted between the two.
    """
    monkeypatch.setattr("switchboard.admin.maintenance.forget_caller._AT_ONCE", 1)
    store = MemoryStore()
    owners = {"kind": "text", "to": "+15185550100", "body": "Zerlina's wig is xylotomic."}
    await store.commit(
        [
            outbox("msg_hers", kind="message", callerPhone=CANARY.number, text="My wig is xylotomic."),
            outbox("txt_hers", effectKey=f"{WITHIN.document('outbox', 'msg_hers')}|text", **owners),
            outbox("msg_theirs", kind="message", callerPhone=NEIGHBOUR.number, text="Mine is not."),
            outbox("txt_theirs", effectKey=f"{WITHIN.document('outbox', 'msg_theirs')}|text", **owners),
        ]
    )
    commit = store.commit

    async def once(writes):
        monkeypatch.setattr(store, "commit", failing)
        return await commit(writes)

    async def failing(writes):
        raise Unavailable("gone")

    monkeypatch.setattr(store, "commit", once)
    with pytest.raises(Unavailable):
        await forget_caller(store, PATHS, BUSINESS, CANARY.number)
    monkeypatch.setattr(store, "commit", commit)
    await forget_caller(store, PATHS, BUSINESS, CANARY.number)
    left = {document.id for document in await store.query(Query(WITHIN.collection("outbox")))}
    assert left == {"msg_theirs", "txt_theirs"}


@pytest.mark.parametrize(
    ("calendar", "outside"), [("googleCalendar", ["bk_1"]), ("builtinCalendar", []), (None, []), ("", [])]
)
async def test_only_entries_of_an_outside_calendar_are_said_to_stay_there(calendar: str | None, outside: list[str]):
    """The built-in one is the store itself."""
    store, path = MemoryStore(), WITHIN.document("bookings", "bk_1")
    await store.commit([Create(path, {"customerPhone": CANARY.number, "calendar": calendar})])
    assert (await forget_caller(store, PATHS, BUSINESS, CANARY.number)).outside == outside


@pytest.mark.usefixtures("by_words")
async def test_a_number_that_must_not_be_texted_stays_on_that_list():
    """Its owner asked for that; it is named in what is told."""
    async with open_premises(MemoryStore()) as premises:
        path = WITHIN.document("tickets", f"stop:{CANARY.number}")
        await premises.store.commit([Set(path, {"number": CANARY.number})])
        done = await forget_caller(premises.store, PATHS, BUSINESS, CANARY.number)
        assert await premises.store.get(path) is not None
        assert sum(done.kept.values()) == 1


@pytest.mark.usefixtures("by_words")
@pytest.mark.parametrize("commits", [1, 2, 4, 7])
async def test_an_interrupted_deletion_is_finished_by_the_next(commits: int, monkeypatch: pytest.MonkeyPatch):
    """What leads to the rest goes last."""
    monkeypatch.setattr("switchboard.admin.maintenance.forget_caller._AT_ONCE", 4)
    async with open_premises(MemoryStore()) as premises:
        await premises.does_everything(CANARY)
        commit, done = premises.store.commit, []

        async def failing(writes):
            if len(done) == commits:
                raise Unavailable("gone")
            done.append(writes)
            return await commit(writes)

        monkeypatch.setattr(premises.store, "commit", failing)
        with pytest.raises(Unavailable):
            await forget_caller(premises.store, PATHS, BUSINESS, CANARY.number)
        monkeypatch.undo()
        assert holding(await premises.documents(), CANARY)
        await forget_caller(premises.store, PATHS, BUSINESS, CANARY.number)
        assert holding(await premises.documents(), CANARY) == {}


async def test_a_forgotten_business_leaves_nothing_of_what_others_kept_beneath_it_either():
    """Collections that Switchboard does not know, below items, and below documents that are not there."""
    store = MemoryStore()
    paths = [
        "notes/n",
        "collections/homes/items/h1",
        "collections/homes/items/h1/photos/p",
        "apiKeys/k",
        "gone/x/faqs/f",
    ]
    await store.commit([Create(f"{WITHIN.business}/{path}", {}) for path in paths])
    other = f"{WITHIN.business}-2/notes/n"
    await store.commit([Create(WITHIN.business, {}), Create(other, {})])
    found = {"businesses": 1, "notes": 1, "items": 1, "photos": 1, "apiKeys": 1, "faqs": 1}
    assert await forget_business(store, PATHS, BUSINESS, dry_run=True) == found
    assert await forget_business(store, PATHS, BUSINESS) == found
    assert [document.path for document in await store.query(Query("", group=True))] == [other]


@pytest.mark.requirement("002-06")
@pytest.mark.usefixtures("by_words")
async def test_a_forgotten_business_leaves_nothing_and_others_are_untouched(premises: Premises):
    """Counted first, then deleted; its key opens nothing any more."""
    await premises.store.commit([Set(WITHIN.document("tools", "own"), {"name": "order_status"})])
    counted = await forget_business(premises.store, PATHS, BUSINESS, dry_run=True)
    everything = await premises.documents()
    others = {d.path: d.data for d in everything if d.path.startswith(PATHS.within(OTHER).business)}
    there = [d for d in everything if d.path == WITHIN.business or d.path.startswith(f"{WITHIN.business}/")]
    assert sum(counted.values()) == len(there) > 100
    assert counted["tools"] == 1
    deleted = await forget_business(premises.store, PATHS, BUSINESS)
    assert deleted == counted
    left = await premises.documents()
    assert [d.path for d in left if d.path.startswith(WITHIN.business)] == []
    assert {d.path: d.data for d in left if d.path.startswith(PATHS.within(OTHER).business)} == others
    assert await forget_business(premises.store, PATHS, BUSINESS) == {}
    async with open_premises(premises.store, furnished=False) as later:
        refused = await later.client.get(f"/tools/definitions?businessId={BUSINESS}&channel=phone")
        assert refused.status_code in (401, 403)


NAMESAKE = Person("+15185550198", CANARY.name, "zythological")


@pytest.fixture
async def shelves() -> MemoryStore:
    """A business of whom nothing is known but what a test puts there."""
    store = MemoryStore()
    await store.commit([Set(WITHIN.business, {"name": "Salon", "phone": "+15185550142"})])
    return store


async def put(store: MemoryStore, collection: Any, id: str, **fields: Any) -> str:
    path = WITHIN.document(collection, id)
    await store.commit([Create(path, fields)])
    return path


async def test_who_bears_the_same_name_or_shares_an_address_keeps_both(shelves: MemoryStore):
    """What is told by number or id to be a namesake's stays as it is: their appointments are still to come."""
    both = {"name": CANARY.name, "email": "family@mail.example"}
    await put(shelves, "callers", "clr_first", phone=CANARY.number, **both)
    booked = {"customerName": CANARY.name.upper(), "customerPhone": NAMESAKE.number, "customerEmail": both["email"]}
    theirs = [
        await put(shelves, "callers", "clr_namesake", phone=NAMESAKE.number, **both),
        await put(shelves, "bookings", "bk_theirs", **booked, customerNotes=f"For {CANARY.name}.", status="confirmed"),
        await put(shelves, "bookings", "bk_of_record", customerName=CANARY.name, callerId="clr_namesake"),
        await put(shelves, "bookings", "bk_of_either", customerName=CANARY.name, customerEmail=both["email"]),
        await put(shelves, "interactions", "CA1", callerPhone=NAMESAKE.number, transcript=[{"text": CANARY.name}]),
        await put(shelves, "interactions", "web_1", callerPhone=None, transcript=[{"text": f"I am {CANARY.name}"}]),
        await put(shelves, "audit", "a1", kind="customer", document="clr_namesake", before={}, after=both),
    ]
    before = [document.data for document in await shelves.get_many(theirs)]
    third = await put(shelves, "interactions", "CA2", callerPhone=NEIGHBOUR.number, transcript=[{"text": CANARY.name}])
    await forget_caller(shelves, PATHS, BUSINESS, CANARY.number)
    after = [document.data for document in await shelves.get_many(theirs)]
    web = theirs.index(WITHIN.document("interactions", "web_1"))
    assert after.pop(web)["transcript"][0]["text"] == "I am (removed)"
    del before[web]
    assert after == before
    assert (await shelves.get(third)).data["transcript"][0]["text"] == "(removed)"
    assert await shelves.get(WITHIN.document("callers", "clr_first")) is None


@pytest.mark.usefixtures("by_words")
async def test_what_a_service_had_noted_for_a_caller_whose_number_it_did_not_show_goes_too():
    """The number that was given as an argument tells whose it is, as it does in a visitor's chat."""
    async with open_premises(MemoryStore()) as premises:
        nobody = {"callerPhone": None, "channel": "portal"}
        said = {"caller_name": CANARY.name, "callback_phone": "(518) 555-0196", "message": f"My {CANARY.word} wig."}
        for session in ("one", "two"):
            await premises.use(CANARY, "take_message", said, **nobody, sessionId=session)
        asked = {"query": f"{CANARY.word} wigs"}
        await premises.use(CANARY, "search_knowledge", asked, **nobody, sessionId="two", turn=2)
        await premises.use(NEIGHBOUR, "take_message", said, sessionId="theirs")
        documents = await caller_documents(premises.store, PATHS, BUSINESS, CANARY.number)
        assert {document.path.split("/")[-2] for document in documents} >= {"outbox", "calls", "sessions"}
        await forget_caller(premises.store, PATHS, BUSINESS, CANARY.number)
        left = holding(await premises.documents(), CANARY)
        # What somebody else has said stays theirs; the number and the name are not in it any more.
        assert {mark for marks in left.values() for mark in marks} == {CANARY.word}
        assert all("theirs" in path or "/outbox/" in path for path in left)


async def test_a_session_in_which_somebody_else_proves_to_be_themselves_is_theirs(shelves: MemoryStore):
    """Whoever gives another's number in it before they were known loses nothing but that number."""
    row = {"arguments": f'{{"callback_phone": "{CANARY.number}", "message": "for my mother"}}', "facts": {}}
    early = await put(shelves, "sessions", "s1", callerPhone=NEIGHBOUR.number)
    await shelves.commit([Create(WITHIN.call("s1", "c1"), row)])
    await forget_caller(shelves, PATHS, BUSINESS, CANARY.number)
    assert await shelves.get(early) is not None
    assert (await shelves.get(WITHIN.call("s1", "c1"))).data["arguments"] == (
        '{"callback_phone": "(removed)", "message": "for my mother"}'
    )


async def test_a_customer_without_a_number_is_forgotten_by_record_and_address(shelves: MemoryStore):
    """What only they can be meant by, and what others have beside it stays."""
    mail = "zerlina@mail.example"
    await put(shelves, "callers", "clr_mail", name=CANARY.name, email=mail)
    await put(
        shelves, "bookings", "bk_mail", customerName=CANARY.name, customerEmail=mail.upper(), customerNotes="Bald."
    )
    await put(shelves, "bookings", "bk_record", customerName="Z.", callerId="clr_mail")
    await put(shelves, "interactions", "web_1", callerPhone=None, transcript=[{"text": f"Write to {mail}"}])
    await put(shelves, "outbox", "eml_1", kind="email", to=mail, text="Your wig is ready.")
    others = await put(shelves, "bookings", "bk_other", customerName="Otto Anders", customerEmail="otto@mail.example")
    done = await forget_caller(shelves, PATHS, BUSINESS, records=["clr_mail"])
    assert (done.cleared, done.deleted) == (2, {"callers": 1, "interactions": 1, "outbox": 1})
    assert (await shelves.get(WITHIN.document("bookings", "bk_mail"))).data["customerNotes"] is None
    assert (await shelves.get(others)).data["customerName"] == "Otto Anders"


async def test_a_record_that_was_taken_back_or_corrected_leaves_nothing_in_the_audit(shelves: MemoryStore):
    """Its names of before are the caller's names as well."""
    gone = {"name": "Quirina", "phone": CANARY.number, "email": "q@mail.example", "notes": "Allergic to latex."}
    await put(shelves, "audit", "a1", kind="customer", document="clr_gone", before={}, after=gone)
    await put(shelves, "audit", "a2", kind="customer", document="clr_gone", before=gone, after={})
    await put(shelves, "callers", "clr_1", name="Zerlina Married", phone=CANARY.number)
    changed = {"before": {"name": CANARY.name}, "after": {"name": "Zerlina Married"}}
    await put(shelves, "audit", "a3", kind="customer", document="clr_1", **changed)
    await put(shelves, "audit", "a4", kind="business", document=BUSINESS, before={}, after={"phone": CANARY.number})
    chat = await put(shelves, "interactions", "web_1", callerPhone=None, transcript=[{"text": f"I am {CANARY.name}."}])
    await forget_caller(shelves, PATHS, BUSINESS, CANARY.number)
    kept = json.dumps([document.data for document in await shelves.query(Query(WITHIN.collection("audit")))])
    assert not any(word in kept for word in ("Quirina", "q@mail", "latex", "Quastenfloss", "Married", "5550196"))
    assert await shelves.get(chat) is None


async def test_a_text_that_was_written_while_its_message_was_forgotten_goes_with_the_next_run(shelves: MemoryStore):
    """Nothing leads to it any more but the number that stands in it."""
    brings = {"kind": "text", "to": "+15185550144", "body": f"Message from Z.\nCall back: {CANARY.number}\n\nMy wig."}
    behind = await put(shelves, "outbox", "txt_1", **brings, effectKey=f"{WITHIN.document('outbox', 'msg_1')}|text")
    await put(shelves, "outbox", "msg_2", kind="message", callerPhone=NEIGHBOUR.number, text="Call Z.")
    theirs = await put(shelves, "outbox", "txt_2", **brings, effectKey=f"{WITHIN.document('outbox', 'msg_2')}|text")
    await forget_caller(shelves, PATHS, BUSINESS, CANARY.number)
    assert await shelves.get(behind) is None
    assert "(removed)" in (await shelves.get(theirs)).data["body"]


async def test_a_conversation_that_has_not_ended_is_told_since_it_may_leave_more(shelves: MemoryStore):
    """Whoever forgets somebody then has to do it again; one that has ended, or fell silent, leaves nothing."""
    now = datetime.now(UTC)
    for id, minutes, ended in (("CA1", 1, None), ("CA2", 1, now), ("CA3", 45, None)):
        heard = {"heardAt": now - timedelta(minutes=minutes), "endedAt": ended}
        await put(shelves, "interactions", id, callerPhone=CANARY.number, **heard)
    done = await forget_caller(shelves, PATHS, BUSINESS, CANARY.number, now=now)
    assert (done.running, done.deleted) == (1, {"interactions": 3})


async def test_what_an_owner_noted_at_a_message_goes_from_the_audit_as_well(shelves: MemoryStore):
    """It is about whoever left the message."""
    await put(shelves, "outbox", "msg_1", kind="message", callerPhone=CANARY.number, text="Call me.")
    note = {"before": {"note": ""}, "after": {"note": "She is pregnant.", "done": True}}
    await put(shelves, "audit", "a1", kind="message", document="msg_1", **note)
    await forget_caller(shelves, PATHS, BUSINESS, CANARY.number)
    (entry,) = await shelves.query(Query(WITHIN.collection("audit")))
    assert entry.data["after"] == {"note": "(removed)", "done": True}
