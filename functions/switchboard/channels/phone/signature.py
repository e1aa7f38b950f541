"""Whether Twilio sent a request: its signature over the URL it was told to call, as Twilio's own library computes it.

The URL is the configured one, never what the `Host` header says; which secret and algorithm count is configured as
well, so that nobody can choose the weaker one. What the library's `validate` does not do is done here: the ports of
`wss`, and a comparison that takes as long whatever is sent.
"""

import hmac
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

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
    # Here, since only calls and texts need it.
    from twilio.request_validator import (  # type: ignore[import-untyped]
        HMAC_SHA1,
        HMAC_SHA256,
        RequestValidator,
        get_signature_algorithm,
    )

    secret, algorithm = (key.shared_key, HMAC_SHA256) if key.shared_key else (key.auth_token, HMAC_SHA1)
    if not secret or not signature or get_signature_algorithm(settings).upper() != algorithm:
        return False
    # As bytes: what is no ASCII is a wrong signature, and no reason to break.
    sent, fields = signature.encode("utf-8", "surrogatepass"), _Fields(parameters)
    try:
        validator = RequestValidator(secret)
        computed = [validator.compute_signature(spelling, fields, algorithm) for spelling in _spellings(url)]
    except UnicodeEncodeError:
        # No text that anybody can have signed.
        return False
    return True in [hmac.compare_digest(one.encode(), sent) for one in computed]


class _Fields(dict[str, Sequence[str]]):
    """Form fields of which the library takes every value."""

    def getall(self, name: str) -> Sequence[str]:
        """Return all values of a field."""
        return self[name]


def _spellings(url: str) -> Iterator[str]:
    """Yield the ways in which Twilio may have spelled an address when it signed it."""
    yield url
    address = _ADDRESS.match(url)
    if address is None:
        return
    before, rest = f"{address['scheme']}://{address['host']}", address["rest"] or ""
    usual = 443 if address["scheme"].lower() in _SECURE else 80
    yield f"{before}{rest}" if address["port"] else f"{before}:{usual}{rest}"
