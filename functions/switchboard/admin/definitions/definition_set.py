"""Publish tool definitions so that readers see the whole set before or the whole set after, never a mixture.

Every version is first saved below its tool, where no reader looks; then one commit writes what changed, removes what
goes, notes who did it, and moves the pointer, on condition that nobody else moved it. Killed anywhere, publishing can
simply be repeated.
"""

import hashlib
import json
import secrets
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from switchboard.admin.definitions.reach import reach_of
from switchboard.admin.documents.difference import Difference, canonical, differences
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import Paths, Store
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import (
    SERVER_TIME,
    AlreadyExists,
    Create,
    Delete,
    Document,
    Missing,
    Query,
    Set,
    Stale,
    Unavailable,
    Update,
    Write,
)

MOST_DEFINITIONS = 400
_MOST_WRITES = 500
_VERSIONS_PER_COMMIT = 50
_SCHEMAS = ("parameters", "returns")


class CannotPublish(Exception):
    """A set was not published, and what is published stays whole; the text tells an owner why and what to do."""


@dataclass(frozen=True, slots=True)
class Published:
    """The set as it stands: the documents by tool name, as stored, and the pointer they were read under."""

    documents: Mapping[str, JsonObject]
    pointer: Document | None

    @property
    def revision(self) -> int:
        """How often a set was published here; 0 before the first time."""
        return int(self.pointer.data.get("rev", 0)) if self.pointer else 0

    def has_documents(self, fields: Mapping[str, JsonObject]) -> bool:
        """Tell whether exactly the documents of `fields` are stored."""
        return canonical(self.documents) == canonical(fields)

    def pointer_differences(self, fields: Mapping[str, JsonObject]) -> tuple[Difference, ...]:
        """Return where the pointer says something else than it would of `fields`, the revision aside."""
        right = pointer_to(fields)
        return differences({k: v for k, v in (self.pointer.data if self.pointer else {}).items() if k in right}, right)


async def read_published(store: Store, paths: Paths) -> Published:
    """Return the published set as it stands in the store."""
    # The pointer first: if somebody publishes between the two reads, it is the older one and publishing is refused.
    pointer = await store.get(paths.tool_pointer)
    documents = await store.query(Query(paths.definitions))
    return Published({document.id: document.data for document in documents}, pointer)


async def publish(
    store: Store,
    paths: Paths,
    before: Published,
    fields: Mapping[str, JsonObject],
    by: str,
    *,
    deed: str = "published",
    who: JsonObject | None = None,
    tests: JsonObject | None = None,
    words: JsonObject | None = None,
    beside: Sequence[Write] = (),
    report: Callable[[str], None] = lambda _: None,
    noted: Callable[[str], None] = lambda _: None,
) -> int:
    """Make `fields` the whole set and return its revision; what `before` holds beyond it is removed.

    Args:
        store: Where to publish.
        paths: Where things are in it.
        before: What `read_published` returned; the caller decided on its grounds.
        fields: Every definition of the new set, as `storable` returns them.
        by: Who publishes, kept with the versions.
        deed: What it is called in the list of publications.
        who: Who publishes, more exactly than `by`, as the audit tells it; None for a command.
        tests: What was tested before, as the list of publications keeps it; None for nothing.
        words: Which words change, and how far they were tried; None for none.
        beside: What is written in the commit that switches.
        report: Is told when versions were saved, before the switch.
        noted: Is told the id of what the list of publications says of this, behind the switch.

    Raises:
        CannotPublish: The set is too large, or somebody else published since `before` was read.
        StoreError: The store refused or did not answer; also where a precondition of `beside` failed.
    """
    if len(fields) > MOST_DEFINITIONS:
        raise CannotPublish(f"{len(fields)} definitions are too many: a set holds {MOST_DEFINITIONS} at most")
    changed = {n: d for n, d in fields.items() if canonical(before.documents.get(n)) != canonical(d)}
    removed = [name for name in before.documents if name not in fields]
    writes: list[Write] = [Set(paths.definition(name), document) for name, document in changed.items()]
    writes += [Delete(paths.definition(name)) for name in removed]
    # Beside them the publication is noted, and the pointer moved.
    room = _MOST_WRITES - 2 - len(beside)
    if len(writes) > room:
        raise _too_many(len(changed), len(removed), room)
    replaced = {name: before.documents[name] for name in (*changed, *removed) if name in before.documents}
    # What is about to be overwritten may have been edited past this function and is then saved nowhere else.
    await _save_versions(store, paths, replaced, f"found when published by {by}", report)
    await _save_versions(store, paths, changed, by, report)
    revision = before.revision + 1
    names = sorted((*changed, *removed))
    tools = {name: _hashes(before.documents.get(name), fields.get(name)) for name in names}
    note: JsonObject = {"rev": revision, "at": SERVER_TIME, "by": by, "deed": deed, "names": names, "tools": tools}
    more = {"reach": reach_of(replaced, changed).to_note(), "who": who, "tests": tests, "words": words}
    note |= {name: value for name, value in more.items() if value is not None}
    # A pointer that was removed by hand counts from one again: the number alone may have been given before.
    entry = Create(paths.publication(id := f"{revision:08d}-{secrets.token_hex(4)}"), note)
    await _switch(store, paths, before, [entry, *beside, *writes], {"rev": revision} | pointer_to(fields))
    noted(id)
    return revision


