"""Forged and withheld numbers over HTTP, as a service that carries phone calls sends them."""

import copy
import itertools
import uuid
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx2 as httpx
import pytest

from operations import seeding
from switchboard.admin.credentials import api_keys
from switchboard.app.container import build
from switchboard.app.settings import read_configuration
from switchboard.contract.business.working_hours import WEEKDAYS
from switchboard.contract.policy import STRANGERS, Thing
from switchboard.contract.store import Update
from switchboard.state.memory.store import MemoryStore
from switchboard.state.paths import FirestorePaths

SEEDS = Path(__file__).parents[2] / "seeds"
PATHS = FirestorePaths()
KEY, SALON = "sb_salon", "demo-salon"
MINE = "+15185558555"
ACTIONS, OPEN = STRANGERS[Thing.ACTIONS], STRANGERS[Thing.OPEN_BOOKINGS]

_SEEDED: list[MemoryStore] = []


class Service:
    """Has calls executed, one a turn."""

    def __init__(self, http: httpx.AsyncClient) -> None:
        self._http, self._turns = http, itertools.count(1)

    async def call(self, name: str, args: dict[str, Any], **context: Any) -> dict[str, Any]:
        """Return the envelope."""
        known = {"channel": "phone", "callId": uuid.uuid4().hex, "turn": next(self._turns)} | context
        body = {"businessId": SALON, "name": name, "args": args, "context": known}
        return dict((await self._http.post("/tools/execute", json=body)).json())

    async def hear(self, text: str, asked: str, **context: Any) -> int:
        """Report what the caller said; return the turn in which they did, for the call that follows in it."""
        known = {"channel": "phone", "turn": next(self._turns)} | context
        body = {"businessId": SALON, "context": known, "heard": {"text": text}, "asked": asked}
        assert (await self._http.post("/tools/heard", json=body)).status_code == 200
        return int(known["turn"])


@pytest.fixture
async def service():
    """A service of a salon that is always open."""
    if not _SEEDED:
        seeded = MemoryStore()
        await seeding.seed(seeded, PATHS, SEEDS, out=lambda *_: None, now=datetime.now(UTC))
        always = {day: [{"open": "00:00", "close": "24:00"}] for day in WEEKDAYS}
        await seeded.commit([Update(PATHS.within(SALON).business, {"workingHours": always})])
        _SEEDED.append(seeded)
    store = copy.deepcopy(_SEEDED[0])
    await api_keys.create_key(store, PATHS, SALON, KEY, scopes=("tools:read", "tools:execute"), text=KEY)
    house = build(read_configuration({}), store)
    headers = {"Authorization": f"Bearer {KEY}"}
    transport = httpx.ASGITransport(app=house.app)
    async with httpx.AsyncClient(transport=transport, base_url="http://test", headers=headers) as client:
        yield Service(client)


def wish(n: int, **more: Any) -> dict[str, Any]:
    """Return the n-th appointment; no two overlap, and none with what the salon was seeded with."""
    day = datetime.now(UTC) + timedelta(days=30 + n // 16)
    start = f"{day:%Y-%m-%d}T{n % 16 + 4:02}:00:00"
    return {"service": "Haircut", "start_time": start, "customer_name": f"Somebody {n}"} | more


@pytest.mark.requirement("004-161")
async def test_a_caller_cancels_whatever_a_forged_call_with_their_number_has_used(service):
    """Booked, asked, agreed and cancelled, with every action of the number used up by somebody else."""
    mine = {"sessionId": "mine", "callerPhone": MINE, "attestation": "TN-Validation-Passed-B"}
    forged = {"sessionId": "forged", "callerPhone": MINE, "attestation": "TN-Validation-Passed-C"}
    booked = await service.call("book_appointment", wish(0), **mine)
    assert booked["ok"], booked
    tries = [await service.call("verify_caller", {"name": f"Anna {n}"}, **forged) for n in range(ACTIONS.visit + 5)]
    assert tries[-1]["error"]["type"] == "RATE_LIMIT"
    booking = {"booking_id": booked["data"]["bookingId"]}
    asked = await service.call("cancel_appointment", booking, **mine)
    assert asked["error"]["type"] == "CONFIRMATION_REQUIRED", asked
    turn = await service.hear("Yes, please.", asked["meta"]["readBack"], **mine)
    cancelled = await service.call("cancel_appointment", booking, turn=turn, **mine)
    assert cancelled["ok"], cancelled


@pytest.mark.requirement("004-163")
async def test_withheld_numbers_are_one_whatever_stands_for_them(service):
    """Each call is a conversation of its own; a call that shows a number is served beside them."""
    signs = ("anonymous", "+266696687", "Restricted", "+7378742833", "unavailable", "sip:anonymous@example.org", "")
    found = []
    for n in range(OPEN.withheld + 3):
        phone = signs[n % len(signs)]
        answer = await service.call("book_appointment", wish(n), sessionId=f"hidden{n}", callerPhone=phone)
        found.append("booked" if answer["ok"] else answer["meta"]["reason"])
    assert found == ["booked"] * OPEN.withheld + ["withheld"] * 3
    shown = await service.call("book_appointment", wish(40), sessionId="shown", callerPhone="+15185550188")
    assert shown["ok"]


@pytest.mark.requirement("004-162")
async def test_forged_calls_book_no_more_for_one_number_than_its_own_calls(service):
    """However many numbers they show."""
    made = 0
    for n in range(12):
        who = {"sessionId": f"f{n}", "callerPhone": f"+1518555{2000 + n}"}
        made += (await service.call("book_appointment", wish(n, customer_phone="(518) 555-0123"), **who))["ok"]
    assert made == OPEN.number
