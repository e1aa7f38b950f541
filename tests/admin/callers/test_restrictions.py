"""Flags and blocks as owners see, add and lift them."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from switchboard.contract.caller.strangers import VOUCHED_FOR
from switchboard.contract.context import PhoneContext
from switchboard.contract.store import Set
from switchboard.pipeline.checks.session_active import blocked_until
from switchboard.state.paths import FirestorePaths
from tests.admin.owners_office import OWN
from tests.admin.whole_house import BUSINESS, WITHIN, Owner
from tests.each import each

NUMBER = "+12015550123"
PLACE = f"{BUSINESS}/restrictions"
WHY = "Shouted."
WHEN_BLOCKS_ARE_OVER = datetime(2099, 1, 1, tzinfo=UTC)


async def rows(owner: Owner) -> list[dict[str, Any]]:
    found = await owner.done("GET", PLACE)
    assert found["isWhole"]
    listed: list[dict[str, Any]] = found["restrictions"]
    return listed


async def turned_away(owner: Owner, session_id: str = "CA1", number: str = NUMBER) -> tuple[bool, bool]:
    """Tell whether a call is flagged, and whether it gets no conversation."""
    desk, facts = (
        owner.house.desk,
        PhoneContext(business_id=OWN, session_id=session_id, turn=1, caller_phone=number, attestation=VOUCHED_FOR),
    )
    until = blocked_until(await owner.house.store.get(WITHIN.document("sessions", session_id)))
    is_blocked = await desk.moderation.is_blocked(FirestorePaths(), owner.house.clock, facts, until)
    return (await desk.moderation.turned_away(WITHIN, facts, WHEN_BLOCKS_ARE_OVER), is_blocked)


@pytest.mark.requirement("004-920")
async def test_what_stands_against_a_further_number_stands_against_the_customer(owner: Owner):
    """All of their numbers are listed with it, for whoever asks before a conversation begins."""
    numbers = {"phone": "+12015550171", "otherPhones": [NUMBER]}
    made = await owner.done(
        "POST", f"{PLACE.removesuffix('/restrictions')}/customers", {"name": "Mary Merge", **numbers}
    )
    await owner.done("POST", PLACE, {"phone": NUMBER, "reason": WHY})
    (row,) = await rows(owner)
    assert (row["id"], row["phone"], row["otherPhones"]) == (made["id"], "+12015550171", [NUMBER])
    assert (await turned_away(owner))[0] and (await turned_away(owner, "CA2", "+12015550171"))[0]


@pytest.mark.requirement("004-111")
async def test_an_owner_flags_and_blocks_a_number_and_lifts_both(owner: Owner):
    """It holds at once, it is listed with who did it, and it is gone at once."""
    until = owner.house.clock.now() + timedelta(days=30)
    given = {"phone": "(201) 555-0123", "reason": f" {WHY}\n", "flag": True, "blockedUntil": until.isoformat()}
    await owner.done("POST", PLACE, given)
    assert await turned_away(owner) == (True, True)
    (row,) = await rows(owner)
    assert (row["phone"], row["flagged"], row["flagReason"], row["blockReason"], row["binds"]) == (
        *(NUMBER, True, WHY, WHY, True),
    )
    assert row["changedBy"]
    path = f"{PLACE}/callers/{row['id']}"
    assert (await owner.send("DELETE", path, None, row["revision"])).json() == {"lifted": True}
    assert (await turned_away(owner), await rows(owner)) == ((False, False), [])
    assert (await owner.send("GET", path)).status_code == 404
    assert (await owner.undo(await owner.last())).status_code == 200
    assert await turned_away(owner) == (True, True)


@pytest.mark.requirement("004-111")
async def test_everybody_of_a_number_is_bound_and_their_records_stay(owner: Owner):
    """A family shares a telephone; what else is known of them is not touched."""
    people = {id: {"name": id, "phone": "+1 201-555-0123"} for id in ("tom", "lily")}
    await owner.house.store.commit([Set(WITHIN.document("callers", id), data) for id, data in people.items()])
    await owner.done("POST", PLACE, {"phone": NUMBER, "reason": WHY})
    assert {row["id"] for row in await rows(owner)} == {"tom", "lily"}
    for row in await rows(owner):
        await owner.send("DELETE", f"{PLACE}/callers/{row['id']}", None, row["revision"])
    assert await turned_away(owner) == (False, False)
    for id, data in people.items():
        kept = await owner.house.store.get(WITHIN.document("callers", id))
        assert kept is not None and data.items() <= kept.data.items() and "flagged" not in kept.data


@pytest.mark.requirement("004-111")
async def test_what_a_call_decided_is_lifted_where_it_was_decided_too(owner: Owner):
    """Otherwise the same conversation, going on in the portal, stays turned away."""
    now = owner.house.clock.now()
    block = {"blockedUntil": now + timedelta(hours=1), "blockReason": WHY, "blockedAt": now}
    flag = {"flagged": True, "flagReason": WHY, "flaggedAt": now}
    place = {"sessionId": "CA 1/2", "attestation": VOUCHED_FOR}
    record = {"phone": NUMBER, **flag, **block, "flaggedIn": place, "blockedIn": place}
    session = {"channel": "phone", **flag, "ignoredUntil": now + timedelta(hours=1), "ignoreReason": WHY}
    await owner.house.store.commit(
        [Set(WITHIN.document("callers", "c"), record), Set(WITHIN.document("sessions", "CA 1/2"), session)]
    )
    assert await turned_away(owner, "CA 1/2") == (True, True)
    (row,) = [row for row in await rows(owner) if row["place"] == "callers"]
    assert (await owner.send("DELETE", f"{PLACE}/callers/c", None, row["revision"])).status_code == 200
    assert (await turned_away(owner, "CA 1/2"), await rows(owner)) == ((False, False), [])
    kept = await owner.house.store.get(WITHIN.document("sessions", "CA 1/2"))
    assert kept is not None and kept.data == {"channel": "phone"}


@pytest.mark.requirement("004-111")
@pytest.mark.parametrize("session_id", ["web_abc", "with a / in it"])
async def test_what_binds_a_conversation_alone_is_seen_and_lifted(owner: Owner, session_id: str):
    """Whatever its id is made of."""
    until = owner.house.clock.now() + timedelta(days=7)
    fields = {"ignoredUntil": until, "ignoreReason": WHY, "flagged": True}
    await owner.house.store.commit([Set(WITHIN.document("sessions", session_id), fields)])
    assert await turned_away(owner, session_id, "") == (True, True)
    (row,) = await rows(owner)
    assert (row["place"], row["phone"], row["blockReason"]) == ("sessions", None, WHY)
    path = f"{PLACE}/sessions/{row['id']}"
    assert (await owner.send("DELETE", path, None, row["revision"])).status_code == 200
    assert await turned_away(owner, session_id, "") == (False, False)


@pytest.mark.requirement("004-111")
@each(
    ("given", "fields"),
    [
        ({}, {"phone", "reason"}),
        ({"phone": 5, "reason": 5, "flag": 1, "blockedUntil": 5}, {"phone", "reason", "flag", "blockedUntil"}),
        ({"phone": "12", "reason": WHY}, {"phone"}),
        ({"phone": NUMBER, "reason": " \n"}, {"reason"}),
        ({"phone": NUMBER, "reason": "x" * 501}, {"reason"}),
        ({"phone": NUMBER, "reason": WHY, "flag": False}, {"flag"}),
        ({"phone": NUMBER, "reason": WHY, "blockedUntil": "2020-01-01T00:00:00Z"}, {"blockedUntil"}),
        ({"phone": NUMBER, "reason": WHY, "blockedUntil": "2099-01-01T00:00:00Z"}, {"blockedUntil"}),
        ({"phone": NUMBER, "reason": WHY, "blockedUntil": "2026-01-01"}, {"blockedUntil"}),
        ({"phone": NUMBER, "reason": WHY, "minutes": 5}, {"minutes"}),
    ],
)
async def test_what_cannot_be_is_refused_with_all_that_is_wrong(owner: Owner, given: Any, fields: set[str]):
    """And nothing is written."""
    answer = await owner.send("POST", PLACE, given)
    assert answer.status_code == 400
    assert {problem["field"] for problem in answer.json()["error"]["problems"]} == fields
    assert (await rows(owner), await owner.audit()) == ([], {})


@pytest.mark.requirement("004-111")
async def test_a_flag_of_a_forged_call_is_seen_to_bind_nobody(owner: Owner):
    """It stands in records of earlier days; an owner can take it out."""
    flag = {"phone": NUMBER, "flagged": True, "flaggedIn": {"sessionId": "gone", "attestation": None}}
    await owner.house.store.commit([Set(WITHIN.document("callers", "c"), flag)])
    (row,) = await rows(owner)
    assert (row["flagged"], row["binds"]) == (True, False)
    assert (await owner.send("DELETE", f"{PLACE}/callers/c", None, row["revision"])).status_code == 200
    assert await rows(owner) == []


@pytest.mark.requirement("004-111")
@each(("by", "status"), [("viewer", 403), ("editor", 403), ("owner", 201)])
async def test_only_an_owner_decides_whom_the_business_turns_away(owner: Owner, by: str, status: int):
    """Whoever sees conversations sees who is turned away."""
    given = {"phone": NUMBER, "reason": WHY}
    assert (await owner.send("POST", PLACE, given, by=by)).status_code == status
    assert (await owner.send("GET", PLACE, by=by)).status_code == 200
