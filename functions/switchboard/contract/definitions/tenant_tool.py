"""A tool that a business made itself: a template, what its owner fixed, and what the model may still say (seed 002).

The document is `businesses/{id}/tools/{toolId}`; its fields are those of seed 002 ("Table Schema") in camelCase. What a
call of one comes to is a `Bound` record, one per template: everything in it is final, and nothing is expanded again.
"""

from collections.abc import Mapping
from dataclasses import field
from datetime import datetime
from enum import StrEnum
from typing import Any, TypeAlias

from switchboard.contract.definitions.definition import TOOL_NAME, DefinitionError
from switchboard.contract.document import integer, moment, text
from switchboard.contract.json import JsonObject
from switchboard.contract.python.dataclass import dataclass


class Template(StrEnum):
    """What a tenant tool is made from (seed 002, "Tool Type")."""

    SMS = "sms"
    API_REQUEST = "api_request"
    TRANSFER_CALL = "transfer_call"
    QUERY = "query"
    PIPEDREAM_ACTION = "pipedream_action"
    MCP_TOOL = "mcp_tool"


_LEGACY = {
    "apiRequest": Template.API_REQUEST,
    "transferCall": Template.TRANSFER_CALL,
    "externalApp": Template.PIPEDREAM_ACTION,
    "pipedreamAction": Template.PIPEDREAM_ACTION,
}
SPELLINGS = (*(template.value for template in Template), *_LEGACY)
"""Every way to write a type, the older ones last."""


def template_of(word: Any) -> Template | None:
    """Return the template of a `type`, also in one of its older spellings; None where there is no such type."""
    if isinstance(word, str):
        return _LEGACY.get(word) or next((t for t in Template if t.value == word), None)
    return None


def no_template(word: Any) -> tuple[str, str]:
    """Return what is wrong with a `type` that names no template, and what would do, in the words of an error."""
    known = ", ".join(template.value for template in Template)
    return "is missing" if word is None else f"{str(word)[:60]!r} is not a type of tool", f"use one of {known}"


@dataclass(frozen=True, slots=True)
class TenantTool:
    """One tenant tool as it is stored.

    Attributes:
        id: Stands in its callback's URL.
        name: What the model calls it; unique within the business and among the built-in tools.
        label: What owners call it.
        description: When and how to use it, for the model; may hold the two variables.
        template: Its type.
        function_schema: What the model sees: `{name, description, parameters}`.
        static_config: What stays hidden from the model, by the template's own names.
        config_metadata: The owner's whole `ToolConfig`, for editing; calls are bound from it.
        is_async: Whether the model goes on without waiting.
        execute_on_call_start: Whether it also runs before the first word of a phone call.
        attach_to_agent: Whether conversations may use it; without, it only runs when a call starts.
        external_tool_id: Vapi's id of it; None where Vapi does not know it.
        data: Vapi's whole tool, as it answered; empty where Vapi does not know it.
        is_enabled: Whether it is offered at all.
        created_at: Aware, UTC.
        updated_at: Aware, UTC.
        revision: Counts its edits from 1.
    """

    id: str
    name: str
    label: str
    description: str
    template: Template
    function_schema: JsonObject
    static_config: JsonObject
    config_metadata: JsonObject
    is_async: bool = False
    execute_on_call_start: bool = False
    attach_to_agent: bool = True
    external_tool_id: str | None = None
    data: JsonObject = field(default_factory=dict)
    is_enabled: bool = True
    created_at: datetime | None = None
    updated_at: datetime | None = None
    revision: int = 1

    def to_document(self) -> JsonObject:
        """Return the fields as they stand in the store; the id is the document's."""
        return {
            "name": self.name,
            "label": self.label,
            "description": self.description,
            "type": self.template.value,
            "functionSchema": self.function_schema,
            "staticConfig": self.static_config,
            "configMetadata": self.config_metadata,
            "async": self.is_async,
            "executeOnCallStart": self.execute_on_call_start,
            "attachToAgent": self.attach_to_agent,
            "externalToolId": self.external_tool_id,
            "data": self.data,
            "enabled": self.is_enabled,
            "createdAt": self.created_at,
            "updatedAt": self.updated_at,
            "revision": self.revision,
        }


