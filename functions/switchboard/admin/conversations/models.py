"""What is asked and answered about calls and chats: records, sessions, ledgers and receipts."""

from dataclasses import replace
from typing import Annotated, Literal, TypeAlias

from pydantic import AfterValidator, ConfigDict, Field
from pydantic.json_schema import SkipJsonSchema

from switchboard.admin.access.refusal import EntryProblem, NotValid
from switchboard.admin.api.models import (
    AnswerBody,
    Count,
    Described,
    Moment,
    MomentAsked,
    NextCursor,
    Number,
    OneOf,
    Paging,
    QueryParameters,
    Whole,
    Wording,
)
from switchboard.admin.api.paging import page_at
from switchboard.admin.conversations.records import InteractionFilter
from switchboard.contract.caller.caller_identity import Level
from switchboard.contract.channel import Channel
from switchboard.contract.conclusion import OUTCOMES
from switchboard.contract.json import JsonObject
from switchboard.contract.observability.turn_times import StepKind

_OUTCOME = f"What came of it, or how its last turn ended while it goes on: {', '.join(OUTCOMES)}."
_CHANNELS = tuple(channel.value for channel in Channel)
SORT_KEYS = 1
"""How many keys every list of this room is sorted by."""
TABLE_ROWS = 500
"""How many lines a page of a table has at most."""
_LONGEST_TEXT = 200


def _cursor(text: str) -> str:
    try:
        page_at(text, SORT_KEYS, 1)
    except NotValid:
        raise ValueError("no cursor") from None
    return text


class ConversationPaging(Paging):
    """Which page of a list of this room is asked for."""

    cursor: (
        Annotated[
            str, AfterValidator(_cursor), Wording("must be the next cursor that an earlier page of this list told.")
        ]
        | None
    ) = Field(default=None, description="Where to go on: `nextCursor` of the page before.")


class SpanQuery(QueryParameters):
    """From when to when conversations began."""

    since: MomentAsked | None = Field(
        default=None, alias="from", description="Begun at this time, with its offset, or later."
    )
    until: MomentAsked | None = Field(default=None, alias="to", description="Begun before this time.")

    def wanted(self) -> InteractionFilter:
        """Return which conversations are asked for.

        Raises:
            NotValid: The time ends before it begins.
        """
        if self.since and self.until and self.since >= self.until:
            raise NotValid([EntryProblem("to", "to must be later than from.")])
        return InteractionFilter(self.since, self.until)


class PeriodQuery(SpanQuery):
    """From when to when conversations began, on which channel, and what came of them."""

    channel: Annotated[str, OneOf(_CHANNELS)] | None = Field(
        default=None, description="phone, portal or browser_voice."
    )
    outcome: Annotated[str, OneOf(OUTCOMES)] | None = Field(default=None, description=_OUTCOME)

    def wanted(self) -> InteractionFilter:
        """Return which conversations are asked for.

        Raises:
            NotValid: The time ends before it begins.
        """
        span = super().wanted()
        return InteractionFilter(span.since, span.until, self.channel, self.outcome)


class ConversationQuery(PeriodQuery, ConversationPaging):
    """Which conversations are listed."""

    text: Annotated[str, Field(max_length=_LONGEST_TEXT)] | None = Field(
        default=None, description="Only where somebody said this, or a tool or the caller's number has it."
    )
    trials: Annotated[str, OneOf(("0", "1"))] | None = Field(
        default=None,
        description="1 lists those that owners held to try things out, which are not among the others.",
    )

    def wanted(self) -> InteractionFilter:
        """Return which conversations are asked for.

        Raises:
            NotValid: The time ends before it begins.
        """
        text = (self.text or "").strip() or None
        return replace(super().wanted(), text=text, is_trial=self.trials == "1")


class TableQuery(ConversationQuery):
    """Which conversations stand in a table."""

    limit: Annotated[int, Whole(1, TABLE_ROWS)] | None = Field(
        default=None, description=f"How many lines are returned at most; {TABLE_ROWS} where nobody says."
    )


class SessionQuery(ConversationPaging):
    """Which sessions are listed."""

    caller: Annotated[str, Field(max_length=_LONGEST_TEXT)] | None = Field(
        default=None, description="Only those whose calls showed this number, in any usual spelling."
    )


