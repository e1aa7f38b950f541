"""What is asked, sent and answered about customers."""

import re
from typing import Annotated, Any, Literal

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from switchboard.admin.api.models import (
    AnswerBody,
    Count,
    Counts,
    EmailOrNone,
    Moment,
    NextCursor,
    OneLine,
    OneOf,
    Paging,
    PhoneOrNone,
    Prose,
    RequestBody,
    Revisioned,
    Wording,
)
from switchboard.admin.appointments.models import AppointmentShown
from switchboard.admin.messages.models import MessageShown
from switchboard.desk.callers.callers import MOST_OTHER_PHONES

_DAY_OR_NONE = re.compile(r"(?:[0-9]{4}-[0-9]{2}-[0-9]{2})?")
_NAME = Annotated[str, OneLine(120), Wording("must be a name, of at most 120 characters.")]
_PHONES = Annotated[
    list[Annotated[str, OneLine(100, 1, may_hide=True)]],
    Field(max_length=MOST_OTHER_PHONES),
    Wording(f"must be at most {MOST_OTHER_PHONES} numbers such as +1 201 555 0123."),
]
_BIRTHDAY = Annotated[str, OneLine(10, form=_DAY_OR_NONE), Wording("must be a day such as 1988-04-12.")]
_NOTES = Annotated[str, Prose(2_000)]


class CustomerQuery(Paging):
    """Which customers are listed."""

    text: Annotated[str, OneLine(200, may_hide=True)] | None = Field(
        default=None, description="Only those of this name, number or e-mail address, in any usual spelling."
    )
    flagged: Annotated[str, OneOf(("0", "1"))] | None = Field(
        default=None, description="1 lists those alone that are flagged."
    )


class CustomerBody(RequestBody):
    """A customer to be entered."""

    name: _NAME = ""
    phone: PhoneOrNone = ""
    other_phones: _PHONES = Field(default_factory=list)
    email: EmailOrNone = ""
    date_of_birth: _BIRTHDAY = ""
    notes: _NOTES = ""
    confirm: bool = Field(default=False, description="true enters another customer of the same number.")


class CustomerCorrection(Revisioned):
    """What is corrected of a customer; what is left out stays, and an empty text takes it out."""

    name: _NAME | None = None
    phone: PhoneOrNone | None = None
    other_phones: _PHONES | None = None
    email: EmailOrNone | None = None
    date_of_birth: _BIRTHDAY | None = None
    notes: _NOTES | None = None
    confirm: bool = Field(default=False, description="true keeps numbers that another customer has as well.")


class CustomerMerge(Revisioned):
    """Which record is joined with this one, and is gone then."""

    other: Annotated[str, OneLine(100, 1), Wording("must be the id of the other customer.")]


class CustomerShown(AnswerBody):
    """A customer on file."""

    id: str
    name: str
    phone: str | None
    other_phones: list[str]
    email: str | None
    date_of_birth: str | None
    notes: str
    flagged: bool
    flag_reason: str
    blocked_until: Moment | None
    block_reason: str
    restriction_revision: str | None = Field(
        description="What lifting is based on (`…/restrictions/callers/{id}`); null where nothing stands against them."
    )
    revision: str


class CustomerOfBookings(AnswerBody):
    """Somebody who has appointments, and no record of their own."""

    name: str
    phone: str | None
    email: str | None
    appointments: Count = Field(description="How many of the latest ones that were looked at are theirs.")
    latest: Moment


class CustomerList(AnswerBody):
    """A page of customers; of whom only appointments are known, with its first page."""

    customers: list[CustomerShown]
    without_record: list[CustomerOfBookings]
    next_cursor: NextCursor


class CustomerConversation(AnswerBody):
    """A conversation from one of a customer's numbers."""

    session_id: str
    channel: str | None
    at: Moment | None
    phone: str | None


class CustomerHistory(AnswerBody):
    """What there is of a customer, the latest first; of much, the latest of each."""

    appointments: list[AppointmentShown]
    conversations: list[CustomerConversation]
    messages: list[MessageShown]
    is_whole: bool


class CustomerMerged(AnswerBody):
    """The customer that is left, and how much of the other's was given to them."""

    customer: CustomerShown
    moved: Counts


class CustomerForgotten(AnswerBody):
    """What became of what was kept of a customer."""

    deleted: Counts = Field(description="How many documents went, by where they stood.")
    cleared: Count = Field(description="Appointments that stay without the person.")
    redacted: Counts = Field(description="Documents of others that named them.")
    upcoming: list[str] = Field(description="Those of the appointments that are still to come, by id.")
    outside: list[str] = Field(description="Entries in a calendar elsewhere, which stay there.")
    left: Count = Field(description="Documents that changed in that moment; do it again.")
    running: Count = Field(
        description="Conversations that had not ended; what they leave is deleted by `scripts/forget`."
    )
    rows: Counts = Field(description="Rows of the business's own collections that name them, which stay there.")
    deletion: str | SkipJsonSchema[None] = Field(
        default=None,
        description="Where much is kept it goes on: its id, for `deletions/{id}`, which tells how far it is.",
    )


class DeletionShown(AnswerBody):
    """How far a deletion is that goes on."""

    id: str
    what: Literal["caller", "business"]
    done: bool = Field(description="Whether it has come to its end.")
    deleted: Count = Field(description="How many documents were deleted or cleared by now.")
    looked_at: Count = Field(description="How many documents were looked at, several times where one leads to others.")
    started_at: Moment
    changed_at: Moment
    done_at: Moment | None


class ExportedDocument(AnswerBody):
    """One document as it is stored."""

    path: str
    fields: dict[str, Any]


class CustomerExport(AnswerBody):
    """All that is kept of a customer."""

    customer: str
    at: Moment
    documents: list[ExportedDocument]
