"""Which conversations were opened with a live speech model: only theirs may have a model's calls carried out."""

from datetime import timedelta

from cachetools import LRUCache

from switchboard.channels.http.credentials import Rejected
from switchboard.contract.context import BrowserVoiceContext
from switchboard.contract.ports import Clock, Paths, Store
from switchboard.contract.store import Set

# As long as a visitor's token is good for.
_LASTS = timedelta(hours=12)
_KNOWN = 5_000
_NOT_OPENED = (
    "This conversation was not opened with a live speech model, so that no model can have asked for a call. Open it by "
    "POST /browser_voice/session and a provider that SWITCHBOARD_VOICES names, or speak by POST /browser_voice/turn."
)


class LiveSessions:
    """Notes them, for every process."""

    def __init__(self, store: Store, paths: Paths, clock: Clock) -> None:
        """Keep them in `store`."""
        self._store, self._paths, self._clock = store, paths, clock
        self._known: LRUCache[str, bool] = LRUCache(_KNOWN)

    async def open(self, facts: BrowserVoiceContext, provider: str) -> None:
        """Note that a conversation has been opened with a provider's model.

        Raises:
            StoreError: It was not noted, and its calls would be refused.
        """
        path, now = self._path(facts), self._clock.now()
        await self._store.commit([Set(path, {"provider": provider, "at": now, "expireAt": now + _LASTS})])
        self._known[path] = True

    async def require(self, facts: BrowserVoiceContext) -> None:
        """Return if a conversation has been opened so, here or elsewhere.

        Raises:
            Rejected: 403, it has not.
            StoreError: Nobody can tell.
        """
        path = self._path(facts)
        if path in self._known:
            return
        if await self._store.get(path) is None:
            raise Rejected(403, _NOT_OPENED)
        self._known[path] = True

    def _path(self, facts: BrowserVoiceContext) -> str:
        return self._paths.within(facts.business_id).document("tickets", f"live-voice:{facts.session_id}")
