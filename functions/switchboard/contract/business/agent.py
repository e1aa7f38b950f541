"""An agent of a business: who answers, on which channels, with which tools and with what settings of its own.

The document is `businesses/{id}/agents/{agentId}` (seed 001, "Component 5"; seed 002, "Tool Attachment Flow").
"""

from collections.abc import Iterable, Mapping
from dataclasses import field, replace
from typing import Any

from switchboard.contract.business.agent_trial import AgentTrial, read_trials, trial_key
from switchboard.contract.business.limits import Limits, read_limits
from switchboard.contract.channel import Channel
from switchboard.contract.document import mapping, strings, text
from switchboard.contract.json import JsonObject
from switchboard.contract.python.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Setting:
    """What an agent says of one tool or toolkit: whether it may use it, and its own public configuration."""

    is_enabled: bool = True
    config: JsonObject = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Agent:
    """One agent.

    Attributes:
        id: The document's.
        name: What owners call it.
        is_default: Whether it answers where no agent is named, on its channels before all others.
        channels: Where it answers.
        language: Its own, or empty for the business's.
        description: For owners.
        vapi_assistant_id: The assistant on Vapi that mirrors it; None where there is none.
        tools: By tool name.
        toolkits: By toolkit, such as `googleCalendar`.
        attached: Ids of the tenant tools attached to it.
        limits: What it sets of the limits of a turn, before its business.
        prompt: What its model is told beside the house's words; empty for nothing.
        model: Which model speaks for it, such as `openai:gpt-5-mini`; empty for the house's.
        voice: The voice that speaks for it on the phone, before its business's; empty for that.
        fillers: What bridges a wait, before its business's; none for those.
        trials: The versions that are or were on trial.
        version: Which side of which trial this is, as `<since>:new`; empty for the agent as its document says.
        versions: The agent as it is on the sides of its trials, by `version`.
    """

    id: str
    name: str = ""
    is_default: bool = False
    channels: tuple[Channel, ...] = tuple(Channel)
    language: str = ""
    description: str = ""
    vapi_assistant_id: str | None = None
    tools: Mapping[str, Setting] = field(default_factory=dict)
    toolkits: Mapping[str, Setting] = field(default_factory=dict)
    attached: frozenset[str] = frozenset()
    limits: Limits = frozenset()
    prompt: str = ""
    model: str = ""
    voice: str = ""
    fillers: tuple[str, ...] = ()
    trials: tuple[AgentTrial, ...] = ()
    version: str = ""
    versions: Mapping[str, "Agent"] = field(default_factory=dict, repr=False)

    @property
    def sets_something(self) -> bool:
        """Whether anything of its business is otherwise where it answers."""
        of_calls = self.toolkits or self.limits
        return bool(of_calls or self.language or self.prompt or self.model or self.voice or self.fillers)

    def mark(self, business_id: str) -> str:
        """Return by what the conversations and calls of this side of a trial are counted; empty outside of trials."""
        return f"{trial_key(business_id, self.id)}:{self.version}" if self.version else ""


def read_agent(id: str, document: Mapping[str, Any], attached: frozenset[str] = frozenset()) -> Agent:
    """Read a stored agent; what is malformed falls to its default, so that one field does not silence an agent.

    Args:
        id: The document's.
        document: Its fields.
        attached: The tenant tools that `agentTools` attaches to it.
    """
    agent, trials = _read(id, document, attached), read_trials(document)
    versions = {
        version: replace(_read(id, {**document, **fields}, attached), version=version)
        for trial in trials
        for version, fields in trial.versions().items()
    }
    return replace(agent, trials=trials, versions=versions) if trials else agent


def _read(id: str, document: Mapping[str, Any], attached: frozenset[str]) -> Agent:
    channels = document.get("channels")
    named = channels if isinstance(channels, list) else [c.value for c in Channel]
    return Agent(
        id=id,
        name=str(document.get("name") or id),
        is_default=document.get("isDefault") is True,
        channels=tuple(c for c in Channel if c.value in named),
        language=str(document.get("language") or ""),
        description=str(document.get("description") or ""),
        vapi_assistant_id=text(document.get("vapiAssistantId")) or None,
        tools=_settings(document.get("tools")),
        toolkits=_settings(document.get("toolkits")),
        attached=attached,
        limits=read_limits(document.get("limits"))[0],
        prompt=text(document.get("prompt")).strip(),
        model=text(document.get("model")).strip(),
        voice=text(document.get("voice")).strip(),
        fillers=tuple(filter(None, (" ".join(filler.split()) for filler in strings(document.get("fillers"))))),
    )


def answering(agents: Iterable[Agent], channel: Channel) -> Agent | None:
    """Return the agent that answers a channel where none is named; None where none says that it answers there.

    It is the default one, or where that does not answer, the first by id of those that say they do.
    """
    return next(iter(in_question(agents, channel)), None)


def in_question(agents: Iterable[Agent], channel: Channel) -> list[Agent]:
    """Return who could answer a channel where none is named, whoever does first: the default agent, or all others.

    Where none is the default one, as only a document written by hand leaves it, nobody has said who answers callers.
    """
    everyone = sorted(agents, key=lambda agent: agent.id)
    there = [agent for agent in everyone if channel in agent.channels]
    return [agent for agent in there if agent.is_default] or (there if any(a.is_default for a in everyone) else [])


def _settings(value: Any) -> dict[str, Setting]:
    settings = {}
    for name, row in mapping(value).items():
        if isinstance(row, Mapping):
            settings[str(name)] = Setting(row.get("enabled") is not False, dict(mapping(row.get("config"))))
    return settings
