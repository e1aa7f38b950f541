"""The owners' HTTP API for messages that callers have left: `/businesses/{id}/messages…`."""

from typing import Annotated

from fastapi import Query
from starlette.responses import Response

from switchboard.admin.access.roles import Operation
from switchboard.admin.api.answer import json_answer, saved_answer
from switchboard.admin.api.endpoint import Endpoint
from switchboard.admin.api.serving import BasedOn, Caller
from switchboard.admin.messages.inbox import MessageInbox
from switchboard.admin.messages.models import MessageHandled, MessageList, MessageQuery, MessageShown


class MessageEndpoints:
    """`/businesses/{id}/messages…`."""

    def __init__(self, inbox: MessageInbox) -> None:
        self._inbox = inbox

    @property
    def endpoints(self) -> tuple[Endpoint, ...]:
        """All of them."""
        base, see, edit = "/businesses/{business_id}/messages", Operation.SEE_CONVERSATIONS, Operation.EDIT_BUSINESS
        one, handle = f"{base}/{{message_id}}", "Note what was done about a message"
        return (
            Endpoint("GET", base, see, "List messages of callers, the newest first", self._list, MessageList),
            Endpoint("GET", one, see, "Read a message of a caller", self._one, MessageShown, tells_revision=True),
            Endpoint("PATCH", one, edit, handle, self._handle, MessageShown, is_revisioned=True),
        )

    async def _list(self, permit: Caller, query: Annotated[MessageQuery, Query()]) -> Response:
        words = (query.text or "").strip()
        part = await self._inbox.listed(permit.business_id, query.page(1), query.show or "open", words)
        return json_answer({"messages": part.items, "nextCursor": part.next_cursor})

    async def _one(self, permit: Caller, message_id: str) -> Response:
        shown = await self._inbox.one(permit.business_id, message_id)
        return json_answer(shown, revision=shown["revision"])

    async def _handle(self, permit: Caller, message_id: str, based_on: BasedOn, body: MessageHandled) -> Response:
        shown, saved = await self._inbox.handle(permit, message_id, based_on, body.sent())
        return saved_answer(shown, saved)
