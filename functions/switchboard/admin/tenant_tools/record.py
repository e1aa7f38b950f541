"""Tenant tools and their attachments as they stand in the store, with what is unfinished about them.

A tool is `businesses/{id}/tools/{toolId}`; while something is done about it elsewhere its `unfinished` says what, so
that whoever comes next can go on. An attachment is `businesses/{id}/agentTools/{agentId}~{toolId}` (seed 002,
"Relationships"); both are the desired state, which Vapi's is held against.
"""

import hashlib
import secrets
import uuid
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from enum import StrEnum
from typing import Any

from switchboard.admin.documents.redaction import HIDDEN
from switchboard.catalog.tenant_tools.definition import OwnTool
from switchboard.contract.definitions.definition import DefinitionError
from switchboard.contract.definitions.tenant_tool import Template, TenantTool, read_tenant_tool
from switchboard.contract.json import JsonObject
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import Document
from switchboard.formats.vapi.call_facts import KEY_HEADER, TOOL_KEY

_HALF = 16


class Unfinished(StrEnum):
    """What was begun and not brought to its end."""

    CREATION = "creation"
    DELETION = "deletion"


@dataclass(frozen=True, slots=True)
class StoredTenantTool:
    """One stored tenant tool.

    Attributes:
        document: As it is stored.
        tool: As it is read; None where it cannot be used.
        problem: Why it cannot be used; empty where it can.
    """

    document: Document
    tool: TenantTool | None
    problem: str = ""

    @property
    def id(self) -> str:
        """The id that stands in its callback's address."""
        return self.document.id

    @property
    def name(self) -> str:
        """What the model calls it."""
        return str(self.document.data.get("name") or "")

    @property
    def external_id(self) -> str | None:
        """Vapi's id of it; None where Vapi does not know it."""
        value = self.document.data.get("externalToolId")
        return value if isinstance(value, str) and value else None

    @property
    def superseded(self) -> str | None:
        """Vapi's id of the tool that this one has taken the place of there; None once that is deleted."""
        value = self.document.data.get("supersededToolId")
        return value if isinstance(value, str) and value else None

    @property
    def unfinished(self) -> Unfinished | None:
        """What was begun and not brought to its end."""
        value = self.document.data.get("unfinished")
        return Unfinished(value) if value in list(Unfinished) else None

    @property
    def config(self) -> JsonObject:
        """The owner's whole `ToolConfig`."""
        value = self.document.data.get("configMetadata")
        return dict(value) if isinstance(value, Mapping) else {}

    @property
    def revision(self) -> int:
        """Counts its edits from 1."""
        value = self.document.data.get("revision")
        return value if type(value) is int and value > 0 else 1

    @property
    def is_wanted_there(self) -> bool:
        """Whether Vapi should have it: conversations may use it, and nobody is deleting it."""
        return self.tool is not None and self.tool.attach_to_agent and self.unfinished is not Unfinished.DELETION

    @property
    def hands_over_to(self) -> str:
        """The id of the agent that goes on with a conversation in which it is called; empty for every other tool."""
        if self.tool is None or self.tool.template is not Template.TRANSFER_CALL:
            return ""
        try:
            return OwnTool(self.tool).hands_over_to
        except DefinitionError:
            return ""

    def with_fields(self, fields: Mapping[str, Any]) -> "StoredTenantTool":
        """Return it with some of its fields replaced."""
        return kept(replace(self.document, data={**self.document.data, **fields}))

    def to_json(self) -> JsonObject:
        """Return it as the owners' API answers it, in the words of seed 002 ("Column Descriptions")."""
        data = self.document.data
        own: JsonObject = {"id": self.id} | {
            name: data.get(name) for name in ("name", "label", "description", "type", "externalToolId")
        }
        own |= {name: data.get(name) or {} for name in ("functionSchema", "staticConfig", "configMetadata", "data")}
        own |= {name: data.get(name) is True for name in ("async", "executeOnCallStart")}
        own |= {name: data.get(key) is not False for name, key in (("attachToAgent", "attachToAgent"),)}
        own |= {"enabled": data.get("enabled") is not False}
        own |= {name: data.get(name) for name in ("createdAt", "updatedAt")}
        return own | {"revision": self.revision, "unfinished": self.unfinished, "problem": self.problem or None}


