"""`POST /mcp/{businessId}`: who may ask and by which door, before the protocol is spoken at all.

The business is the credential's; an address that names another one is refused in the same words whether that other one
exists. Clients authorise with a business's API key as bearer; a deployment has no OAuth server of its own, so that no
metadata points to one.
"""

from collections.abc import Mapping
from typing import Any

import orjson
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from switchboard.catalog.strict_json import MalformedJson, parse_json
from switchboard.channels.answer import json_answer, refusal
from switchboard.channels.call_facts import channel_of
from switchboard.channels.credentials import Credentials, entitled
from switchboard.channels.mcp.doors import Doors
from switchboard.channels.mcp.server import Served
from switchboard.channels.mcp.toolbox import Toolbox
from switchboard.channels.mcp.visit import Visit, named_session, new_session
from switchboard.channels.request_body import Malformed, optional_text
from switchboard.contract import policy
from switchboard.contract.channel import Channel
from switchboard.contract.credential import Scope
from switchboard.contract.error import ErrorType

_PARSE_ERROR = -32700


def routes(toolbox: Toolbox, credentials: Credentials, doors: Doors) -> list[Route]:
    """Return the routes of the `mcp` function, without its path prefix.

    The address may say `?channel=` (whose rules hold; `portal` where it says nothing), `?session=` and `?agentId=`.
    """

    async def speak(request: Request) -> Response:
        problem = doors.problem(request.headers.get("host"), request.headers.get("origin"))
        if problem is not None:
            return refusal(problem[0], ErrorType.AUTH, problem[1])
        credential = await credentials.recognise(request.headers.get("authorization"))
        body = await _body(request)
        try:
            message = parse_json(body)
        except MalformedJson as error:
            return _unreadable(f"The body cannot be read: it {error}.")
        method = message.get("method") if isinstance(message, Mapping) else None
        entitled(
            credential, Scope.EXECUTE if method == "tools/call" else Scope.READ, request.path_params["business_id"]
        )
        query = request.query_params
        channel = channel_of(query.get("channel", Channel.PORTAL.value), "channel")
        session = named_session(request.headers, query)
        visit = Visit(
            business_id=credential.business_id,
            key_id=credential.key_id,
            channel=channel,
            session_id=session or new_session(),
            is_named=session is not None,
            agent_id=optional_text(query, "agentId"),
        )
        return Served(toolbox, visit, body, visit.session_id if method == "initialize" else None)

    return [Route("/{business_id}", speak, methods=["POST"])]


async def _body(request: Request) -> bytes:
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > policy.BODY_BYTES:
            raise Malformed("", f"The body is larger than {policy.BODY_BYTES} bytes.", status=413)
    return bytes(body)


def _unreadable(message: str) -> Response:
    error: dict[str, Any] = {"code": _PARSE_ERROR, "message": message}
    return json_answer(orjson.dumps({"jsonrpc": "2.0", "id": None, "error": error}), 400)
