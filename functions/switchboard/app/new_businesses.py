"""What makes businesses, joined when somebody first makes one."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from switchboard.admin.api.endpoint import Endpoint
    from switchboard.admin.businesses.number_conflicts import NumberConflicts
    from switchboard.admin.maintenance.deletion_jobs import DeletionJobs
    from switchboard.admin.services import AdminServices
    from switchboard.app.core import Core


def opening_endpoints(
    core: "Core", numbers: "NumberConflicts", office: "AdminServices", deletions: "DeletionJobs"
) -> "tuple[Endpoint, ...]":
    """Return the endpoints for templates, for businesses that are made, pushed to or taken away, and what is to do."""
    from switchboard.admin.audit.joint_changes import JointChanges
    from switchboard.admin.businesses.known_names import KnownNames
    from switchboard.admin.opening.checklist import OpeningChecklist
    from switchboard.admin.opening.new_business import NewBusinesses
    from switchboard.admin.opening.removal import BusinessRemoval
    from switchboard.admin.opening.routes import OpeningEndpoints
    from switchboard.admin.opening.templates import BusinessTemplates
    from switchboard.admin.pushing.planning import PushPlanning
    from switchboard.admin.pushing.pushing import TemplatePush
    from switchboard.admin.pushing.routes import PushEndpoints

    def forget(business_id: str) -> None:
        core.catalog.forget(business_id)
        # One that had this id and was forgotten a moment ago may still be known by what it answered.
        within = core.paths.within(business_id)
        for shelf in (core.desk.knowledge, core.desk.policies, core.desk.faqs):
            shelf.forget(within)

    templates = BusinessTemplates()
    businesses = NewBusinesses(core.store, core.paths, core.clock, templates, numbers, deletions, forget)
    left = OpeningChecklist(core.store, core.paths, core.clock)
    removal = BusinessRemoval(core.store, core.paths, core.clock, deletions, forget)
    joint = JointChanges(core.store, core.paths, core.clock)
    known = KnownNames(core.store, core.paths, lambda: core.catalog.definitions.registry)
    rooms = office.entry_rooms
    planning = PushPlanning(office.businesses.kind, rooms, joint, known)
    push = TemplatePush(core.store, core.paths, planning, joint, rooms)
    opening = OpeningEndpoints(templates, businesses, left, removal)
    return (*opening.endpoints, *PushEndpoints(templates, push).endpoints)
