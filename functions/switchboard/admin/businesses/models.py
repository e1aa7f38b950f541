"""What is sent and answered about a business itself, its figures and its audit."""

import re
from datetime import date
from typing import Annotated, Any, ClassVar, Literal, TypeAlias

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from switchboard.admin.access.roles import Role
from switchboard.admin.api.models import (
    AnswerBody,
    Confirm,
    Count,
    Counts,
    Described,
    Moment,
    NextCursor,
    OneLine,
    OneOf,
    Paging,
    Prose,
    QueryParameters,
    RequestBody,
    Revisioned,
    Whole,
    Wording,
)
from switchboard.admin.businesses.daily_stats import MOST_DAYS
from switchboard.contract.business.business import CALENDARS
from switchboard.contract.business.resources import MOST_NEEDS
from switchboard.contract.channel import Channel
from switchboard.contract.definitions.definition import TOOL_NAME
from switchboard.contract.json import JsonObject

_SERVICES, _RULES, _NAMES, _FILLERS = 200, 50, 300, 12
# As a receptionist says it: letters and an extension are part of some.
_PHONE = re.compile(
    r"((?:[A-Za-z +()./,;:#*\-\u00a0\u2010-\u2015]*[0-9]){3}[0-9A-Za-z +()./,;:#*\-\u00a0\u2010-\u2015]*)?"
)
_EMAIL = re.compile(r"([^@\s]+@[^@\s]+\.[^@\s]+)?")
_WEB = re.compile(r"(https?://.*)?")
_LANGUAGE = re.compile(r"([A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*)?")
_NUMBER = re.compile(r"(\+[1-9][0-9]{6,14})?")
_ADDRESS = Wording("must be a web address that begins with https://.")
_MAIL = Wording("must be an address such as hello@example.com.")

WebAddress = Annotated[str, OneLine(500, form=_WEB), _ADDRESS]
Minutes = Annotated[int, Whole(0, 1_440)]
Fillers: TypeAlias = Annotated[
    list[Annotated[str, Prose(120, 1)]],
    Field(max_length=_FILLERS),
    Wording(f'must be a list of at most {_FILLERS} texts of 1 to 120 characters, such as ["One moment, please."].'),
]


class VoiceBody(RequestBody):
    """How the receptionist speaks, and whom it believes."""

    tone: Annotated[str, Prose(500)] | None = None
    language: (
        Annotated[
            str,
            OneLine(35, form=_LANGUAGE),
            Wording("must be a language tag such as en or pt-BR."),
        ]
        | None
    ) = None
    greeting: Annotated[str, Prose(1_000)] | None = None
    voice: Annotated[str, Prose(100)] | None = None
    caller_verification: Literal["none", "match", "code"] | None = None
    trust_caller_id: bool | None = None
    fillers: Fillers | None = None


class NeedRow(RequestBody):
    """What an appointment takes up, such as a person or a room."""

    kind: str = Field(default="person", description="person, seats, or another of the kinds of its resources.")
    any: list[str] | None = Field(default=None, description="The ids that come into question; all of the kind if none.")
    count: int = 1
    per_person: bool = Field(
        default=False,
        description="Whether each of a party takes so many, such as a bicycle each; of seats, each takes one anyhow.",
    )


class ServiceRow(RequestBody):
    """Something that can be booked."""

    name: Annotated[str, OneLine(200, 1)]
    duration_minutes: Annotated[int, Whole(1, 1_440)] = 30
    price: Annotated[str, Prose(2_000)] | None = None
    description: Annotated[str, Prose(2_000)] | None = None
    buffer_before_minutes: Minutes = 0
    buffer_after_minutes: Minutes = 0
    id: Annotated[str, OneLine(200)] | int | None = None
    category: Annotated[str, OneLine(200)] | int | None = None
    # Held against the people, rooms and seats that there are: `needs_form.py`.
    needs: Annotated[
        list[JsonObject] | None, Described(Annotated[list[NeedRow], Field(max_length=MOST_NEEDS)] | None)
    ] = None


