"""Everything in a store, or one business, as lines of text and back, whoever has put it there.

An export is no snapshot: what changes while it runs may be in it as it was before or after. Secrets stay encrypted, so
that they are of use only with the key that they were encrypted with. The first line says what it is a backup of, the
last one how many documents it holds: without it the export did not come to its end. Every line ends in its own sum, and
the last one in that of all, so that what has changed since, in a disk or by a hand, is not taken for what was there.
"""

import hashlib
import json
import re
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from dataclasses import field
from datetime import datetime

from switchboard.admin.maintenance.backup_lines import BadLine, read_line, to_line
from switchboard.admin.maintenance.data_inventory import PLACES, all_documents, documents_of, is_compiled
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import Paths, Store
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import AlreadyExists, Create, Document, Invalid, Query

FORMAT, VERSION = "switchboard-backup", 2
_WITHOUT_SUMS = 1
_SUM = re.compile(r',"sum":"([0-9a-f]{16})"\}\Z')
_EDITED = "if somebody has changed it on purpose, add --edited"
_AT_ONCE = 50
# Firestore takes ten megabytes in a commit, its emulator four; as they are sent, every letter with its accents.
_BYTES_AT_ONCE = 3_000_000
_NAMED = 10
_COMPILED = next(place for place in PLACES if place.name == "compiled")


class CannotRestore(Exception):
    """A backup that is not written back; the text says why and what would work. Nothing was written."""


@dataclass(frozen=True, slots=True)
class Heading:
    """What a backup's first line says: whose documents follow (None: everybody's), when it was begun, and of what.

    `source` names the database, as far as it is known: an export that was interrupted goes on with the same one only.
    Those of version 1 have no sums.
    """

    business_id: str | None
    at: str
    source: str = ""
    version: int = VERSION

    @property
    def has_sums(self) -> bool:
        """Whether its lines say what they were when they were written."""
        return self.version > _WITHOUT_SUMS

    def to_line(self) -> str:
        """Return the line, without its end."""
        heading = {"format": FORMAT, "version": self.version, "business": self.business_id, "at": self.at}
        return json.dumps(heading | ({"source": self.source} if self.source else {}))


class Seal:
    """Gives the lines behind a heading their sums, and knows that of all so far."""

    def __init__(self, heading: Heading) -> None:
        self._whole = hashlib.sha256(heading.to_line().encode())
        self.lines = 0

    def sealed(self, line: str) -> str:
        """Return a document's line with its sum."""
        return f'{line[:-1]},"sum":"{self.sum_of(line)}"}}'

    def sum_of(self, line: str) -> str:
        """Count a line without its sum, and return that."""
        content = line.encode("utf-8", "surrogatepass")
        self._whole.update(content + b"\n")
        self.lines += 1
        return hashlib.sha256(content).hexdigest()[:16]

    def take(self, line: str, where: str) -> None:
        """Count a line that was sealed.

        Raises:
            CannotRestore: It is not what was written.
        """
        text = line.strip()
        ending = _SUM.search(text)
        if ending is None or ending[1] != self.sum_of(text[: ending.start()] + "}"):
            raise CannotRestore(f"{where} is not what was written: its sum is another. Take a whole copy; {_EDITED}")

    def end_line(self) -> str:
        """Return the line with which a complete backup ends."""
        return json.dumps({"end": self.lines, "sum": self._whole.hexdigest()})


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

    @property
    def looked_at(self) -> int:
        """How many documents of the backup were looked at."""
        return self.new + self.same + self.kept


def heading(business_id: str | None, now: datetime, source: str = "") -> Heading:
    """Return the heading of a backup that is begun now."""
    return Heading(business_id, now.isoformat(), source)


async def exported(
    store: Store, paths: Paths, business_id: str | None, after: str = ""
) -> AsyncIterator[tuple[Document, str]]:
    """Yield documents with their lines; `after` is the path of the last one that an interrupted export wrote."""
    async for document in _found(store, paths, business_id, after):
        yield document, to_line(document.path, document.data)


