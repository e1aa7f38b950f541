"""What Vapi's messages tell of the conversation around a tool call: which human turn it is, and what was said in it.

Vapi runs the conversation, so that turns are counted from its transcript. An `apiRequest` carries none.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from switchboard.contract.document import items, mapping

# Without a transcript a turn is a stretch of time: about as long as a model calls tools before it speaks.
TURN_S = 5


@dataclass(frozen=True, slots=True)
class LastTurn:
    """The latest human turn of a conversation.

    Attributes:
        number: Counted from 1, or a stretch of time where there is no transcript.
        said: The caller's words in it; empty where they are not known.
        asked: What the assistant said last before it.
    """

    number: int
    said: str = ""
    asked: str = ""


def last_turn(body: Mapping[str, Any], now: datetime) -> LastTurn:
    """Return the latest turn as a request's body tells it, or as the time does where it tells nothing."""
    number, words, told, asked, is_caller = 0, "", "", "", False
    for role, text in _said(body):
        if role == "user":
            words = f"{words} {text}".strip() if is_caller else text
            asked, told = (asked, "") if is_caller else (told, "")
            number += not is_caller
        else:
            told = f"{told} {text}".strip()
        is_caller = role == "user"
    if number:
        return LastTurn(number, words, asked)
    return LastTurn(int(now.timestamp()) // TURN_S)


def _said(body: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield who said what, in order; what is neither of the two that speak is left out."""
    artifact = mapping(mapping(body.get("message")).get("artifact"))
    for rows, field in (("messages", "message"), ("messagesOpenAIFormatted", "content")):
        messages = items(artifact.get(rows))
        if not messages:
            continue
        for row in map(mapping, messages):
            role = row.get("role")
            if role in ("user", "bot", "assistant"):
                yield str(role), str(row.get(field) or "")
        return
