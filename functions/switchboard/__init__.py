"""Switchboard: the tool dispatcher behind an AI receptionist.

The rooms of this package and who may import whom are drawn in docs/architecture.md; `tests/architecture` holds the code
to it.
"""

import zoneinfo
from importlib.util import find_spec
from pathlib import Path

VERSION = "0.1.0"


def _use_pinned_zones() -> None:
    """From here on take every time zone's rules from the pinned `tzdata`, whatever the system has.

    Python prefers the operating system's. Those may be years old (a government that moves its clocks tells six weeks
    before), and then every hour, booking and text of a business there is an hour off.
    """
    found = find_spec("tzdata")
    # A bare Python, before anything is installed, may still build the tools: that reads no clock.
    if found is not None and found.origin is not None:
        zoneinfo.reset_tzpath((str(Path(found.origin).with_name("zoneinfo")),))
        zoneinfo.ZoneInfo.clear_cache()


# Before anything of the package reads a clock.
_use_pinned_zones()