def read_heading(line: str) -> Heading:
    """Return what a backup's first line says.

    Raises:
        CannotRestore: It is no backup of ours.
    """
    try:
        parsed = json.loads(line)
        fits = parsed["format"] == FORMAT and parsed["version"] in (_WITHOUT_SUMS, VERSION)
        given = Heading(parsed["business"], str(parsed["at"]), str(parsed.get("source", "")), parsed["version"])
    except (ValueError, KeyError, TypeError):
        fits = False
    if not fits or not (given.business_id is None or isinstance(given.business_id, str)):
        raise CannotRestore(f"this is no backup of version {VERSION} or older: its first line does not say so")
    return given


def documents_in(given: Heading, lines: Iterable[str], *, is_edited: bool = False) -> Iterator[tuple[str, JsonObject]]:
    """Yield the documents of the lines behind the first.

    Args:
        given: What the first line says.
        lines: Those behind it.
        is_edited: Somebody has changed lines on purpose: sums are not looked at.

    Raises:
        CannotRestore: A line cannot be read or is another than it was, or the last one is missing.
    """
    seal, is_ended, has_sums = Seal(given), False, given.has_sums and not is_edited
    for number, line in enumerate(lines, 2):
        if is_ended:
            if line.strip():
                raise CannotRestore(f"line {number}: the backup ended above, and what follows is none of it")
            continue
        if line.startswith('{"end"'):
            _check_end(seal, line, number, has_sums=has_sums)
            is_ended = True
            continue
        try:
            document = read_line(line)
        except BadLine as error:
            raise CannotRestore(f"line {number}: {error}") from None
        if has_sums:
            seal.take(line, f"line {number} ({document[0][:100]})")
        else:
            seal.lines += 1
        yield document
    if not is_ended:
        raise CannotRestore(f"the backup ends after {seal.lines} documents without saying so: it was not finished")


def _check_end(seal: Seal, line: str, number: int, *, has_sums: bool) -> None:
    try:
        end = json.loads(line)
        count = end["end"]
    except (ValueError, KeyError):
        raise CannotRestore(f"line {number}: the end of the backup cannot be read") from None
    if count != seal.lines:
        raise CannotRestore(f"line {number}: the backup has {seal.lines} documents and says otherwise")
    if has_sums and line.strip() != seal.end_line():
        raise CannotRestore(
            f"line {number}: each line is what was written, all of them together are not: some have changed places, or "
            f"come from another backup. Take a whole copy; {_EDITED}"
        )


async def compare(
    store: Store,
    paths: Paths,
    given: Heading,
    documents: Callable[[], Iterator[tuple[str, JsonObject]]],
    tell: Callable[[Restored], object] = lambda seen: None,
) -> Restored:
    """Tell what a restoration would do; reads only, and calls `tell` with what was seen by then.

    Raises:
        CannotRestore: The backup cannot be read, or names documents that are not in it by its own heading.
    """
    restored = Restored()
    in_backup = 0
    for batch in _batches(_checked(paths, given, documents())):
        for (path, data), there in zip(batch, await _there(store, batch), strict=True):
            in_backup += there is not None
            _sort(restored, path, data, there)
        tell(restored)
    restored.foreign = max(0, await _counted(store, paths, given.business_id) - in_backup)
    return restored


async def _counted(store: Store, paths: Paths, business_id: str | None) -> int:
    """Return how many documents an export would have now; of everything they are not read for it."""
    if business_id is not None:
        return sum([1 async for _ in _found(store, paths, business_id)])
    compiled = 0
    async for document in documents_of(store, paths, _COMPILED):
        compiled += is_compiled(document.path)
    return await store.count(Query("", group=True)) - compiled


