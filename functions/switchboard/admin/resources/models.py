"""What is sent and answered about people, rooms and seats, and when they are not there."""

import re
from typing import Annotated, Any, TypeAlias

from pydantic import AfterValidator, Field, WithJsonSchema
from pydantic.json_schema import SkipJsonSchema

from switchboard.admin.api.models import (
    AnswerBody,
    Confirm,
    Described,
    OneLine,
    OneOf,
    Prose,
    RequestBody,
    Revisioned,
    Whole,
    Wording,
)
from switchboard.admin.businesses.models import HoursBody
from switchboard.admin.resources.booking_models import AssignmentDone, ChangeConsequences
from switchboard.contract.business.resources import KIND, MOST_ABSENCES, MOST_AT_ONCE, PERSON, local_time
from switchboard.contract.json import JsonObject
from switchboard.contract.vendors import OUTSIDE_CALENDARS

MOST_CALENDARS, LONGEST_SETTING = 5, 2_000
_NAME, _SERVICE, _REASON = 100, 200, 200
_ID = re.compile(r"([a-z0-9][a-z0-9-]{0,38})?")
# It stands in an address.
_ABSENCE_ID = re.compile(r"[A-Za-z0-9_-]{1,60}")
_DAY = (
    r"(19(7[1-9]|[89][0-9])|[2-8][0-9]{3})-"
    r"((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|[12][0-9]))"
)
_TIME = r"T([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9])?"


def _readable(text: str) -> str:
    if local_time(text, is_end=True) is None or local_time(text) is None:
        raise ValueError("is no local time.")
    return text


# Other spellings of ISO 8601 are read as well.
LocalTime: TypeAlias = Annotated[
    str,
    AfterValidator(_readable),
    Wording(
        "must be a day such as 2026-12-24, or a time of the business's own clock such as 2026-12-24T14:00, without an "
        "offset."
    ),
    WithJsonSchema({"type": "string", "pattern": f"^{_DAY}({_TIME})?$"}),
]


class AbsenceForm(RequestBody):
    """When somebody or something is not there, by the business's own clock."""

    start: LocalTime = Field(description="The first day, or a time.")
    end: LocalTime = Field(
        default_factory=lambda fields: fields["start"],
        validate_default=True,
        description="The last day, or a time, later than the start; where it is left out, the same as the start.",
    )
    reason: Annotated[str, OneLine(_REASON), Wording(f"must be one line of at most {_REASON} characters.")] = ""


class AbsenceRow(AbsenceForm):
    """An absence among those of one."""

    id: (
        Annotated[
            str,
            OneLine(60, 1, form=_ABSENCE_ID),
            Wording("must be that of an absence that is there already; leave it out for a new one."),
        ]
        | None
    ) = None


class OutsideCalendarRow(RequestBody):
    """An outside calendar that keeps one busy; the account is the business's own, and must be connected."""

    integration: Annotated[str, OneOf(tuple(OUTSIDE_CALENDARS))]
    calendar_id: Annotated[str, Prose(LONGEST_SETTING, 1, may_be_blank=True)] | SkipJsonSchema[None] = None
    calendar_url: Annotated[str, Prose(LONGEST_SETTING, 1, may_be_blank=True)] | SkipJsonSchema[None] = None


