"""The `ToolConfig` that owners write, as the document shows it: one form for each type of tool (seed 002).

What is written is held against it part by part (`form.py`), and read as a whole by `catalog/tenant_tools/config.py`, by
which calls are bound: which names stand in which texts, what is used nowhere, and what an address may hold, no form
can say.
"""

from functools import reduce
from operator import or_
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import ConfigDict, Field, create_model
from pydantic.json_schema import SkipJsonSchema

from switchboard.admin.api.models import Number, OneLine, OneOf, Prose, RequestBody, Whole
from switchboard.catalog.tenant_tools.config_kinds import MOST_RECIPIENTS, MOST_SHOWN, OPERATORS
from switchboard.catalog.tenant_tools.config_parameters import LONGEST_WORDS, MOST_FIXED
from switchboard.contract.definitions.definition import Deed, Repeat
from switchboard.contract.definitions.tenant_tool import SPELLINGS
from switchboard.contract.json import JsonObject
from switchboard.contract.policy import CALLS_AT_ONCE, OWNERS_ACTION_S

_DEEDS = tuple(deed.value for deed in Deed if deed is not Deed.UNNAMED)
_REPEATS = tuple(repeat.value for repeat in Repeat)
_OPEN = ConfigDict(extra="allow")

ToolText: TypeAlias = Annotated[str, Prose(200)] | None
ToolPrompt: TypeAlias = Annotated[
    str | None, Field(max_length=LONGEST_WORDS, description="For the model; may hold the two variables.")
]


class FixedToolParameter(RequestBody):
    """A parameter whose value is the owner's in every call; variables in it are filled."""

    model_config = _OPEN

    mode: Literal["fixed"]
    value: Any


class AskedToolParameter(RequestBody):
    """A parameter that the model fills; words of JSON Schema may also stand beside the mode."""

    model_config = _OPEN

    mode: Literal["ai"]
    prompt: ToolPrompt = None
    schema_: JsonObject | None = Field(default=None, alias="schema", description="JSON Schema; text where none is.")
    required: bool | list[str] | None = Field(default=None, description="True where it is left out.")
    min: Number | SkipJsonSchema[None] = None
    max: Number | SkipJsonSchema[None] = None


class ToolListExtension(RequestBody):
    """What the model may add to a list; words of JSON Schema may stand here too."""

    model_config = _OPEN

    enabled: bool | None = None
    prompt: ToolPrompt = None
    required: bool | None = None
    schema_: JsonObject | None = Field(default=None, alias="schema", description="JSON Schema of one value, or of all.")


class ListToolParameter(RequestBody):
    """A list that begins with the owner's values, to which the model may add."""

    model_config = _OPEN

    mode: Literal["array_extendable"]
    fixed_values: list[Any] = Field(default_factory=list, max_length=MOST_FIXED)
    ai_extension: ToolListExtension | SkipJsonSchema[None] = None


ToolParameter: TypeAlias = Annotated[
    FixedToolParameter | AskedToolParameter | ListToolParameter, Field(discriminator="mode")
]


class ToolSecretHeader(RequestBody):
    """A header that carries one of the business's secrets."""

    secret: Annotated[str, Field(min_length=1, max_length=200, description="Its name.")]
    prefix: str | None = Field(default=None, description="What stands before it, such as `Bearer `.")
    suffix: str | None = None


ToolHeaders: TypeAlias = dict[str, str | ToolSecretHeader]


DoneValue: TypeAlias = bool | float | Annotated[str, Prose(100, 1)]


class ToolDoneSign(RequestBody):
    """By what a service says that it did what it was asked for; any other value there says that it did not."""

    at: Annotated[str, Prose(500, 1)] = Field(description="Where the answer says it, such as order.state.")
    is_: DoneValue | Annotated[list[DoneValue], Field(min_length=1, max_length=20)] = Field(
        alias="is", description="What stands there when it was done, however it is written: every such value."
    )


class ToolAnswerMapping(RequestBody):
    """What is made of a service's answer."""

    pick: dict[str, Annotated[str, Prose(500, 1, may_be_blank=True)]] | None = Field(
        default=None, description="By name, where the answer has it, such as customer.name."
    )
    from_: Annotated[str, Prose(500)] | None = Field(default=None, alias="from")
    text: Annotated[str, Prose(4_000)] | None = None
    done: ToolDoneSign | None = Field(
        default=None, description="Where nothing is said, what services commonly say counts, such as `ok: false`."
    )


class ToolRequest(RequestBody):
    """The request that is sent."""

    method: Annotated[str, Prose(20)] | None = Field(default=None, description="GET, POST, PUT, PATCH or DELETE.")
    url: Annotated[str, Prose(2_000)] | None = Field(
        default=None, description="Such as https://api.example.com/customers/{{id}}; may be a fixed parameter instead."
    )
    headers: Annotated[ToolHeaders, Field(max_length=30)] | None = None
    body: Any = Field(default=None, description="JSON with variables as whole values or inside texts, or a text.")
    response: ToolAnswerMapping | None = None
    idempotent: bool | None = Field(
        default=None, description="Whether the service does one thing once for one `Idempotency-Key`."
    )


