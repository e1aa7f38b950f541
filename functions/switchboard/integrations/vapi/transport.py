"""How requests to Vapi travel: as JSON over the house's one session, once, within the time that the call has left.

Vapi's own SDK is not used at run time: it sends POST and PATCH again after 408, 409, 429, 5xx and lost connections,
which can make a tool twice; its models are made for known keys, and an assistant's `model` must go back with all that
it came with; and it brings a second HTTP client and a validation library, which every cold start would load
. In tests it is a client of the stand-in.
"""

import json
from collections.abc import Mapping
from typing import Any

from switchboard.contract.json import JsonObject
from switchboard.integrations.http_session import HttpAnswer, HttpSession
from switchboard.integrations.vapi.failures import VAPI, Effect, refused, unknown
from switchboard.integrations.vendor_http import VendorHttp

REAL = "https://api.vapi.ai"
_MOST_BYTES = 16 * 1024 * 1024


class VapiTransport:
    """Sends requests for every account of the process; each brings its own key."""

    def __init__(self, http: HttpSession, base_url: str | None = None) -> None:
        """Send to Vapi, or to what stands in for it at `base_url`."""
        self._http = VendorHttp(http, VAPI, most_bytes=_MOST_BYTES)
        self.base_url = base_url.rstrip("/") if base_url else None

    async def ask(
        self, method: str, path: str, key: str, *, effect: Effect, timeout_s: float, body: JsonObject | None = None
    ) -> HttpAnswer:
        """Send one request to an account and return its success.

        Args:
            method: `GET`, `POST`, ...
            path: With its query, escaped.
            key: The account's private key.
            effect: What it means that there is no answer.
            timeout_s: The most it may take; the call's deadline may leave less.
            body: Sent as JSON.

        Raises:
            ToolError: There was no success.
        """
        url = (self.base_url or REAL) + path
        return await self.send(method, url, effect=effect, timeout_s=timeout_s, body=body, key=key)

    async def send(
        self, method: str, url: str, *, effect: Effect, timeout_s: float, body: JsonObject | None, key: str
    ) -> HttpAnswer:
        """Send one request to an absolute address, with a bearer key unless that is empty; as `ask` otherwise."""
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        answer = await self._http.send(
            method, url, timeout_s=timeout_s, headers=headers, body=body, is_write=effect != "read"
        )
        if not 200 <= answer.status < 300:
            raise refused(answer, effect)
        return answer


def document(answer: HttpAnswer, effect: Effect) -> JsonObject:
    """Return the document of a success, with every key that it has.

    Raises:
        ToolError: TRANSIENT; whoever answered without one may have done what was asked.
    """
    body = _loaded(answer)
    if not isinstance(body, dict) or not isinstance(body.get("id"), str) or not body["id"]:
        raise unknown(effect, f"{answer.status}: an answer without a document")
    return body


def documents(answer: HttpAnswer) -> list[JsonObject]:
    """Return the documents of a list.

    Raises:
        ToolError: TRANSIENT; the answer holds no list.
    """
    rows = _loaded(answer)
    if not isinstance(rows, list):
        raise unknown("read", f"{answer.status}: an answer without a list")
    return [dict(row) for row in rows if isinstance(row, Mapping) and isinstance(row.get("id"), str)]


def _loaded(answer: HttpAnswer) -> Any:
    # Not by orjson, which would round a long number that has to go back as it came.
    try:
        return json.loads(answer.body)
    except ValueError:
        return None
