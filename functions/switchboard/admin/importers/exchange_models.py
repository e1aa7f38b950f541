"""What is sent and answered when tools are taken in and out: OpenAPI documents, bundles and exports."""

import re
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field
from pydantic.json_schema import SkipJsonSchema

from switchboard.admin.api.models import AnswerBody, Described, OneLine, OneOf, QueryParameters, RequestBody, Wording
from switchboard.admin.importers.mcp_models import ConnectedTool
from switchboard.admin.tenant_tools.record import Unfinished
from switchboard.contract import policy
from switchboard.contract.definitions.definition import TOOL_NAME
from switchboard.contract.json import JsonObject

MOST_CHOSEN = 50
FORMS = ("openapi", "mcp", "bundle")
_SERVER = re.compile(r"[Hh][Tt][Tt][Pp][Ss]://[^\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]*")


class ApiImportBody(RequestBody):
    """An OpenAPI document, and which of its operations become tools."""

    document: Annotated[str | JsonObject, Wording("must be an OpenAPI document, as JSON or YAML text.")] = Field(
        description="OpenAPI 3.0 or 3.1: JSON or YAML text, or JSON."
    )
    # Made anew each time, so that the document names no default: an empty list is refused.
    chosen: Annotated[
        list[str],
        Field(min_length=1, max_length=MOST_CHOSEN),
        Wording(f"must be a list of 1 to {MOST_CHOSEN} ids of operations."),
    ] = Field(default_factory=list, description="Operations to make tools of; without it they are only listed.")
    server: (
        Annotated[
            str,
            OneLine(500, form=_SERVER),
            Wording("must be the API's address, such as https://api.example.com/v1."),
        ]
        | None
    ) = Field(default=None, description="Where the API is served, if not where the document says.")


class ApiToolThere(AnswerBody):
    """The tool that was made of an operation before."""

    id: str
    name: str
    is_same: bool = Field(description="Whether it would be made the same now.")


class ApiOperationShown(AnswerBody):
    """An operation, and what would become of it."""

    id: str
    method: str
    path: str
    summary: str
    name: str | None
    asked: JsonObject | None = Field(description="JSON Schema of what a model would be asked for.")
    secrets: dict[str, str] = Field(description="What has to be entered, by the secret's name.")
    report: list[str] = Field(description="What was changed or left out.")
    problems: list[str] = Field(description="Why no tool can be made of it.")
    tool: ApiToolThere | None


class ApiListed(AnswerBody):
    """What a document holds."""

    title: str
    version: str
    servers: list[str]
    operations: list[ApiOperationShown]
    report: list[str]


class ImportedTool(ConnectedTool):
    """A tool as it is stored, and what is unfinished or wrong about it."""

    unfinished: Unfinished | None
    problem: str | None


class ApiToolMade(AnswerBody):
    """What became of an operation: `differs` where the tool of it is another, which stays as it is."""

    operation: str
    state: Literal["created", "there", "differs"]
    tool: ImportedTool


class ApiTaken(AnswerBody):
    """The tools of the chosen operations, and what has to be entered for them."""

    tools: list[ApiToolMade]
    secrets: dict[str, str] = Field(description="What each secret must be, by its name.")


class BundleTool(RequestBody):
    """A tool in a bundle."""

    name: Annotated[str, Field(pattern=TOOL_NAME.pattern)]
    config: JsonObject = Field(description="Its ToolConfig; secrets are only named.")
    enabled: bool


class BundleAgent(RequestBody):
    """An agent in a bundle."""

    id: str
    attached: list[str] = Field(description="Names of the bundle's tools that it has.")
    name: Any
    is_default: Any
    channels: Any
    language: Any
    description: Any
    tools: Any
    toolkits: Any


class BundleEntry(RequestBody):
    """A bundle, as it was exported."""

    model_config = ConfigDict(extra="allow")

    switchboard_bundle: Literal[1]
    hash: str | None = Field(default=None, description="Left out where somebody has changed it.")
    tools: Annotated[list[BundleTool], Field(max_length=policy.TENANT_TOOLS)] = Field(default_factory=list)
    agents: Annotated[list[BundleAgent], Field(max_length=policy.AGENTS)] = Field(default_factory=list)


class BundleBody(RequestBody):
    """A bundle, and whether it is taken in."""

    # Read, and held against what is here, by `tool_bundle.py`.
    bundle: Annotated[JsonObject | str, Described(BundleEntry | str)] = Field(
        description="As it was exported, or its text."
    )
    dry_run: bool = Field(default=True, description="False does it; otherwise it is only told what would happen.")
    leave_out: Annotated[list[str], Wording("must be a list of names of tools in the bundle.")] | None = Field(
        default=None, description="Names of tools that are not taken along."
    )


class BundleNeeds(AnswerBody):
    """What a business has to have before the tools work there, by name."""

    secrets: list[str]
    accounts: list[str]
    numbers: list[str]
    rules: list[str]
    collections: list[str]


class BundleToolPlan(AnswerBody):
    """What becomes of a tool of a bundle."""

    name: str
    state: Literal["create", "same", "collision"]
    with_: str | SkipJsonSchema[None] = Field(default=None, alias="with", description="Whose name it is.")


class BundleAgentPlan(AnswerBody):
    """What becomes of an agent of a bundle."""

    id: str
    state: Literal["create", "there"]
    attach: list[str]
    differs: list[str]


class BundlePlan(AnswerBody):
    """What becomes of a bundle, or has become of it."""

    hash: str
    tools: list[BundleToolPlan]
    agents: list[BundleAgentPlan]
    needs: BundleNeeds
    is_done: bool


class ExportQuery(QueryParameters):
    """In which form tools are exported."""

    form: Annotated[str, OneOf(FORMS)] | None = Field(default=None, alias="as", description="A bundle if none is said.")


class LeftOutTool(AnswerBody):
    """A tool that is not exported, and why."""

    name: str
    why: str


class BundleExport(AnswerBody):
    """The tools as a bundle for another business."""

    switchboard_bundle: Literal[1]
    hash: str
    tools: list[BundleTool]
    agents: list[BundleAgent]
    needs: BundleNeeds
    left_out: list[LeftOutTool]
    hidden: list[str] = Field(description="Places where something was taken out that looked like a secret.")


class McpExportNotes(AnswerBody):
    """What is not among the tools."""

    left_out: list[LeftOutTool]


class McpExport(AnswerBody):
    """The tools as the Model Context Protocol lists them."""

    tools: list[JsonObject]
    notes: McpExportNotes | SkipJsonSchema[None] = Field(default=None, alias="_meta")


class OpenApiExport(AnswerBody):
    """The tools as an OpenAPI document."""

    openapi: str
    info: JsonObject
    paths: JsonObject
    components: JsonObject
    security: list[JsonObject]
    servers: list[JsonObject] | SkipJsonSchema[None] = None
    left_out: list[LeftOutTool] | SkipJsonSchema[None] = Field(default=None, alias="x-left-out")
