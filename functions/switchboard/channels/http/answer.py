"""The answers that every HTTP surface shares: JSON bodies, and refusals and failures in the envelope's shape."""

import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import Final, TypeAlias

import orjson
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Match, Route

from switchboard.channels.http.credentials import Rejected
from switchboard.channels.http.request_body import Malformed
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.json import JsonObject
from switchboard.contract.store import StoreError

log = logging.getLogger(__name__)

Endpoint: TypeAlias = Callable[[Request], Awaitable[Response]]

NO_STORE: Final = {"Cache-Control": "no-store"}
UNBUFFERED: Final = {**NO_STORE, "X-Accel-Buffering": "no"}
"""Of an answer that is streamed: proxies would otherwise collect it before they pass it on."""

# HTTP status → the error type that stands in the body.
_TYPES = {400: ErrorType.VALIDATION, 401: ErrorType.AUTH, 403: ErrorType.AUTH, 503: ErrorType.TRANSIENT}
# As proxies write it down.
_HUNG_UP = 499
_JSON = (b"content-type", b"application/json")


class _JsonAnswer(Response):
    """A JSON response with the two headers that each has, which a response would work out from its parts."""

    media_type = "application/json"

    def init_headers(self, headers: Mapping[str, str] | None = None) -> None:
        """Set the headers."""
        self.raw_headers = [(b"content-length", b"%d" % len(self.body)), _JSON]
        if headers:
            self.raw_headers += [(name.lower().encode(), value.encode("latin-1")) for name, value in headers.items()]


def json_answer(body: bytes, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """Return a JSON response with a body that is already serialised."""
    return _JsonAnswer(body, status, headers)


def refusal(status: int, type: ErrorType, message: str, field: str = "", challenge: str = "") -> Response:
    """Return a request-level no: the envelope's failure, with `error.field` naming what is wrong with the request.

    `challenge` is what `WWW-Authenticate` says; empty for what it always says.
    """
    error: JsonObject = {
        "type": type.value,
        "message": message,
        "retryable": status == 503,
        "partialSideEffects": False,
    }
    if field:
        error["field"] = field
    headers = {"Retry-After": "2"} if status == 503 else {}
    if status == 401 or challenge:
        headers["WWW-Authenticate"] = challenge or "Bearer"
    return json_answer(orjson.dumps({"ok": False, "error": error, "intents": [], "meta": {}}), status, headers)


def explained(endpoint: Endpoint, unreadable: str, statuses: Mapping[ErrorType, int]) -> Endpoint:
    """Return the endpoint with the failures of what it works with turned into answers.

    Args:
        endpoint: May raise `StoreError` and `ToolError`.
        unreadable: What is said where the store, or anything that has no status, fails: it may be tried again.
        statuses: With which errors of tools are answered, in their own words.
    """

    async def answer(request: Request) -> Response:
        try:
            return await endpoint(request)
        except StoreError:
            return refusal(503, ErrorType.TRANSIENT, unreadable)
        except ToolError as error:
            status = statuses.get(error.type)
            if status is None:
                return refusal(503, ErrorType.TRANSIENT, unreadable)
            response = refusal(status, error.type, error.message)
            if status == 429:
                response.headers["Retry-After"] = str(error.meta.get("retryAfterS", 60))
            return response

    return answer


async def rejected(request: Request, error: Exception) -> Response:
    """Answer a request that is not let in (`Rejected`)."""
    assert isinstance(error, Rejected)
    return refusal(error.status, _TYPES[error.status], error.message, challenge=error.challenge)


async def malformed(request: Request, error: Exception) -> Response:
    """Answer a request that cannot be read (`Malformed`)."""
    assert isinstance(error, Malformed)
    return refusal(error.status, ErrorType.VALIDATION, error.message, error.field)


async def unheard_of(request: Request, error: Exception) -> Response:
    """Answer a request about a business that does not exist."""
    assert isinstance(error, ToolError)
    return refusal(404, error.type, error.message)


async def no_such_route(request: Request, error: Exception) -> Response:
    """Answer a path or method that nothing serves."""
    status = error.status_code if isinstance(error, HTTPException) else 404
    if status == 405:
        served = sorted(_served(request))
        # Where GET is served HEAD is too, and nobody who asks what to do means that.
        usual = [method for method in served if method != "HEAD"] or served
        use = f" Use {' or '.join(usual)}." if usual else ""
        response = refusal(405, ErrorType.VALIDATION, f"{request.method} is not served at {request.url.path}.{use}")
        response.headers["Allow"] = ", ".join(served)
        return response
    return refusal(404, ErrorType.NOT_FOUND, f"Nothing is served at {request.url.path}.")


def _served(request: Request) -> set[str]:
    """Return the methods that a path is served by: each of them has a route of its own."""
    routes = [route for route in request.app.routes if isinstance(route, Route)]
    matching = [route for route in routes if route.matches(request.scope)[0] is not Match.NONE]
    # Where another path has a parameter in the place of a word of this one, what is served there is another thing.
    path = min((route.path for route in matching), key=lambda path: path.count("{"), default="")
    return {method for route in matching if route.path == path for method in route.methods or ()}


async def hung_up(request: Request, error: Exception) -> Response:
    """Answer whoever has gone in the middle of a body: nobody hears it, nothing was begun, and no server has failed."""
    log.info("a client has gone in the middle of its request")
    return Response(status_code=_HUNG_UP)


HANDLERS = {
    404: no_such_route,
    405: no_such_route,
    ClientDisconnect: hung_up,
    Rejected: rejected,
    Malformed: malformed,
    ToolError: unheard_of,
}
"""How every HTTP surface turns what an endpoint raises into an answer."""
