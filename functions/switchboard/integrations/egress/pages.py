"""Web pages that owners have read in: through the egress door, every address on the way checked as the first."""

import re
from urllib.parse import urljoin

from switchboard.contract.deadline import ending_in
from switchboard.contract.error import ErrorType, ServiceFault, ToolError
from switchboard.contract.python.dataclass import dataclass
from switchboard.integrations.egress.egress import SafeEgress
from switchboard.integrations.egress.target import Target, UnusableAddress, read_target
from switchboard.integrations.http_session import HttpAnswer

MOST_HOPS = 5
_ELSEWHERE = frozenset({301, 302, 303, 307, 308})
_ACCEPT = {"Accept": "text/html, application/pdf;q=0.9, text/plain;q=0.8, */*;q=0.1"}
_CHARSET = re.compile(r"charset=\"?([\w-]{1,40})")
_REFUSED = "egress refused: "
_TOO_LONG = "with more than can be read"
_SPEAKS_NO_TLS = "It does not speak https as browsers do today (TLS 1.2 or newer)."
_STATUSES = {
    401: "it wants a sign-in",
    403: "it lets nobody in unasked",
    404: "there is no such page",
    410: "it is gone",
}


@dataclass(frozen=True, slots=True)
class FetchedPage:
    """What an address was answered with.

    Attributes:
        address: The address that was asked for, in its one usual spelling.
        last_address: Where the page was at last; the same where it was not sent on.
        content: The body.
        media: Its media type, in lower case; empty where the server does not say.
        charset: What the server says that its text is in; empty where it does not.
    """

    address: str
    last_address: str
    content: bytes
    media: str = ""
    charset: str = ""


class PageEgress(SafeEgress):
    """The egress door for pages: longer, slower and more often moved than what owners' tools are answered."""

    most_sent, most_bytes, reads_within_s = 10 * 1024 * 1024, 10 * 1024 * 1024, 6.0

    async def page(self, url: str) -> FetchedPage:
        """Return a page, wherever it was at last.

        Raises:
            ToolError: PERMANENT, an address on the way may not be called, or there is no page, in words for who typed
                the address; TRANSIENT, there was no answer in time.
        """
        with ending_in(self.reads_within_s):
            at, addresses = url, list[str]()
            for _ in range(MOST_HOPS + 1):
                target, answer = await self._looked_up(at, is_first=at == url)
                addresses.append(target.url)
                location = answer.headers.get("Location")
                if answer.status not in _ELSEWHERE or not location:
                    break
                at = urljoin(target.url, location)
            else:
                raise _refused(
                    f"The page sends on more than {MOST_HOPS} times. Use the address that a browser ends at."
                )
        if answer.status != 200:
            why = _STATUSES.get(
                answer.status, "its server is in trouble" if answer.status >= 500 else "there is no page"
            )
            raise _refused(f"The address answers with status {answer.status}: {why}.")
        media, _, parameters = answer.headers.get("Content-Type", "").lower().partition(";")
        charset = _CHARSET.search(parameters)
        return FetchedPage(addresses[0], addresses[-1], answer.body, media.strip(), charset[1] if charset else "")

    async def _looked_up(self, url: str, *, is_first: bool) -> tuple[Target, HttpAnswer]:
        what = "This address" if is_first else "The page sends on to another address, which"
        problem = self.problem(url)
        if problem is not None:
            raise _refused(f"{what} may not be read: {problem}.")
        try:
            target = read_target(url)
            return target, await self._sent("GET", target, _ACCEPT, None)
        except UnusableAddress as error:
            raise _refused(f"{what} may not be read: {error}.") from None
        except ToolError as error:
            raise _as_page(error, what) from None


def _refused(sentence: str) -> ToolError:
    return ToolError(ErrorType.PERMANENT, sentence, detail="page: refused")


def _as_page(error: ToolError, what: str) -> ToolError:
    """Return what befell a request in words about a page, for the failures speak of a tool."""
    detail, reason = error.detail or "", (error.meta or {}).get("reason")
    if error.type is ErrorType.TRANSIENT:
        sentence = f"{what} did not answer in time. Look whether it opens in a browser, and try again."
        return ToolError(ErrorType.TRANSIENT, sentence, detail=detail)
    if reason == ServiceFault.ADDRESS_NOT_ALLOWED.value:
        return _refused(f"{what} may not be read: {detail.removeprefix(_REFUSED)}.")
    if reason == ServiceFault.TLS_FAILED.value:
        return _refused(_SPEAKS_NO_TLS)
    if reason == ServiceFault.CERTIFICATE_REFUSED.value:
        return _refused(f"{what} does not prove that it is who its name says: its certificate is not accepted.")
    if _TOO_LONG in detail:
        return _refused(f"The page is longer than {PageEgress.most_bytes // 1_048_576} MB. Take the text from a file.")
    return _refused("The page came in a form that cannot be read.")
