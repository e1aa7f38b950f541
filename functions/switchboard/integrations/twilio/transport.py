"""How the SDK's requests travel: over one session for all businesses, within the time that the call has left."""

import base64
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

import aiohttp
from twilio.http import AsyncHttpClient  # type: ignore[import-untyped]
from twilio.http.response import Response  # type: ignore[import-untyped]

from switchboard.contract.deadline import bounded
from switchboard.integrations.http_session import traced

ANSWERS_WITHIN_S = 5.0
_CONNECTS_WITHIN_S = 2.0
_LONGEST_ANSWER = 4_194_304


class TwilioAnswerTooLong(Exception):
    """The answer is longer than any that could be meant."""


class TwilioTransport(AsyncHttpClient):  # type: ignore[misc]
    """The SDK's HTTP client, with our own time-outs and nothing written to logs.

    Args:
        base_url: Where requests go instead of Twilio, path and all; the host they were meant for is lost.
    """

    def __init__(self, base_url: str | None = None) -> None:
        super().__init__(None, True, ANSWERS_WITHIN_S)
        self._base_url = base_url.rstrip("/") if base_url else None
        # Many businesses share it, and none may see what another was told to remember.
        self._session = aiohttp.ClientSession(
            cookie_jar=aiohttp.DummyCookieJar(), trust_env=False, middlewares=(traced,)
        )

    async def request(
        self,
        method: str,
        url: str,
        params: Mapping[str, object] | None = None,
        data: Mapping[str, object] | None = None,
        headers: Mapping[str, str] | None = None,
        auth: tuple[str, str] | None = None,
        timeout: float | None = None,
        allow_redirects: bool = False,
    ) -> Response:
        """Send a request once and return its answer; the session's and the system's errors come as they are."""
        sent = dict(headers or {})
        if auth is not None:
            sent["Authorization"] = "Basic " + base64.b64encode(":".join(auth).encode()).decode()
        limit = aiohttp.ClientTimeout(
            total=bounded(timeout or ANSWERS_WITHIN_S), sock_connect=bounded(_CONNECTS_WITHIN_S)
        )
        async with self._session.request(
            method.upper(),
            self._address(url),
            params=_texts(params),
            data=_texts(data),
            headers=sent,
            timeout=limit,
            allow_redirects=False,
        ) as answer:
            body = await answer.content.read(_LONGEST_ANSWER + 1)
            while len(body) <= _LONGEST_ANSWER and (more := await answer.content.read(_LONGEST_ANSWER)):
                body += more
            if len(body) > _LONGEST_ANSWER:
                raise TwilioAnswerTooLong(f"more than {_LONGEST_ANSWER} bytes")
            return Response(answer.status, body.decode("utf-8", "replace"), answer.headers)

    async def close(self) -> None:
        """Let go of the connections."""
        await self._session.close()

    def _address(self, url: str) -> str:
        if self._base_url is None:
            return url
        parts = urlsplit(url)
        return self._base_url + parts.path + (f"?{parts.query}" if parts.query else "")


def _texts(values: Mapping[str, object] | None) -> list[tuple[str, str]] | None:
    """Return form fields or query parameters as text, a list as several of one name; what is not set is left out."""
    if not values:
        return None
    pairs: list[tuple[str, str]] = []
    for name, value in values.items():
        several: list[Any] = list(value) if isinstance(value, list | tuple) else [value]
        pairs += [(name, str(item)) for item in several if item is not None]
    return pairs