@dataclass(frozen=True, slots=True)
class Attachment:
    """One tool at one agent.

    Attributes:
        agent_id: Whose it is.
        tool_id: Which it is.
        is_mirrored: Whether the agent's assistant at Vapi was seen to have it.
        is_leaving: Whether it is being detached.
        attached_at: Since when (aware, UTC).
        path: Where it is stored.
    """

    agent_id: str
    tool_id: str
    is_mirrored: bool
    is_leaving: bool
    attached_at: datetime | None
    path: str

    def to_json(self) -> JsonObject:
        """Return it as the owners' API answers it."""
        return {
            "agentId": self.agent_id,
            "toolId": self.tool_id,
            "isVapiAttached": self.is_mirrored,
            "attachedAt": self.attached_at,
            "unfinished": "detachment" if self.is_leaving else None,
        }


def kept(document: Document) -> StoredTenantTool:
    """Return a stored tool, also one that cannot be used."""
    try:
        return StoredTenantTool(document, read_tenant_tool(document.id, document.data))
    except DefinitionError as error:
        return StoredTenantTool(document, None, str(error))


def attachment(document: Document) -> Attachment | None:
    """Return a stored attachment; None for what is none."""
    data = document.data
    agent_id, tool_id, at = data.get("agentId"), data.get("toolId"), data.get("attachedAt")
    if not isinstance(agent_id, str) or not isinstance(tool_id, str):
        return None
    return Attachment(
        agent_id=agent_id,
        tool_id=tool_id,
        is_mirrored=data.get("isVapiAttached") is True,
        is_leaving=data.get("isLeaving") is True,
        attached_at=at if isinstance(at, datetime) else None,
        path=document.path,
    )


def new_id(business_id: str, wish: str = "") -> str:
    """Return an id for a tool, a UUID of which the business can be told that it is its own (`is_own_id`).

    Args:
        business_id: Whose tool it will be.
        wish: Names the wish to make it, so that the same wish gives the same id; empty for an id of its own.
    """
    begun = hashlib.sha256(f"{business_id}|{wish}".encode("utf-8", "replace")).hexdigest() if wish else ""
    head = begun[:_HALF] or secrets.token_hex(_HALF // 2)
    return str(uuid.UUID(head + _mark(business_id, head)))


def is_own_id(business_id: str, id: str) -> bool:
    """Tell whether an id was made by `new_id` for this business, so that a tool of it that is gone is known as such."""
    digits = id.replace("-", "")
    return len(digits) == 2 * _HALF and digits[_HALF:] == _mark(business_id, digits[:_HALF])


def without_key(tool: Mapping[str, Any]) -> JsonObject:
    """Return what Vapi answered about a tool, without the key that its callback carries."""
    copy = dict(tool)
    rows = copy.get("parameters")
    if isinstance(rows, list):
        copy["parameters"] = [
            {**row, "value": HIDDEN} if isinstance(row, Mapping) and row.get("key") == TOOL_KEY else row for row in rows
        ]
    destinations = copy.get("destinations")
    if isinstance(destinations, list):
        copy["destinations"] = [_without_header(row) for row in destinations]
    return copy


def _without_header(destination: Any) -> Any:
    server = destination.get("server") if isinstance(destination, Mapping) else None
    headers = server.get("headers") if isinstance(server, Mapping) else None
    if not isinstance(server, Mapping) or not isinstance(headers, Mapping) or KEY_HEADER not in headers:
        return destination
    return {**destination, "server": {**server, "headers": {**headers, KEY_HEADER: HIDDEN}}}


def _mark(business_id: str, head: str) -> str:
    return hashlib.sha256(f"tool|{business_id}|{head}".encode("utf-8", "replace")).hexdigest()[:_HALF]
