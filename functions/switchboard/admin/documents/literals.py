"""Credentials that an owner typed into a tool as they are, where the name of a secret should stand.

They are told by what holds them: a header, a parameter or a part of an address whose name says so, or a look that keys
have. A variable, or a secret that is named, is none.
"""

import re
from collections.abc import Mapping
from typing import Any, Final

from switchboard.admin.documents.redaction import HIDDEN, without_secrets

CONFIGURATIONS: Final = frozenset({"configMetadata", "staticConfig", "config", "data"})
"""What of an answer holds a tool as it is configured, here, in a bundle, and as a vendor has it."""
# `Bearer {{secret.crm}}` or `{{api_key}}` names a value and holds none.
_NAMES_ONLY = re.compile(r"\s*(?:[A-Za-z]+\s+)?(?:\{\{[^{}]*\}\}\s*)+")
_KEEPING = re.compile(r"(?:key|token|auth|signature)$", re.IGNORECASE)
# Names a wish, so that it is fulfilled once; everybody may know it.
_NO_KEY = "idempotency-key"
_IN_ADDRESS = re.compile(
    r"([?&](?:[a-z0-9_.-]*(?:key|token|secret|passw(?:or)?d|signature)|sig|auth|pwd)=)(?!\{\{)[^&#\s\"']+",
    re.IGNORECASE,
)


def without_literals(value: Any, name: str = "") -> Any:
    """Return a part of a configuration with `HIDDEN` for each such credential; `name` is what the part is called."""
    if isinstance(value, Mapping):
        if without_secrets(value, name) == value and value.keys() <= {"secret", "prefix", "suffix"}:
            return dict(value)
        is_headers, is_fixed = name.lower() == "headers", value.get("mode") == "fixed"
        return {
            key: _kept(each, key)
            if is_headers
            else without_literals(each, name if is_fixed and key == "value" else str(key))
            for key, each in value.items()
        }
    if isinstance(value, list):
        return [without_literals(each, name) for each in value]
    if not isinstance(value, str) or _NAMES_ONLY.fullmatch(value):
        return value
    return without_keys(without_secrets(value, name))


def without_keys(text: Any) -> Any:
    """Return a text with `HIDDEN` for what stands as a key in an address in it."""
    return _IN_ADDRESS.sub(lambda match: match[1] + HIDDEN, text) if isinstance(text, str) else text


def seen_without(value: Any) -> Any:
    """Return an answer in which no configuration holds such a credential; everything else is as it was."""
    if isinstance(value, Mapping):
        return {
            key: without_literals(each) if key in CONFIGURATIONS else seen_without(each) for key, each in value.items()
        }
    return [seen_without(each) for each in value] if isinstance(value, list | tuple) else value


def hidden_places(value: Any, at: str) -> list[str]:
    """Return where something was taken out because it looked like a secret."""
    if isinstance(value, Mapping):
        return [place for key, inner in value.items() for place in hidden_places(inner, f"{at}.{key}" if at else key)]
    if isinstance(value, list):
        return [place for index, inner in enumerate(value) for place in hidden_places(inner, f"{at}[{index}]")]
    return [at] if isinstance(value, str) and HIDDEN in value else []


def _kept(value: Any, header: str) -> Any:
    """Return a header's value: as it is, unless it is a credential by the name of the header or by its look."""
    if header.lower().endswith(_NO_KEY):
        return value
    if isinstance(value, str) and value and _KEEPING.search(header) and not _NAMES_ONLY.fullmatch(value):
        return HIDDEN
    return without_literals(value, header)
