"""The business's secrets in an owner's request: looked up when it is sent, and taken out of whatever comes back."""

import base64
from collections.abc import Iterable, Mapping
from urllib.parse import quote, quote_plus

from switchboard.contract.context import CallContext
from switchboard.contract.definitions.tenant_tool import SecretText
from switchboard.contract.error import ErrorType, ToolError, unreadable
from switchboard.contract.ports import Secrets
from switchboard.contract.store import StoreError

TOOLKIT = "tools"
"""Under which toolkit the secrets of tenant tools are kept: `secrets.keep(business_id, TOOLKIT, name, value)`."""

_HIDDEN = "[secret]"
# Anything shorter stands in other words too, and protects nothing.
_SHORTEST = 4


class Redaction:
    """Takes secrets out of what a server says, however it gives them back: a server may echo what it was sent."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        """Know what must not be seen."""
        spellings = {spelling for secret in secrets for spelling in _spellings(secret)}
        # Longest first, so that no part of a longer one is left standing.
        self._spellings = sorted((s for s in spellings if len(s) >= _SHORTEST), key=len, reverse=True)

    def __repr__(self) -> str:
        return "Redaction()"

    def text(self, text: str) -> str:
        """Return a text without them."""
        for spelling in self._spellings:
            text = text.replace(spelling, _HIDDEN)
        return text


async def filled(
    ctx: CallContext, secrets: Secrets, headers: Mapping[str, str | SecretText]
) -> tuple[dict[str, str], Redaction]:
    """Return headers with their secrets in clear, and what takes these out of the answer.

    Raises:
        ToolError: AUTH, there is no such secret, or it does not open. TRANSIENT, it cannot be read right now.
    """
    texts: dict[str, str] = {}
    revealed: list[str] = []
    for name, value in headers.items():
        if isinstance(value, SecretText):
            secret = await _revealed(ctx, secrets, value.secret)
            revealed.append(secret)
            texts[name] = f"{value.before}{secret}{value.after}"
        else:
            texts[name] = value
    return texts, Redaction(revealed)


async def _revealed(ctx: CallContext, secrets: Secrets, name: str) -> str:
    try:
        secret = await secrets.reveal(ctx.business.id, TOOLKIT, name)
    except StoreError as error:
        raise unreadable("key that this tool needs", error) from error
    except ValueError:
        # No secret can have such a name.
        secret = None
    if not secret:
        raise ToolError(
            ErrorType.AUTH,
            "This tool has no key for the service that it asks; its owner has to enter it. Nothing was sent.",
            detail=f"no secret named {name[:64]!r} of {TOOLKIT}",
        )
    return secret


def _spellings(secret: str) -> Iterable[str]:
    raw = secret.encode("utf-8", "surrogatepass")
    yield from (str(secret), secret.strip(), quote(raw, safe=""), quote_plus(raw))
    yield from _within_basic(raw)
    for packed in (base64.b64encode(raw).decode(), base64.urlsafe_b64encode(raw).decode(), raw.hex()):
        yield from (packed, packed.rstrip("="))


def _within_basic(raw: bytes) -> Iterable[str]:
    """Yield the user name and password, and the password, that a secret for Basic authorisation holds."""
    try:
        clear = base64.b64decode(raw, validate=True).decode("ascii")
    except ValueError:
        return
    if ":" in clear and clear.isprintable():
        yield from (clear, clear.partition(":")[2])
