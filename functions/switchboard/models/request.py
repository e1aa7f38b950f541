"""One streaming request to a model's server: tried again before the first event only, never waited for in silence."""

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Callable, Mapping
from typing import TYPE_CHECKING

from switchboard.contract.model import ModelError
from switchboard.contract.policy import FIRST_TOKEN_S
from switchboard.contract.retry_after import retry_after_s
from switchboard.models.event_stream import data_of

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


async def events(sessions: Sessions, url: str, headers: Mapping[str, str], body: bytes) -> AsyncIterator[bytes]:
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
    told = response.headers.get("x-should-retry")
    if told == "false" or (response.status not in _TRY_AGAIN and told != "true") or "insufficient_quota" in reason:
        raise ModelError(text, is_permanent=True)
    wait = _wait_s(response.headers)
    if is_last or wait > _LONGEST_RETRY_S:
        raise ModelError(text)
    log.info("the model is asked again", extra={"status": response.status, "pii.detail": text[:200]})
    await asyncio.sleep(wait)


def _reason(body: bytes) -> str:
    try:
        found = json.loads(body)
    except ValueError:
        return body[:200].decode("utf-8", "replace")
    error = (found[0] if isinstance(found, list) and found else found) or {}
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
