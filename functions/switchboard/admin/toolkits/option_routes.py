"""The owners' HTTP API for what they choose from: numbers, accounts, collections, calendars. Nothing is changed."""

import re

from starlette.requests import Request
from starlette.responses import Response

from switchboard.admin.access.access import Permit
from switchboard.admin.access.refusal import EntryProblem, NotValid
from switchboard.admin.access.roles import Operation
from switchboard.admin.api.answer import json_answer
from switchboard.admin.api.endpoint import Endpoint
from switchboard.admin.api.paging import read_page
from switchboard.admin.api.schemas import COUNT, FLAG, MAYBE_TIME, PAGING, TEXT, listed, paged, record
from switchboard.admin.documents.one_line import one_line
from switchboard.admin.toolkits.options import ToolkitOptions

_APP = re.compile(r"[a-z0-9_-]{1,100}")
_LONGEST_CURSOR = 2_000
_NUMBER = record({"id": TEXT, "number": TEXT, "isMain": FLAG})
_ACCOUNT = record(
    {**dict.fromkeys(("id", "name", "app", "appName"), TEXT), "isUsable": FLAG, "connectedAt": MAYBE_TIME}
)
_CALENDAR = record({"id": TEXT, "name": TEXT, "isReadOnly": FLAG})
_COLLECTION = record({"name": TEXT, "items": {**COUNT, "description": "How many; a thousand stands for more, too."}})


class ChoiceEndpoints:
    """Lists what can stand in a tool, or in a toolkit's settings."""

    def __init__(self, choices: ToolkitOptions) -> None:
        """Answer from these."""
        self._choices = choices

    @property
    def endpoints(self) -> tuple[Endpoint, ...]:
        """All of them."""
        base, see = "/businesses/{business_id}", Operation.SEE_SETUP
        app = {"app": {**TEXT, "description": "Only of the app of this slug, such as google_sheets."}}
        return (
            Endpoint(
                *("GET", f"{base}/phone-numbers", see, "List the phone numbers that texts can come from"),
                *(self._phone_numbers, record({"phoneNumbers": listed(_NUMBER)})),
            ),
            Endpoint(
                *("GET", f"{base}/pipedream/accounts", see, "List the accounts of apps that were connected"),
                *(self._accounts, paged("accounts", _ACCOUNT)),
                query={**app, **PAGING},
            ),
            Endpoint(
                *("GET", f"{base}/collections", see, "List the business's own collections that query tools can read"),
                *(self._collections, paged("collections", _COLLECTION)),
                query=PAGING,
            ),
            Endpoint(
                *("GET", f"{base}/toolkits/{{name}}/calendars", Operation.CONNECT),
                "List the calendars of the account that is set up, for choosing the one that keeps the appointments",
                *(self._calendars, record({"calendars": listed(_CALENDAR)})),
            ),
        )

    async def _calendars(self, request: Request, permit: Permit) -> Response:
        found = await self._choices.calendars(permit.business_id, request.path_params["name"])
        rows = [{"id": it.id, "name": one_line(it.name) or it.id, "isReadOnly": it.is_read_only} for it in found]
        return json_answer({"calendars": rows})

    async def _phone_numbers(self, request: Request, permit: Permit) -> Response:
        found = await self._choices.phone_numbers(permit.business_id)
        return json_answer({"phoneNumbers": [number.to_json() for number in found]})

    async def _accounts(self, request: Request, permit: Permit) -> Response:
        query = request.query_params
        # The cursor is Pipedream's own.
        page = read_page({"limit": query.get("limit", "")}, 0)
        app, after = query.get("app", ""), query.get("cursor", "")
        if app and not _APP.fullmatch(app):
            raise NotValid([EntryProblem("app", "app must be an app's slug at Pipedream, such as google_sheets.")])
        if len(after) > _LONGEST_CURSOR:
            raise NotValid(
                [EntryProblem("cursor", "cursor must be the next cursor that an earlier page of this list told.")]
            )
        rows, next_cursor = await self._choices.app_accounts(permit.business_id, app, limit=page.limit, after=after)
        named = [{**row, "name": one_line(row["name"])} for row in rows]
        return json_answer({"accounts": named, "nextCursor": next_cursor})

    async def _collections(self, request: Request, permit: Permit) -> Response:
        found = await self._choices.collections(permit.business_id, read_page(request.query_params, 0))
        rows = [collection.to_json() for collection in found.items]
        return json_answer({"collections": rows, "nextCursor": found.next_cursor})