class AnsweringVersion(AnswerBody):
    """Which side of a trial of an agent's version answered a conversation."""

    agent_id: str
    since: str = Field(description="Names the trial, and says when it began.")
    side: Literal["old", "new"]


class ConversationSummary(AnswerBody):
    """A call or chat, without what was said."""

    id: str
    session_id: str | None
    channel: str | None
    outcome: str | None = Field(description=_OUTCOME)
    started_at: Moment | None
    ended_at: Moment | None
    duration_seconds: Number | None
    turns: int | None
    agent_versions: list[AnsweringVersion] = Field(description="Empty where nothing was on trial.")
    caller_phone: str | None
    caller_id: str | None
    tools: list[str] = Field(description="The tools that were called, in order.")
    failed_tools: list[str]
    is_trial: bool = Field(description="Whether an owner held it to try things out.")
    receipts: Count = Field(description="How many things were done.")


class ConversationLine(ConversationSummary):
    """A call or chat in a list."""

    excerpt: str | SkipJsonSchema[None] = Field(
        default=None, description="Where the text stands that was looked for; left out where none was."
    )


class ConversationList(AnswerBody):
    """A page of calls and chats, the newest first; a search may go on at the cursor also behind an empty page."""

    interactions: list[ConversationLine]
    next_cursor: NextCursor
    scanned: Count = Field(description="How many records were read for it.")


class ConversationTable(AnswerBody):
    """A page of calls and chats as CSV, the newest first; pages put behind each other are one file."""

    csv: str = Field(description="Names of columns stand before the first page; no cell is taken for a formula.")
    rows: Count
    next_cursor: NextCursor
    scanned: Count = Field(description="How many records were read for it.")


class StoredEntry(AnswerBody):
    """A part of a record as it is stored: what others have written may lack a field, or have one more."""

    model_config = ConfigDict(extra="allow")


class TranscriptEntry(StoredEntry):
    """Something that was said."""

    role: str | SkipJsonSchema[None] = Field(default=None, description="caller, agent, person or notice.")
    text: str | SkipJsonSchema[None] = Field(default=None, description="What was said, whole.")
    unheard: str | SkipJsonSchema[None] = Field(default=None, description="The rest of it.")
    heard: str | None = Field(default=None, description="How much of it was heard, where the caller spoke before.")
    id: str | SkipJsonSchema[None] = Field(default=None, description="Of a person's message.")
    name: str | SkipJsonSchema[None] = Field(default=None, description="A person's, as the visitor reads it.")
    notice: str | SkipJsonSchema[None] = Field(default=None, description="taken_over, handed_back or left.")
    turn: int | SkipJsonSchema[None] = None
    at: Moment | SkipJsonSchema[None] = None
    channel: str | SkipJsonSchema[None] = None
    confidence: Number | SkipJsonSchema[None] = Field(default=None, description="How sure the ear was, from 0 to 1.")
    filler: bool | SkipJsonSchema[None] = Field(default=None, description="true for what is said while a tool runs.")
    interrupted: bool | SkipJsonSchema[None] = None
    reported: bool | SkipJsonSchema[None] = Field(
        default=None, description="true for what only the visitor's browser says that a live voice said."
    )
    cut: bool | SkipJsonSchema[None] = Field(default=None, description="true where the end was too long to be kept.")
    suppressed: bool | SkipJsonSchema[None] = Field(default=None, description="true where a secret was taken out.")


class CalledTool(StoredEntry):
    """A tool that was called in a conversation."""

    call_id: str | SkipJsonSchema[None] = None
    name: str | SkipJsonSchema[None] = None
    turn: int | SkipJsonSchema[None] = None
    at: Moment | SkipJsonSchema[None] = None
    elapsed_ms: Number | SkipJsonSchema[None] = None
    ok: bool | SkipJsonSchema[None] = None
    error: str | None = None
    refused: bool | SkipJsonSchema[None] = Field(default=None, description="true where a check refused it.")
    unknown: bool | SkipJsonSchema[None] = Field(default=None, description="true where something may have been done.")
    late: bool | SkipJsonSchema[None] = Field(default=None, description="true where it had been accepted before.")
    is_failure: bool = Field(description="Whether it failed; a no that is an answer is none.")


