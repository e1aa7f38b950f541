"""Whom an owner imagines to call: the facts of a trial, read from what the owner sends.

A trial's conversations have ids of their own, by which their records are told from callers' ones: nobody who tries
something goes on in a caller's conversation.
"""

import uuid
from typing import Any

from switchboard.admin.access.refusal import EntryProblem, NotValid
from switchboard.admin.conversations.trial_models import TrialFacts
from switchboard.contract.channel import Channel
from switchboard.contract.context import CONTEXTS, Context, ProvenNumber
from switchboard.contract.ports import Paths, Store
from switchboard.contract.store import Query


async def require_agent(store: Store, paths: Paths, business_id: str, agent_id: str | None) -> None:
    """Return if a business has an agent, or none is named.

    Raises:
        NotValid: It has none of that id; names those that it has.
    """
    within = paths.within(business_id)
    if agent_id is None or await store.get(within.document("agents", agent_id)) is not None:
        return
    known = [document.id for document in await store.query(Query(within.collection("agents")))]
    told = f"Use {', '.join(sorted(known))}." if known else "It has none yet; leave agentId out."
    raise NotValid([EntryProblem("agentId", f"This business has no agent {agent_id[:80]!r}. {told}")])


def context_of(business_id: str, facts: TrialFacts) -> Context:
    """Return a trial's facts as a channel would have them, of its first turn."""
    number = facts.caller_phone
    common: dict[str, Any] = {
        "business_id": business_id,
        "session_id": facts.session_id or f"try_{uuid.uuid4().hex[:16]}",
        "call_id": f"try_{uuid.uuid4().hex}",
        "caller_phone": number,
        "caller_verified": facts.is_verified,
        "verified_phone": ProvenNumber(number) if number and facts.is_verified else None,
        "agent_id": facts.agent_id or None,
        "is_trial": True,
    }
    return CONTEXTS[Channel(facts.channel)](**common)