class ToolSender(RequestBody):
    """The number that a text comes from."""

    type: Literal["called_number", "specific_number"] | SkipJsonSchema[None] = None
    phone_number_id: ToolText = Field(default=None, alias="phone_number_id", description="One of the business's own.")
    phone_number_id_in_camel_case: ToolText = Field(
        default=None, alias="phoneNumberId", description="The same in another spelling."
    )


class ToolDestination(RequestBody):
    """Where a conversation goes: to a number, to a person of the escalation rules, or to another agent."""

    type: Annotated[str, OneOf(("", "number", "rule", "agent"))] | None = None
    number: Annotated[str, Prose(40)] | None = Field(default=None, description="With its country code.")
    id: Annotated[str, OneLine(200)] | None = Field(default=None, description="Of an escalation rule.")
    agent_id: Annotated[str, OneLine(200)] | None = None
    label: Annotated[str, OneLine(80)] | None = None
    message: ToolPrompt = Field(default=None, description="Said first; may hold variables.")


class ToolFilter(RequestBody):
    """A condition of a look-up; either `param` or `value`."""

    field: Annotated[str, Prose(200, 1, may_be_blank=True)] = Field(description="Such as town or address.town.")
    op: Annotated[str, OneOf(OPERATORS)] = "=="
    param: str = Field(default="", description="The parameter that it is held against.")
    value: Any = None


class ToolKnowledge(RequestBody):
    """What is looked in: the knowledge base, or a collection of the business's own."""

    type: Annotated[str, OneOf(("", "knowledge_base", "collection"))] | None = None
    collection: ToolText = None
    filters: Annotated[list[ToolFilter], Field(max_length=10)] | None = None
    fields_: list[str] | None = Field(default=None, alias="fields", description="Which are shown; all where none is.")
    limit: Annotated[int, Whole(1, MOST_SHOWN)] = 5


class ToolAppAction(RequestBody):
    """An action of a connected app; the parameters are its props."""

    model_config = _OPEN

    app: Annotated[str, Prose(200, 1, may_be_blank=True)] = Field(description="Its slug, such as gmail.")
    account_id: Annotated[str, Prose(200, 1, may_be_blank=True)] = Field(description="The account, such as apn_….")
    action_key: Annotated[str, Prose(200, 1, may_be_blank=True)] = Field(description="Such as gmail-send-email.")
    app_name: Any = Field(default=None, description="What it is called.")
    version: Annotated[str, Prose(20)] | None = None


class ToolServer(RequestBody):
    """A connected server."""

    name: Any = Field(default=None, description="What its owner calls it.")
    url: Annotated[str, Prose(2_000, 1, may_be_blank=True)]
    headers: Annotated[ToolHeaders, Field(max_length=20)] | None = None


class ToolHints(RequestBody):
    """What a server says about a tool's effect."""

    read_only_hint: bool | None = None
    destructive_hint: bool | None = None
    idempotent_hint: bool | None = None
    open_world_hint: bool | None = None


_TEXT = Field(default=None, description="The text, or a parameter with its mode; may be among the parameters instead.")
_RECIPIENTS = Field(
    default=None,
    description=f"The numbers, at most {MOST_RECIPIENTS}, or a parameter with its mode; may be among the parameters.",
)
_TEXT_ANYONE = Field(
    default=None,
    description="Whether callers of whom nothing is known may have any number texted, where the model names them.",
)
SmsWords: TypeAlias = Annotated[str, Prose(1_600)] | ToolParameter | None
_Number: TypeAlias = Annotated[str, Field(min_length=1)]
SmsRecipients: TypeAlias = _Number | Annotated[list[_Number], Field(min_length=1)] | ToolParameter | None


class ToolBasics(RequestBody):
    """What every type of tool has and may be left out."""

    name: Annotated[str, OneLine(200)] | None = Field(
        default=None, description="What the model calls it; made from the label where it is not."
    )
    description: ToolPrompt = None
    is_async: bool | None = Field(default=None, alias="async", description="Whether the model goes on at once.")
    execute_on_call_start: bool | None = Field(default=None, description="Whether it also runs before the first word.")
    attach_to_agent: bool | None = Field(default=None, description="Whether conversations may use it; usually they do.")
    caller_number: Annotated[str, OneOf(("", "proven", "contact"))] | None = Field(
        default=None,
        description="What {{caller_phone_number}} is: who is calling, or only where they are reached.",
    )
    deed: Annotated[str, OneOf(("", *_DEEDS))] | None = Field(
        default=None,
        description="What its success lets an agent say was done; without it, what its words suggest.",
    )
    repeat: Annotated[str, OneOf(("", *_REPEATS))] | None = Field(
        default=None,
        description="Within what the same call is done once: `turn` within a human turn, `session` within a "
        "conversation, `never` nowhere. Without it `turn`, and `never` for an mcp_tool whose `annotations` have "
        "`idempotentHint: true`.",
    )
    timeout_ms: Annotated[int, Whole(100, int(OWNERS_ACTION_S * 1000))] | None = Field(
        default=None, description="How long a caller waits for it, within the platform's greatest for the channel."
    )
    max_at_once: Annotated[int, Whole(1, CALLS_AT_ONCE)] | None = Field(
        default=None,
        description="How many requests its service takes at once, of all callers: further ones wait, then are refused "
        "unsent. For an api_request or an mcp_tool.",
    )
    confirm: bool | None = Field(
        default=None, description="Whether the caller must agree, in a turn of their own, before it does anything."
    )
    read_back: Annotated[dict[str, Annotated[str, Prose(500, 1)]], Field(max_length=20)] | None = Field(
        default=None,
        description='What they are asked then, by language, such as {"en": "Shall I charge {{amount}}?"}; without it, '
        "the tool is named with what it was given.",
    )
    params: Annotated[dict[str, ToolParameter], Field(max_length=50)] | None = Field(
        default=None, description="The parameters by name, each with its mode."
    )


