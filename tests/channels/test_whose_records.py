"""Whatever goes wrong while a business's callers are served, each record of it names the business and conversation."""

import asyncio
import io
import json
import logging
import re
import uuid
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest

from switchboard.app.container import build
from switchboard.app.logging import CloudLine
from switchboard.app.settings import read_configuration
from switchboard.channels.livekit.conversation import LiveKitConversation
from switchboard.channels.livekit.tools import LocalTools
from switchboard.channels.phone import webhook
from switchboard.channels.phone.webhook import in_time
from switchboard.contract.call import ToolCall
from switchboard.contract.context import BrowserVoiceContext
from switchboard.contract.observability.subject import About, Subjects, concerns
from switchboard.contract.store import Unavailable
from switchboard.state.memory.store import MemoryStore
from tests.channels.every_entrance import CALLER, ENTRANCES, SALON, SETTINGS, Entrance, Premises, opened

pytestmark = pytest.mark.requirement("004-830")
CHANNELS = ("tools", "phone", "portal", "browser_voice", "mcp")
NOBODYS = re.compile(r"(portal|browser_voice)/(page/\{name\})?$|mcp/\.well-known/")
MOST_QUESTIONS = 60
_SILENT = ("portal/stop",)
"""What asks the store for nothing once it is known who asks, and logs nothing."""
FAULTS = (Unavailable("away"), RuntimeError("nobody foresaw this"))


class Records(logging.StreamHandler[io.StringIO]):
    """What the house logs, as Cloud Logging gets it."""

    def __init__(self) -> None:
        super().__init__(io.StringIO())
        self.setFormatter(CloudLine("demo"))
        self.addFilter(Subjects())

    def taken(self) -> list[dict[str, Any]]:
        """Return what was logged since this was asked last."""
        lines = [json.loads(line) for line in self.stream.getvalue().splitlines()]
        self.stream.seek(0)
        self.stream.truncate()
        return lines


@pytest.fixture
def records() -> Iterator[Records]:
    """What is logged while the test runs."""
    handler, house = Records(), logging.getLogger("switchboard")
    level = house.level
    house.addHandler(handler)
    house.setLevel(logging.INFO)
    yield handler
    house.setLevel(level)
    house.removeHandler(handler)


@pytest.fixture
async def premises() -> Premises:
    """A house in which anything can fail."""
    return await opened()


def test_every_route_of_the_channels_is_walked() -> None:
    """A route that is added is one of a business, or named here as nobody's."""
    house = build(read_configuration(SETTINGS), MemoryStore())
    served = {f"{name}{route.path}" for name in CHANNELS for route in house.routes(name)}  # type: ignore[attr-defined]
    served |= {f"api{route.path}" for route in house.channel_app.vapi_routes()}  # type: ignore[attr-defined]
    assert {route for route in served if not NOBODYS.match(route)} == {entrance.route for entrance in ENTRANCES}


@pytest.mark.parametrize("entrance", ENTRANCES, ids=lambda entrance: entrance.route)
async def test_every_record_of_a_request_names_business_and_conversation(
    premises: Premises, records: Records, entrance: Entrance
) -> None:
    """The store fails at each question in turn, in a way that was foreseen and in one that was not."""
    # Once without a fault: whose a key or a number is is known from then on.
    await _enter(premises, entrance)
    records.taken()
    count = 0
    for fault in FAULTS:
        for questions in range(MOST_QUESTIONS):
            session = f"CA{uuid.uuid4().hex}"
            await entrance.begins(premises, session)
            records.taken()
            premises.store.break_down(fault, questions)
            await entrance.enter(premises, session)
            await premises.ended()
            premises.store.fault = None
            for record in records.taken():
                count += 1
                assert record.get("business") == SALON, record
                assert not entrance.has_session or record.get("session") == session, record
                assert CALLER not in json.dumps({key: value for key, value in record.items() if key != "pii"})
            if not premises.store.has_failed:
                break
        assert questions < MOST_QUESTIONS - 1
    assert count or entrance.route in _SILENT


async def _enter(premises: Premises, entrance: Entrance) -> None:
    session = f"CA{uuid.uuid4().hex}"
    await entrance.begins(premises, session)
    answer = await entrance.enter(premises, session)
    await premises.ended()
    assert answer is None or answer.status_code < 300, (answer.status_code, answer.text)


async def test_a_webhook_that_takes_too_long_says_whose_it_was(
    premises: Premises, records: Records, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is told by what waited for it, which did not itself find out whose it is."""
    incoming = next(entrance for entrance in ENTRANCES if entrance.route == "phone/status")
    await _enter(premises, incoming)
    records.taken()
    session, gate = f"CA{uuid.uuid4().hex}", asyncio.Event()
    premises.store.gate = gate
    monkeypatch.setattr(webhook, "in_time", lambda work, _, otherwise: in_time(work, 0.05, otherwise))
    await incoming.enter(premises, session)
    gate.set()
    await premises.ended()
    told = [record for record in records.taken() if record["message"] == "a webhook took too long"]
    assert [(record["business"], record["session"]) for record in told] == [(SALON, session)]


async def test_a_pass_that_a_service_asks_for_says_whose_work_it_does(premises: Premises, records: Records) -> None:
    """The key's business, of no conversation."""
    records.taken()
    await premises.http.post("/tasks/outbox", json={})
    premises.store.break_down(Unavailable("away"), 0)
    await premises.http.post("/tasks/outbox", json={})
    own = [record for record in records.taken() if "session" not in record]
    assert len(own) >= 2 and own[-1].get("business") == SALON


async def test_a_request_that_proves_nothing_is_nobodys(premises: Premises, records: Records) -> None:
    """What it claims to be about is not believed; and one request's business is not the next one's."""
    log = logging.getLogger("switchboard.channels")
    with About():
        concerns(SALON, "s1")
    body = {"businessId": SALON, "sessionId": "s2", "text": "Hello."}
    refused = await premises.http.post("/portal/chat", json=body, headers={"Authorization": "Bearer sb_nobody"})
    log.info("afterwards")
    assert refused.status_code == 401
    assert all("business" not in record and "session" not in record for record in records.taken())


@pytest.mark.parametrize("fault", FAULTS)
async def test_the_records_of_a_worker_s_conversation_say_whose_it_is(
    premises: Premises, records: Records, fault: Exception
) -> None:
    """A LiveKit worker is asked for nothing over HTTP: what it logs itself says whose it is all the same."""
    facts, house = BrowserVoiceContext(business_id=SALON, session_id="lk-1"), premises.house
    tools = LocalTools(house.catalog, house.dispatcher, house.approvals, house.clock, facts)
    services = next(tool for tool in await tools.offered() if tool.name == "get_business_services")

    async def ignored(_: Any) -> None:
        return None

    records.taken()
    conversation = LiveKitConversation(tools, ignored)
    premises.store.break_down(fault, 0)
    with suppress(RuntimeError):
        await conversation._hear("Yes.", 1, "Shall I?", None)
    await conversation._run(services, ToolCall("get_business_services", {}, "c1"))
    logged = records.taken()
    assert "tool called" in [record["message"] for record in logged]
    assert {(record.get("business"), record.get("session")) for record in logged} == {(SALON, "lk-1")}
