"""What tells the audit of people at the desk, built when the first of them does something."""

from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from switchboard.admin.appointments.staff_trail import AuditedDesk
    from switchboard.contract.context import CallContext
    from switchboard.contract.ports import Clock, Paths, Store
    from switchboard.contract.store import Write
    from switchboard.desk.bookings.booking import Booking


class LateTrail:
    """Has the audit tell what people of a business do at the desk; callers' calls import nothing of it."""

    def __init__(self, store: "Store", paths: "Paths", clock: "Clock") -> None:
        """Build nothing yet."""
        self._store, self._paths, self._clock = store, paths, clock

    def entries(self, ctx: "CallContext", before: "Booking | None", after: "Booking") -> "Sequence[Write]":
        """Return what is written in the commit of a change; nothing where a caller makes it."""
        return self._audited.entries(ctx, before, after) if ctx.facts.staff is not None else ()

    @cached_property
    def _audited(self) -> "AuditedDesk":
        from switchboard.admin.appointments.staff_trail import AuditedDesk
        from switchboard.admin.audit.trail import AuditTrail

        return AuditedDesk(AuditTrail(self._store, self._paths, self._clock))
