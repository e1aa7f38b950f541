"""Trying things out for owners, as any channel would: calling any tool, and holding a conversation.

Whatever the tools do is done: nothing is pretended, so that what an owner sees is what a caller would get. A trial's
conversations have ids of their own, by which their records are told from callers' ones: nobody who tries something goes
on in a caller's conversation.
"""

import uuid
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Annotated, Any

from fastapi import Query
from starlette.responses import Response

from switchboard.admin.access.refusal import EntryProblem, NotValid
from switchboard.admin.access.roles import Operation
from switchboard.admin.api.answer import json_answer
from switchboard.admin.api.endpoint import EndpointGroup, endpoint
from switchboard.admin.api.serving import Caller
from switchboard.admin.conversations.explain import explain
from switchboard.admin.conversations.trial_models import (
    ConverseAnswer,
    ConverseTurn,
    OfferedQuery,
    OfferedTools,
    ToolTried,
    ToolTry,
    TrialFacts,
)
from switchboard.admin.documents.redaction import without_secrets
from switchboard.catalog.offer.catalog import Catalog, Options
from switchboard.contract.channel import Channel
from switchboard.contract.context import CONTEXTS, Context, ProvenNumber
from switchboard.contract.definitions.definition import Definition
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import Paths, Store
from switchboard.contract.store import Query as StoreQuery
from switchboard.pipeline.dispatcher import Dispatcher
from switchboard.pipeline.ledger.admission import options_of


async def require_agent(store: Store, paths: Paths, business_id: str, agent_id: str | None) -> None:
    """Return if a business has an agent, or none is named.

    Raises:
        NotValid: It has none of that id; names those that it has.
    """
    within = paths.within(business_id)
    if agent_id is None or await store.get(within.document("agents", agent_id)) is not None:
        return
    known = [document.id for document in await store.query(StoreQuery(within.collection("agents")))]
    remedy = f"Use {', '.join(sorted(known))}." if known else "It has none yet; leave agentId out."
    raise NotValid([EntryProblem("agentId", f"This business has no agent {agent_id[:80]!r}. {remedy}")])


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


class Playground(EndpointGroup):
    """Calls tools for their owners. What the store raises passes through."""

    _BASE = "/businesses/{business_id}"
    _SEE, _EDIT = Operation.SEE_SETUP, Operation.EDIT_TOOLS

    def __init__(self, store: Store, paths: Paths, catalog: Catalog, dispatcher: Callable[[], Dispatcher]) -> None:
        self._store, self._paths, self._catalog, self._dispatcher = store, paths, catalog, dispatcher

    async def call(
        self, facts: Context, name: str, arguments: JsonObject | str | None, format: str = "canonical"
    ) -> JsonObject:
        """Call a tool once and return what the model is told, the envelope, and why it came to that.

        Raises:
            ToolError: NOT_FOUND; there is no such business.
        """
        offer, _, _ = await self._catalog.for_call(facts.business_id, options_of(facts))
        response = await self._dispatcher().execute_tool(name, arguments, facts.business_id, facts)
        why = await explain(self._store, self._paths, facts.business_id, facts.session_id, facts.call_id)
        return {
            "sessionId": facts.session_id,
            "callId": facts.call_id,
            "turn": facts.turn,
            "catalogVersion": offer.catalog_version,
            "told": offer.declared(format),
            "response": response.to_json(),
            "explanation": why.to_json() if why is not None else None,
        }

    @endpoint("GET", f"{_BASE}/offered", _SEE, OfferedTools)
    async def _offered(self, permit: Caller, query: Annotated[OfferedQuery, Query()]) -> Response:
        """List tools with their parameters, as a model is told."""
        options = Options(Channel(query.channel), is_verified=query.verified == "1")
        offer, locked, _ = await self._catalog.for_call(permit.business_id, options)
        tools = offer.declared("canonical")
        if query.all == "1":
            others = [
                tool.at(offer.business).declared for name, tool in locked.tools.items() if offer.named(name) is None
            ]
            tools = [*tools, *(_row(definition) for definition in others)]
        return json_answer({"source": offer.source, "catalogVersion": offer.catalog_version, "tools": tools})

    @endpoint("POST", f"{_BASE}/try", _EDIT, ToolTried)
    async def _answer(self, permit: Caller, body: ToolTry) -> Response:
        """Call a tool, really, and tell all about it."""
        facts = replace(context_of(permit.business_id, body), turn=body.turn)
        await require_agent(self._store, self._paths, permit.business_id, facts.agent_id)
        return json_answer(await self.call(facts, body.name, body.args, body.format))


def _row(definition: Definition) -> JsonObject:
    names = ("name", "category", "kind", "channels", "description", "parameters")
    document = definition.to_document()
    return {name: document[name] for name in names}


Converse = Callable[[Context, str, str], Awaitable[JsonObject]]
"""Holds a turn: facts, what is said, and the message's id; see `channels/preview.py`."""


class Conversing(EndpointGroup):
    """Holds conversations for owners. What the store raises passes through."""

    _PATH = "/businesses/{business_id}/converse"

    def __init__(self, store: Store, paths: Paths, converse: Callable[[], Converse]) -> None:
        """`converse` is asked for what holds a turn when there is one; agents are looked up in `store`."""
        self._store, self._paths, self._converse = store, paths, converse

    @endpoint("POST", _PATH, Operation.EDIT_TOOLS, ConverseAnswer)
    async def _answer(self, permit: Caller, body: ConverseTurn) -> Response:
        """Hold a turn of a conversation, really, and tell all about it."""
        facts = context_of(permit.business_id, body)
        await require_agent(self._store, self._paths, permit.business_id, facts.agent_id)
        held = await self._converse()(facts, body.text.strip(), body.message_id or uuid.uuid4().hex)
        return json_answer(without_secrets({"sessionId": facts.session_id, "channel": facts.channel.value, **held}))
