"""The owners' HTTP API: `GET /explain`, which tells why a call ended as it did, or lists a session's calls.

Who may ask is decided outside: `authorise` returns the business that a request may see, or raises.
"""

from collections.abc import Awaitable, Callable
from typing import Protocol, TypeAlias

import orjson
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from switchboard.admin.conversations.explain import calls, explain, receipts
from switchboard.contract.error import ErrorType
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import Paths, Store
from switchboard.contract.store import StoreError

Authorise: TypeAlias = Callable[[Request, str | None], Awaitable[str]]
"""Returns the business of a request's credential; the second argument is the `businessId` it names, if any."""
_LONGEST_ID = 200


class Refuse(Protocol):
    """Makes a request-level no in the envelope's shape, `field` naming what is wrong with the request."""

    def __call__(self, status: int, type: ErrorType, message: str, field: str = "") -> Response:
        """Return the response."""


def routes(store: Store, paths: Paths, authorise: Authorise, refuse: Refuse) -> list[Route]:
    """Return the routes of the `admin` function, without its path prefix."""

    async def explanation(request: Request) -> Response:
        query = request.query_params
        business_id = await authorise(request, query.get("businessId") or None)
        session_id, call_id = query.get("session", ""), query.get("call", "")
        if not session_id:
            return refuse(400, ErrorType.VALIDATION, "session is required.", "session")
        for name, value in (("session", session_id), ("call", call_id)):
            if len(value) > _LONGEST_ID:
                message = f"{name} must not be longer than {_LONGEST_ID} characters."
                return refuse(400, ErrorType.VALIDATION, message, name)
        try:
            if call_id:
                found = await explain(store, paths, business_id, session_id, call_id)
                if found is not None:
                    return _json(found.to_json())
            lines = await calls(store, paths, business_id, session_id)
            done = await receipts(store, paths, business_id, session_id)
        except StoreError:
            return refuse(503, ErrorType.TRANSIENT, "The ledger cannot be read right now; try again in a moment.")
        if not lines:
            return refuse(404, ErrorType.NOT_FOUND, "The ledger holds no calls of this session.", "session")
        if call_id:
            return refuse(
                404, ErrorType.NOT_FOUND, "This session has no such call; leave call out to list them.", "call"
            )
        body: JsonObject = {"businessId": business_id, "sessionId": session_id, "receipts": done}
        body["calls"] = [line.to_json() for line in lines]
        return _json(body)

    return [Route("/explain", explanation, methods=["GET"])]


def _json(body: object) -> Response:
    return Response(orjson.dumps(body, default=str), media_type="application/json")
