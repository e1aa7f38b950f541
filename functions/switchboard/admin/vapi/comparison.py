"""What Vapi has, held against what should be there: nothing is changed by looking.

Tools are known as ours by the address that they call; those of other businesses in the same account, and all that its
owner made there by hand, are left out.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from enum import StrEnum

from switchboard.admin.tenant_tools.record import Attachment, StoredTenantTool, is_own_id
from switchboard.admin.vapi.assistants import has_tool, model_of, tool_ids
from switchboard.admin.vapi.client import Mirror, differing
from switchboard.admin.vapi.sync import assistant_of, successor_missing
from switchboard.contract.business.agent import Agent
from switchboard.contract.error import ToolError
from switchboard.contract.json import JsonObject
from switchboard.contract.python.dataclass import dataclass


class Deviation(StrEnum):
    """How something at Vapi is not as it should be."""

    UNFINISHED = "unfinished"
    MISSING = "missing"
    DRIFTED = "drifted"
    SURPLUS = "surplus"
    DUPLICATE = "duplicate"
    ORPHAN = "orphan"
    UNUSABLE = "unusable"
    NOT_ATTACHED = "not_attached"
    WRONGLY_ATTACHED = "wrongly_attached"
    WRONGLY_NOTED = "wrongly_noted"
    NO_ASSISTANT = "no_assistant"


@dataclass(frozen=True, slots=True)
class MirrorFinding:
    """One deviation.

    Attributes:
        deviation: Which.
        words: One sentence for owners.
        tool_id: Ours; empty where there is none of ours any more.
        name: What the model calls the tool.
        external_id: Vapi's id of it, if it has it.
        agent_id: The agent that it is about, if any.
        assistant_id: Vapi's assistant that it is about, if any.
    """

    deviation: Deviation
    words: str
    tool_id: str = ""
    name: str = ""
    external_id: str = ""
    agent_id: str = ""
    assistant_id: str = ""

    def to_json(self) -> JsonObject:
        """Return it as the owners' API answers it."""
        return {
            "deviation": self.deviation.value,
            "words": self.words,
            "toolId": self.tool_id or None,
            "name": self.name or None,
            "externalToolId": self.external_id or None,
            "agentId": self.agent_id or None,
            "assistantId": self.assistant_id or None,
        }


@dataclass(frozen=True, slots=True)
class Desired:
    """What should be: a business's tools, agents and attachments."""

    tools: Sequence[StoredTenantTool] = ()
    agents: Mapping[str, Agent] = field(default_factory=dict)
    attachments: Sequence[Attachment] = ()


@dataclass(frozen=True, slots=True)
class Actual:
    """What Vapi has: the account's tools and assistants."""

    tools: Sequence[JsonObject] = ()
    assistants: Sequence[JsonObject] = ()


def compare(mirror: Mirror, desired: Desired, actual: Actual) -> list[MirrorFinding]:
    """Return every deviation: of tools, then of tools that should not be there, then of attachments."""
    return [
        *_of_tools(mirror, desired, actual),
        *_beyond(mirror, desired, actual),
        *_of_attachments(mirror, desired, actual),
        *_of_assistants(mirror, desired, actual),
    ]


def _of_tools(mirror: Mirror, desired: Desired, actual: Actual) -> Iterator[MirrorFinding]:
    there = {str(row["id"]): row for row in actual.tools}
    for own_tool in desired.tools:
        about = {"tool_id": own_tool.id, "name": own_tool.name, "external_id": own_tool.external_id or ""}
        row = there.get(own_tool.external_id) if own_tool.external_id else None
        if own_tool.unfinished is not None:
            words = f"The {own_tool.unfinished.value} of {own_tool.name} broke off."
            yield MirrorFinding(Deviation.UNFINISHED, words, **about)
        elif own_tool.tool is None:
            yield MirrorFinding(
                Deviation.UNUSABLE, f"{own_tool.name or own_tool.id} cannot be used: {own_tool.problem}.", **about
            )
        elif not own_tool.is_wanted_there:
            if own_tool.external_id:
                words = f"{own_tool.name} is not for conversations, and Vapi should not have it."
                yield MirrorFinding(Deviation.SURPLUS, words, **about)
        elif row is None:
            yield MirrorFinding(Deviation.MISSING, f"Vapi does not have {own_tool.name}.", **about)
        else:
            yield from _drift(mirror, own_tool, row, about)


def _drift(
    mirror: Mirror, own_tool: StoredTenantTool, row: JsonObject, about: Mapping[str, str]
) -> Iterator[MirrorFinding]:
    assert own_tool.tool is not None
    try:
        fields = differing(mirror.wanted(own_tool.tool), row)
    except ToolError as error:
        yield MirrorFinding(Deviation.UNUSABLE, f"Vapi cannot have {own_tool.name}: {error.message}", **about)
        return
    if fields:
        words = f"Vapi has another {', '.join(fields)} of {own_tool.name}."
        yield MirrorFinding(Deviation.DRIFTED, words, **about)


