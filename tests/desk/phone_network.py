"""The phone network and the mail in memory: what was sent, and how it fails when told to."""

import asyncio
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Any

from switchboard.contract.business.business import Business
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.ports import Clock, Mailer, Store, Telephony
from switchboard.contract.telephony import SentText, TextStatus
from switchboard.desk.limits.rate_limits import RateLimits
from switchboard.desk.messaging.sms import Texts
from tests.desk.front_desk import salon

SENDER, CALLER, OTHER, OWNER = "+15185550100", "+15185550171", "+15185550172", "+15185550144"
RULES = [
    {"id": "front-desk", "action": "transfer", "label": "Front desk", "destination": "+15185550143"},
    {
        "id": "owner-message",
        "action": "message",
        "label": "Message to Rosa",
        "destination": OWNER,
        "email": "rosa@example.com",
    },
]

BUSY = ToolError(ErrorType.RATE_LIMIT, "The phone network takes no more.")
LOST = ToolError(ErrorType.TRANSIENT, "Nobody knows.", retryable=False, partial_side_effects=True)
AWAY = ToolError(ErrorType.TRANSIENT, "Nobody there.")
CLOSED = ToolError(ErrorType.AUTH, "Connect again.")
REFUSED = ToolError(ErrorType.PERMANENT, "Never.")
STOPPED = ToolError(ErrorType.PERMANENT, "Stopped.", meta={"reason": "opted_out"})


def phone_salon(id: str = "demo-salon", rules: list[dict[str, Any]] | None = None, **settings: Any) -> Business:
    """Return the salon with an account with the phone network and its settings."""
    return read(id, rules, settings)


def document(rules: list[dict[str, Any]] | None = None, **settings: Any) -> dict[str, Any]:
    """Return the fields that make a salon one with a phone account."""
    return {
        "twilioNumber": SENDER,
        "integrations": {"twilio": {"isConnected": True, "accountSid": "AC" + "0" * 32, **settings}},
        "escalation": {"rules": RULES if rules is None else rules},
    }


def read(id: str, rules: list[dict[str, Any]] | None, settings: dict[str, Any]) -> Business:
    return salon(id, **document(rules, **settings))


class MemoryPhoneNetwork:
    """A phone network: `PhoneAccounts` and the one account that all of them share.

    `fail` makes the next requests fail; with `accepted` they are carried out all the same.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self.sent: list[SentText] = []
        self.redirected: list[tuple[str, str]] = []
        self.posts = 0
        self.listings = 0
        self._failures: list[tuple[ToolError, bool]] = []
        self.listing_fails: ToolError | None = None
        self.before_post: Callable[[], Any] | None = None
        self.prefix = ""
        self.status = TextStatus.ACCEPTED

    def fail(self, error: ToolError, *, times: int = 1, accepted: bool = False) -> None:
        self._failures += [(error, accepted)] * times

    async def of(self, business: Business) -> Telephony | None:
        connection = business.integrations.get("twilio")
        return self if connection and connection.is_usable else None

    async def send_text(self, to: str, sender: str, body: str) -> SentText:
        self.posts += 1
        await asyncio.sleep(0)
        if self.before_post is not None:
            await self.before_post()
        error, accepted = self._failures.pop(0) if self._failures else (None, True)
        text = SentText(
            id=f"SM{len(self.sent):032x}",
            to=to,
            sender=sender,
            body=self.prefix + body,
            status=self.status,
            at=self._clock.now(),
        )
        if accepted:
            self.sent.append(text)
        if error is not None:
            raise error
        return text

    async def texts_to(self, to: str, since: datetime) -> Sequence[SentText]:
        self.listings += 1
        if self.listing_fails is not None:
            raise self.listing_fails
        # Its clock is half a second behind ours, and its times have no fractions.
        return [t for t in reversed(self.sent) if t.to == to and t.at - timedelta(milliseconds=500) >= since]

    async def redirect_call(self, call_sid: str, twiml: str) -> None:
        error, accepted = self._failures.pop(0) if self._failures else (None, True)
        if accepted:
            self.redirected.append((call_sid, twiml))
        if error is not None:
            raise error

    async def hang_up(self, call_sid: str) -> None:
        raise NotImplementedError


class MemoryMail:
    """The mail: `Mailers`, and the one account that all of them share."""

    def __init__(self) -> None:
        self.sent: list[tuple[str, str, str, str]] = []
        self.failures: list[ToolError] = []
        self.is_connected = True
        self.before_send: Callable[[], Any] | None = None

    async def of(self, business: Business) -> Mailer | None:
        return self if self.is_connected else None

    async def send(self, to: str, subject: str, body: str, message_id: str) -> None:
        if self.before_send is not None:
            await self.before_send()
        if self.failures:
            raise self.failures.pop(0)
        self.sent.append((to, subject, body, message_id))


def texts_over(store: Store, network: MemoryPhoneNetwork, clock: Clock) -> Texts:
    """Return the sending of texts over a network."""
    return Texts(store, network, RateLimits(store, clock), clock)
