"""The owners' HTTP API for toolkits: `/businesses/{id}/toolkits…`. Secrets go in, and never come out."""

from collections.abc import Callable, Mapping
from typing import Annotated

from fastapi import Query
from starlette.responses import Response

from switchboard.admin.access.roles import Operation
from switchboard.admin.api.answer import json_answer, saved_answer
from switchboard.admin.api.endpoint import Endpoint, deciding
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


class ToolkitEndpoints:
    """Shows toolkits, sets them up and tries them."""

    def __init__(self, settings: ToolkitSettings, definitions: Callable[[], Mapping[str, Definition]]) -> None:
        """Answer with what `settings` do; `definitions` describe the toolkits' tools."""
        self._settings, self._definitions = settings, definitions

    @property
    def endpoints(self) -> tuple[Endpoint, ...]:
        """All of them."""
        base = "/businesses/{business_id}/toolkits"
        one, see, connect = f"{base}/{{name}}", Operation.SEE_SETUP, Operation.CONNECT
        all, set_up = "List the toolkits, and which are set up", "Change a toolkit's settings and secrets"
        away = "Disconnect a toolkit and forget its secrets"
        look = "Read a toolkit's settings; of secrets, since when they are set"
        return (
            Endpoint("GET", base, see, all, self._all, ToolkitList),
            Endpoint("GET", one, see, look, self._one, ToolkitShown),
            *deciding(
                Endpoint("PUT", one, connect, set_up, self._change, ToolkitShown, is_revisioned=True),
                Endpoint("DELETE", one, connect, away, self._remove, ToolkitRemoved, is_revisioned=True),
            ),
            Endpoint("POST", f"{one}/test", connect, "Try whether a toolkit's settings work", self._test, ToolkitTried),
        )

    async def _all(self, permit: Caller) -> Response:
        states = await self._settings.all(permit.business_id)
        return json_answer({"toolkits": [self._shown(state) for state in states]})

    async def _one(self, permit: Caller, name: str) -> Response:
        state = await self._settings.one(permit.business_id, name)
        return json_answer(self._shown(state), revision=state.revision)

    async def _change(self, permit: Caller, name: str, based_on: BasedOn, body: ToolkitPatch) -> Response:
        state, saved = await self._settings.change(permit, name, based_on, body.change())
        return saved_answer(self._shown(state), saved)

    async def _remove(self, permit: Caller, name: str, based_on: BasedOn) -> Response:
        return saved_answer({"removed": True}, await self._settings.remove(permit, name, based_on))

    async def _test(self, permit: Caller, name: str) -> Response:
        return json_answer(await self._settings.test(permit.business_id, name))

    def _shown(self, state: ToolkitState) -> JsonObject:
        known = self._definitions()
        tools = [
            {"name": name, "description": known[name].description, "parameters": known[name].parameters}
            for name in state.toolkit.actions
            if name in known
        ]
        return state.to_json() | {"tools": tools}


class ChoiceEndpoints:
    """Lists what can stand in a tool, or in a toolkit's settings."""

    def __init__(self, choices: ToolkitOptions) -> None:
        self._choices = choices

    @property
    def endpoints(self) -> tuple[Endpoint, ...]:
        """All of them."""
        base, see = "/businesses/{business_id}", Operation.SEE_SETUP
        return (
            Endpoint(
                *("GET", f"{base}/phone-numbers", see, "List the phone numbers that texts can come from"),
                *(self._phone_numbers, PhoneNumberList),
            ),
            Endpoint(
                *("GET", f"{base}/pipedream/accounts", see, "List the accounts of apps that were connected"),
                *(self._accounts, AppAccountList),
            ),
            Endpoint(
                *("GET", f"{base}/collections", see, "List the business's own collections that query tools can read"),
                *(self._collections, CollectionList),
            ),
            Endpoint(
                *("GET", f"{base}/toolkits/{{name}}/calendars", Operation.CONNECT),
                "List the calendars of the account that is set up, for choosing the one that keeps the appointments",
                *(self._calendars, CalendarOptions),
            ),
        )

    async def _calendars(self, permit: Caller, name: str) -> Response:
        calendars = await self._choices.calendars(permit.business_id, name)
        rows = [{"id": it.id, "name": one_line(it.name) or it.id, "isReadOnly": it.is_read_only} for it in calendars]
        return json_answer({"calendars": rows})

    async def _phone_numbers(self, permit: Caller) -> Response:
        numbers = await self._choices.phone_numbers(permit.business_id)
        return json_answer({"phoneNumbers": [number.to_json() for number in numbers]})

    async def _accounts(self, permit: Caller, query: Annotated[AppAccountQuery, Query()]) -> Response:
        rows, next_cursor = await self._choices.app_accounts(
            permit.business_id, query.app or "", limit=query.limit or USUAL, after=query.cursor or ""
        )
        named = [{**row, "name": one_line(row["name"])} for row in rows]
        return json_answer({"accounts": named, "nextCursor": next_cursor})

    async def _collections(self, permit: Caller, query: Annotated[Paging, Query()]) -> Response:
        page = await self._choices.collections(permit.business_id, query.page(0))
        rows = [collection.to_json() for collection in page.items]
        return json_answer({"collections": rows, "nextCursor": page.next_cursor})
