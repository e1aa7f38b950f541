"""Every shape in which an earlier version has stored its documents is read, explained, used and deleted by this one."""

import asyncio
import json
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from operations import explaining
from switchboard.admin.maintenance import backup
from switchboard.admin.maintenance.data_inventory import all_documents, is_compiled
from switchboard.admin.maintenance.forget_business import forget_business
from switchboard.admin.maintenance.forget_caller import caller_documents, forget_caller
from switchboard.contract.store import Document, Set
from tests.operations.upgrades.earlier import BUSINESS, CALLER, PATHS, SHAPES, Upgraded, upgraded
from tests.operations.upgrades.newest import fields_by_collection, newest

pytestmark = pytest.mark.requirement("004-740")
every_shape = pytest.mark.parametrize("shape", SHAPES, ids=[shape.stem for shape in SHAPES])
SESSION = "old-1"
LISTING = "/tools/definitions?businessId={}&channel=phone&sessionId={}&callerPhone=%2B15185550171"
# What a reader may say besides: nothing is there by that id, something is to be named, a vendor is not set up here.
ANSWERS = {200, 400, 404, 501}


def rows(documents: list[Document]) -> Iterator[Document]:
    return (document for document in documents if "/calls/" in document.path)


def test_there_are_shapes_of_the_whole_history():
    """From the first version that could seed a store on."""
    assert len(SHAPES) >= 8 and SHAPES[0].stem.startswith("2026-11-21")


@pytest.mark.process
async def test_what_this_version_stores_is_among_them():
    """Whoever has a document gain a field writes one more backup (`newest.py`), which later versions have to read."""
    lines = SHAPES[-1].read_text().splitlines()
    known = fields_by_collection(backup.documents_in(backup.read_heading(lines[0]), lines[1:]))
    async with newest() as store:
        documents = [d async for d in all_documents(store, PATHS) if not is_compiled(d.path)]
    stored = fields_by_collection((document.path, document.data) for document in documents)
    gained = {name: sorted(fields - known.get(name, set())) for name, fields in stored.items()}
    assert not {name: fields for name, fields in gained.items() if fields}


@every_shape
async def test_owners_read_everything_at_every_address(shape: Path):
    async with upgraded(shape) as here:
        failed, readable = [], 0
        for address in await here.addresses():
            answer = await here.http.get(address)
            readable += answer.status_code == 200
            if answer.status_code not in ANSWERS:
                failed.append((address, answer.status_code, answer.text[:200]))
        assert not failed
        assert readable > 100


@every_shape
async def test_every_call_is_explained_in_sentences(shape: Path):
    """Also those of versions that wrote down neither whose they were nor which checks they met."""
    async with upgraded(shape) as here:
        found = 0
        for row in rows(await here.documents()):
            _, _, _, session, _, call = row.path.split("/")
            answer = await here.http.get(f"/admin/explain?businessId={BUSINESS}&session={session}&call={call}")
            assert (answer.status_code, answer.json()["callId"]) == (200, call)
            assert len(answer.json()["sentences"]) >= 3 and row.data["tool"] in answer.json()["sentences"][0]
            listed = await here.http.get(f"/admin/explain?businessId={BUSINESS}&session={session}")
            assert call in {line["id"] for line in listed.json()["calls"]}
            found += 1
        assert found >= 15


@every_shape
def test_the_command_explains_every_call(shape: Path, monkeypatch: Any, capsys: Any):
    monkeypatch.setenv("GOOGLE_CLOUD_PROJECT", "demo-upgrade")
    monkeypatch.setenv("FIRESTORE_EMULATOR_HOST", "127.0.0.1:1")

    async def opened() -> tuple[Any, list[Document]]:
        async with upgraded(shape) as here:
            return here.store, await here.documents()

    store, documents = asyncio.run(opened())
    for row in rows(documents):
        _, _, _, session, _, call = row.path.split("/")
        assert explaining.main([BUSINESS, session, call], lambda _: store) == 0
        assert row.data["tool"] in capsys.readouterr().out
    assert explaining.main([BUSINESS, SESSION], lambda _: store) == 0


