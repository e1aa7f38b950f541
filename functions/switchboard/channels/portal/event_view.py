"""What a browser is told of a conversation: events reduced to what whoever is in front of it may know."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, assert_never

from switchboard.contract.json import JsonObject
from switchboard.contract.response import CALLERS_WORDS, Intent, IntentType
from switchboard.conversation.event import Effect, Event, QuestionAsked, Text, ToolFinished, ToolStarted, TurnEnded

# Where people are sent, and what the model is told about them, is not for browsers; what is, is named here.
_PAYLOAD: Final[Mapping[IntentType, tuple[str, ...]]] = {
    IntentType.START_VOICE_SESSION: ("reason",),
    IntentType.SWITCH_AGENT: ("name", "language"),
}
# What is done about a caller is no receipt for the caller.
_ABOUT_CALLERS: Final = frozenset({"flag_caller", "ignore_user"})
_PHONE = re.compile(r"\+?\d(?:[\s()/.-]*\d){6,}")


@dataclass(frozen=True, slots=True)
class EventView:
    """One event as it goes out: its name, and its data as JSON."""

    name: str
    data: JsonObject


class Showing:
    """Turns the events of one turn into what is shown of them."""

    def __init__(self) -> None:
        """Start a turn."""
        self._labels: dict[str, str] = {}

    def of(self, event: Event, turn: int) -> list[EventView]:
        """Return what is shown of an event, in order; nothing for what is not for browsers."""
        match event:
            case Text():
                return [EventView("text", {"text": event.text, "filler": event.is_filler})] if event.text else []
            case ToolStarted():
                self._labels[event.call_id] = event.label
                return [self._tool(event.call_id, event.name, {"state": "started"})]
            case ToolFinished():
                response = event.response
                outcome = {"state": "finished", "ok": response.ok, "elapsedMs": event.elapsed_ms}
                shown = [self._tool(event.call_id, event.name, outcome)]
                receipt = response.meta.get("receipt") if response.ok else None
                if (told := receipt_told(event.name, receipt)) is not None:
                    shown.append(EventView("receipt", {"callId": event.call_id, **told}))
                return shown
            case QuestionAsked():
                return [EventView("ask", {"question": event.question, "turn": event.turn, "tool": event.tool})]
            case Effect() if event.intent == CALLERS_WORDS:
                # For whoever writes the conversation down.
                return []
            case Effect():
                return [EventView("intent", _intent(event.intent))]
            case TurnEnded():
                return [EventView("done", {"outcome": event.outcome.value, "turn": turn})]
            case _:
                assert_never(event)

    def _tool(self, call_id: str, name: str, state: JsonObject) -> EventView:
        return EventView("tool", {"callId": call_id, "name": name, "label": self._labels.get(call_id, ""), **state})


def receipt_told(tool: str, receipt: Any) -> JsonObject | None:
    """Return what is shown of a receipt: `{tool, what, for, when}`; None where there is nothing to be shown.

    `when` is local time of the business in ISO form; `for` is None where it holds a phone number.
    """
    if tool in _ABOUT_CALLERS or not isinstance(receipt, Mapping):
        return None
    told: JsonObject = {"tool": tool, **{name: _plain(receipt.get(name)) for name in ("what", "for", "when")}}
    if told["for"] is not None and _PHONE.search(told["for"]):
        told["for"] = None
    return told


def _plain(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _intent(intent: Intent) -> JsonObject:
    names = _PAYLOAD.get(intent.type, ())
    payload = {name: _PHONE.sub("…", text) for name in names if (text := _plain(intent.payload.get(name)))}
    return {"type": intent.type.value, "payload": payload}