def _beyond(mirror: Mirror, desired: Desired, actual: Actual) -> Iterator[MirrorFinding]:
    own = {own_tool.id: own_tool for own_tool in desired.tools}
    known = {own_tool.external_id for own_tool in desired.tools}
    for row in actual.tools:
        id, external_id = mirror.id_of(row), str(row["id"])
        # One that we know has only been changed, whatever it calls now.
        if id is None or external_id in known:
            continue
        own_tool = own.get(id)
        if own_tool is None and is_own_id(mirror.business.id, id):
            words = f"Vapi has {_name(row)}, which is not among your tools any more."
            yield MirrorFinding(Deviation.ORPHAN, words, name=_name(row), external_id=external_id)
        elif (
            own_tool is not None
            and own_tool.unfinished is None
            and external_id != own_tool.external_id
            and own_tool.external_id
        ):
            words = f"Vapi has {own_tool.name} more than once."
            yield MirrorFinding(Deviation.DUPLICATE, words, own_tool.id, own_tool.name, external_id)


def _of_attachments(mirror: Mirror, desired: Desired, actual: Actual) -> Iterator[MirrorFinding]:
    assistants = {str(row["id"]): row for row in actual.assistants}
    own = {own_tool.id: own_tool for own_tool in desired.tools}
    for row in desired.attachments:
        agent, own_tool = desired.agents.get(row.agent_id), own.get(row.tool_id)
        if agent is None or own_tool is None:
            continue
        assistant_id = assistant_of(agent, mirror.business)
        about = (own_tool.id, own_tool.name, own_tool.external_id or "", agent.id, assistant_id)
        if row.is_leaving:
            words = f"Detaching {own_tool.name} from {agent.name} broke off."
            yield MirrorFinding(Deviation.UNFINISHED, words, *about)
        elif (missing := successor_missing(own_tool, desired.agents, mirror.business)) is not None and assistant_id:
            words = (
                f"Vapi does not offer {own_tool.name}: no assistant there stands for {missing}, to whom it hands over."
            )
            yield MirrorFinding(Deviation.NO_ASSISTANT, words, *about)
        elif own_tool.is_wanted_there and assistant_id in assistants:
            is_there = bool(own_tool.external_id) and has_tool(assistants[assistant_id], own_tool.external_id or "")
            if not is_there:
                words = f"The assistant of {agent.name} does not have {own_tool.name}."
                yield MirrorFinding(Deviation.NOT_ATTACHED, words, *about)
            elif not row.is_mirrored:
                words = f"{own_tool.name} is attached to {agent.name} at Vapi, and not noted as such."
                yield MirrorFinding(Deviation.WRONGLY_NOTED, words, *about)
        elif row.is_mirrored:
            words = f"{own_tool.name} is noted as attached to {agent.name} at Vapi, and is not."
            yield MirrorFinding(Deviation.WRONGLY_NOTED, words, *about)


def _of_assistants(mirror: Mirror, desired: Desired, actual: Actual) -> Iterator[MirrorFinding]:
    own = {own_tool.external_id: own_tool for own_tool in desired.tools if own_tool.external_id}
    known = {str(row["id"]) for row in actual.assistants}
    should: dict[str, set[str]] = {}
    for agent in desired.agents.values():
        assistant_id = assistant_of(agent, mirror.business)
        if assistant_id and assistant_id not in known:
            words = f"The assistant that stands for {agent.name} is not at Vapi any more."
            yield MirrorFinding(Deviation.NO_ASSISTANT, words, agent_id=agent.id, assistant_id=assistant_id)
        tools = {r.tool_id for r in desired.attachments if r.agent_id == agent.id and not r.is_leaving}
        should.setdefault(assistant_id, set()).update(tools)
    for row in actual.assistants:
        assistant_id = str(row["id"])
        for external_id in tool_ids(model_of(row)):
            own_tool = own.get(external_id)
            # What is being detached or deleted is told as unfinished.
            leaving = {r.tool_id for r in desired.attachments if r.is_leaving}
            if own_tool is None or own_tool.unfinished is not None or own_tool.id in leaving:
                continue
            missing = successor_missing(own_tool, desired.agents, mirror.business)
            if (
                missing is not None
                or own_tool.id not in should.get(assistant_id, set())
                or not own_tool.is_wanted_there
            ):
                words = f"An assistant at Vapi has {own_tool.name}, which is attached to no agent that it stands for."
                if missing is not None:
                    words = f"An assistant at Vapi has {own_tool.name}, and nobody there stands for {missing}."
                yield MirrorFinding(
                    Deviation.WRONGLY_ATTACHED,
                    words,
                    own_tool.id,
                    own_tool.name,
                    external_id,
                    assistant_id=assistant_id,
                )


def _name(row: JsonObject) -> str:
    function = row.get("function")
    name = row.get("name") or (function.get("name") if isinstance(function, Mapping) else None)
    return str(name or row["id"])
