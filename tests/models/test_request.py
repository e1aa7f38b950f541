"""Server-sent events from bytes: whatever the network does to them, the same events come out."""

from collections.abc import AsyncIterator
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openai._streaming import SSEBytesDecoder, SSEDecoder

from switchboard.contract.model import ModelError
from switchboard.models import request
from switchboard.models.request import data_of


async def chunks(pieces: list[bytes]) -> AsyncIterator[bytes]:
    for piece in pieces:
        yield piece


async def read(*pieces: bytes) -> list[bytes]:
    return [data async for data in data_of(chunks(list(pieces)))]


def by_the_sdk(body: bytes) -> list[str]:
    decoder: SSEBytesDecoder = SSEDecoder()
    return [event.data for event in decoder.iter_bytes(iter([body])) if event.data]


TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\r\n"), max_size=8)
LINES = st.lists(
    st.one_of(
        TEXT.map(lambda t: f"data: {t}"),
        TEXT.map(lambda t: f"data:{t.lstrip()}"),
        st.sampled_from(["", "", ": comment", "event: message", "id: 7", "retry: 10", "data", "dat: x"]),
    ),
    max_size=12,
)


@given(LINES, st.sampled_from(["\n", "\r\n", "\r"]), st.data())
async def test_however_bytes_are_cut_the_events_are_those_that_openais_sdk_reads(
    lines: list[str], line_end: str, data: st.DataObject
) -> None:
    """The oracle is the vendor's own reader, over the whole body at once."""
    body = "".join(line + line_end for line in [*lines, "", ""]).encode()
    cuts = sorted(data.draw(st.lists(st.integers(0, len(body)), max_size=6)))
    edges = [0, *cuts, len(body)]
    pieces = [body[a:b] for a, b in pairwise(edges)]
    found = [event.decode() for event in await read(*pieces) if event]
    assert found == by_the_sdk(body)


async def test_a_last_event_without_a_blank_line_is_not_lost() -> None:
    """Some servers close the connection right after it."""
    assert await read(b"data: a\n\ndata: b") == [b"a", b"b"]
    assert await read(b"data: a\n\ndata: b\n") == [b"a", b"b"]


async def test_a_byte_order_mark_is_no_part_of_the_first_event() -> None:
    """The standard says so."""
    assert await read(b"\xef\xbb\xbfdata: a\n\n") == [b"a"]


async def test_an_event_that_never_ends_is_not_kept_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server gone wrong must not fill the process."""
    monkeypatch.setattr(request, "LONGEST_EVENT", 100)
    with pytest.raises(ModelError):
        await read(b"data: " + b"x" * 90, b"y" * 90)
