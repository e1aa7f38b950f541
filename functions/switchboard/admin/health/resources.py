"""What can be wrong with the people and rooms of a business, and with the appointments that are with them."""

from collections.abc import Iterator
from datetime import datetime
from itertools import combinations

from switchboard.admin.health.findings import HealthFinding
from switchboard.admin.resources.consequences import BusinessView, astray
from switchboard.contract.business.business import Business, Integration
from switchboard.contract.ports import BusinessPaths, Store
from switchboard.contract.vendors import OUTSIDE_CALENDARS
from switchboard.desk.calendars.calendars import keys_of
from switchboard.desk.resources.assigning import upcoming

ABOUT = "resources"
"""With this begin the problems that reading a business tells of its people and rooms."""
_LOOKED_AT = 300


def about_resources(business: Business) -> Iterator[HealthFinding]:
    """Yield what is wrong with what was entered of people and rooms."""
    yield from (
        HealthFinding("resource_unreadable", problem) for problem in business.problems if problem.startswith(ABOUT)
    )
    for resource in business.resources:
        if resource.hours is not None and not resource.hours.is_known:
            yield HealthFinding("resource_without_hours", resource.name)
        for calendar in resource.calendars:
            name = str(calendar.get("integration"))
            if not business.integrations.get(name, Integration()).is_usable:
                yield HealthFinding("own_calendar_away", f"{OUTSIDE_CALENDARS.get(name, name)} ({resource.name})")
    for service in business.services if business.resources else ():
        if not business.most_together(service):
            yield HealthFinding("service_undone", service.name)
    yield from _shared_calendars(business)


async def about_appointments(
    store: Store, within: BusinessPaths, business: Business, now: datetime
) -> list[HealthFinding]:
    """Return a finding where appointments to come have lost somebody; of very many it tells the soonest as at least."""
    if not business.resources:
        return []
    looked_at = await upcoming(BusinessView(business, within), store, now, _LOOKED_AT)
    lost = astray(business, looked_at)
    if not lost:
        return []
    are_more = not looked_at.are_all
    return [HealthFinding("bookings_astray", count=len(lost), at=lost[0].booking.start, is_at_least=are_more)]


def _shared_calendars(business: Business) -> Iterator[HealthFinding]:
    for one, other in combinations(business.resources, 2):
        if keys_of(business, one.calendars) & keys_of(business, other.calendars):
            yield HealthFinding("calendar_shared", f"{one.name} and {other.name}")
