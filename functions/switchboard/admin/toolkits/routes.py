"""The owners' HTTP API for toolkits: `/businesses/{id}/toolkits…`. Secrets go in, and never come out."""

from collections.abc import Callable, Mapping
from typing import Annotated

from fastapi import Query
from starlette.responses import Response

from switchboard.admin.access.roles import Operation
from switchboard.admin.api.answer import json_answer, saved_answer
from switchboard.admin.api.endpoint import EndpointGroup, endpoint
from switchboard.admin.api.models import Paging
from switchboard.admin.api.paging import USUAL
from switchboard.admin.api.serving import BasedOn, Caller
from switchboard.admin.documents.one_line import one_line
from switchboard.admin.toolkits.models import (
    AppAccountList,
    AppAccountQuery,
    CalendarOptions,
    CollectionList,
    PhoneNumberList,
    ToolkitList,
    ToolkitPatch,
    ToolkitRemoved,
    ToolkitShown,
    ToolkitTried,
)
from switchboard.admin.toolkits.options import ToolkitOptions
from switchboard.admin.toolkits.state import ToolkitState
from switchboard.admin.toolkits.toolkits import ToolkitSettings
from switchboard.contract.definitions.definition import Definition
from switchboard.contract.json import JsonObject


class ToolkitEndpoints(EndpointGroup):
    """Shows toolkits, sets them up and tries them."""

    _BASE = "/businesses/{business_id}/toolkits"
    _ONE, _SEE, _CONNECT = f"{_BASE}/{{name}}", Operation.SEE_SETUP, Operation.CONNECT

    def __init__(self, settings: ToolkitSettings, definitions: Callable[[], Mapping[str, Definition]]) -> None:
        """Answer with what `settings` do; `definitions` describe the toolkits' tools."""
        self._settings, self._definitions = settings, definitions

    @endpoint("GET", _BASE, _SEE, ToolkitList)
    async def _all(self, permit: Caller) -> Response:
        """List the toolkits, and which are set up."""
        states = await self._settings.all(permit.business_id)
        return json_answer({"toolkits": [self._shown(state) for state in states]})

    @endpoint("GET", _ONE, _SEE, ToolkitShown)
    async def _one(self, permit: Caller, name: str) -> Response:
        """Read a toolkit's settings; of secrets, since when they are set."""
        state = await self._settings.one(permit.business_id, name)
        return json_answer(self._shown(state), revision=state.revision)

    @endpoint("PUT", _ONE, _CONNECT, ToolkitShown, is_revisioned=True, decides_offers=True)
    async def _change(self, permit: Caller, name: str, based_on: BasedOn, body: ToolkitPatch) -> Response:
        """Change a toolkit's settings and secrets."""
        state, saved = await self._settings.change(permit, name, based_on, body.change())
        return saved_answer(self._shown(state), saved)

    @endpoint("DELETE", _ONE, _CONNECT, ToolkitRemoved, is_revisioned=True, decides_offers=True)
    async def _remove(self, permit: Caller, name: str, based_on: BasedOn) -> Response:
        """Disconnect a toolkit and forget its secrets."""
        return saved_answer({"removed": True}, await self._settings.remove(permit, name, based_on))

    @endpoint("POST", f"{_ONE}/test", _CONNECT, ToolkitTried)
    async def _test(self, permit: Caller, name: str) -> Response:
        """Try whether a toolkit's settings work."""
        return json_answer(await self._settings.test(permit.business_id, name))

    def _shown(self, state: ToolkitState) -> JsonObject:
        known = self._definitions()
        tools = [
            {"name": name, "description": known[name].description, "parameters": known[name].parameters}
            for name in state.toolkit.actions
            if name in known
        ]
        return state.to_json() | {"tools": tools}


class ChoiceEndpoints(EndpointGroup):
    """Lists what can stand in a tool, or in a toolkit's settings."""

    _BASE, _SEE = "/businesses/{business_id}", Operation.SEE_SETUP

    def __init__(self, choices: ToolkitOptions) -> None:
        self._choices = choices

    @endpoint("GET", f"{_BASE}/phone-numbers", _SEE, PhoneNumberList)
    async def _phone_numbers(self, permit: Caller) -> Response:
        """List the phone numbers that texts can come from."""
        numbers = await self._choices.phone_numbers(permit.business_id)
        return json_answer({"phoneNumbers": [number.to_json() for number in numbers]})

    @endpoint("GET", f"{_BASE}/pipedream/accounts", _SEE, AppAccountList)
    async def _accounts(self, permit: Caller, query: Annotated[AppAccountQuery, Query()]) -> Response:
        """List the accounts of apps that were connected."""
        rows, next_cursor = await self._choices.app_accounts(
            permit.business_id, query.app or "", limit=query.limit or USUAL, after=query.cursor or ""
        )
        named = [{**row, "name": one_line(row["name"])} for row in rows]
        return json_answer({"accounts": named, "nextCursor": next_cursor})

    @endpoint("GET", f"{_BASE}/collections", _SEE, CollectionList)
    async def _collections(self, permit: Caller, query: Annotated[Paging, Query()]) -> Response:
        """List the business's own collections that query tools can read."""
        page = await self._choices.collections(permit.business_id, query.page(0))
        rows = [collection.to_json() for collection in page.items]
        return json_answer({"collections": rows, "nextCursor": page.next_cursor})

    @endpoint("GET", f"{_BASE}/toolkits/{{name}}/calendars", Operation.CONNECT, CalendarOptions)
    async def _calendars(self, permit: Caller, name: str) -> Response:
        """List the calendars of the account that is set up, for choosing the one that keeps the appointments."""
        calendars = await self._choices.calendars(permit.business_id, name)
        rows = [{"id": it.id, "name": one_line(it.name) or it.id, "isReadOnly": it.is_read_only} for it in calendars]
        return json_answer({"calendars": rows})