@every_shape
async def test_callers_are_served_in_conversations_of_before_and_in_new_ones(shape: Path):
    """With the tools as they were published then, whose answers have gained fields since."""
    async with upgraded(shape) as here:
        for session in (SESSION, "new-1"):
            listed = await here.http.get(LISTING.format(BUSINESS, session))
            names = {tool["name"] for tool in listed.json()["tools"]}
            assert names >= {"search_knowledge", "check_availability", "book_appointment"}, session
        looked_up = await here.call("search_knowledge", {"query": "Is there parking?"})
        assert looked_up["ok"] and looked_up["data"]["results"]
        free = await here.call("check_availability", {"date": "2026-12-11", "service": "Haircut"})
        assert free["ok"] and free["data"]["openTimes"], free
        wish = {"service": "Haircut", "start_time": "2026-12-11T10:00:00", "customer_name": "Tom Becker"}
        booked = await here.call("book_appointment", wish, turn=2)
        assert booked["ok"] and booked["data"]["booked"] is True, booked
        taken, held = wish | {"start_time": "2026-12-08T10:00:00"}, slots(await here.documents())
        others = [
            await here.call("book_appointment", taken | {"customer_name": f"{name} Becker"}, session=f"new-{name}")
            for name in ("Tim", "Ida", "Jon", "Eva", "Max")
        ]
        # With one chair nobody gets it, with several people whoever is free; what is held stays whose it was.
        assert others[-1]["ok"] is False, others[-1]
        assert held.items() <= slots(await here.documents()).items()
        redelivered = await here.http.post("/tools/execute", json=again(SESSION, "c1", 1))
        assert redelivered.json()["meta"].get("replayed") is True, redelivered.text


def slots(documents: list[Document]) -> dict[str, str]:
    """Return whose each time is that is held."""
    return {document.path: document.data["bookingId"] for document in documents if "/slots/" in document.path}


def again(session: str, call_id: str, turn: int) -> dict[str, Any]:
    """Return the body of a look-up that was delivered before the upgrade."""
    facts = {"channel": "phone", "sessionId": session, "turn": turn, "callId": call_id, "callerPhone": CALLER}
    facts |= {"attestation": "TN-Validation-Passed-A"}
    args = {"date": "2026-12-08", "service": "Haircut"}
    return {"businessId": BUSINESS, "name": "check_availability", "args": args, "context": facts}


@every_shape
async def test_what_was_under_way_comes_to_its_end_and_is_not_repeated(shape: Path):
    """Every pass does its work, and after two hours nobody is at anything any more."""
    async with upgraded(shape) as here:
        before = [row.path for row in rows(await here.documents()) if row.data.get("state") == "started"]
        assert before
        for _ in range(24):
            for name, work in here.house.passes.items():
                assert isinstance(await work(None), dict), name
            here.clock.at += timedelta(minutes=15)
        assert (await here.house.passes["reap"](None)) == {"recovered": 0}
        after = [row for row in rows(await here.documents()) if row.path in before]
        assert {row.data["state"] for row in after} <= {"finished", "failed", "unknown", "refused"}
        ways = [json.loads(row.data["response"]) for row in after]
        assert all(way["ok"] or way["error"]["message"] for way in ways)
        for task in ("questions", "callers"):
            await here.house.admin_app.count_questions(None)
            assert isinstance(await here.house.admin_app.mend_callers(None), dict), task


