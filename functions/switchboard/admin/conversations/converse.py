"""Holding a conversation for its owner, as any channel would: what was said and done, and what the model was told.

Whatever its tools do is done, as when one is called alone (`playground.py`).
"""

import re
import uuid
from collections.abc import Awaitable, Callable

from starlette.requests import Request
from starlette.responses import Response

from switchboard.admin.access.access import Permit
from switchboard.admin.access.refusal import NotValid
from switchboard.admin.access.roles import Operation
from switchboard.admin.api.answer import json_answer
from switchboard.admin.api.endpoint import Endpoint
from switchboard.admin.api.request_body import json_body
from switchboard.admin.api.schemas import COUNT, FLAG, MAYBE_TEXT, ROWS, TEXT, listed, record
from switchboard.admin.conversations import trial_facts
from switchboard.admin.documents.redaction import without_secrets
from switchboard.contract.context import Context
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import Paths, Store

Converse = Callable[[Context, str, str], Awaitable[JsonObject]]
"""Holds a turn: facts, what is said, and the message's id; see `channels/preview.py`."""

_LONGEST_TEXT = 4_000
_MESSAGE = re.compile(r"[0-9A-Za-z_-]{8,64}")
_SHARED = trial_facts.FIELDS
_FIELDS: dict[str, JsonObject] = {
    **_SHARED,
    "text": {**TEXT, "maxLength": _LONGEST_TEXT, "description": "What the caller says or writes."},
    "messageId": {**TEXT, "description": "Sent again with the same words, it is the same message: one answer."},
}
_BODY: JsonObject = {"type": "object", "required": ["text"], "properties": _FIELDS, "additionalProperties": False}
_NULLABLE: JsonObject = {"type": ["object", "null"]}
_TOOL = record(
    {
        **dict.fromkeys(("callId", "name"), TEXT),
        "args": {"type": ["object", "string", "null"]},
        "ok": FLAG,
        "error": MAYBE_TEXT,
        "elapsedMs": {"type": "number"},
        "receipt": _NULLABLE,
    }
)
_SAW = record(
    {
        **dict.fromkeys(("model", "dialect", "system"), TEXT),
        "requests": COUNT,
        "messages": ROWS,
        "tools": ROWS,
        "leftOut": record(dict.fromkeys(("characters", "messages", "tools"), COUNT)),
    }
)
_ANSWER = record(
    {
        **dict.fromkeys(("sessionId", "channel", "greeting", "said", "outcome"), TEXT),
        "turn": COUNT,
        "agentId": MAYBE_TEXT,
        "tools": listed(_TOOL),
        "intents": listed(record({"type": TEXT, "payload": {"type": "object"}})),
        "asked": {"anyOf": [record({"question": TEXT, "turn": COUNT, "tool": TEXT}), {"type": "null"}]},
        "isOver": FLAG,
        "saw": {"anyOf": [_SAW, {"type": "null"}], "description": "The last request of the turn to the model."},
    }
)


class Conversing:
    """Holds conversations for owners. What the store raises passes through."""

    def __init__(
        self, store: Store, paths: Paths, converse: Callable[[], Converse], caller_number: trial_facts.CallerNumber
    ) -> None:
        """`converse` is asked for what holds a turn when there is one; agents are looked up in `store`."""
        self._store, self._paths = store, paths
        self._converse, self._caller_number = converse, caller_number

    @property
    def endpoints(self) -> tuple[Endpoint, ...]:
        """The endpoint."""
        summary = "Hold a turn of a conversation, really, and tell all about it"
        path = "/businesses/{business_id}/converse"
        return (Endpoint("POST", path, Operation.EDIT_TOOLS, summary, self._answer, _ANSWER, body=_BODY),)

    async def _answer(self, request: Request, permit: Permit) -> Response:
        given = await json_body(request)
        problems = trial_facts.unknown(given, _FIELDS)
        text, message_id = given.get("text"), given.get("messageId") or uuid.uuid4().hex
        is_text = isinstance(text, str) and bool(text.strip()) and len(text) <= _LONGEST_TEXT
        is_id = isinstance(message_id, str) and bool(_MESSAGE.fullmatch(message_id))
        trial_facts.need(problems, "text", is_text, f"what the caller says, of at most {_LONGEST_TEXT} characters")
        trial_facts.need(problems, "messageId", is_id, "8 to 64 letters, digits, - and _")
        facts = trial_facts.read_facts(permit.business_id, given, problems, self._caller_number)
        if facts is None or problems:
            raise NotValid(problems)
        await trial_facts.require_agent(self._store, self._paths, permit.business_id, facts.agent_id)
        told = await self._converse()(facts, given["text"].strip(), message_id)
        told = {"sessionId": facts.session_id, "channel": facts.channel.value, **told}
        return json_answer(without_secrets(told))
