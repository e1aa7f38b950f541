"""Requests to a CalDAV server: with the account's password, within time, through the egress door, to nobody else.

Second tries: a read whose connection broke is asked once more, and a request that the server puts off for a moment is
sent again then, since nothing was done by it. A write that may have been carried out is never sent again: its caller
reads and decides.
"""

import asyncio
from collections.abc import Mapping
from urllib.parse import urljoin

from switchboard.contract.deadline import bounded, ending_in
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.python.dataclass import dataclass
from switchboard.integrations.caldav.account import CaldavAccount
from switchboard.integrations.caldav.failures import failure, is_put_off, not_sent, refused, wait_s
from switchboard.integrations.caldav.multistatus import DavResponse, UnreadableMultistatus, read_multistatus
from switchboard.integrations.egress.egress import SafeEgress
from switchboard.integrations.egress.request_headers import sendable
from switchboard.integrations.http_session import HttpAnswer
from switchboard.integrations.retry_budget import RetryBudget

READ_S = 3.0
WRITE_S = 4.0
READING = frozenset({"PROPFIND", "REPORT"})
# As long as a server may put a request off for it to be waited for, and the time that the second try then needs.
SOON_S = 1.0
WORTH_S = 0.3
_XML = "application/xml; charset=utf-8"


class DavEgress(SafeEgress):
    """The egress door for WebDAV's methods; a busy calendar is longer than what owners' tools are answered."""

    most_sent, most_bytes = 4 * 1024 * 1024, 8 * 1024 * 1024

    async def send(self, method: str, url: str, headers: Mapping[str, str], body: bytes | None) -> HttpAnswer:
        """Send one request, once; a redirect is an answer like others.

        Raises:
            ToolError: As `SafeEgress.request`.
        """
        target, sent = self._checked(url), sendable(headers)
        with ending_in(READ_S if method in READING else WRITE_S):
            return await self._sent(method, target, sent, body)


@dataclass(frozen=True, slots=True)
class Dav:
    """One account's way to its server.

    Attributes:
        egress: The door.
        retries: How many second tries there may be; shared by all accounts.
        account: Whose password is shown.
    """

    egress: DavEgress
    retries: RetryBudget
    account: CaldavAccount

    async def rows(self, method: str, url: str, body: str, *, depth: int) -> list[DavResponse]:
        """Ask about things and return a row for each.

        Raises:
            ToolError: Every failure.
        """
        answer = await self.send(method, url, body.encode(), {"Content-Type": _XML, "Depth": str(depth)})
        if answer.status != 207:
            raise refused(answer, is_write=False)
        try:
            return read_multistatus(answer.body)
        except UnreadableMultistatus as error:
            raise failure(ErrorType.TRANSIENT, f"unreadable answer: {error}") from None

    async def send(self, method: str, url: str, body: bytes | None, headers: Mapping[str, str]) -> HttpAnswer:
        """Send a request and return whatever the server answers.

        Raises:
            ToolError: There was no answer, or nothing was sent; RATE_LIMIT where the server puts it off for long.
        """
        if not self.account.may_receive(url):
            raise failure(ErrorType.PERMANENT, "the address is on another host than the account's server")
        shown = {**headers, "Authorization": self.account.authorization}
        self.retries.earn()
        try:
            answer = await self.egress.send(method, url, shown, body)
        except ToolError as error:
            if method not in READING or not _is_lost(error) or not await self._may_wait(0.1):
                raise not_sent(error) from None
        else:
            if not is_put_off(answer) or not await self._may_wait(wait_s(answer) or 0.2):
                return answer
        try:
            return await self.egress.send(method, url, shown, body)
        except ToolError as error:
            raise not_sent(error) from None

    def within(self, url: str, href: str) -> str:
        """Return the absolute address of what an answer of `url` names.

        Raises:
            ToolError: PERMANENT, it is somewhere that the password may not be sent to.
        """
        try:
            address = urljoin(url, href)
        except ValueError:
            address = ""
        if not self.account.may_receive(address):
            raise failure(ErrorType.PERMANENT, "the server names an address on another host")
        return address

    async def _may_wait(self, pause: float) -> bool:
        if pause > SOON_S or bounded(WRITE_S) < pause + WORTH_S or not self.retries.spend():
            return False
        await asyncio.sleep(pause)
        return True


def _is_lost(error: ToolError) -> bool:
    """Tell whether a connection broke, so that another may do; who was waited for in vain is not asked again."""
    return error.type is ErrorType.TRANSIENT and "Timeout" not in error.detail
