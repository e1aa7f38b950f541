"""What one HTTP request says of the conversation that it belongs to: in its headers, its address and its envelope.

The protocol has sessions up to 2025-11-25, whose id we make and remember nowhere; from 2026-07-28 on it has none, and a
client that holds a conversation names it in the address (`?session=`). Without a name each request is a conversation of
its own: two strangers must never meet in one, with what it has established about its caller.
"""

import hashlib
import json
import re
import uuid
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from switchboard.channels.http.request_body import Malformed
from switchboard.contract.caller.outside_id import outside_id
from switchboard.contract.channel import Channel
from switchboard.contract.context import CONTEXTS, Context
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.python.dataclass import dataclass

SESSION_HEADER = "mcp-session-id"
TURN_KEY = "switchboard/turn"
"""In a request's `_meta`: the number of the human turn, from an application that counts them."""
TURN_S = 30
"""How long a turn lasts where nobody counts them: what a model does within it is held against one turn's budget."""
# What is traced is an attempt, and sending a request again is another one.
_OF_AN_ATTEMPT = frozenset({"traceparent", "tracestate", "baggage"})
_SESSION = re.compile(r"[\x21-\x7e]{1,100}(?:~asks\.[0-9a-f]{24})?")
_SHORT = 100
_DIGITS = 13
_MOST_TURNS = 1_000_000_000  # by the clock, too, a turn can be named


@dataclass(frozen=True, slots=True)
class RequestSession:
    """One request's place.

    Attributes:
        business_id: From the credential.
        key_id: The credential's.
        channel: Whose rules hold.
        session_id: The conversation.
        is_named: Whether the client said which conversation; otherwise it is this request's own.
        agent_id: Who answers; None for the agent that does so on the channel.
        asks: Whether the client said, when it opened the session, that it puts questions to its human.
    """

    business_id: str
    key_id: str
    channel: Channel
    session_id: str
    is_named: bool
    agent_id: str | None = None
    asks: bool = False

    def within(self, session_id: str) -> "RequestSession":
        """Return the visit in the conversation that it turned out to go on with."""
        return replace(self, session_id=session_id)

    def fingerprint(self, request_id: str | int | None, params: Mapping[str, Any]) -> str:
        """Return everything but tool and arguments that tells a request from others; its conversation, if it is named.

        It is the same for a request that is sent again. `_meta` counts with what a client says there of itself, of its
        person's turn and of where it wants to hear of progress.
        """
        meta = {key: value for key, value in (params.get("_meta") or {}).items() if key not in _OF_AN_ATTEMPT}
        whose = [self.key_id, self.business_id, self.channel.value, self.agent_id, self.is_named and self.session_id]
        return json.dumps(["mcp", *whose, request_id, meta, params.get("requestState")], sort_keys=True)

    def context(self, call_id: str, turn: int) -> Context:
        """Return the context of one call."""
        return CONTEXTS[self.channel](
            business_id=self.business_id,
            session_id=self.session_id,
            turn=turn,
            call_id=call_id,
            agent_id=self.agent_id,
        )


def new_session() -> str:
    """Return the id of a conversation that begins."""
    return f"mcp_{uuid.uuid4().hex}"


def named_session(headers: Mapping[str, str], query: Mapping[str, str]) -> str | None:
    """Return the conversation that a request names, by header or in its address; None where it names none.

    Raises:
        Malformed: It cannot be a name.
    """
    name = outside_id(headers.get(SESSION_HEADER, "")) or outside_id(query.get("session", ""))
    if name and not _SESSION.fullmatch(name):
        raise Malformed("session", "A session is named by 1 to 100 visible ASCII characters.")
    return name or None


def call_id(request_id: str | int | None, params: Mapping[str, Any], turn: int | str) -> str:
    """Return the delivery's id: the same for a request that is sent again in its turn of its session.

    Args:
        request_id: Of the JSON-RPC request. It tells requests of one connection apart, and a conversation may be gone
            on with by another one, which counts from the start again: what is asked, and when, belongs to it.
        params: Of the call: its `name` and `arguments`.
        turn: The human turn in which it came, or what stands for one.
    """
    # 1 and "1" are two ids in JSON-RPC.
    text = f"rpc_{'s' if isinstance(request_id, str) else 'n'}_{request_id}"
    if len(text) > _SHORT - _DIGITS:
        text = f"rpc_h_{_digest(text)[:40]}"
    asked = json.dumps([params.get("name"), params.get("arguments"), turn], sort_keys=True)
    return f"{text}_{_digest(asked)[: _DIGITS - 1]}"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def turn_of(meta: Mapping[str, Any] | None, now: datetime) -> int:
    """Return the human turn that a call belongs to: as the application counts, or by the clock where none does."""
    counted = counted_turn(meta)
    return int(now.timestamp()) // TURN_S if counted is None else counted


def counted_turn(meta: Mapping[str, Any] | None) -> int | None:
    """Return the turn that the application counts; None where it counts none.

    Raises:
        ToolError: VALIDATION, it says what cannot be one: by the clock instead, it would be told another turn's words.
    """
    number = (meta or {}).get(TURN_KEY)
    if number is None or (isinstance(number, int) and not isinstance(number, bool) and 0 <= number < _MOST_TURNS):
        return number
    raise ToolError(
        ErrorType.VALIDATION,
        f"_meta[{TURN_KEY!r}] must be a whole number that counts the person's turns, such as 1 and then 2; leave it "
        "out where nobody counts them.",
    )
