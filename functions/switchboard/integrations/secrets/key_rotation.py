"""Which key every secret hangs on, and moving all of them to the newest one, so that older ones can be retired.

Secrets are encrypted with data keys of their business's own, and only those are wrapped by the key that turns
(`data_keys.py`): a data key that is wrapped anew takes its secrets along. What is done stands in each document, so that
a run that was killed is finished by the next, and two at once do no harm.
"""

import asyncio
import logging
from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import field

from switchboard.contract.document import mapping, text
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import Paths, Store
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import SERVER_TIME, Document, Missing, Query, Stale, Update
from switchboard.integrations.secrets.data_keys import KEYS_DOCUMENT, wrapped_keys
from switchboard.integrations.secrets.kms import KeyKeeper

log = logging.getLogger(__name__)

UNKNOWN_KEY = "a key that is not noted"
"""In place of a name, of what was wrapped before that was written down; it counts as an older one."""
_PAGE = 100
_AT_ONCE = 8
# Somebody may enter a secret in the same moment.
_ATTEMPTS = 4


@dataclass(slots=True)
class KeyCount:
    """What hangs on which key.

    Attributes:
        newest: The name of the key that wraps now.
        secrets: How many secrets hang on each key, by its name.
        unopened: The businesses of whose keys one does not open, each with why.
        opened: How many businesses have a key that opens, as far as that was tried.
        businesses: How many were looked at that keep secrets.
        moved: How many secrets were moved to the newest key by this run.
    """

    newest: str
    secrets: Counter[str] = field(default_factory=Counter)
    unopened: dict[str, str] = field(default_factory=dict)
    opened: int = 0
    businesses: int = 0
    moved: int = 0

    @property
    def on_older(self) -> int:
        """How many secrets would be lost with the older keys."""
        return sum(count for name, count in self.secrets.items() if name != self.newest)


class KeyRotation:
    """Looks at every business's keys, and wraps them anew. Whatever the store raises passes through."""

    def __init__(self, store: Store, paths: Paths, keeper: KeyKeeper) -> None:
        """Look in `store` at what `keeper` has wrapped."""
        self._store, self._paths, self._keeper = store, paths, keeper

    async def counted(self, most: int | None = None, *, opens: bool = True) -> KeyCount:
        """Return what hangs on which key.

        Args:
            most: How many businesses that keep secrets are looked at, in the order of their ids; None for all.
            opens: Whether each key is opened as well, which takes the keeper's time.

        Raises:
            ToolError: The keeper cannot be asked right now.
        """
        count, room = KeyCount(await self._keeper.newest()), asyncio.Semaphore(_AT_ONCE)

        async def looked_at(id: str) -> None:
            async with room:
                await self._look(count, id, opens=opens)

        async for page in self._pages(most):
            await asyncio.gather(*map(looked_at, page))
        return count

    async def rotate(self, report: Callable[[KeyCount], object] = lambda count: None) -> KeyCount:
        """Wrap every data key with the newest key; `report` is told after each page of businesses.

        What cannot be opened is named in the count and left as it is.

        Raises:
            ToolError: The keeper cannot be asked right now; the next run goes on from there.
        """
        count, room = KeyCount(await self._keeper.newest()), asyncio.Semaphore(_AT_ONCE)

        async def moved(id: str) -> None:
            async with room:
                await self._move(count, id)

        async for page in self._pages(None):
            await asyncio.gather(*map(moved, page))
            report(count)
        return count

    async def _pages(self, most: int | None) -> AsyncIterator[list[str]]:
        """Yield businesses that keep secrets, in the order of their ids, also those whose own document is missing."""
        left, last = most, ""
        after: tuple[str, ...] | None = None
        while left is None or left > 0:
            # One's secrets lie together: documents are in the order of their paths, which begin with the business.
            page = await self._store.query(Query("secrets", limit=_PAGE, start_after=after, group=True))
            owners = dict.fromkeys(self._paths.business_of(document.path) for document in page)
            if ids := [id for id in owners if id != last][:left]:
                yield ids
                last, left = ids[-1], None if left is None else left - len(ids)
            if len(page) < _PAGE:
                return
            after = (page[-1].path,)

    async def _move(self, count: KeyCount, business_id: str) -> None:
        for _ in range(_ATTEMPTS):
            keys = await self._store.get(self._path(business_id))
            if keys is None:
                break
            if self._is_under(count.newest, keys):
                break
            wrapped = wrapped_keys(keys)
            try:
                clear = await asyncio.gather(*map(self._keeper.unwrap, wrapped.values()))
                anew = await asyncio.gather(*map(self._keeper.wrap, clear))
            except ToolError as error:
                if error.type is not ErrorType.PERMANENT:
                    raise
                await self._look(count, business_id)
                return
            # Whoever is asked may not know of the newest key yet: an older one is noted, so that the next run goes on.
            names = {key.wrapped_by for key in anew}
            fields: JsonObject = {
                "wrapped": {version: key.value for version, key in zip(wrapped, anew, strict=True)},
                "wrappedBy": next((name for name in sorted(names) if name != count.newest), count.newest),
                "updatedAt": SERVER_TIME,
            }
            try:
                await self._store.commit([Update(keys.path, fields, if_update_time=keys.update_time)])
            except (Stale, Missing):
                continue
            moved = await self._secrets_of(business_id) if fields["wrappedBy"] == count.newest else 0
            # Read and added in one step: others count at the same time.
            count.moved += moved
            break
        await self._look(count, business_id, opens=False)

    async def _look(self, count: KeyCount, business_id: str, *, opens: bool = True) -> None:
        keys = await self._store.get(self._path(business_id))
        if keys is None:
            if await self._secrets_of(business_id):
                count.businesses += 1
                count.unopened.setdefault(business_id, "its data keys are not there any more")
            return
        count.businesses += 1
        names = {self._name(wrapped, keys) for wrapped in wrapped_keys(keys).values()}
        # Whichever of them is lost takes some with it: the oldest is named.
        name = next((each for each in sorted(names) if each != count.newest), count.newest)
        secrets = await self._secrets_of(business_id)
        count.secrets[name] += secrets
        has_opened = False
        for wrapped in wrapped_keys(keys).values() if opens else ():
            try:
                await self._keeper.unwrap(wrapped)
                has_opened = True
            except ToolError as error:
                if error.type is not ErrorType.PERMANENT:
                    raise
                count.unopened.setdefault(business_id, error.detail)
        count.opened += has_opened

    async def _secrets_of(self, business_id: str) -> int:
        documents = await self._store.query(Query(self._paths.within(business_id).collection("secrets")))
        return sum(len(mapping(document.data.get("fields"))) for document in documents)

    def _is_under(self, newest: str, keys: Document) -> bool:
        return all(self._name(wrapped, keys) == newest for wrapped in wrapped_keys(keys).values())

    def _name(self, wrapped: bytes, keys: Document) -> str:
        noted: Mapping[str, object] = keys.data
        return self._keeper.wrapped_by(wrapped) or text(noted.get("wrappedBy")) or UNKNOWN_KEY

    def _path(self, business_id: str) -> str:
        return self._paths.within(business_id).document("secrets", KEYS_DOCUMENT)
