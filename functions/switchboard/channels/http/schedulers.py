"""Whoever may have the background work of all businesses done: Google's scheduler and queue, or another scheduler.

Google's show an ID token of one service account, which is made for each request and lasts an hour; so no job and no
task holds anything that lets somebody in. Others show a token that is configured here and there.
"""

import hmac

from switchboard.channels.http.accounts import IdTokens, read
from switchboard.contract.account import GOOGLE_ISSUERS, claimed_issuer


class Schedulers:
    """Tells who speaks for all businesses."""

    def __init__(self, token: str, account: str = "", tokens: IdTokens | None = None) -> None:
        """Let in who shows `token`, or an ID token of the service account with the e-mail address `account`.

        An empty one lets nobody in, and so does an account where nothing verifies tokens.
        """
        self._token, self._account, self._tokens = token, account, tokens

    async def speak_for_all(self, authorization: str | None) -> bool:
        """Tell whether a request's `Authorization` is a scheduler's; False may still be that of a single business.

        Raises:
            Rejected: 401, an ID token is not good; 503, nobody can tell right now.
        """
        scheme, _, sent = (authorization or "").strip().partition(" ")
        sent = sent.strip()
        if scheme.lower() != "bearer":
            return False
        # Headers reach us as Latin-1, whatever their bytes were. An empty token is none, not one easily guessed.
        if self._token and hmac.compare_digest(sent.encode("latin-1"), self._token.encode()):
            return True
        if not self._account or self._tokens is None or claimed_issuer(sent) not in GOOGLE_ISSUERS:
            return False
        return (await read(self._tokens.account(sent))).id == self._account
