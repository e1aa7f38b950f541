"""Who and what is free when, and who takes an appointment: exact, for any number of people, rooms and seats.

Time is a row of bits, one for each step of the grid, so that a day of forty people costs a few hundred operations on
numbers. What an appointment takes up is matched to what it needs (each resource once): an assignment is found whenever
there is one.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta
from functools import reduce
from itertools import islice
from operator import or_

from switchboard.contract.business.business import Business
from switchboard.contract.business.resources import CHAIR, SEATS, Resource, candidates
from switchboard.contract.business.working_hours import WorkingHours
from switchboard.contract.python.dataclass import dataclass
from switchboard.desk.bookings.assignment import Assignment, TakenResource
from switchboard.desk.bookings.booking import Booking
from switchboard.desk.bookings.duration import VisitLength
from switchboard.desk.bookings.hours import Stretch, absent_stretches, open_stretches
from switchboard.desk.calendars.grid import (
    last_step_until,
    moment_of,
    slot_id,
    span_of,
    steps_between,
    steps_within,
)
from switchboard.desk.calendars.outside_entries import WHOLE_HOUSE, OutsideTime

_DAY = timedelta(days=1)
_MOST_TOLD = 50

_Load = Callable[[Resource], int]


@dataclass(frozen=True, slots=True)
class _Wanted:
    """One thing that an appointment takes up: so many units of one of these."""

    units: int
    among: tuple[Resource, ...]


class Occupancy:
    """What a business has, and what is taken of it, in a stretch of steps."""

    def __init__(
        self,
        business: Business,
        time: Stretch,
        bookings: Iterable[Booking],
        outside: OutsideTime,
        without: str = "",
        hours: WorkingHours | None = None,
    ) -> None:
        """Work out a stretch of time.

        Args:
            business: Whose it is.
            time: The stretch, in UTC; outside it nothing is free.
            bookings: All that overlap it and are active.
            outside: What outside calendars take.
            without: The id of a booking that does not count: the one that is to be moved.
            hours: When the house is open by now, where that is another time than the business says: nobody is there
                outside of it.
        """
        self._business = business
        steps = steps_between(time.start, time.end)
        self._first = steps.start
        self._all = (1 << len(steps)) - 1
        self._house = self._all if hours is None else self._open(hours)
        self._resources = business.resources or (CHAIR,)
        self._known = {resource.id: resource for resource in self._resources}
        self._used: dict[str, int] = {}
        self._units: dict[str, Counter[int]] = {r.id: Counter() for r in self._resources if r.capacity > 1}
        self._slots: set[str] = set()
        self._there: dict[str, int] = {}
        self._starts: dict[tuple[str, int, int, int, int], int] = {}
        for resource, taken in outside.steps.items():
            self._take(resource, self._mask(taken))
        for displaced in outside.displaced:
            if displaced.booking_id != without:
                self._hold(displaced.taken, displaced.steps)
        known = list(bookings)
        self._own_slots = frozenset(s for b in known if b.id == without for taken, _ in b.occupied for s in taken.slots)
        if not business.resources:
            # There its own entry is part of what the outside calendar tells.
            own = (self._mask(claims) for b in known if b.id == without for _, claims in b.occupied)
            self._used[WHOLE_HOUSE] = self._used.get(WHOLE_HOUSE, 0) & ~reduce(or_, own, 0)
        for booking in known:
            if booking.id != without:
                self._book(booking)

    def starts(self, visit: VisitLength, steps: Iterable[int]) -> list[int]:
        """Return those of some steps at which a visit can start, as far as anybody and anything is free for it."""
        demands = self._wanted(visit)
        if not demands:
            return []
        possible = self._all
        for one in demands:
            any_of = 0
            for resource in one.among:
                any_of |= self._possible(resource, visit, one.units)
            possible &= any_of
        if visit.person:
            wished = (one for one in demands if any(resource.id == visit.person for resource in one.among))
            with_person = 0
            for one in wished:
                with_person |= self._possible(self._known[visit.person], visit, one.units)
            possible &= with_person
        starts = [step for step in steps if step - self._first >= 0 and possible >> (step - self._first) & 1]
        # Where each need has its own kind, any of those that will do is enough; else they must be different ones.
        ids = [resource.id for one in demands for resource in one.among]
        is_simple = len(ids) == len(set(ids))
        return starts if is_simple else self._matching(visit, starts, demands)

    def assignment(
        self, visit: VisitLength, start: datetime, preferred: Sequence[str] = (), *, spread: int = 0
    ) -> Assignment | None:
        """Return who and what takes a visit that starts at a UTC moment: of those who can, the least busy that day.

        Args:
            visit: What it needs; a wished person is among it.
            start: When, on the grid.
            preferred: Resources that come first, such as those that it has now.
            spread: Turns the order of the equally good, so that many who choose at once do not all choose the same.

        Returns:
            None where there is none.
        """
        step = last_step_until(start)
        if not self._business.resources:
            return Assignment() if self.starts(visit, [step]) else None
        matched = self._matched(visit, step, preferred, spread)
        if matched is None:
            return None
        taken, slots = [], list[str]()
        for resource, units in matched:
            taken.append(TakenResource(resource.id, resource.kind, resource.name, units))
            slots += self._free_slots(resource, units, visit.claims(start))
        return Assignment(tuple(taken), tuple(slots))

    def room(self, visit: VisitLength, steps: Sequence[int]) -> dict[int, int]:
        """Return how many can come together at each of some steps, where anybody can; never more than there is room.

        Where nothing is for several together there is nothing to tell; of a large hall no more than so many are told.
        """
        service = self._business.service_named(visit.service) if visit.service else None
        most, room = min(self._business.most_together(service), _MOST_TOLD), dict[int, int]()
        for party in range(1, most + 1 if most > 1 else 1):
            starts = self.starts(replace(visit, party=party), steps)
            if not starts:
                break
            room |= dict.fromkeys(starts, party)
        return room

    def is_anybody_there(self, visit: VisitLength, starts: Iterable[int]) -> bool:
        """Tell whether those and that which a visit needs are there at all at one of these steps, taken or not."""
        demands, length = self._wanted(visit), visit.length
        there = self._all if demands else 0
        for one in demands:
            there &= reduce(or_, (_runs(self._present(resource), length) for resource in one.among), 0)
        if visit.person and demands:
            there &= _runs(self._present(self._known[visit.person]), length)
        return any(step >= self._first and there >> (step - self._first) & 1 for step in starts)

    def people_free(self, visit: VisitLength, start: datetime, most: int) -> tuple[str, ...]:
        """Return the names of up to so many people with each of whom a visit could be at a UTC moment."""
        steps = [last_step_until(start)]
        free = (p.name for p in self._business.people if self.starts(replace(visit, person=p.id), steps))
        return tuple(islice(free, most))

    def taken_steps(self, visit: VisitLength, start: datetime) -> list[int]:
        """Return the steps of a visit in which something that it needs is not to be had."""
        blocked = 0
        for one in self._wanted(visit):
            nothing = self._all
            for resource in one.among:
                nothing &= self._full(resource, one.units)
            blocked |= nothing
        blocked_steps = [step for step in visit.claims(start) if blocked & self._mask((step,))]
        return blocked_steps or list(visit.claims(start))

    def _book(self, booking: Booking) -> None:
        for assignment, claims in booking.occupied:
            self._slots.update(assignment.slots)
            self._hold(assignment, claims)

    def _hold(self, assignment: Assignment, steps: range | frozenset[int]) -> None:
        mask = self._mask(steps)
        for taken in assignment.resources:
            units = self._units.get(taken.id)
            if units is not None:
                units.update(dict.fromkeys(steps, taken.units))
            else:
                self._take(taken.id, mask)
        if not assignment.resources or not self._business.resources:
            # Made when the business had one chair, until somebody is found for it; or when it had several.
            self._take(WHOLE_HOUSE, mask)

    def _take(self, resource: str, mask: int) -> None:
        self._used[resource] = self._used.get(resource, 0) | mask

    def _full(self, resource: Resource, units: int) -> int:
        """Return the steps in which so many units of a resource are not to be had."""
        if units > resource.capacity:
            return self._all
        full = self._used.get(resource.id, 0) | self._used.get(WHOLE_HOUSE, 0)
        counted = self._units.get(resource.id)
        if counted:
            full |= self._mask(step for step, used in counted.items() if used + units > resource.capacity)
        return full

    def _possible(self, resource: Resource, visit: VisitLength, units: int) -> int:
        """Return the steps at which a visit can start with a resource: bits of this stretch."""
        key = (resource.id, units, visit.before, visit.minutes, visit.after)
        if key not in self._starts:
            claim = visit.steps
            free = _runs(self._all & ~self._full(resource, units), len(claim))
            # The claim may begin before the visit itself; what begins before the stretch cannot be known to be free.
            free = free << -claim.start & self._all
            self._starts[key] = free & _runs(self._present(resource), visit.length)
        return self._starts[key]

    def _present(self, resource: Resource) -> int:
        """Return the steps in which a resource is there."""
        if resource.id not in self._there:
            there = self._all if resource.hours is None else self._open(resource.hours)
            self._there[resource.id] = there & self._house
            for absence in absent_stretches(self._business, resource.absences):
                self._there[resource.id] &= ~self._mask(steps_between(absence.start, absence.end))
        return self._there[resource.id]

    def _open(self, hours: WorkingHours) -> int:
        zone = self._business.timezone
        mask, span = 0, span_of(range(self._first, self._first + self._all.bit_length()))
        first, last = (moment.astimezone(zone).date() for moment in span)
        for stretch in open_stretches(self._business, first - _DAY, last + _DAY, hours):
            mask |= self._mask(steps_within(stretch.start, stretch.end))
        return mask

    def _wanted(self, visit: VisitLength) -> list[_Wanted]:
        """Return what a visit takes up; nothing at all where the business has not got something that it needs."""
        demands: list[_Wanted] = []
        for need in visit.needs:
            among = candidates(need, self._resources, visit.service)
            times = need.count * (visit.party if need.per_person and need.kind != SEATS else 1)
            units = visit.party if need.kind == SEATS else 1
            if need.kind != SEATS and not need.per_person:
                among = [resource for resource in among if not resource.seats or resource.seats >= visit.party]
            demands += [_Wanted(units, tuple(among))] * times
        is_possible = not visit.person or any(visit.person == r.id for one in demands for r in one.among)
        return demands if is_possible and all(one.among for one in demands) else []

    def _matching(self, visit: VisitLength, steps: Sequence[int], roles: Sequence[_Wanted]) -> list[int]:
        """Return those of some steps at which a visit can have all that it takes up; who would be best is not asked.

        For hours on end the same ones can take it: they are matched once.
        """
        masks = {(r.id, one.units): self._possible(r, visit, one.units) for one in roles for r in one.among}
        known: dict[tuple[int, ...], bool] = {}
        matching = []
        for step in steps:
            able = tuple(mask >> (step - self._first) & 1 for mask in masks.values())
            if able not in known:
                can = {one for one, is_able in zip(masks, able, strict=True) if is_able}
                order = [[r for r in one.among if (r.id, one.units) in can] for one in roles]
                known[able] = self._with_person(visit, roles, order) is not None
            if known[able]:
                matching.append(step)
        return matching

    def _matched(
        self, visit: VisitLength, step: int, preferred: Sequence[str] = (), spread: int = 0
    ) -> list[tuple[Resource, int]] | None:
        """Return what a visit takes up, each thing once; None where that cannot be."""
        at, demands = step - self._first, self._wanted(visit)
        if not demands or at < 0:
            return None
        load = self._load_on(moment_of(step).astimezone(self._business.timezone).date())
        order = [
            sorted(
                (r for r in one.among if self._possible(r, visit, one.units) >> at & 1),
                key=lambda r: (r.id not in preferred, r.seats, load(r), _turned(r, self._resources, spread)),
            )
            for one in demands
        ]
        return self._with_person(visit, demands, order)

    def _with_person(
        self, visit: VisitLength, roles: Sequence[_Wanted], order: Sequence[Sequence[Resource]]
    ) -> list[tuple[Resource, int]] | None:
        """Return what meets each wish, a wished person among it; None where that cannot be."""
        if not visit.person:
            return self._assigned(roles, order)
        # Which of the needs a wished person meets is part of the question.
        for n, others in enumerate(order):
            wished = [resource for resource in others if resource.id == visit.person]
            assigned = self._assigned(roles, [*order[:n], wished, *order[n + 1 :]]) if wished else None
            if assigned is not None:
                return assigned
        return None

    def _assigned(
        self, roles: Sequence[_Wanted], order: Sequence[Sequence[Resource]]
    ) -> list[tuple[Resource, int]] | None:
        """Return one of the resources for each wish, in the given order as far as that can be; None: it cannot."""
        holders: dict[str, int] = {}

        def placed(n: int, tried: set[str]) -> bool:
            # Whoever is taken gives way where somebody else will do for that (an augmenting path).
            for resource in order[n]:
                if resource.id in tried:
                    continue
                tried.add(resource.id)
                holder = holders.get(resource.id)
                if holder is None or placed(holder, tried):
                    holders[resource.id] = n
                    return True
            return False

        # The choosiest first, so that a wish is not met by chance only.
        for n in sorted(range(len(roles)), key=lambda n: len(order[n])):
            if not placed(n, set()):
                return None
        by_wish = {n: self._known[id] for id, n in holders.items()}
        return [(by_wish[n], roles[n].units) for n in range(len(roles))]

    def _load_on(self, day: date) -> _Load:
        zone = self._business.timezone
        start = datetime(day.year, day.month, day.day, tzinfo=zone)
        mask = self._mask(steps_between(start, start + _DAY))

        def load(resource: Resource) -> int:
            counted = self._units.get(resource.id)
            if counted is not None:
                return sum(used for step, used in counted.items() if self._mask((step,)) & mask)
            return (self._used.get(resource.id, 0) & mask).bit_count()

        return load

    def _free_slots(self, resource: Resource, units: int, claims: range) -> list[str]:
        """Return slots for so many units of a resource: the same ones throughout if that can be, else any.

        Those that the booking has which is to be changed come first, so that it claims no more than what is new.
        """
        if resource.capacity == 1:
            return [slot_id(step, resource.id) for step in claims]
        free = {
            step: [unit for unit in range(resource.capacity) if slot_id(step, resource.id, unit) not in self._slots]
            for step in claims
        }
        throughout = frozenset(range(resource.capacity)).intersection(*free.values())
        slots = list[str]()
        for step in claims:
            ids = [slot_id(step, resource.id, unit) for unit in sorted(free[step], key=lambda u: u not in throughout)]
            slots += sorted(ids, key=lambda id: id not in self._own_slots)[:units]
        return slots

    def _mask(self, steps: Iterable[int]) -> int:
        """Return the bits of some steps, as far as they lie in this stretch."""
        if isinstance(steps, range):
            # Cut first: an absence may last for years, and a number of as many bits is slow to work with.
            stop = min(max(0, steps.stop - self._first), self._all.bit_length())
            first = min(max(0, steps.start - self._first), stop)
            return (1 << stop) - (1 << first)
        mask = 0
        for step in steps:
            if step >= self._first:
                mask |= 1 << (step - self._first)
        return mask & self._all


def _runs(mask: int, length: int) -> int:
    """Return the bits from which on so many bits of a mask are set without a gap."""
    have = 1
    while have < length:
        more = min(have, length - have)
        mask &= mask >> more
        have += more
    return mask


def _turned(resource: Resource, resources: Sequence[Resource], by: int) -> int:
    return (resources.index(resource) + by) % len(resources)
