"""What an earlier version has stored, restored from a backup and used by this one.

`data_of_before.jsonl` was written by the version of 24 November 2026: two bookings, a message, a question that waits
for its yes, a text that its process did not live to send, a tool of the owner's, attached to an agent.
"""

import json
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx2 as httpx
import pytest

from drills import premises as drilled
from drills.own_house import CALLER, KEY, OWNER_TOKEN, SALON, TWILIO_TOKEN, DrilledHouse
from stand_ins.twilio.account import Account
from stand_ins.twilio.app import TwilioStandIn
from switchboard.admin.maintenance import backup
from switchboard.app.clients import SystemClock
from switchboard.app.container import Container
from switchboard.app.settings import read_configuration
from switchboard.contract.store import Query
from switchboard.state.memory.store import MemoryStore
from switchboard.state.paths import FirestorePaths

pytestmark = pytest.mark.requirement("004-474")
PATHS = FirestorePaths()
BACKUP = Path(__file__).with_name("data_of_before.jsonl")
WRITTEN = datetime(2026, 11, 28, 7, 50, 24, tzinfo=UTC)
ACCOUNT_SID = "AC0d1e0000000000000000000000005a10"
SESSION, BOOKED, TO_CANCEL = "old-1", "bk_4dreat6q5tll3b6gbmgs", "bk_712ns2d227ird8baodql"


class ClockOfThen:
    """Stands in the minute after the backup, which is as far as the question waits."""

    def __init__(self) -> None:
        self.at = WRITTEN + timedelta(seconds=45)

    def now(self) -> datetime:
        return self.at

    def monotonic(self) -> float:
        return SystemClock().monotonic()


@dataclass
class Restored:
    """A house of this version over that data, and somebody who asks it."""

    house: Container
    http: httpx.AsyncClient
    twilio: TwilioStandIn
    clock: ClockOfThen
    calls: int = 0

    async def call(self, name: str, args: dict[str, Any], turn: int, call_id: str = "", session: str = SESSION) -> Any:
        """Have a tool called in a conversation that was begun before."""
        self.calls += 1
        facts = {"channel": "phone", "sessionId": session, "turn": turn, "callerPhone": CALLER}
        facts["callId"] = call_id or f"n{self.calls}"
        return await self.ask(
            "POST", "/tools/execute", {"businessId": SALON, "name": name, "args": args, "context": facts}
        )

    async def ask(self, method: str, path: str, body: Any = None, key: str = KEY) -> Any:
        """Send a request, and return what is answered."""
        answer = await self.http.request(method, path, json=body, headers={"Authorization": f"Bearer {key}"})
        return answer.json()

    async def stored(self, path: str) -> dict[str, Any]:
        """Return a document below the business."""
        found = await self.house.store.get(f"businesses/{SALON}/{path}")
        assert found is not None, path
        return dict(found.data)


@pytest.fixture
async def restored(serve: Callable[[Any], str]) -> AsyncIterator[Restored]:
    """The backup in an empty store; its keys are known by their hashes."""
    store, lines, twilio, clock = (
        MemoryStore(),
        BACKUP.read_text().splitlines(),
        TwilioStandIn(Account(ACCOUNT_SID, TWILIO_TOKEN)),
        ClockOfThen(),
    )
    heading = backup.read_heading(lines[0])
    done = await backup.restore(store, PATHS, heading, lambda: backup.documents_in(heading, lines[1:]))
    assert (done.new, done.kept) == (len(lines) - 2, 0)
    environ = {
        "SWITCHBOARD_PUBLIC_URL": "https://my-project.web.app",
        "SWITCHBOARD_SECRETS_KEY": drilled.SECRETS_KEY,
        "SWITCHBOARD_EMBEDDINGS": "none",
        "SWITCHBOARD_TWILIO_BASE_URL": serve(twilio.app),
    }
    house = DrilledHouse(read_configuration(environ), store, None, clock)  # type: ignore[arg-type]
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app=house.app), base_url="http://127.0.0.1") as http:
        yield Restored(house, http, twilio, clock)
    await house.close()