def _too_many(changed: int, removed: int, room: int) -> CannotPublish:
    return CannotPublish(
        f"{changed} changed and {removed} removed definitions are too many for one switch, which can hold {room}: "
        "remove the old ones in a step of their own"
    )


def storable(definition: Mapping[str, Any]) -> JsonObject:
    """Return a definition as Firestore can keep it: a schema with an array directly in an array becomes JSON text."""
    document = dict(definition)
    for part in _SCHEMAS:
        if part in document and has_nested_array(document[part]):
            document[part] = canonical(document[part])
    return document


def readable(document: Mapping[str, Any]) -> JsonObject:
    """Return a stored definition with schemas that are kept as JSON text read; what cannot be read stays text."""
    copy = dict(document)
    for part in _SCHEMAS:
        if isinstance(copy.get(part), str):
            with suppress(ValueError):
                copy[part] = json.loads(copy[part])
    return copy


def has_nested_array(value: Any) -> bool:
    """Tell whether somewhere in a value an array stands directly in an array, which Firestore refuses."""
    if isinstance(value, Mapping):
        return any(has_nested_array(item) for item in value.values())
    if isinstance(value, list):
        return any(isinstance(item, list) or has_nested_array(item) for item in value)
    return False


def content_hash(value: Any) -> str:
    """Return the SHA-256 of a value's canonical JSON, as hex."""
    return hashlib.sha256(canonical(value).encode()).hexdigest()


def _hashes(before: JsonObject | None, after: JsonObject | None) -> JsonObject:
    return {"before": _hash(before), "after": _hash(after)}


def _hash(document: JsonObject | None) -> str | None:
    return None if document is None else content_hash(document)


def pointer_to(fields: Mapping[str, JsonObject]) -> JsonObject:
    """Return what the pointer document says of a set, its revision aside: the names, and the hash of the whole."""
    return {"names": sorted(fields), "sha256": content_hash(fields)}


async def keep_version(store: Store, paths: Paths, name: str, document: JsonObject, by: str) -> None:
    """Save what a tool's document says under the hash of it, where no reader looks."""
    await _save_versions(store, paths, {name: document}, by, lambda _: None)


async def _save_versions(
    store: Store, paths: Paths, documents: Mapping[str, JsonObject], by: str, report: Callable[[str], None]
) -> None:
    at = {paths.definition_version(name, content_hash(document)): document for name, document in documents.items()}
    waiting = list(at)
    saved = 0
    while waiting:
        part, waiting = waiting[:_VERSIONS_PER_COMMIT], waiting[_VERSIONS_PER_COMMIT:]
        # Saved before, by an earlier set or by a run that was killed here: the content is the name, so it is the same.
        stored = await store.get_many(part)
        new = [path for path, document in zip(part, stored, strict=True) if document is None]
        if not new:
            continue
        try:
            await store.commit(
                [Create(path, {"document": at[path], "savedAt": SERVER_TIME, "savedBy": by}) for path in new]
            )
        except AlreadyExists:
            waiting = part + waiting
            continue
        saved += len(new)
    if saved:
        report(f"saved {saved} {'version' if saved == 1 else 'versions'}, not visible yet")


async def _switch(store: Store, paths: Paths, before: Published, writes: list[Write], pointer: JsonObject) -> None:
    fields = pointer | {"updatedAt": SERVER_TIME}
    last: Write = (
        Create(paths.tool_pointer, fields)
        if before.pointer is None
        else Update(paths.tool_pointer, fields, if_update_time=before.pointer.update_time)
    )
    try:
        await store.commit([*writes, last])
    except (AlreadyExists, Stale, Missing):
        raise CannotPublish(
            "somebody else published tool definitions in the meantime, so nothing was written: look at what is there "
            "now and publish again"
        ) from None
    except Unavailable:
        # No answer does not mean no commit; the pointer tells.
        now = await store.get(paths.tool_pointer)
        if now is None or any(now.data.get(field) != value for field, value in pointer.items()):
            raise
