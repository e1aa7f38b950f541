"""Switchboard: the tool dispatcher behind an AI receptionist.

The rooms of this package and who may import whom are drawn in docs/architecture.md; `tests/architecture` holds the code
to it.
"""

import gc
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


def _collect_seldom() -> None:
    """From here on look for garbage that holds itself at every 10,000 objects, instead of every 700.

    Nearly all of what a process loads and builds at its start stays: looking through it again and again took a
    twentieth of a cold start. What nothing holds any more goes at once, as ever.
    """
    gc.set_threshold(10_000, 10, 10)


# Before anything of the package is loaded.
_collect_seldom()
# Before anything of the package reads a clock.
_use_pinned_zones()
