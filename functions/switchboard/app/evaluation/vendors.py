"""What stands in for the phone network and the mail servers of a conversation that is held again.

Here nothing leaves the process: texts and e-mails are taken down where they would be handed over.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

from switchboard.contract.business.business import Business
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.telephony import SentText, TextStatus

if TYPE_CHECKING:
    from switchboard.app.container import Container
    from switchboard.contract.ports import Clock, Mailer, Telephony

_PHONE, _MAIL = "twilio", "email"
_LONGEST_TEXT = 1_600


@dataclass(frozen=True, slots=True)
class VendorsAccount:
    """A business's account with the phone network: its id, what it signs with, and its own numbers."""

    sid: str
    token: str
    numbers: tuple[str, ...]


class StandInVendors(Protocol):
    """What stands in for the vendors, run after run.

    Attributes:
        environment: Where the product finds them, as settings.
    """

    environment: Mapping[str, str]

    def begin(self, account: VendorsAccount) -> None:
        """Begin a run with an account of which nothing was asked yet, and no letters."""

    def join(self, house: Container) -> None:
        """Take the place of the vendors in a process of the product that was just built."""

    def texts(self) -> Sequence[Mapping[str, str]]:
        """Return what was texted in this run, each with `to` and `body`."""

    def emails(self) -> Sequence[Mapping[str, str]]:
        """Return what was mailed in this run, each with `to`, `subject` and `text`."""


@dataclass
class TakenDown:
    """StandInVendors of whom nobody is asked anything; other than the two of them, none is reached."""

    environment: Mapping[str, str] = field(default_factory=dict)
    sent: list[SentText] = field(default_factory=list)
    mailed: list[Mapping[str, str]] = field(default_factory=list)
    account: VendorsAccount = field(default_factory=lambda: VendorsAccount("", "", ()))

    def begin(self, account: VendorsAccount) -> None:
        """Forget what was taken down."""
        self.sent, self.mailed, self.account = [], [], account

    def join(self, house: Container) -> None:
        """Take their place."""
        house.__dict__ |= {"phones": _Phones(self, house.clock), "mailers": _Mailers(self)}

    def texts(self) -> Sequence[Mapping[str, str]]:
        """Return what was texted."""
        return [{"to": text.to, "body": text.body} for text in self.sent]

    def emails(self) -> Sequence[Mapping[str, str]]:
        """Return what was mailed, the newest first."""
        return list(reversed(self.mailed))


class _Phones:
    """The one account of a run, for the business that has connected it."""

    def __init__(self, taken: TakenDown, clock: Clock) -> None:
        self._taken, self._clock = taken, clock

    async def of(self, business: Business) -> Telephony | None:
        connection = business.integrations.get(_PHONE)
        return self if connection is not None and connection.is_connected else None

    async def send_text(self, to: str, sender: str, body: str) -> SentText:
        if sender not in self._taken.account.numbers or len(body) > _LONGEST_TEXT or not to.startswith("+"):
            raise ToolError(ErrorType.PERMANENT, "This text cannot be sent.")
        id = f"SM{len(self._taken.sent) + 1:032x}"
        text = SentText(id=id, to=to, sender=sender, body=body, status=TextStatus.ACCEPTED, at=self._clock.now())
        self._taken.sent.append(text)
        return text

    async def texts_to(self, to: str, since: datetime) -> Sequence[SentText]:
        return [text for text in reversed(self._taken.sent) if text.to == to and text.at >= since]

    async def redirect_call(self, call_sid: str, twiml: str) -> None:
        """Nobody listens on."""

    async def hang_up(self, call_sid: str) -> None:
        """Nobody is there."""


class _Mailers:
    """A mail account for every business: its own server is not asked whether it would take a letter."""

    def __init__(self, taken: TakenDown) -> None:
        self._taken = taken

    async def of(self, business: Business) -> Mailer | None:
        return self

    async def send(self, to: str, subject: str, body: str, message_id: str) -> None:
        self._taken.mailed.append({"to": to, "subject": subject, "text": body})
