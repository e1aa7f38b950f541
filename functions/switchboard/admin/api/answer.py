"""What the owners' API answers: JSON, and refusals in the envelope's shape with everything an owner needs to go on."""

from datetime import UTC, datetime
from typing import Any

import orjson
from starlette.responses import Response

from switchboard.admin.access.refusal import NotFound, NotSetUp, NotValid, OutOfDate, RevisionMissing, TooLarge
from switchboard.admin.audit.revisions import Saved
from switchboard.admin.evals.gate import RedTests
from switchboard.admin.knowledge.nearness import NearEntries
from switchboard.admin.resources.consequences import NotConfirmed
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.json import JsonObject
from switchboard.contract.store import Invalid, NotStorable, StoreError

STATUS: dict[ErrorType, int] = {
    ErrorType.VALIDATION: 400,
    ErrorType.AUTH: 403,
    ErrorType.NOT_FOUND: 404,
    ErrorType.CONFLICT: 409,
    ErrorType.PERMANENT: 422,
    ErrorType.RATE_LIMIT: 429,
    ErrorType.TRANSIENT: 503,
}
"""The HTTP status of a failure; every other type is 500."""

_OWN_STATUS: dict[type[ToolError], int] = {OutOfDate: 412, RevisionMissing: 428, TooLarge: 413, NotSetUp: 501}
_AWAY = "The store does not answer right now; try again in a moment."
_TOO_LARGE = "The store does not take this, most likely because it is too large: a document has at most 1 MiB."


class OwnersAnswer(Response):
    """A JSON answer; `told` is what it says, to be held against its description."""

    media_type = "application/json"

    def __init__(self, body: JsonObject, status: int = 200, revision: str | None = None) -> None:
        """Write it; a revision becomes its `ETag`. Times are ISO 8601 in UTC."""
        content = orjson.dumps(body, default=_text, option=orjson.OPT_UTC_Z)
        super().__init__(content, status, {"ETag": f'"{revision}"'} if revision else None)
        self.told = body


def json_answer(body: JsonObject, status: int = 200, revision: str | None = None) -> Response:
    """Return a JSON answer; a revision becomes its `ETag`. Times are ISO 8601 in UTC."""
    return OwnersAnswer(body, status, revision)


def revised_answer(body: JsonObject) -> Response:
    """Return a JSON answer that says its revision, which becomes its `ETag`."""
    return json_answer(body, revision=body["revision"])


def saved_answer(body: JsonObject, saved: Saved, status: int = 200) -> Response:
    """Return the answer to a write: the revision as `ETag`, and what it left in the audit as `Audit-Entry`."""
    answer = json_answer(body, status, saved.revision)
    if saved.entry_id is not None:
        answer.headers["Audit-Entry"] = saved.entry_id
    return answer


def answer_to(error: ToolError | StoreError) -> Response:
    """Return the refusal that a failure is answered with."""
    if isinstance(error, NotStorable):
        error = ToolError(ErrorType.VALIDATION, f"This cannot be stored: {error}.")
    elif isinstance(error, Invalid):
        error = ToolError(ErrorType.VALIDATION, _TOO_LARGE)
    elif isinstance(error, StoreError):
        error = ToolError(ErrorType.TRANSIENT, _AWAY)
    status = _OWN_STATUS.get(type(error), STATUS.get(error.type, 500))
    shown: JsonObject = {
        "type": error.type.value,
        "message": error.message,
        "retryable": error.retryable,
        "partialSideEffects": error.partial_side_effects,
    }
    if isinstance(error, NotValid):
        shown["field"] = error.problems[0].field if error.problems else ""
        shown["problems"] = [{"field": p.field, "message": p.message} for p in error.problems]
    if isinstance(error, NotFound) and error.field:
        shown["field"] = error.field
    if isinstance(error, NotConfirmed):
        shown["consequences"] = error.consequences
    if isinstance(error, NearEntries):
        shown["near"] = error.near
    if isinstance(error, RedTests):
        shown["tests"] = [one.to_json() for one in error.red]
        shown["tested"] = error.tested.to_json()
    if isinstance(error, OutOfDate):
        shown["conflict"] = error.to_json()
    response = json_answer({"ok": False, "error": shown, "intents": [], "meta": {}}, status)
    if status == 503:
        response.headers["Retry-After"] = "2"
    if isinstance(error, OutOfDate) and error.revision:
        response.headers["ETag"] = f'"{error.revision}"'
    return response


def _text(value: Any) -> Any:
    # Firestore's times are of a class of their own, which orjson does not know.
    if isinstance(value, datetime):
        return datetime.fromisoformat(value.astimezone(UTC).isoformat())
    return str(value)
