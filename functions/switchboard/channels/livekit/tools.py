"""Where a LiveKit worker gets its tools from and has them executed: in its own process, or over HTTP."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from switchboard.catalog.offer.catalog import Catalog, Options
from switchboard.contract.business.business import Business
from switchboard.contract.context import Context
from switchboard.contract.definitions.definition import Definition
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import Clock
from switchboard.contract.response import ToolResponse
from switchboard.pipeline.confirmation.approvals import Approvals
from switchboard.pipeline.confirmation.consent import Said

if TYPE_CHECKING:
    from switchboard.pipeline.dispatcher import Dispatcher


class ConversationTools(Protocol):
    """The tools of one conversation. Turns are the human's, counted from 1; 0 is before their first word."""

    async def offered(self) -> Sequence[Definition]:
        """Return what is offered, in the words of the business.

        Raises:
            ToolError: It cannot be found out.
        """

    async def execute(self, tool: Definition, arguments: JsonObject | str, call_id: str, turn: int) -> ToolResponse:
        """Execute one call and return its envelope, whatever happens; a call id counts once.

        Arguments are an object, or the JSON text that the model wrote.
        """

    async def heard(self, text: str, turn: int, asked: str) -> None:
        """Hold what the human said against what a tool waits for; `asked` are the last words they were told, and heard.

        Raises:
            StoreError, ToolError: It was not heard as far as can be told; the tool will ask again.
        """


class LocalTools:
    """The tools of one conversation, executed in this process."""

    def __init__(
        self, catalog: Catalog, dispatcher: "Dispatcher", approvals: Approvals, clock: Clock, facts: Context
    ) -> None:
        """Serve one conversation; `facts` are trusted, and their turn and call id are filled in here."""
        self._catalog, self._dispatcher, self._approvals = catalog, dispatcher, approvals
        self._clock, self._facts = clock, facts

    async def offered(self) -> Sequence[Definition]:
        """Return what is offered, in the words of the business.

        Raises:
            ToolError: NOT_FOUND, there is no such business.
        """
        facts = self._facts
        options = Options(
            channel=facts.channel,
            session_id=facts.session_id,
            is_verified=facts.caller_verified,
            agent_id=facts.agent_id,
            applies_intents=facts.applies_intents,
        )
        offer = await self._catalog.get_tool_definitions(facts.business_id, options)
        return [tool.definition for tool in offer.tools]

    async def execute(self, tool: Definition, arguments: JsonObject | str, call_id: str, turn: int) -> ToolResponse:
        """Execute one call through the dispatcher."""
        facts = replace(self._facts, call_id=call_id, turn=turn)
        return await self._dispatcher.execute_tool(tool.name, arguments, facts.business_id, facts)

    async def heard(self, text: str, turn: int, asked: str) -> None:
        """Hold what the human said against what a tool waits for.

        Raises:
            StoreError: It was not heard, as far as can be told.
        """
        facts = self._facts
        business = await self._catalog.business(facts.business_id) or Business(facts.business_id)
        said, now = Said(text, business.language), self._clock.now()
        await self._approvals.hear(
            facts.business_id, facts.session_id, turn, said, now, asked=asked, channel=facts.channel
        )
