"""The owner's permission is taken away at the vendor's while twenty callers ask for the calendar in the same moment."""

from __future__ import annotations

import asyncio
import itertools
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import aiohttp

from drills import premises
from drills.callers import get_definitions, open_session, post
from drills.drilled_calendars import CALENDARS
from drills.result import Check, Effort, Result
from drills.servers import Servers
from stand_ins.loopback import serving
from switchboard.state.firestore.store import FirestoreStore

CALLERS = 20
MOST_CALLS = 2
CALENDAR_TOOLS = frozenset(f"{name}_appointment" for name in ("book", "lookup", "cancel", "reschedule")) | {
    "check_availability",
    "list_events",
    "create_event",
}
# Those who ask after the mark was set are told that the tool is not to be had any more; on a machine that is busy, some
# are more than one business may have under way, and told to come again, and some cannot see the calendar in time.
_HONEST = {"AUTH", "MODE_RESTRICTED", "RATE_LIMIT", "TRANSIENT"}
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

    def checks(self, name: str, vendor: str, most_calls: int = MOST_CALLS) -> list[Check]:
        """Return the rows of one case."""
        text = ", ".join(f"{count} {kind}" for kind, count in self.answers.most_common())
        calls = f"{len(self.upstream)}: {', '.join(self.upstream)}"
        gone = sorted(self.offered)
        return [
            Check(f"{name}: answers to {CALLERS} at once", "AUTH", text, set(self.answers) <= _HONEST),
            Check(f"{name}: calls to {vendor}", f"≤ {most_calls}", calls, len(self.upstream) <= most_calls),
            Check(f"{name}: needsReauth written", "once", f"{self.marks} x", self.marks == 1),
            Check(f"{name}: calendar tools in the next turn", "none", ", ".join(gone) or "none", not gone),
            Check(f"{name}: calls to {vendor} after that", "0", str(self.later_calls), self.later_calls == 0),
        ]


async def drill_revoked(effort: Effort, source: Servers, host: str, fresh_project: Callable[[], str]) -> Result:
    """Return the rows of both cases."""
    seen = {
        name: await _seen(effort.calendar, source, host, fresh_project(), is_warm=is_warm)
        for name, is_warm in CASES.items()
    }
    calendar = CALENDARS[effort.calendar]
    calls, marks = max(len(s.upstream) for s in seen.values()), max(s.marks for s in seen.values())
    return Result(
        f"a revoked permission met by {CALLERS} callers",
        "",
        f"{calls} calls, {marks} mark",
        tuple(check for name, s in seen.items() for check in s.checks(name, calendar.title, calendar.most_calls)),
    )


async def _seen(calendar_name: str, source: Servers, host: str, project: str, *, is_warm: bool) -> Seen:
    calendar, store = CALENDARS[calendar_name](), premises.patient_store(project, host)

    async def revoke() -> None:
        calendar.revoke()

    with serving(calendar.app) as url:
        await premises.furnish(store, calendar, url)
        server = await source.start(host, project, **calendar.at(url))
        journal, integration = calendar.faults.journal, calendar.vendor.integration
        seen = await seen_after(server.url, store, revoke, journal, is_warm=is_warm, integration=integration)
        await server.close()
    await store.close()
    return seen


async def seen_after(
    url: str,
    store: FirestoreStore,
    revoke: Callable[[], Awaitable[None]],
    journal: list[dict[str, Any]],
    *,
    is_warm: bool,
    integration: str = "googleCalendar",
    channel: Callable[[dict[str, Any], str, int], dict[str, Any]] = lambda request, session, turn: request,
) -> Seen:
    """Take the permission away, and return what is seen then.

    Args:
        url: A server that has asked the calendar for nothing yet.
        store: What it serves from, with the drilled business in it, connected.
        revoke: Takes the permission away.
        journal: What the calendar is asked; emptied here.
        is_warm: Whether the server has an access token by then.
        integration: Which calendar's permission it is.
        channel: Makes of a request on the phone one on another channel, in a conversation of its own.
    """

    def request(number: int) -> dict[str, Any]:
        return channel(_request(number), f"revoked-{number}", 1)

    async with open_session() as http:
        requests = [request(number) for number in range(CALLERS)]
        if is_warm:
            await post(http, url, premises.request("check_availability", {"date": _day(100)}, "warm"))
        await revoke()
        journal.clear()
        watching = asyncio.create_task(_marks(store, integration))
        answers = await asyncio.gather(*(post(http, url, request) for request in requests))
        upstream = [line["method"] for line in journal]
        journal.clear()
        offered = await _offered(http, url)
        after = [await post(http, url, request(CALLERS + n)) for n in range(3)]
        assert all(answer.status for answer in after)
        later = len(journal)
        # By now every write that follows from the answers has been made: the last of them has been told.
        watching.cancel()
        marks = await watching
    return Seen(Counter(answer.kind for answer in answers), upstream, marks, later, offered)


async def _marks(store: FirestoreStore, integration: str) -> int:
    """Count the versions of the business that carry the mark, until cancelled."""
    versions = set()
    try:
        for _ in itertools.count():
            versions |= await _marked(store, integration)
            await asyncio.sleep(_BETWEEN_LOOKS_S)
    except asyncio.CancelledError:
        versions |= await _marked(store, integration)
    return len(versions)


async def _marked(store: FirestoreStore, integration: str) -> set[datetime]:
    document = await store.get(premises.WITHIN.business)
    connection = document.data["integrations"][integration] if document else {}
    return {document.update_time} if document and connection.get("needsReauth") else set()


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
