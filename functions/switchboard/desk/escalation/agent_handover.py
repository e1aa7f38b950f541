"""Handovers: a conversation goes on with another agent of the business (seed 002, `transfer_call`: "number/agent").

The caller stays where they are, on every channel that can go on as somebody else: our own phone calls, chats and
browser voice, and phone calls at Vapi. Nobody is dialled, so that it needs no phone account.
"""

from dataclasses import dataclass

from switchboard.contract.business.agent import Agent, read_agent
from switchboard.contract.context import CallContext
from switchboard.contract.definitions.tenant_tool import BoundTransfer
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import Store


@dataclass(frozen=True, slots=True)
class Handover:
    """A conversation that is being handed over.

    Attributes:
        agent: Who goes on.
        name: What the caller is told of them: the owner's label, or else the agent's name.
        message: What is said first; empty where nothing is.
    """

    agent: Agent
    name: str
    message: str

    def to_payload(self) -> JsonObject:
        """Return what the channel needs to go on as this agent: the payload of SWITCH_AGENT."""
        payload: JsonObject = {"agentId": self.agent.id, "name": self.name}
        return payload | ({"message": self.message} if self.message else {})


class Handovers:
    """Hands conversations over to agents of their own business. What the store raises passes through."""

    def __init__(self, store: Store) -> None:
        """Read agents from `store`, as they are at this moment."""
        self._store = store

    async def hand_over(self, ctx: CallContext, bound: BoundTransfer) -> Handover:
        """Return to whom the conversation of this context is handed over.

        Raises:
            ToolError: PERMANENT, the agent is gone or does not answer on this channel, or whoever carries the
                conversation cannot go on as somebody else; CONFLICT, that agent answers already. The conversation goes
                on with the same agent then.
        """
        document = await self._store.get(ctx.paths.document("agents", bound.agent_id))
        if document is None:
            raise _refused(f"the agent {bound.agent_id!r} is gone")
        agent = read_agent(document.id, document.data)
        name = bound.label or agent.name
        if agent.id == ctx.facts.agent_id:
            message = f"You are {name}: the conversation is with you already. Go on yourself."
            raise ToolError(ErrorType.CONFLICT, message)
        if ctx.facts.channel not in agent.channels:
            raise _refused(f"the agent {agent.id!r} does not answer on {ctx.facts.channel.value}")
        if not ctx.facts.applies_intents:
            raise _refused("whoever carries the conversation cannot go on as another agent")
        return Handover(agent, name, bound.message)


def _refused(why: str) -> ToolError:
    return ToolError(
        ErrorType.PERMANENT,
        "The conversation cannot be handed over, and you still answer it. Do not say that somebody else takes over. Go "
        "on yourself.",
        detail=why,
    )
