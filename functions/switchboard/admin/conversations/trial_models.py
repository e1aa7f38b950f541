"""What is sent, asked and answered where owners try things out: calls, conversations, and what would be offered."""

import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import AfterValidator, BeforeValidator, Field
from pydantic.json_schema import SkipJsonSchema

from switchboard.admin.api.models import (
    AnswerBody,
    Count,
    Number,
    OneLine,
    OneOf,
    Prose,
    QueryParameters,
    RequestBody,
    Whole,
    Wording,
)
from switchboard.admin.conversations.explanation_models import ExplanationShown
from switchboard.admin.tenant_tools.models import TrialIntent, TrialNumber, TrialResponse
from switchboard.catalog.definitions.definitions import Source
from switchboard.contract.caller.outside_id import outside_id
from switchboard.contract.channel import Channel
from switchboard.contract.error import ErrorType
from switchboard.contract.json import JsonObject
from switchboard.formats import FORMATS

_CHANNELS = tuple(channel.value for channel in Channel)
_LONGEST_TEXT = 4_000
_SESSION = re.compile(r"(try_[0-9a-z]{8,32})?")
_MESSAGE = re.compile(r"([0-9A-Za-z_-]{8,64})?")
_LONGEST_ACCOUNT = 60
_NONE = "none"
_RULES = ("transfer", "message")
AccountState: TypeAlias = Literal["connected", "refused", "off"]
_STATES = ("connected", "refused", "off")
_ONE_OF = f"Names with one of {', '.join(_STATES)}, such as googleCalendar:off,twilio:connected."

Switch: TypeAlias = Annotated[str, OneOf(("0", "1"))]

NamedId = BeforeValidator(lambda id: outside_id(id) or None if isinstance(id, str) else id)
"""Reads an id as channels do: one that shows nothing names nothing."""


class TrialFacts(RequestBody):
    """Whom an owner imagines to call."""

    channel: Annotated[str, OneOf(_CHANNELS)] = Field(default=Channel.PORTAL.value, description="Where.")
    is_verified: bool = Field(default=False, description="Whether the caller's identity is established.")
    caller_phone: Annotated[TrialNumber | None, BeforeValidator(lambda number: None if number == "" else number)] = (
        Field(default=None, description="The number, with its country code.")
    )
    agent_id: Annotated[str | None, NamedId] = Field(
        default=None, description="One of the business's; whoever answers there if none is."
    )
    session_id: Annotated[str, OneLine(36, form=_SESSION), Wording("must be one of an earlier try.")] | None = Field(
        default=None, description="Of an earlier try, to go on in the same conversation."
    )


class ToolTry(TrialFacts):
    """A call of a tool."""

    name: Annotated[str, Field(min_length=1, max_length=100), Wording("must be the name of a tool.")]
    args: Annotated[JsonObject | str, Wording("must be an object, or text.")] | None = Field(
        default_factory=dict, description="An object, or text as a model may have written it."
    )
    format: Annotated[str, OneOf(("canonical", *FORMATS))] = Field(
        default="canonical", description="The dialect in which it is told what the model sees."
    )
    turn: Annotated[int, Whole(1, 1_000)] = 1


class ConverseTurn(TrialFacts):
    """What is said in a conversation."""

    text: Annotated[
        str,
        Prose(_LONGEST_TEXT, 1),
        Wording(f"must be what the caller says, of at most {_LONGEST_TEXT} characters."),
    ]
    message_id: (
        Annotated[str, OneLine(64, form=_MESSAGE), Wording("must be 8 to 64 letters, digits, - and _.")] | None
    ) = Field(default=None, description="Sent again with the same words, it is the same message: one answer.")


class OfferedQuery(QueryParameters):
    """Of which place the tools are listed."""

    channel: Annotated[str, OneOf(_CHANNELS)] = Field(
        default=Channel.PORTAL.value, description="Where; the portal where nobody says."
    )
    verified: Switch | None = Field(default=None, description="1 for a caller whose identity is established.")
    all: Switch | None = Field(default=None, description="1 lists those, too, that are not offered there.")


class OfferedToolShown(AnswerBody):
    """A tool as an application is told it; one that is not offered says where it could be, and less of itself."""

    name: str
    category: str
    kind: str
    description: str
    parameters: JsonObject = Field(description="The JSON Schema of its arguments.")
    returns: JsonObject | SkipJsonSchema[None] = Field(
        default=None, description="The JSON Schema of what it gives back."
    )
    confirm: bool | SkipJsonSchema[None] = Field(default=None, description="Whether the caller must agree first.")
    verified: bool | SkipJsonSchema[None] = Field(default=None, description="Whether the caller must be known.")
    say: dict[str, dict[str, str]] | SkipJsonSchema[None] = Field(
        default=None, description="What is said while it runs, by language."
    )
    channels: list[Channel] | SkipJsonSchema[None] = None


class OfferedTools(AnswerBody):
    """The tools that are offered."""

    source: Source
    catalog_version: str
    tools: list[OfferedToolShown]


