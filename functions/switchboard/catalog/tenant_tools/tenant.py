"""A business with what its owner made: its tenant tools, its agents, and which tools are attached to which agent.

They are read together with the business document, so that one reading says what is offered for the next 60 seconds. A
tool that cannot be used costs that tool and no other.
"""

import hashlib
import json
import logging
from collections.abc import Iterable, Mapping
from dataclasses import field, replace
from difflib import get_close_matches
from functools import cached_property
from typing import Any

from switchboard.catalog.definitions.definitions import DefinitionSet
from switchboard.catalog.tenant_tools.definition import OwnTool
from switchboard.contract.business.agent import Agent, answering, read_agent
from switchboard.contract.business.agent_trial import trial_key
from switchboard.contract.business.business import Business
from switchboard.contract.business.languages import language_of
from switchboard.contract.business.limits import over
from switchboard.contract.channel import Channel
from switchboard.contract.definitions.definition import DefinitionError
from switchboard.contract.definitions.tenant_tool import read_tenant_tool
from switchboard.contract.json import JsonObject
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import Document

log = logging.getLogger(__name__)

_LONGEST_ID = 60
_NO_MARKS: Mapping[str, str] = {}


@dataclass(frozen=True, slots=True)
class OwnTools:
    """The tenant tools of a business at one moment.

    Attributes:
        hash: Content hash; empty where there are none.
        tools: By name, in order.
        skipped: Documents that could not be used, by id, with the reason.
        speak_of_numbers: Whether what a model is told of one of them depends on who calls whom.
    """

    hash: str = ""
    tools: Mapping[str, OwnTool] = field(default_factory=dict)
    skipped: Mapping[str, str] = field(default_factory=dict)
    speak_of_numbers: bool = False

    @property
    def lost(self) -> list[str]:
        """The ids of documents that could not be used, and of which there is no version that was good."""
        there = {tool.record.id for tool in self.tools.values()}
        return [id for id in self.skipped if id not in there]

    def rows(self) -> list[JsonObject]:
        """Return what a session that started with them needs to find them again."""
        return [_row(tool) for tool in self.tools.values()]


NO_TOOLS = OwnTools()


def joined(base: DefinitionSet, own: OwnTools) -> DefinitionSet:
    """Return the published tools with a business's own among them; the same set where it has none.

    A name that a published tool has is that tool's: nobody's document may take the place of ours.
    """
    if not own.tools and not own.skipped:
        return base
    clashing = {
        t.record.id: f"a built-in tool is called {name}; rename yours"
        for name, t in own.tools.items()
        if name in base.tools
    }
    skipped = {**base.skipped, **own.skipped, **clashing}
    tools = dict(sorted({**own.tools, **base.tools}.items()))
    hash = hashlib.sha256(f"{base.hash}|{own.hash}".encode()).hexdigest()[:32] if own.hash else base.hash
    return DefinitionSet(hash, tools, skipped, base.is_builtin, (base.hash, own.hash), marks=base.marks)


@dataclass(frozen=True)
class Tenant:
    """A business and what its owner made; replaced as a whole whenever it is read again.

    Attributes:
        business: As its document says.
        own: The tools that its owner made.
        agents: By id, in order.
        document: The fields of its document.
    """

    business: Business
    own: OwnTools = NO_TOOLS
    agents: Mapping[str, Agent] = field(default_factory=dict)
    document: Mapping[str, Any] = field(default_factory=dict)

    def agent(self, agent_id: str | None, channel: Channel, marks: Mapping[str, str] = _NO_MARKS) -> Agent | None:
        """Return the agent that is named, or the one that answers a channel where none is; None where there is none.

        `marks` are those of a session, by which it has the version that it began with while that is, or was, on trial.
        """
        named = self.agents.get(agent_id) if agent_id is not None else answering(self.agents.values(), channel)
        return named.versions.get(self._version(marks, named.id), named) if named is not None and marks else named

    @cached_property
    def tries(self) -> bool:
        """Whether a version of one of its agents is on trial."""
        return any(trial.is_on for agent in self.agents.values() for trial in agent.trials)

    def beginning_marks(self, session_id: str) -> dict[str, str]:
        """Return what a conversation that begins now keeps, by agent: on which side it is of each trial that is on."""
        marks = {}
        for agent in self.agents.values():
            for trial in agent.trials:
                if trial.is_on:
                    key = trial_key(self.business.id, agent.id)
                    marks[key] = f"{key}:{trial.since}:{trial.side_of(session_id)}"
        return marks

    def unknown_marks(self, marks: Mapping[str, str]) -> list[str]:
        """Return those marks of a session that name a version which is not known here: begun since, or long over."""
        return [
            mark
            for id, agent in self.agents.items()
            if (version := self._version(marks, id))
            and version not in agent.versions
            and (mark := marks[trial_key(self.business.id, id)])
        ]

    def _version(self, marks: Mapping[str, str], agent_id: str) -> str:
        return marks.get(trial_key(self.business.id, agent_id), "").partition(":")[2]

    def no_agent(self, agent_id: str | None) -> str:
        """Return that the business has no agent of an id, and which it has; empty where it has it, or none is named."""
        if agent_id is None or agent_id in self.agents:
            return ""
        by_spelling = {spelt.casefold(): id for id, agent in self.agents.items() for spelt in (agent.name, id)}
        close = get_close_matches(agent_id[:_LONGEST_ID].casefold(), by_spelling, n=1)
        meant = f" Did you mean {by_spelling[close[0]]!r}?" if close else ""
        known = f"Its agents are {', '.join(map(repr, self.agents))}." if self.agents else "It has no agents."
        return f"The business {self.business.id!r} has no agent {agent_id[:_LONGEST_ID]!r}.{meant} {known}"

    def attached_to(self, agent: Agent | None) -> frozenset[str] | None:
        """Return the names of the tools that an agent has been given; None without an agent."""
        if agent is None:
            return None
        own = {name for name, tool in self.own.tools.items() if tool.record.id in agent.attached}
        return frozenset(own | {name for name, setting in agent.tools.items() if setting.is_enabled})

    def as_seen_by(self, agent: Agent | None) -> Business:
        """Return the business as it is where an agent answers: with what that one sets laid over its own."""
        if agent is None or not agent.sets_something:
            return self.business
        key = agent.id, agent.version
        if key not in self._overlaid:
            self._overlaid[key] = _overlaid(self.business, agent)
        return self._overlaid[key]

    @cached_property
    def _overlaid(self) -> dict[tuple[str, str], Business]:
        return {}


