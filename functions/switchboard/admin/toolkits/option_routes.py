"""The owners' HTTP API for what they choose from: numbers, accounts, collections, calendars. Nothing is changed."""

from typing import Annotated

from fastapi import Query
from starlette.responses import Response

from switchboard.admin.access.roles import Operation
from switchboard.admin.api.answer import json_answer
from switchboard.admin.api.endpoint import Endpoint
from switchboard.admin.api.models import Paging
from switchboard.admin.api.paging import USUAL
from switchboard.admin.api.serving import Caller
from switchboard.admin.documents.one_line import one_line
from switchboard.admin.toolkits.models import (
    AppAccountList,
    AppAccountQuery,
    CalendarOptions,
    CollectionList,
    PhoneNumberList,
)
from switchboard.admin.toolkits.options import ToolkitOptions


class ChoiceEndpoints:
    """Lists what can stand in a tool, or in a toolkit's settings."""

    def __init__(self, choices: ToolkitOptions) -> None:
        """Answer from these."""
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
        found = await self._choices.calendars(permit.business_id, name)
        rows = [{"id": it.id, "name": one_line(it.name) or it.id, "isReadOnly": it.is_read_only} for it in found]
        return json_answer({"calendars": rows})

    async def _phone_numbers(self, permit: Caller) -> Response:
        found = await self._choices.phone_numbers(permit.business_id)
        return json_answer({"phoneNumbers": [number.to_json() for number in found]})

    async def _accounts(self, permit: Caller, query: Annotated[AppAccountQuery, Query()]) -> Response:
        rows, next_cursor = await self._choices.app_accounts(
            permit.business_id, query.app or "", limit=query.limit or USUAL, after=query.cursor or ""
        )
        named = [{**row, "name": one_line(row["name"])} for row in rows]
        return json_answer({"accounts": named, "nextCursor": next_cursor})

    async def _collections(self, permit: Caller, query: Annotated[Paging, Query()]) -> Response:
        found = await self._choices.collections(permit.business_id, query.page(0))
        rows = [collection.to_json() for collection in found.items]
        return json_answer({"collections": rows, "nextCursor": found.next_cursor})
