"""A business's API keys: what a service may do with one, and how a key is recognised without being stored.

Keys stand hashed in `businesses/{id}/apiKeys/{keyId}` as `{hash, name, scopes, createdAt, expiresAt, revokedAt}`; the
text itself is shown once, when it is made. An account that is let in without a key (`contract/account.py`) is entered
there too, and is in everything else like one.
"""

import hashlib
from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import Any

from switchboard.contract.python.dataclass import dataclass


class Scope(StrEnum):
    """What a key allows."""

    READ = "tools:read"
    EXECUTE = "tools:execute"
    OWNER = "owner"
    PLATFORM = "platform"


SERVICE_SCOPES = (Scope.READ, Scope.EXECUTE)
"""What a service needs that runs conversations; owners' own scope is given on purpose only."""
OWNER_SCOPES = (*SERVICE_SCOPES, Scope.OWNER)
"""What an owner may do. `platform` is for those who operate Switchboard itself: every business, and the definitions
that all of them share; a command gives it, and no owner can."""


@dataclass(frozen=True, slots=True)
class Credential:
    """A recognised key or account: the business it speaks for, and what it may do there.

    Attributes:
        business_id: The one business; empty for an account that is entered for several.
        key_id: Of its document.
        scopes: What it allows.
        expires_at: From when on it does not.
        holder: Who the account is; empty for keys.
        name: What its owners call the key or the account.
        several: What an account is to each of several businesses.
    """

    business_id: str
    key_id: str
    scopes: frozenset[str]
    expires_at: datetime | None = None
    holder: str = ""
    several: "tuple[Credential, ...]" = ()
    name: str = ""

    def works_at(self, now: datetime) -> bool:
        """Tell whether it still counts at a time."""
        return self.expires_at is None or self.expires_at > now


def key_hash(key: str) -> str:
    """Return the SHA-256 of a key as hex: keys are long and random, so no slow hash is needed."""
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()


def read_credential(business_id: str, key_id: str, document: Mapping[str, Any], now: datetime) -> Credential | None:
    """Return the credential that a key document stands for, or None when it is revoked or has expired."""
    expires_at = document.get("expiresAt")
    if document.get("revokedAt") is not None or (expires_at is not None and expires_at <= now):
        return None
    holder = str(document.get("serviceAccount") or document.get("subject") or "")
    scopes, name = frozenset(document.get("scopes") or ()), str(document.get("name") or "")
    return Credential(business_id, key_id, scopes, expires_at, holder, name=name)
