"""The times that a question is about, so that an answer may name them by today: "yes, cancel tomorrow's"."""

from collections.abc import Mapping
from datetime import date, datetime
from typing import Any
from zoneinfo import ZoneInfo

from switchboard.contract.json import JsonObject
from switchboard.contract.python.dataclass import dataclass
from switchboard.pipeline.invocation import Invocation


@dataclass(frozen=True, slots=True)
class AskedDays:
    """What a question is about, as somebody sees it who answers it.

    Attributes:
        start: When it begins by the business's clock (without a zone, since the same instant is another day elsewhere);
            None where the question names no such time.
        new_start: For a move: when it is to begin instead, likewise.
        todays: The business's day when the question was put, and when it is answered, where that is another one.
    """

    start: datetime | None
    new_start: datetime | None
    todays: tuple[date, ...]


@dataclass(frozen=True, slots=True)
class AskedTimes:
    """What a question is about, and when it was put; it stands in the proposal.

    Attributes:
        start: When it begins (aware); None where nobody knows.
        new_start: For a move: when it is to begin instead (aware).
        zone: The business's, as `ZoneInfo` names it.
        asked_at: When it was put first (aware).
    """

    start: datetime | None
    new_start: datetime | None
    zone: str
    asked_at: datetime

    def days(self, now: datetime) -> AskedDays:
        """Return them as seen from the moment of an answer (aware), which may be after midnight."""
        zone = ZoneInfo(self.zone)
        start, new_start = (
            then and then.astimezone(zone).replace(tzinfo=None) for then in (self.start, self.new_start)
        )
        todays = dict.fromkeys(then.astimezone(zone).date() for then in (self.asked_at, now))
        return AskedDays(start, new_start, tuple(todays))

    def to_document(self) -> JsonObject:
        """Return it as it stands in a proposal."""
        return {"start": self.start, "newStart": self.new_start, "zone": self.zone, "askedAt": self.asked_at}


def times_of(invocation: Invocation) -> AskedTimes | None:
    """Return the times that a call would change, as its tool has found them; None where it names none."""
    given = {**(invocation.arguments.told if invocation.arguments is not None else {})}
    given |= invocation.proposal.facts if invocation.proposal is not None else {}
    start, new_start = _aware(given.get("start_time")), _aware(given.get("new_start_time"))
    if start is None and new_start is None:
        return None
    return AskedTimes(start, new_start, invocation.business.timezone.key, invocation.now)


def read_times(data: Any) -> AskedTimes | None:
    """Return what `to_document` wrote; None where there is nothing, or nothing that can be read."""
    if not isinstance(data, Mapping):
        return None
    start, new_start, asked_at = (_aware(data.get(name)) for name in ("start", "newStart", "askedAt"))
    try:
        zone = ZoneInfo(str(data.get("zone"))).key
    except (KeyError, ValueError, OSError):
        return None
    return AskedTimes(start, new_start, zone, asked_at) if asked_at is not None else None


def _aware(value: object) -> datetime | None:
    return value if isinstance(value, datetime) and value.tzinfo is not None else None
