"""What is asked, sent and answered about appointments that the business itself makes and changes."""

import re
from datetime import date
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, WithJsonSchema

from switchboard.admin.api.models import (
    PHONE_WANTED,
    AnswerBody,
    EmailOrNone,
    Moment,
    NextCursor,
    OneLine,
    Paging,
    PhoneOrNone,
    Prose,
    RequestBody,
    Revisioned,
    Whole,
    Wording,
)
from switchboard.admin.conversations.models import SpanQuery
from switchboard.admin.resources.booking_models import BookingSummary
from switchboard.contract.json import JsonObject

MOST_DAYS = 31
_MINUTES, _PARTY, _DAYS = Whole(5, 480), Whole(1, 500), Whole(1, MOST_DAYS)
_DAY_WRITTEN = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def _day(value: Any) -> Any:
    # A mere number would be taken for the seconds since some midnight.
    if isinstance(value, str) and not _DAY_WRITTEN.fullmatch(value):
        raise ValueError("is no day.")
    return value


_DAY_SHOWN: JsonObject = {"anyOf": [{"type": "string", "format": "date"}, {"const": ""}]}
_Day = Annotated[date, BeforeValidator(_day), WithJsonSchema(_DAY_SHOWN), Wording("must be a day such as 2027-03-10.")]
_START = Annotated[
    str, OneLine(40, 1), Wording("must be a day and a time such as 2027-03-10T09:30; without an offset, where you are.")
]
_NAME = Annotated[str, OneLine(120, 1), Wording("must be a name, of at most 120 characters.")]
_NOTES = Annotated[str, Prose(1_000)]


class AppointmentQuery(Paging, SpanQuery):
    """Which appointments are listed: of a day or more, or of a period; with whom, and of whom."""

    day: _Day | None = Field(
        default=None, description="The first day, in the business's time; in place of from and to."
    )
    days: Annotated[int, _DAYS, _DAYS.wording] | None = Field(
        default=None, description="How many days; 1, or a week's 7."
    )
    person: Annotated[str, OneLine(60)] | None = Field(
        default=None, description="Only those with this person, room or seats, by id."
    )
    text: Annotated[str, OneLine(200)] | None = Field(
        default=None,
        description="Only those of this name, number or reference, in any usual spelling; without a time, the latest "
        "first.",
    )


class AppointmentBody(RequestBody):
    """An appointment to be made."""

    service: Annotated[str, OneLine(120, 1), Wording("must be one of your services.")]
    start: _START
    customer: _NAME
    phone: PhoneOrNone = ""
    email: EmailOrNone = ""
    notes: _NOTES = ""
    minutes: Annotated[int, _MINUTES, _MINUTES.wording] | None = Field(
        default=None, description="How long; where it is left out, as long as the service takes."
    )
    person: Annotated[str, OneLine(120)] = Field(
        default="",
        alias="with",
        description="Whom it is with, by id or name; anybody who is free where it is left out.",
    )
    party: Annotated[int, _PARTY, _PARTY.wording] = 1


class AppointmentMove(Revisioned):
    """Where an appointment is moved to, and how many come then."""

    start: _START = Field(description="The time that it has, to change only how many come.")
    party: Annotated[int, _PARTY, _PARTY.wording] | None = Field(
        default=None, description="How many come; where it is left out, as many as did."
    )


class AppointmentCorrection(Revisioned):
    """What is written down of an appointment's customer; what is left out stays."""

    customer: _NAME | None = None
    phone: Annotated[str, OneLine(100, 1, may_hide=True), PHONE_WANTED] | None = None
    email: EmailOrNone | None = None
    notes: _NOTES | None = None


class AppointmentMissed(Revisioned):
    """Whether the customer did not come."""

    missed: bool = True


class AppointmentShown(BookingSummary):
    """An appointment, and what can be done with it."""

    minutes: int
    email: str | None
    notes: str | None
    price: str
    channel: str = Field(description="Where it was made; `desk` for one that the business has made itself.")
    session_id: str | None = Field(description="The conversation that it was made in.")
    interaction_id: str | None = Field(description="The record of that conversation, where it is kept.")
    is_trial: bool = Field(description="Whether an owner has made it to try something out.")
    made_at: Moment
    cancelled_because: str
    caution: str
    can_change: bool = Field(description="Whether it stands and has not begun, so that it can be moved or cancelled.")
    can_be_missed: bool = Field(description="Whether it has begun, so that somebody may not have come.")
    revision: str


class AppointmentList(AnswerBody):
    """A page of appointments, in the order of their start."""

    appointments: list[AppointmentShown]
    next_cursor: NextCursor
    timezone: str = Field(description="The business's, in which days are meant.")


class AppointmentDone(AnswerBody):
    """An appointment as it is now, and whether it was so before."""

    appointment: AppointmentShown
    repeated: bool
