"""Two owners, one document: nothing is overwritten unseen, everything is on record, and everything can be undone."""

import asyncio
from datetime import UTC, datetime

import pytest

from switchboard.admin.access.access import OwnerIdentity, Permit
from switchboard.admin.access.refusal import Forbidden
from switchboard.admin.access.roles import Operation, Role
from switchboard.admin.audit import entry as audit_entry
from switchboard.admin.audit.document_kind import DocumentKind
from switchboard.admin.documents.redaction import HIDDEN, without_secrets
from switchboard.admin.undo.undoing import Audit
from switchboard.contract.store import Set, Unavailable, Update
from switchboard.state.memory.store import MemoryStore
from tests.admin.owners_office import OWN, PATHS, Premises
from tests.admin.small_seeds import WatchedStore
from tests.each import each

HOURS = {"workingHours": {"monday": [{"open": "10:00", "close": "12:00"}]}}


@pytest.fixture
def memory() -> WatchedStore:
    """A store in memory that can be stopped in the middle."""
    return WatchedStore(MemoryStore())


async def test_the_second_of_two_owners_gets_a_clear_conflict_with_both_versions(premises: Premises):
    """412: what is there now, what theirs would have been, where they differ, and who was first."""
    read = (await premises.business())["revision"]
    assert (await premises.patch({"name": "First Salon"}, "editor", read)).status_code == 200
    answer = await premises.patch({"name": "Second Salon", "industry": "nails"}, "owner", read)
    assert answer.status_code == 412
    error = answer.json()["error"]
    conflict = error["conflict"]
    assert (error["type"], conflict["changedBy"]) == ("CONFLICT", "editor@example.com")
    assert (conflict["current"]["name"], conflict["yours"]["name"]) == ("First Salon", "Second Salon")
    assert conflict["differences"] == [
        {"field": "name", "current": "First Salon", "yours": "Second Salon"},
        {"field": "industry", "current": "hair salon", "yours": "nails"},
    ]
    assert answer.headers["etag"] == f'"{conflict["revision"]}"'
    assert (await premises.business())["business"]["name"] == "First Salon"
    # Seen, and saved again on top of it.
    assert (await premises.patch({"name": "Second Salon"}, "owner", conflict["revision"])).status_code == 200


async def test_of_many_who_save_at_once_one_succeeds(premises: Premises):
    """The others are told, each with the version that won; the audit has one entry."""
    read = (await premises.business())["revision"]
    answers = await asyncio.gather(*(premises.patch({"name": f"Salon {n}"}, "owner", read) for n in range(6)))
    assert sorted(answer.status_code for answer in answers) == [200, *[412] * 5]
    winner = next(a.json()["business"]["name"] for a in answers if a.status_code == 200)
    assert (await premises.business())["business"]["name"] == winner
    assert {a.json()["error"]["conflict"]["current"]["name"] for a in answers if a.status_code == 412} == {winner}
    assert len(await premises.audit()) == 1


@pytest.mark.parametrize("based_on", ["", "*"])
async def test_a_write_must_say_what_it_is_based_on(premises: Premises, based_on: str):
    """428; any version is no version."""
    headers = {"If-Match": based_on} if based_on else {}
    answer = await premises.ask("PATCH", f"/admin/businesses/{OWN}", json={"name": "x"}, headers=headers)
    assert answer.status_code == 428
    assert "If-Match" in answer.json()["error"]["message"]
    assert await premises.audit() == []


async def test_the_revision_may_stand_in_the_body(premises: Premises):
    """Where a header cannot be set; two that differ are refused."""
    read = (await premises.business())["revision"]
    path = f"/admin/businesses/{OWN}"
    both = await premises.ask("PATCH", path, json={"name": "x", "revision": "other"}, revision=read)
    assert (both.status_code, both.json()["error"]["field"]) == (400, "revision")
    assert (await premises.ask("PATCH", path, json={"name": "x", "revision": 7})).status_code == 400
    answer = await premises.ask("PATCH", path, json={"name": "New", "revision": read})
    assert answer.status_code == 200
    assert answer.headers["etag"] == f'"{answer.json()["revision"]}"'


async def test_what_the_system_notes_makes_no_form_out_of_date(premises: Premises):
    """A calendar that lost its permission meanwhile is not something the owner has edited."""
    read = (await premises.business())["revision"]
    noted = {"integrations": {"googleCalendar": {"isConnected": True, "needsReauth": True}}}
    await premises.store.commit([Set(PATHS.within(OWN).business, noted, merge=True)])
    answer = await premises.patch({"name": "New"}, "owner", read)
    assert answer.status_code == 200
    assert answer.json()["integrations"]["googleCalendar"] == noted["integrations"]["googleCalendar"]


