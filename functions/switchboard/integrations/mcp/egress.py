"""How messages to connected servers travel: as every request to an address that an owner chose, with other bounds.

What may be called is decided where it is for all (`egress`): public addresses only, checked and pinned, no redirects,
never this deployment itself. Only the exchange differs: an answer may be a stream of events, in which the response may
stand behind other messages. A server may keep it open for as long as it likes; nothing is read behind the response.
"""

from collections.abc import AsyncIterator, Mapping
from typing import TYPE_CHECKING, Any, Final

import orjson

from switchboard.contract.policy import OWNERS_ACTION_S
from switchboard.integrations.egress import failures
from switchboard.integrations.egress.answer_body import read_body, unpacked
from switchboard.integrations.egress.egress import BODY_BYTES, SafeEgress
from switchboard.integrations.egress.request_headers import sendable
from switchboard.integrations.http_session import HttpAnswer

if TYPE_CHECKING:
    import aiohttp

TOTAL_S = 8.0
"""The longest that one exchange of messages may take that changes nothing."""
_STREAM: Final = "text/event-stream"


def longest_s(method: str) -> float:
    """Return how many seconds an exchange may take; a call that changes something is not stopped half-way."""
    return TOTAL_S if method == "GET" else OWNERS_ACTION_S


class MessageEgress(SafeEgress):
    """Posts messages."""

    async def post(self, url: str, headers: Mapping[str, str], body: bytes, *, is_reading: bool) -> HttpAnswer:
        """Send one message, once, and return status, headers and the JSON text of the response to it.

        Args:
            url: Absolute.
            headers: All of them; the later of two spellings of one name counts.
            body: Sent as it is.
            is_reading: Whether nothing is lost where it is not known if it was carried out.

        Raises:
            ToolError: As `SafeEgress.request`.
        """
        if len(body) > BODY_BYTES:
            raise failures.too_much(BODY_BYTES)
        target, sent = self._checked(url), sendable(headers)
        # To the rest of egress a message is what its effect is, whatever method carries it.
        return await self._sent("GET" if is_reading else "POST", target, sent, body)

    def _sent_as(self, method: str) -> str:
        return "POST"

    def _longest_s(self, method: str) -> float:
        return longest_s(method)

    async def _content(self, response: "aiohttp.ClientResponse", encoding: str) -> bytes:
        return await read_response(response.content.iter_any(), encoding, response.headers.get("Content-Type", ""))


def _is_response(message: Any) -> bool:
    """Tell whether a message answers a request: with a result or an error, and calling for nothing itself."""
    return isinstance(message, dict) and "method" not in message and ("result" in message or "error" in message)


class Events:
    """The data of server-sent events, as they come."""

    def __init__(self) -> None:
        self._line = bytearray()
        self._data: list[bytes] = []

    def feed(self, piece: bytes) -> list[bytes]:
        """Return the data of every event that a further piece completes."""
        events = []
        *ended, rest = piece.split(b"\n")
        for part in ended:
            self._line += part
            line = bytes(self._line).removesuffix(b"\r")
            self._line.clear()
            if line.startswith(b"data:"):
                self._data.append(line[5:].removeprefix(b" "))
            elif not line and self._data:
                events.append(b"\n".join(self._data))
                self._data = []
        self._line += rest
        return events


async def read_response(chunks: AsyncIterator[bytes], encoding: str, content_type: str) -> bytes:
    """Return the JSON text of an answer: the body, or the first response in a stream of events; empty for none.

    Args:
        chunks: As they come over the wire.
        encoding: The header `Content-Encoding`; gzip once is enough.
        content_type: The header `Content-Type`.

    Raises:
        TooLong, Unreadable: It is not read any further.
    """
    if _STREAM not in content_type.lower():
        return await read_body(chunks, encoding)
    events = Events()
    async for piece in unpacked(chunks, encoding):
        for data in events.feed(piece):
            if response_in(data):
                return data
    return b""


def response_in(body: bytes) -> Mapping[str, Any]:
    """Return the response that a text is; empty where it is none."""
    try:
        message = orjson.loads(body)
    except orjson.JSONDecodeError:
        return {}
    return message if _is_response(message) else {}
