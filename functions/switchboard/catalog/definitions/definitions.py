"""The published definitions: Firestore first, kept for 60 seconds, with the built artifact to fall back on.

Seed 004 ("Definition Sources", "Cache"). One query reads the whole set, so a reader sees the set before a seeding or
the set after it, never a mixture; an instance that has just begun reads the one document that all were compiled into
(`compiled.py`), unless that was held against them more than a minute ago. One document that cannot be used costs nobody
a tool that once worked: its last good version is offered and called, the reason is logged and told by Health. On an
instance that has not read that version before, it is the newest usable one of those that were published.
"""

import asyncio
import json
import logging
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import field, replace
from typing import Any, Literal

from cachetools import LRUCache

from switchboard.catalog.arguments.trusted_values import lowered
from switchboard.catalog.arguments.trusted_values import problems as trust_problems
from switchboard.catalog.definitions.canary import grouped, mark_of, read_canary, since_of
from switchboard.catalog.definitions.compiled import Compilations, compiled_parts, documents_in
from switchboard.catalog.definitions.readings import decoded, hash_of, key_of, readings_by
from switchboard.catalog.definitions.registry import BuiltTool, Registry
from switchboard.catalog.definitions.signature import disagreements
from switchboard.catalog.definitions.tool import Tool, where_problems
from switchboard.catalog.definitions.variables import unfilled_questions
from switchboard.catalog.schema.schema import check_schema
from switchboard.contract import policy
from switchboard.contract.cache import Aged, Cache, CachedValue
from switchboard.contract.definitions.definition import Definition, DefinitionError, problems, read_definition
from switchboard.contract.document import items
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import Clock, Paths, Store
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import AlreadyExists, Create, Document, Filter, Order, Query, StoreError

log = logging.getLogger(__name__)

# A version that this release cannot use may be followed by others; further back it would be another tool.
_VERSIONS_TRIED = 5
Source = Literal["firestore", "stale", "fallback"]


@dataclass(frozen=True, slots=True)
class DefinitionSet:
    """A whole set of tools as it was published at one moment.

    Attributes:
        hash: Content hash; equal sets have equal hashes on every instance.
        tools: By name, in the order in which they are offered.
        skipped: Documents that could not be used, with the reason; of those that once could, `tools` has that version.
        is_builtin: Whether this is the built artifact rather than what Firestore holds.
        joined_from: The hashes of the published set and of a business's own tools, where it holds both.
        tried_by: By business id, the whole set of a business that tries drafts before the others.
        marks: By tool of which a draft is on trial, what conversations and calls under this set are counted by.
    """

    hash: str
    tools: Mapping[str, Tool]
    skipped: Mapping[str, str] = field(default_factory=dict)
    is_builtin: bool = False
    joined_from: tuple[str, str] | None = None
    tried_by: Mapping[str, "DefinitionSet"] = field(default_factory=dict)
    marks: Mapping[str, str] = field(default_factory=dict)

    def lock(self, *, is_trial: bool) -> JsonObject:
        """Return what a session's document keeps to find the set again; an owner's trial is counted nowhere."""
        published, own = self.joined_from or (self.hash, "")
        marks = {"canaries": sorted(self.marks.values())} if self.marks and not is_trial else {}
        return {"catalogHash": published} | ({"ownToolsHash": own} if own else {}) | marks

    @property
    def published(self) -> Mapping[str, Definition]:
        """The definitions by name."""
        return {name: tool.definition for name, tool in self.tools.items()}

    def of(self, business_id: str) -> "DefinitionSet":
        """Return the set that holds for a business."""
        return self.tried_by.get(business_id, self)


@dataclass(frozen=True, slots=True)
class Current:
    """The set to use now and where it came from; `writes_allowed` is false once Firestore has been away too long."""

    set: DefinitionSet
    source: Source
    writes_allowed: bool = True


