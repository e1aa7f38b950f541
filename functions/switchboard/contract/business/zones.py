"""Which release of the zone database is used, and how a clock's reading is told where it comes twice."""

from datetime import datetime
from importlib import import_module


def zone_data_version() -> str:
    """Return the release of the pinned database, such as `2026f`; the package takes every zone from it."""
    return str(import_module("tzdata").IANA_VERSION)


def with_zone_if_twice(text: str, local: datetime) -> str:
    """Return words for a local time, with its zone's name where the clocks show that time twice.

    Args:
        text: The words.
        local: The time they tell, aware, in the zone that it is told in.
    """
    first, second = local.replace(fold=0), local.replace(fold=1)
    earlier, later = first.utcoffset(), second.utcoffset()
    # Where clocks go forward the two differ as well, the other way round.
    is_twice = earlier is not None and later is not None and earlier > later
    return f"{text} ({local.tzname()})" if is_twice else text
