"""How the SDK's requests travel: over the house's one session, within the time that the call has left."""

import base64
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode, urlsplit

from twilio.http import AsyncHttpClient  # type: ignore[import-untyped]
from twilio.http.response import Response  # type: ignore[import-untyped]

from switchboard.integrations.http_session import HttpSession

ANSWERS_WITHIN_S = 5.0
_FORM = "application/x-www-form-urlencoded"


class TwilioTransport(AsyncHttpClient):  # type: ignore[misc]
    """The SDK's HTTP client, with our own time-outs and nothing written to logs.

    Args:
        base_url: Where requests go instead of Twilio, path and all; the host they were meant for is lost.
        http: Sends them; None for a session of its own.
    """

    def __init__(self, base_url: str | None = None, http: HttpSession | None = None) -> None:
        super().__init__(None, True, ANSWERS_WITHIN_S)
        self._base_url = base_url.rstrip("/") if base_url else None
        self._http, self._is_own = http or HttpSession(), http is None

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
        """Send a request once and return its answer.

        Raises:
            NoAnswer: There was none in time, or not a whole one.
        """
        sent, body = dict(headers or {}), None
        if auth is not None:
            sent["Authorization"] = "Basic " + base64.b64encode(":".join(auth).encode()).decode()
        if data:
            sent["Content-Type"], body = _FORM, urlencode(_texts(data)).encode()
        address = self._address(url)
        if asked := urlencode(_texts(params or {})):
            address += f"{'&' if '?' in address else '?'}{asked}"
        answer = await self._http.request(
            method.upper(), address, timeout_s=timeout or ANSWERS_WITHIN_S, headers=sent, body=body
        )
        return Response(answer.status, answer.body.decode("utf-8", "replace"), answer.headers)

    async def close(self) -> None:
        """Let go of the connections of its own."""
        if self._is_own:
            await self._http.close()

    def _address(self, url: str) -> str:
        if self._base_url is None:
            return url
        parts = urlsplit(url)
        return self._base_url + parts.path + (f"?{parts.query}" if parts.query else "")


def _texts(values: Mapping[str, object]) -> list[tuple[str, str]]:
    """Return form fields or query parameters as text, a list as several of one name; what is not set is left out."""
    pairs: list[tuple[str, str]] = []
    for name, value in values.items():
        several: list[Any] = list(value) if isinstance(value, list | tuple) else [value]
        pairs += [(name, str(item)) for item in several if item is not None]
    return pairs
