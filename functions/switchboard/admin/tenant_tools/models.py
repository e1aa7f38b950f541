"""What is sent and answered about tenant tools: the tools, which agents have them, trials and secrets (seed 002)."""

from typing import Annotated, Literal

from pydantic import AfterValidator, Field
from pydantic.json_schema import SkipJsonSchema

from switchboard.admin.api.models import (
    AnswerBody,
    Described,
    Moment,
    OneOf,
    QueryParameters,
    RequestBody,
    Revisioned,
    Wording,
)
from switchboard.admin.definitions.answer_models import LintFindingShown
from switchboard.admin.tenant_tools.config_models import CountedRevision, ToolParts
from switchboard.admin.tenant_tools.record import Unfinished
from switchboard.contract.channel import Channel
from switchboard.contract.definitions.tenant_tool import SPELLINGS
from switchboard.contract.error import ErrorType
from switchboard.contract.json import JsonObject
from switchboard.contract.response import IntentType
from switchboard.desk.contact.phone import caller_number

_CHANNELS = tuple(channel.value for channel in Channel)


def _number(text: str) -> str:
    number = caller_number(text)
    if number is None:
        raise ValueError("no number")
    return number


TrialNumber = Annotated[
    str, AfterValidator(_number), Wording("must be a phone number with its country code, like +12015550123.")
]


class ToolQuery(QueryParameters):
    """Which tools are listed."""

    type: Annotated[str, OneOf(SPELLINGS)] | None = Field(default=None, description="Of this type only.")
    external_tool_id: str | None = Field(default=None, description="Only the one that Vapi knows by this id.")


class ToolFunction(AnswerBody):
    """All that a model sees of a tool; variables stand in it as they were written."""

    name: str
    description: str
    parameters: JsonObject = Field(description="JSON Schema.")


class ToolShown(AnswerBody):
    """A tool as it is stored; one that cannot be used as it is says why."""

    id: str
    name: str
    label: str | None
    description: str | None
    type: str | None = Field(description="Its type, as it was written.")
    external_tool_id: str | None = Field(description="Vapi's id of it; null where Vapi does not know it.")
    function_schema: Annotated[JsonObject, Described(ToolFunction | dict[str, object])]
    static_config: JsonObject = Field(description="What stays hidden from the model, by the type's own names.")
    config_metadata: Annotated[JsonObject, Described(ToolParts)] = Field(description="The whole ToolConfig.")
    data: JsonObject = Field(description="The whole tool as Vapi answered it; empty where Vapi does not know it.")
    is_async: bool = Field(alias="async")
    execute_on_call_start: bool
    attach_to_agent: bool
    enabled: bool
    created_at: Moment | None
    updated_at: Moment | None
    revision: Annotated[int, Field(ge=1)]
    unfinished: Unfinished | None = Field(description="What was begun; asking for the same again finishes it.")
    problem: str | None = Field(description="Why it cannot be used.")


class ToolList(AnswerBody):
    """A business's tools, by name."""

    tools: list[ToolShown]


class ToolAnswer(AnswerBody):
    """A tool, what is to be said about it, and the deed that its words suggest."""

    tool: ToolShown
    findings: list[LintFindingShown]
    suggested_deed: str | None


class ToolDeleted(AnswerBody):
    """It is gone."""

    deleted: Literal[True]


class ToolAttachment(AnswerBody):
    """A tool at an agent."""

    agent_id: str
    tool_id: str
    is_vapi_attached: bool = Field(description="Whether the agent's assistant at Vapi was seen to have it.")
    attached_at: Moment | None
    unfinished: Literal["detachment"] | None


class AttachedTool(ToolShown):
    """A tool that an agent has."""

    attachment: ToolAttachment


class AgentTools(AnswerBody):
    """What an agent has, and what could be attached to it."""

    tools: list[AttachedTool]
    available: list[ToolShown]


class AttachmentBody(CountedRevision):
    """Which tool is attached or detached."""

    tool_id: Annotated[str, Field(min_length=1), Wording("must be the id of one of your tools.")]


class CollectionAttachmentBody(RequestBody):
    """Which collection is attached."""

    collection: Annotated[str, Field(min_length=1), Wording("must be the name of one of your collections.")]


class ToolAttached(AnswerBody):
    """A tool is attached."""

    attachment: ToolAttachment


class CollectionAttached(ToolAttached):
    """A collection is attached by its query tool."""

    tool: ToolShown


class ToolDetached(AnswerBody):
    """A tool is detached."""

    detached: Literal[True]


class TrialBody(RequestBody):
    """What a tool is tried with; everything may be left out."""

    args: JsonObject = Field(default={}, description="The tool's arguments, as a model would send them.")
    channel: Annotated[str, OneOf(_CHANNELS)] = Channel.PHONE.value
    agent_id: str | None = Field(default=None, description="One of the business's; one that has the tool if none is.")
    caller_phone: TrialNumber | None = Field(default=None, description="Whoever tries it plays whose number it is.")
    called_phone: TrialNumber | None = None


class TrialIntent(AnswerBody):
    """What a tool asks the channel to do."""

    type: IntentType
    payload: JsonObject = Field(description="What the type needs.")


class TrialFailure(AnswerBody):
    """Why a call did not do what was asked."""

    type: ErrorType
    message: str
    retryable: bool
    partial_side_effects: bool


class TrialResponse(AnswerBody):
    """The envelope that a model would get: `data` where all went well, and otherwise `error`."""

    ok: bool
    data: JsonObject | SkipJsonSchema[None] = Field(default=None, description="The tool's answer.")
    error: TrialFailure | SkipJsonSchema[None] = None
    intents: list[TrialIntent]
    meta: JsonObject = Field(description="What else is known of the call.")


class TrialAnswer(AnswerBody):
    """What came of a real call."""

    session_id: str
    note: str
    response: TrialResponse
    findings: list[LintFindingShown] = Field(description="What the tool reads and this answer did not hold.")


class SecretBody(Revisioned):
    """A secret, which is never shown again."""

    value: Annotated[
        str,
        Field(min_length=1, max_length=8_000, pattern=r"^[\t ]*[!-~][\t -~]*$"),
        Wording("must be one line of 1 to 8000 visible ASCII characters."),
    ]


class SecretName(AnswerBody):
    """A secret's name, and since when it has its value."""

    name: str
    since: Moment
    revision: str = Field(description="Another one each time that a value is entered.")


class SecretNames(AnswerBody):
    """The names of a business's secrets, in order."""

    secrets: list[SecretName]


class OwnSecretState(AnswerBody):
    """Whether there is a secret of a name."""

    name: str
    is_set: bool
    note: str = Field(default="", description="What its owner should know of it; left out where there is nothing.")
