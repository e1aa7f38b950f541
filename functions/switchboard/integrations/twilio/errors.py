"""What Twilio's failures mean here: one table by error code, and one by HTTP status for the rest.

A 429 was never processed. A 5xx, a redirect such as 303, or no answer says nothing about what was done.
"""

from typing import Final, Literal, TypeAlias

from switchboard.contract.error import ErrorType, ToolError, leaves_open
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.telephony import TELL_INSTEAD

TOOLKIT: Final = "twilio"
Request: TypeAlias = Literal["text", "call", "list"]
"""What was asked for: to send a text, to change a phone call, or to list texts."""

_BUSY = "The phone network takes no more right now; nothing was done. Try once more in a moment."
_RECONNECT = "The business's phone account must be connected again; nothing was done."
# Mostly it is the number that the call comes from: there is no other to ask for.
_INSTEAD = f"nothing was sent. {TELL_INSTEAD}"
_BAD_NUMBER = f"The phone network does not know this number; {_INSTEAD}"
_NO_TEXTS = f"This number cannot get text messages; {_INSTEAD}"
_OPTED_OUT = "This number has asked not to be texted; nothing was sent."
_SET_UP = "The business's phone account is not set up for this; nothing was done. Say so."
_NOT_A_TEXT = "The phone network does not take this text: it is empty or too long. Nothing was sent; shorten it."
_ENDED = "The phone call is not under way any more; nothing was done."
_NO_CALL = "The phone network does not know this phone call; nothing was done."
_REFUSED = "The phone network refused this for good; nothing was done."
_LATER = "The phone network cannot be reached right now; nothing was done. Try once more."
_UNKNOWN = "The phone network has not confirmed it, so that nobody knows whether it was done. Do not say that it was."


@dataclass(frozen=True, slots=True)
class FailureMeaning:
    """What one failure means: its type here, what the model is told, and a reason where somebody acts on it."""

    type: ErrorType
    message: str
    reason: str = ""


_SETTINGS = FailureMeaning(ErrorType.PERMANENT, _SET_UP)
_CLOSED = FailureMeaning(ErrorType.AUTH, _RECONNECT)
_CROWDED = FailureMeaning(ErrorType.RATE_LIMIT, _BUSY)
_UNTEXTABLE = FailureMeaning(ErrorType.VALIDATION, _NO_TEXTS)

BY_CODE: dict[int, FailureMeaning] = {
    20003: _CLOSED,
    20005: _CLOSED,  # the account is suspended
    20404: FailureMeaning(ErrorType.NOT_FOUND, _NO_CALL),
    20429: _CROWDED,
    21211: FailureMeaning(ErrorType.VALIDATION, _BAD_NUMBER),
    21212: _SETTINGS,
    21214: FailureMeaning(ErrorType.PERMANENT, _REFUSED),
    21217: FailureMeaning(ErrorType.VALIDATION, _BAD_NUMBER),
    21219: _SETTINGS,  # a trial account reaches verified numbers only
    21220: FailureMeaning(ErrorType.CONFLICT, _ENDED),
    21408: _SETTINGS,  # the country is switched off
    21602: FailureMeaning(ErrorType.VALIDATION, _NOT_A_TEXT),
    21606: _SETTINGS,
    21608: _SETTINGS,  # as 21219, for texts
    21610: FailureMeaning(ErrorType.PERMANENT, _OPTED_OUT, "opted_out"),
    21611: _CROWDED,  # the sender's queue is full
    21612: _UNTEXTABLE,
    21614: _UNTEXTABLE,
    21617: FailureMeaning(ErrorType.VALIDATION, _NOT_A_TEXT),
    30032: _SETTINGS,
    30034: _SETTINGS,
}
BY_STATUS: dict[int, FailureMeaning] = {
    401: _CLOSED,
    403: _CLOSED,
    404: FailureMeaning(ErrorType.NOT_FOUND, _NO_CALL),
    429: _CROWDED,
}
_REST = FailureMeaning(ErrorType.PERMANENT, _REFUSED)


def answered(status: int, code: int | None, request: Request) -> ToolError:
    """Return the house's word for an answer that says no.

    Args:
        status: The answer's HTTP status.
        code: Twilio's own error code, where the answer has one.
        request: What was asked for.
    """
    detail = f"{TOOLKIT} {status} {code or ''}".rstrip()
    meaning = BY_CODE.get(code or 0) or BY_STATUS.get(status)
    if meaning is None and (status >= 500 or leaves_open(status)):
        return unanswered(request, detail, sent=True)
    meaning = meaning or _REST
    if meaning.type is ErrorType.NOT_FOUND and request != "call":
        # There is no phone call in it: it is the account that is not there.
        meaning = _SETTINGS
    return of_twilio(
        ToolError(
            meaning.type,
            meaning.message,
            detail=detail,
            meta={"reason": meaning.reason} if meaning.reason else None,
            # A call that is not known does not come back.
            instead=meaning.message == _NO_CALL or None,
        )
    )


def unanswered(request: Request, detail: str, *, sent: bool) -> ToolError:
    """Return the house's word for no answer, or none that tells.

    Args:
        request: What was asked for.
        detail: For the log.
        sent: Whether the request may have arrived.
    """
    is_unknown = sent and request != "list"
    return of_twilio(
        ToolError(
            ErrorType.TRANSIENT,
            _UNKNOWN if is_unknown else _LATER,
            retryable=not is_unknown,
            partial_side_effects=is_unknown,
            detail=detail,
        )
    )


def of_twilio(error: ToolError) -> ToolError:
    """Return an error as one of Twilio's: codes are sent by tools of the calendar, which has nothing to do with it."""
    error.integration = TOOLKIT
    return error
