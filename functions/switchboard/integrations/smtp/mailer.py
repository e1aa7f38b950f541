"""`Mailers` over SMTP: the business's own server, TLS always, one message a connection."""

import asyncio
import ssl
from contextlib import ExitStack, suppress
from functools import cached_property

from switchboard.contract.business.business import Business
from switchboard.contract.deadline import bounded
from switchboard.contract.ports import Clock, Secrets
from switchboard.integrations.smtp.account import (
    PASSWORD,
    TOOLKIT,
    SmtpAccount,
    has_set_server,
    must_be_connected_again,
    read_account,
    stand_in_account,
)
from switchboard.integrations.smtp.errors import expected, translated
from switchboard.integrations.smtp.message import compose
from switchboard.integrations.smtp.route import Route

# Connecting, TLS, logging in and handing over; servers that look at the message first take a second or two.
SEND_S = 8.0
# The message is accepted by then: saying goodbye may not cost the caller anything.
_GOODBYE_S = 0.3


class SmtpMailers:
    """The mail accounts of all businesses."""

    def __init__(
        self,
        secrets: Secrets,
        clock: Clock,
        tls: ssl.SSLContext | None = None,
        route: Route | None = None,
        stand_in: tuple[str, int] | None = None,
    ) -> None:
        """Send by what businesses have set.

        Args:
            secrets: Has their passwords.
            clock: Dates the messages.
            tls: Which certificates to trust instead of the public authorities', for a server of one's own network;
                it may then have a private address too.
            route: Connects to servers; None for the usual way.
            stand_in: Host and port on this machine of what takes the mail of businesses that have set no server of
                their own; None for nothing, so that these have no mail.
        """
        self._secrets, self._clock, self._tls = secrets, clock, tls
        self._route, self._stand_in = route or Route(private=tls is not None), stand_in

    async def of(self, business: Business) -> "SmtpMailer | None":
        """Return a business's mail account, or None where none is connected.

        Raises:
            ToolError: AUTH, its password is missing or known to be refused; PERMANENT, a setting cannot work.
        """
        if self._stand_in is not None and not has_set_server(business):
            account = stand_in_account(business, *self._stand_in)
            return SmtpMailer(account, self._clock, None, Route(private=True))
        connection = business.integrations.get(TOOLKIT)
        if connection is None or not connection.is_connected:
            return None
        if connection.needs_reauth:
            raise must_be_connected_again("integrations.email.needsReauth is set")
        password = await self._secrets.reveal(business.id, TOOLKIT, PASSWORD, agent_id=connection.agent_id)
        context = self._tls or self._public_authorities
        return SmtpMailer(read_account(business, password), self._clock, context, self._route)

    @cached_property
    def _public_authorities(self) -> ssl.SSLContext:
        # Reading some hundred certificates takes milliseconds, so that it happens once.
        return ssl.create_default_context()


class SmtpMailer:
    """One business's mail account."""

    def __init__(self, account: SmtpAccount, clock: Clock, tls: ssl.SSLContext | None, route: Route) -> None:
        """Send through `account`, over connections by `route`; `tls` is for an account that has security."""
        self._account, self._clock, self._tls, self._route = account, clock, tls, route

    async def log_in(self) -> None:
        """Connect and log in, and send nothing: tells whether the account can be used.

        Raises:
            ToolError: As for `send`; nothing was sent.
        """
        delivery = _Delivery(self._account, self._tls)
        try:
            async with asyncio.timeout(bounded(SEND_S)):
                await delivery.connect(self._route)
        except expected() as error:
            raise translated(error, underway=False) from error
        finally:
            await delivery.end()

    async def send(self, to: str, subject: str, body: str, message_id: str) -> None:
        """Send one plain-text message, once: nothing is tried again here.

        Raises:
            ToolError: As the port says; `errors.table` tells which failure is which.
        """
        delivery = _Delivery(self._account, self._tls)
        try:
            message = compose(self._account, to, subject, body, message_id, self._clock.now())
            async with asyncio.timeout(bounded(SEND_S)):
                await delivery.connect(self._route)
                await delivery.hand_over(to, message)
        except expected() as error:
            raise translated(error, underway=delivery.is_underway) from error
        finally:
            await delivery.end()


class _Delivery:
    """One connection, and how far it came."""

    def __init__(self, account: SmtpAccount, tls: ssl.SSLContext | None) -> None:
        # Imported here: no cold start should pay for a library that most calls never need.
        from aiosmtplib import SMTP

        self._account = account
        # The library's own way to log in waits for `connect`, whose time-outs it would count one by one.
        self._client = SMTP(
            # Its own name in the greeting; the default would ask the name service who we are.
            local_hostname=account.sender.rpartition("@")[2],
            tls_context=tls,
            timeout=bounded(SEND_S),
        )
        self.is_underway = False
        self._is_accepted = False

    async def connect(self, route: Route) -> None:
        account = self._account
        connection = await route.connected(account.server, account.port)
        is_tls = account.security == "tls"
        with ExitStack() as unless_taken_over:
            unless_taken_over.enter_context(connection)
            await self._client.connect(sock=connection, hostname=account.server, use_tls=is_tls, start_tls=False)
            unless_taken_over.pop_all()
        if account.security == "none":
            return
        if not is_tls:
            await self._client.starttls(server_hostname=account.server)
        await self._client.login(account.username, account.password)

    async def hand_over(self, to: str, message: bytes) -> None:
        await self._client.mail(self._account.sender)
        await self._client.rcpt(to)
        self.is_underway = True
        await self._client.data(message)
        self._is_accepted = True

    async def end(self) -> None:
        if self._is_accepted:
            with suppress(*expected()):
                await self._client.quit(timeout=_GOODBYE_S)
        self._client.close()
