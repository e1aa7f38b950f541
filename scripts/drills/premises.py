"""The business that is drilled: open day and night, with texts to search, and a key to its tools."""

from __future__ import annotations

import base64
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from running import demo
from switchboard.admin.credentials.api_keys import create_key
from switchboard.contract import policy
from switchboard.contract.business.working_hours import WEEKDAYS
from switchboard.contract.store import Set
from switchboard.state.firestore.store import FirestoreStore
from switchboard.state.paths import FirestorePaths

if TYPE_CHECKING:
    from drills.drilled_calendars import DrilledCalendar

BUSINESS, KEY = "drilled", "sb_drill"
SERVICE, MINUTES = "Check-up", 15
# Not UTC, so that local times are something else; without daylight saving, so that all of them exist.
ZONE = ZoneInfo("America/Phoenix")
PATHS = FirestorePaths()
WITHIN = PATHS.within(BUSINESS)
_ALWAYS = [{"open": "00:00", "close": "24:00"}]
_DAYS = 300
_STARTS_A_DAY = 48
SETTINGS = {"maxDaysAhead": _DAYS + 30}
# What Twilio would call: webhooks are signed over it, and reach the drills' servers directly.
PUBLIC_URL = "https://drilled.example"
# Of no use elsewhere: what it encrypts ends with the drill.
SECRETS_KEY = base64.b64encode(b"what the drills' servers encrypt").decode()
_FAQS = {
    "parking": {"question": "Where can I park?", "answer": "Behind the house, free for two hours."},
    "cards": {"question": "Do you take cards?", "answer": "Yes, all of them; a tip is better left in cash."},
}


def patient_store(project: str, host: str) -> FirestoreStore:
    """Return a store for looking and furnishing, which need not hurry as a call does."""
    policy.STORE_READ_S = policy.STORE_WRITE_S = policy.STORE_FIRST_CALL_S = 20.0
    return FirestoreStore(project, emulator_host=host)


async def furnish(store: FirestoreStore, calendar: DrilledCalendar | None = None, url: str = "") -> None:
    """Bring the published definitions, the business and its key into a store.

    Args:
        store: Where to.
        calendar: Keeps the business's appointments; without one its bookings are the calendar.
        url: Where that is.
    """
    await demo.furnish(store, PATHS, datetime.now(UTC))
    business = {
        "name": "The Drilled Dentist",
        "timezone": ZONE.key,
        "services": [{"name": SERVICE, "durationMinutes": MINUTES}],
        "workingHours": dict.fromkeys(WEEKDAYS, _ALWAYS),
        "features": {"records": True},
        # On beside an outside one too, so that it would be seen to stand in for it.
        "integrations": {"builtinCalendar": {"isConnected": True, **SETTINGS}},
    }
    faqs = [Set(WITHIN.document("faqs", id), faq) for id, faq in _FAQS.items()]
    await store.commit([Set(WITHIN.business, business), *faqs])
    await create_key(store, PATHS, BUSINESS, "drill", text=KEY)
    if calendar is not None:
        await calendar.connect(store, url)


def start_of(number: int, first_day: datetime) -> datetime:
    """Return the time of the n-th appointment: no two overlap, and neighbours are on different days."""
    round, day = divmod(number, _DAYS)
    assert round < _STARTS_A_DAY, "there are no more times"
    midnight = first_day.replace(hour=0, minute=0, second=0, microsecond=0)
    return midnight + timedelta(days=day + 2, minutes=30 * round)


def booking(name: str, start: datetime, *, phone: str = "") -> dict[str, Any]:
    """Return the request of one caller, in a conversation of their own, for one time."""
    return request(
        "book_appointment",
        {
            "service": SERVICE,
            "start_time": f"{start.astimezone(ZONE):%Y-%m-%dT%H:%M:%S}",
            "customer_name": f"Caller {name}",
        },
        name,
        phone=phone,
    )


def request(tool: str, args: Any, name: str, *, phone: str = "") -> dict[str, Any]:
    """Return the body of a call on the phone; `name` is both its session's and its own."""
    context = {"channel": "phone", "sessionId": f"s-{name}", "callId": f"c-{name}", "turn": 1}
    return {"businessId": BUSINESS, "name": tool, "args": args, "context": context | {"callerPhone": phone or None}}


def in_portal(request: dict[str, Any], session: str, turn: int) -> dict[str, Any]:
    """Return a request as it is made in the portal, where a caller waits longer, in one conversation."""
    context = {"channel": "portal", "sessionId": session, "callId": f"{session}-{turn}", "turn": turn}
    return request | {"context": context}


def row_path(body: dict[str, Any]) -> str:
    """Return where the ledger keeps the call of a request."""
    return WITHIN.call(body["context"]["sessionId"], body["context"]["callId"])
