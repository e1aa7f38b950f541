"""Why something at the desk was not done, in words for people of the business: a model's words are not for them."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from switchboard.admin.access.refusal import EntryProblem, NotFound, NotSetUp, NotValid
from switchboard.contract.business.business import Business
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.response import ToolResponse
from switchboard.desk.bookings.obstacles import Obstacle, horizon
from switchboard.pipeline.recovery import ID_USED

_OBSTACLES: Mapping[str, str] = {
    Obstacle.PAST: "That time is past.",
    Obstacle.TOO_FAR: "That is too far ahead: appointments start until {last}.",
    Obstacle.NO_SUCH_TIME: "That time does not exist: the clocks go forward past it on that day.",
    Obstacle.OFF_GRID: "Appointments start on a full five minutes, such as 10:00 or 10:05.",
    Obstacle.SHORT_NOTICE: "That is too soon: the notice that you ask for stands under Business.",
    Obstacle.CLOSED: "You are not open then for as long as the visit takes.",
    Obstacle.AWAY: "Nobody who could do that is there then.",
    Obstacle.TAKEN: "That time is already taken.",
}
_WRONG_TIME = (Obstacle.PAST, Obstacle.TOO_FAR, Obstacle.NO_SUCH_TIME, Obstacle.OFF_GRID)
_NO_CALENDAR = "integration:calendar"
_BY_TYPE: Mapping[ErrorType, tuple[ErrorType, str]] = {
    ErrorType.AUTH: (ErrorType.CONFLICT, "The calendar has to be connected again, under Business. Nothing was done."),
    ErrorType.RATE_LIMIT: (ErrorType.RATE_LIMIT, "Too much is going on at once. Nothing was done; try again shortly."),
    ErrorType.LOOP_DETECTED: (ErrorType.RATE_LIMIT, "This was just tried several times. Wait a moment."),
    ErrorType.BUDGET_EXCEEDED: (ErrorType.RATE_LIMIT, "Too much was asked for at once. Wait a moment."),
    ErrorType.VALIDATION: (ErrorType.CONFLICT, "This cannot be booked as it was entered. Nothing was done."),
    ErrorType.PERMANENT: (ErrorType.CONFLICT, "The calendar refuses this, and will not take it later. Look there."),
}
_UNKNOWN = (
    "The calendar has not answered, so it is not known yet whether this was done. It is looked into by itself: look "
    "again in a moment, or send the same once more, which does it once."
)
_KEY_USED = "This Idempotency-Key was already used for something else, so nothing was done. Send a new key."
_AWAY = "This cannot be done right now, and nothing was changed. Try again in a moment."
_UNDER_WAY = "This is being done already. Look again in a moment."


def refusal_of(response: ToolResponse, business: Business, now: datetime, otherwise: str) -> ToolError:
    """Return why a call was not carried out.

    Args:
        response: What the call was answered with; it has failed.
        business: Whose it is.
        now: To tell until when appointments can be made.
        otherwise: What is said where the appointment, as it stands, is in the way.
    """
    failure = response.failure
    assert failure is not None
    reason = response.meta.get("reason")
    if isinstance(reason, str) and reason in _OBSTACLES:
        return _obstacle(reason, response.meta, business, now)
    if reason == ID_USED:
        # People of the business know no ids of calls: theirs is made of the key that their client sent.
        return ToolError(ErrorType.CONFLICT, _KEY_USED)
    if failure.partial_side_effects:
        return ToolError(ErrorType.TRANSIENT, _UNKNOWN, retryable=True, partial_side_effects=True)
    if failure.type is ErrorType.NOT_FOUND:
        return NotFound("There is no appointment of that id.")
    if failure.type is ErrorType.CONFLICT:
        return ToolError(
            ErrorType.CONFLICT, _UNDER_WAY if failure.retryable else otherwise, retryable=failure.retryable
        )
    if failure.type is ErrorType.MODE_RESTRICTED:
        if response.meta.get("condition") == _NO_CALENDAR:
            return NotSetUp("No calendar is connected. Connect one under Business; then appointments can be made.")
        return ToolError(ErrorType.TRANSIENT, _AWAY)
    type, sentence = _BY_TYPE.get(failure.type, (ErrorType.TRANSIENT, _AWAY))
    return ToolError(type, sentence)


def _obstacle(reason: str, meta: Mapping[str, Any], business: Business, now: datetime) -> ToolError:
    last = _told(horizon(business, now).latest, business)
    sentence = _OBSTACLES[reason].format(last=last)
    free = _free_instead(meta.get("alternatives") or (), business)
    sentence += f" Free instead: {free}." if free else ""
    if reason in _WRONG_TIME:
        return NotValid([EntryProblem("start", sentence)])
    return ToolError(ErrorType.CONFLICT, sentence)


def _free_instead(alternatives: Sequence[Mapping[str, Any]], business: Business) -> str:
    times = []
    for one in alternatives:
        start = datetime.fromisoformat(str(one["start"]))
        aware = start if start.tzinfo is not None else start.replace(tzinfo=business.timezone)
        whom = f" with {one['with']}" if one.get("with") else ""
        times.append(f"{_told(aware, business)}{whom}")
    return "; ".join(times)


def _told(moment: datetime, business: Business) -> str:
    local = moment.astimezone(business.timezone)
    return f"{local:%A, %B} {local.day} at {local:%H:%M}"
