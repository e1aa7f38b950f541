"""Takes out of a document what must never be shown or written down twice: secrets, by the names and looks of them."""

import re
from collections.abc import Mapping
from typing import Any

from switchboard.contract.json import leaves

HIDDEN = "(hidden)"
"""What stands where a secret was."""

# Words as they stand in names such as `authToken`, `client_secret`, `x-api-key`.
_NAME = re.compile(
    r"secret|passw|passphrase|credential|private_?-?key|api_?-?key|access_?-?key|signing_?-?key|shared_?-?key"
    r"|token$|tokens$|authorization|^cookie|^set-cookie|ciphertext|^hash$",
    re.IGNORECASE,
)
_LOOK = re.compile(
    r"\b(?:bearer|basic)\s+[A-Za-z0-9+/_.~=-]{20,}"
    r"|-----BEGIN [A-Z ]*PRIVATE KEY-----"
    r"|\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*"
    r"|\b(?:sk|rk|pk)[-_](?:live|test|proj)?[-_]?[A-Za-z0-9]{16,}"
    r"|\bsb_[A-Za-z0-9_-]{20,}"
    r"|\bAIza[A-Za-z0-9_-]{30,}"
    r"|://[^/\s:@]+:[^/\s@]+@",
    re.IGNORECASE,
)
# A header that names a stored secret (`{"secret": "crm", "prefix": "Bearer "}`) holds none itself.
_REFERENCE = frozenset({"secret", "prefix", "suffix"})
_REFERENCED = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,39}")


def without_secrets(value: Any, name: str = "") -> Any:
    """Return a value with `HIDDEN` for every secret in it; `name` is what the value is called."""
    if isinstance(value, Mapping):
        if _is_reference(value):
            return dict(value)
        return {key: without_secrets(item, str(key)) for key, item in value.items()}
    if isinstance(value, list):
        return [without_secrets(item, name) for item in value]
    if isinstance(value, bytes):
        return HIDDEN
    is_text = isinstance(value, str) and value != ""
    if is_text and (_NAME.search(name) or _LOOK.search(value)):
        return HIDDEN
    return value


def hides(value: Any) -> bool:
    """Tell whether something in a value was hidden."""
    return any(inner == HIDDEN for _, inner in leaves(value))


def _is_reference(value: Mapping[str, Any]) -> bool:
    named = value.get("secret")
    is_name = isinstance(named, str) and _REFERENCED.fullmatch(named) is not None
    return is_name and value.keys() <= _REFERENCE