def read_tenant_tool(id: str, document: Mapping[str, Any]) -> TenantTool:
    """Read a stored tenant tool.

    Raises:
        DefinitionError: What keeps it from being used.
    """
    template = template_of(document.get("type"))
    if template is None:
        raise DefinitionError("type", *no_template(document.get("type")))
    name = document.get("name")
    if not isinstance(name, str) or not TOOL_NAME.match(name):
        raise DefinitionError("name", f"{name!r} is not a tool name", f"use {TOOL_NAME.pattern}")
    parts = {}
    for key in ("functionSchema", "staticConfig", "configMetadata", "data"):
        value = document.get(key) or {}
        if not isinstance(value, Mapping):
            raise DefinitionError(key, f"expected an object, found {type(value).__name__}", "save the tool again")
        parts[key] = dict(value)
    revision = integer(document.get("revision"))
    return TenantTool(
        id=id,
        name=name,
        label=str(document.get("label") or name),
        description=str(document.get("description") or ""),
        template=template,
        function_schema=parts["functionSchema"],
        static_config=parts["staticConfig"],
        config_metadata=parts["configMetadata"],
        is_async=document.get("async") is True,
        execute_on_call_start=document.get("executeOnCallStart") is True,
        attach_to_agent=document.get("attachToAgent") is not False,
        external_tool_id=text(document.get("externalToolId")) or None,
        data=parts["data"],
        is_enabled=document.get("enabled") is not False,
        created_at=moment(document.get("createdAt")),
        updated_at=moment(document.get("updatedAt")),
        revision=revision if revision > 0 else 1,
    )


@dataclass(frozen=True, slots=True)
class SecretText:
    """A text with one of the business's secrets in it, which only the integration that sends it may read."""

    before: str
    secret: str
    after: str = ""


@dataclass(frozen=True, slots=True)
class BoundSms:
    """One text to send: from the number that was called where `sender_id` is empty; recipients are as given.

    `dictated` are those that the model named freely; none where the owner has said that anybody may be texted. `untold`
    are those that the owner wrote into the configuration, so that no model is told them.
    """

    text: str
    recipients: tuple[str, ...]
    sender_id: str = ""
    dictated: tuple[str, ...] = ()
    untold: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class BoundRequest:
    """One HTTP request to an address of the owner's.

    Attributes:
        method: GET, POST, PUT, PATCH or DELETE.
        url: Absolute, https, encoded.
        headers: By name; secrets by reference.
        body: Any JSON value, text as it is, or None for no body.
        response: The owner's mapping of the answer: `{pick?: {name: path}, from?: path, text?: template}`, and what
            of it means that it was done: `done?: {at: path, is: value or values}`.
        is_idempotent: Whether the service does one thing once for one `Idempotency-Key`, as its owner says.
        most_at_once: How many requests the service takes at once, as its owner says; 0 for no word.
    """

    method: str
    url: str
    headers: Mapping[str, "str | SecretText"]
    body: Any = None
    response: JsonObject = field(default_factory=dict)
    is_idempotent: bool = False
    most_at_once: int = 0


@dataclass(frozen=True, slots=True)
class BoundTransfer:
    """Where a call goes: a number of the owner's in E.164, an escalation rule by its id, or an agent by its id."""

    number: str = ""
    rule_id: str = ""
    agent_id: str = ""
    label: str = ""
    message: str = ""


@dataclass(frozen=True, slots=True)
class BoundQuery:
    """One look-up: in the knowledge base where `collection` is empty, else in a collection of the business's own.

    Attributes:
        question: What is looked for, in words.
        collection: Its name.
        filters: Field, operator (`==`, `<`, `<=`, `>`, `>=`, `in`, `array-contains`) and value, all to be met.
        fields: Which fields are shown; all where empty.
        limit: The most that is shown.
    """

    question: str = ""
    collection: str = ""
    filters: tuple[tuple[str, str, Any], ...] = ()
    fields: tuple[str, ...] = ()
    limit: int = 5


@dataclass(frozen=True, slots=True)
class BoundAction:
    """One Pipedream action.

    Attributes:
        app: The app's slug, such as `google_sheets`.
        account_id: The connected account (`apn_…`) of this business.
        action_key: The component's key, such as `gmail-send-email`.
        props: What it is configured with, without the account.
        version: A pinned version, or empty.
    """

    app: str
    account_id: str
    action_key: str
    props: JsonObject
    version: str = ""


@dataclass(frozen=True, slots=True)
class BoundMcpCall:
    """One call of a tool of a server that the owner has connected (Model Context Protocol).

    Attributes:
        url: The server's, absolute.
        headers: By name; secrets by reference.
        tool: The tool's name there.
        arguments: The model's, with the owner's fixed ones in their place.
        is_reading: Whether the server says that it changes nothing; it may lie.
        most_at_once: How many calls the server takes at once, as its owner says; 0 for no word.
        is_idempotent: Whether the server says that the same call again changes nothing more; it may lie.
    """

    url: str
    headers: Mapping[str, "str | SecretText"]
    tool: str
    arguments: JsonObject
    is_reading: bool = False
    most_at_once: int = 0
    is_idempotent: bool = False


Bound: TypeAlias = BoundSms | BoundRequest | BoundTransfer | BoundQuery | BoundAction | BoundMcpCall
"""What a call of a tenant tool comes to."""
