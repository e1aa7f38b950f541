"""The owners' HTTP API for messages that callers have left: `/businesses/{id}/messages…`."""

from typing import Annotated

from fastapi import Query
from starlette.responses import Response

from switchboard.admin.access.roles import Operation
from switchboard.admin.api.answer import json_answer, revised_answer, saved_answer
from switchboard.admin.api.endpoint import EndpointGroup, endpoint
from switchboard.admin.api.serving import BasedOn, Caller
from switchboard.admin.messages.inbox import MessageInbox
from switchboard.admin.messages.models import MessageHandled, MessageList, MessageQuery, MessageShown


class MessageEndpoints(EndpointGroup):
    """`/businesses/{id}/messages…`."""

    _BASE, _SEE, _EDIT = "/businesses/{business_id}/messages", Operation.SEE_CONVERSATIONS, Operation.EDIT_BUSINESS
    _ONE = f"{_BASE}/{{message_id}}"

    def __init__(self, inbox: MessageInbox) -> None:
        self._inbox = inbox

    @endpoint("GET", _BASE, _SEE, MessageList)
    async def _list(self, permit: Caller, query: Annotated[MessageQuery, Query()]) -> Response:
        """List messages of callers, the newest first."""
        words = (query.text or "").strip()
        part = await self._inbox.listed(permit.business_id, query.page(1), query.show or "open", words)
        return json_answer({"messages": part.items, "nextCursor": part.next_cursor})

    @endpoint("GET", _ONE, _SEE, MessageShown, tells_revision=True)
    async def _one(self, permit: Caller, message_id: str) -> Response:
        """Read a message of a caller."""
        return revised_answer(await self._inbox.one(permit.business_id, message_id))

    @endpoint("PATCH", _ONE, _EDIT, MessageShown, is_revisioned=True)
    async def _handle(self, permit: Caller, message_id: str, based_on: BasedOn, body: MessageHandled) -> Response:
        """Note what was done about a message."""
        return saved_answer(*await self._inbox.handle(permit, message_id, based_on, body.sent()))
