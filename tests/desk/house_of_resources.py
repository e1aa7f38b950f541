"""A salon with people, rooms and a class, and what is free there found out by trying everything."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from itertools import product
from typing import Any
from zoneinfo import ZoneInfo

from switchboard.contract.business.business import Business
from switchboard.desk.bookings.booking import Booking
from tests.desk.front_desk import salon

CUTS = ["Haircut", "Color", "Treatment", "Bridal party"]
PEOPLE: list[dict[str, Any]] = [
    {"id": "rosa", "name": "Rosa Lindqvist", "kind": "person"},
    {"id": "marcus", "name": "Marcus", "kind": "person"},
    {"id": "dana", "name": "Dana", "kind": "person", "services": CUTS},
]
ROOMS: list[dict[str, Any]] = [{"id": "east", "name": "East room", "kind": "room"}]
CLASS: dict[str, Any] = {"id": "class", "name": "Class", "kind": "seats", "capacity": 6}
SERVICES: list[dict[str, Any]] = [
    {"name": "Haircut", "durationMinutes": 30, "needs": [{"kind": "person"}]},
    {"name": "Razor line-up", "durationMinutes": 15, "needs": [{"kind": "person", "any": ["marcus"]}]},
    {"name": "Color", "durationMinutes": 90, "bufferAfterMinutes": 10},
    {"name": "Treatment", "durationMinutes": 60, "needs": [{"kind": "person"}, {"kind": "room"}]},
    {"name": "Styling class", "durationMinutes": 60, "needs": [{"kind": "seats"}]},
    {"name": "Bridal party", "durationMinutes": 60, "needs": [{"kind": "person", "perPerson": True}]},
]


def full_house(**changes: Any) -> Business:
    """Return a salon with three people, a room and a class of six."""
    return salon(**{"resources": [*PEOPLE, *ROOMS, CLASS], "services": SERVICES, **changes})


@dataclass(frozen=True)
class Ask:
    """What somebody wants: a service by its name, with whom, for how many."""

    service: str
    person: str = ""
    party: int = 1


class Tried:
    """Finds out what is free by trying every way to meet what is needed, from the documents alone."""

    def __init__(self, document: Mapping[str, Any], bookings: Iterable[Booking], zone: ZoneInfo) -> None:
        self._services = {service["name"]: service for service in document["services"]}
        self._resources: Sequence[Mapping[str, Any]] = document["resources"]
        self._bookings = [booking for booking in bookings if booking.is_active]
        self._zone = zone

    def is_free(self, ask: Ask, start: datetime) -> bool:
        """Tell whether somebody and something can be found for it."""
        service = self._services[ask.service]
        before, after = service.get("bufferBeforeMinutes", 0), service.get("bufferAfterMinutes", 0)
        end = start + timedelta(minutes=service["durationMinutes"])
        kept = (start - timedelta(minutes=before), end + timedelta(minutes=after))
        wanted = []
        for need in service.get("needs") or [{"kind": "person"}]:
            is_seats = need["kind"] == "seats"
            times = need.get("count", 1) * (ask.party if need.get("perPerson") and not is_seats else 1)
            units = ask.party if is_seats else 1
            among = [
                r["id"]
                for r in self._resources
                if r["kind"] == need["kind"]
                and (not need.get("any") or r["id"] in need["any"])
                and (r.get("services") is None or ask.service in r["services"])
                and (is_seats or need.get("perPerson") or not r.get("seats") or r["seats"] >= ask.party)
                and self._is_there(r, start, end)
                and self._room(r, kept) >= units
            ]
            wanted += [among] * times
        return any(len(set(ways)) == len(ways) and (not ask.person or ask.person in ways) for ways in product(*wanted))

    def is_for_parties(self, service: str) -> bool:
        """Tell whether somebody has said of anything that it needs how many come."""
        return any(
            need["kind"] == "seats"
            or need.get("perPerson")
            or any(r.get("seats") for r in self._resources if r["kind"] == need["kind"])
            for need in self._services[service].get("needs") or ()
        )

    def _is_there(self, resource: Mapping[str, Any], start: datetime, end: datetime) -> bool:
        moment = start
        while moment < end:
            local = moment.astimezone(self._zone)
            clock = f"{local:%H:%M}"
            hours = resource.get("hours")
            if hours is not None:
                openings = hours.get(f"{local:%A}".casefold()) or []
                if not any(o["open"] <= clock < o["close"] for o in openings):
                    return False
            wall = local.replace(tzinfo=None)
            for absence in resource.get("absences") or ():
                first, last = _wall(absence["start"]), _wall(absence["end"], is_end=True)
                if first <= wall < last:
                    return False
            moment += timedelta(minutes=15)
        return True

    def _room(self, resource: Mapping[str, Any], kept: tuple[datetime, datetime]) -> int:
        """Return how much of a resource is left at the fullest moment."""
        holding = [
            (b.start - timedelta(minutes=b.before), b.end + timedelta(minutes=b.after), taken.units)
            for b in self._bookings
            for taken in b.taken.resources
            if taken.id == resource["id"]
        ]
        # It is fullest where somebody begins.
        moments = [kept[0], *(first for first, _, _ in holding if kept[0] < first < kept[1])]
        used = (sum(units for first, last, units in holding if first <= moment < last) for moment in moments)
        most: int = resource.get("capacity", 1) - max(used)
        return most


def _wall(text: str, *, is_end: bool = False) -> datetime:
    moment = datetime.fromisoformat(text)
    return moment + timedelta(days=1) if is_end and len(text) == 10 else moment


def day_of(text: str) -> date:
    """Return a day."""
    return date.fromisoformat(text)
