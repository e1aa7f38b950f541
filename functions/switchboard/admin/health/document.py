"""What is wrong with a business's stored document, as findings: somebody may have written it past every check."""

from collections.abc import Iterator, Mapping
from typing import Any

from switchboard.admin.businesses.document import check_document, costs_callers
from switchboard.admin.businesses.known_names import NamesThereAre
from switchboard.admin.health.findings import HealthFinding
from switchboard.admin.health.resources import ABOUT
from switchboard.contract.business.business import Business

_ZONE = "timezone"


def about_document(
    business: Business, document: Mapping[str, Any], names: NamesThereAre | None = None
) -> Iterator[HealthFinding]:
    """Yield what is wrong with what was entered, people and rooms aside: trouble where callers go without something."""
    if business.zone_problem:
        yield HealthFinding("zone_unknown", business.zone_problem)
    for problem in check_document(business.id, dict(document), names, is_stored=True):
        costly, sentence = costs_callers(problem, document), problem.message.rstrip(".")
        if problem.is_unknown:
            yield HealthFinding("field_mistyped" if costly else "field_unread", sentence)
        elif problem.field != _ZONE and not problem.field.startswith(ABOUT):
            yield HealthFinding("entry_unusable" if costly else "business_problem", sentence)
