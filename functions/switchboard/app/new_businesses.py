"""What makes businesses, joined when somebody first makes one."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from switchboard.admin.api.endpoint import Endpoint
    from switchboard.admin.businesses.number_conflicts import NumberConflicts
    from switchboard.app.core import Core


def opening_endpoints(core: "Core", numbers: "NumberConflicts") -> "tuple[Endpoint, ...]":
    """Return the endpoints for templates, new businesses and what is left to do for them."""
    from switchboard.admin.opening.checklist import OpeningChecklist
    from switchboard.admin.opening.new_business import NewBusinesses
    from switchboard.admin.opening.routes import OpeningEndpoints
    from switchboard.admin.opening.templates import BusinessTemplates

    def forget(business_id: str) -> None:
        core.catalog.forget(business_id)
        # One that had this id and was forgotten a moment ago may still be known by what it answered.
        within = core.paths.within(business_id)
        for shelf in (core.desk.knowledge, core.desk.policies, core.desk.faqs):
            shelf.forget(within)

    templates = BusinessTemplates()
    businesses = NewBusinesses(core.store, core.paths, core.clock, templates, numbers, forget)
    left = OpeningChecklist(core.store, core.paths, core.clock)
    return OpeningEndpoints(templates, businesses, left).endpoints
