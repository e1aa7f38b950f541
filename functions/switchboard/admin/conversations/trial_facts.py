"""Whom an owner imagines to call: the facts of a trial, read from what the owner sends.

A trial's conversations have ids of their own, by which their records are told from callers' ones: nobody who tries
something goes on in a caller's conversation.
"""

import re
import uuid
from collections.abc import Callable
from typing import Any

from switchboard.admin.access.refusal import EntryProblem, NotValid
from switchboard.admin.api.schemas import FLAG, TEXT
from switchboard.contract.channel import Channel
from switchboard.contract.context import CONTEXTS, Context, ProvenNumber
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import Paths, Store
from switchboard.contract.store import Query

CHANNELS = [channel.value for channel in Channel]
FIELDS: dict[str, JsonObject] = {
    "channel": {"enum": CHANNELS},
    "isVerified": FLAG,
    "callerPhone": TEXT,
    "agentId": TEXT,
    "sessionId": {**TEXT, "description": "Of an earlier try, to go on in the same conversation."},
}
"""What is said of a trial, as JSON Schemas."""
_SESSION = re.compile(r"try_[0-9a-z]{8,32}")

CallerNumber = Callable[[str | None], str | None]
"""Reads a number in any spelling; None for what is none."""


def need(problems: list[EntryProblem], field: str, is_right: bool, what: str) -> None:
    """Add a problem unless a field is right; `what` says what it must be."""
    problems.extend([] if is_right else [EntryProblem(field, f"{field} must be {what}.")])


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


def unknown(given: JsonObject, known: dict[str, JsonObject]) -> list[EntryProblem]:
    """Return a problem for each field that is not known."""
    return [
        EntryProblem(name[:80], f"{name[:80]} is not known here; use {', '.join(known)}.")
        for name in given.keys() - known.keys()
    ]


def read_facts(
    business_id: str, given: JsonObject, problems: list[EntryProblem], caller_number: CallerNumber
) -> Context | None:
    """Return the facts that `FIELDS` of a body hold, of the first turn; None where one adds to `problems`."""
    before = len(problems)
    channel, session_id = given.get("channel", Channel.PORTAL.value), given.get("sessionId")
    phone, agent_id = given.get("callerPhone"), given.get("agentId")
    number = caller_number(phone) if isinstance(phone, str) else None
    is_known = not session_id or (isinstance(session_id, str) and bool(_SESSION.fullmatch(session_id)))
    need(problems, "channel", channel in CHANNELS, f"one of {', '.join(CHANNELS)}")
    need(problems, "sessionId", is_known, "one of an earlier try")
    number_words = "a phone number with its country code, like +12015550123"
    need(problems, "callerPhone", not phone or number is not None, number_words)
    need(problems, "agentId", agent_id is None or isinstance(agent_id, str), "the id of an agent")
    need(problems, "isVerified", isinstance(given.get("isVerified", False), bool), "true or false")
    if len(problems) > before:
        return None
    common: dict[str, Any] = {
        "business_id": business_id,
        "session_id": session_id or f"try_{uuid.uuid4().hex[:16]}",
        "call_id": f"try_{uuid.uuid4().hex}",
        "caller_phone": number,
        "caller_verified": given.get("isVerified", False),
        "verified_phone": ProvenNumber(number) if number and given.get("isVerified", False) else None,
        "agent_id": agent_id or None,
        "is_trial": True,
    }
    return CONTEXTS[Channel(channel)](**common)