class OpeningRow(RequestBody):
    """A stretch of opening time within one day."""

    open: str = Field(description="HH:MM")
    close: str = Field(description="HH:MM; 24:00 ends the day.")


Openings = list[OpeningRow] | OpeningRow | Literal["closed"] | None


class HoursBody(RequestBody):
    """When somebody is there: a weekly pattern, and the days that differ."""

    monday: Openings = None
    tuesday: Openings = None
    wednesday: Openings = None
    thursday: Openings = None
    friday: Openings = None
    saturday: Openings = None
    sunday: Openings = None
    exceptions: dict[str, Openings] | None = Field(
        default=None,
        description="By date, such as 2026-12-24, or by month and day, such as 12-25, for every year. An object, so "
        "that a patch adds its days to those there are; null takes a day away, and a day's own list replaces it.",
    )


class RuleRow(RequestBody):
    """Whom a caller is put through to, or who gets a message."""

    action: Literal["transfer", "message"]
    id: Annotated[str, OneLine(200)] | None = Field(default=None, description="What tools name it by.")
    label: Annotated[str, OneLine(200)] | None = Field(default=None, description="What callers are told of it.")
    destination: str | None = Field(default=None, description="The number that is rung, or gets the text.")
    email: str | None = None
    when: Annotated[str, Prose(1_000)] | None = Field(
        default=None, description="In which case, in words: the receptionist's model is told it."
    )
    # Read by `rules_form.py`.
    hours: Annotated[Any, Described(Literal["always", "business"] | HoursBody | None)] = Field(
        default=None,
        description="When it is rung: always, in the hours of the business (also where it says nothing), or in its own "
        "hours. A business that has said no hours counts as always there.",
    )
    fallback: Annotated[str, OneLine(200)] | None = Field(
        default=None, description="Who is rung when nobody answers: another rule's id, or message."
    )
    timeout_s: Annotated[int, Whole(5, 60)] | None = Field(
        default=None, description="How many seconds it rings before that; 20 where it says nothing."
    )


class EscalationBody(RequestBody):
    """Who is rung and written to."""

    rules: Annotated[list[RuleRow], Field(max_length=_RULES)] | None = None
    safe_number: str | None = None


class PortalBody(RequestBody):
    """How the portal receives people."""

    visitors: bool | None = None
    greeting: Annotated[str, Prose(1_000)] | None = None


class TurnLimits(RequestBody):
    """What one turn may cost; milliseconds, or how many."""

    look_ups_per_turn: int | None = None
    calls_per_turn: int | None = None
    look_up_ms: int | None = None
    look_up_ms_per_turn: int | None = None
    action_ms: int | None = None


class CalendarChoice(RequestBody):
    """Which of the connected calendars keeps the appointments."""

    calendar: Annotated[str, OneOf(CALENDARS)] | None = None


class BusinessFields(RequestBody):
    """What owners edit of a business; null takes away what was said."""

    elsewhere: ClassVar[dict[str, str]] = {
        "resources": "People, rooms and seats are edited below /resources, where what would break is told first."
    }

    name: Annotated[str, OneLine(200, 1)] | None = None
    industry: Annotated[str, OneLine(200)] | None = None
    phone: (
        Annotated[
            str,
            OneLine(40, form=_PHONE),
            Wording("must be a number as people write it, such as (518) 555-0100."),
        ]
        | None
    ) = None
    email: Annotated[str, OneLine(254, form=_EMAIL), _MAIL] | None = None
    address: Annotated[str, Prose(500)] | None = None
    website: WebAddress | None = None
    portal_url: WebAddress | None = None
    timezone: Annotated[str, Wording("must name an IANA zone such as Europe/Berlin.")] | None = None
    twilio_number: Annotated[str, OneLine(16, form=_NUMBER), Wording("must be written as +15185550100.")] | None = None
    ai: VoiceBody | None = None
    services: Annotated[list[ServiceRow], Field(max_length=_SERVICES)] | None = None
    # Read, and held against each other, by `opening_form.py` and `contract/business/limits.py`.
    working_hours: Annotated[JsonObject | None, Described(HoursBody | None)] = None
    escalation: EscalationBody | None = None
    features: (
        Annotated[
            dict[str, bool | None],
            Field(max_length=_NAMES),
            Wording("must be an object of switches, each true or false."),
        ]
        | None
    ) = None
    enabled_tools: (
        Annotated[
            list[
                Annotated[
                    str, Field(pattern=TOOL_NAME.pattern), Wording("is no tool's name, such as book_appointment.")
                ]
            ],
            Field(max_length=_NAMES),
        ]
        | None
    ) = Field(default=None, description="The tools that are offered; all of them where it says nothing.")
    portal: PortalBody | None = None
    integrations: CalendarChoice | SkipJsonSchema[None] = None
    limits: Annotated[JsonObject | None, Described(dict[Channel, TurnLimits | None] | None)] = None


