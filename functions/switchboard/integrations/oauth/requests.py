"""Requests that carry a business's token, within time, and with at most one second try.

Second tries: a refused token is replaced once; a limit that is soon over is waited out once,
since what it refuses was not carried out; a read that failed is asked once more. A write that may have been carried
out is never sent again: its caller reads and decides.
"""

import asyncio
import random
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import field

from cachetools import LRUCache

from switchboard.contract.deadline import bounded
from switchboard.contract.error import ErrorType
from switchboard.contract.ports import Clock
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.retry_after import retry_after_s
from switchboard.integrations.calendar_failures import CalendarFailures
from switchboard.integrations.http_session import HttpAnswer, HttpSession, NoAnswer
from switchboard.integrations.oauth.tokens import AccessToken, OAuthConnection, TokenSource
from switchboard.integrations.retry_budget import RetryBudget

READ_S = 2.0
WRITE_S = 2.5
PAUSE_S = (0.1, 0.3)
# A second try needs this much time besides its pause, or it only makes the caller wait.
WORTH_S = 0.2
# How long a request lets an earlier one of the same business be answered first.
BEHIND_S = 0.25
# Nobody is kept out for longer by what a vendor asks for.
LONGEST_PAUSE_S = 600.0
_REMEMBERED = 10_000


@dataclass(frozen=True, slots=True)
class AuthorizedRequest:
    """One request: `url` is absolute; the token comes to its headers when it is sent."""

    method: str
    url: str
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes | None = field(default=None, repr=False)


class AuthorisedRequests:
    """Sends the requests of every business to one vendor, over the shared session."""

    def __init__(
        self,
        http: HttpSession,
        tokens: TokenSource,
        failures: CalendarFailures,
        is_soon_over: Callable[[HttpAnswer], bool],
        clock: Clock,
    ) -> None:
        """Send with `tokens`; `is_soon_over` tells limits that count by the second from those that last."""
        self._http, self._tokens, self._failures, self._clock = http, tokens, failures, clock
        self._is_soon_over = is_soon_over
        self._retries = RetryBudget()
        self._leaders: dict[tuple[asyncio.AbstractEventLoop, OAuthConnection], asyncio.Future[None]] = {}
        self._not_before: LRUCache[OAuthConnection, float] = LRUCache(_REMEMBERED)

    async def warm(self) -> None:
        """Load the library that sends requests."""
        await self._http.warm()

    async def answer(self, connection: OAuthConnection, asked: AuthorizedRequest, *, is_write: bool) -> HttpAnswer:
        """Return what the vendor answers in the end; a refusal is an answer.

        Raises:
            ToolError: There is no token, or no answer, or the vendor wants to be left alone for now.
        """
        await self._past_pause(connection, is_write)
        self._retries.earn()
        async with self._in_turn(connection):
            token = await self._tokens.current(connection)
            answer = await self._tried(connection, asked, token, is_write)
            if answer.status != 401:
                return answer
            token = await self._tokens.instead_of(connection, token)
            answer = await self._tried(connection, asked, token, is_write)
            if answer.status == 401:
                self._tokens.give_up(connection, token)
            return answer

    async def _past_pause(self, connection: OAuthConnection, is_write: bool) -> None:
        """Wait until the vendor may be asked again, where the call can wait for that."""
        left = self._not_before.get(connection, 0.0) - self._clock.monotonic()
        if left <= 0:
            return
        if bounded(WRITE_S if is_write else READ_S) < left + WORTH_S:
            raise self._failures.failure(ErrorType.RATE_LIMIT, f"not asked: {left:.0f} s of Retry-After are left")
        await asyncio.sleep(left)

    @asynccontextmanager
    async def _in_turn(self, connection: OAuthConnection) -> AsyncIterator[None]:
        """Let the request before be answered first, unless that takes long.

        Twenty callers who meet a revoked permission at once would otherwise make twenty requests to learn it. The
        time is bounded, and whoever comes when nobody is waiting for the vendor waits for nobody.
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

    async def _tried(
        self, connection: OAuthConnection, asked: AuthorizedRequest, token: AccessToken, is_write: bool
    ) -> HttpAnswer:
        pause = random.uniform(*PAUSE_S)
        try:
            answer = await self._once(connection, asked, token, is_write)
        except NoAnswer as error:
            if (is_write and error.was_sent) or error.timed_out or not await self._may_try_again(is_write, pause):
                raise self._failures.unanswered(error, is_write=is_write) from None
        else:
            pause = max(pause, _retry_after(answer))
            if not self._may_pass(answer, is_write) or not await self._may_try_again(is_write, pause):
                return answer
        try:
            return await self._once(connection, asked, token, is_write)
        except NoAnswer as error:
            raise self._failures.unanswered(error, is_write=is_write) from None

    async def _once(
        self, connection: OAuthConnection, asked: AuthorizedRequest, token: AccessToken, is_write: bool
    ) -> HttpAnswer:
        answer = await self._http.request(
            asked.method,
            asked.url,
            headers={**asked.headers, "Authorization": f"Bearer {token.text}"},
            body=asked.body,
            timeout_s=WRITE_S if is_write else READ_S,
        )
        if (pause := _retry_after(answer)) > 0:
            # Whoever asks before then only lengthens it.
            self._not_before[connection] = self._clock.monotonic() + pause
        else:
            self._not_before.pop(connection, None)
        return answer

    def _may_pass(self, answer: HttpAnswer, is_write: bool) -> bool:
        """Tell whether the same request may be answered better in a moment, and nothing was done by it yet."""
        if answer.status in (403, 429):
            return self._is_soon_over(answer)
        return answer.status >= 500 and not is_write

    async def _may_try_again(self, is_write: bool, pause: float) -> bool:
        if bounded(WRITE_S if is_write else READ_S) < pause + WORTH_S or not self._retries.spend():
            return False
        await asyncio.sleep(pause)
        return True


def _retry_after(answer: HttpAnswer) -> float:
    """Return the seconds for which a refusal asks to be left alone; 0 where it does not say."""
    if answer.status not in (429, 503):
        return 0.0
    return retry_after_s(answer.headers, LONGEST_PAUSE_S) or 0.0
