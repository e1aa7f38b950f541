"""What this version stores of everything, written down as the newest of the backups beside this file.

A version that stores something new writes one more, named by the hour, and keeps those of before:

    PYTHONPATH=.:scripts:functions .venv/bin/python -m tests.operations.upgrades.newest
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx2 as httpx

from drills.own_house import DrilledHouse
from operations import seeding
from running import demo
from switchboard.admin.credentials import api_keys
from switchboard.admin.maintenance import backup
from switchboard.app.settings import read_configuration
from switchboard.contract.credential import OWNER_SCOPES, Scope
from switchboard.contract.json import JsonObject
from switchboard.contract.store import Unavailable, Update, Write, WriteResult
from switchboard.pipeline.execution.deadline import outlived
from switchboard.state.memory.store import MemoryStore
from tests.operations.premises import BUSINESS, ENVIRONMENT, KEY, PATHS, SECRETS_KEY, SEEDS, TOKEN, Person, Premises
from tests.operations.upgrades.earlier import CALLER, ClockOfThen

SESSION = "old-1"
TOM = Person(CALLER, "Tom Becker", "old")
# A Sunday noon in the salon, some days before those that the tests ask about.
_NOON = datetime(2026, 11, 29, 17, tzinfo=UTC)
_OWN = f"/admin/businesses/{BUSINESS}"
_TUESDAY = "2026-12-08"
_CALLS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("check_availability", {"date": _TUESDAY, "service": "Haircut"}),
    *(
        ("book_appointment", {"service": "Haircut", "start_time": f"{_TUESDAY}T{at}:00", "customer_name": name})
        for at, name in (("10:00", "Tom Becker"), ("11:00", "Ann Becker"), ("12:00", "Bo Becker"))
    ),
    ("take_message", {"caller_name": "Tom Becker", "message": "I may be late."}),
    ("search_knowledge", {"query": "parking"}),
    ("get_policies", {"topic": "cancellation"}),
    ("get_faqs", {"topic": "parking"}),
    ("get_working_hours", {}),
    ("get_business_services", {}),
    ("send_sms", {"message": "See you on Tuesday."}),
    # Refused as it comes.
    ("take_message", {}),
)
_CUT_OFF: tuple[tuple[str, dict[str, Any]], ...] = (
    ("book_appointment", {"service": "Haircut", "start_time": f"{_TUESDAY}T14:00:00", "customer_name": "Tom Becker"}),
    ("take_message", {"caller_name": "Tom Becker", "message": "Please call me back."}),
    ("send_sms", {"message": "We look forward to it."}),
    ("check_availability", {"date": "2026-12-09", "service": "Haircut"}),
)
_PEOPLE = {"id": "zoe", "name": "Zoe"}
_TOOL = {"type": "sms", "label": "Text the address", "text": "48 Maple Street.", "recipients": ["+12015550123"]}
_MAIL = {"config": {"smtpServer": "smtp.example.com", "fromEmail": "hello@example.com"}}
_HOMES = {"name": "homes", "fields": [{"name": "city", "type": "text"}]}
_MADE: tuple[tuple[str, str, Any], ...] = (
    ("POST", f"{_OWN}/agents", {"name": "Ada"}),
    ("POST", f"/api/{BUSINESS}/tools", _TOOL),
    ("PUT", f"{_OWN}/toolkits/email", {**_MAIL, "sensitiveConfig": {"password": "unknown"}}),
    ("POST", f"{_OWN}/collections", _HOMES),
    ("POST", f"{_OWN}/collections/homes/rows", {"fields": {"city": "Hartwell"}}),
    ("POST", f"{_OWN}/documents", {"title": "Gifts", "content": "We sell vouchers at the front desk."}),
    ("POST", f"{_OWN}/keys", {"name": "Till", "scopes": ["tools:read"]}),
    ("POST", f"{_OWN}/calendar-feeds", {"name": "Office"}),
    ("POST", f"{_OWN}/resources", _PEOPLE),
    ("POST", f"{_OWN}/restrictions", {"phone": "+12015550123", "reason": "Rude."}),
    ("POST", f"{_OWN}/text-stops", {"phone": "+12015550124"}),
    ("PUT", f"{_OWN}/monthly-limits", {"limits": {"texts": {"warnAt": 800, "stopAt": 900}, "cost": {"warnAt": "40"}}}),
    ("POST", f"{_OWN}/customers", {"name": "Ana Lopez", "phone": "(518) 555-0188"}),
    (
        *("POST", f"{_OWN}/appointments"),
        {"service": "Haircut", "start": "2026-12-10T11:00:00", "customer": "Ana Lopez", "phone": "(518) 555-0188"},
    ),
)


class DyingStore(MemoryStore):
    """Keeps everything until it dies: from then on nobody can write down how a call has ended."""

    is_dying = False

    async def commit(self, writes: Sequence[Write]) -> list[WriteResult]:
        """As the store in memory.

        Raises:
            Unavailable: It is dying, and a call would be ended.
        """
        ends = (w.data.get("state") for w in writes if isinstance(w, Update) and "/calls/" in w.path)
        if self.is_dying and any(state not in (None, "started") for state in ends):
            raise Unavailable("the store has died")
        return await super().commit(writes)


@asynccontextmanager
async def newest() -> AsyncIterator[DyingStore]:
    """Open what this version stores after callers and owners did a bit of everything, and four calls were cut off."""
    store, clock = DyingStore(), ClockOfThen(_NOON)
    await seeding.seed(store, PATHS, SEEDS, out=lambda *_: None, now=_NOON)
    await api_keys.create_key(store, PATHS, BUSINESS, "newest", scopes=[*OWNER_SCOPES, Scope.PLATFORM], text=KEY)
    await demo.keep_twilio_token(store, PATHS, SECRETS_KEY, TOKEN)
    environ = {**ENVIRONMENT, "SWITCHBOARD_EMBEDDINGS": "none"}
    house = DrilledHouse(read_configuration(environ), store, None, clock)  # type: ignore[arg-type]
    transport, shown = httpx.ASGITransport(app=house.app), {"Authorization": f"Bearer {KEY}"}
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1", headers=shown) as http:
        premises = Premises(house, store, http)
        made = [await _made(http, method, path, body) for method, path, body in _MADE]
        await _made(http, "POST", f"/api/{BUSINESS}/agents/ada/tools", {"toolId": made[1]["tool"]["id"]})
        await _pushed(http)
        await _tried(http)
        await _calls(premises, clock, _CALLS)
        await _consent(premises, clock)
        await premises.rings(TOM, "Do you have parking?", "Thanks, bye.")
        await premises.chats(TOM, "When are you open?")
        await _answered_by_a_person(http)
        await _kept_and_published(http, store)
        clock.at += timedelta(days=1)
        for work in house.passes.values():
            await work(None)
        await house.admin_app.count_questions(None)
        assert (await http.get(f"{_OWN}/days?days=3")).status_code == 200
        store.is_dying = True
        await _calls(premises, clock, _CUT_OFF, first=len(_CALLS) + 3)
    await outlived()
    store.is_dying = False
    yield store
    await house.close()


async def _tried(http: httpx.AsyncClient) -> None:
    """Have half of the conversations answered by a version of an agent, after another one was tried."""
    for prompt in ("Be brief.", "Ask whether they have been here before."):
        agents = (await http.get(f"{_OWN}/agents")).json()["agents"]
        agent = next(agent for agent in agents if agent["isDefault"])
        body = {"share": 50, "changes": {"prompt": prompt}}
        await _made(http, "PUT", f"{_OWN}/agents/{agent['id']}/trial", body, f'"{agent["trialRevision"]}"')


async def _answered_by_a_person(http: httpx.AsyncClient) -> None:
    """Take a chat that goes on over, and write to its visitor."""
    talks = (await http.get(f"{_OWN}/interactions?channel=portal")).json()["interactions"]
    takeover = f"{_OWN}/interactions/{talks[0]['id']}/takeover"
    await _made(http, "POST", takeover, {"name": "Zoe"})
    await _made(http, "POST", f"{takeover}/messages", {"id": "message-1", "text": "From nine, Tom."})


async def _made(http: httpx.AsyncClient, method: str, path: str, body: Any, revision: str = "") -> Any:
    if method != "POST" and not revision:
        revision = (await http.get(path)).headers.get("etag", "")
    answer = await http.request(method, path, json=body, headers={"If-Match": revision} if revision else {})
    assert answer.status_code in (200, 201), (method, path, answer.text)
    return answer.json()


async def _pushed(http: httpx.AsyncClient) -> None:
    """Push a part of a template, by which it is noted what the template says."""
    push, target = "/admin/templates/salon-en/push", {"businessId": BUSINESS}
    foreseen = await _made(http, "POST", push, {"parts": ["limits"], "businesses": [target], "dryRun": True})
    token = foreseen["businesses"][0]["token"]
    await _made(http, "POST", push, {"parts": ["limits"], "businesses": [{**target, "token": token}]})


async def _calls(
    premises: Premises, clock: ClockOfThen, calls: Iterable[tuple[str, dict[str, Any]]], first: int = 1
) -> None:
    """Make calls in one conversation, each in a turn of its own."""
    for number, (tool, args) in enumerate(calls, first):
        await premises.use(TOM, tool, args, sessionId=SESSION, callId=f"c{number}", turn=number)
        clock.at += timedelta(seconds=20)


async def _consent(premises: Premises, clock: ClockOfThen) -> None:
    """Move an appointment after it was agreed to."""
    booked = [d for d in await premises.documents(BUSINESS) if "/bookings/" in d.path and "Ann" in str(d.data)]
    args = {"booking_id": booked[0].id, "new_start_time": f"{_TUESDAY}T16:00:00"}
    number = len(_CALLS) + 1
    said = {"sessionId": SESSION, "callId": f"c{number}", "turn": number}
    asked = await premises.use(TOM, "reschedule_appointment", args, **said)
    clock.at += timedelta(seconds=5)
    then = {"sessionId": SESSION, "callId": f"c{number + 1}", "turn": number + 1}
    context = {"channel": "phone", "callerPhone": CALLER, **then}
    heard = {"businessId": BUSINESS, "context": context, "heard": {"text": "Yes, please."}}
    await _made(premises.client, "POST", "/tools/heard", heard | {"asked": asked["meta"]["readBack"]})
    moved = await premises.use(TOM, "reschedule_appointment", args, **then)
    assert moved["ok"], moved


async def _kept_and_published(http: httpx.AsyncClient, store: MemoryStore) -> None:
    """Keep a conversation as a test, and publish other words for a tool."""
    talks = (await http.get(f"{_OWN}/interactions")).json()["interactions"]
    for talk in talks:
        proposed = await http.post(f"{_OWN}/interactions/{talk['id']}/eval")
        if proposed.status_code == 200:
            kept = proposed.json()
            await _made(http, "PUT", f"{_OWN}/evals/{kept['name']}", {"text": kept["text"]})
            break
    tool = "/admin/definitions/get_policies"
    built = (await http.get(tool)).json()["builtIn"]
    draft = {"document": built | {"description": f"{built['description']} Answer briefly."}}
    await _made(http, "PUT", f"{tool}/draft", draft, (await http.get(tool)).headers["etag"])
    seen = (await http.get(f"{tool}/replay")).json()["hash"]
    await _made(http, "POST", f"{tool}/publish", {"acknowledged": seen}, (await http.get(tool)).headers["etag"])


def fields_by_collection(documents: Iterable[tuple[str, JsonObject]]) -> dict[str, set[str]]:
    """Return the names of the fields that documents have, given with their paths, by the collection's own name.

    Of a collection that owners fill, what stands in it is theirs.
    """
    names: dict[str, set[str]] = defaultdict(set)
    for path, data in documents:
        collection = path.split("/")[-2]
        names[collection].update(data if collection != "items" else ())
    return dict(names)


async def write(folder: Path) -> Path:
    """Write the backup of what this version stores into a folder, and return its path."""
    async with newest() as store:
        heading = backup.heading(None, _NOON + timedelta(days=1, minutes=10))
        seal = backup.Seal(heading)
        lines = [seal.sealed(line) async for _, line in backup.exported(store, PATHS, None)]
        path = folder / f"{datetime.now(UTC):%Y-%m-%dT%H}.jsonl"
        path.write_text("\n".join([heading.to_line(), *lines, seal.end_line()]) + "\n", encoding="utf-8")
    return path


if __name__ == "__main__":
    print(asyncio.run(write(Path(__file__).parent)).name)
