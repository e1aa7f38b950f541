"""One streaming request to a model's server: tried again before the first event only, never waited for in silence.

Both vendors stream in this form and use none of its other fields. The SDKs' own readers cost thirty times the CPU per
token (measured: reference bench, "Streaming"); the tests hold this one against them on the same bytes.
"""

import asyncio
import json
import logging
import re
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping
from typing import TYPE_CHECKING

import orjson

from switchboard.contract.json import JsonObject
from switchboard.contract.model import ModelError
from switchboard.contract.policy import FIRST_TOKEN_S
from switchboard.contract.retry_after import retry_after_s

if TYPE_CHECKING:
    import aiohttp


log = logging.getLogger(__name__)

CONNECT_S = 1.5
# Between two pieces of an answer; how long the first may take is for the conversation to say, which must not hear from
# here first: a request that is begun anew after ten seconds would lose what was about to come.
SILENCE_S = FIRST_TOKEN_S + 3.0
RETRY_AFTER_S = 0.2
_LONGEST_RETRY_S = 1.0
_LONGEST_WAIT_S = 86_400.0
_TRY_AGAIN = frozenset({408, 409, 429, 500, 502, 503, 504, 529})

Sessions = Callable[[], "aiohttp.ClientSession"]
"""Gives the running loop's HTTP session."""

LONGEST_EVENT = 8 * 1024 * 1024
_LINE_END = re.compile(rb"\r\n|\n|\r")
_BOM = b"\xef\xbb\xbf"


async def events(sessions: Sessions, url: str, headers: Mapping[str, str], body: bytes) -> AsyncGenerator[bytes, None]:
    """Yield the data of each event with which a server answers a POST.

    Raises:
        ModelError: It did not answer, refused, or broke off. What can go better at once has been tried twice.
    """
    import aiohttp

    for is_last in (False, True):
        has_begun = False
        try:
            async with _asked(sessions(), url, headers, body) as response:
                if response.status != 200:
                    await _complain(response, is_last)
                    continue
                async for data in data_of(response.content.iter_any()):
                    has_begun = True
                    yield data
                return
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            # The text of some of these quotes the address, in which a key may stand.
            if has_begun or is_last:
                raise ModelError(f"the connection failed: {type(error).__name__}") from None
        await asyncio.sleep(RETRY_AFTER_S)


def object_of(data: bytes) -> JsonObject:
    """Return what the data of an event says.

    Raises:
        ModelError: It is no JSON object.
    """
    try:
        event = orjson.loads(data)
    except ValueError:
        raise ModelError(f"an event is no JSON: {data[:80]!r}") from None
    if not isinstance(event, dict):
        raise ModelError("an event is no object")
    return event


def _asked(
    session: "aiohttp.ClientSession", url: str, headers: Mapping[str, str], body: bytes
) -> "aiohttp.client._RequestContextManager":
    import aiohttp

    limit = aiohttp.ClientTimeout(total=None, sock_connect=CONNECT_S, sock_read=SILENCE_S)
    return session.post(url, headers=headers, data=body, timeout=limit, allow_redirects=False)


async def _complain(response: "aiohttp.ClientResponse", is_last: bool) -> None:
    """Raise what a refusal means, unless it is worth another try; then wait as the server asks."""
    reason = _reason(await response.content.read(20_000))
    text = f"HTTP {response.status}: {reason}"
    # Some vendors know better than their status says.
    verdict = response.headers.get("x-should-retry")
    if (
        verdict == "false"
        or (response.status not in _TRY_AGAIN and verdict != "true")
        or "insufficient_quota" in reason
    ):
        raise ModelError(text, is_permanent=True)
    wait = _wait_s(response.headers)
    if is_last or wait > _LONGEST_RETRY_S:
        raise ModelError(text)
    log.info("the model is asked again", extra={"status": response.status, "pii.detail": text[:200]})
    await asyncio.sleep(wait)


def _reason(body: bytes) -> str:
    try:
        parsed = json.loads(body)
    except ValueError:
        return body[:200].decode("utf-8", "replace")
    error = (parsed[0] if isinstance(parsed, list) and parsed else parsed) or {}
    error = error.get("error", error) if isinstance(error, dict) else error
    if not isinstance(error, dict):
        return str(error)[:200]
    return ", ".join(str(error[name]) for name in ("code", "status", "type", "message") if error.get(name))[:300]


def _wait_s(headers: Mapping[str, str]) -> float:
    """Return how long a server asks to wait, in whichever of the usual ways it does."""
    try:
        return max(0.0, float(headers["retry-after-ms"]) / 1000)
    except (KeyError, ValueError):
        pass
    return retry_after_s(headers, _LONGEST_WAIT_S) or 0.0


async def data_of(chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """Yield the data of each event; several `data` lines of one event are joined by line feeds.

    Raises:
        ModelError: An event is too long to be one.
    """
    rest, data, is_first = b"", [], True
    async for chunk in chunks:
        if is_first:
            chunk, is_first = chunk.removeprefix(_BOM), False
        rest += chunk
        if len(rest) > LONGEST_EVENT:
            raise ModelError("an event of the stream does not end")
        lines, rest = _lines(rest)
        for line in lines:
            if line.startswith(b"data:"):
                data.append(line[6:] if line[5:6] == b" " else line[5:])
            elif line == b"data":
                data.append(b"")
            elif not line and data:
                yield data[0] if len(data) == 1 else b"\n".join(data)
                data = []
    # Some servers leave the last blank line out.
    if rest.startswith(b"data:"):
        data.append(rest[5:].strip())
    if data:
        yield b"\n".join(data)


def _lines(text: bytes) -> tuple[list[bytes], bytes]:
    """Return the whole lines of a text and what is left of it."""
    if b"\r" not in text:
        *lines, rest = text.split(b"\n")
        return lines, rest
    # A carriage return at the very end may be half of a line end.
    held = b"\r" if text.endswith(b"\r") else b""
    *lines, rest = _LINE_END.split(text[: len(text) - len(held)])
    return lines, rest + held
