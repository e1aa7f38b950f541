"""Calling any tool for its owner, as any channel would: what the model is told, each check's decision, the answer.

Whatever the tool does is done: nothing is pretended, so that what an owner sees is what a caller would get.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Annotated

from fastapi import Query
from starlette.responses import Response

from switchboard.admin.access.roles import Operation
from switchboard.admin.api.answer import json_answer
from switchboard.admin.api.endpoint import Endpoint
from switchboard.admin.api.serving import Caller
from switchboard.admin.conversations.explain import explain
from switchboard.admin.conversations.trial_facts import context_of, require_agent
from switchboard.admin.conversations.trial_models import OfferedQuery, OfferedTools, ToolTried, ToolTry
from switchboard.catalog.offer.catalog import Catalog, Options
from switchboard.contract.channel import Channel
from switchboard.contract.context import Context
from switchboard.contract.definitions.definition import Definition
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import Paths, Store
from switchboard.pipeline.dispatcher import Dispatcher
from switchboard.pipeline.ledger.admission import options_of


class Playground:
    """Calls tools for their owners. What the store raises passes through."""

    def __init__(self, store: Store, paths: Paths, catalog: Catalog, dispatcher: Callable[[], Dispatcher]) -> None:
        """Join the parts."""
        self._store, self._paths, self._catalog, self._dispatcher = store, paths, catalog, dispatcher

    @property
    def endpoints(self) -> tuple[Endpoint, ...]:
        """All of them."""
        base = "/businesses/{business_id}"
        see, edit = Operation.SEE_SETUP, Operation.EDIT_TOOLS
        listing = "List tools with their parameters, as a model is told"
        return (
            Endpoint("GET", f"{base}/offered", see, listing, self._offered, OfferedTools),
            Endpoint(
                *("POST", f"{base}/try", edit, "Call a tool, really, and tell all about it", self._answer, ToolTried),
            ),
        )

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

    async def _offered(self, permit: Caller, query: Annotated[OfferedQuery, Query()]) -> Response:
        options = Options(Channel(query.channel), is_verified=query.verified == "1")
        offer, locked, _ = await self._catalog.for_call(permit.business_id, options)
        tools = offer.declared("canonical")
        if query.all == "1":
            others = [
                tool.at(offer.business).declared for name, tool in locked.tools.items() if offer.named(name) is None
            ]
            tools = [*tools, *(_row(definition) for definition in others)]
        return json_answer({"source": offer.source, "catalogVersion": offer.catalog_version, "tools": tools})

    async def _answer(self, permit: Caller, body: ToolTry) -> Response:
        facts = replace(context_of(permit.business_id, body), turn=body.turn)
        await require_agent(self._store, self._paths, permit.business_id, facts.agent_id)
        return json_answer(await self.call(facts, body.name, body.args, body.format))


def _row(definition: Definition) -> JsonObject:
    names = ("name", "category", "kind", "channels", "description", "parameters")
    document = definition.to_document()
    return {name: document[name] for name in names}
