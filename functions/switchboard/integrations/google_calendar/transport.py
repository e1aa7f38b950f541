"""Sends what the library describes, and reads what is answered."""

from collections.abc import Callable
from typing import Any

from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import Clock
from switchboard.integrations.google_calendar import request_builder
from switchboard.integrations.google_calendar.failures import GOOGLE, SOON_OVER, failure, reason_of, refused
from switchboard.integrations.http_session import HttpAnswer, HttpSession
from switchboard.integrations.oauth.requests import AuthorisedRequests, AuthorizedRequest
from switchboard.integrations.oauth.tokens import OAuthConnection, TokenSource

# Not its `accept-encoding`: the shared session asks for plain answers, whose size is what arrives.
_SENT_HEADERS = frozenset({"content-type", "accept", "x-goog-api-client", "if-match"})


class CalendarDeclined(Exception):
    """Calendar answered with a status that is no success and no trouble of token, rate or server: 4xx."""

    def __init__(self, answer: HttpAnswer, *, is_write: bool) -> None:
        """Keep the answer for the method that knows what it means there."""
        super().__init__(f"{answer.status} {reason_of(answer)}")
        self.status = answer.status
        self.error = refused(answer, is_write=is_write)


class GoogleTransport:
    """Calendar's API for every business, over the shared session."""

    def __init__(self, http: HttpSession, calendar_url: str, tokens: TokenSource, clock: Clock) -> None:
        """Send to the API at `calendar_url`, which ends with a slash."""
        self._url = calendar_url
        self._requests = AuthorisedRequests(http, tokens, GOOGLE, _is_soon_over, clock)

    async def warm(self) -> None:
        """Load the libraries that describe and send requests."""
        await self._requests.warm()
        await request_builder.service(self._url)

    async def send(
        self, connection: OAuthConnection, describe: Callable[[Any], Any], *, is_write: bool, if_match: str = ""
    ) -> JsonObject:
        """Send the request that `describe` makes of the library's resource, and return what is in the answer.

        Raises:
            Declined: A 4xx whose meaning depends on the method.
            ToolError: Every other failure.
        """
        request = describe(await request_builder.service(self._url))
        headers = {name: value for name, value in request.headers.items() if name.lower() in _SENT_HEADERS}
        if if_match:
            headers["if-match"] = if_match
        body = request.body.encode() if request.body is not None else None
        asked = AuthorizedRequest(request.method, request.uri, headers, body)
        answer = await self._requests.answer(connection, asked, is_write=is_write)
        if answer.status >= 300:
            raise self._declined(answer, is_write)
        try:
            return request_builder.read(request, answer)
        except ValueError as error:
            raise failure(ErrorType.TRANSIENT, f"unreadable answer: {error}", is_unknown=is_write) from None

    def _declined(self, answer: HttpAnswer, is_write: bool) -> CalendarDeclined | ToolError:
        declined = CalendarDeclined(answer, is_write=is_write)
        return declined if declined.error.type is ErrorType.PERMANENT else declined.error


def _is_soon_over(answer: HttpAnswer) -> bool:
    reason = reason_of(answer)
    return reason in SOON_OVER or (answer.status == 429 and not reason)
