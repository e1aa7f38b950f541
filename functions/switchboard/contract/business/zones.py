"""Time zones: which one a name means, which release of their database is used, and times that come twice."""

from collections.abc import Iterable
from datetime import datetime
from functools import cache
from importlib import import_module
from zoneinfo import ZoneInfo, available_timezones

from switchboard.contract.business.names import nearest

_SHOWN = 60


def zone_data_version() -> str:
    """Return the release of the pinned database, such as `2026f`; the package takes every zone from it."""
    return str(import_module("tzdata").IANA_VERSION)


def zone_named(name: object, beside: Iterable[str] = ()) -> tuple[ZoneInfo, str]:
    """Return the zone of an IANA name, and nothing; or UTC, and in half a sentence why it is none and what would be.

    Args:
        name: What stands there for it; None or empty where nothing does.
        beside: The fields that stand there as well, one of which may be its own, mistyped.
    """
    if name is None or name == "":
        mistyped = nearest("timezone", (one for one in beside if one != "timezone"))
        meant = f"; it seems to stand under {mistyped[:_SHOWN]!r}, which nothing reads" if mistyped else ""
        return ZoneInfo("UTC"), f"is missing{meant}: name an IANA zone such as Europe/Berlin"
    try:
        return ZoneInfo(name), ""  # type: ignore[arg-type]
    except (KeyError, ValueError, TypeError, OSError):
        close = nearest(name, _zone_names()) if isinstance(name, str) else ""
        meant = f"; {close} comes nearest" if close else ""
        return ZoneInfo("UTC"), f"{str(name)[:_SHOWN]!r} is not an IANA zone such as Europe/Berlin{meant}"


@cache
def _zone_names() -> frozenset[str]:
    return frozenset(available_timezones())


def is_shown_twice(local: datetime) -> bool:
    """Tell whether the clocks of an aware time's own zone show it twice, since they go back."""
    earlier, later = local.replace(fold=0).utcoffset(), local.replace(fold=1).utcoffset()
    # Where clocks go forward the two differ as well, the other way round.
    return earlier is not None and later is not None and earlier > later


def with_zone_if_twice(text: str, local: datetime) -> str:
    """Return words for a local time, with its zone's name where the clocks show that time twice.

    Args:
        text: The words.
        local: The time they tell, aware, in the zone that it is told in.
    """
    return f"{text} ({local.tzname()})" if is_shown_twice(local) else text