class Definitions:
    """Reads, checks and keeps the published definitions, and the snapshots that running sessions hold on to."""

    def __init__(self, store: Store, paths: Paths, registry: Registry, clock: Clock) -> None:
        """Prepare without reading anything."""
        self._store, self._paths, self.registry = store, paths, registry
        self._readings = readings_by(registry)
        self._builtin = _set_of(self._readings.builtin, is_builtin=True)
        self._cache: Cache[str, DefinitionSet] = Cache(clock, policy.DEFINITION_TTL_S, 1, self._load)
        self.compilations = Compilations(store, clock, policy.DEFINITION_TTL_S)
        self._last: DefinitionSet = self._builtin
        self._tried: dict[str, tuple[tuple[str, ...], Tool]] = {}
        self._sets: LRUCache[str, DefinitionSet] = LRUCache(64)
        self._sets[self._builtin.hash] = self._builtin
        self._saved: set[str] = set()
        # Of which snapshots' tools the log has told that this version cannot use them.
        self._not_kept: LRUCache[tuple[str, str], bool] = LRUCache(1_000)

    def fresh(self) -> Current | None:
        """Return the current set if that needs no waiting."""
        cached = self.kept()
        return self._told(cached) if cached else None

    async def current(self) -> Current:
        """Return the current set, from Firestore if it answers, else the last one read, else the artifact."""
        try:
            return self._told(await self._cache.get("all"))
        except StoreError:
            return self.builtin()

    def builtin(self) -> Current:
        """Return the built artifact, as it is used while Firestore cannot be reached."""
        return Current(self._builtin, "fallback", writes_allowed=False)

    def kept(self) -> CachedValue[DefinitionSet] | None:
        """Return what the current set rests on if that needs no waiting."""
        return self._cache.fresh("all")

    def forget(self) -> None:
        """Read Firestore again at the next call, as after publishing from this process."""
        self._cache.drop("all")

    async def snapshot(self, hash: str) -> DefinitionSet | None:
        """Return the set of that hash as a session started with it, or None if it was never saved, or cannot be read.

        Of a tool that another version has published in a form which this one cannot use, it holds this instance's own.

        Raises:
            StoreError: It is not in memory and the store does not answer.
        """
        if hash in self._sets:
            return self._sets[hash]
        document = await self._store.get(self._paths.catalog(hash))
        if document is None:
            return None
        try:
            rows = {str(row["name"]): row for row in json.loads(zlib.decompress(document.data["definitions"]))}
        except (KeyError, TypeError, ValueError, zlib.error) as error:
            log.error("catalog snapshot not read", extra={"catalog": hash, "reason": type(error).__name__})
            return None
        kept = [self._kept_or_own(name, row, hash) for name, row in rows.items()]
        definition_set = self._sets[hash] = _set_of([tool for tool in kept if tool is not None])
        return definition_set

    def _told(self, cached: CachedValue[DefinitionSet]) -> Current:
        if cached.is_stale:
            return Current(cached.value, "stale", self._cache.age_s(cached) <= policy.STALE_WRITE_TOOLS_S)
        return Current(cached.value, "fallback" if cached.value.is_builtin else "firestore")

    async def _load(self, _: str) -> DefinitionSet | Aged[DefinitionSet]:
        path, collection = self._paths.compiled_definitions, self._paths.definitions
        if self._last is not self._builtin:
            # Whoever holds them looks at them as they lie there.
            compiled, documents = await asyncio.gather(self._store.get(path), self._stored())
            loaded = await self._taken(documents)
            parts = compiled_parts((collection, documents))
            self.compilations.check_behind(compiled, parts, catalogs=self._saved_of(loaded))
            return loaded
        there = await self._store.get(path)
        usable = self.compilations.usable(there, collection)
        if usable is not None and (documents := documents_in(usable, collection)):
            self._saved.update(hash for hash in items(usable.data.get("catalogs")) if isinstance(hash, str))
            return Aged(await self._taken(documents), self.compilations.age_s(usable))
        documents = await self._stored()
        loaded = await self._taken(documents)
        if documents:
            self.compilations.compile_behind(path, there, self._parts, catalogs=self._saved_of(loaded))
        return loaded

    async def _stored(self) -> list[Document]:
        return await self._store.query(Query(self._paths.definitions))

    async def _parts(self) -> JsonObject:
        return compiled_parts((self._paths.definitions, await self._stored()))

    def _saved_of(self, loaded: DefinitionSet) -> list[str]:
        """Return the hashes of those sets, of all that are current, by which they are found again."""
        return [one.hash for one in (*loaded.tried_by.values(), loaded) if one.hash in self._saved]

    async def _taken(self, documents: Sequence[Document]) -> DefinitionSet:
        loaded = await self._read(documents) if documents else self._builtin
        if loaded.hash == self._last.hash and not loaded.is_builtin:
            # The same content again: keep the compiled tools and every listing that was prepared from them.
            loaded = replace(loaded, tools=self._last.tools)
        self._last = loaded
        for one in (*loaded.tried_by.values(), loaded):
            self._sets[one.hash] = one
            await self._save(one)
        return loaded

    async def _read(self, documents: Iterable[Document]) -> DefinitionSet:
        tools: list[Tool] = []
        skipped: dict[str, str] = {}
        tried: dict[str, tuple[tuple[str, ...], Tool]] = {}
        began: dict[str, str] = {}
        for document in documents:
            before = self._last.tools.get(document.id)
            try:
                tools.append(self._tool(document.id, document.data, before))
            except DefinitionError as error:
                skipped[document.id] = str(error)
                log.error("definition skipped", extra={"tool": document.id, "reason": str(error)})
                good = (
                    before if before is not None and not self._last.is_builtin else await self._published(document.id)
                )
                if good is not None:
                    tools.append(_switched(good, document.data))
            self._read_canary(document, tried, skipped)
            began[document.id] = since_of(document.data)
        self._tried = tried
        # A collection of nothing but broken documents must not leave a caller without tools.
        loaded = _set_of(tools, skipped) if tools else replace(self._builtin, skipped=skipped)

        def marks(own: Mapping[str, Tool]) -> dict[str, str]:
            return {name: mark_of(name, began[name], is_new=name in own) for name in tried if began[name]}

        def trying(own: Mapping[str, Tool]) -> DefinitionSet:
            return replace(_set_of({**loaded.tools, **own}.values(), skipped), marks=marks(own))

        return replace(loaded, tried_by=grouped(tried, trying), marks=marks({}))

    def _read_canary(
        self, document: Document, tried: dict[str, tuple[tuple[str, ...], Tool]], skipped: dict[str, str]
    ) -> None:
        """Note who tries a draft of a definition; of one that cannot be used, its last good one is tried on."""
        name = document.id
        before = self._tried.get(name)
        try:
            canary = read_canary(document.data)
            if canary is not None:
                tried[name] = (canary.businesses, self._tool(name, canary.document, before[1] if before else None))
        except DefinitionError as error:
            if before is not None:
                tried[name] = before
            skipped.setdefault(name, str(error))
            log.error("canary skipped", extra={"tool": name, "reason": str(error)})

    async def _published(self, name: str) -> Tool | None:
        """Return the newest usable version of those that were published of a tool, or None."""
        of_tool = Filter("names", "array-contains", name)
        query = Query(self._paths.publications, (of_tool,), (Order("at", descending=True),), limit=_VERSIONS_TRIED)
        try:
            for publication in await self._store.query(query):
                tools = publication.data.get("tools")
                change = tools.get(name) if isinstance(tools, Mapping) else None
                content = change.get("after") if isinstance(change, Mapping) else None
                if not isinstance(content, str):
                    continue
                version = await self._store.get(self._paths.definition_version(name, content))
                with suppress(DefinitionError):
                    document = version.data.get("document") if version is not None else None
                    return self._tool(name, document if isinstance(document, Mapping) else {}, None)
        except StoreError as error:
            log.warning("versions not read", extra={"tool": name, "reason": type(error).__name__})
        return None

    def _tool(self, name: str, data: Mapping[str, Any], before: Tool | None) -> Tool:
        key = key_of(name, data)
        tool = self._readings.get(key)
        if tool is None:
            tool = self._checked_tool(name, data, before)
            self._readings.put(key, tool)
        return tool

    def _checked_tool(self, name: str, data: Mapping[str, Any], before: Tool | None) -> Tool:
        built = self.registry.tools.get(name)
        definition, errors = read_for_handler(name, data, built)
        if definition is None or built is None:
            raise errors[0]
        if before is not None and before.definition == definition:
            return before
        for problem in misfits(definition, built):
            raise problem
        return Tool(definition, built)

    def _kept_or_own(self, name: str, data: Mapping[str, Any], hash: str) -> Tool | None:
        """Return a tool of a snapshot; where this version cannot use that, what new sessions get here; None without."""
        try:
            return self._kept_tool(name, data)
        except DefinitionError as error:
            own = self._last.tools.get(name) or self._builtin.tools.get(name)
            if (hash, name) not in self._not_kept:
                self._not_kept[hash, name] = True
                extra = {"tool": name, "catalog": hash, "reason": str(error)}
                log.error("a session's definition is not read", extra=extra)
            return _switched(own, data) if own is not None else None

    def _kept_tool(self, name: str, data: Mapping[str, Any]) -> Tool:
        """Return a tool of a snapshot, which says everything: what is not in it was off, whatever was built."""
        built = self.registry.tools.get(name)
        definition, errors = read_for_handler(name, data, built)
        if definition is None or built is None:
            raise errors[0]
        whole = read_definition(name, data)
        # Only the code of today can be relied on to look whose something is.
        whole = replace(whole, callers_own=whole.callers_own and built.definition.callers_own)
        for problem in misfits(whole, built):
            raise problem
        return Tool(whole, built)

    async def _save(self, loaded: DefinitionSet) -> None:
        if loaded.hash in self._saved:
            return
        rows = json.dumps([t.definition.to_document() for t in loaded.tools.values()]).encode()
        try:
            await self._store.commit([Create(self._paths.catalog(loaded.hash), {"definitions": zlib.compress(rows)})])
        except AlreadyExists:
            pass
        except StoreError:
            # Sessions then hold the set in this instance's memory only; the next refresh tries again.
            log.warning("catalog snapshot not saved", extra={"catalog": loaded.hash})
            return
        self._saved.add(loaded.hash)


