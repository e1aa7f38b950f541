"""Accounts of elsewhere that are let in without a key of ours: somebody trusted has signed a token that names them.

A token tells who it is, never what they may do: that, and for which business, an operator or owner has entered in
`businesses/{id}/apiKeys/{keyId}`, where `serviceAccount`, or `subject` with `issuer`, stands instead of a hash.
"""

import base64
import re
from typing import Final, Literal, TypeAlias

import orjson

from switchboard.contract.credential import key_hash
from switchboard.contract.document import mapping, text
from switchboard.contract.python.dataclass import dataclass

AccountKind: TypeAlias = Literal["serviceAccount", "subject"]
"""The field that names an account in its document."""
GOOGLE_ISSUERS: Final = ("https://accounts.google.com", "accounts.google.com")
"""Who signs the ID tokens of service accounts; Google writes it in both ways."""
LONGEST_TOKEN: Final = 8_192
_SERVICE_ACCOUNT = re.compile(r"[a-z0-9._-]{1,100}@[a-z0-9.-]{0,100}\bgserviceaccount\.com")
_LONGEST_SUBJECT = 255


@dataclass(frozen=True, slots=True)
class TrustedAccount:
    """One account.

    Attributes:
        kind: Which kind it is.
        id: A service account's e-mail address in small letters; or a subject, as its issuer writes it.
        issuer: Whose subject it is; empty for service accounts, which are Google's.
        scopes: What the token lets it do at most; None where tokens of this kind say nothing about that.
    """

    kind: AccountKind
    id: str
    issuer: str = ""
    scopes: frozenset[str] | None = None

    @property
    def key_id(self) -> str:
        """The id of its document, the same in every business: it is entered once in each."""
        return f"key_{key_hash(chr(10).join((self.kind, self.issuer, self.id)))[:12]}"


def service_account(email: object) -> TrustedAccount | None:
    """Return the service account of an e-mail address; None where it is none of a service account."""
    text = email.strip().lower() if isinstance(email, str) else ""
    return TrustedAccount("serviceAccount", text) if _SERVICE_ACCOUNT.fullmatch(text) else None


def subject(issuer: str, id: object) -> TrustedAccount | None:
    """Return an issuer's account; None where a subject cannot be written so."""
    if not isinstance(id, str) or not 0 < len(id) <= _LONGEST_SUBJECT or id != id.strip() or not id.isprintable():
        return None
    return TrustedAccount("subject", id, issuer)


def claimed_issuer(token: str) -> str:
    """Return who a token says it is from; empty where it says nothing. Nothing is verified by that."""
    _, dot, rest = token.partition(".")
    claims, second, _ = rest.partition(".")
    if not dot or not second or len(token) > LONGEST_TOKEN:
        return ""
    try:
        payload = orjson.loads(base64.urlsafe_b64decode(claims + "=" * (-len(claims) % 4)))
    except ValueError:
        return ""
    return text(mapping(payload).get("iss"))
