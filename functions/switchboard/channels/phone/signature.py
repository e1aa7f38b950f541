"""Whether Twilio sent a request: its signature over the URL it was told to call.

The URL is the configured one, never what the `Host` header says; which secret and algorithm count is configured as
well, so that nobody can choose the weaker one.
"""

import base64
import hmac
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

_SHA1, _SHA256 = "HMAC_SHA1", "HMAC_SHA256"
_HASHES = {_SHA1: "sha1", _SHA256: "sha256"}
_ADDRESS = re.compile(r"^(?P<scheme>[a-z]+)://(?P<host>[^/?#]*?)(?P<port>:\d+)?(?P<rest>[/?#].*)?$", re.S | re.I)
_SECURE = ("https", "wss")


@dataclass(frozen=True, slots=True)
class SigningKey:
    """What a phone number's webhooks are signed with.

    Attributes:
        auth_token: The account's auth token: HMAC-SHA1.
        shared_key: A shared key's secret: HMAC-SHA256; where there is one, nothing else counts.
    """

    auth_token: str = field(default="", repr=False)
    shared_key: str = field(default="", repr=False)


def is_signed(
    key: SigningKey,
    url: str,
    parameters: Mapping[str, Sequence[str]],
    signature: str | None,
    settings: str | None = None,
) -> bool:
    """Tell whether a request carries the right signature.

    Args:
        key: What it must be signed with.
        url: As Twilio was told it, with the query it called; with its port or without, as Twilio itself varies.
        parameters: Every value of each form field; none for GET and for a WebSocket.
        signature: The header `X-Twilio-Signature`.
        settings: The header `X-Twilio-Webhooks-Signature-Settings`.
    """
    secret, algorithm = (key.shared_key, _SHA256) if key.shared_key else (key.auth_token, _SHA1)
    if not secret or not signature or _algorithm(settings) != algorithm:
        return False
    fields = "".join(name + value for name in sorted(parameters) for value in sorted(set(parameters[name])))
    # As bytes: what is no ASCII is a wrong signature, and no reason to break.
    sent = signature.encode("utf-8", "surrogatepass")
    return True in [
        hmac.compare_digest(_signature(secret, spelling + fields, algorithm), sent) for spelling in _spellings(url)
    ]


def _algorithm(settings: str | None) -> str:
    """Return what the header says (`key=…,algorithm=…`); without a word it is the auth token's."""
    for part in (settings or "").split(","):
        name, _, value = part.partition("=")
        if name.strip() == "algorithm" and value.strip():
            return value.strip().upper()
    return _SHA1


def _signature(secret: str, text: str, algorithm: str) -> bytes:
    digest = hmac.digest(secret.encode(), text.encode("utf-8", "surrogatepass"), _HASHES[algorithm])
    return base64.b64encode(digest)


def _spellings(url: str) -> Iterator[str]:
    """Yield the ways in which Twilio may have spelled an address when it signed it."""
    yield url
    found = _ADDRESS.match(url)
    if found is None:
        return
    before, rest = f"{found['scheme']}://{found['host']}", found["rest"] or ""
    usual = 443 if found["scheme"].lower() in _SECURE else 80
    yield f"{before}{rest}" if found["port"] else f"{before}:{usual}{rest}"
