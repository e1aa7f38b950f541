"""Conversations that owners keep as tests, joined with what a business has now."""

from typing import TYPE_CHECKING

from switchboard.admin.evals.kept import KeptEvals, OfferedHere, eval_kind
from switchboard.contract.store import Unavailable

if TYPE_CHECKING:
    from switchboard.admin.api.endpoint import Endpoint
    from switchboard.admin.audit.document_kind import DocumentKind
    from switchboard.admin.audit.revisions import Revisions
    from switchboard.admin.evals.outcomes import KeptOutcomes
    from switchboard.app.core import Core
    from switchboard.catalog.offer.catalog import Catalog


def kind_of_tests(catalog: "Catalog") -> "DocumentKind":
    """Return the kind that kept tests are, held against the tools and services that a business has."""

    async def offered(business_id: str) -> OfferedHere:
        tenant = await catalog.tenant(business_id)
        if tenant is None:
            raise Unavailable("the business cannot be read")
        return OfferedHere(tenant.business, {*catalog.definitions.registry.tools, *tenant.own.tools})

    return eval_kind(offered)


def endpoints_of_tests(core: "Core", revisions: "Revisions") -> "tuple[Endpoint, ...]":
    """Return the endpoints of tests."""
    from switchboard.admin.evals.routes import EvalEndpoints

    kept = KeptEvals(core.store, core.paths, revisions, kind_of_tests(core.catalog))
    return EvalEndpoints(kept, outcomes_of_tests(core)).endpoints


def outcomes_of_tests(core: "Core") -> "KeptOutcomes":
    """Return what plays the kept tests of businesses, and keeps what came of them."""
    from switchboard.admin.evals.outcomes import KeptOutcomes

    return KeptOutcomes(core.store, core.paths, core.playing, core.clock)
