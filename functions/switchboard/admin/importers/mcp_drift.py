"""How a connected server has changed the tools that were taken over from it, and what taking that over means."""

from collections.abc import Mapping
from typing import Any

from switchboard.admin.access.refusal import EntryProblem, NotValid, problem
from switchboard.admin.importers.mcp_adoption import Adoption, differences, digest_of
from switchboard.catalog.tenant_tools.config import DefinitionErrors, build, read_config
from switchboard.contract.definitions.tenant_tool import Template
from switchboard.contract.json import JsonObject
from switchboard.contract.store import Document

_OWNERS = ("label", "description", "params", "attachToAgent", "async")
"""What of a configuration is its owner's, whatever the server says."""


def server_of(document: Document) -> Mapping[str, Any]:
    """Return the server of a tenant tool; empty where it has none."""
    config = document.data.get("configMetadata")
    is_of_one = document.data.get("type") == Template.MCP_TOOL.value and isinstance(config, Mapping)
    server = config.get("server") if is_of_one and config else None
    return server if isinstance(server, Mapping) else {}


def remote_name(document: Document) -> str:
    """Return what a connected tool is called by its server."""
    return str(document.data["configMetadata"].get("tool"))


def shown(adoption: Adoption, connected: Document | None) -> JsonObject:
    """Return what an owner sees of a tool that a server offers."""
    config = adoption.config
    return {
        "tool": adoption.tool,
        "name": connected.data.get("name") if connected is not None else config["name"],
        "label": config["label"],
        "description": config["description"],
        "kind": "retrieval" if adoption.is_reading else "action",
        "inputSchema": config["inputSchema"],
        "report": list(adoption.report),
        "problems": [{"field": e.field, "message": f"{e.problem}; {e.remedy}"} for e in adoption.problems],
        "isConnected": connected is not None,
    }


def drift(document: Document, now: Adoption | None) -> JsonObject:
    """Return how one connected tool differs from what its server says of it now; None for one that is gone there."""
    row: JsonObject = {"id": document.id, "name": document.data.get("name"), "tool": remote_name(document)}
    if now is None:
        return row | {"state": "removed", "what": [], "digest": "removed"}
    before = document.data["configMetadata"].get("offered")
    what = differences(before if isinstance(before, Mapping) else {}, now.config["offered"])
    if not what:
        return row | {"state": "unchanged", "what": [], "digest": now.digest}
    return row | {"state": "changed", "what": what, "digest": now.digest, "now": shown(now, document)}


def renewed(document: Document, now: Adoption) -> JsonObject:
    """Return the fields of a connected tool as they are once its server's changes are taken over.

    Its name stays, and so do the label and the description where its owner wrote them.

    Raises:
        NotValid: It cannot be taken over as it is there now.
    """
    if now.problems:
        raise NotValid(as_problems(now))
    old, name = document.data["configMetadata"], document.data["name"]
    owners_part = {key: old[key] for key in _OWNERS if key in old}
    if old.get("wording") == wording(old):
        owners_part = {key: value for key, value in owners_part.items() if key not in ("label", "description")}
    config = now.config | owners_part | {"name": name, "wording": wording(now.config)}
    try:
        read = read_config(config)
    except DefinitionErrors as errors:
        raise NotValid([problem(error) for error in errors.errors]) from None
    function, static = build(read)
    return {
        "label": read.label,
        "description": read.description,
        "functionSchema": function,
        "staticConfig": static,
        "configMetadata": config,
    }


def wording(config: Mapping[str, Any]) -> str:
    """Return a mark of label and description: kept beside them, it tells later whether an owner has changed them."""
    return digest_of([config.get("label"), config.get("description")])


def as_problems(adoption: Adoption) -> list[EntryProblem]:
    """Return why a tool cannot be taken over, each by its field."""
    at = f"tools.{adoption.tool[:100]}"
    return [EntryProblem(f"{at}.{e.field}", f"{e.field} {e.problem}; {e.remedy}.") for e in adoption.problems]
