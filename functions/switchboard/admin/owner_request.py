"""What owners' requests about their set-up share: a JSON body read strictly, and failures turned into answers."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeAlias

import orjson
from starlette.requests import Request
from starlette.responses import Response

from switchboard.admin.http import Refuse
from switchboard.admin.refusal import NotValid, Problem, TooLarge
from switchboard.catalog.strict_json import MalformedJson, parse_json
from switchboard.contract import policy
from switchboard.contract.definition import DefinitionError
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.json import JsonObject
from switchboard.contract.store import StoreError

Endpoint: TypeAlias = Callable[[Request], Awaitable[Response]]

_STATUS: Mapping[ErrorType, int] = {
    ErrorType.VALIDATION: 400,
    ErrorType.NOT_FOUND: 404,
    ErrorType.CONFLICT: 409,
    ErrorType.AUTH: 403,
    ErrorType.RATE_LIMIT: 429,
    ErrorType.TRANSIENT: 503,
}
_STORE_AWAY = "The store does not answer right now; try again in a moment."


async def json_body(request: Request, known: tuple[str, ...]) -> JsonObject:
    """Return a request's body, an object with no other fields than the known ones.

    Raises:
        TooLarge, NotValid: It cannot be read; what is wrong is named.
    """
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > policy.BODY_BYTES:
            raise TooLarge(policy.BODY_BYTES)
    try:
        found = parse_json(bytes(body))
    except MalformedJson as error:
        raise NotValid([Problem("", f"The body cannot be read: it {error}.")]) from None
    if not isinstance(found, dict):
        raise NotValid([Problem("", "The body must be a JSON object.")])
    names = ", ".join(known)
    unknown = [
        Problem(name[:80], f"{name[:80]!r} is not known here; use {names}.") for name in found if name not in known
    ]
    if unknown:
        raise NotValid(unknown)
    return dict(found)


def problem(error: DefinitionError) -> Problem:
    """Return what an owner is told about one thing that is wrong."""
    return Problem(error.field, f"{error.field} {error.problem}; {error.remedy}.")


def answering(endpoint: Endpoint, refuse: Refuse) -> Endpoint:
    """Return an endpoint whose failures are answers: a status, the reason, and every problem by its field."""

    async def answered(request: Request) -> Response:
        try:
            return await endpoint(request)
        except NotValid as error:
            first = error.problems[0].field if error.problems else ""
            return _with_problems(refuse(400, error.type, error.message, first), error)
        except TooLarge as error:
            return refuse(413, error.type, error.message)
        except ToolError as error:
            return refuse(_STATUS.get(error.type, 422), error.type, error.message)
        except StoreError:
            return refuse(503, ErrorType.TRANSIENT, _STORE_AWAY)

    return answered


def json_answer(body: Any, status: int = 200) -> Response:
    """Return a JSON answer that nobody keeps; times are ISO 8601 in UTC."""
    headers = {"Cache-Control": "no-store"}
    return Response(orjson.dumps(body, option=orjson.OPT_UTC_Z), status, headers, media_type="application/json")


def _with_problems(response: Response, error: NotValid) -> Response:
    body = orjson.loads(response.body)
    body["error"]["problems"] = [{"field": p.field, "message": p.message} for p in error.problems]
    return json_answer(body, response.status_code)
