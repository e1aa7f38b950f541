"""The audit's entries of what people of the business do with appointments, written in the desk's own commits."""

from collections.abc import Sequence

from switchboard.admin.access.access import OwnerIdentity, Permit
from switchboard.admin.access.roles import Role
from switchboard.admin.audit.trail import AuditTrail
from switchboard.admin.resources.booking_office import BOOKING
from switchboard.contract.context import CallContext, StaffMember
from switchboard.contract.store import Write
from switchboard.desk.bookings.booking import Booking
from switchboard.desk.bookings.staff_changes import told_to_staff


class AuditedDesk:
    """Tells in the audit who of the business did what; of what callers do the ledger tells."""

    def __init__(self, trail: AuditTrail) -> None:
        self._trail = trail

    def entries(self, ctx: CallContext, before: Booking | None, after: Booking) -> Sequence[Write]:
        """Return the entry of a change; none where a caller makes it, or nothing of it is told."""
        staff = ctx.facts.staff
        if staff is None:
            return ()
        # Of what an outside calendar has yet to agree to, the audit tells what was decided.
        was, is_now = None if before is None else told_to_staff(before), told_to_staff(after.moved)
        if was == is_now:
            return ()
        return [self._trail.entry(_permit(ctx.business.id, staff), BOOKING, after.id, was, is_now)]


def _permit(business_id: str, staff: StaffMember) -> Permit:
    role = next((role for role in Role if role.value == staff.role), Role.VIEWER)
    return Permit(OwnerIdentity(staff.id, staff.name), business_id, role)
