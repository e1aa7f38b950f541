"""One fault of the stand-in for Google that meets one deed, and how that is to end."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from drills import premises
from stand_ins.google_calendar_faults import Fault

BOOK, CANCEL, MOVE = "book", "cancel", "reschedule"
DEEDS = {BOOK: "events.insert", CANCEL: "events.delete", MOVE: "events.patch"}
OK, NO, UNKNOWN = "ok", "no", "unknown"
# How a call ends, for booking, cancelling and moving, when a fault meets one request, and when it lasts. A `no` means
# that nothing was done; after an `unknown` the reaper brings about what was decided.
EXPECTED: dict[str, dict[bool, tuple[str, str, str]]] = {
    # A refused token is replaced once.
    "401": {False: (OK, OK, OK), True: (NO, UNKNOWN, NO)},
    "invalid_grant": {False: (NO, UNKNOWN, NO), True: (NO, UNKNOWN, NO)},
    # Limits by the minute are waited out once; those by the day are not.
    "403-rate": {False: (OK, OK, OK), True: (NO, UNKNOWN, NO)},
    "403-quota": {False: (NO, UNKNOWN, NO), True: (NO, UNKNOWN, NO)},
    # Never allowed: the appointment is cancelled all the same, and its entry stays behind, which the log tells.
    "403-forbidden": {False: (NO, OK, NO), True: (NO, OK, NO)},
    "429": {False: (OK, OK, OK), True: (NO, UNKNOWN, NO)},
    # Perhaps done: it is looked up. A move that was made can be seen, one that was not is left to the reaper.
    "500": {False: (OK, UNKNOWN, UNKNOWN), True: (UNKNOWN, UNKNOWN, UNKNOWN)},
    # Removing is asked for again over another connection, which is harmless.
    "accept-then-drop": {False: (OK, OK, OK), True: (UNKNOWN, UNKNOWN, OK)},
    "slow": {False: (OK, UNKNOWN, UNKNOWN), True: (UNKNOWN, UNKNOWN, UNKNOWN)},
}


@dataclass(frozen=True)
class Trial:
    """One fault that meets one deed."""

    number: int
    mode: str
    lasts: bool
    deed: str

    @property
    def start(self) -> datetime:
        """When the appointment begins that it is about."""
        return premises.start_of(self.number, datetime.now(UTC))

    @property
    def new_start(self) -> datetime:
        """Where a move puts it."""
        return self.start + timedelta(hours=5)

    @property
    def faults(self) -> list[Fault]:
        """What goes wrong."""
        times = None if self.lasts else 1
        if self.mode == "invalid_grant":
            return [Fault("token", self.mode, times)]
        written = Fault(DEEDS[self.deed], self.mode, times)
        # Looking up what became of it fails as well where the fault lasts; that which decides beforehand does not.
        return [written, *([Fault("events.get", self.mode, times)] if self.lasts and self.deed != MOVE else [])]
