"""What a booking takes up, and a change of it that is under way in an outside calendar; as a document has them."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from switchboard.contract.business.resources import PERSON
from switchboard.contract.document import moment, strings, text
from switchboard.contract.json import JsonObject
from switchboard.contract.python.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class TakenResource:
    """A resource that a booking takes up, by the name it had then; of seats, one unit for each person."""

    id: str
    kind: str
    name: str
    units: int = 1


@dataclass(frozen=True, slots=True)
class Assignment:
    """What a booking takes up, and the slots that stand for that; nothing is the one chair of the business."""

    resources: tuple[TakenResource, ...] = ()
    slots: tuple[str, ...] = ()

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of the resources."""
        return tuple(taken.id for taken in self.resources)

    @property
    def person(self) -> str:
        """Whom it is with, by name; nobody in particular where it is with several."""
        people = [taken.name for taken in self.resources if taken.kind == PERSON]
        return people[0] if len(people) == 1 else ""


NOTHING_ASSIGNED = Assignment()


@dataclass(frozen=True, slots=True)
class ServiceTaken:
    """Which service an appointment is, as it is changed to another one: what is stored of it in a booking."""

    service: str
    minutes: int
    before: int = 0
    after: int = 0
    price: str = ""


@dataclass(frozen=True, slots=True)
class Move:
    """A change of a booking's time, of how many come, or of its service, that is under way in an outside calendar.

    Attributes:
        start: When it shall begin, in UTC; that time is held as well as the old one.
        is_undone: Whether it was decided to leave the booking as it was.
        taken: What it takes up then.
        party: How many shall come; 0 for as many as did.
        service: Which service it shall be; None for the one that it is.
    """

    start: datetime
    is_undone: bool = False
    taken: Assignment = NOTHING_ASSIGNED
    party: int = 0
    service: ServiceTaken | None = None

    def to_document(self) -> JsonObject:
        """Return the stored fields."""
        fields: JsonObject = {"start": self.start, "isUndone": self.is_undone, **taken_fields(self.taken)}
        fields |= {"partySize": self.party} if self.party else {}
        if self.service is not None:
            own = self.service
            fields |= {"service": own.service, "durationMinutes": own.minutes, "price": own.price}
            fields |= {"bufferBeforeMinutes": own.before, "bufferAfterMinutes": own.after}
        return fields


def read_move(data: Mapping[str, Any]) -> Move | None:
    """Return a stored change that is under way; None where there is none."""
    start = moment(data.get("start"))
    if start is None:
        return None
    minutes, service = count(data.get("durationMinutes")), None
    if minutes:
        before, after = count(data.get("bufferBeforeMinutes")), count(data.get("bufferAfterMinutes"))
        service = ServiceTaken(text(data.get("service")), minutes, before, after, text(data.get("price")))
    party = count(data.get("partySize"))
    return Move(start.astimezone(UTC), data.get("isUndone") is True, read_taken(data), party, service)


def taken_fields(taken: Assignment) -> JsonObject:
    """Return the fields by which a document tells what is taken up; none for the one chair."""
    if not taken.resources:
        return {}
    rows = [{"id": one.id, "kind": one.kind, "name": one.name, "units": one.units} for one in taken.resources]
    # Beside the rows, for queries.
    return {"resources": rows, "resourceIds": list(taken.ids), "slots": list(taken.slots)}


def read_taken(data: Mapping[str, Any]) -> Assignment:
    """Return what a stored booking takes up."""
    rows, slots = data.get("resources"), data.get("slots")
    if not isinstance(rows, list) or not isinstance(slots, list):
        return NOTHING_ASSIGNED
    taken = (
        TakenResource(
            text(row.get("id")), text(row.get("kind")), text(row.get("name")), max(1, count(row.get("units")))
        )
        for row in rows
        if isinstance(row, Mapping)
    )
    return Assignment(tuple(one for one in taken if one.id), strings(slots))


def is_count(value: object) -> bool:
    """Tell whether a stored value is a number of minutes, people or things."""
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1440


def count(value: object) -> int:
    """Return a stored number; 0 where it is none."""
    return int(value) if isinstance(value, int | float) and is_count(value) else 0
