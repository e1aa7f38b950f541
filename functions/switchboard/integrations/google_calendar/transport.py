"""Sends what the library describes: with the business's token, within time, and with at most one second try.

Second tries (reliability, "Retries"): a refused token is replaced once; a limit that is soon over is waited out once,
since what it refuses was not carried out; a read that failed is asked once more. A write that may have been carried
out is never sent again: its caller reads and decides.
"""

import asyncio
import random
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from switchboard.contract.deadline import bounded
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.json import JsonObject
from switchboard.integrations.google_calendar import library
from switchboard.integrations.google_calendar.failures import SOON_OVER, failure, reason_of, refused, unanswered
from switchboard.integrations.google_calendar.tokens import AccessToken, AccessTokens, Connection
from switchboard.integrations.http_session import Answer, HttpSession, NoAnswer
from switchboard.integrations.retry_budget import RetryBudget

READ_S = 2.0
WRITE_S = 2.5
PAUSE_S = (0.1, 0.3)
# A second try needs this much time besides its pause, or it only makes the caller wait.
WORTH_S = 0.2
# How long a request lets an earlier one of the same business be answered first.
BEHIND_S = 0.25

# Not its `accept-encoding`: the shared session asks for plain answers, whose size is what arrives.
_SENT_HEADERS = frozenset({"content-type", "accept", "x-goog-api-client", "if-match"})


class Declined(Exception):
    """Calendar answered with a status that is no success and no trouble of token, rate or server: 4xx."""

    def __init__(self, answer: Answer, *, is_write: bool) -> None:
        """Keep the answer for the method that knows what it means there."""
        super().__init__(f"{answer.status} {reason_of(answer)}")
        self.status = answer.status
        self.error = refused(answer, is_write=is_write)


class Transport:
    """Calendar's API for every business, over the shared session."""

    def __init__(self, http: HttpSession, calendar_url: str, tokens: AccessTokens) -> None:
        """Send to the API at `calendar_url`, which ends with a slash."""
        self._http, self._url, self._tokens = http, calendar_url, tokens
        self._retries = RetryBudget()
        self._leaders: dict[tuple[asyncio.AbstractEventLoop, Connection], asyncio.Future[None]] = {}

    async def warm(self) -> None:
        """Load the libraries that describe and send requests."""
        await self._http.warm()
        await library.service(self._url)

    async def send(
        self, connection: Connection, describe: Callable[[Any], Any], *, is_write: bool, if_match: str = ""
    ) -> JsonObject:
        """Send the request that `describe` makes of the library's resource, and return what is in the answer.

        Raises:
            Declined: A 4xx whose meaning depends on the method.
            ToolError: Every other failure.
        """
        request = describe(await library.service(self._url))
        if if_match:
            request.headers["if-match"] = if_match
        self._retries.earn()
        async with self._in_turn(connection):
            answer = await self._answered(connection, request, is_write)
        if answer.status >= 300:
            raise self._declined(answer, is_write)
        try:
            return library.read(request, answer)
        except ValueError as error:
            raise failure(ErrorType.TRANSIENT, f"unreadable answer: {error}", is_unknown=is_write) from None

    @asynccontextmanager
    async def _in_turn(self, connection: Connection) -> AsyncIterator[None]:
        """Let the request before be answered first, unless that takes long.

        Twenty callers who meet a revoked permission at once would otherwise make twenty requests to learn it. The
        time is bounded, and whoever comes when nobody is waiting for Calendar waits for nobody.
        """
        key = (asyncio.get_running_loop(), connection)
        leader = self._leaders.get(key)
        if leader is not None:
            await asyncio.wait([leader], timeout=bounded(BEHIND_S))
            yield
            return
        mine = self._leaders[key] = key[0].create_future()
        try:
            yield
        finally:
            del self._leaders[key]
            mine.set_result(None)

    async def _answered(self, connection: Connection, request: Any, is_write: bool) -> Answer:
        token = await self._tokens.current(connection)
        answer = await self._tried(request, token, is_write)
        if answer.status != 401:
            return answer
        token = await self._tokens.instead_of(connection, token)
        answer = await self._tried(request, token, is_write)
        if answer.status == 401:
            self._tokens.give_up(connection, token)
        return answer

    async def _tried(self, request: Any, token: AccessToken, is_write: bool) -> Answer:
        try:
            answer = await self._once(request, token, is_write)
        except NoAnswer as error:
            if (is_write and error.was_sent) or error.timed_out or not await self._may_try_again(is_write):
                raise unanswered(error, is_write=is_write) from None
        else:
            if not _may_pass(answer, is_write) or not await self._may_try_again(is_write):
                return answer
        try:
            return await self._once(request, token, is_write)
        except NoAnswer as error:
            raise unanswered(error, is_write=is_write) from None

    async def _once(self, request: Any, token: AccessToken, is_write: bool) -> Answer:
        headers = {name: value for name, value in request.headers.items() if name.lower() in _SENT_HEADERS}
        headers["Authorization"] = f"Bearer {token.text}"
        body = request.body.encode() if request.body is not None else None
        return await self._http.request(
            request.method, request.uri, headers=headers, body=body, timeout_s=WRITE_S if is_write else READ_S
        )

    async def _may_try_again(self, is_write: bool) -> bool:
        pause = random.uniform(*PAUSE_S)
        if bounded(WRITE_S if is_write else READ_S) < pause + WORTH_S or not self._retries.spend():
            return False
        await asyncio.sleep(pause)
        return True

    def _declined(self, answer: Answer, is_write: bool) -> Declined | ToolError:
        declined = Declined(answer, is_write=is_write)
        return declined if declined.error.type is ErrorType.PERMANENT else declined.error


def _may_pass(answer: Answer, is_write: bool) -> bool:
    """Tell whether the same request may be answered better in a moment, and nothing was done by it yet."""
    if answer.status in (403, 429):
        return reason_of(answer) in SOON_OVER or (answer.status == 429 and not reason_of(answer))
    return answer.status >= 500 and not is_write
