"""The answers that every HTTP surface shares: JSON bodies, and refusals in the envelope's shape."""

import orjson
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from switchboard.channels.credentials import Rejected
from switchboard.channels.request_body import Malformed
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.json import JsonObject

# HTTP status → the error type that stands in the body.
_TYPES = {401: ErrorType.AUTH, 403: ErrorType.AUTH, 503: ErrorType.TRANSIENT}


def json_answer(body: bytes, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    """Return a JSON response with a body that is already serialised."""
    return Response(body, status, headers, media_type="application/json")


def refusal(status: int, type: ErrorType, message: str, field: str = "") -> Response:
    """Return a request-level no: the envelope's failure, with `error.field` naming what is wrong with the request."""
    error: JsonObject = {
        "type": type.value,
        "message": message,
        "retryable": status == 503,
        "partialSideEffects": False,
    }
    if field:
        error["field"] = field
    headers = {"WWW-Authenticate": "Bearer"} if status == 401 else {"Retry-After": "2"} if status == 503 else {}
    return json_answer(orjson.dumps({"ok": False, "error": error, "intents": [], "meta": {}}), status, headers)


async def rejected(request: Request, error: Exception) -> Response:
    """Answer a request that is not let in (`Rejected`)."""
    assert isinstance(error, Rejected)
    return refusal(error.status, _TYPES[error.status], error.message)


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
        return refusal(405, ErrorType.VALIDATION, f"{request.method} is not served at {request.url.path}.")
    return refusal(404, ErrorType.NOT_FOUND, f"Nothing is served at {request.url.path}.")


HANDLERS = {404: no_such_route, 405: no_such_route, Rejected: rejected, Malformed: malformed, ToolError: unheard_of}
"""How every HTTP surface turns what an endpoint raises into an answer."""
