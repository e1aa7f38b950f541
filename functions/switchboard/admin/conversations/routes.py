"""The owners' HTTP API for conversations: calls and chats with their transcripts, sessions, ledgers and receipts."""

from dataclasses import replace
from typing import Annotated

from fastapi import Query
from starlette.responses import Response

from switchboard.admin.access.access import Permit
from switchboard.admin.access.refusal import NotFound
from switchboard.admin.access.roles import Operation
from switchboard.admin.api.answer import json_answer
from switchboard.admin.api.endpoint import EndpointGroup, endpoint
from switchboard.admin.api.paging import Slice
from switchboard.admin.api.serving import Caller
from switchboard.admin.conversations.call_values import CallValues, without_words
from switchboard.admin.conversations.explain import calls, explain, receipts
from switchboard.admin.conversations.explanation_models import CallExplained, ExplainQuery, SessionExplained
from switchboard.admin.conversations.models import (
    SORT_KEYS,
    TABLE_ROWS,
    ConversationList,
    ConversationPaging,
    ConversationQuery,
    ConversationShown,
    ConversationTable,
    LedgerCallList,
    ReceiptList,
    SessionList,
    SessionQuery,
    SessionShown,
    TableQuery,
)
from switchboard.admin.conversations.records import InteractionRecords, session_of, whole
from switchboard.admin.conversations.records_table import records_table
from switchboard.admin.conversations.session_records import SessionRecords
from switchboard.catalog.offer.catalog import Catalog
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import Paths, Store


class ConversationEndpoints(EndpointGroup):
    """The endpoints below `/admin/businesses/{business_id}` that are about its conversations."""

    _OWN, _SEE = "/businesses/{business_id}", Operation.SEE_CONVERSATIONS
    _INTERACTION, _SESSION = f"{_OWN}/interactions/{{interaction_id}}", f"{_OWN}/sessions/{{session_id}}"

    def __init__(self, interactions: InteractionRecords, sessions: SessionRecords) -> None:
        self._interactions, self._sessions = interactions, sessions

    @endpoint("GET", f"{_OWN}/interactions", _SEE, ConversationList)
    async def _list(self, permit: Caller, query: Annotated[ConversationQuery, Query()]) -> Response:
        """List calls and chats, the newest first."""
        listed = await self._interactions.listed(permit.business_id, query.wanted(), query.page(SORT_KEYS))
        return json_answer(_page("interactions", listed.page) | {"scanned": listed.scanned})

    @endpoint("GET", f"{_OWN}/interactions-table", _SEE, ConversationTable)
    async def _table(self, permit: Caller, query: Annotated[TableQuery, Query()]) -> Response:
        """List calls and chats as CSV, the newest first."""
        page = query.page(SORT_KEYS, TABLE_ROWS)
        listed = await self._interactions.listed(permit.business_id, query.wanted(), page)
        lines, may_see = listed.page.items, permit.may(Operation.SEE_PERSONAL_VALUES)
        table = records_table(lines, may_see_personal=may_see, is_first=page.after is None)
        answer: JsonObject = {"csv": table, "rows": len(lines), "nextCursor": listed.page.next_cursor}
        return json_answer(answer | {"scanned": listed.scanned})

    @endpoint("GET", _INTERACTION, _SEE, ConversationShown)
    async def _read(self, permit: Caller, interaction_id: str) -> Response:
        """Read a call or chat with its transcript."""
        return json_answer(whole(await self._interactions.read(permit.business_id, interaction_id)))

    @endpoint("GET", f"{_INTERACTION}/calls", _SEE, LedgerCallList)
    async def _calls_of_interaction(
        self, permit: Caller, interaction_id: str, query: Annotated[ConversationPaging, Query()]
    ) -> Response:
        """List the tool calls of a call or chat, in order."""
        session_id = session_of(await self._interactions.read(permit.business_id, interaction_id))
        return await self._listed_calls(permit, session_id, query)

    @endpoint("GET", f"{_INTERACTION}/receipts", _SEE, ReceiptList)
    async def _receipts_of_interaction(self, permit: Caller, interaction_id: str) -> Response:
        """List what was done in a call or chat, in order."""
        session_id = session_of(await self._interactions.read(permit.business_id, interaction_id))
        return json_answer({"receipts": await self._sessions.receipts(permit.business_id, session_id)})

    @endpoint("GET", f"{_OWN}/sessions", _SEE, SessionList)
    async def _list_sessions(self, permit: Caller, query: Annotated[SessionQuery, Query()]) -> Response:
        """List sessions, the newest first."""
        text = (query.caller or "").strip()
        caller = await self._sessions.number_of(permit.business_id, text) if text else None
        listed = await self._sessions.listed(permit.business_id, query.page(SORT_KEYS), caller)
        return json_answer(_page("sessions", listed))

    @endpoint("GET", _SESSION, _SEE, SessionShown)
    async def _session(self, permit: Caller, session_id: str) -> Response:
        """Read a session with its receipts."""
        return json_answer(await self._sessions.read(permit.business_id, session_id))

    @endpoint("GET", f"{_SESSION}/calls", _SEE, LedgerCallList)
    async def _calls(self, permit: Caller, session_id: str, query: Annotated[ConversationPaging, Query()]) -> Response:
        """List the tool calls of a session, in order."""
        await self._sessions.read(permit.business_id, session_id)
        return await self._listed_calls(permit, session_id, query)

    async def _listed_calls(self, permit: Permit, session_id: str, query: ConversationPaging) -> Response:
        calls = await self._sessions.calls(permit.business_id, session_id, query.page(SORT_KEYS))
        may_see = permit.may(Operation.SEE_PERSONAL_VALUES)
        shown = [without_words(call, may_see_personal=may_see) for call in calls.items]
        return json_answer({"calls": shown, "nextCursor": calls.next_cursor})

    @endpoint("GET", f"{_SESSION}/receipts", _SEE, ReceiptList)
    async def _receipts(self, permit: Caller, session_id: str) -> Response:
        """List what was done in a session, in order."""
        session = await self._sessions.read(permit.business_id, session_id)
        return json_answer({"receipts": session["receiptList"]})