class EditSettings(Revisioned):
    """How a business is edited."""

    confirm: Confirm = False


class BusinessPatch(BusinessFields, EditSettings):
    """A merge patch (RFC 7396) of the fields that owners edit."""


class StoredBusiness(BusinessFields):
    """What owners own of a business, as it is stored."""

    resources: list[JsonObject] | None = Field(default=None, description="People, rooms and seats; see /resources.")


class BusinessQuery(Paging):
    """Which businesses are listed."""

    text: Annotated[str, Prose(200)] | None = Field(
        default=None,
        description="Only those whose name or id has words that begin like these. A page may hold few, and go on.",
    )


class BusinessListed(AnswerBody):
    """A business in a list, with what the one who asks is to it."""

    id: str
    name: str
    timezone: str
    industry: str
    role: Role


class BusinessList(AnswerBody):
    """A page of businesses."""

    businesses: list[BusinessListed]
    next_cursor: NextCursor


class LimitBounds(AnswerBody):
    """What holds where nothing is set, and within what something may be."""

    usual: int
    least: int
    greatest: int


class BusinessShown(AnswerBody):
    """A business as it is stored, and what whoever asks may do about it."""

    business_id: str
    revision: str
    role: Role
    may_edit: bool
    may_edit_safeguards: bool
    limits: dict[Channel, dict[str, LimitBounds]]
    business: Annotated[JsonObject, Described(StoredBusiness)]
    integrations: dict[str, object] = Field(description="What is connected, by its name, without secrets.")
    problems: list[str]
    updated_at: Moment
    updated_by: str | None


class BusinessCounts(AnswerBody):
    """How many conversations there were, and how much is stored."""

    interactions: Count
    by_channel: Counts
    by_outcome: Counts
    stored: Counts


class ToolFigures(AnswerBody):
    """How one tool did."""

    tool: str
    calls: Count
    failed: Count
    errors: Counts
    median_ms: float | None
    p95_ms: float | None = Field(alias="p95Ms")


class BusinessMetrics(AnswerBody):
    """How the latest conversations and tools went."""

    based_on: Count
    is_whole: bool
    since: Moment | None
    median_seconds: float | None
    outcomes: Counts
    tools: list[ToolFigures]


class DaysQuery(QueryParameters):
    """Which days are summed up."""

    days: Annotated[int, Whole(1, MOST_DAYS)] | None = Field(
        default=None, description="How many days, the last one today."
    )


class DayTotals(AnswerBody):
    """What happened on one day."""

    day: date
    interactions: Count
    by_channel: Counts
    by_outcome: Counts
    seconds: dict[str, Annotated[float, Field(ge=0)]]
    based_on: Count
    tool_calls: Count
    failed_calls: Count
    median_ms: float | None
    p95_ms: float | None = Field(alias="p95Ms")


class DayList(AnswerBody):
    """The last days, in the business's time zone; `uncounted` are those that nobody has counted yet."""

    timezone: str
    days: list[DayTotals]
    uncounted: Count
