"""Times as a model reads them: ISO 8601 in the business's zone, and words it can say."""

from collections.abc import Sequence
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from switchboard.contract.json import JsonObject
from switchboard.desk.visit import Visit


def iso(moment: datetime, zone: ZoneInfo) -> str:
    """Return an aware time as local time with offset, e.g. `2027-03-16T10:00:00-04:00`."""
    return moment.astimezone(zone).isoformat(timespec="seconds")


def in_words(moment: datetime, zone: ZoneInfo) -> str:
    """Return an aware time in English words with its ISO form, e.g. `Tuesday, March 16 at 10:00 AM (2027-…)`."""
    local = moment.astimezone(zone)
    return f"{local:%A, %B} {local.day} at {local.hour % 12 or 12}:{local:%M %p} ({iso(moment, zone)})"


def as_choices(starts: Sequence[datetime], visit: Visit, zone: ZoneInfo) -> list[JsonObject]:
    """Return `{start, end}` of a visit for each of its possible starts (UTC), in local ISO form."""
    return [{"start": iso(start, zone), "end": iso(visit.end(start), zone)} for start in starts]


def stamp(moment: datetime) -> str:
    """Return an aware time as seed 000 writes times: UTC, ending in Z."""
    return moment.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
