"""The facts of a call as a service tells them in a request: trusted, unlike what stands in the model's arguments."""

import uuid
from typing import Any

from switchboard.catalog.offer.catalog import Catalog
from switchboard.channels.http.request_body import Malformed, optional_text, text
from switchboard.contract.channel import Channel
from switchboard.contract.context import CONTEXTS, Context
from switchboard.contract.error import ToolError
from switchboard.contract.json import JsonObject


def channel_of(value: Any, field: str) -> Channel:
    """Return the channel that a request names.

    Raises:
        Malformed: It names none, or one that does not exist.
    """
    try:
        return Channel(value)
    except ValueError:
        names = ", ".join(c.value for c in Channel)
        problem = f"{field} is required" if value is None else f"{field} {value!r:.40} is unknown"
        raise Malformed(field, f"{problem}; use one of {names}.") from None


async def check_agent(catalog: Catalog, business_id: str, agent_id: str | None, field: str) -> None:
    """Refuse an agent that a business does not have: what it was kept from must not be had by misspelling it.

    Nothing is read that the call does not need as well; a business that cannot be read is left to its answer.

    Raises:
        Malformed: There is no such agent; the nearest and those that there are are named.
    """
    if agent_id is None:
        return
    try:
        tenant = await catalog.tenant(business_id)
    except ToolError:
        return
    problem = tenant.no_agent(agent_id) if tenant is not None else ""
    if problem:
        raise Malformed(field, f"{field}: {problem}")


def call_facts(body: JsonObject) -> Context:
    """Return the facts that a request's `businessId` and `context` hold.

    A request that names no conversation is one of its own.

    Raises:
        Malformed: A field is missing or of the wrong kind; it is named.
    """
    business_id = text(body, "businessId")
    said = body.get("context")
    if not isinstance(said, dict):
        raise Malformed("context", "context is required and must be an object with channel, sessionId, turn, callId.")
    channel = channel_of(said.get("channel"), "context.channel")
    turn = said.get("turn", 1)
    if not isinstance(turn, int) or isinstance(turn, bool) or not 0 <= turn < 1_000_000_000:
        raise Malformed("context.turn", "context.turn must be a whole number, counted from 1.")
    verified = said.get("callerVerified", False)
    if not isinstance(verified, bool):
        raise Malformed("context.callerVerified", "context.callerVerified must be true or false.")

    def field(name: str) -> str | None:
        return optional_text(said, name, within="context.")

    shared: JsonObject = {
        "business_id": business_id,
        # Without a call id each request is its own delivery; repeating it is then not recognised.
        "session_id": field("sessionId") or f"s_{uuid.uuid4().hex}",
        "call_id": field("callId") or f"c_{uuid.uuid4().hex}",
        "turn": turn,
        "caller_phone": field("callerPhone"),
        "caller_id": field("callerId"),
        "caller_verified": verified,
        "interaction_id": field("interactionId"),
        "agent_id": field("agentId"),
    }
    if channel is Channel.PHONE:
        shared |= {"call_sid": field("callSid") or "", "auth_token": field("authToken") or ""}
        shared |= {"called_phone": field("calledPhone"), "attestation": field("attestation")}
        # Told, and no number: not the same as a service that says nothing of it.
        shared["is_withheld"] = said.get("callerPhone") == ""
    return CONTEXTS[channel](**shared)
