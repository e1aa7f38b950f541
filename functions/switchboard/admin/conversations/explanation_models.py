"""What is asked and answered about why calls ended as they did, and with which values."""

from typing import Annotated, Any

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from switchboard.admin.api.models import AnswerBody, Moment, Number, Prose, QueryParameters
from switchboard.admin.conversations.models import StoredReceipts
from switchboard.catalog.schema.sensitivity import MaskReason
from switchboard.contract.error import ErrorType
from switchboard.contract.json import JsonObject
from switchboard.pipeline.result.check_trace import Decision

_LONGEST_TEXT = 200


class ExplainQuery(QueryParameters):
    """Which call is explained, or whose calls are listed."""

    business_id: str = Field(default="", description="May be left out by those who have only one.")
    session: Annotated[str, Prose(_LONGEST_TEXT, 1, may_be_blank=True)]
    call: Annotated[str, Prose(_LONGEST_TEXT)] = Field(default="", description="Left out, the session's are listed.")


class CallCheck(AnswerBody):
    """A step that a call came by."""

    check: str
    saw: str
    decided: Decision
    why: str | SkipJsonSchema[None] = None


class CallOutcomeShown(AnswerBody):
    """Whether a call did what was asked, and if not, why."""

    ok: bool
    type: ErrorType | SkipJsonSchema[None] = None
    message: str | SkipJsonSchema[None] = None
    retryable: bool | SkipJsonSchema[None] = None


class EarlierCall(AnswerBody):
    """The call whose answer was given again."""

    call_id: str
    at: Moment


class MaskedPartShown(AnswerBody):
    """A part of a value in whose place ••• stands."""

    at: str = Field(description="Its JSON pointer; ••• in it stands for a name that nobody declared.")
    reason: MaskReason
    why: str = Field(description="The reason in a sentence.")


class ValueShown(AnswerBody):
    """A value as the reader may see it: what is secret for nobody, what may be personal for owners and editors."""

    value: Any
    masked: list[MaskedPartShown] = Field(description="What is not shown, at most a hundred places.")


class ExplanationShown(AnswerBody):
    """Why a call ended as it did; times are local."""

    business_id: str
    session_id: str
    call_id: str
    tool: str
    kind: str
    channel: str
    turn: int
    timezone: str
    started_at: Moment
    finished_at: Moment | None
    elapsed_ms: Number | None = Field(description="null before its end, and where another call took the time.")
    state: str
    state_means: str
    arguments_names: list[str] = Field(description="As the model wrote them; none where they cannot be read.")
    checks: list[CallCheck]
    outcome: CallOutcomeShown | None
    sentences: list[str] = Field(description="The story in plain words.")
    receipt: JsonObject | SkipJsonSchema[None] = Field(default=None, description="What was done, as the tool says.")
    repeated_of: EarlierCall | SkipJsonSchema[None] = None
    retaken_at: Moment | SkipJsonSchema[None] = Field(
        default=None, description="When it was taken up again, because whoever had begun it stopped before the end."
    )


class CallExplained(ExplanationShown):
    """Why a call ended as it did, with its values."""

    arguments: ValueShown = Field(description="What it was given, as the ledger keeps it.")
    result: ValueShown | None = Field(description="What it gave back; null for a failure, and before its end.")
    sent_to_model: ValueShown | None = Field(
        description="The part of the answer that its model was sent, before a dialect spells it; null before its end."
    )


class CallBrief(AnswerBody):
    """A call of a session, and when it began."""

    id: str
    tool: str
    state: str
    at: Moment


class SessionExplained(AnswerBody):
    """What a session called, and what was done in it, in order."""

    business_id: str
    session_id: str
    receipts: StoredReceipts
    calls: list[CallBrief]
