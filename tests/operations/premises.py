"""The demo businesses in a house of their own, and a caller who does a bit of everything on every channel."""

import base64
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx2 as httpx
from twilio.request_validator import RequestValidator

from operations import seeding
from running import demo
from switchboard.admin.credentials import api_keys
from switchboard.admin.maintenance import backup
from switchboard.admin.maintenance.data_inventory import PLACES
from switchboard.app.container import Container, build
from switchboard.app.settings import read_configuration
from switchboard.contract.credential import OWNER_SCOPES
from switchboard.contract.ports import Store
from switchboard.contract.store import Document, Query, Set
from switchboard.pipeline.execution.deadline import outlived
from switchboard.state.paths import FirestorePaths
from tests.open_days import next_tuesday

SEEDS = Path(__file__).parents[2] / "seeds"
PATHS = FirestorePaths()
BUSINESS, OTHER = "demo-salon", "demo-plumber"
KEY, TOKEN = "sb_operations", "12345"
PUBLIC_URL = "https://switchboard.example.com"
LINE = "+15185550100"
SECRETS_KEY = base64.b64encode(bytes(range(32))).decode()
# Nobody listens there: what goes to Twilio or Google fails, and leaves its traces all the same.
NOWHERE = "http://127.0.0.1:9"
ENVIRONMENT = {
    "SWITCHBOARD_PUBLIC_URL": PUBLIC_URL,
    "SWITCHBOARD_SECRETS_KEY": SECRETS_KEY,
    "SWITCHBOARD_TWILIO_BASE_URL": NOWHERE,
    "SWITCHBOARD_GOOGLE_BASE_URL": NOWHERE,
    "SWITCHBOARD_MICROSOFT_BASE_URL": NOWHERE,
    "SWITCHBOARD_GOOGLE_CLIENT_ID": "client",
    "SWITCHBOARD_GOOGLE_CLIENT_SECRET": "secret",
    "SWITCHBOARD_MICROSOFT_CLIENT_ID": "client",
    "SWITCHBOARD_MICROSOFT_CLIENT_SECRET": "secret",
}


@dataclass(frozen=True)
class Person:
    """A caller whose every trace can be told from everybody else's."""

    number: str
    name: str
    word: str

    @property
    def marks(self) -> tuple[str, ...]:
        """What must not be found once the caller is forgotten."""
        return (self.number, self.number.removeprefix("+1"), self.name, self.word)


CANARY = Person("+15185550196", "Zerlina Quastenfloss", "xylotomic")
NEIGHBOUR = Person("+15185550197", "Benno Okapi", "zymurgical")


