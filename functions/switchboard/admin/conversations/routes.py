"""The owners' HTTP API for conversations: calls and chats with their transcripts, sessions, ledgers and receipts."""

from starlette.requests import Request
from starlette.responses import Response

from switchboard.admin.access.access import Permit
from switchboard.admin.access.roles import Operation
from switchboard.admin.api.answer import json_answer
from switchboard.admin.api.endpoint import Endpoint
from switchboard.admin.api.paging import Slice, read_page
from switchboard.admin.api.request_body import wanted_interactions
from switchboard.admin.api.schemas import (
    ANYTHING,
    COUNT,
    FLAG,
    MAYBE_NUMBER,
    MAYBE_TEXT,
    MAYBE_TIME,
    PAGING,
    PERIOD,
    ROWS,
    TEXT,
    TEXTS,
    TIME,
    listed,
    paged,
    record,
)
from switchboard.admin.conversations.records import InteractionRecords, session_of, whole
from switchboard.admin.conversations.session_records import SessionRecords
from switchboard.contract.json import JsonObject

_SUMMARY: JsonObject = {
    "id": TEXT,
    "sessionId": MAYBE_TEXT,
    "channel": MAYBE_TEXT,
    "outcome": MAYBE_TEXT,
    "startedAt": MAYBE_TIME,
    "endedAt": MAYBE_TIME,
    "durationSeconds": MAYBE_NUMBER,
    "turns": MAYBE_NUMBER,
    "callerPhone": MAYBE_TEXT,
    "callerId": MAYBE_TEXT,
    "tools": TEXTS,
    "failedTools": TEXTS,
    "isTrial": FLAG,
    "receipts": COUNT,
}
_LINE = record({**_SUMMARY, "excerpt": TEXT}, optional=("excerpt",))
_WHOLE = record({**_SUMMARY, "transcript": ROWS, "toolCalls": ROWS, "receiptList": ROWS})
_SESSION: JsonObject = {
    "id": TEXT,
    "channel": MAYBE_TEXT,
    "startedAt": MAYBE_TIME,
    "changedAt": TIME,
    "turnsKept": listed(COUNT),
    "verification": {"type": ["object", "null"]},
    "receipts": COUNT,
}
_CALL = record(
    {
        "id": TEXT,
        "tool": MAYBE_TEXT,
        "kind": MAYBE_TEXT,
        "channel": MAYBE_TEXT,
        "turn": MAYBE_NUMBER,
        "state": MAYBE_TEXT,
        "startedAt": MAYBE_TIME,
        "finishedAt": MAYBE_TIME,
        "elapsedMs": MAYBE_NUMBER,
        "ok": {"type": ["boolean", "null"]},
        "error": MAYBE_TEXT,
        "isFailure": FLAG,
        "message": MAYBE_TEXT,
        "hasReceipt": FLAG,
    }
)
_RECEIPTS = record({"receipts": listed(ANYTHING)})
_TEXT_SEARCH = {
    "text": {**TEXT, "description": "Only where somebody said this, or a tool or the caller's number has it."},
    "trials": {
        **TEXT,
        "description": "1 lists those that owners held to try things out, which are not among the others.",
    },
}


class ConversationEndpoints:
    """The endpoints below `/admin/businesses/{business_id}` that are about its conversations."""

    def __init__(self, interactions: InteractionRecords, sessions: SessionRecords) -> None:
        """Answer from these."""
        self._interactions, self._sessions = interactions, sessions

    @property
    def endpoints(self) -> tuple[Endpoint, ...]:
        """All of them."""
        own = "/businesses/{business_id}"
        interaction, session = f"{own}/interactions/{{interaction_id}}", f"{own}/sessions/{{session_id}}"
        see = Operation.SEE_CONVERSATIONS
        return (
            Endpoint(
                *("GET", f"{own}/interactions", see, "List calls and chats, the newest first", self._list),
                paged("interactions", _LINE, scanned=COUNT),
                query={**PAGING, **PERIOD, **_TEXT_SEARCH},
            ),
            Endpoint("GET", interaction, see, "Read a call or chat with its transcript", self._read, _WHOLE),
            Endpoint(
                *("GET", f"{interaction}/calls", see, "List the tool calls of a call or chat, in order"),
                *(self._calls_of_interaction, paged("calls", _CALL)),
                query=PAGING,
            ),
            Endpoint(
                *("GET", f"{interaction}/receipts", see, "List what was done in a call or chat, in order"),
                *(self._receipts_of_interaction, _RECEIPTS),
            ),
            Endpoint(
                *("GET", f"{own}/sessions", see, "List sessions, the newest first", self._list_sessions),
                paged("sessions", record(_SESSION)),
                query=PAGING,
            ),
            Endpoint(
                *("GET", session, see, "Read a session with its receipts", self._session),
                record({**_SESSION, "receiptList": ROWS}),
            ),
            Endpoint(
                *("GET", f"{session}/calls", see, "List the tool calls of a session, in order", self._calls),
                paged("calls", _CALL),
                query=PAGING,
            ),
            Endpoint(
                *("GET", f"{session}/receipts", see, "List what was done in a session, in order", self._receipts),
                _RECEIPTS,
            ),
        )

    async def _list(self, request: Request, permit: Permit) -> Response:
        query = request.query_params
        wanted, page = wanted_interactions(query), read_page(query, 1)
        found = await self._interactions.listed(permit.business_id, wanted, page)
        return json_answer(_page("interactions", found.page) | {"scanned": found.scanned})

    async def _read(self, request: Request, permit: Permit) -> Response:
        id = request.path_params["interaction_id"]
        return json_answer(whole(await self._interactions.read(permit.business_id, id)))

    async def _calls_of_interaction(self, request: Request, permit: Permit) -> Response:
        session_id = await self._session_id(request, permit)
        page = read_page(request.query_params, 1)
        return json_answer(_page("calls", await self._sessions.calls(permit.business_id, session_id, page)))

    async def _receipts_of_interaction(self, request: Request, permit: Permit) -> Response:
        session_id = await self._session_id(request, permit)
        return json_answer({"receipts": await self._sessions.receipts(permit.business_id, session_id)})

    async def _list_sessions(self, request: Request, permit: Permit) -> Response:
        found = await self._sessions.listed(permit.business_id, read_page(request.query_params, 1))
        return json_answer(_page("sessions", found))

    async def _session(self, request: Request, permit: Permit) -> Response:
        return json_answer(await self._sessions.read(permit.business_id, request.path_params["session_id"]))

    async def _calls(self, request: Request, permit: Permit) -> Response:
        page = read_page(request.query_params, 1)
        id = await self._known_session(request, permit)
        return json_answer(_page("calls", await self._sessions.calls(permit.business_id, id, page)))

    async def _receipts(self, request: Request, permit: Permit) -> Response:
        id = await self._known_session(request, permit)
        return json_answer({"receipts": await self._sessions.receipts(permit.business_id, id)})

    async def _known_session(self, request: Request, permit: Permit) -> str:
        id = str(request.path_params["session_id"])
        await self._sessions.read(permit.business_id, id)
        return id

    async def _session_id(self, request: Request, permit: Permit) -> str:
        id = request.path_params["interaction_id"]
        return session_of(await self._interactions.read(permit.business_id, id))


def _page(name: str, found: Slice[JsonObject]) -> JsonObject:
    return {name: found.items, "nextCursor": found.next_cursor}
