"""Tokens that let a browser go on with one conversation: signed, good for twelve hours, and naming who it is.

A token is made where a portal link was redeemed or an anonymous visitor was let in; nothing is stored for it. It
carries the number that the link was sent to, which tells a visit by link from an anonymous one and proves nothing else,
and which link it was: that one may have been ended.
"""

import base64
import hashlib
import hmac
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import orjson

from switchboard.channels.http.credentials import Rejected
from switchboard.contract.ports import Clock

LIFETIME = timedelta(hours=12)
# Told apart from API keys without asking the store.
PREFIX = "visit."
_KEY_BYTES = 32
_LONGEST = 4_000
_REFUSED = "This visit is not valid any more. Open the page again, or ask for a new link on the phone."


@dataclass(frozen=True, slots=True)
class TokenVisit:
    """Whom a token lets in, and into which conversation.

    Attributes:
        business_id: The business.
        session_id: The conversation.
        expires_at: Until when (aware, UTC).
        caller_phone: E.164, where the portal link was sent to; None for an anonymous visitor. It says nothing of who
            opened the link: links are forwarded.
        caller_id: The record of whom it was sent to, if the phone conversation knew it.
        link_id: Which link it was; None for an anonymous visitor, and where a token is older than this.
    """

    business_id: str
    session_id: str
    expires_at: datetime
    caller_phone: str | None = None
    caller_id: str | None = None
    link_id: str | None = None

    @property
    def began_at(self) -> datetime:
        """When it began."""
        return self.expires_at - LIFETIME

    @property
    def is_anonymous(self) -> bool:
        """Whether no link has said who it is."""
        return self.caller_phone is None


class VisitorTokens:
    """Issues tokens and reads them."""

    def __init__(self, key: bytes, clock: Clock) -> None:
        """Sign with `key`, at least 32 random bytes, the same in every process.

        Raises:
            ValueError: The key is too short to protect anything.
        """
        if len(key) < _KEY_BYTES:
            raise ValueError(f"the key for visitor tokens needs {_KEY_BYTES} bytes, and has {len(key)}")
        self._key, self._clock = key, clock

    def issue(
        self,
        business_id: str,
        session_id: str,
        caller_phone: str | None = None,
        caller_id: str | None = None,
        link_id: str | None = None,
    ) -> tuple[str, TokenVisit]:
        """Return a token and the visit that it stands for."""
        expires = int((self._clock.now() + LIFETIME).timestamp())
        claims = [business_id, session_id, caller_phone, caller_id, expires, *([link_id] if link_id else [])]
        body = PREFIX.encode() + _text(orjson.dumps(claims))
        visit = TokenVisit(
            business_id, session_id, datetime.fromtimestamp(expires, UTC), caller_phone, caller_id, link_id
        )
        return f"{body.decode()}.{_text(self._mac(body)).decode()}", visit

    def read(self, token: str) -> TokenVisit:
        """Return the visit that a token stands for.

        Raises:
            Rejected: 401, in the same words whatever is wrong with it.
        """
        body, _, signature = token[:_LONGEST].encode("utf-8", "surrogatepass").rpartition(b".")
        # Before anything is read: what we have not signed, letter by letter, is nobody's word.
        if not hmac.compare_digest(signature, _text(self._mac(body))):
            raise Rejected(401, _REFUSED)
        claims = body.removeprefix(PREFIX.encode())
        business_id, session_id, caller_phone, caller_id, expires, *link = orjson.loads(
            base64.urlsafe_b64decode(claims + b"=" * (-len(claims) % 4))
        )
        visit = TokenVisit(
            business_id, session_id, datetime.fromtimestamp(expires, UTC), caller_phone, caller_id, *link
        )
        if self._clock.now() >= visit.expires_at:
            raise Rejected(401, _REFUSED)
        return visit

    def _mac(self, body: bytes) -> bytes:
        return hmac.new(self._key, b"visit|" + body, hashlib.sha256).digest()


def _text(data: bytes) -> bytes:
    return base64.urlsafe_b64encode(data).rstrip(b"=")
