"""What is sent and answered where a template is pushed to many businesses."""

from typing import Annotated, Any, Literal

from pydantic import Field

from switchboard.admin.api.models import AnswerBody, Confirm, OneLine, RequestBody
from switchboard.admin.pushing.parts import PARTS, Part
from switchboard.admin.pushing.pushing import MOST_BUSINESSES

_MOST_CHOSEN, _LONGEST = 1_000, 700

FieldPath = Annotated[str, OneLine(_LONGEST, 1)]
State = Literal["ready", "unchanged", "invalid", "unconfirmed", "refused", "pushed", "outOfDate", "failed"]


class PushTargetBody(RequestBody):
    """A business that is pushed to, and what was decided about it."""

    business_id: Annotated[str, OneLine(200, 1)]
    token: Annotated[str, OneLine(100)] | None = Field(
        default=None, description="What its dry run answered; without it nothing is carried out."
    )
    take: Annotated[list[FieldPath], Field(max_length=_MOST_CHOSEN)] = Field(
        default_factory=list, description="Of its own values, the paths of those that the template's replace."
    )
    leave: Annotated[list[FieldPath], Field(max_length=_MOST_CHOSEN)] = Field(
        default_factory=list, description="Of the values that would change, the paths of those that stay as they are."
    )
    confirm: Confirm = False


class PushBody(RequestBody):
    """Which parts are pushed, and to which businesses."""

    parts: Annotated[list[Part], Field(min_length=1, max_length=len(PARTS))] = Field(
        default=list(PARTS), description="Which parts; all of them where it is not said."
    )
    businesses: Annotated[list[PushTargetBody], Field(max_length=MOST_BUSINESSES)] = Field(
        default_factory=list, description=f"To which, at most {MOST_BUSINESSES}."
    )
    all: bool = Field(
        default=False,
        description="In a dry run, instead of `businesses`: all that were made of it, or had it pushed before.",
    )
    dry_run: bool = Field(default=False, description="Answer what would change, and change nothing.")


class DeviationShown(AnswerBody):
    """A value that is not as the template says; a side that says nothing is left out.

    `standing` is `outdated` where it changes unless it is left, and else why it stays unless it is taken: `own` and
    `contested` are the business's own, of which the template says nothing new, or something; of `unknown` nobody knows
    what the template said before; `near` would be a second text on what the business says something of (`beside`).
    """

    field: str
    name: str | None
    standing: Literal["outdated", "own", "contested", "unknown", "near"]
    beside: str | None
    before: Any = None
    after: Any = None


class PushProblem(AnswerBody):
    """Why something could not be kept."""

    field: str
    message: str


class PushShown(AnswerBody):
    """How it stands with one business, or what became of it."""

    business_id: str
    name: str
    state: State
    message: str | None = Field(description="What is in the way; null where nothing is.")
    token: str | None = Field(description="What carrying it out is based on; null where there is nothing to do it to.")
    deviations: list[DeviationShown]
    problems: list[PushProblem]
    entry_ids: list[str] = Field(description="What the audit of the business tells of it.")


class PushTold(AnswerBody):
    """What a push would do, or has done, for each business in the order in which they were named."""

    source: str
    is_dry_run: bool
    parts: list[Part]
    businesses: list[PushShown]
    are_all: bool = Field(description="false where `all` found more than can be pushed to at once.")
