"""What is sent and answered where a business is made."""

import re
from typing import Annotated

from pydantic import Field

from switchboard.admin.api.models import AnswerBody, Moment, OneLine, Prose, RequestBody, Wording
from switchboard.contract.json import JsonObject

_ID = re.compile(r"([A-Za-z0-9][A-Za-z0-9_-]{0,62})")

Line = Annotated[str, OneLine(500)]


class TemplateShown(AnswerBody):
    """A template: of which trade and language, where it thinks it is, and what can be booked."""

    id: str
    trade: str
    language: str
    timezone: str
    services: list[str]


class TemplateList(AnswerBody):
    """All templates, by id."""

    templates: list[TemplateShown]


class NewBusinessBody(RequestBody):
    """What is known of a business before it is made; the rest is its template's."""

    template: Annotated[str, OneLine(100, 1)] = Field(description="Which one: `GET /admin/templates`.")
    name: Annotated[str, OneLine(200, 1)] = Field(description="What callers know it by.")
    business_id: (
        Annotated[
            str, OneLine(63, 1, form=_ID), Wording("must be letters, digits, _ and -, such as linden-street-hair.")
        ]
        | None
    ) = Field(default=None, description="Its id for good; made of its name where it is not said.")
    timezone: Line | None = Field(default=None, description="An IANA name; the template's where it is not said.")
    phone: Line | None = None
    email: Line | None = None
    address: Annotated[str, Prose(500)] | None = None
    website: Line | None = None
    twilio_number: Line | None = Field(default=None, description="The number that callers call, as +15185550110.")
    transfer_to: Line | None = Field(
        default=None,
        description="The number that rings when a caller wants a person; without it no call is passed on.",
    )
    owner_name: Line | None = Field(default=None, description="Whom a message of a caller is for.")
    owner_phone: Line | None = Field(default=None, description="Where a text about a message goes.")
    owner_email: Line | None = Field(default=None, description="Where an e-mail about a message goes.")
    dry_run: bool = Field(default=False, description="Answer what would be made, and make nothing.")


class Step(AnswerBody):
    """One thing to do before callers can call, whether it is done, and how; `page` is the owners' page for it."""

    id: str
    is_done: bool
    what: str
    how: str
    page: str


class Checklist(AnswerBody):
    """What is left to do, in the order in which it is best done; the last is a test call."""

    steps: list[Step]
    left: int


class BusinessOpened(AnswerBody):
    """A business that was made, or would be.

    `key` is the text of its first API key, told this once; none in a dry run.
    """

    business_id: str
    business: JsonObject
    template: str
    key_id: str | None
    key: str | None
    documents: dict[str, int]
    checklist: Checklist
    is_made: bool
    made_at: Moment | None


class RemovalBody(RequestBody):
    """Which business is meant, said once more."""

    confirm: Line = Field(default="", description="Its id once more; not needed for a look.")
    dry_run: bool = Field(default=False, description="Answer what would go and what would stay, and take nothing.")


class BusinessRemoved(AnswerBody):
    """A business that is taken away, or would be."""

    business_id: str
    name: str
    documents: dict[str, int] = Field(description="How many documents there are of it, by collection.")
    upcoming: int = Field(
        description="Appointments that are still to come, of the next thousand; nobody is told that they are off."
    )
    elsewhere: list[str] = Field(description="What stays elsewhere, each with what to do about it.")
    is_removed: bool
    deletion: str | None = Field(description="Its id, for `deletions/{id}`, which tells how far it is.")
