"""What is sent and answered about health, and about what callers asked in vain."""

from typing import Annotated, Any

from pydantic import Field

from switchboard.admin.api.models import (
    AnswerBody,
    Count,
    Counts,
    Moment,
    NextCursor,
    OneOf,
    Paging,
    Prose,
    Revisioned,
    Whole,
)
from switchboard.admin.health.findings import WORDS, HealthSeverity
from switchboard.admin.health.questions import LONGEST_NOTE

MOST_HEALTHS = 25

Worst = Annotated[str, OneOf(("ok", *(severity.value for severity in HealthSeverity)))]


class HealthQuery(Paging):
    """How many businesses are looked at."""

    limit: Annotated[int, Whole(1, MOST_HEALTHS)] | None = Field(
        default=None, description="How many are returned at most."
    )


class HealthFindingShown(AnswerBody):
    """Something that is wrong: what it means, and what to do about it."""

    what: Annotated[str, OneOf(tuple(WORDS))]
    severity: HealthSeverity
    subject: str
    count: int | None
    at: Moment | None = Field(description="When it was seen last, or when it will happen.")
    means: str
    do: str


class HealthShown(AnswerBody):
    """How a business is doing, and how its calls of the last day ended."""

    business_id: str
    name: str
    checked_at: Moment
    worst: Worst
    findings: list[HealthFindingShown] = Field(description="The worst first.")
    calls: Counts


class HealthOverview(AnswerBody):
    """How a page of businesses is doing, and what is wrong for all of them."""

    worst: Worst
    house: list[HealthFindingShown]
    businesses: list[HealthShown]
    next_cursor: NextCursor


class QuestionQuery(Paging):
    """Which questions are listed."""

    answered: Annotated[str, OneOf(("0", "1"))] | None = Field(
        default=None, description="1 lists those that are marked as answered."
    )


# Never read: what is left out is left out of what was sent, too, and null is refused.
_LEFT_OUT: Any = None


class QuestionMark(Revisioned):
    """What owners say of a question; what is left out stays as it is."""

    is_answered: bool = Field(default=_LEFT_OUT)
    note: Annotated[str, Prose(LONGEST_NOTE)] = Field(default=_LEFT_OUT)


class QuestionShown(AnswerBody):
    """A question that found no answer; those that differ in spelling alone are one."""

    id: str
    question: str
    count: Count
    first_at: Moment
    last_at: Moment | None
    channels: list[str]
    is_answered: bool
    note: str
    revision: str


class QuestionList(AnswerBody):
    """A page of questions, the one asked last first."""

    questions: list[QuestionShown]
    next_cursor: NextCursor
