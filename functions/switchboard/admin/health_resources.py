"""What can be wrong with the people and rooms of a business, and with the appointments that are with them."""

from collections.abc import Iterator
from datetime import datetime
from itertools import combinations

from switchboard.admin.consequences import astray
from switchboard.admin.health_findings import Finding
from switchboard.contract.business import OUTSIDE_CALENDARS, Business, Integration
from switchboard.contract.ports import BusinessPaths, Store
from switchboard.contract.resources import largest_party
from switchboard.contract.store import Filter, Order, Query
from switchboard.desk.booking import read_booking
from switchboard.desk.calendars import is_same_calendar

ABOUT = "resources"
"""With this begin the problems that reading a business tells of its people and rooms."""
_LOOKED_AT = 300


def about_resources(business: Business) -> Iterator[Finding]:
    """Yield what is wrong with what was entered of people and rooms."""
    yield from (Finding("resource_unreadable", problem) for problem in business.problems if problem.startswith(ABOUT))
    for resource in business.resources:
        if resource.hours is not None and not resource.hours.is_known:
            yield Finding("resource_without_hours", resource.name)
        for calendar in resource.calendars:
            name = str(calendar.get("integration"))
            if not business.integrations.get(name, Integration()).is_usable:
                yield Finding("own_calendar_away", f"{OUTSIDE_CALENDARS.get(name, name)} ({resource.name})")
    for service in business.services if business.resources else ():
        if not largest_party(business.needs_of(service), business.resources, service.name):
            yield Finding("service_undone", service.name)
    yield from _shared_calendars(business)


async def about_appointments(store: Store, within: BusinessPaths, business: Business, now: datetime) -> list[Finding]:
    """Return a finding where appointments to come have lost somebody; of very many, the soonest are looked at."""
    if not business.resources:
        return []
    query = Query(within.collection("bookings"), (Filter("start", ">=", now),), (Order("start"),), limit=_LOOKED_AT)
    bookings = [b for b in map(read_booking, await store.query(query)) if b is not None and b.is_active]
    lost = astray(business, bookings)
    return [Finding("bookings_astray", count=len(lost), at=lost[0].booking.start)] if lost else []


def _shared_calendars(business: Business) -> Iterator[Finding]:
    for one, other in combinations(business.resources, 2):
        calendars = [[(str(c.get("integration")), c) for c in resource.calendars] for resource in (one, other)]
        if any(is_same_calendar(own, theirs) for own in calendars[0] for theirs in calendars[1]):
            yield Finding("calendar_shared", f"{one.name} and {other.name}")
