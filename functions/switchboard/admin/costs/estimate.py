"""What a month read, wrote and deleted at Firestore, estimated from what was counted.

Nothing counts documents by business: a store that did would write for it. So what is counted is multiplied by what one
of each was measured to take (the table "What it costs" in docs/operations.md, which `scripts/bench dollars` makes).
"""

from collections.abc import Mapping
from typing import Any, Final

from switchboard.admin.costs.used import CONVERSATIONS, KINDS, TOOL_CALLS
from switchboard.contract.channel import Channel
from switchboard.contract.definitions.definition import Kind
from switchboard.contract.document import integer, mapping
from switchboard.contract.python.dataclass import dataclass

BOOKING_TOOLS: Final = frozenset({"book_appointment", "reschedule_appointment"})


@dataclass(frozen=True, slots=True)
class DocumentCounts:
    """Documents that something reads, writes and deletes; what expires later is deleted too."""

    reads: int = 0
    writes: int = 0
    deletes: int = 0

    def times(self, count: int) -> "DocumentCounts":
        """Return what so many of it take."""
        return DocumentCounts(self.reads * count, self.writes * count, self.deletes * count)

    def __add__(self, other: "DocumentCounts") -> "DocumentCounts":
        """Return both together."""
        return DocumentCounts(self.reads + other.reads, self.writes + other.writes, self.deletes + other.deletes)


LOOK_UP: Final = DocumentCounts(2, 2, 1)
"""The dearer of those that were measured, `check_availability`."""
ACTION: Final = DocumentCounts(0, 7, 4)
BOOKING: Final = DocumentCounts(1, 13, 9)
TURN: Final = DocumentCounts(2, 2, 0)
"""One of the portal without its look-up."""
PHONE_TURN: Final = DocumentCounts(2, 2, 0)
"""One of the phone without its look-up: whether a caller is blocked was asked when the call came in."""
PHONE_CALL: Final = DocumentCounts(3, 6, 3)
"""A phone call without its turns and their look-ups."""
COUNTING_A_CALL: Final = DocumentCounts(1, 0, 0)
COUNTING_A_CONVERSATION: Final = DocumentCounts(1, 1, 0)


def estimated_documents(sums: Mapping[str, Any]) -> DocumentCounts:
    """Return what a month's sums took at Firestore, about; lists of tools and owners' pages are not in it."""
    kinds, tools = mapping(sums.get(KINDS)), mapping(sums.get(TOOL_CALLS))
    bookings = sum(integer(tools.get(name)) for name in BOOKING_TOOLS)
    actions = max(0, integer(kinds.get(Kind.ACTION.value)) - bookings)
    calls = sum(integer(count) for count in kinds.values())
    conversations = {channel: mapping(value) for channel, value in mapping(sums.get(CONVERSATIONS)).items()}
    phone = conversations.get(Channel.PHONE.value, {})
    phone_calls, phone_turns = integer(phone.get("count")), integer(phone.get("turns"))
    turns = sum(integer(one.get("turns")) for one in conversations.values()) - phone_turns
    talks = sum(integer(one.get("count")) for one in conversations.values())
    return (
        LOOK_UP.times(max(0, calls - actions - bookings))
        + ACTION.times(actions)
        + BOOKING.times(bookings)
        + TURN.times(turns)
        + PHONE_TURN.times(phone_turns)
        + PHONE_CALL.times(phone_calls)
        + COUNTING_A_CALL.times(calls)
        + COUNTING_A_CONVERSATION.times(talks)
    )