class ToolTried(AnswerBody):
    """What came of a real call."""

    session_id: str
    call_id: str
    turn: Count
    catalog_version: str
    told: list[JsonObject] = Field(description="The tools as the model is told them, in the dialect.")
    response: TrialResponse
    explanation: ExplanationShown | None


class ConverseTool(AnswerBody):
    """A tool that was called in a turn."""

    call_id: str
    name: str
    args: JsonObject | str | None = Field(description="As the model wrote them.")
    ok: bool
    error: ErrorType | None
    elapsed_ms: Number
    receipt: JsonObject | None = Field(description="What was done, as the tool says.")


class ConverseQuestion(AnswerBody):
    """What waits for the caller's yes or no."""

    question: str
    turn: Count
    tool: str


class SeenCall(AnswerBody):
    """A call as the model made it."""

    call_id: str
    name: str
    args: JsonObject | str


class SeenWords(AnswerBody):
    """What a caller said, or the house noted."""

    speaker: Literal["caller", "house"] = Field(alias="from")
    text: str


class SeenAnswer(AnswerBody):
    """What a tool answered."""

    speaker: Literal["tool"] = Field(alias="from")
    call_id: str
    name: str
    sent: JsonObject = Field(description="As it was sent, in the model's dialect.")


class SeenSpeech(AnswerBody):
    """What the model said and called."""

    speaker: Literal["model"] = Field(alias="from")
    text: str
    calls: list[SeenCall]


class SeenLeftOut(AnswerBody):
    """How much was too long to be shown."""

    characters: Count
    messages: Count
    tools: Count


class SeenPrompt(AnswerBody):
    """A request to the model."""

    model: str
    dialect: str
    system: str
    requests: Count
    messages: list[SeenWords | SeenAnswer | SeenSpeech]
    tools: list[JsonObject] = Field(description="As they are declared in the model's dialect.")
    left_out: SeenLeftOut


class ConverseAnswer(AnswerBody):
    """What came of a turn."""

    session_id: str
    channel: Channel
    turn: Count
    agent_id: str | None
    greeting: str = Field(description="What a caller has heard before the first turn; empty in later ones.")
    said: str
    tools: list[ConverseTool]
    intents: list[TrialIntent]
    asked: ConverseQuestion | None
    outcome: str
    is_over: bool
    saw: SeenPrompt | None = Field(description="The last request of the turn to the model.")


def named(text: str | None) -> list[str] | None:
    """Return what a query names with commas, each once; None where it says nothing, nothing where it says none."""
    if text is None:
        return None
    parts = (part.strip() for part in text.split(","))
    return [] if text == _NONE else [*dict.fromkeys(part for part in parts if part)]


def _states(text: str) -> str:
    for part in named(text) or ():
        name, _, state = part.partition(":")
        if not 0 < len(name) <= _LONGEST_ACCOUNT or state not in _STATES:
            raise ValueError(part)
    return text


def _rules(text: str) -> str:
    if not set(named(text) or ()) <= {*_RULES}:
        raise ValueError(text)
    return text


class WhatIfQuery(QueryParameters):
    """How a business is imagined; what is left out is as it is."""

    integrations: Annotated[str, AfterValidator(_states), Wording(f"must be: {_ONE_OF}")] | None = Field(
        default=None, description=f"Accounts that stand otherwise than now: {_ONE_OF}"
    )
    rules: (
        Annotated[str, AfterValidator(_rules), Wording(f"must be some of {', '.join(_RULES)}, or {_NONE}.")] | None
    ) = Field(default=None, description=f"Which escalation rules there are: {', '.join(_RULES)}, both, or {_NONE}.")
    features: str | None = Field(default=None, description=f"Which features are switched on, with commas, or {_NONE}.")
    agent_id: str | None = Field(default=None, description="Who answers, if not whoever does on each channel.")

    @property
    def states(self) -> Mapping[str, Any]:
        """How accounts stand, by name."""
        pairs = (part.partition(":") for part in named(self.integrations) or ())
        return {name: state for name, _, state in pairs}


class WhatIfCell(AnswerBody):
    """Whether a tool is offered to callers who are known, or are not; `condition` says which rule keeps it away."""

    channel: Channel
    is_verified: bool
    condition: str | None
    reason: str


class WhatIfTool(AnswerBody):
    """Where a tool is offered."""

    name: str
    kind: str = Field(description="Empty of one that cannot be used.")
    description: str
    is_own: bool = Field(description="Whether it is one of the business's own.")
    cells: list[WhatIfCell]


class WhatIfAccount(AnswerBody):
    """How an account stands."""

    name: str
    state: AccountState


class WhatIfAgent(AnswerBody):
    """Who can answer."""

    id: str
    name: str


class WhatIfTable(AnswerBody):
    """What is offered where, and the situation in which it is."""

    source: Source
    integrations: list[WhatIfAccount]
    rules: list[str]
    features: list[str]
    known_features: list[str]
    agents: list[WhatIfAgent]
    tools: list[WhatIfTool]
