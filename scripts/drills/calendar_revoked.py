"""The owner's permission is taken away at Google while twenty callers ask for the calendar in the same moment."""

from __future__ import annotations

import asyncio
import itertools
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import aiohttp

from drills import premises
from drills.callers import get_definitions, open_session, post
from drills.result import Check, Result
from drills.servers import Servers
from stand_ins.google_calendar import GoogleCalendarStandIn
from stand_ins.loopback import serving
from switchboard.state.firestore import FirestoreStore

CALLERS = 20
MOST_CALLS = 2
CALENDAR_TOOLS = frozenset(f"{name}_appointment" for name in ("book", "lookup", "cancel", "reschedule")) | {
    "check_availability",
    "list_events",
    "create_event",
}
# Those who ask after the mark was set are told that the tool is not to be had any more; on a machine that is busy, some
# are more than one business may have under way, and told to come again.
_HONEST = {"AUTH", "MODE_RESTRICTED", "RATE_LIMIT"}
_BETWEEN_LOOKS_S = 0.005
CASES = {"a token in use": True, "no token yet": False}


@dataclass(frozen=True)
class Seen:
    """What was seen after the permission was gone."""

    answers: Counter[str]
    upstream: list[str]
    marks: int
    later_calls: int
    offered: frozenset[str]

    def checks(self, name: str) -> list[Check]:
        """Return the rows of one case."""
        told = ", ".join(f"{count} {kind}" for kind, count in self.answers.most_common())
        calls = f"{len(self.upstream)}: {', '.join(self.upstream)}"
        gone = sorted(self.offered)
        return [
            Check(f"{name}: answers to {CALLERS} at once", "AUTH", told, set(self.answers) <= _HONEST),
            Check(f"{name}: calls to Google", f"≤ {MOST_CALLS}", calls, len(self.upstream) <= MOST_CALLS),
            Check(f"{name}: needsReauth written", "once", f"{self.marks} x", self.marks == 1),
            Check(f"{name}: calendar tools in the next turn", "none", ", ".join(gone) or "none", not gone),
            Check(f"{name}: calls to Google after that", "0", str(self.later_calls), self.later_calls == 0),
        ]


async def drill_revoked(source: Servers, host: str, fresh_project: Callable[[], str]) -> Result:
    """Return the rows of both cases."""
    seen = {name: await _seen(source, host, fresh_project(), is_warm=is_warm) for name, is_warm in CASES.items()}
    calls, marks = max(len(s.upstream) for s in seen.values()), max(s.marks for s in seen.values())
    return Result(
        f"a revoked permission met by {CALLERS} callers",
        "",
        f"{calls} calls, {marks} mark",
        tuple(check for name, s in seen.items() for check in s.checks(name)),
    )


async def _seen(source: Servers, host: str, project: str, *, is_warm: bool) -> Seen:
    google, store = GoogleCalendarStandIn(premises.ZONE.key), premises.patient_store(project, host)
    with serving(google.app) as url:
        await premises.furnish(store, url)
        server = await source.start(host, project, google_url=url)
        async with open_session() as http:
            requests = [_request(number) for number in range(CALLERS)]
            if is_warm:
                await post(http, server.url, premises.request("check_availability", {"date": _day(100)}, "warm"))
            google.consents.revoke_all()
            google.faults.journal.clear()
            watching = asyncio.create_task(_marks(store))
            answers = await asyncio.gather(*(post(http, server.url, request) for request in requests))
            upstream = [line["method"] for line in google.faults.journal]
            google.faults.journal.clear()
            offered = await _offered(http, server.url)
            after = [await post(http, server.url, _request(CALLERS + n)) for n in range(3)]
            assert all(answer.status for answer in after)
            later = len(google.faults.journal)
            # By now every write that follows from the answers has been made: the last of them has been told.
            watching.cancel()
            marks = await watching
        await server.close()
    await store.close()
    return Seen(Counter(answer.kind for answer in answers), upstream, marks, later, offered)


async def _marks(store: FirestoreStore) -> int:
    """Count the versions of the business that carry the mark, until cancelled."""
    versions = set()
    try:
        for _ in itertools.count():
            versions |= await _marked(store)
            await asyncio.sleep(_BETWEEN_LOOKS_S)
    except asyncio.CancelledError:
        versions |= await _marked(store)
    return len(versions)


async def _marked(store: FirestoreStore) -> set[datetime]:
    document = await store.get(premises.WITHIN.business)
    google = document.data["integrations"]["googleCalendar"] if document else {}
    return {document.update_time} if document and google.get("needsReauth") else set()


async def _offered(http: aiohttp.ClientSession, url: str) -> frozenset[str]:
    answer = await get_definitions(http, url, f"businessId={premises.BUSINESS}&channel=phone")
    return CALENDAR_TOOLS.intersection(tool["name"] for tool in (answer.envelope or {}).get("tools", []))


def _request(number: int) -> dict[str, Any]:
    """Return what one of them asks for, about a day of their own, so that no two could share an answer."""
    name, phone = f"revoked-{number}", f"+1518555{number:04}"
    match number % 3:
        case 0:
            return premises.request("check_availability", {"date": _day(number)}, name, phone=phone)
        case 1:
            return premises.request("list_events", {"time_min": _day(number)}, name, phone=phone)
    return premises.booking(name, premises.start_of(number, datetime.now(UTC)), phone=phone)


def _day(number: int) -> str:
    return f"{datetime.now(premises.ZONE) + timedelta(days=2 + number):%Y-%m-%d}"
