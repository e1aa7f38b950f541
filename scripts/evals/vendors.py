"""Servers on this machine that stand in for the vendors of the conversations of a process."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from stand_ins.loopback import serving
from stand_ins.mail_server import MailStandIn
from stand_ins.twilio.account import Account
from stand_ins.twilio.app import TwilioStandIn
from switchboard.app.container import Container
from switchboard.app.evaluation.vendors import VendorsAccount


class VendorServers:
    """Those of one process, run after run: starting servers takes longer than most runs."""

    def __init__(self, twilio_url: str, mail_port: int, mail: MailStandIn, switch: _Switch) -> None:
        """Know where they are."""
        self._mail, self._switch, self._account = mail, switch, Account()
        self.environment: Mapping[str, str] = {
            "SWITCHBOARD_TWILIO_BASE_URL": twilio_url,
            "SWITCHBOARD_SMTP_STAND_IN": f"127.0.0.1:{mail_port}",
        }

    def begin(self, account: VendorsAccount) -> None:
        """As the port of vendors says; so do the others."""
        self._mail.clear()
        self._account = Account(sid=account.sid, token=account.token, numbers=set(account.numbers))
        self._switch.app = TwilioStandIn(self._account).app

    def join(self, house: Container) -> None:
        """The product finds them by its settings."""

    def texts(self) -> Sequence[Mapping[str, str]]:
        return list(self._account.texts.values())

    def emails(self) -> Sequence[Mapping[str, str]]:
        return self._mail.newest()


@contextmanager
def vendors() -> Iterator[VendorServers]:
    """Give what stands in for the vendors, on ports of this machine."""
    mail, switch = MailStandIn(), _Switch()
    with serving(switch) as url, mail.serving() as port:
        yield VendorServers(url, port, mail, switch)


class _Switch:
    """Leads to the stand-in of the run that is under way."""

    app: Any = None

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        await self.app(scope, receive, send)
