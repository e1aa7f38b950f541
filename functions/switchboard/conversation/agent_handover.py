"""A conversation that another agent takes over: it goes on as that agent, with its tools, words and language.

A chat can be taken over by a person as well, who answers instead of any agent until they hand it back.

Seed 002 (`transfer_call`: "number/agent"). Which agent answers is a fact of the conversation from then on, in its
record too: whichever instance holds the next turn goes on as the same agent. Agents who hand over to each other are
bounded as all calls are, by what one turn may cost (`contract/policy.py`); in the next turn a human has spoken.
"""

from dataclasses import replace

from switchboard.contract.model import Noted
from switchboard.contract.response import Intent, IntentType, ToolResponse
from switchboard.conversation.event import TurnOutcome
from switchboard.conversation.session import CallSession, Successor


def hands_over(response: ToolResponse) -> bool:
    """Tell whether an answer has another agent go on, so that nothing more is begun by this one."""
    return response.ok and any(intent.type is IntentType.SWITCH_AGENT for intent in response.intents)


def take_over(session: CallSession, intent: Intent) -> str:
    """Let the agent of a SWITCH_AGENT go on with a conversation; return what is said first, empty for nothing."""
    agent_id, name = str(intent.payload.get("agentId") or ""), str(intent.payload.get("name") or "")
    session.successor = Successor(agent_id, name)
    session.facts = replace(session.facts, agent_id=agent_id)
    session.history.add(
        Noted(
            f"From here on you are {name}, another agent of the same business, and the conversation is yours. What was "
            "said and done so far still counts; the tools are now your own. Say in a few words that you have taken "
            "over, then go on with what the caller wants. Do not ask again for what was said, and do not hand the "
            "conversation back unless the caller asks for it."
        )
    )
    return str(intent.payload.get("message") or "")


def left_to_person(session: CallSession, words: str) -> TurnOutcome | None:
    """Leave what the human wrote to the person who answers here now; return how that ends the turn, if it does.

    A question that the model has asked lapses: a yes to it would be no answer to that person.
    """
    if not session.person.is_answering:
        return None
    session.history.heard(words, session.heard_at)
    session.question = session.unheard = None
    return TurnOutcome.ANSWERED


def announced(session: CallSession, language: str) -> Intent | None:
    """Note in which language the agent speaks that has taken over; return what channels are told of it, once."""
    successor = session.successor
    if successor is None or successor.language:
        return None
    session.successor = replace(successor, language=language)
    payload = {"agentId": successor.agent_id, "name": successor.name, "language": language}
    return Intent(IntentType.SWITCH_AGENT, payload)
