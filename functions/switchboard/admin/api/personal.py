"""What of an answer is shown to whoever may not see what is personal of callers: at the door, of every answer alike.

A viewer is somebody who may look at how the receptionist does. That takes who comes when, by name, and what was said;
it takes no number to ring, no address to write to, and no day of birth. Everything that tells of callers is told by the
operation that sees conversations, so that all of its answers are looked through, whatever they are about. So are those
that show the set-up, for credentials that somebody typed into a tool.
"""

import re
from collections.abc import Mapping
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response

from switchboard.admin.access.access import Permit
from switchboard.admin.access.refusal import Forbidden
from switchboard.admin.access.roles import Operation
from switchboard.admin.api.answer import OwnersAnswer
from switchboard.admin.documents.literals import seen_without
from switchboard.catalog.schema.sensitivity import MASK

PERSONAL: Final = frozenset(
    {"callerPhone", "callerId", "phone", "otherPhones", "number", "email", "dateOfBirth"}
    | {"customerPhone", "customerEmail", "callerEmail", "verifiedPhone"}
)
"""Fields that hold a number or an address of a caller, or when they were born."""
SAID: Final = frozenset({"text", "unheard", "notes", "note", "flagReason", "blockReason"})
"""Fields that hold what somebody said or wrote, which stays readable as a whole."""
NAMING: Final = frozenset({"id", "sessionId", "interactionId", "callId", "revision", "nextCursor"})
"""Fields by which something is asked for again."""
STAFF: Final = frozenset({"by", "changedBy", "handledBy", "updatedBy"})
"""Fields that hold who of the business did something, by the address that they sign in with."""
_STANDING = SAID | NAMING | STAFF
_ASKED_BY = frozenset({"text", "caller", "number", "phone", "email"})
# Fewer digits are a price, an hour or the end of a number, which many have.
_DIALLED, _DIGITS = re.compile(r"[+\d\s().\-/]*"), 6
_WORD = r"[^@\s,;<>()\".]"
_REACHED = re.compile(
    rf"(?<![\w+])\+[1-9][0-9]{{6,14}}(?!\w)|(?<![^@\s,;<>()\"])[^@\s,;<>()\"]+@(?:{_WORD}+\.)+{_WORD}+"
)


def check_asked(permit: Permit, operation: Operation | None, request: Request) -> None:
    """Refuse to tell whoever may not see a caller's number or address whose a given one is.

    Raises:
        Forbidden: It is searched for.
    """
    if operation is not Operation.SEE_CONVERSATIONS or permit.may(Operation.SEE_PERSONAL_VALUES):
        return
    given = (*request.query_params.multi_items(), *request.path_params.items())
    if any(name in _ASKED_BY and _reaches(str(value)) for name, value in given):
        raise Forbidden(
            "Your role does not see callers' numbers and addresses, so it cannot search for one. Search by name, "
            "or ask an owner or editor."
        )


def _reaches(text: str) -> bool:
    """Tell whether a text may be a number or an address at which somebody is reached, in whatever spelling."""
    is_number = _DIALLED.fullmatch(text) is not None and sum(map(str.isdigit, text)) >= _DIGITS
    return "@" in text or is_number


def as_seen_by(permit: Permit, operation: Operation | None, response: Response) -> Response:
    """Return an answer as somebody may see it who was let in for an operation."""
    if not isinstance(response, OwnersAnswer):
        return response
    if operation is Operation.SEE_CONVERSATIONS and not permit.may(Operation.SEE_PERSONAL_VALUES):
        told = without_personal(response.told)
    elif operation is Operation.SEE_SETUP and not permit.may(Operation.EDIT_TOOLS):
        told = seen_without(response.told)
    else:
        return response
    seen = OwnersAnswer(told, response.status_code)
    for name, value in response.headers.items():
        if name != "content-length":
            seen.headers[name] = value
    return seen


def without_personal(value: Any, name: str = "") -> Any:
    """Return a part of an answer with `•••` for whole numbers, addresses and days of birth; `name` is its field."""
    if isinstance(value, Mapping):
        return {key: without_personal(each, str(key)) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [without_personal(each, name) for each in value]
    if not isinstance(value, str) or not value or name in _STANDING:
        return value
    return MASK if name in PERSONAL else _REACHED.sub(MASK, value)
