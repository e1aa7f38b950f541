"""What somebody sends: text, or a click on a button that stands under a question."""

import uuid
from dataclasses import dataclass
from typing import Any, Final

import orjson

from switchboard.channels.http.request_body import Malformed, optional_text
from switchboard.contract.json import JsonObject
from switchboard.conversation.speech.utterance import Utterance

LONGEST_TEXT: Final = 4_000
_BUTTONS: Final = ("yes", "no")


@dataclass(frozen=True, slots=True)
class Message:
    """One message; the same `id` with the same words is the same message, however often it arrives."""

    id: str
    utterance: Utterance

    @property
    def content(self) -> bytes:
        """What it says, so that an id used for something else does not pass for the same message."""
        said = self.utterance
        return orjson.dumps([said.text, said.button, said.question])


def read_message(body: JsonObject) -> Message:
    """Return the message in a request's `messageId`, `text` or `button`, and `question`.

    Raises:
        Malformed: It has neither or both, or one of them is not what it should be.
    """
    given = optional_text(body, "text", longest=LONGEST_TEXT)
    button = optional_text(body, "button")
    text = given.strip() if given is not None else ""
    if (given is None) == (button is None):
        raise Malformed("text", "Send exactly one of text and button.")
    if button is not None and button not in _BUTTONS:
        raise Malformed("button", f"button must be one of {', '.join(_BUTTONS)}.")
    if button is None and not text:
        raise Malformed("text", "text must not be blank.")
    # Without an id each request is a message of its own; repeating it is then not recognised.
    id = optional_text(body, "messageId") or uuid.uuid4().hex
    question = _question(body.get("question")) if button is not None else None
    return Message(id, Utterance(text, button=button or "", question=question))


def _question(value: Any) -> int | None:
    if value is not None and (not isinstance(value, int) or isinstance(value, bool)):
        raise Malformed("question", "question must be the turn of the question that the button answers.")
    return value
