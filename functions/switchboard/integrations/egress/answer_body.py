"""The body of an answer, read as it comes and within bounds, also those of what it unpacks to."""

import zlib
from collections.abc import AsyncIterator

SENT_BYTES = 256 * 1024
"""The most that may come over the wire."""
BODY_BYTES = 1024 * 1024
"""The most that it may be once it is unpacked."""


class AnswerTooLong(Exception):
    """The answer is longer than any that could be meant."""


class UnreadableAnswer(Exception):
    """The answer is packed in a way that nobody asked for, or is damaged."""


async def read_body(
    chunks: AsyncIterator[bytes], encoding: str, most_sent: int = SENT_BYTES, most_bytes: int = BODY_BYTES
) -> bytes:
    """Return the whole body; see `unpacked`."""
    return b"".join([piece async for piece in unpacked(chunks, encoding, most_sent, most_bytes)])


async def unpacked(
    chunks: AsyncIterator[bytes], encoding: str, most_sent: int = SENT_BYTES, most_bytes: int = BODY_BYTES
) -> AsyncIterator[bytes]:
    """Yield the body in pieces.

    Args:
        chunks: As they come over the wire.
        encoding: The header `Content-Encoding`; only gzip is asked for, and once is enough.
        most_sent: The most that may come over the wire.
        most_bytes: The most that it may be once it is unpacked.

    Raises:
        TooLong, Unreadable: It is not read any further.
    """
    codings = [name for part in encoding.split(",") if (name := part.strip().lower()) not in ("", "identity")]
    if codings not in ([], ["gzip"], ["x-gzip"]):
        raise UnreadableAnswer
    unpacking, received, left = Gunzip() if codings else None, 0, most_bytes
    async for chunk in chunks:
        received += len(chunk)
        if received > most_sent:
            raise AnswerTooLong
        piece = unpacking.feed(chunk, left) if unpacking else chunk
        left -= len(piece)
        yield piece
    # An answer without a body may still carry the header.
    if unpacking and received and not unpacking.is_whole:
        raise UnreadableAnswer


class Gunzip:
    """Unpacks gzip, one member after another, never further than there is room."""

    def __init__(self) -> None:
        self._member = zlib.decompressobj(zlib.MAX_WBITS | 16)

    @property
    def is_whole(self) -> bool:
        """Whether what came so far is complete."""
        return self._member.eof

    def feed(self, packed: bytes, room: int) -> bytes:
        """Return what a further piece unpacks to.

        Raises:
            TooLong: More than `room` bytes.
            Unreadable: It is no gzip.
        """
        unpacked = bytearray()
        while packed:
            if self._member.eof:
                self._member = zlib.decompressobj(zlib.MAX_WBITS | 16)
            try:
                # 0 would mean without a bound.
                unpacked += self._member.decompress(packed, room - len(unpacked) + 1)
            except zlib.error:
                raise UnreadableAnswer from None
            if len(unpacked) > room:
                raise AnswerTooLong
            packed = self._member.unused_data
        return bytes(unpacked)
