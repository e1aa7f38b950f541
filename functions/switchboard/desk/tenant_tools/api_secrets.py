"""The business's secrets in an owner's request: looked up when it is sent, and taken out of whatever comes back."""

import re
from collections.abc import Iterator, Mapping
from urllib.parse import parse_qsl, urlsplit

from switchboard.contract.context import CallContext
from switchboard.contract.definitions.redaction import Redaction
from switchboard.contract.definitions.tenant_tool import SecretText
from switchboard.contract.error import ErrorType, ToolError, unreadable
from switchboard.contract.observability.hidden import hide
from switchboard.contract.ports import Secrets
from switchboard.contract.store import StoreError

TOOLKIT = "tools"
"""Under which toolkit the secrets of tenant tools are kept: `secrets.keep(business_id, TOOLKIT, name, value)`."""

_HOLDS_KEY = re.compile(r"authoriz|api[-_]?key|access[-_]?key|secret|token|passw|cookie", re.IGNORECASE)


async def filled(
    ctx: CallContext, secrets: Secrets, headers: Mapping[str, str | SecretText], url: str = ""
) -> tuple[dict[str, str], Redaction]:
    """Return headers with their secrets in clear, and what takes these out of the answer.

    What an owner has typed in clear where keys usually stand, in a header such as `Authorization` or in the address's
    query such as `?api_key=`, is taken out as well.

    Raises:
        ToolError: AUTH, there is no such secret, or it does not open. TRANSIENT, it cannot be read right now.
    """
    texts: dict[str, str] = {}
    revealed = [value for name, value in parse_qsl(urlsplit(url).query) if _HOLDS_KEY.search(name)]
    for name, value in headers.items():
        if isinstance(value, SecretText):
            secret = await _revealed(ctx, secrets, value.secret)
            revealed.append(secret)
            texts[name] = f"{value.before}{secret}{value.after}"
        else:
            texts[name] = value
            revealed += _keys_in(name, value)
    hide(*revealed)
    return texts, Redaction(revealed)


def _keys_in(name: str, value: str) -> Iterator[str]:
    """Yield what of a header is a key: all of it, and what stands behind the name of a scheme."""
    if _HOLDS_KEY.search(name):
        yield value
        yield value.strip().rpartition(" ")[2]


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
