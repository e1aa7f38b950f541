"""What people of a business do themselves that callers have their receptionist do, joined when somebody first does."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from switchboard.admin.api.endpoint import Endpoint
    from switchboard.admin.audit.revisions import Revisions
    from switchboard.admin.audit.trail import AuditTrail
    from switchboard.admin.customers.records import CustomerRecords
    from switchboard.admin.maintenance.deletion_jobs import DeletionJobs
    from switchboard.admin.services import AdminServices
    from switchboard.app.core import Core


def customer_records(core: "Core", revisions: "Revisions") -> "CustomerRecords":
    """Return what reads and writes the customers of every business."""
    from switchboard.admin.customers.records import CustomerRecords

    return CustomerRecords(core.store, core.paths, core.clock, revisions)


def desk_endpoints(
    core: "Core", trail: "AuditTrail", office: "AdminServices", deletions: "DeletionJobs"
) -> "tuple[Endpoint, ...]":
    """Return the endpoints for appointments, messages and customers."""
    from switchboard.admin.appointments.office import AppointmentOffice
    from switchboard.admin.appointments.routes import AppointmentEndpoints
    from switchboard.admin.appointments.staff_calls import StaffCalls
    from switchboard.admin.customers.history import CustomerHistoryReader
    from switchboard.admin.customers.merging import CustomerUnion
    from switchboard.admin.customers.routes import CustomerEndpoints
    from switchboard.admin.messages.inbox import MessageInbox
    from switchboard.admin.messages.routes import MessageEndpoints

    store, paths, clock = core.store, core.paths, core.clock
    calls, records = StaffCalls(clock, lambda: core.dispatcher), core.desk.bookings.saga.records
    appointments = AppointmentOffice(store, paths, clock, calls, trail, records)
    inbox = MessageInbox(store, paths, clock, office.revisions)
    customers = customer_records(core, office.revisions)
    history = CustomerHistoryReader(store, paths, customers, appointments.listing, office.sessions)
    union = CustomerUnion(store, paths, clock, trail, customers, deletions)
    return (
        *AppointmentEndpoints(appointments).endpoints,
        *MessageEndpoints(inbox).endpoints,
        *CustomerEndpoints(paths, customers, history, union, deletions).endpoints,
    )
