"""Requests to Microsoft Graph, and what is answered."""

from collections.abc import Mapping
from urllib.parse import quote, urlencode

from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import Clock
from switchboard.integrations.http_session import HttpAnswer, HttpSession
from switchboard.integrations.microsoft_calendar.failures import MICROSOFT, failure, reason_of, refused
from switchboard.integrations.oauth.requests import AuthorisedRequests, AuthorizedRequest
from switchboard.integrations.oauth.tokens import OAuthConnection, TokenSource
from switchboard.integrations.vendor_http import json_body

NEXT = "@odata.nextLink"
_HEADERS = {
    "Accept": "application/json",
    # Not `IdType="ImmutableId"`: under such an id an event that somebody deleted would still be found.
    "Prefer": 'outlook.timezone="UTC", outlook.body-content-type="text"',
}


class GraphDeclined(Exception):
    """Graph answered with a status that is no success and no trouble of token, rate or server: 4xx."""

    def __init__(self, answer: HttpAnswer, *, is_write: bool) -> None:
        """Keep the answer for the method that knows what it means there."""
        self.status, self.code = answer.status, reason_of(answer)
        super().__init__(f"{self.status} {self.code}")
        self.error = refused(answer, is_write=is_write)


class Graph:
    """Graph for every business, over the shared session."""

    def __init__(self, http: HttpSession, url: str, tokens: TokenSource, clock: Clock) -> None:
        """Send to the API at `url`, which has no slash at its end."""
        self._url = url
        self._requests = AuthorisedRequests(http, tokens, MICROSOFT, _is_soon_over, clock)

    async def warm(self) -> None:
        """Load the library that sends requests."""
        await self._requests.warm()

    async def read(self, connection: OAuthConnection, path: str, query: Mapping[str, str]) -> JsonObject:
        """Return the object at a path, which is quoted already.

        Raises:
            Declined: A 4xx whose meaning depends on the method.
            ToolError: Every other failure.
        """
        # Graph takes no `+` for a blank.
        url = f"{self._url}{path}?{urlencode(query, quote_via=quote)}"
        return await self._sent(connection, AuthorizedRequest("GET", url, _HEADERS), is_write=False)

    async def go_on(self, connection: OAuthConnection, page: JsonObject) -> JsonObject | None:
        """Return the page after one; None behind the last.

        Raises:
            ToolError: As `read`; TRANSIENT as well where the next page is not Graph's, which must not see our token.
        """
        url = page.get(NEXT)
        if url is None:
            return None
        if not isinstance(url, str) or not url.startswith(f"{self._url}/"):
            raise failure(ErrorType.TRANSIENT, "the next page is elsewhere")
        try:
            return await self._sent(connection, AuthorizedRequest("GET", url, _HEADERS), is_write=False)
        except GraphDeclined as declined:
            raise declined.error from None

    async def write(
        self, connection: OAuthConnection, method: str, path: str, body: JsonObject | None = None, *, if_match: str = ""
    ) -> JsonObject:
        """Change something, and return what is answered.

        Raises:
            Declined: A 4xx whose meaning depends on the method.
            ToolError: Every other failure.
        """
        headers = _HEADERS | ({"If-Match": if_match} if if_match else {})
        if body is not None:
            headers |= {"Content-Type": "application/json"}
        asked = AuthorizedRequest(method, self._url + path, headers, json_body(body) if body is not None else None)
        return await self._sent(connection, asked, is_write=True)

    async def _sent(self, connection: OAuthConnection, asked: AuthorizedRequest, *, is_write: bool) -> JsonObject:
        answer = await self._requests.answer(connection, asked, is_write=is_write)
        if answer.status >= 300:
            raise _declined(answer, is_write)
        return MICROSOFT.object_of(answer, is_write=is_write)


def _declined(answer: HttpAnswer, is_write: bool) -> GraphDeclined | ToolError:
    declined = GraphDeclined(answer, is_write=is_write)
    return declined if declined.error.type is ErrorType.PERMANENT else declined.error


def _is_soon_over(answer: HttpAnswer) -> bool:
    # How long it lasts is said by Retry-After.
    return answer.status == 429
