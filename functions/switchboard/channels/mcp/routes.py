"""`POST /mcp/{businessId}`: who may ask and by which door, before the protocol is spoken at all.

The business is the credential's; an address that names another one is refused in the same words whether that other one
exists. Beside it stands where clients learn who gives access tokens for it, which is elsewhere: a deployment has no
authorization server of its own.
"""

from typing import Any

import orjson
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from switchboard.channels.http.answer import json_answer, refusal
from switchboard.channels.http.request_body import optional_id, whole_body
from switchboard.channels.http.tools_api import channel_of, check_agent
from switchboard.channels.mcp.auth import WELL_KNOWN, McpAuth, OriginCheck
from switchboard.channels.mcp.elicitation import Elicitations, cancelled_request, in_session, is_answer
from switchboard.channels.mcp.envelope import fault
from switchboard.channels.mcp.request_session import RequestSession, named_session, new_session
from switchboard.channels.mcp.server import McpServer, Served
from switchboard.channels.mcp.tools import Toolbox
from switchboard.contract.channel import Channel
from switchboard.contract.credential import Scope
from switchboard.contract.document import mapping
from switchboard.contract.error import ErrorType
from switchboard.contract.observability.subject import concerns
from switchboard.contract.python.strict_json import MalformedJson, parse_json

_PARSE_ERROR, _INVALID_REQUEST = -32700, -32600
_NO_JSON = "Send the message with the header Content-Type: application/json."
_CACHED = {"Cache-Control": "public, max-age=300"}


def routes(toolbox: Toolbox, elicitations: Elicitations, entrance: McpAuth, doors: OriginCheck) -> list[Route]:
    """Return the routes of the `mcp` function, without its path prefix; what is well known has none.

    The address may say `?channel=` (whose rules hold; `portal` where it says nothing), `?session=` and `?agentId=`.
    """
    server = McpServer(toolbox, elicitations)

    async def speak(request: Request) -> Response:
        if (problem := doors.problem(request.headers.get("host"), request.headers.get("origin"))) is not None:
            return refusal(problem[0], ErrorType.AUTH, problem[1])
        business_id = request.path_params["business_id"]
        admitted = await entrance.recognise(request.headers.get("authorization"), business_id)
        body = await whole_body(request)
        if not _says_json(request.headers.get("content-type", "")):
            return _unreadable(_NO_JSON, 415, _INVALID_REQUEST)
        try:
            message = parse_json(body)
        except MalformedJson as error:
            return _unreadable(f"The body cannot be read: it {error}.")
        method = mapping(message).get("method")
        acts = method == "tools/call" or is_answer(message)
        entrance.entitle(admitted, Scope.EXECUTE if acts else Scope.READ, business_id)
        query = request.query_params
        channel = channel_of(query.get("channel", Channel.PORTAL.value), "channel")
        session = named_session(request.headers, query)
        named = RequestSession(
            business_id=business_id,
            key_id=admitted.credential.key_id,
            channel=channel,
            session_id=session or new_session(),
            is_named=session is not None,
            agent_id=optional_id(query, "agentId"),
        )
        concerns(business_id, named.session_id)
        await check_agent(toolbox.catalog, business_id, named.agent_id, "agentId")
        visit = in_session(named, elicitations)
        if is_answer(message):
            # The same words whatever it answers: a stranger learns nothing from them.
            await elicitations.hear(visit, message)
            return Response(status_code=202)
        if (unusable := fault(message)) is not None:
            return json_answer(orjson.dumps(unusable), 400)
        cancelled = cancelled_request(message)
        if cancelled is not None and visit.asks:
            await elicitations.withdraw(visit, cancelled)
        return Served(server, visit, message, body)

    async def metadata(request: Request) -> Response:
        document = entrance.metadata(request.path_params.get("business_id", ""))
        if document is None:
            raise HTTPException(404)
        return json_answer(orjson.dumps(document), headers=dict(_CACHED))

    return [
        Route("/{business_id}", speak, methods=["POST"]),
        Route(WELL_KNOWN, metadata, methods=["GET"]),
        Route(f"{WELL_KNOWN}/mcp/{{business_id}}", metadata, methods=["GET"]),
    ]


def _says_json(content_type: str) -> bool:
    """Tell whether a body is said to be JSON; what the library says of others is no JSON itself."""
    return "application/json" in [part.strip().lower() for part in content_type.partition(";")[0].split(",")]


def _unreadable(message: str, status: int = 400, code: int = _PARSE_ERROR) -> Response:
    error: dict[str, Any] = {"code": code, "message": message}
    return json_answer(orjson.dumps({"jsonrpc": "2.0", "id": None, "error": error}), status)