@dataclass
class Premises:
    """A house, its store and a client with the salon's key."""

    house: Container
    store: Store
    client: httpx.AsyncClient

    async def use(self, person: Person, tool: str, args: Any, channel: str = "phone", **facts: Any) -> dict[str, Any]:
        """Execute a tool for somebody."""
        context = {
            "channel": channel,
            "sessionId": f"{person.word}-{channel}",
            "turn": 1,
            "callId": uuid.uuid4().hex,
            "callerPhone": person.number,
            "attestation": "TN-Validation-Passed-A",
        }
        context = {k: v for k, v in context.items() if channel == "phone" or k != "attestation"} | facts
        body = {"businessId": BUSINESS, "name": tool, "args": args, "context": context}
        answer = await self.client.post("/tools/execute", json=body)
        assert answer.status_code < 500, answer.text
        found: dict[str, Any] = answer.json()
        return found

    async def book(self, person: Person, day: int = 0) -> dict[str, Any]:
        """Book the first free time of a day on which the salon is open."""
        date = next_tuesday() + timedelta(days=day)
        free = await self.use(person, "check_availability", {"date": f"{date:%Y-%m-%d}", "service": "Haircut"}, turn=1)
        start = free["data"]["openTimes"][0]
        wish = {"service": "Haircut", "start_time": start, "customer_name": person.name}
        return await self.use(person, "book_appointment", wish, turn=2)

    async def rings(self, person: Person, *texts: str) -> str:
        """Call the salon's line and say something; returns the call's id at Twilio."""
        sid = f"CA{uuid.uuid4().hex}"
        fields = {"CallSid": sid, "From": person.number, "To": LINE, "AccountSid": "AC0d1e0000000000000000000000005a10"}
        await self._webhook("/phone/incoming", fields)
        for turn, text in enumerate(texts, 1):
            await self._webhook("/phone/turn", {**fields, "SpeechResult": text, "Confidence": "0.9"}, turn=turn)
        await self._webhook("/phone/status", {**fields, "CallStatus": "completed", "CallDuration": "30"})
        return sid

    async def _webhook(self, path: str, fields: dict[str, str], **query: Any) -> httpx.Response:
        asked = path + ("?" + "&".join(f"{k}={v}" for k, v in query.items()) if query else "")
        signature = RequestValidator(TOKEN).compute_signature(PUBLIC_URL + asked, fields)
        answer = await self.client.post(asked, data=fields, headers={"X-Twilio-Signature": signature})
        assert answer.status_code == 200, answer.text
        return answer

    async def chats(self, person: Person, *texts: str) -> None:
        """Write in the portal."""
        for text in texts:
            body = {"businessId": BUSINESS, "sessionId": f"{person.word}-chat", "text": text}
            body["callerPhone"] = person.number
            answer = await self.client.post("/portal/chat", json=body)
            assert answer.status_code == 200, answer.text

    async def does_everything(self, person: Person) -> None:
        """Leave traces on every channel and with every kind of tool."""
        record = {"id": f"clr_{person.word}", "name": person.name, "phone": person.number}
        await self.store.commit([Set(PATHS.within(BUSINESS).document("callers", record["id"]), record)])
        await self.book(person)
        said = {"caller_name": person.name, "callback_phone": person.number, "message": f"About my {person.word} wig."}
        for channel in ("phone", "portal", "browser_voice"):
            await self.use(person, "search_knowledge", {"query": f"{person.word} on {channel}"}, channel, turn=3)
            await self.use(person, "take_message", said, channel, turn=4)
            await self.use(person, "extract_contacts", {"text": f"{person.name}, {person.number}"}, channel, turn=5)
        await self.use(person, "verify_caller", {}, turn=6)
        await self.use(person, "lookup_appointment", {}, turn=7)
        await self.use(person, "send_sms", {"message": f"Your {person.word} wig is ready."}, turn=8)
        await self.use(person, "send_portal_link", {}, turn=9)
        await self.use(person, "flag_caller", {"reason": f"asked for a {person.word} wig"}, turn=10)
        words = f"My name is {person.name}, and I want a {person.word} wig."
        await self.rings(person, words, "When are you open?")
        await self.chats(person, words, f"Call me at {person.number}.")
        await self.client.post("/tasks/questions", json={})

    async def documents(self, business_id: str | None = None) -> list[Document]:
        """Return every document there is, found by the names of collections."""
        found = [d for place in PLACES for d in await self.store.query(Query(place.name, group=True))]
        within = f"{PATHS.within(business_id).business}" if business_id else ""
        return [d for d in found if d.path.startswith(within)]


@asynccontextmanager
async def open_premises(
    store: Store, *, furnished: bool = True, house: Container | None = None
) -> AsyncIterator[Premises]:
    """Open a house over a store, after bringing in the demo businesses; the usual one where none is given."""
    if furnished:
        await seeding.seed(store, PATHS, SEEDS, out=lambda *_: None, now=datetime.now(UTC))
        await api_keys.create_key(store, PATHS, BUSINESS, "operations", scopes=OWNER_SCOPES, text=KEY)
        await demo.keep_twilio_token(store, PATHS, SECRETS_KEY, TOKEN)
    house = house or build(read_configuration(ENVIRONMENT), store)
    transport = httpx.ASGITransport(app=house.app)
    headers = {"Authorization": f"Bearer {KEY}"}
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1", headers=headers) as client:
        try:
            yield Premises(house, store, client)
        finally:
            await _close(house)


EVERYTHING = backup.heading(None, datetime(2026, 11, 22, 12, tzinfo=UTC))
"""Of the backups that are made here."""


async def lines_of(store: Store, business_id: str | None = None) -> list[str]:
    """Return a backup, without its heading."""
    seal = backup.Seal(EVERYTHING)
    lines = [seal.sealed(line) async for _, line in backup.exported(store, PATHS, business_id)]
    return [*lines, seal.end_line()]


async def copied(source: Store, target: Store) -> None:
    """Bring everything from one store into another, as a backup does."""
    lines = await lines_of(source)
    await backup.restore(target, PATHS, EVERYTHING, lambda: backup.documents_in(EVERYTHING, lines))


async def _close(house: Container) -> None:
    """Close all but the store, which is whoever's it is."""
    await house.channel_app.close()
    await outlived()
    for part in (house.phones, house.egress, house.remote_tools, house.http):
        await part.close()
