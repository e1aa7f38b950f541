"""What the ids in a change stand for: the tools and agents as their owner calls them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from admin_ui.shell.business import Business
from admin_ui.shell.server import Refused, Server, below
from admin_ui.widgets import base_revision

_KINDS = ("attachment", "agent", "tool", "agentToolkit", "agentTrial")
_ON, _OFF = "switched on", "switched off"
_IDS = ("agentId", "toolId", "attachedTo", "attachedTools")


def of(server: Server, business: Business, entries: Sequence[Mapping[str, Any]]) -> Mapping[str, str]:
    """Return the names by id that a page of changes needs; what is gone has the name that a change tells of it."""
    if not any(entry["kind"] in _KINDS for entry in entries):
        return {}
    gone = {entry["document"]: name for entry in entries if (name := _told(entry))}
    return gone | _now(server, business)


def attached(entry: Mapping[str, Any], names: Mapping[str, str]) -> str:
    """Return which tool a change gives to, or takes from, which agent; empty for every other change."""
    if entry["kind"] != "attachment":
        return ""
    agent_id, _, tool_id = str(entry["document"]).partition("~")
    return f"{names.get(tool_id, tool_id)} for {names.get(agent_id, agent_id)}"


def named(field: str, value: Any, names: Mapping[str, str]) -> Any:
    """Return a field's value with names in place of ids."""
    if field == "setBy" and isinstance(value, Mapping):
        return {names.get(id, id): _OFF if one.get("enabled") is False else _ON for id, one in value.items()}
    if field not in _IDS:
        return value
    if isinstance(value, list):
        return [names.get(str(id), id) for id in value]
    return names.get(str(value), value)


def _told(entry: Mapping[str, Any]) -> str:
    for side in (entry["after"], entry["before"]):
        config = side.get("configMetadata")
        label = config.get("label") if isinstance(config, Mapping) else side.get("name")
        if entry["kind"] in ("tool", "agent") and label:
            return str(label)
    return ""


def _now(server: Server, business: Business) -> dict[str, str]:
    try:
        agents = base_revision.read_once(
            "agents of changes", lambda: server.get(below("admin", "businesses", business.id, "agents"))
        ).body["agents"]
        tools = base_revision.read_once(
            "tools of changes", lambda: server.get(below("api", business.id, "tools"))
        ).body["tools"]
    except Refused:
        # Whoever may see changes, but not these, sees ids.
        return {}
    named = {str(agent["id"]): str(agent["name"] or agent["id"]) for agent in agents}
    return named | {str(tool["id"]): str(tool["label"] or tool["name"]) for tool in tools}