async def test_a_conversation_of_before_goes_on_with_what_it_was_told_and_did(restored: Restored):
    """With the tools as they were then; what was done is told and not done again, under its own id or another."""
    listed = await restored.ask(
        "GET", f"/tools/definitions?businessId={SALON}&channel=phone&sessionId={SESSION}&callerPhone=%2B15185550171"
    )
    assert listed["catalogVersion"] == "ebc464c70a4501c6" and len(listed["tools"]) > 20
    wish = {"service": "Haircut", "start_time": "2026-12-10T10:00:00", "customer_name": "Maria Ortiz"}
    wish["customer_phone"] = CALLER
    for call_id in ("c2", ""):
        again = await restored.call("book_appointment", wish, 2, call_id)
        assert (again["ok"], again["data"]["bookingId"]) == (True, BOOKED)
    bookings = await restored.house.store.query(Query(PATHS.within(SALON).collection("bookings")))
    assert {document.id for document in bookings} == {BOOKED, TO_CANCEL}


async def test_a_booking_of_before_holds_its_time(restored: Restored):
    wish = {"service": "Haircut", "start_time": "2026-12-10T10:00:00", "customer_name": "Tom Becker"}
    refused = await restored.call("book_appointment", wish, 1, session="new-1")
    assert refused["error"]["type"] == "CONFLICT"
    found = await restored.call("lookup_appointment", {}, 9)
    assert found["ok"] and BOOKED in json.dumps(found["data"])


async def test_a_question_of_before_is_answered_with_yes(restored: Restored):
    """The yes lets through what was asked about, and its time is free again."""
    facts = {"channel": "phone", "sessionId": SESSION, "turn": 9, "callId": "h", "callerPhone": CALLER}
    question = (await restored.stored(f"sessions/{SESSION}"))["proposal"]["readBack"]
    said = {"businessId": SALON, "context": facts, "heard": {"text": "yes"}, "asked": question}
    heard = await restored.ask("POST", "/tools/heard", said)
    assert heard["verdict"] == "approved", heard
    done = await restored.call("cancel_appointment", {"booking_id": TO_CANCEL}, 9)
    assert done["ok"], done
    assert (await restored.stored(f"bookings/{TO_CANCEL}"))["status"] == "cancelled"
    wish = {"service": "Haircut", "start_time": "2026-12-11T10:00:00", "customer_name": "Tom Becker"}
    assert (await restored.call("book_appointment", wish, 1, session="new-1"))["ok"]


async def test_a_call_whose_process_ended_before_the_upgrade_is_brought_to_its_end_after_it(restored: Restored):
    """Its ledger row tells what it was: the text is sent, once."""
    before = await restored.stored(f"sessions/{SESSION}/calls/c7")
    assert (before["tool"], before["state"]) == ("send_sms", "started")
    for _ in range(3):
        await restored.house.passes["reap"](None)
        await restored.house.passes["outbox"](None)
        restored.clock.at += timedelta(minutes=2)
    after = await restored.stored(f"sessions/{SESSION}/calls/c7")
    assert after["state"] not in ("started", "running"), after
    assert json.loads(after["response"])["ok"] is True, after["response"]
    texts = [one for one in restored.twilio.account.texts.values() if "Maple Street" in str(one)]
    assert len(texts) == 1


async def test_what_lay_in_the_outbox_without_an_end_gets_one(restored: Restored):
    """An older version wrote none; owners still find the message."""
    path = "outbox/msg_fd3qp6nm9e6m6h2ciuc9"
    assert "expireAt" not in await restored.stored(path)
    await restored.house.passes["outbox"](None)
    message = await restored.stored(path)
    assert message["expireAt"] > restored.clock.at + timedelta(days=7)
    assert message["text"] == "Please call me back about the color."


async def test_an_owner_s_tools_and_agents_of_before_are_offered(restored: Restored):
    """Attached as they were, readable in the owners' API, and known to conversations that were begun with them."""
    (tool,) = (await restored.ask("GET", f"/api/{SALON}/tools", key=OWNER_TOKEN))["tools"]
    assert (tool["name"], tool["type"]) == ("order_status", "api_request")
    (agent,) = (await restored.ask("GET", f"/admin/businesses/{SALON}/agents", key=OWNER_TOKEN))["agents"]
    assert (agent["id"], agent["isDefault"]) == ("reception", True)
    for session in ("old-2", "new-2"):
        listed = await restored.ask(
            "GET", f"/tools/definitions?businessId={SALON}&channel=phone&sessionId={session}&callerPhone=%2B15185550171"
        )
        assert "order_status" in {one["name"] for one in listed["tools"]}