def _switched(good: Tool, data: Mapping[str, Any]) -> Tool:
    """Return the last good version of a tool, on or off as its broken document says."""
    is_on = data.get("enabled") is not False
    return good if good.definition.is_enabled is is_on else Tool(replace(good.definition, is_enabled=is_on), good.built)


def read_for_handler(
    name: str, data: Mapping[str, Any], built: BuiltTool | None
) -> tuple[Definition | None, list[DefinitionError]]:
    """Read a stored document in the form that its handler's definition completes; None with everything in the way."""
    if built is None:
        return None, [DefinitionError("name", f"no handler is called {name!r}", "add its folder and deploy first")]
    try:
        document = decoded(data)
    except DefinitionError as error:
        return None, [error]
    errors = problems(name, document, built.definition)
    return (None if errors else read_definition(name, document, built.definition)), errors


def misfits(definition: Definition, built: BuiltTool) -> Iterator[DefinitionError]:
    """Yield everything that keeps a definition that can be read from being used with its handler."""
    is_sound = True
    yield from unfilled_questions(definition.read_back)
    for part, schema in (("parameters", definition.parameters), ("returns", definition.returns)):
        for broken in check_schema(schema) if schema is not None else ():
            is_sound = is_sound and part != "parameters"
            yield DefinitionError(part, str(broken), "correct the JSON Schema")
    if is_sound:
        untrusted = trust_problems(definition.parameters) + where_problems(definition.parameters)
        yield from untrusted or lowered(built.definition.parameters, definition.parameters)
        yield from disagreements(definition.parameters, built.signature, edited=True)


def _set_of(tools: Iterable[Tool], skipped: Mapping[str, str] | None = None, is_builtin: bool = False) -> DefinitionSet:
    ordered = {t.definition.name: t for t in sorted(tools, key=lambda t: t.definition.name)}
    return DefinitionSet(hash_of(tuple(ordered.values())), ordered, skipped or {}, is_builtin)
