"""The business whose callers call: few appointments to be had, a phone account, and a service of its owner's."""

from __future__ import annotations

from typing import Any
from zoneinfo import ZoneInfo

from simulator.outside import MOST_AT_ONCE, SERVICE
from simulator.plan import SERVICES
from switchboard.contract.store import Set, Write
from switchboard.state.paths import FirestorePaths

BUSINESS = "simulated"
PATHS = FirestorePaths()
WITHIN = PATHS.within(BUSINESS)
ZONE = ZoneInfo("America/New_York")
SERVICE_NAME = "Haircut"
# On Thursdays there is less time.
_SHUT = "2026-12-03T11:00"
DAYS = ("2026-12-02", "2026-12-03", "2026-12-04", "2026-12-07", "2026-12-08")
TIMES = tuple(f"{day}T{time}:00" for day in DAYS for time in ("10:00", "10:30", "11:00") if f"{day}T{time}" != _SHUT)
"""All that can be booked: a third of what is asked for."""
CLOSED = "2026-12-03T13:00:00"
"""What is asked for as well, and cannot be had."""
_SENDER = "+15185550100"


def number_of(caller: int, area: int = 518) -> str:
    """Return a caller's telephone number; neighbours have none of the same range, which would be spared its texts."""
    return f"+1{area}{200 + caller % 100}{caller % 10_000:04}"


def writes(has_calendar: bool) -> list[Write]:
    """Return the business's documents."""
    calendar = "googleCalendar" if has_calendar else "builtinCalendar"
    settings = {"isConnected": True, "minNoticeMinutes": 60, "maxDaysAhead": 60, "calendarId": "chair"} | {
        "textConfirmations": True
    }
    business: dict[str, Any] = {
        "name": "Linden Street Hair",
        "timezone": ZONE.key,
        "twilioNumber": _SENDER,
        "services": [{"name": SERVICE_NAME, "durationMinutes": 30}],
        "workingHours": {
            **{day: [{"open": "10:00", "close": "11:30"}] for day in ("monday", "tuesday", "wednesday", "friday")},
            "thursday": [{"open": "10:00", "close": "11:00"}],
        },
        "integrations": {
            calendar: settings,
            "twilio": {"isConnected": True, "accountSid": "AC" + "0" * 32, "textsPerHour": 1_000, "textsPerDay": 1_000},
        },
        "escalation": {"rules": [{"id": "owner", "action": "message", "label": "Rosa", "destination": "+15185550144"}]},
        "features": {"records": True},
        "ai": {"trustCallerId": True},
    }
    tools: list[Write] = []
    for name in SERVICES:
        id = f"t_{name}"
        tools.append(Set(WITHIN.document("tools", id), _tool(name)))
        tools.append(Set(WITHIN.document("agentTools", f"echo~{id}"), {"agentId": "echo", "toolId": id}))
    faq = {"question": "Where can I park?", "answer": "Behind the house, free for two hours."}
    policy = {"topic": "cancellation", "text": "Cancel up to a day before."}
    return [
        Set(WITHIN.business, business),
        Set(WITHIN.document("agents", "echo"), {"name": "Echo", "isDefault": True}),
        Set(WITHIN.document("faqs", "parking"), faq),
        Set(WITHIN.document("policies", "cancellation"), policy),
        *tools,
    ]


def _tool(name: str) -> dict[str, Any]:
    made = {
        "type": "api_request",
        "label": f"Order {name}",
        "description": "Order something.",
        "request": {
            "method": "POST",
            "url": f"{SERVICE}/{name}",
            "body": {"number": "{{number}}"},
            **({"idempotent": True} if name == "safe" else {}),
        },
        "params": {"number": {"mode": "ai", "type": "string", "description": "Its number.", "required": True}},
        **({"async": True} if name == "later" else {}),
        "maxAtOnce": MOST_AT_ONCE,
    }
    return {
        "name": f"order_{name}",
        "label": made["label"],
        "description": made["description"],
        "type": "api_request",
        "configMetadata": made,
        "attachToAgent": True,
        "executeOnCallStart": False,
        "async": name == "later",
    }