async def test_a_change_and_its_audit_entry_are_one_commit(local: Premises):
    """Killed before it: neither. The entry says who, what, before → after and when."""
    store = local.store
    assert isinstance(store, WatchedStore)
    store.kill_at, store.failure = store.commits + 1, lambda: Unavailable("gone")
    assert (await local.patch({"name": "New"})).status_code == 503
    assert (await local.audit(), (await local.business())["business"]["name"]) == ([], "Maple Street Hair Studio")
    store.kill_at = 0
    answer = await local.patch({"name": "New"})
    [entry] = await local.audit()
    assert answer.headers["audit-entry"] == entry["id"]
    assert entry["who"] == {"id": "user:owner", "name": "owner@example.com", "role": "owner"}
    assert (entry["kind"], entry["document"], entry["deed"]) == ("business", OWN, "changed")
    assert (entry["before"], entry["after"]) == ({"name": "Maple Street Hair Studio"}, {"name": "New"})
    assert entry["at"] is not None and (entry["expireAt"] - local.clock.now()).days == 400


async def test_a_commit_that_did_not_answer_is_looked_up(local: Premises):
    """It had happened, so it is told as done, and done once."""
    store = local.store
    assert isinstance(store, WatchedStore)
    store.kill_at, store.kill_after, store.failure = store.commits + 1, True, lambda: Unavailable("gone")
    answer = await local.patch({"name": "New"})
    assert (answer.status_code, answer.json()["business"]["name"]) == (200, "New")
    assert len(await local.audit()) == 1
    assert local.forgotten == [OWN]


async def test_saving_what_is_there_already_changes_nothing(premises: Premises):
    """Neither the revision nor the audit."""
    before = await premises.business()
    answer = await premises.patch({"name": before["business"]["name"]})
    assert (answer.status_code, answer.json()["revision"]) == (200, before["revision"])
    assert "audit-entry" not in answer.headers
    assert await premises.audit() == []


async def undo(premises: Premises, entry_id: str, person: str = "owner", revision: str | None = None):
    path = f"/admin/businesses/{OWN}/audit/{entry_id}"
    looked = await premises.ask("GET", path, "owner")
    assert looked.status_code == 200, looked.text
    based_on = looked.json()["revision"] if revision is None else revision
    return await premises.ask("POST", f"{path}/undo", person, revision=based_on)


async def test_a_change_is_undone_and_the_undoing_too(premises: Premises):
    """What was there before comes back, later changes of other fields stay, and each step is an entry."""
    await premises.patch(HOURS | {"industry": "barber"})
    await premises.patch({"name": "Later"})
    first = (await premises.audit())[0]
    answer = await undo(premises, first["id"])
    assert answer.status_code == 200, answer.text
    business = (await premises.business())["business"]
    assert (business["industry"], business["name"]) == ("hair salon", "Later")
    assert "monday" not in business["workingHours"]
    undoing = (await premises.audit())[-1]
    assert (undoing["undoes"], undoing["id"]) == (first["id"], answer.json()["entryId"])
    assert (await undo(premises, undoing["id"])).status_code == 200
    assert (await premises.business())["business"]["industry"] == "barber"


async def test_what_was_changed_again_since_is_not_undone(premises: Premises):
    """412 with both versions; nothing is written."""
    await premises.patch({"name": "One"})
    await premises.patch({"name": "Two"})
    answer = await undo(premises, (await premises.audit())[0]["id"])
    assert answer.status_code == 412
    conflict = answer.json()["error"]["conflict"]
    assert (conflict["current"]["name"], conflict["yours"]["name"]) == ("Two", "Maple Street Hair Studio")
    assert len(await premises.audit()) == 2


async def test_an_undo_is_a_revisioned_write(premises: Premises):
    """Without a revision 428, with an old one 412."""
    read = (await premises.business())["revision"]
    await premises.patch({"name": "One"})
    [entry] = await premises.audit()
    path = f"/admin/businesses/{OWN}/audit/{entry['id']}/undo"
    assert (await premises.ask("POST", path)).status_code == 428
    assert (await premises.ask("POST", path, revision=read)).status_code == 412
    assert (await premises.ask("POST", f"{path[:-5]}x/undo", revision=read)).status_code == 404
    assert (await premises.ask("POST", path, json={"force": True}, revision=read)).status_code == 400


async def test_an_editor_cannot_undo_what_only_an_owner_may_do(premises: Premises):
    """Lowering the verification level by the back door."""
    await premises.patch({"ai": {"callerVerification": "code"}})
    [entry] = await premises.audit()
    assert (await undo(premises, entry["id"], "editor")).status_code == 403
    assert (await premises.business())["business"]["ai"]["callerVerification"] == "code"
    assert (await undo(premises, entry["id"])).status_code == 200