async def restore(
    store: Store,
    paths: Paths,
    given: Heading,
    documents: Callable[[], Iterator[tuple[str, JsonObject]]],
    tell: Callable[[Restored], object] = lambda done: None,
) -> Restored:
    """Write what is missing. What is there stays as it is, so a restoration that was interrupted is simply repeated.

    `tell` is called with what is done by then, after every commit.

    Raises:
        CannotRestore: The backup cannot be read, or the store takes one of its documents for none; what stands in front
            of that place was written.
    """
    done = Restored()
    for batch in _batches(_checked(paths, given, documents())):
        await _write(store, batch, done)
        tell(done)
    return done


async def _found(store: Store, paths: Paths, business_id: str | None, after: str = "") -> AsyncIterator[Document]:
    if business_id is not None and not after:
        own = await store.get(paths.within(business_id).business)
        if own is not None:
            yield own
    async for document in all_documents(store, paths, business_id, after):
        # What is compiled of others is compiled again; brought back, it would be older than what stands beside it.
        if not is_compiled(document.path):
            yield document


async def _there(store: Store, batch: list[tuple[str, JsonObject]]) -> list[Document | None]:
    try:
        return await store.get_many([path for path, _ in batch])
    except Invalid as error:
        if len(batch) == 1:
            raise CannotRestore(f"no document can stand at {batch[0][0][:200]!r}: {error}") from None
        return [there for pair in batch for there in await _there(store, [pair])]


async def _write(store: Store, batch: list[tuple[str, JsonObject]], done: Restored) -> None:
    there_before = await _there(store, batch)
    missing = [pair for pair, there in zip(batch, there_before, strict=True) if there is None]
    try:
        if missing:
            await store.commit([Create(path, data) for path, data in missing])
    except (AlreadyExists, Invalid) as error:
        # Somebody wrote one of them meanwhile, or one is not taken; those that are still missing go one by one.
        if len(batch) > 1:
            for pair in batch:
                await _write(store, [pair], done)
            return
        if isinstance(error, Invalid):
            raise _not_taken(batch[0][0], error, done) from None
        there_before, missing = await _there(store, batch), []
    done.new += len(missing)
    for (path, data), there in zip(batch, there_before, strict=True):
        if there is not None:
            _sort(done, path, data, there)


def _not_taken(path: str, error: Invalid, done: Restored) -> CannotRestore:
    return CannotRestore(
        f"the store does not take {path[:200]}: {error}. {done.new} documents in front of it were written. Correct its "
        "line and import again with --edited"
    )


def _sort(restored: Restored, path: str, data: JsonObject, there: Document | None) -> None:
    if there is None:
        restored.new += 1
    elif _comparable(there.data) == _comparable(data):
        restored.same += 1
    else:
        restored.kept += 1
        if len(restored.named) < _NAMED:
            restored.named.append(path)


def _comparable(data: JsonObject) -> str:
    return json.dumps(json.loads(to_line("", data)), sort_keys=True)


def _checked(
    paths: Paths, given: Heading, documents: Iterator[tuple[str, JsonObject]]
) -> Iterator[tuple[str, JsonObject]]:
    own = paths.within(given.business_id).business if given.business_id is not None else None
    for path, data in documents:
        if own is not None and path != own and not path.startswith(f"{own}/"):
            raise CannotRestore(f"{path[:200]} does not belong into a backup of {given.business_id}")
        yield path, data


def _batches(documents: Iterator[tuple[str, JsonObject]]) -> Iterator[list[tuple[str, JsonObject]]]:
    batch: list[tuple[str, JsonObject]] = []
    size = 0
    for path, data in documents:
        length = len(to_line(path, data).encode("utf-8", "surrogatepass"))
        if batch and (len(batch) == _AT_ONCE or size + length > _BYTES_AT_ONCE):
            yield batch
            batch, size = [], 0
        batch.append((path, data))
        size += length
    if batch:
        yield batch
