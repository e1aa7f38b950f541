"""One fault of an outside calendar that meets one deed, and how that is to end."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TypeAlias

from drills import premises
from stand_ins import caldav_server, google_calendar_faults, microsoft_graph_faults
from stand_ins.faults import Fault

BOOK, CANCEL, MOVE = "book", "cancel", "reschedule"
DEEDS = (BOOK, CANCEL, MOVE)
OK, NO, UNKNOWN = "ok", "no", "unknown"
Ends: TypeAlias = dict[str, dict[bool, tuple[str, str, str]]]
# How a call ends, for booking, cancelling and moving, when a fault meets one request, and when it lasts. A `no` means
# that nothing was done; after an `unknown` the reaper brings about what was decided.
_GOOGLE: Ends = {
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
    # A removal is not looked up: the reaper asks for it again, which is harmless.
    "accept-then-drop": {False: (OK, UNKNOWN, OK), True: (UNKNOWN, UNKNOWN, OK)},
    "slow": {False: (OK, UNKNOWN, UNKNOWN), True: (UNKNOWN, UNKNOWN, UNKNOWN)},
}
_MICROSOFT: Ends = {
    "401": _GOOGLE["401"],
    "invalid_grant": _GOOGLE["invalid_grant"],
    "403": _GOOGLE["403-forbidden"],
    # Its Retry-After is short, and waited out once.
    "429": _GOOGLE["429"],
    # Looked up as Google's; what lasts for changes alone can be seen to have been done, or not.
    "503": {False: (OK, UNKNOWN, UNKNOWN), True: (UNKNOWN, UNKNOWN, UNKNOWN)},
    "500": {False: (OK, UNKNOWN, UNKNOWN), True: (UNKNOWN, UNKNOWN, UNKNOWN)},
    "504": {False: (OK, UNKNOWN, UNKNOWN), True: (UNKNOWN, UNKNOWN, UNKNOWN)},
    "accept-then-drop": {False: (OK, UNKNOWN, OK), True: (OK, UNKNOWN, OK)},
    "slow": {False: (OK, UNKNOWN, UNKNOWN), True: (UNKNOWN, UNKNOWN, UNKNOWN)},
}
_CALDAV: Ends = {
    # There is nothing by which a refused password could be replaced.
    "401": {False: (NO, UNKNOWN, NO), True: (NO, UNKNOWN, NO)},
    # Likewise: "not you", where no condition says "not that".
    "403": {False: (NO, UNKNOWN, NO), True: (NO, UNKNOWN, NO)},
    "429": _GOOGLE["429"],
    # Put off, as 429 is: nothing was done.
    "503": _GOOGLE["429"],
    "500": {False: (OK, UNKNOWN, UNKNOWN), True: (UNKNOWN, UNKNOWN, UNKNOWN)},
    # There is no room: for good, as far as anybody knows here.
    "507": _GOOGLE["403-forbidden"],
    "accept-then-drop": {False: (OK, UNKNOWN, OK), True: (OK, UNKNOWN, OK)},
    "slow": {False: (OK, UNKNOWN, UNKNOWN), True: (UNKNOWN, UNKNOWN, UNKNOWN)},
}
_RETRY_AFTER_S = 0.2


@dataclass(frozen=True)
class Kind:
    """What can go wrong at a vendor.

    Attributes:
        ends: How a call ends.
        deeds: The method that each deed comes down to.
        fault: What a fault there is.
        looking: The method by which it is looked up what became of a deed; fails too, where a fault lasts.
        forbidden: The mode in which an entry stays behind that may not be removed.
    """

    ends: Ends
    deeds: Mapping[str, str]
    fault: type[Fault]
    looking: str
    forbidden: str


KINDS = {
    "google": Kind(
        _GOOGLE,
        {BOOK: "events.insert", CANCEL: "events.delete", MOVE: "events.patch"},
        google_calendar_faults.Fault,
        "events.get",
        "403-forbidden",
    ),
    # There it is looked up before an entry is made, too: a fault of that would only keep the deed from being tried.
    "microsoft": Kind(
        _MICROSOFT,
        {BOOK: "events.create", CANCEL: "events.delete", MOVE: "events.update"},
        microsoft_graph_faults.Fault,
        "",
        "403",
    ),
    "caldav": Kind(_CALDAV, {BOOK: "create", CANCEL: "delete", MOVE: "update"}, caldav_server.Fault, "", "507"),
}


@dataclass(frozen=True)
class Trial:
    """One fault that meets one deed."""

    number: int
    mode: str
    lasts: bool
    deed: str
    kind: Kind

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
        times, kind = None if self.lasts else 1, self.kind
        if self.mode == "invalid_grant":
            return [kind.fault("token", self.mode, times)]
        seconds = {"seconds": _RETRY_AFTER_S} if self.mode in ("429", "503") else {}
        written = kind.fault(kind.deeds[self.deed], self.mode, times, **seconds)
        # Looking up what became of it fails as well where the fault lasts; that which decides beforehand does not.
        looks = self.lasts and self.deed != MOVE and bool(kind.looking)
        return [written, *([kind.fault(kind.looking, self.mode, times)] if looks else [])]
