"""The `Egress` port: requests to addresses that owners chose.

Only https, only public addresses, no redirects to elsewhere, nothing beyond its bounds, everything sent once.
"""

import ssl
from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING
from urllib.parse import urljoin

from switchboard.contract.deadline import bounded, ending_in
from switchboard.contract.policy import OWNERS_ACTION_S, OWNERS_READ_TOTAL_S
from switchboard.integrations.egress import failures
from switchboard.integrations.egress.answer_body import BODY_BYTES as ANSWER_BYTES
from switchboard.integrations.egress.answer_body import SENT_BYTES, AnswerTooLong, UnreadableAnswer, read_body
from switchboard.integrations.egress.connections import EgressSession
from switchboard.integrations.egress.names import AddressRefused, SystemNames
from switchboard.integrations.egress.public_address import refusal
from switchboard.integrations.egress.request_headers import sendable
from switchboard.integrations.egress.target import Target, UnusableAddress, read_target
from switchboard.integrations.http_session import HttpAnswer

if TYPE_CHECKING:
    import aiohttp

    from switchboard.integrations.egress.names import Lookup
    from switchboard.integrations.egress.transport import OpenSocket

TOTAL_S = OWNERS_READ_TOTAL_S
"""The longest that a GET may take, from the name's look-up to the last byte of what a redirect led to."""
CONNECT_S = 1.5
BODY_BYTES = 256 * 1024
"""The most that a request may carry."""
METHODS = frozenset({"GET", "POST", "PUT", "PATCH", "DELETE"})
PORTS = frozenset({443, 2053, 2083, 2087, 2096, 8443})
"""Where https is served on the internet; anything else would lend itself to looking for open ports."""
_ELSEWHERE = frozenset({301, 302, 303, 307, 308})
_CHUNK = 16_384


def longest_s(method: str) -> float:
    """Return how many seconds a request may take; one that changes something is not stopped half-way."""
    return TOTAL_S if method in failures.READING else OWNERS_ACTION_S


