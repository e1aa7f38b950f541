"""The headers of a request: the owner's, as far as they can be sent, and what every request carries."""

import re
from collections.abc import Mapping

from switchboard.integrations.egress.failures import not_sendable

_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}")
_NEVER = re.compile(r"[\x00-\x08\x0a-\x1f\x7f\ud800-\udfff]")
_MOST_HEADERS = 50
_MOST_CHARACTERS = 16_384
OURS = frozenset(
    {
        "accept-encoding",
        "connection",
        "content-length",
        "expect",
        "host",
        "http2-settings",
        "keep-alive",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    }
)
"""What decides how, and to whom, a request travels; an owner's word on it would be a second opinion."""
_USUAL = {"accept": "application/json, text/plain;q=0.9, */*;q=0.5", "user-agent": "switchboard"}


def sendable(headers: Mapping[str, str]) -> dict[str, str]:
    """Return the headers to send, by name in lower case; of two spellings of one name the later counts.

    Raises:
        ToolError: PERMANENT; one of them cannot be sent. Its value is not quoted.
    """
    sent = dict(_USUAL)
    for name, value in headers.items():
        if not _NAME.fullmatch(name):
            raise not_sendable("one of its headers has a name that is none")
        if name.lower() in OURS or name.lower().startswith("proxy-"):
            raise not_sendable(f"the header {name} cannot be set")
        if _NEVER.search(value):
            raise not_sendable(f"the header {name} holds a line break or another control character")
        sent[name.lower()] = value.strip()
    if len(headers) > _MOST_HEADERS or sum(map(len, sent.values())) > _MOST_CHARACTERS:
        raise not_sendable(f"its headers are more than {_MOST_HEADERS}, or longer than {_MOST_CHARACTERS} characters")
    # Only what can be unpacked within bounds.
    return sent | {"accept-encoding": "gzip"}
