"""The one message of an answer that matters: the response, alone or behind others in a stream of events.

A server may keep its stream open for as long as it likes; nothing is read behind the response.
"""

from collections.abc import AsyncIterator
from typing import Any

import orjson

from switchboard.integrations.egress.answer_body import BODY_BYTES, SENT_BYTES, AnswerTooLong, Gunzip, UnreadableAnswer

STREAM = "text/event-stream"


def is_response(message: Any) -> bool:
    """Tell whether a message answers a request: with a result or an error, and calling for nothing itself."""
    return isinstance(message, dict) and "method" not in message and ("result" in message or "error" in message)


class Events:
    """The data of server-sent events, as they come."""

    def __init__(self) -> None:
        self._line = bytearray()
        self._data: list[bytes] = []

    def feed(self, piece: bytes) -> list[bytes]:
        """Return the data of every event that a further piece completes."""
        found = []
        *ended, rest = piece.split(b"\n")
        for part in ended:
            self._line += part
            line = bytes(self._line).removesuffix(b"\r")
            self._line.clear()
            if line.startswith(b"data:"):
                self._data.append(line[5:].removeprefix(b" "))
            elif not line and self._data:
                found.append(b"\n".join(self._data))
                self._data = []
        self._line += rest
        return found


async def read_response(chunks: AsyncIterator[bytes], encoding: str, content_type: str) -> bytes:
    """Return the JSON text of an answer: the body, or the first response in a stream of events; empty for none.

    Args:
        chunks: As they come over the wire.
        encoding: The header `Content-Encoding`; gzip once is enough.
        content_type: The header `Content-Type`.

    Raises:
        TooLong, Unreadable: It is not read any further.
    """
    codings = [name for part in encoding.split(",") if (name := part.strip().lower()) not in ("", "identity")]
    if codings not in ([], ["gzip"], ["x-gzip"]):
        raise UnreadableAnswer
    unpacking, events = Gunzip() if codings else None, Events() if STREAM in content_type.lower() else None
    body, received, unpacked = bytearray(), 0, 0
    async for chunk in chunks:
        received += len(chunk)
        if received > SENT_BYTES:
            raise AnswerTooLong
        piece = unpacking.feed(chunk, BODY_BYTES - unpacked) if unpacking else chunk
        unpacked += len(piece)
        if events is None:
            body += piece
            continue
        for data in events.feed(piece):
            if is_response(_value(data)):
                return data
    if unpacking and received and not unpacking.is_whole:
        raise UnreadableAnswer
    return bytes(body)


def _value(data: bytes) -> Any:
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError:
        return None
