"""The running server, as the pages know it: `GET /tools/definitions` and `POST /tools/execute`."""

from __future__ import annotations

import http.client
import json
import os
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

_ANSWERS_WITHIN_S = 20
_LONGEST_ANSWER = 8_000_000
# The server is on this machine or named on purpose; a proxy from the environment must not come between.
_opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))


class Unreachable(Exception):
    """Nobody, or somebody else, answers at the server's address."""


class Refused(Exception):
    """The server does not do what it was asked; `status` is the HTTP status, the text is its reason."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status = status


@dataclass(frozen=True)
class Server:
    """Where it is, and the API key it wants."""

    url: str
    key: str = field(repr=False)

    def definitions(self, business_id: str, channel: str, is_verified: bool) -> dict[str, Any]:
        """Return what is offered to a business's callers on a channel, with what is not and why.

        Raises:
            Unreachable, Refused: There is no listing.
        """
        query = {"businessId": business_id, "channel": channel, "explain": "1"}
        if is_verified:
            query["callerVerified"] = "true"
        return self._answer(urllib.request.Request(f"{self.url}/tools/definitions?{urllib.parse.urlencode(query)}"))

    def execute(
        self, business_id: str, tool: str, args: Mapping[str, Any], context: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Return the envelope of a call.

        Raises:
            Unreachable, Refused: There is none.
        """
        body = {"businessId": business_id, "name": tool, "args": args, "context": context}
        headers = {"Content-Type": "application/json"}
        return self._answer(urllib.request.Request(f"{self.url}/tools/execute", json.dumps(body).encode(), headers))

    def _answer(self, request: urllib.request.Request) -> dict[str, Any]:
        request.add_header("Authorization", f"Bearer {self.key}")
        try:
            status, body = _fetched(request)
            found = json.loads(body)
        except (OSError, http.client.HTTPException) as error:
            raise Unreachable(str(getattr(error, "reason", error))) from None
        except ValueError:
            raise Unreachable("somebody else answers there") from None
        if status != http.HTTPStatus.OK:
            raise Refused(status, _reason(found))
        return dict(found)


def address() -> str:
    """Return where the server is, as scripts/run says."""
    return os.environ.get("SWITCHBOARD_URL", "http://127.0.0.1:8080").rstrip("/")


def known_keys() -> dict[str, str]:
    """Return the API keys by business that scripts/run gives to these pages; none with somebody's real data."""
    return dict(json.loads(os.environ.get("SWITCHBOARD_API_KEYS") or "{}"))


def _fetched(request: urllib.request.Request) -> tuple[int, bytes]:
    try:
        with _opener.open(request, timeout=_ANSWERS_WITHIN_S) as answer:
            return answer.status, answer.read(_LONGEST_ANSWER)
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read(_LONGEST_ANSWER)


def _reason(refusal: Any) -> str:
    error = refusal.get("error") if isinstance(refusal, dict) else None
    return str(error.get("message", "")) if isinstance(error, dict) else ""
