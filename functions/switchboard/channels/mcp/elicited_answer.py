"""A question to the human, carried by the client: what it is about is sealed, so that only the answer is the client's.

From 2026-07-28 on a server asks by its result (`input_required`) and the client calls again with the answer. What goes
with the question comes back through hands that are not ours (`requestState`): it is signed, bound to the credential,
and says which question of which conversation is answered. It approves nothing by itself: the answer is held against
the proposal that the session holds, once, as words, keys and buttons are.
"""

import base64
import hashlib
import hmac
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import orjson

from switchboard.channels.mcp.request_session import RequestSession
from switchboard.contract.json import JsonObject
from switchboard.contract.policy import CONFIRMATION_S
from switchboard.pipeline.confirmation.consent import Reply

NAME = "confirm"
"""The question's name among a result's `inputRequests`."""
_LONGEST = 2_000
MOST_ROUNDS = 2
"""How often one call may ask: again only after a yes that could not count, and then once."""


@dataclass(frozen=True, slots=True)
class Question:
    """Which question an answer belongs to.

    Attributes:
        session_id: The conversation.
        tool: What asked.
        turn: The human turn in which it was asked.
        round: How many times its call has asked, this time included.
    """

    session_id: str
    tool: str
    turn: int
    round: int


def reply(responses: Mapping[str, Any] | None) -> Reply | None:
    """Return what the human answered; None where nothing came.

    Only accepting is a yes. Whatever else they did with the question, closing it included, is a no: it is not put to
    them again.
    """
    answer = (responses or {}).get(NAME)
    if not isinstance(answer, Mapping):
        return None
    return "yes" if answer.get("action") == "accept" else "no"


class ElicitedQuestions:
    """Asks, and recognises what it asked."""

    def __init__(self, key: bytes) -> None:
        """Sign with `key`, the same in every process."""
        self._key = key

    def ask(
        self, visit: RequestSession, tool: str, turn: int, words: str, now: datetime, *, round: int = 1
    ) -> JsonObject:
        """Return the result of a call that waits for the human's yes to these words, asked for the `round`th time."""
        ends = int((now + timedelta(seconds=CONFIRMATION_S)).timestamp())
        body = orjson.dumps([visit.business_id, visit.key_id, visit.session_id, tool, turn, ends, round])
        # The form is empty: the whole answer is whether it is sent.
        form: JsonObject = {"type": "object", "properties": {}}
        asked = {"method": "elicitation/create", "params": {"mode": "form", "message": words, "requestedSchema": form}}
        state = f"{_text(body)}.{_text(self._mac(body))}"
        return {"resultType": "input_required", "inputRequests": {NAME: asked}, "requestState": state}

    def asked(self, visit: RequestSession, tool: str, state: str | None, now: datetime) -> Question | None:
        """Return the question that a state was given with; None where it is none of ours to this client, or too old."""
        body, _, mac = (state or "")[:_LONGEST].partition(".")
        try:
            raw, signature = _bytes(body), _bytes(mac)
        except ValueError:
            return None
        if not hmac.compare_digest(signature, self._mac(raw)):
            return None
        business_id, key_id, session_id, about, turn, ends, round = orjson.loads(raw)
        if (business_id, key_id, about) != (visit.business_id, visit.key_id, tool) or now.timestamp() >= ends:
            return None
        if visit.is_named and visit.session_id != session_id:
            return None
        return Question(session_id, about, turn, round)

    def _mac(self, body: bytes) -> bytes:
        return hmac.new(self._key, b"mcp question 2|" + body, hashlib.sha256).digest()


def _text(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def _bytes(text: str) -> bytes:
    return base64.b64decode(text.encode("ascii") + b"=" * (-len(text) % 4), altchars=b"-_", validate=True)