async def test_what_a_role_may_not_do_it_cannot_do_by_undoing(local: Premises):
    """Whatever was done: an owner's creation, change or removal of what is not for editors."""
    kind = DocumentKind(
        "webhook", Operation.CONNECT, lambda paths, id: paths.document("tools", id), lambda new, old: ()
    )
    audit = Audit(local.store, PATHS, local.office.revisions, {"webhook": kind})
    owner, editor = (
        Permit(OwnerIdentity(f"user:{role.value}", role.value, {OWN: role}), OWN, role)
        for role in (Role.OWNER, Role.EDITOR)
    )
    made = await local.office.revisions.create(owner, kind, "w1", {"url": "a"})
    local.clock.wait(1)
    with pytest.raises(Forbidden):
        await audit.undo(editor, str(made.entry_id), made.revision)
    changed = await local.office.revisions.change(owner, kind, "w1", made.revision, lambda now: {"url": "b"})
    local.clock.wait(1)
    with pytest.raises(Forbidden):
        await audit.undo(editor, str(changed.entry_id), changed.revision)
    removed = await local.office.revisions.delete(owner, kind, "w1", changed.revision)
    with pytest.raises(Forbidden):
        await audit.undo(editor, str(removed.entry_id), removed.revision)
    assert (await audit.undo(owner, str(removed.entry_id), removed.revision)).revision == changed.revision


@each(
    "secret",
    [
        {"authToken": "canary"},
        {"clientSecret": "canary"},
        {"x-api-key": "canary"},
        {"password": "canary"},
        {"headers": {"Authorization": "canary"}},
        {"nested": [{"refreshToken": "canary"}]},
        {"hash": "canary"},
        {"note": "Bearer canary0123456789012345"},
        {"url": "https://user:canary@example.com"},
        {"note": "-----BEGIN PRIVATE KEY----- canary"},
        {"key": b"canary"},
    ],
)
def test_secrets_are_taken_out_by_name_and_by_look(secret):
    """Whatever they are called, however deep."""
    assert "canary" not in str(without_secrets(secret))


@pytest.mark.parametrize(
    "plain",
    [
        {"secret": "crm", "prefix": "Bearer "},
        {"content": "Our basic haircut packages need no password."},
        {"topic": "tokens", "maxTokens": 5, "isConnected": True, "monkey": "x", "empty": None},
        {"website": "https://example.com/a:b@c"},
    ],
)
def test_what_only_sounds_like_a_secret_stays(plain):
    """Names of stored secrets, sentences, numbers."""
    assert without_secrets(plain) == plain


async def test_no_secret_reaches_the_audit_or_an_answer(premises: Premises):
    """An owner pasted one where it does not belong; what it replaced cannot be undone, and the owner is told why."""
    token = "Bearer canary0123456789012345"
    await premises.store.commit([Update(PATHS.within(OWN).business, {"ai": {"tone": token}})])
    answer = await premises.patch({"ai": {"tone": "warm"}})
    assert answer.status_code == 200
    [entry] = await premises.audit()
    assert entry["before"]["ai"] == {"tone": HIDDEN}
    listed = await premises.ask("GET", f"/admin/businesses/{OWN}/audit")
    assert "canary" not in str(await premises.audit()) + listed.text + answer.text
    undone = await undo(premises, entry["id"])
    assert (undone.status_code, "secret" in undone.json()["error"]["message"]) == (409, True)


async def test_the_audit_is_listed_newest_first_in_pages(premises: Premises):
    """By kind and document too."""
    for n in range(5):
        await premises.patch({"name": f"Salon {n}"})
    path = f"/admin/businesses/{OWN}/audit"
    seen, cursor = [], None
    for _ in range(3):
        query = {"limit": "2", "kind": "business"} | ({"cursor": cursor} if cursor else {})
        body = (await premises.ask("GET", path, params=query)).json()
        seen += [entry["after"]["name"] for entry in body["entries"]]
        cursor = body["nextCursor"]
    assert seen == [f"Salon {n}" for n in (4, 3, 2, 1, 0)]
    assert cursor is None
    assert (await premises.ask("GET", path, params={"kind": "policies"})).json()["entries"] == []
    assert (await premises.ask("GET", path, params={"cursor": "nonsense"})).status_code == 400


def test_entries_of_one_millisecond_stand_in_the_order_in_which_they_were_made():
    """Their dates are the same, and a list of them is ordered by date, then by id."""
    now = datetime(2026, 11, 24, 5, 0, tzinfo=UTC)
    ids = [audit_entry.new_id(now) for _ in range(2_000)]
    assert ids == sorted(set(ids))
    assert {len(id) for id in ids} == {22}
