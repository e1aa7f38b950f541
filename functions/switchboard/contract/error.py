"""What can go wrong with a call: the closed list of error types and the one exception that carries them.

Seed 003 ("Error Types") names twelve types and its loop detector a thirteenth. Three audiences, three fields:
`message` is for the model and says what would work, `say` is for the caller's ear, `detail` is only for the log.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from switchboard.contract.store import StoreError


class ErrorType(StrEnum):
    """Every way a call can fail; the value is what stands in the envelope."""

    VALIDATION = "VALIDATION"
    NOT_FOUND = "NOT_FOUND"
    INTERNAL = "INTERNAL"
    MODE_RESTRICTED = "MODE_RESTRICTED"
    BUDGET_EXCEEDED = "BUDGET_EXCEEDED"
    CONFIRMATION_REQUIRED = "CONFIRMATION_REQUIRED"
    LOOP_DETECTED = "LOOP_DETECTED"
    SESSION_INACTIVE = "SESSION_INACTIVE"
    TRANSIENT = "TRANSIENT"
    PERMANENT = "PERMANENT"
    CONFLICT = "CONFLICT"
    AUTH = "AUTH"
    RATE_LIMIT = "RATE_LIMIT"


# Whether the same call may simply be made again. Seed 003: pre-execution errors never are; domain errors decide.
RETRYABLE = frozenset({ErrorType.TRANSIENT, ErrorType.RATE_LIMIT})
# What the model can put right itself, or what another answer follows. Everything else may be where a wish ends, and the
# model is told what can be had instead: never in the error's own words, which do not know what is offered.
_GOES_ON = frozenset(
    {
        ErrorType.VALIDATION,
        ErrorType.NOT_FOUND,
        ErrorType.CONFLICT,
        ErrorType.CONFIRMATION_REQUIRED,
        ErrorType.SESSION_INACTIVE,
    }
)


UNKNOWN_OUTCOME = (
    "Nobody knows whether this was done: it was asked for, and no usable answer came. Do not try it again. "
    "Do not say that it was done, nor that it was not; say that it is not confirmed."
)
"""What is told where something may have been done, by whatever has no better words for it."""
_UNSAID = "This did not work, and nothing says why. Do not say that it was done."


class Tells(StrEnum):
    """What a call that was answered with a type says of how the service is doing."""

    ANSWER = "answer"
    """The house did its work, and the answer is a no, or a question back."""
    FAILURE = "failure"
    """Somebody was not served who should have been."""
    FAILURE_UNLESS_REFUSED = "failure unless refused"
    """A vendor's limit keeps somebody from being served; a limit of the house's own is kept, and that is an answer."""


TELLS: Mapping[str, Tells] = {
    ErrorType.VALIDATION: Tells.ANSWER,
    ErrorType.NOT_FOUND: Tells.ANSWER,
    ErrorType.INTERNAL: Tells.FAILURE,
    ErrorType.MODE_RESTRICTED: Tells.ANSWER,
    ErrorType.BUDGET_EXCEEDED: Tells.ANSWER,
    ErrorType.CONFIRMATION_REQUIRED: Tells.ANSWER,
    ErrorType.LOOP_DETECTED: Tells.ANSWER,
    ErrorType.SESSION_INACTIVE: Tells.ANSWER,
    ErrorType.TRANSIENT: Tells.FAILURE,
    ErrorType.PERMANENT: Tells.FAILURE,
    ErrorType.CONFLICT: Tells.ANSWER,
    ErrorType.AUTH: Tells.FAILURE,
    ErrorType.RATE_LIMIT: Tells.FAILURE_UNLESS_REFUSED,
}
"""The one list by which failures are counted: pages, health, metrics, alerts (`is_failure`)."""


def is_failure(type: str | None, *, was_refused: bool = False, is_unknown: bool = False) -> bool:
    """Tell whether a call failed, for everything that counts failures.

    Args:
        type: Of its error, also as it was stored; None where it did what was asked. One that nobody knows is a failure.
        was_refused: Whether a check of the house's refused it before anything ran.
        is_unknown: Whether nobody knows if it was carried out: that is a failure, whatever its type.
    """
    if type is None:
        return False
    tells = TELLS.get(type, Tells.FAILURE)
    return is_unknown or tells is Tells.FAILURE or (tells is Tells.FAILURE_UNLESS_REFUSED and not was_refused)


class ToolError(Exception):
    """A handler's no: the call failed in a way that the model can be told about.

    Args:
        type: One of the closed list.
        message: For the model; says what would work, and is never empty: without any, it is a sentence that is true of
            every failure. Never holds a secret or another business's data, and offers no
            message and no person: `catalog/offer/alternatives.py` knows whether there are any.
        retryable: Whether the same call may be made again; by default what the type says.
        partial_side_effects: Whether the world may have changed although the call failed.
        say: A sentence for the caller's ear, where the tool has a better one than the channel.
        detail: For the log only.
        meta: Facts for the envelope's `meta`, such as `alternatives`.
        instead: Whether the model is told beside it what can be had instead; by default what the type says.

    Attributes:
        integration: Which outside system raised it, where several may have been asked; empty where that is not told.
    """

    integration: str = ""

    def __init__(
        self,
        type: ErrorType,
        message: str,
        *,
        retryable: bool | None = None,
        partial_side_effects: bool = False,
        say: str = "",
        detail: str = "",
        meta: Mapping[str, Any] | None = None,
        instead: bool | None = None,
    ) -> None:
        """Keep what each audience is told."""
        self.message = message.strip() or (UNKNOWN_OUTCOME if partial_side_effects else _UNSAID)
        super().__init__(f"{type}: {self.message}")
        self.type = type
        self.retryable = type in RETRYABLE if retryable is None else retryable
        self.partial_side_effects = partial_side_effects
        self.say = say
        self.detail = detail
        self.meta: Mapping[str, Any] = meta or {}
        self.instead = type not in _GOES_ON if instead is None else instead


_NOT_HANDLED = frozenset({301, 305, 307, 308})


def leaves_open(status: int) -> bool:
    """Tell whether an HTTP status which is no success says nothing of whether what was asked for was done.

    302 and 303 are as usual after something was done as where it was not, such as before a log-in page. Only 301, 305,
    307 and 308 say that it is to be done elsewhere, and so was not done here. What belongs behind no request (1xx, 300,
    304, 306, 499 of a proxy whose client left) tells nothing either. What a failing server (5xx) means is for each
    integration to say.
    """
    return status < 200 or (300 <= status < 400 and status not in _NOT_HANDLED) or status == 499 or status >= 600


def source_of(error: BaseException | None) -> str:
    """Return the integration that an error, or the one that it was made of, came from; empty where none is told."""
    while error is not None:
        if isinstance(error, ToolError) and error.integration:
            return error.integration
        error = error.__cause__
    return ""


class BusinessGone(ToolError):
    """There is no such business, or another one has its id by now."""

    def __init__(self, business_id: str) -> None:
        """Say which."""
        super().__init__(ErrorType.NOT_FOUND, f"There is no business {business_id!r}.")


class ToldToOwner(ToolError):
    """What keeps something from working that an owner set up, in words for that owner instead of a model."""


class NothingNew(ToolError):
    """It says nothing about how what a call depends on is doing: that was not asked, or it has answered.

    Somebody else is carrying it out, or has just died over it; an outcome that was noted before is told again; a
    look-up was answered and does not decide yet what became of something. What failed was counted when it did.
    """


class Refused(ToolError):
    """A check's no, before anything ran: nothing in the world has changed.

    Seed 003 ("Error Handling Philosophy"): pre-execution errors are never retryable and leave no side effects, so
    `retryable` is false unless a check says otherwise and `partial_side_effects` cannot be set.
    """

    def __init__(
        self,
        type: ErrorType,
        message: str,
        *,
        retryable: bool = False,
        say: str = "",
        detail: str = "",
        meta: Mapping[str, Any] | None = None,
        instead: bool | None = None,
    ) -> None:
        """Keep what each audience is told."""
        super().__init__(type, message, retryable=retryable, say=say, detail=detail, meta=meta, instead=instead)


class ServiceFault(StrEnum):
    """As `meta.reason` of the error says it: only whoever runs the service, or entered its address, can do anything."""

    ADDRESS_NOT_ALLOWED = "address_not_allowed"
    CERTIFICATE_REFUSED = "certificate_refused"
    TLS_FAILED = "tls_failed"


def unreadable(what: str, error: StoreError) -> ToolError:
    """Return the error for a failed read: nothing has changed, and once more may help."""
    return ToolError(
        ErrorType.TRANSIENT,
        f"The {what} cannot be read right now. Try once more.",
        detail=repr(error),
    )


def log_fields(error: BaseException) -> dict[str, str]:
    """Return what a log says of a failure: its kind, and its words, which may hold what is personal."""
    return {"reason": type(error).__name__, "pii.detail": str(error)}
