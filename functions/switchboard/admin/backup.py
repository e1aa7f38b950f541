"""Everything in a store, or one business, as lines of text and back.

An export is no snapshot: what changes while it runs may be in it as it was before or after. Secrets stay encrypted, so
that they are of use only with the key that they were encrypted with. The first line says what it is a backup of, the
last one how many documents it holds: without it the export did not come to its end.
"""

import json
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime

from switchboard.admin.backup_lines import BadLine, read_line, to_line
from switchboard.admin.store_map import PLACES, Place, documents_of
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import Paths, Store
from switchboard.contract.store import AlreadyExists, Create, Document

FORMAT, VERSION = "switchboard-backup", 1
_AT_ONCE = 50
# A commit may hold ten megabytes.
_CHARACTERS_AT_ONCE = 4_000_000
_NAMED = 10


class CannotRestore(Exception):
    """A backup that is not written back; the text says why and what would work. Nothing was written."""


@dataclass(frozen=True, slots=True)
class Heading:
    """What a backup's first line says: whose documents follow (None: everybody's), and when it was begun."""

    business_id: str | None
    at: str

    def to_line(self) -> str:
        """Return the line, without its end."""
        return json.dumps({"format": FORMAT, "version": VERSION, "business": self.business_id, "at": self.at})


@dataclass(slots=True)
class Restored:
    """What a restoration does, or would do.

    Attributes:
        new: Documents that were missing.
        same: Documents that stood there already as they are in the backup.
        kept: Documents that stand there otherwise; they were left as they are.
        foreign: Documents that stand there and not in the backup.
        named: Some of the last two, by path.
    """

    new: int = 0
    same: int = 0
    kept: int = 0
    foreign: int = 0
    named: list[str] = field(default_factory=list)


def heading(business_id: str | None, now: datetime) -> Heading:
    """Return the heading of a backup that is begun now."""
    return Heading(business_id, now.isoformat())


async def exported(
    store: Store, paths: Paths, business_id: str | None, after: str = ""
) -> AsyncIterator[tuple[Document, str]]:
    """Yield documents with their lines; `after` is the path of the last one that an interrupted export wrote."""
    if business_id is not None and not after:
        own = await store.get(paths.within(business_id).business)
        if own is not None:
            yield own, to_line(own.path, own.data)
    places = places_of(business_id)
    begun = next((i for i, place in enumerate(places) if place.name == _collection(after)), 0) if after else 0
    for index, place in enumerate(places[begun:], begun):
        behind = after if after and index == begun and place.name == _collection(after) else ""
        async for document in documents_of(store, paths, place, business_id, behind):
            yield document, to_line(document.path, document.data)


def places_of(business_id: str | None) -> list[Place]:
    """Return the places of everybody, or those below a business."""
    return [place for place in PLACES if business_id is None or place.is_of_business]


def end_line(documents: int) -> str:
    """Return the line with which a complete backup ends."""
    return json.dumps({"end": documents})


def read_heading(line: str) -> Heading:
    """Return what a backup's first line says.

    Raises:
        CannotRestore: It is no backup of ours.
    """
    try:
        found = json.loads(line)
        fits = found["format"] == FORMAT and found["version"] == VERSION
        given = Heading(found["business"], str(found["at"]))
    except (ValueError, KeyError, TypeError):
        fits = False
    if not fits or not (given.business_id is None or isinstance(given.business_id, str)):
        raise CannotRestore(f"this is no backup of version {VERSION}: its first line does not say so")
    return given


def documents_in(lines: Iterable[str]) -> Iterator[tuple[str, JsonObject]]:
    """Yield the documents of the lines behind the first.

    Raises:
        CannotRestore: A line cannot be read, or the last one is missing.
    """
    count = 0
    for number, line in enumerate(lines, 2):
        if line.startswith('{"end"'):
            if line.strip() != end_line(count):
                raise CannotRestore(f"line {number}: the backup has {count} documents and says otherwise")
            return
        try:
            yield read_line(line)
        except BadLine as error:
            raise CannotRestore(f"line {number}: {error}") from None
        count += 1
    raise CannotRestore(f"the backup ends after {count} documents without saying so: it was not finished")


async def compare(
    store: Store, paths: Paths, given: Heading, documents: Callable[[], Iterator[tuple[str, JsonObject]]]
) -> Restored:
    """Tell what a restoration would do; reads only.

    Raises:
        CannotRestore: The backup cannot be read, or names documents that are not in it by its own heading.
    """
    found = Restored()
    in_backup = 0
    for batch in _batches(_checked(paths, given, documents())):
        for (path, data), there in zip(batch, await store.get_many([path for path, _ in batch]), strict=True):
            in_backup += there is not None
            _sort(found, path, data, there)
    total = 0
    async for _, _ in exported(store, paths, given.business_id):
        total += 1
    found.foreign = max(0, total - in_backup)
    return found


async def restore(
    store: Store, paths: Paths, given: Heading, documents: Callable[[], Iterator[tuple[str, JsonObject]]]
) -> Restored:
    """Write what is missing. What is there stays as it is, so a restoration that was interrupted is simply repeated.

    Raises:
        CannotRestore: The backup cannot be read; nothing of what stands behind that place was written.
    """
    done = Restored()
    for batch in _batches(_checked(paths, given, documents())):
        await _write(store, batch, done)
    return done


async def _write(store: Store, batch: list[tuple[str, JsonObject]], done: Restored) -> None:
    found = await store.get_many([path for path, _ in batch])
    missing = [pair for pair, there in zip(batch, found, strict=True) if there is None]
    try:
        if missing:
            await store.commit([Create(path, data) for path, data in missing])
    except AlreadyExists:
        # Somebody wrote one of them meanwhile; those that are still missing go one by one.
        if len(batch) > 1:
            for pair in batch:
                await _write(store, [pair], done)
            return
        found, missing = await store.get_many([batch[0][0]]), []
    done.new += len(missing)
    for (path, data), there in zip(batch, found, strict=True):
        if there is not None:
            _sort(done, path, data, there)


def _sort(found: Restored, path: str, data: JsonObject, there: Document | None) -> None:
    if there is None:
        found.new += 1
    elif _comparable(there.data) == _comparable(data):
        found.same += 1
    else:
        found.kept += 1
        if len(found.named) < _NAMED:
            found.named.append(path)


def _comparable(data: JsonObject) -> str:
    return json.dumps(json.loads(to_line("", data)), sort_keys=True)


def _checked(
    paths: Paths, given: Heading, documents: Iterator[tuple[str, JsonObject]]
) -> Iterator[tuple[str, JsonObject]]:
    own = paths.within(given.business_id).business if given.business_id is not None else None
    known = {place.name for place in places_of(given.business_id)}
    for path, data in documents:
        is_own = own is None or path == own or path.startswith(f"{own}/")
        if not is_own or (_collection(path) not in known and path != own):
            raise CannotRestore(f"{path[:200]} does not belong into a backup of {given.business_id or 'everything'}")
        yield path, data


def _batches(documents: Iterator[tuple[str, JsonObject]]) -> Iterator[list[tuple[str, JsonObject]]]:
    batch: list[tuple[str, JsonObject]] = []
    size = 0
    for path, data in documents:
        length = len(to_line(path, data))
        if batch and (len(batch) == _AT_ONCE or size + length > _CHARACTERS_AT_ONCE):
            yield batch
            batch, size = [], 0
        batch.append((path, data))
        size += length
    if batch:
        yield batch


def _collection(path: str) -> str:
    return path.split("/")[-2] if path.count("/") else ""
