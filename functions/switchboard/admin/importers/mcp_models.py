"""What is sent and answered about connected MCP servers, and the tools that are taken over from them."""

import re
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field
from pydantic.json_schema import SkipJsonSchema

from switchboard.admin.api.models import AnswerBody, Moment, OneLine, RequestBody, Revisioned, Wording
from switchboard.contract.json import JsonObject

MOST_AT_ONCE = 200  # a commit holds 500 writes, two for each
_BLANK = r"\u0000-\u0020\u007f-\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
_URL = re.compile(rf"https?://[^{_BLANK}/{{}}]+[^{_BLANK}{{}}]*")
# What a header can carry: without a variable's two braces, but for one secret's.
_PLAIN = r"(\{?[\t -z|}~])*\{?"
_BEFORE = re.compile(_PLAIN)
_HEADER = re.compile(rf"{_PLAIN}(\{{\{{[\t ]*secret\.[A-Za-z][A-Za-z0-9_.-]{{0,63}}[\t ]*\}}\}}{_PLAIN})?")
_SECRET = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,63}")
_LINE = Wording("must be one line of plain ASCII, without variables but one secret, {{secret.name}}.")
_BARE = Wording("must be one line of plain ASCII, without variables.")


class McpSecretHeader(RequestBody):
    """A header that carries one of the business's secrets."""

    secret: Annotated[str, OneLine(64, 1, form=_SECRET), Wording("must be the name of a secret.")]
    prefix: Annotated[str, OneLine(8_000, form=_BEFORE), _BARE] | None = Field(
        default=None, description="What stands before it, such as `Bearer `."
    )


class McpServerBody(RequestBody):
    """A server: its address, and what it is shown."""

    name: Annotated[str, OneLine(200)] | None = Field(
        default=None, description="What its tools' names begin with; its host where it is not."
    )
    url: Annotated[
        str, OneLine(2_000, 1, form=_URL), Wording("must be an address such as https://mcp.example.com/mcp.")
    ]
    headers: (
        Annotated[
            dict[str, Annotated[str, OneLine(8_000, 1, may_be_blank=True, form=_HEADER), _LINE] | McpSecretHeader],
            Field(max_length=20),
        ]
        | None
    ) = Field(default=None, description="By name; those of the protocol itself are not the owner's to set.")


class McpLookBody(RequestBody):
    """Which server's tools are listed."""

    server: McpServerBody


class McpFixedValue(RequestBody):
    """An argument whose value is the owner's in every call."""

    model_config = ConfigDict(extra="allow")

    mode: Literal["fixed"]
    value: Any


class McpTakeBody(McpLookBody):
    """Which tools of a server are made the business's own."""

    tools: Annotated[
        list[str],
        Field(min_length=1, max_length=MOST_AT_ONCE),
        Wording(f"must be a list of names of the server's tools, at most {MOST_AT_ONCE} at once."),
    ]
    params: (
        Annotated[
            dict[str, dict[str, McpFixedValue]],
            Wording("must hold, by tool, the arguments that you fix, with mode fixed."),
        ]
        | None
    ) = None
    attach_to: (
        Annotated[
            list[Annotated[str, Field(min_length=1)]], Wording('must be a list of ids of agents, such as ["echo"].')
        ]
        | None
    ) = Field(default=None, description="Agents who are given each of the tools.")


class McpReviewBody(RequestBody):
    """Which connected server is looked at again."""

    url: Annotated[str, Field(min_length=1), Wording("must be the address of a connected server.")]


class McpResyncBody(McpReviewBody, Revisioned):
    """Which of a server's changes are taken over."""

    accepted: Annotated[
        dict[str, str],
        Field(min_length=1),
        Wording('must hold what you have seen, as {"tool id": "digest"}.'),
    ]


class McpToolProblem(AnswerBody):
    """Why a tool cannot be taken over."""

    field: str
    message: str


class McpToolOffered(AnswerBody):
    """A tool that a server offers, as it would be taken over."""

    tool: str = Field(description="Its name there.")
    name: str | None
    label: str
    description: str
    kind: Literal["retrieval", "action"]
    input_schema: JsonObject = Field(description="JSON Schema of its arguments.")
    report: list[str] = Field(description="What was changed in what the server said.")
    problems: list[McpToolProblem]
    is_connected: bool


class McpServerNamed(AnswerBody):
    """A server and what its tools' names begin with."""

    name: str
    url: str


class McpToolsOffered(AnswerBody):
    """What a server offers."""

    server: McpServerNamed
    tools: list[McpToolOffered]


class ConnectedTool(AnswerBody):
    """A tool of the business's own, as it is stored."""

    id: str
    name: str
    label: str | None
    description: str | None
    type: str | None
    external_tool_id: str | None = Field(description="Vapi's id of it; null where Vapi does not know it.")
    function_schema: JsonObject = Field(description="What a model sees of it.")
    static_config: JsonObject = Field(description="What stays hidden from the model.")
    config_metadata: JsonObject = Field(description="The whole ToolConfig.")
    data: JsonObject | None = Field(description="The whole tool as Vapi answered it.")
    is_async: bool = Field(alias="async")
    execute_on_call_start: bool
    attach_to_agent: bool
    enabled: bool
    created_at: Moment | None
    updated_at: Moment | None
    revision: Annotated[int, Field(ge=1)]


class McpToolGiven(AnswerBody):
    """A tool that an agent was given."""

    agent_id: str
    tool_id: str


class McpToolNotGiven(McpToolGiven):
    """A tool that an agent could not be given, and why; it is made all the same."""

    message: str


class McpToolsMade(AnswerBody):
    """What was made, and who was given it."""

    tools: list[ConnectedTool]
    attached: list[McpToolGiven]
    not_attached: list[McpToolNotGiven]


class McpToolChange(AnswerBody):
    """How a connected tool differs from what its server says of it now."""

    id: str
    name: str | None
    tool: str
    state: Literal["unchanged", "changed", "removed"]
    what: list[str] = Field(description="Which parts differ.")
    digest: str = Field(description="Says which state of the server was seen.")
    now: McpToolOffered | SkipJsonSchema[None] = Field(
        default=None, description="How it would be taken over, where it has changed."
    )


class McpServerSeen(AnswerBody):
    """How a server differs from what was taken over; `added` are tools that were not."""

    url: str
    tools: list[McpToolChange]
    added: list[str]
    revision: str