class StoredReceipt(StoredEntry):
    """What was done; what the tool says of it stands beside these."""

    tool: str | SkipJsonSchema[None] = None
    call_id: str | SkipJsonSchema[None] = None
    turn: int | SkipJsonSchema[None] = None
    at: Moment | SkipJsonSchema[None] = None


TranscriptShown: TypeAlias = list[Annotated[JsonObject, Described(TranscriptEntry)]]
CalledTools: TypeAlias = list[Annotated[JsonObject, Described(CalledTool)]]
StoredReceipts: TypeAlias = list[Annotated[JsonObject, Described(StoredReceipt)]]


class TimedStep(AnswerBody):
    """A step of a turn, as it was measured."""

    kind: StepKind
    start_ms: Number = Field(description="From when what was heard had come; listening begins before 0.")
    ms: Number
    name: str | SkipJsonSchema[None] = Field(default=None, description="The tool, or what the store was asked for.")
    first_ms: Number | SkipJsonSchema[None] = Field(default=None, description="When a model said its first word.")
    call_id: str | SkipJsonSchema[None] = None
    link: str | SkipJsonSchema[None] = Field(default=None, description="Where a call is explained, with its values.")


class TimedTurn(AnswerBody):
    """How long the steps of a turn took; what was not measured is left out."""

    turn: int
    channel: str | None
    at: Moment | None
    ms: Number = Field(description="From the beginning of the first step to the end of the last.")
    steps: list[TimedStep]
    left_out: Count = Field(description="How many steps more there were than are kept.")


class TakenOver(AnswerBody):
    """Who has taken a call over."""

    at: Moment
    by: str
    to: str = Field(description="Who is rung.")
    is_sure: bool = Field(description="false where Twilio has not said whether the caller is put through.")


class AnsweringPerson(AnswerBody):
    """Who of the business answers in a chat, instead of the model."""

    at: Moment
    by: str
    name: str = Field(description="Who they are, as the visitor reads it; empty for a person of the business.")
    gives_way_at: Moment | None = Field(
        description="When the model goes on unless they write before; null while nobody waits for them."
    )


class ConversationShown(ConversationSummary):
    """A call or chat with what was said, in order."""

    transcript: TranscriptShown
    tool_calls: CalledTools
    receipt_list: StoredReceipts
    turn_times: list[TimedTurn]
    taken_over: TakenOver | None = Field(description="The person who has taken the call over; null where none has.")
    answering_person: AnsweringPerson | None = Field(
        description="The person who has taken the chat over; null while the model answers."
    )


class SessionStanding(AnswerBody):
    """That a caller's identity is established."""

    level: Level
    at: Moment


class SessionLine(AnswerBody):
    """A session, whose ledger tells of its calls."""

    id: str
    channel: str | None
    caller_phone: str | None = Field(description="The number that its last call showed; null where none did.")
    started_at: Moment | None
    changed_at: Moment
    turns_kept: list[Count] = Field(description="The turns of which anything is known; older ones are forgotten.")
    verification: SessionStanding | None
    receipts: Count = Field(description="How many things were done.")


class SessionList(AnswerBody):
    """A page of sessions, the newest first."""

    sessions: list[SessionLine]
    next_cursor: NextCursor


class SessionShown(SessionLine):
    """A session with what was done in it, in order."""

    receipt_list: StoredReceipts


class LedgerCall(AnswerBody):
    """A tool call, as the ledger tells of it."""

    id: str
    tool: str | None
    kind: str | None
    channel: str | None
    turn: int | None
    state: str | None
    started_at: Moment | None
    finished_at: Moment | None
    elapsed_ms: Number | None
    ok: bool | None = Field(description="Whether it did what was asked; null before its end.")
    error: str | None
    is_failure: bool = Field(description="Whether it failed; a no that is an answer is none.")
    message: str | None = Field(description="Why not; \u2022\u2022\u2022 for whoever may not see what is personal.")
    has_receipt: bool


class LedgerCallList(AnswerBody):
    """A page of tool calls, in order."""

    calls: list[LedgerCall]
    next_cursor: NextCursor


class ReceiptList(AnswerBody):
    """What was done, in order."""

    receipts: StoredReceipts