def read_own_tools(
    documents: Iterable[Document], before: OwnTools = NO_TOOLS, parsed: Mapping[str, OwnTool] | None = None
) -> OwnTools:
    """Read the tenant tools of a business.

    Args:
        documents: As they are stored; of two with one name the first by id counts.
        before: What was read last: a document that cannot be used any more leaves its last good version, and one that
            has not changed its compiled tool. It is on or off as its document says all the same.
        parsed: Last good versions that were stored, by id, of documents that nothing was read of before.
    """
    known = {**(parsed or {}), **{tool.record.id: tool for tool in before.tools.values()}}
    tools: dict[str, OwnTool] = {}
    skipped: dict[str, str] = {}
    for document in sorted(documents, key=lambda d: d.id):
        earlier = known.get(document.id)
        try:
            tool = _read(document.id, document.data, earlier)
        except DefinitionError as error:
            skipped[document.id] = str(error)
            log.error("tenant tool skipped", extra={"tool": document.id, "reason": str(error)})
            if earlier is None:
                continue
            tool = _switched(earlier, document.data)
        if tool.definition.name in tools:
            skipped[document.id] = f"another tool of this business is called {tool.definition.name}; rename one of them"
            continue
        tools[tool.definition.name] = tool
    return _own_tools(tools.values(), skipped)


def own_tools_of(rows: Iterable[JsonObject]) -> OwnTools:
    """Return the tools again that `OwnTools.rows` wrote down; what this version cannot use is left out."""
    tools = []
    for row in rows:
        try:
            tools.append(_read(str(row["id"]), row, None))
        except DefinitionError as error:
            log.error("tenant tool skipped", extra={"tool": str(row["id"]), "reason": str(error)})
    return _own_tools(tools, {})


def read_agents(agents: Iterable[Document], attachments: Iterable[Document]) -> dict[str, Agent]:
    """Read the agents of a business, by id in order, with the tools attached to each."""
    attached: dict[str, set[str]] = {}
    for document in attachments:
        agent_id, tool_id = document.data.get("agentId"), document.data.get("toolId")
        if isinstance(agent_id, str) and isinstance(tool_id, str):
            attached.setdefault(agent_id, set()).add(tool_id)
    ordered = sorted(agents, key=lambda d: d.id)
    return {d.id: read_agent(d.id, d.data, frozenset(attached.get(d.id, ()))) for d in ordered}


def _read(id: str, data: Mapping[str, Any], earlier: OwnTool | None) -> OwnTool:
    record = read_tenant_tool(id, data)
    return earlier if earlier is not None and earlier.record == record else OwnTool(record)


def _switched(good: OwnTool, data: Mapping[str, Any]) -> OwnTool:
    is_on = data.get("enabled") is not False
    return good if good.record.is_enabled is is_on else OwnTool(replace(good.record, is_enabled=is_on))


def _own_tools(tools: Iterable[OwnTool], skipped: Mapping[str, str]) -> OwnTools:
    ordered = {tool.definition.name: tool for tool in sorted(tools, key=lambda tool: tool.definition.name)}
    if not ordered:
        return OwnTools("", {}, skipped)
    text = json.dumps([_row(tool) for tool in ordered.values()], sort_keys=True, default=str)
    return OwnTools(
        hashlib.sha256(text.encode()).hexdigest()[:32], ordered, skipped, any(t.speaks_of_numbers for t in tools)
    )


def _row(tool: OwnTool) -> JsonObject:
    # What a voice platform says of it, and when it was saved, changes nothing about what a session is told.
    passing = ("data", "createdAt", "updatedAt", "revision", "externalToolId")
    document = tool.record.to_document()
    return {"id": tool.record.id} | {name: value for name, value in document.items() if name not in passing}


def _overlaid(business: Business, agent: Agent) -> Business:
    integrations = dict(business.integrations)
    for name, setting in agent.toolkits.items():
        known = integrations.get(name)
        if known is not None:
            settings = known.settings | setting.config
            integrations[name] = replace(known, settings=settings, agent_id=agent.id)
    language = agent.language or business.language
    # What the owner wrote to bridge a wait is in the business's own language, and a voice was chosen for it.
    is_same = language_of(language) == language_of(business.language)
    return replace(
        business,
        integrations=integrations,
        language=language,
        fillers=agent.fillers or (business.fillers if is_same else ()),
        voice=agent.voice or (business.voice if is_same else ""),
        limits=over(business.limits, agent.limits),
        prompt=agent.prompt,
        model=agent.model,
    )
