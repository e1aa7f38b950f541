"""Which of many instances makes the passes: the one whose sign of life in the store is fresh, and no other.

Every pass asks the store what is due, over all businesses. Three hundred idle instances that each asked every ten
seconds would cost more than all calls. So one leads, and says every round that it is alive; the others only look at
that, the more rarely the more of them there are, and whoever finds the sign too old takes over. Only the store's clock
counts: instances whose own clocks differ agree.

Two that lead at once for a moment do no harm: passes have to bear being made side by side anyway.
"""

import random
import uuid
from datetime import UTC, datetime, timedelta
from typing import Final

from switchboard.contract.ports import Paths, Store
from switchboard.contract.store import (
    SERVER_TIME,
    AlreadyExists,
    Create,
    Document,
    Missing,
    Stale,
    StoreError,
    Update,
)

# Rounds without a sign of life before somebody else leads: a slow round is no death.
_ROUNDS: Final = 2.5
# Looks of all instances together should be so many rounds apart: closer ones make an instance look more rarely.
_LEAST_APART, _MOST_APART = 0.5, 2.0
_SLOWER_AT_ONCE: Final = 8.0
_RAREST_ROUNDS: Final = 60.0


class PassLead:
    """One instance's claim to make the passes, in one document of the store that all of them share.

    Args:
        store: Where the sign of life stands.
        paths: Name its document.
        every_s: How long a round is, in seconds.
        chance: Spreads the looks of instances that were started together; a test brings its own.
    """

    def __init__(self, store: Store, paths: Paths, every_s: float, chance: random.Random | None = None) -> None:
        self._store, self._path = store, paths.pass_lead
        self._every_s = self._interval_s = every_s
        self._chance = chance or random.Random()
        self._instance = uuid.uuid4().hex
        self._holds = False

    @property
    def is_held(self) -> bool:
        """Whether this instance led when it last looked."""
        return self._holds

    def wait_s(self) -> float:
        """Return after how many seconds to look again: a round for who leads, at random for the others."""
        return self._every_s if self._holds else self._interval_s * self._chance.uniform(0.5, 1.5)

    async def look(self) -> bool:
        """Say that this instance is alive if it leads, take over if nobody does, and tell whether it leads now.

        Where the store does not answer nobody leads: a pass could not be made either.
        """
        try:
            self._holds = await self._looked()
        except StoreError:
            self._holds = False
        return self._holds

    async def _looked(self) -> bool:
        document = await self._store.get(self._path)
        if document is None:
            return await self._claimed(Create(self._path, self._sign()))
        if document.data.get("instance") == self._instance:
            await self._store.commit([Update(self._path, {"aliveAt": SERVER_TIME})])
            return True
        (look,) = await self._store.commit([Update(self._path, {"lookedAt": SERVER_TIME})])
        now = look.update_time
        self._adapt((now - _time(document, "lookedAt")).total_seconds())
        if now - _time(document, "aliveAt") < timedelta(seconds=_ROUNDS * self._every_s):
            return False
        return await self._claimed(Update(self._path, self._sign(), if_update_time=now))

    async def _claimed(self, write: Create | Update) -> bool:
        try:
            await self._store.commit([write])
        except (AlreadyExists, Missing, Stale):
            # Somebody else looked or took over in between; whoever did goes on.
            return False
        self._interval_s = self._every_s
        return True

    def _sign(self) -> dict[str, object]:
        return {"instance": self._instance, "aliveAt": SERVER_TIME, "lookedAt": SERVER_TIME}

    def _adapt(self, apart_s: float) -> None:
        """Look more rarely where the last look of anybody was a moment ago, and more often where it was long ago."""
        least_s, most_s = _LEAST_APART * self._every_s, _MOST_APART * self._every_s
        if apart_s < least_s:
            self._interval_s *= min(_SLOWER_AT_ONCE, least_s / max(apart_s, 0.001))
        elif apart_s > most_s:
            self._interval_s /= 2
        self._interval_s = min(max(self._interval_s, self._every_s), _RAREST_ROUNDS * self._every_s)


def _time(document: Document, name: str) -> datetime:
    """Return a time of the document; one that nobody can read is long ago, so that the next sign replaces it."""
    value = document.data.get(name)
    return value if isinstance(value, datetime) else datetime.min.replace(tzinfo=UTC)
