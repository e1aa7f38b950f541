"""The accounts of apps that a business has connected, as owners choose among them. No credential is ever asked for."""

from collections.abc import Mapping
from typing import Any

from switchboard.contract.business.business import Business
from switchboard.contract.error import ErrorType
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import Clock
from switchboard.integrations.http_session import HttpSession
from switchboard.integrations.pipedream.failures import failure
from switchboard.integrations.pipedream.project import PipedreamProject, user_of
from switchboard.integrations.pipedream.transport import PipedreamTransport


class PipedreamAccounts:
    """Lists accounts in one project."""

    def __init__(self, http: HttpSession, project: PipedreamProject, clock: Clock) -> None:
        """Connect nowhere yet."""
        self._transport = PipedreamTransport(http, project, clock)

    async def of(
        self, business: Business, app: str = "", *, limit: int = 25, after: str = ""
    ) -> tuple[list[JsonObject], str | None]:
        """Return a page of a business's accounts, and where the next one begins; None at the end.

        Each is `{id, name, app, appName, isUsable, connectedAt}`; `isUsable` is false where it must be connected again.

        Args:
            business: Whose; nobody else's are ever among them.
            app: Only of the app of this slug, such as `google_sheets`.
            limit: How many at most.
            after: Where the page before ended.

        Raises:
            ToolError: VALIDATION, there is no such app or place to go on; RATE_LIMIT or TRANSIENT, it may be told
                later; PERMANENT, the project is not let in.
        """
        user = user_of(business)
        query = {"external_user_id": user, "app": app, "after": after, "limit": str(limit)}
        page = await self._transport.read("accounts", query=query)
        rows, page_info = page.get("data"), page.get("page_info")
        if not isinstance(rows, list):
            raise failure(ErrorType.TRANSIENT, "a list of accounts without one")
        shown = [_shown(row) for row in rows if isinstance(row, Mapping) and row.get("external_id") in (None, user)]
        end = page_info.get("end_cursor") if isinstance(page_info, Mapping) else None
        # The last page has an end, too.
        return shown, end if isinstance(end, str) and end and len(rows) >= limit else None


def _shown(row: Mapping[str, Any]) -> JsonObject:
    app = row.get("app")
    app = app if isinstance(app, Mapping) else {}
    app_name = _text(app.get("name")) or _text(app.get("name_slug"))
    return {
        "id": _text(row.get("id")),
        "name": _text(row.get("name")) or app_name,
        "app": _text(app.get("name_slug")),
        "appName": app_name,
        "isUsable": row.get("dead") is not True and row.get("healthy") is not False,
        "connectedAt": _text(row.get("created_at")) or None,
    }


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