@every_shape
async def test_a_caller_s_data_are_told_and_forgotten(shape: Path):
    async with upgraded(shape) as here:
        own = await caller_documents(here.store, PATHS, BUSINESS, CALLER)
        # The bookings, which versions have kept of the caller's number from the first one on.
        assert any("/bookings/" in document.path for document in own)
        forgotten = await forget_caller(here.store, PATHS, BUSINESS, CALLER, now=here.clock.now())
        assert forgotten.cleared and not forgotten.left
        again = await forget_caller(here.store, PATHS, BUSINESS, CALLER, now=here.clock.now())
        assert again.found == 0
        texts = [json.dumps(document.data, default=str) for document in await here.documents()]
        assert not any(CALLER in text for text in texts)


@every_shape
async def test_everything_is_exported_and_a_business_deleted(shape: Path):
    async with upgraded(shape) as here:
        exported = [document.path async for document, _ in backup.exported(here.store, PATHS, BUSINESS)]
        assert len(exported) > 50
        await forget_business(here.store, PATHS, BUSINESS)
        assert not [d.path for d in await here.documents() if d.path.startswith(f"businesses/{BUSINESS}")]


DAMAGED: tuple[Any, ...] = (None, 5, "x", [], ["x"], {}, {"a": 1}, True)


async def _damaged(here: Upgraded) -> list[str]:
    """Write a row of the newest shape once for each field and each thing that may stand there in its stead."""
    row = next(row for row in rows(await here.documents()) if row.path.endswith("/old-1/calls/c3"))
    paths = []
    for name in row.data:
        for number, value in enumerate((*DAMAGED, "left out")):
            data = {**row.data, name: value, "state": row.data["state"] if name != "state" else value}
            if value == "left out":
                del data[name]
            paths.append(f"{row.path}-{name}-{number}")
            await here.store.commit([Set(paths[-1], data)])
    for number, answer in enumerate(("{", "[]", "5", "{}", '{"ok": true}', '{"ok": false, "error": {}}')):
        paths.append(f"{row.path}-answer-{number}")
        await here.store.commit([Set(paths[-1], row.data | {"response": answer})])
    return paths


@pytest.mark.requirement("004-741")
async def test_a_row_that_cannot_be_read_is_told_and_breaks_nothing_else():
    """Whatever stands in it: owners are told of it in sentences, and its session's other calls beside it."""
    async with upgraded(SHAPES[-1]) as here:
        for path in await _damaged(here):
            call = path.rpartition("/")[2]
            for address in (
                f"/admin/explain?businessId={BUSINESS}&session={SESSION}&call={call}",
                f"/admin/businesses/{BUSINESS}/sessions/{SESSION}/calls?limit=100",
            ):
                answer = await here.http.get(address)
                assert answer.status_code == 200, (address, answer.text[:300])
        listed = await here.http.get(f"/admin/explain?businessId={BUSINESS}&session={SESSION}")
        assert listed.status_code == 200


@pytest.mark.requirement("004-741")
async def test_a_row_that_cannot_be_carried_out_is_given_up_and_not_tried_for_ever():
    """Whatever is missing in it; those of others that stand beside it are brought to their ends."""
    async with upgraded(SHAPES[-1]) as here:
        sound = next(row for row in rows(await here.documents()) if row.data.get("state") == "started")
        broken = []
        # By these it is found at all.
        for name in sound.data.keys() - {"state", "leaseUntil", "dueAt", "shard"}:
            for number, value in enumerate((*DAMAGED, "left out")):
                data = {**sound.data, name: value}
                if value == "left out":
                    del data[name]
                broken.append(f"{sound.path}-{name}-{number}")
                await here.store.commit([Set(broken[-1], data)])
        answered = f"{sound.path}-answered"
        elsewhere = "crm/c/calls/1"
        await here.store.commit(
            [Set(answered, sound.data | {"response": '{"ok": 1}'}), Set(elsewhere, dict(sound.data))]
        )
        for _ in range(40):
            await here.house.passes["reap"](None)
            here.clock.at += timedelta(minutes=15)
        assert (await here.house.passes["reap"](None)) == {"recovered": 0}
        for path in (*broken, answered, elsewhere):
            (row,) = await here.store.get_many([path])
            assert row is not None and row.data["state"] != "started", path
