"""Which businesses would lose or get which tools by a change, and whose keys would be let in no more.

The change has been made over a copy of what is there; both sides are then asked of a catalog each.
"""

import asyncio
from collections.abc import Collection, Iterator, Sequence
from datetime import datetime

from switchboard.admin.access.known_business import first_businesses
from switchboard.admin.credentials.api_keys import read_key
from switchboard.catalog.offer.catalog import Catalog
from switchboard.catalog.offer.changes import OfferChange, offer_change
from switchboard.contract.credential import SERVICE_SCOPES
from switchboard.contract.json import JsonObject, as_json
from switchboard.contract.ports import BusinessCollection, Paths, Store
from switchboard.contract.python.dataclass import dataclass

MOST_BUSINESSES = 300
"""So many businesses are looked at where a change is about all of them."""
NAMED = 40
"""So many of the businesses that would lose tools are told in sentences."""
_AT_ONCE = 20
_PAUSE_S = 0.01
_KEYS: BusinessCollection = "apiKeys"


@dataclass(frozen=True, slots=True)
class Side:
    """What there is, or would be, and the catalog over it."""

    store: Store
    catalog: Catalog


@dataclass(frozen=True, slots=True)
class KeyLost:
    """A key, or an account without one, that would be let in no more.

    Attributes:
        id: Names it to its owners.
        name: What they call it.
        scopes: What it allows now.
    """

    id: str
    name: str
    scopes: tuple[str, ...]

    @property
    def reason(self) -> str:
        """What would become of whoever comes with it."""
        if set(self.scopes).isdisjoint(SERVICE_SCOPES):
            return "whoever comes with it is let in no more"
        return "whoever comes with it is let in no more, and gets no tools"

    def to_json(self) -> JsonObject:
        """Return it as the admin API answers it."""
        return as_json(self, reason=self.reason)


@dataclass(frozen=True, slots=True)
class BusinessForesight:
    """What a change would do to one business."""

    offer: OfferChange
    keys: tuple[KeyLost, ...] = ()

    @property
    def is_any(self) -> bool:
        """Whether anything would be otherwise."""
        return bool(self.offer.lost or self.offer.got or self.keys)

    @property
    def losses(self) -> tuple[str, ...]:
        """What it would lose, a sentence for its tools and one for each key."""
        id, lost = self.offer.business_id, self.offer.lost
        sentences = [f"{id} would lose {'; '.join(change.words for change in lost)}"] if lost else []
        sentences += [f"{id} would lose its key {key.name} ({key.reason})" for key in self.keys]
        return tuple(sentences)

    def to_json(self) -> JsonObject:
        """Return it as the admin API answers it."""
        return {
            "businessId": self.offer.business_id,
            "loses": [change.to_json() for change in self.offer.lost],
            "gets": [change.to_json() for change in self.offer.got],
            "keys": [key.to_json() for key in self.keys],
        }


@dataclass(frozen=True, slots=True)
class Foresight:
    """What a change would do.

    Attributes:
        businesses: Those for which something would be otherwise.
        looked_at: How many were looked at.
        are_all: Whether those are all that the change is about.
    """

    businesses: tuple[BusinessForesight, ...]
    looked_at: int
    are_all: bool

    @property
    def words(self) -> tuple[str, ...]:
        """What would be lost, a sentence for each business; of many the first ones, and how many more."""
        losing = [one for one in self.businesses if one.losses]
        sentences = [sentence for one in losing[:NAMED] for sentence in one.losses]
        if len(losing) > NAMED:
            sentences.append(f"and {len(losing) - NAMED} more that would lose tools")
        if not self.are_all:
            sentences.append(f"only the first {self.looked_at} businesses were looked at")
        return tuple(sentences)

    def to_json(self) -> JsonObject:
        """Return it as the admin API answers it."""
        return as_json(self, dry_run=True, words=self.words)


async def foresee(paths: Paths, before: Side, after: Side, written: Collection[str], now: datetime) -> Foresight:
    """Return what a change would do to every business that it is about.

    Args:
        paths: Where things are.
        before: What there is.
        after: What there would be.
        written: The paths of all documents that the change writes or deletes; some of what all businesses share means
            all businesses, of which the first `MOST_BUSINESSES` by id are looked at.
        now: Keys that have expired by then let nobody in.
    """
    own = sorted({paths.business_of(path) for path in written if path.startswith(f"{paths.businesses}/")})
    ids, are_all = own, True
    if any(path == paths.tool_pointer or path.startswith(f"{paths.definitions}/") for path in written):
        everybody, are_all = await first_businesses(before.store, paths, MOST_BUSINESSES)
        # One that the change makes has nothing to lose, and is told all the same.
        ids = [*everybody, *(id for id in own if id not in everybody)]
    foreseen: list[BusinessForesight] = []
    for begin in range(0, len(ids), _AT_ONCE):
        part = ids[begin : begin + _AT_ONCE]
        foreseen += await asyncio.gather(*(_of_one(paths, before, after, id, written, now) for id in part))
    return Foresight(tuple(one for one in foreseen if one.is_any), len(ids), are_all)


async def _of_one(
    paths: Paths, before: Side, after: Side, business_id: str, written: Collection[str], now: datetime
) -> BusinessForesight:
    keys = f"{paths.within(business_id).collection(_KEYS)}/"
    changed = sorted(path for path in written if path.startswith(keys))
    lost = await _keys_lost(before.store, after.store, changed, now)
    return BusinessForesight(await offer_change(before.catalog, after.catalog, business_id, _PAUSE_S), tuple(lost))


async def _keys_lost(before: Store, after: Store, paths: Sequence[str], now: datetime) -> Iterator[KeyLost]:
    documents = await before.get_many(paths) if paths else []
    then = await after.get_many(paths) if paths else []
    pairs = [(read_key(old), new) for old, new in zip(documents, then, strict=True) if old is not None]
    return (
        KeyLost(key.id, key.name, key.scopes)
        for key, new in pairs
        if key.works_at(now) and (new is None or not read_key(new).works_at(now))
    )