class ExplanationEndpoints(EndpointGroup):
    """`/admin/explain`, which tells why a call ended as it did."""

    def __init__(self, store: Store, paths: Paths, catalog: Catalog) -> None:
        """Explain what stands in `store`; `catalog` knows how tools declare their values."""
        self._store, self._paths, self._values = store, paths, CallValues(store, paths, catalog)

    @endpoint("GET", "/explain", Operation.SEE_CONVERSATIONS, CallExplained | SessionExplained, is_named_in_query=True)
    async def _explain(self, permit: Caller, query: Annotated[ExplainQuery, Query()]) -> Response:
        """Tell why a call ended as it did, or list a session's calls."""
        within = (self._store, self._paths, permit.business_id, query.session)
        explanation = await explain(*within, query.call) if query.call else None
        if explanation is not None:
            may_see = permit.may(Operation.SEE_PERSONAL_VALUES)
            values = await self._values.of(permit.business_id, query.session, query.call, may_see_personal=may_see)
            # Its sentences quote a tool that says no.
            told = (explanation if may_see else replace(explanation, reason="")).to_json()
            outcome = told["outcome"]
            if outcome is not None:
                told["outcome"] = without_words(outcome, may_see_personal=may_see)
            return json_answer(told | values)
        lines = await calls(*within)
        if not lines:
            raise NotFound("The ledger holds no calls of this session.", "session")
        if query.call:
            raise NotFound("This session has no such call; leave call out to list them.", "call")
        body: JsonObject = {"businessId": permit.business_id, "sessionId": query.session}
        return json_answer(body | {"receipts": await receipts(*within), "calls": [line.to_json() for line in lines]})


def _page(name: str, page: Slice[JsonObject]) -> JsonObject:
    return {name: page.items, "nextCursor": page.next_cursor}
