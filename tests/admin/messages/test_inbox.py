"""Messages of callers as the business works through them: listed, called back, done, and put back."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from switchboard.contract.store import Set
from tests.admin.whole_house import BUSINESS, WITHIN, Owner, opened

MESSAGES = f"{BUSINESS}/messages"
NOW = datetime.now(UTC).replace(microsecond=0)

pytestmark = pytest.mark.requirement("004-650")


@pytest.fixture
async def owner() -> AsyncIterator[Owner]:
    """The salon's, for whom three messages were left, the last of them the most urgent."""
    async with opened() as found:
        for number, name in enumerate(("Anna Whitfield", "Jürgen Müller", "Miguel Santos")):
            fields = {
                "kind": "message",
                "state": "sent",
                "callerName": name,
                "callbackPhone": f"+1518555016{number}",
                "text": f"Please call me about the {('color', 'bill', 'vest')[number]}.",
                "createdAt": NOW - timedelta(hours=3 - number),
                "sessionId": f"CA{number}",
                "callId": f"ia{number}",
                **({"urgency": "urgent"} if number == 2 else {}),
            }
            await found.house.store.commit([Set(WITHIN.document("outbox", f"msg_{number}"), fields)])
        text = {"kind": "text", "state": "sent", "createdAt": NOW, "to": "+15185550160", "body": "Hello"}
        await found.house.store.commit([Set(WITHIN.document("outbox", "sms_1"), text)])
        yield found


async def listed(owner: Owner, query: str = "") -> list[dict[str, Any]]:
    """Return what is listed."""
    rows: list[dict[str, Any]] = (await owner.done("GET", f"{MESSAGES}?{query}"))["messages"]
    return rows


async def test_messages_are_listed_with_who_left_them_and_in_which_conversation(owner: Owner):
    """The newest first; texts that were sent are none."""
    rows = await listed(owner)
    assert [row["caller"] for row in rows] == ["Miguel Santos", "Jürgen Müller", "Anna Whitfield"]
    assert (rows[0]["isUrgent"], rows[0]["sessionId"], rows[0]["interactionId"]) == (True, "CA2", "ia2")
    assert (await owner.send("GET", f"{MESSAGES}/sms_1")).status_code == 404


async def test_a_message_is_found_by_its_words_its_name_and_its_number(owner: Owner):
    """In any case, and as the number is written."""
    for words in ("the BILL", "müller", "518 555 0161"):
        assert [row["caller"] for row in await listed(owner, f"text={words}")] == ["Jürgen Müller"], words


async def test_a_message_is_called_back_and_done_and_that_is_undone(owner: Owner):
    """Who did it is told; what was done leaves the inbox, and comes back."""
    path = f"{MESSAGES}/msg_1"
    first = await owner.done("PATCH", path, {"calledBack": True, "note": "  Nobody there. "})
    assert (first["calledBackAt"] is None, first["note"], first["done"]) == (False, "Nobody there.", False)
    done = await owner.done("PATCH", path, {"done": True})
    assert (done["done"], done["handledBy"], done["note"]) == (True, "platform@example.com", "Nobody there.")
    assert [row["id"] for row in await listed(owner)] == ["msg_2", "msg_0"]
    assert [row["id"] for row in await listed(owner, "show=done")] == ["msg_1"]
    assert len(await listed(owner, "show=all")) == 3
    assert (await owner.undo(await owner.last())).status_code == 200
    assert len(await listed(owner)) == 3


async def test_two_who_handle_one_message_see_each_other(owner: Owner):
    """And a body that says nothing changes nothing."""
    path = f"{MESSAGES}/msg_1"
    revision = await owner.revision(path)
    assert (await owner.send("PATCH", path, {"done": True}, revision)).status_code == 200
    late = await owner.send("PATCH", path, {"note": "Mine"}, revision, by="owner")
    assert (late.status_code, late.json()["error"]["conflict"]["changedBy"]) == (412, "platform@example.com")
    empty = await owner.send("PATCH", path, {}, await owner.revision(path))
    assert (empty.status_code, empty.json()["done"]) == (200, True)
    assert (await owner.send("PATCH", path, {"done": True}, revision, by="viewer")).status_code == 403
