"""A salon with people, hours and prices, and conversations in which something was looked up, booked or taken there."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, time
from typing import Any

from switchboard.contract.business.business import Business, Service
from switchboard.contract.business.resources import Resource
from switchboard.contract.business.working_hours import Opening, WorkingHours
from switchboard.contract.call import ToolCall
from switchboard.contract.model import Spoken, ToolMessage
from switchboard.contract.response import ToolResponse
from switchboard.conversation.session import CallSession
from tests.conversation.claims.guarded import gets_through, guard_of
from tests.conversation.claims.test_claim_words import BUSINESS, DEFINITIONS, ZONE, after, done

# A Monday.
NOW = datetime(2026, 11, 30, 11, 0, tzinfo=ZONE)
OPEN = WorkingHours({day: (Opening(time(9), time(18)),) for day in range(1, 6)})
SALON = replace(
    BUSINESS,
    services=(
        Service("Haircut", 30, "$48", "Consultation, wash and cut for any hair length."),
        Service("Color", 90, "from $135", "Root touch-up or all-over color."),
        Service("Kids' cut", 30, "$28"),
        Service("Highlights", 120, "from $165"),
        Service("Styling class", 90, "$40 each"),
    ),
    resources=(
        Resource("rosa", "Rosa", hours=WorkingHours({day: (Opening(time(9), time(18)),) for day in range(1, 5)})),
        Resource("marcus", "Marcus"),
        Resource("dana", "Dana"),
    ),
    working_hours=OPEN,
)
FRIDAY_HALF_PAST_TWO = "2026-12-04T14:30:00-05:00"
FRIDAY_TEN = "2026-12-04T10:00:00-05:00"
WEDNESDAY_FOUR = "2026-12-09T16:00:00-05:00"

Call = tuple[str, dict[str, Any], dict[str, Any], dict[str, Any]]


def heard(words: str, *calls: Call) -> CallSession:
    """Return a conversation in which a caller said this and these calls came to something: arguments, data, meta."""
    session = after()
    session.begin_turn()
    session.history.heard(words)
    for number, (tool, arguments, data, meta) in enumerate(calls):
        call, response = ToolCall(tool, arguments, f"c{number}"), ToolResponse(data=data, meta=meta)
        session.history.add(Spoken("", (call,)))
        session.history.add(ToolMessage(call.call_id, tool, response))
        session.note(call, response, 1.0)
    return session


def asked(words: str = "Hello, I have a question.") -> CallSession:
    return heard(words)


def taken(words: str = "Please tell Rosa that I want to talk about highlights.", *before: Call) -> CallSession:
    tool, receipt, arguments = done(
        "take_message", "message", "Ana", id="ms_1", message="Wants to talk about highlights"
    )
    data = {"taken": True, "messageId": "ms_1", "repeated": False, "callbackPhone": "+15185550161"}
    return heard(words, *before, (tool, arguments, data, {"receipt": receipt}))


def found() -> CallSession:
    data: dict[str, Any] = {"available": True, "conflicts": [], "openTimes": [FRIDAY_HALF_PAST_TWO]}
    data |= {"service": "Haircut", "freeWith": ["Rosa", "Marcus", "Dana"], "asked": FRIDAY_HALF_PAST_TWO}
    return heard("Is Friday at half past two free?", ("check_availability", {"date": "2026-12-04T14:30:00"}, data, {}))


def day_found(*, is_full: bool = False) -> CallSession:
    free = [{"date": "2026-12-04", "times": "Friday 9:00 to 12:00, 16:30", "with": ["Rosa", "Dana 9:00 to 10:00"]}]
    conflict = {"start": "2026-12-04T09:00:00-05:00", "end": "2026-12-04T18:00:00-05:00", "reason": "taken"}
    data = {"available": not is_full, "conflicts": [conflict] if is_full else [], "openTimes": []}
    data |= {} if is_full else {"free": free}
    return heard("What do you have on Friday?", ("check_availability", {"date": "2026-12-04"}, data, {}))


def booked() -> CallSession:
    tool, receipt, arguments = done("book_appointment", "Haircut", "Ana Rivas", WEDNESDAY_FOUR, "bk_1")
    data = {"booked": True, "bookingId": "bk_1", "service": "Haircut", "startTime": WEDNESDAY_FOUR, "price": "$48"}
    meta = {"receipt": {**receipt, "with": "Rosa"}}
    return heard("A haircut with Rosa on Wednesday the ninth at four, please.", (tool, arguments, data, meta))


def looked() -> CallSession:
    row: dict[str, Any] = {
        "bookingId": "bk_7",
        "service": "Haircut",
        "startTime": FRIDAY_TEN,
        "endTime": "2026-12-04T10:30:00-05:00",
    }
    row |= {"status": "confirmed", "customerName": "Ana Rivas", "isPast": False, "with": "Marcus"}
    return heard("When is my appointment?", ("lookup_appointment", {}, {"appointments": [row]}, {}))


def knowledge(text: str) -> Call:
    """Return a call that asked the business's knowledge, which said this."""
    return "search_knowledge", {"query": "x"}, {"passages": [{"text": text}]}, {}


def knows(text: str) -> CallSession:
    """Return a conversation in which that was done."""
    return heard("Hello.", knowledge(text))


def is_said(sentence: str, session: CallSession, business: Business = SALON, calls: Sequence[str] = ()) -> bool:
    """Tell whether a sentence gets through whole when a model says it, and calls these tools behind it."""
    return gets_through(guard_of(session, business, NOW, DEFINITIONS), sentence, calls)