class SafeEgress:
    """Sends what owners' tools send. Nothing of a request stands in what it raises, logs or shows.

    Attributes:
        most_sent: The most bytes of an answer that may come over the wire.
        most_bytes: The most that it may be once it is unpacked.
        reads_within_s: The longest that a request may take which changes nothing.
    """

    most_sent, most_bytes, reads_within_s = SENT_BYTES, ANSWER_BYTES, TOTAL_S

    def __init__(
        self,
        *,
        own_urls: Collection[str] = (),
        stand_ins: Collection[str] = (),
        ports: Collection[int] = PORTS,
        lookup: "Lookup | None" = None,
        open_socket: "OpenSocket | None" = None,
        trust: ssl.SSLContext | None = None,
    ) -> None:
        """Connect nowhere yet.

        Args:
            own_urls: Where this deployment itself is reached: never by its own tools.
            stand_ins: Hosts, or `host:port`s, that are reached unchecked and also by http; in local mode only.
            ports: The ports that may be called.
            lookup: Turns names into addresses; None for the system's way.
            open_socket: Makes the sockets, each for an address that was checked; None for the usual ones.
            trust: Which authorities are believed; None for the system's.
        """
        self._own = frozenset(read_target(url).origin[1:] for url in own_urls)
        self._stand_ins, self._ports = frozenset(stand_ins), frozenset(ports)
        self._lookup: Lookup = lookup or SystemNames().addresses
        self._open_socket, self._trust = open_socket, trust
        # What is not safe to repeat must not meet a connection that the server is just closing.
        self._kept, self._fresh = EgressSession(self._connector(keeps_open=True)), EgressSession(self._connector())
        self._local = EgressSession(_local_connector)

    async def request(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes | None
    ) -> tuple[int, Mapping[str, str], bytes]:
        """Send one request, once, and return status, headers and unpacked body of the answer.

        A GET is sent on where it is told to within the same scheme, host and port, one time; any other redirect is an
        answer like others.

        Args:
            method: One of `METHODS`.
            url: Absolute.
            headers: The owner's; how the request travels is not theirs to say.
            body: Sent as it is.

        Raises:
            ToolError: PERMANENT, the address may not be called or does not prove who it is, or the answer cannot be
                used. VALIDATION, the body is too long. TRANSIENT, there was no answer in time; with partial side
                effects where nobody knows whether it was done.
        """
        if method not in METHODS:
            raise failures.not_sendable("its method is none of " + ", ".join(sorted(METHODS)))
        if body is not None and len(body) > BODY_BYTES:
            raise failures.too_much(BODY_BYTES)
        target, sent = self._checked(url), sendable(headers)
        with ending_in(self._longest_s(method)):
            answer = await self._sent(method, target, sent, body)
            onward = _onward(target, answer) if method == "GET" else None
            if onward is not None:
                answer = await self._sent(method, onward, sent, body)
        return answer.status, answer.headers, answer.body

    def problem(self, url: str) -> str | None:
        """Return why no request to an address would be sent, as far as that can be told without asking for its name."""
        try:
            target = read_target(url)
        except UnusableAddress as error:
            return str(error)
        return None if self._is_stand_in(target) else self._problem(target)

    async def warm(self) -> None:
        """Load the library before anyone waits for it; nothing is connected."""
        await self._kept.warm()

    async def close(self) -> None:
        """Let go of the running loop's connections."""
        for session in (self._kept, self._fresh, self._local):
            await session.close()

    def _checked(self, url: str) -> Target:
        """Return where a request goes, if it may, as far as that can be told without asking for the name."""
        problem = self.problem(url)
        if problem is not None:
            raise failures.not_allowed(problem)
        return read_target(url)

    def _problem(self, target: Target) -> str | None:
        if target.scheme != "https":
            return "it does not begin with https://"
        if target.port not in self._ports:
            return f"port {target.port} is none of {', '.join(map(str, sorted(self._ports)))}"
        if (target.host, target.port) in self._own:
            return "it is this system's own"
        if target.address is not None:
            return refusal(str(target.address))
        return None if "." in target.host else "its host is no full name, such as api.example.com"

    def _longest_s(self, method: str) -> float:
        return self.reads_within_s if method in failures.READING else longest_s(method)

    def _is_stand_in(self, target: Target) -> bool:
        return not self._stand_ins.isdisjoint((target.host, f"{target.host}:{target.port}"))

    async def _sent(self, method: str, target: Target, headers: Mapping[str, str], body: bytes | None) -> HttpAnswer:
        import aiohttp

        from switchboard.integrations.egress.transport import Sending

        sending = Sending()
        try:
            return await self._exchange(method, target, headers, body, sending)
        except AddressRefused as error:
            raise failures.not_allowed(str(error)) from None
        except aiohttp.ClientConnectorCertificateError as error:
            raise failures.untrusted(getattr(error.certificate_error, "verify_code", 0)) from None
        except aiohttp.ClientConnectorSSLError as error:
            if isinstance(error.os_error, ssl.SSLEOFError):
                # It hung up, as servers do that are being started anew.
                raise failures.unanswered(method, type(error).__name__, sent=False) from None
            raise failures.unencrypted(str(getattr(error.os_error, "reason", ""))) from None
        except AnswerTooLong:
            raise failures.unusable_answer(method, "with more than can be read") from None
        except UnreadableAnswer:
            raise failures.unusable_answer(method, "in a form that cannot be read") from None
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            # The text of these may quote the address, in which owners put keys too.
            is_slow = isinstance(error, TimeoutError)
            raise failures.unanswered(method, type(error).__name__, sent=sending.has_begun, is_slow=is_slow) from None

    async def _exchange(
        self, method: str, target: Target, headers: Mapping[str, str], body: bytes | None, sending: object
    ) -> HttpAnswer:
        import aiohttp
        from yarl import URL

        async with (
            self._session(method, target)
            .client()
            .request(
                self._sent_as(method),
                URL(target.url, encoded=True),
                headers=headers,
                data=body,
                timeout=aiohttp.ClientTimeout(total=bounded(self._longest_s(method)), sock_connect=bounded(CONNECT_S)),
                allow_redirects=False,
                trace_request_ctx=sending,
            ) as response
        ):
            if (response.content_length or 0) > self.most_sent:
                raise AnswerTooLong
            encoding = ",".join(response.headers.getall("Content-Encoding", []))
            return HttpAnswer(response.status, response.headers, await self._content(response, encoding))

    def _sent_as(self, method: str) -> str:
        """Return the method that is sent for one that says what its effect is."""
        return method

    async def _content(self, response: "aiohttp.ClientResponse", encoding: str) -> bytes:
        chunks = response.content.iter_chunked(_CHUNK)
        return await read_body(chunks, encoding, self.most_sent, self.most_bytes)

    def _session(self, method: str, target: Target) -> EgressSession:
        if self._is_stand_in(target):
            return self._local
        return self._kept if method in failures.READING else self._fresh

    def _connector(self, *, keeps_open: bool = False) -> "Callable[[], aiohttp.BaseConnector]":
        def connector() -> "aiohttp.BaseConnector":
            from switchboard.integrations.egress.transport import checked_connector, plain_socket

            opening = self._open_socket or plain_socket
            return checked_connector(self._lookup, opening, self._trust, keeps_open=keeps_open)

        return connector


def _local_connector() -> "aiohttp.BaseConnector":
    from switchboard.integrations.egress.transport import local_connector

    return local_connector()


def _onward(target: Target, answer: HttpAnswer) -> Target | None:
    """Return where an answer sends a GET on to, if that is within the same origin."""
    location = answer.headers.get("Location")
    if answer.status not in _ELSEWHERE or not location:
        return None
    try:
        onward = read_target(urljoin(target.url, location))
    except (UnusableAddress, ValueError):
        return None
    return onward if onward.origin == target.origin else None
