"""Time zones as Exchange names them: by Windows's names or IANA's.

The table from the one to the other is CLDR's, as Babel ships it: Babel is in the house for dates in every language, its
releases follow CLDR's, and a table of our own would have to be kept up by hand.
"""

from zoneinfo import ZoneInfo

_NO_ZONE_OF_ITS_OWN = ("", "UTC", "tzone://Microsoft/Utc", "tzone://Microsoft/Custom")


class UnknownZone(ValueError):
    """A time stands in a zone of which nobody here knows what it is; to take it for UTC would move it by hours."""


def zone_named(name: str) -> ZoneInfo:
    """Return a zone by its name, such as `W. Europe Standard Time` or `Europe/Berlin`.

    Raises:
        UnknownZone: It is neither of Windows's nor of IANA's.
    """
    if name in ("UTC", "tzone://Microsoft/Utc"):
        return ZoneInfo("UTC")
    from babel.core import get_global

    # Loaded when the first such name is met: times are asked for in UTC.
    iana = get_global("windows_zone_mapping").get(name, name)
    try:
        return ZoneInfo(iana)
    except (KeyError, ValueError, OSError):
        raise UnknownZone(name) from None


def zone_of_days(name: str, otherwise: ZoneInfo) -> ZoneInfo:
    """Return the zone in which an event that lasts all day has its days.

    What was entered by a program, or in a zone that Outlook only knows as a custom one, names none: those days are
    `otherwise`'s.

    Raises:
        UnknownZone: It names one that nobody here knows.
    """
    return otherwise if name in _NO_ZONE_OF_ITS_OWN else zone_named(name)
