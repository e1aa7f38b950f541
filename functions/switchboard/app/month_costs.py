"""What months cost and may cost, joined when somebody first asks, or a pass first counts."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from switchboard.admin.api.endpoint import Endpoint
    from switchboard.admin.audit.document_kind import DocumentKind
    from switchboard.admin.audit.revisions import Revisions
    from switchboard.admin.costs.counting import MonthCounting
    from switchboard.admin.costs.month_stops import MonthStops
    from switchboard.app.core import Core


def month_counting(core: "Core") -> "MonthCounting":
    """Return what counts what businesses use, and notes what is used up by it."""
    from switchboard.admin.costs.counting import MonthCounting

    return MonthCounting(core.store, core.paths, core.clock, _stops(core))


def cost_endpoints(core: "Core", revisions: "Revisions") -> "tuple[Endpoint, ...]":
    """Return the endpoints for what months cost and may cost, and for prices."""
    from switchboard.admin.costs.limit_settings import LimitSettings
    from switchboard.admin.costs.month_stops import LimitStandings
    from switchboard.admin.costs.months import MonthStatements
    from switchboard.admin.costs.prices import Prices
    from switchboard.admin.costs.routes import CostEndpoints

    parts = core.store, core.paths, core.clock
    limits = LimitSettings(*parts, revisions, kind_of_limits(core), LimitStandings(*parts))
    return CostEndpoints(MonthStatements(*parts), Prices(*parts), limits).endpoints


def kind_of_limits(core: "Core") -> "DocumentKind":
    """Return the kind that a business's limits of a month are."""
    from switchboard.admin.costs.month_stops import limits_kind

    return limits_kind(_stops(core).note_of)


def _stops(core: "Core") -> "MonthStops":
    from switchboard.admin.costs.month_stops import MonthStops

    return MonthStops(core.store, core.paths, core.clock, core.catalog.forget)
