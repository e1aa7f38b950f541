"""Holding a conversation for its owner, as any channel would: what was said and done, and what the model was told.

Whatever its tools do is done, as when one is called alone (`playground.py`).
"""

import uuid
from collections.abc import Awaitable, Callable

from starlette.responses import Response

from switchboard.admin.access.roles import Operation
from switchboard.admin.api.answer import json_answer
from switchboard.admin.api.endpoint import Endpoint
from switchboard.admin.api.serving import Caller
from switchboard.admin.conversations.trial_facts import context_of, require_agent
from switchboard.admin.conversations.trial_models import ConverseAnswer, ConverseTurn
from switchboard.admin.documents.redaction import without_secrets
from switchboard.contract.context import Context
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import Paths, Store

Converse = Callable[[Context, str, str], Awaitable[JsonObject]]
"""Holds a turn: facts, what is said, and the message's id; see `channels/preview.py`."""


class Conversing:
    """Holds conversations for owners. What the store raises passes through."""

    def __init__(self, store: Store, paths: Paths, converse: Callable[[], Converse]) -> None:
        """`converse` is asked for what holds a turn when there is one; agents are looked up in `store`."""
        self._store, self._paths, self._converse = store, paths, converse

    @property
    def endpoints(self) -> tuple[Endpoint, ...]:
        """The endpoint."""
        summary = "Hold a turn of a conversation, really, and tell all about it"
        path = "/businesses/{business_id}/converse"
        return (Endpoint("POST", path, Operation.EDIT_TOOLS, summary, self._answer, ConverseAnswer),)

    async def _answer(self, permit: Caller, body: ConverseTurn) -> Response:
        facts = context_of(permit.business_id, body)
        await require_agent(self._store, self._paths, permit.business_id, facts.agent_id)
        held = await self._converse()(facts, body.text.strip(), body.message_id or uuid.uuid4().hex)
        return json_answer(without_secrets({"sessionId": facts.session_id, "channel": facts.channel.value, **held}))
