"""What months cost, joined when somebody first asks, or a pass first counts."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from switchboard.admin.api.endpoint import Endpoint
    from switchboard.admin.costs.counting import MonthCounting
    from switchboard.app.core import Core


def month_counting(core: "Core") -> "MonthCounting":
    """Return what counts what businesses use."""
    from switchboard.admin.costs.counting import MonthCounting

    return MonthCounting(core.store, core.paths, core.clock)


def cost_endpoints(core: "Core") -> "tuple[Endpoint, ...]":
    """Return the endpoints for what months cost, and for prices."""
    from switchboard.admin.costs.months import MonthStatements
    from switchboard.admin.costs.prices import Prices
    from switchboard.admin.costs.routes import CostEndpoints

    parts = core.store, core.paths, core.clock
    return CostEndpoints(MonthStatements(*parts), Prices(*parts)).endpoints
