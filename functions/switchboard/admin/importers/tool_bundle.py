"""A business's tools as one JSON document: configurations and which agent has which tool, with a hash over both.

Never a secret: of these only the names. Nothing in it belongs to one business (ids, times, what a vendor made of it),
so that the same tools have the same hash wherever they are, and what was imported is exported with the hash it had.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import orjson

from switchboard.admin.access.refusal import EntryProblem, NotValid
from switchboard.admin.documents.literals import without_literals
from switchboard.admin.importers.document_text import LIMITS
from switchboard.admin.tenant_tools.record import StoredTenantTool, Unfinished
from switchboard.catalog.tenant_tools.config import ToolConfig, read_config
from switchboard.catalog.tenant_tools.config_kinds import ActionSettings, QuerySettings, SmsSettings, TransferSettings
from switchboard.catalog.tenant_tools.config_mcp import McpSettings
from switchboard.catalog.tenant_tools.config_request import RequestSettings
from switchboard.contract import policy
from switchboard.contract.definitions.definition import TOOL_NAME, DefinitionError
from switchboard.contract.json import JsonObject
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.python.strict_json import MalformedJson, parse_json

FORMAT = 1
WORDS = ("name", "isDefault", "channels", "language", "description", "tools", "toolkits")
"""What of an agent is in a bundle; the assistant that mirrors it at a vendor is not."""
NEEDS = ("secrets", "accounts", "numbers", "rules", "collections")
"""What another business has to have before the tools work there."""


@dataclass(frozen=True, slots=True)
class Bundle:
    """Tools `{name, config, enabled}` and agents `{id, attached, …}`, each in order."""

    tools: tuple[JsonObject, ...]
    agents: tuple[JsonObject, ...]

    @property
    def hash(self) -> str:
        """The version: 32 hex digits over tools and agents."""
        content = {"tools": self.tools, "agents": self.agents}
        return hashlib.sha256(orjson.dumps(content, option=orjson.OPT_SORT_KEYS)).hexdigest()[:32]

    def needs(self) -> dict[str, list[str]]:
        """Return by `NEEDS` the names of everything that the tools rely on."""
        needs: dict[str, set[str]] = {kind: set() for kind in NEEDS}
        for tool in self.tools:
            try:
                config = read_config(tool["config"] | {"name": tool["name"]})
            except DefinitionError:
                continue
            for kind, name in _needed(config):
                needs[kind].add(name)
        return {kind: sorted(names) for kind, names in needs.items()}

    def to_json(self) -> JsonObject:
        """Return the document."""
        return {
            "switchboardBundle": FORMAT,
            "hash": self.hash,
            "tools": list(self.tools),
            "agents": list(self.agents),
            "needs": self.needs(),
        }


def bundle_of(tools: Iterable[StoredTenantTool], agents: Iterable[JsonObject]) -> Bundle:
    """Return the bundle of a business.

    Args:
        tools: Those that can be used; the others are nobody's to take along.
        agents: As the owners' operations show them, with `attachedTools` by id.
    """
    usable = sorted(
        (stored_tool for stored_tool in tools if is_portable(stored_tool)), key=lambda stored_tool: stored_tool.name
    )
    names = {stored_tool.id: stored_tool.name for stored_tool in usable}
    return Bundle(
        tuple(_tool(stored_tool) for stored_tool in usable),
        tuple(_agent(agent, names) for agent in sorted(agents, key=lambda agent: str(agent["id"]))),
    )


def is_portable(stored_tool: StoredTenantTool) -> bool:
    """Tell whether a tool can be taken along: it can be used, and nobody is deleting it."""
    return stored_tool.tool is not None and stored_tool.unfinished is not Unfinished.DELETION


def read_bundle(given: Any) -> Bundle:
    """Return the bundle that a document is; one that is too large for a request's own JSON may come as text.

    Raises:
        NotValid: It is none, or not what it was when it was exported.
    """
    if isinstance(given, str):
        try:
            given = parse_json(given, LIMITS)
        except MalformedJson as error:
            raise NotValid([EntryProblem("bundle", f"bundle cannot be read: it {error}.")]) from None
    if not isinstance(given, Mapping) or given.get("switchboardBundle") != FORMAT:
        message = f"bundle must be an exported bundle, with switchboardBundle: {FORMAT}."
        raise NotValid([EntryProblem("bundle", message)])
    problems: list[EntryProblem] = []
    tools, agents = (
        _rows(given, "tools", policy.TENANT_TOOLS, problems),
        _rows(given, "agents", policy.AGENTS, problems),
    )
    read = Bundle(
        tuple(row for index, row in enumerate(tools) if _is_tool(row, f"bundle.tools[{index}]", problems)),
        tuple(row for index, row in enumerate(agents) if _is_agent(row, f"bundle.agents[{index}]", problems)),
    )
    problems += _repeated("tools", [tool["name"] for tool in read.tools])
    problems += _repeated("agents", [agent["id"] for agent in read.agents])
    names = {tool["name"] for tool in read.tools}
    for agent in read.agents:
        unknown = [name for name in agent["attached"] if name not in names]
        if unknown:
            message = f"The agent {agent['id']} has tools that are not in the bundle: {', '.join(unknown)[:200]}."
            problems.append(EntryProblem("bundle.agents", message))
    if not problems and given.get("hash") not in (None, read.hash):
        message = "The bundle is not what it was when it was exported; leave hash out if you have changed it yourself."
        problems.append(EntryProblem("bundle.hash", message))
    if problems:
        raise NotValid(problems)
    return read


def _tool(stored_tool: StoredTenantTool) -> JsonObject:
    config = {key: value for key, value in stored_tool.config.items() if key != "name"}
    return {
        "name": stored_tool.name,
        "config": without_literals(config),
        "enabled": stored_tool.document.data.get("enabled") is not False,
    }


def _agent(agent: JsonObject, names: Mapping[str, str]) -> JsonObject:
    words = {key: agent.get(key) for key in WORDS}
    attached = sorted(names[id] for id in agent.get("attachedTools") or () if id in names)
    result: JsonObject = {"id": str(agent["id"]), **without_literals(words), "attached": attached}
    return result


def _needed(config: ToolConfig) -> Iterable[tuple[str, str]]:
    settings = config.settings
    match settings:
        case RequestSettings() | McpSettings():
            yield from (("secrets", header.secret) for header in settings.headers if header.secret)
        case ActionSettings():
            yield "accounts", settings.account_id
        case SmsSettings() if settings.sender_id:
            yield "numbers", settings.sender_id
        case TransferSettings() if settings.rule_id:
            yield "rules", settings.rule_id
        case QuerySettings() if settings.collection:
            yield "collections", settings.collection


def _rows(given: Mapping[str, Any], key: str, most: int, problems: list[EntryProblem]) -> Sequence[Any]:
    rows_given = given.get(key, [])
    if not isinstance(rows_given, list) or len(rows_given) > most:
        problems.append(EntryProblem(f"bundle.{key}", f"bundle.{key} must be a list of at most {most}."))
        return []
    return rows_given


def _is_tool(row: Any, at: str, problems: list[EntryProblem]) -> bool:
    is_whole = isinstance(row, Mapping) and row.keys() == {"name", "config", "enabled"}
    if not is_whole or not isinstance(row["config"], Mapping) or not isinstance(row["enabled"], bool):
        problems.append(EntryProblem(at, f"{at} must have name, config and enabled, and nothing else."))
        return False
    if not isinstance(row["name"], str) or not TOOL_NAME.match(row["name"]):
        problems.append(EntryProblem(f"{at}.name", f"{at}.name must be a tool name: {TOOL_NAME.pattern}."))
        return False
    return True


def _is_agent(row: Any, at: str, problems: list[EntryProblem]) -> bool:
    is_whole = isinstance(row, Mapping) and row.keys() == {"id", "attached", *WORDS} and isinstance(row["id"], str)
    attached = row["attached"] if is_whole else None
    if not isinstance(attached, list) or not all(isinstance(name, str) for name in attached):
        problems.append(EntryProblem(at, f"{at} must have id, attached, {', '.join(WORDS)}, and nothing else."))
        return False
    return True


def _repeated(key: str, names: Sequence[str]) -> list[EntryProblem]:
    twice = sorted({name for name in names if names.count(name) > 1})
    return [EntryProblem(f"bundle.{key}", f"{name[:80]} is in the bundle twice.") for name in twice]
