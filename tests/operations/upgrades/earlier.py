"""What earlier versions have stored, each in a backup beside this file, opened by a house of this version.

Each was written by its version itself: it seeded the salon, carried out look-ups, bookings, messages and what it had of
owners' tools and portal chats, and then lost its store in the middle of four calls.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import httpx2 as httpx

from drills import premises as drilled
from drills.own_house import DrilledHouse
from switchboard.admin.credentials import api_keys
from switchboard.admin.maintenance import backup
from switchboard.admin.maintenance.data_inventory import all_documents
from switchboard.app.clients import SystemClock
from switchboard.app.settings import read_configuration
from switchboard.contract.credential import OWNER_SCOPES, Scope
from switchboard.contract.store import Document
from switchboard.state.memory.store import MemoryStore
from switchboard.state.paths import FirestorePaths

PATHS = FirestorePaths()
BUSINESS, CALLER, KEY = "demo-salon", "+15185550171", "sb_upgraded"
SHAPES = sorted(Path(__file__).parent.glob("*.jsonl"))
"""The backups, the oldest first: their names are the days on which their versions were written."""
_NOWHERE = "http://127.0.0.1:9"
_FILLED = {
    "entry_id": "audit",
    "interaction_id": "interactions",
    "session_id": "sessions",
    "visit_id": "sessions",
    "booking_id": "bookings",
    "message_id": "outbox",
    "customer_id": "callers",
    "agent_id": "agents",
    "tool_id": "tools",
    "change_id": "publications",
}
_ENTRIES = {"/policies": "policies", "/faqs": "faqs", "/businesses": "knowledge"}


class ClockOfThen:
    """Stands in the minute after a backup, and goes on when it is told to."""

    def __init__(self, at: datetime) -> None:
        self.at = at

    def now(self) -> datetime:
        return self.at

    def monotonic(self) -> float:
        return SystemClock().monotonic()


@dataclass
class Upgraded:
    """A house of this version over what an earlier one has stored."""

    house: DrilledHouse
    store: MemoryStore
    http: httpx.AsyncClient
    clock: ClockOfThen
    calls: int = 0

    async def call(self, name: str, args: dict[str, Any], session: str = "new-1", turn: int = 1) -> dict[str, Any]:
        """Have a tool called, and return the envelope."""
        self.calls += 1
        facts = {"channel": "phone", "sessionId": session, "turn": turn, "callId": f"n{self.calls}"}
        facts |= {"callerPhone": CALLER, "attestation": "TN-Validation-Passed-A"}
        body = {"businessId": BUSINESS, "name": name, "args": args, "context": facts}
        answer = await self.http.post("/tools/execute", json=body)
        assert answer.status_code < 500, answer.text
        envelope: dict[str, Any] = answer.json()
        return envelope

    async def documents(self) -> list[Document]:
        """Return everything that is stored."""
        return [document async for document in all_documents(self.store, PATHS)]

    async def addresses(self) -> list[str]:
        """Return every address that owners can read, filled with every id that is stored."""
        stored = [document.path.split("/") for document in await self.documents()]
        app = self.house.admin_app
        surfaces = (
            ("/admin", app.admin_endpoints),
            ("/tts_admin", app.office.tts_admin_endpoints),
            ("/api", app.api_endpoints),
        )
        reading = [
            prefix + endpoint.path
            for prefix, endpoints in surfaces
            for endpoint in endpoints
            if endpoint.method == "GET" and endpoint.operation is not None
        ]
        calls = [
            f"/admin/explain?businessId={BUSINESS}&session={p[3]}&call={p[5]}" for p in stored if p[4:5] == ["calls"]
        ]
        return [*(filled for path in reading for filled in _filled(path, stored)), *calls]


@asynccontextmanager
async def upgraded(shape: Path) -> AsyncIterator[Upgraded]:
    """Open a house over a backup."""
    store, lines = MemoryStore(), shape.read_text().splitlines()
    heading = backup.read_heading(lines[0])
    done = await backup.restore(store, PATHS, heading, lambda: backup.documents_in(heading, lines[1:]))
    assert (done.new, done.kept) == (len(lines) - 2, 0)
    scopes = [*OWNER_SCOPES, Scope.PLATFORM]
    await api_keys.create_key(store, PATHS, BUSINESS, "upgraded", scopes=scopes, text=KEY)
    environ = {
        "SWITCHBOARD_PUBLIC_URL": "https://switchboard.example.com",
        "SWITCHBOARD_SECRETS_KEY": drilled.SECRETS_KEY,
        "SWITCHBOARD_EMBEDDINGS": "none",
        "SWITCHBOARD_TWILIO_BASE_URL": _NOWHERE,
    }
    clock = ClockOfThen(datetime.fromisoformat(heading.at) + timedelta(minutes=10))
    house = DrilledHouse(read_configuration(environ), store, None, clock)  # type: ignore[arg-type]
    transport, shown = httpx.ASGITransport(app=house.app), {"Authorization": f"Bearer {KEY}"}
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1", headers=shown) as http:
        yield Upgraded(house, store, http, clock)
    await house.close()


def _filled(path: str, stored: list[list[str]]) -> Iterator[str]:
    """Yield an address once for each value of what is open in it; a further one is the first there is."""
    addresses = [path.replace("{business_id}", BUSINESS)]
    for name in re.findall(r"\{(\w+)\}", addresses[0]):
        own = _values(name, path, stored)
        addresses = [address.replace(f"{{{name}}}", value) for address in addresses for value in own]
    yield from addresses


def _values(name: str, path: str, stored: list[list[str]]) -> list[str]:
    if name == "name":
        return ["book_appointment"] if "definitions" in path else ["twilio", "googleCalendar"]
    if name == "place":
        return ["callers", "interactions"]
    if name == "number":
        return [CALLER]
    if name == "version":
        return ["1"]
    collection = _FILLED.get(name) or next((c for part, c in _ENTRIES.items() if part in path), "")
    found = [p[-1] for p in stored if p[-2] == collection and (BUSINESS in p or collection == "publications")]
    return found or ["nothing"]