class ToolBody(ToolBasics):
    """A tool's configuration, whatever its type."""

    label: Annotated[str, OneLine(80, 1, may_be_blank=True)] = Field(description="What owners call it.")
    enabled: bool = Field(default=True, description="Whether it is offered at all; one that is changed stays as it is.")


class SmsToolBody(ToolBody):
    """Sends a text."""

    type: Literal["sms"]
    from_: ToolSender | SkipJsonSchema[None] = Field(default=None, alias="from")
    text: SmsWords = _TEXT
    recipients: SmsRecipients = _RECIPIENTS
    text_anyone: bool | None = _TEXT_ANYONE


class RequestToolBody(ToolBody):
    """Sends a request to a service of the owner's."""

    type: Literal["api_request", "apiRequest"]
    request: ToolRequest | SkipJsonSchema[None] = None


class TransferToolBody(ToolBody):
    """Puts a conversation through to somebody else."""

    type: Literal["transfer_call", "transferCall"]
    destination: ToolDestination


class QueryToolBody(ToolBody):
    """Looks something up in what the business has written down."""

    type: Literal["query"]
    knowledge: ToolKnowledge | SkipJsonSchema[None] = None


class ActionToolBody(ToolBody):
    """Runs an action of a connected app."""

    type: Literal["pipedream_action", "pipedreamAction", "externalApp"]
    pipedream_metadata: ToolAppAction


class McpToolBody(ToolBody):
    """Calls a tool of a connected server; made by connecting it."""

    type: Literal["mcp_tool"]
    server: ToolServer
    tool: Annotated[str, Prose(128, 1, may_be_blank=True)] = Field(description="Its name there.")
    input_schema: JsonObject = Field(description="JSON Schema of its arguments, as it was approved.")
    output_schema: Any = Field(default=None, description="JSON Schema of its answers.")
    annotations: ToolHints | None = None
    offered: Any = Field(default=None, description="As the server offered it, which what it changes is held against.")
    wording: Any = Field(
        default=None, description="A mark of label and description, by which an owner's own are known."
    )


class CountedRevision(RequestBody):
    """A body that may say which revision it is based on, as text or as the number that tools count theirs with."""

    revision: str | int | None = Field(default=None, description="The tool's, as it was read with it.")


class ToolParts(ToolBasics):
    """Parts of a tool's configuration, each as a whole; what is of another type than the tool is left alone."""

    type: Annotated[str, OneOf(SPELLINGS)] | SkipJsonSchema[None] = None
    label: Annotated[str, OneLine(80, 1, may_be_blank=True)] | SkipJsonSchema[None] = None
    enabled: bool | None = None
    from_: ToolSender | None = Field(default=None, alias="from")
    text: SmsWords = _TEXT
    recipients: SmsRecipients = _RECIPIENTS
    text_anyone: bool | None = _TEXT_ANYONE
    request: ToolRequest | None = None
    destination: ToolDestination | None = None
    knowledge: ToolKnowledge | None = None
    pipedream_metadata: ToolAppAction | None = None
    server: ToolServer | None = None
    tool: Annotated[str, Prose(128)] | None = None
    input_schema: JsonObject | None = None
    output_schema: Any = None
    annotations: ToolHints | None = None
    offered: Any = None
    wording: Any = None


class ToolPatch(ToolParts, CountedRevision):
    """Parts of a tool's configuration, each as a whole; null takes one out."""


def _replacement(body: type[ToolBody]) -> Any:
    name = body.__name__.removesuffix("Body") + "Replacement"
    return create_model(name, __base__=(body, CountedRevision), __doc__=body.__doc__)


_BODIES: tuple[type[ToolBody], ...] = (
    SmsToolBody,
    RequestToolBody,
    TransferToolBody,
    QueryToolBody,
    ActionToolBody,
    McpToolBody,
)
AnyToolBody: Any = Annotated[reduce(or_, _BODIES), Field(discriminator="type")]
"""A whole configuration."""
AnyToolReplacement: Any = Annotated[reduce(or_, map(_replacement, _BODIES)), Field(discriminator="type")]
"""A whole configuration that takes the place of one."""
