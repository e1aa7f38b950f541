"""One-time tokens that bind a ConversationRelay socket to its phone call.

The socket's custom parameters are no proof of anything by themselves: whoever can open a socket can send them.
"""

import hashlib
import secrets
from datetime import timedelta

from switchboard.contract.ports import BusinessPaths, Clock, Store
from switchboard.contract.store import Delete, Missing, Set, Stale

_LASTS = timedelta(minutes=5)


class RelayTokens:
    """Issues and spends tokens."""

    def __init__(self, store: Store, clock: Clock) -> None:
        """Keep them in `store`, hashed."""
        self._store, self._clock = store, clock

    async def issue(self, business_id: str, within: BusinessPaths, call_sid: str) -> str:
        """Return a token for the socket of a phone call; it names the business and says nothing else."""
        token = f"{secrets.token_urlsafe(24)}.{business_id}"
        fields = {"callSid": call_sid, "expireAt": self._clock.now() + _LASTS}
        await self._store.commit([Set(_path(within, token), fields)])
        return token

    async def spend(self, within: BusinessPaths, token: str, call_sid: str) -> bool:
        """Tell whether a token is for this call and has not been spent; it is from now on.

        Raises:
            StoreError: Nobody can tell.
        """
        path = _path(within, token)
        found = await self._store.get(path)
        if found is None or found.data.get("callSid") != call_sid or self._clock.now() >= found.data["expireAt"]:
            return False
        try:
            await self._store.commit([Delete(path, if_update_time=found.update_time)])
        except (Missing, Stale):
            return False
        return True


def business_of(token: str) -> str:
    """Return the business that a token names; whether it is one is found out when it is spent."""
    return token.partition(".")[2]


def _path(within: BusinessPaths, token: str) -> str:
    return within.document(
        "tickets", f"relay:{hashlib.sha256(token.encode('utf-8', 'surrogatepass')).hexdigest()[:40]}"
    )