class ResourceForm(RequestBody):
    """What owners say of a person, a room, a chair or seats."""

    # Told with what was sent, and with ids that are free: `form.py`.
    id: Annotated[Any, Described(Annotated[str, OneLine(39, form=_ID)] | None)] = Field(
        default=None,
        description="Names it for ever, and is that of nobody else, not main either; made of the name where it is left "
        "out.",
    )
    name: Annotated[
        str, OneLine(_NAME, 1), Wording(f"must be what callers say, in one line of 1 to {_NAME} characters.")
    ] = Field(description="As callers say it; a person's is like nobody else's, and means somebody in particular.")
    kind: Annotated[
        str,
        OneLine(30, 1, form=KIND),
        Wording("must be one word in small letters, such as person, room, chair or seats."),
    ] = Field(
        default=PERSON,
        description="person: appointments are with them, and callers can ask for them. seats: everybody in a party "
        "takes one of its capacity, as in a class. Any other word, such as room, chair or table, is a thing that a "
        "party takes together.",
    )
    capacity: Annotated[int, Whole(1, MOST_AT_ONCE)] = Field(
        default=1, description="How many appointments it takes at once, or of seats how many people."
    )
    seats: Annotated[int, Whole(0, MOST_AT_ONCE)] = Field(
        default=0,
        description="How large a party one appointment may be, such as at a table for four; 0 where nobody counts. "
        "Where each takes a place of their own, it is the kind seats, with so many as its capacity.",
    )
    # Read, and held against each other, by `opening_form.py`.
    hours: Annotated[JsonObject | None, Described(HoursBody | None)] = Field(
        default=None, description="When it is there, within the hours of the business; null for whenever that is open."
    )
    services: (
        Annotated[
            list[Annotated[str, Prose(_SERVICE, 1)]],
            Field(min_length=1),
            Wording("must be a list of at least one name of a service, or null for all services."),
        ]
        | None
    ) = Field(default=None, description="The names of the only services it does, of those there are; null for all.")
    # Held against what is connected: `form.py`.
    calendars: Annotated[
        list[JsonObject] | None,
        Described(Annotated[list[OutsideCalendarRow], Field(max_length=MOST_CALENDARS)] | None),
    ] = Field(default=None, description="What keeps it busy besides; the first gets its entries.")
    absences: Annotated[list[AbsenceRow], Field(max_length=MOST_ABSENCES)] | None = None


class ChangeBody(RequestBody):
    """How a change is meant that may break something."""

    dry_run: bool = Field(default=False, description="true tells what would break, and saves nothing.")
    confirm: Confirm = False


class ResourceBody(ChangeBody, ResourceForm):
    """A person, a room, a chair or seats, as they are entered."""


class ResourceReplacement(Revisioned, ResourceBody):
    """A person, a room, a chair or seats, as they replace what was said; absences stay where they are left out."""

    id: Annotated[Any, Described(Annotated[str, OneLine(39, form=_ID)])] = Field(
        default=None, description="The one that stands in the address; it stays."
    )


class ResourceRemoval(Revisioned, ChangeBody):
    """How a removal is meant."""


class AbsenceBody(ChangeBody, AbsenceForm):
    """An absence, as it is entered."""

    resource: str = Field(description="Whose it is, by id.")


class StoredResource(ResourceForm):
    """A person, a room, a chair or seats as they are stored."""

    id: str


class ResourceShown(AnswerBody):
    """A person, a room, a chair or seats."""

    id: str
    name: str
    kind: str
    resource: Annotated[JsonObject, Described(StoredResource)]
    revision: str


class ServiceNeed(AnswerBody):
    """What an appointment for a service takes up."""

    kind: str
    any: list[str] = Field(description="The ids of those that will do; all of the kind where it names none.")


class ServiceNeeds(AnswerBody):
    """A service, and everything that its appointments take up."""

    name: str
    needs: list[ServiceNeed]


class ResourceList(AnswerBody):
    """All of them in the order in which they were entered, what the services need, and what cannot be read."""

    resources: list[ResourceShown]
    services: list[ServiceNeeds]
    problems: list[str]


class ResourceChanged(AnswerBody):
    """What has become of a change, or would become of it."""

    resource: Annotated[JsonObject | None, Described(StoredResource | None)] = Field(
        description="As it is, or would be, stored; null where it is, or would be, gone."
    )
    revision: str
    dry_run: bool = Field(description="Whether nothing was saved.")
    consequences: ChangeConsequences
    notes: list[str] = Field(description="What else there is to know, a sentence each.")
    assigned: AssignmentDone


class AbsenceShown(AnswerBody):
    """When somebody or something is not there."""

    id: str
    resource: str
    name: str
    start: str
    end: str
    reason: str
    revision: str


class AbsenceList(AnswerBody):
    """All absences, the earliest first."""

    absences: list[AbsenceShown]


class AbsenceAdded(ResourceChanged):
    """An absence, and what has become of its entry."""

    absence: AbsenceShown
