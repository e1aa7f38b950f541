"""One request for an ephemeral secret, and its failures in the words of this house."""

from collections.abc import Mapping
from typing import Any

import orjson

from switchboard.contract.error import ErrorType
from switchboard.contract.json import JsonObject
from switchboard.integrations.http_session import HttpSession, NoAnswer
from switchboard.integrations.realtime.failures import failure, refused

# Whoever pressed the button waits; the browser's own speech is there at once.
_TIMEOUT_S = 4.0
_LONGEST_ANSWER = 1_048_576


async def secret(
    http: HttpSession, vendor: str, url: str, headers: Mapping[str, str], body: JsonObject
) -> Mapping[str, Any]:
    """Return the vendor's answer.

    Raises:
        ToolError: There was none, it was a refusal, or it cannot be read.
    """
    try:
        answer = await http.request(
            "POST",
            url,
            timeout_s=_TIMEOUT_S,
            headers={**headers, "Content-Type": "application/json"},
            body=orjson.dumps(body),
            most_bytes=_LONGEST_ANSWER,
        )
    except NoAnswer as error:
        raise failure(vendor, ErrorType.TRANSIENT, f"no answer: {error}") from error
    if answer.status not in (200, 201):
        raise refused(vendor, answer.status)
    try:
        found = orjson.loads(answer.body)
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise failure(vendor, ErrorType.PERMANENT, "not an answer")
    return found
