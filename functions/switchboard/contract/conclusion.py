"""What came of a conversation that is over, on every channel alike.

While it goes on, its record says how its last turn ended; when it is over, by a goodbye, by hanging up or by silence,
it says this.
"""

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Any, Final

from switchboard.contract.business.chat_person import ANSWERING_PERSON

_BOOKING = frozenset({"book_appointment", "reschedule_appointment", "create_event"})
_TAKING_BACK = "cancel_appointment"
_LEAVING_WORD = "take_message"


class Conclusion(StrEnum):
    """What came of it; the value is what stands in the record's `outcome`."""

    BOOKED = "booked"
    """Something was entered into the calendar, or moved there, and was not taken back."""
    HANDED_OVER = "handed_over"
    """A person has it now: the caller was put through, is answered by somebody in a chat, or left a message."""
    ANSWERED = "answered"
    """Whatever the caller said was answered."""
    LEFT = "left"
    """The caller went before they had an answer, before they had answered, or without a word."""


TAKEN_OVER: Final = "takenOver"
"""The field of a record that says which person has taken the call over: `{at, by, to, destinationId, state}`."""
OUTCOMES = ("answered", "booked", "handed_over", "left", "ended", "transferred", "interrupted", "failed")
"""Everything that a record's `outcome` may be: what came of it, or how its last turn ended while it goes on.

Records of earlier versions say how the last turn ended also of what is over.
"""
# How a last turn ends that leaves somebody without an answer.
_CUT_SHORT = ("interrupted", "failed")


def concluded(
    outcome: str, *, turns: int, is_asked: bool, receipts: Iterable[tuple[str, Mapping[str, Any]]]
) -> Conclusion:
    """Return what came of a conversation.

    Args:
        outcome: How its last turn ended, or what its record says of it.
        turns: How often the caller said something.
        is_asked: Whether a question was still open to which the caller said neither yes nor no.
        receipts: What was done, in order: the tool, and what its receipt says.
    """
    done = [(tool, _effects(receipt)) for tool, receipt in receipts]
    standing: dict[str, None] = {}
    for tool, effects in done:
        if tool in _BOOKING:
            standing |= dict.fromkeys(effects or [""])
        elif tool == _TAKING_BACK:
            for effect in effects:
                standing.pop(effect, None)
    if standing:
        return Conclusion.BOOKED
    if outcome in ("transferred", Conclusion.HANDED_OVER) or any(tool == _LEAVING_WORD for tool, _ in done):
        return Conclusion.HANDED_OVER
    is_cut_short = outcome in (*_CUT_SHORT, Conclusion.LEFT) or is_asked or turns == 0
    return Conclusion.LEFT if is_cut_short else Conclusion.ANSWERED


def last_outcome(record: Mapping[str, Any]) -> str:
    """Return how the last turn of a record's conversation ended, which whoever took it over has cut short."""
    is_with_person = record.get(TAKEN_OVER) or record.get(ANSWERING_PERSON)
    return "transferred" if is_with_person else str(record.get("outcome") or "")


def _effects(receipt: Mapping[str, Any]) -> list[str]:
    ids = receipt.get("effectIds")
    return [str(id) for id in ids] if isinstance(ids, list | tuple) else []
