"""What is answered about definitions."""

from typing import Annotated, Any, Literal

from pydantic import Field

from switchboard.admin.api.models import AnswerBody, Count, Counts, Moment, NextCursor
from switchboard.admin.audit.models import Doer
from switchboard.admin.definitions.models import Definable, DefinableOrNone
from switchboard.catalog.schema.lint.rules import LintSeverity
from switchboard.contract.channel import Channel
from switchboard.contract.json import JsonObject


class DefinitionLine(AnswerBody):
    """A tool in the list of definitions."""

    name: str
    category: str
    kind: str
    summary: str
    is_published: bool
    is_enabled: bool
    differs: bool = Field(description="Whether what is published is something else than what was built.")
    has_draft: bool
    is_tried: bool


class DefinitionList(AnswerBody):
    """A page of the tools, by name."""

    definitions: list[DefinitionLine]
    next_cursor: NextCursor


class DefinitionDifference(AnswerBody):
    """A field that is not the same on both sides; a side that does not have it is left out."""

    field: str
    before: Any = None
    after: Any = None
    line: str = Field(description="The same in one line, for people.")


class LintFindingShown(AnswerBody):
    """What keeps a tool from working, or could be better."""

    rule: str = Field(description="Stays the same when words change.")
    severity: LintSeverity
    tool: str
    place: str
    text: str


class DefinitionDraftShown(AnswerBody):
    """A draft, with who saved it when."""

    document: Definable
    saved_at: Moment | None
    saved_by: str


class DefinitionTrialShown(AnswerBody):
    """Who tries which draft; of the businesses only those that whoever asks has a role in."""

    businesses: list[str]
    count: Count
    document: Definable


class CanaryShares(AnswerBody):
    """What is so of a hundred calls; null where there was none."""

    refusals: float | None
    failures: float | None
    unknown: float | None


class CanarySide(AnswerBody):
    """What conversations that began with one side's words did."""

    conversations: Count = Field(description="How many began while it was on trial.")
    calls: Count = Field(description="How many of their calls of the tool came to an end.")
    refusals: Count = Field(description="How many were refused by a check or a rule.")
    failures: Count = Field(description="In how many somebody was not served who should have been.")
    unknown: Count = Field(description="Of how many nobody knows what came of them.")
    per_hundred: CanaryShares
    remark: str | None = Field(description="That there are too few calls to go by; null where there are enough.")


class DefinitionCanaryShown(AnswerBody):
    """A trial of a draft by some businesses, beside what all others had meanwhile."""

    since: Moment
    ended_at: Moment | None
    ended: str | None = Field(description="What ended it, such as published; null while it is on.")
    by: str
    businesses: list[str]
    old: CanarySide
    new: CanarySide
    is_whole: bool = Field(
        description="Whether everything since its beginning is counted; what was not counted for a week is gone."
    )


class DefinitionCanaryList(AnswerBody):
    """A page of a tool's trials, the newest first."""

    canaries: list[DefinitionCanaryShown]
    next_cursor: NextCursor


class DefinitionTested(AnswerBody):
    """What was tested before something was published."""

    run: Count = Field(description="How many kept tests were played.")
    acknowledged: list[str] = Field(description="Those that were red, and were named by whoever published.")
    not_run: Counts = Field(description="How many were not played, by business.")
    is_whole: bool = Field(description="Whether every business was looked at.")


class DefinitionShown(DefinitionLine):
    """A definition: published, built, drafted and tried."""

    revision: str
    set_revision: Count
    may_edit: bool
    published: DefinableOrNone
    built_in: Definable
    differences: list[DefinitionDifference]
    findings: list[LintFindingShown]
    draft: DefinitionDraftShown | None
    canary: DefinitionTrialShown | None
    tested: DefinitionTested | None = Field(description="What was tested before this was published, just now.")


class DialectShown(AnswerBody):
    """What one vendor's models would be sent."""

    dialect: str
    tools: list[JsonObject] = Field(description="The declaration, in that vendor's own form.")
    losses: list[str] = Field(description="What it cannot say.")
    tokens: Count


class DefinitionPrompt(AnswerBody):
    """What prompts say of a tool."""

    written: str


