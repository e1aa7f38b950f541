"""One business's Twilio account as the house's `Telephony` port, through Twilio's own SDK."""

import asyncio
import random
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Any, TypeVar

from twilio.base.exceptions import TwilioException  # type: ignore[import-untyped]
from twilio.rest import Client  # type: ignore[import-untyped]

from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.telephony import SentText, TextStatus
from switchboard.integrations.http_session import NoAnswer
from switchboard.integrations.twilio.errors import Request, answered, unanswered
from switchboard.integrations.twilio.transport import TwilioTransport

T = TypeVar("T")

# Twilio's own words; what they may add later counts as accepted until we know better.
STATUSES: dict[str, TextStatus] = {
    "accepted": TextStatus.ACCEPTED,
    "scheduled": TextStatus.ACCEPTED,
    "queued": TextStatus.ACCEPTED,
    "sending": TextStatus.ACCEPTED,
    "sent": TextStatus.SENT,
    "delivered": TextStatus.DELIVERED,
    "partially_delivered": TextStatus.DELIVERED,
    "read": TextStatus.DELIVERED,
    "undelivered": TextStatus.FAILED,
    "failed": TextStatus.FAILED,
    "canceled": TextStatus.FAILED,
    "receiving": TextStatus.DELIVERED,
    "received": TextStatus.DELIVERED,
}
_LISTED = 50
_PAUSE_S = (0.15, 0.45)


class TwilioPhone:
    """Sends texts and changes phone calls of one account.

    Args:
        account_sid: `AC` and 32 hex digits.
        auth_token: Never shown, logged or stored here.
        transport: Shared by all accounts of the process.
        pause: Waits so many seconds before something is tried again.
    """

    def __init__(
        self,
        account_sid: str,
        auth_token: str,
        transport: TwilioTransport,
        pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        # The SDK would otherwise read a region and an edge from the environment; an empty one it does not believe.
        environment = {"TWILIO_REGION": ""}
        self._client = Client(account_sid, auth_token, http_client=transport, environment=environment)
        self._pause = pause

    async def send_text(self, to: str, sender: str, body: str) -> SentText:
        """Send one text message; tried a second time only where the first certainly was not taken up."""
        sending = partial(self._client.messages.create_async, to=to, from_=sender, body=body)
        return _sent(await self._asked("text", sending, again=frozenset({ErrorType.RATE_LIMIT})))

    async def texts_to(self, to: str, since: datetime) -> Sequence[SentText]:
        """Return what was sent to a number since then, newest first; at most fifty."""
        # Twilio's own filter goes by the day, and by a time that a waiting text does not have yet.
        listing = partial(self._client.messages.list_async, to=to, limit=_LISTED, page_size=_LISTED)
        messages = await self._asked("list", listing, again=frozenset({ErrorType.RATE_LIMIT, ErrorType.TRANSIENT}))
        texts = [_sent(message) for message in messages if str(message.direction).startswith("outbound")]
        return sorted((text for text in texts if text.at >= since), key=lambda text: text.at, reverse=True)

    async def redirect_call(self, call_sid: str, twiml: str) -> None:
        """Replace what a running phone call is doing.

        Raises:
            ToolError: CONFLICT, it has ended; NOT_FOUND, it is none of this account's.
        """
        await self._changed(call_sid, twiml=twiml)

    async def hang_up(self, call_sid: str) -> None:
        """End a phone call; one that has ended counts as ended."""
        try:
            await self._changed(call_sid, status="completed")
        except ToolError as error:
            if error.type is not ErrorType.CONFLICT:
                raise

    async def _changed(self, call_sid: str, **fields: str) -> None:
        changing = partial(self._client.calls(call_sid).update_async, **fields)
        # Once more after no answer too: the same change twice is one change.
        await self._asked("call", changing, again=frozenset({ErrorType.RATE_LIMIT, ErrorType.TRANSIENT}))

    async def _asked(self, request: Request, ask: Callable[[], Awaitable[T]], *, again: frozenset[ErrorType]) -> T:
        try:
            return await _once(request, ask)
        except ToolError as error:
            if error.type not in again:
                raise
        await self._pause(random.uniform(*_PAUSE_S))
        return await _once(request, ask)


async def _once(request: Request, ask: Callable[[], Awaitable[T]]) -> T:
    try:
        return await ask()
    except TwilioException as error:
        # Two classes with nothing in common but this base: both have `status` and `code`, and the base has neither.
        status, code = getattr(error, "status", 0), getattr(error, "code", None)
        if not status and len(error.args) > 1:
            # For a page of a list the SDK raises the bare base, with the response beside its words.
            status = getattr(error.args[1], "status_code", 0)
        if not status:
            raise unanswered(request, repr(error), sent=True) from error
        raise answered(int(status), code if isinstance(code, int) else None, request) from error
    except NoAnswer as error:
        raise unanswered(request, f"no answer: {error}", sent=error.was_sent) from error
    except ValueError as error:
        # An answer that is no JSON: whoever gave it may have done what was asked.
        raise unanswered(request, repr(error), sent=True) from error


def _sent(message: Any) -> SentText:
    at = message.date_created or datetime.now(UTC)
    return SentText(
        id=str(message.sid),
        to=str(message.to),
        sender=str(message.from_ or ""),
        body=str(message.body or ""),
        status=STATUSES.get(str(message.status), TextStatus.ACCEPTED),
        at=at if at.tzinfo else at.replace(tzinfo=UTC),
    )