class DefinitionTold(AnswerBody):
    """A definition as models are told it."""

    tool: str
    description: str
    channels: list[Channel]
    conditions: list[str]
    dialects: list[DialectShown]
    prompt: DefinitionPrompt


class DefinitionPreview(DefinitionTold):
    """One state of a definition as models are told it."""

    of: str


class DefinitionProblem(AnswerBody):
    """What keeps a definition from being saved."""

    field: str
    message: str


class DefinitionChecked(AnswerBody):
    """What is to be said of a definition; without problems it can be saved."""

    problems: list[DefinitionProblem]
    findings: list[LintFindingShown]
    tokens: Counts = Field(description="What its declaration costs, by dialect.")
    differences: list[DefinitionDifference]
    preview: DefinitionTold | None


class DefinitionDiff(AnswerBody):
    """What differs between two states of a definition."""

    before: str = Field(alias="from")
    after: str = Field(alias="to")
    differences: list[DefinitionDifference]


class DefinitionVersionLine(AnswerBody):
    """One publication of a tool; `content` and `earlier` name what it said from then on, and before."""

    version: Count
    at: Moment
    by: str
    deed: str
    is_removed: bool
    content: str | None
    earlier: str | None


class DefinitionVersionList(AnswerBody):
    """A page of a tool's versions, the newest first."""

    versions: list[DefinitionVersionLine]
    next_cursor: NextCursor


class DefinitionVersionShown(DefinitionVersionLine):
    """A version with what it said; null where it removed the tool."""

    document: DefinableOrNone


class ReplayedOffer(AnswerBody):
    """Where a tool is offered now and would not be, or the other way round."""

    kind: Literal["withdrawn", "offered"]
    business_id: str
    channel: Channel
    is_verified: bool | None = Field(description="For callers who are known, or are not; null for both.")
    condition: str | None
    why: str


class ReplayedArgument(AnswerBody):
    """An argument that the tool's code would get otherwise; a side that does not have it is left out."""

    field: str
    before: Any = None
    now: Any = None


class ReplayedCall(AnswerBody):
    """What a draft changes about a recorded call."""

    kind: Literal["refused", "accepted", "arguments", "confirmation", "verification", "result"]
    business_id: str
    session_id: str
    call_id: str
    channel: Channel
    at: Moment
    why: str
    changes: list[ReplayedArgument]
    effect: JsonObject | None = Field(description="What the call left done, by its receipt.")


class WordsChanged(AnswerBody):
    """Which words change, which no replay of recorded calls tries."""

    fields: list[str]
    is_only: bool = Field(description="Whether nothing else changes.")
    asked: Count = Field(description="In how many recorded conversations a model was asked again with these words.")
    remark: str | None = Field(description="That they were not tried, or how far; null where no words change.")


class ReplayReport(AnswerBody):
    """What a draft would change."""

    tool: str
    revision: str
    until: Moment
    calls_each: Count
    calls: Count
    unreadable: Count
    businesses: Count
    is_whole: bool
    words: WordsChanged
    counts: Counts
    hash: str = Field(description="Stands for the report when it is acknowledged.")
    findings: list[Annotated[ReplayedOffer | ReplayedCall, Field(discriminator="kind")]]
    next_cursor: NextCursor


class DefinitionChangeShown(AnswerBody):
    """Something that was done with definitions or drafts."""

    id: str
    at: Moment
    who: Doer
    deed: str
    tools: list[str]
    is_draft: bool
    tested: DefinitionTested | None
    words: WordsChanged | None = Field(description="Null where no words changed.")
    undoes: str | None
    undone_by: str | None
    redone_by: str | None
    is_undoable: bool
    why_not_undoable: str | None


class DefinitionChangeList(AnswerBody):
    """A page of changes, the newest first."""

    changes: list[DefinitionChangeShown]
    next_cursor: NextCursor


class DefinitionSides(AnswerBody):
    """What a definition said before and after a change; null where there was none, or it is not kept any more."""

    before: DefinableOrNone
    after: DefinableOrNone
    changes: list[str]


class DefinitionChangeLooked(DefinitionChangeShown):
    """A change with what differs, by tool, and what undoing it is based on."""

    documents: dict[str, DefinitionSides]
    revision: str | None
