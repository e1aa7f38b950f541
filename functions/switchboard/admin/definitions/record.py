"""One tool's definition as it stands: built in, published, on trial and as a draft, under one revision."""

from collections.abc import Mapping
from functools import cached_property

from switchboard.admin.access.refusal import NotFound, OutOfDate, RevisionMissing
from switchboard.admin.audit.document_kind import revision_of
from switchboard.admin.definitions.definition_set import Published, read_published, readable, storable
from switchboard.admin.documents.difference import Difference, differences
from switchboard.catalog.definitions.canary import Canary, read_canary, without_canary
from switchboard.catalog.definitions.definitions import read_for_handler
from switchboard.catalog.definitions.registry import BuiltTool, Registry
from switchboard.contract.definitions.definition import DefinitionError
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import Paths, Store
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import Document


@dataclass(frozen=True)
class Record:
    """Everything about one tool's definition.

    Attributes:
        name: The tool's name.
        registry: The tools that were built; their handlers decide what definitions may say.
        whole: The set that is published, all tools of it.
        draft: The stored draft, or None.
    """

    name: str
    registry: Registry
    whole: Published
    draft: Document | None

    @property
    def built(self) -> BuiltTool:
        """The tool as it was built."""
        return self.registry.tools[self.name]

    @cached_property
    def built_in(self) -> JsonObject:
        """The definition as it was built."""
        return self.built.definition.to_document()

    @cached_property
    def stored(self) -> JsonObject | None:
        """The published document as it is stored; None where the set does not have the tool."""
        return self.whole.documents.get(self.name)

    @cached_property
    def published(self) -> JsonObject | None:
        """The definition that is published for everybody, readable."""
        return readable(without_canary(self.stored)) if self.stored is not None else None

    @cached_property
    def in_force(self) -> JsonObject | None:
        """The definition that most businesses have: without any published set the built-in one (seed 004)."""
        return self.published if self.whole.documents else self.built_in

    @cached_property
    def canary(self) -> Canary | None:
        """Who tries which draft; None also where it cannot be read, since then nobody does."""
        try:
            return read_canary(self.stored) if self.stored is not None else None
        except DefinitionError:
            return None

    @cached_property
    def drafted(self) -> JsonObject | None:
        """The draft's definition, readable."""
        value = self.draft.data.get("document") if self.draft is not None else None
        return readable(value) if isinstance(value, Mapping) else None

    @cached_property
    def revision(self) -> str:
        """Changes whenever what is published, on trial or drafted of this tool changes."""
        return revision_of({"published": self.stored, "draft": self.drafted})

    @property
    def others(self) -> dict[str, JsonObject]:
        """The documents that this tool is published beside: the built-in ones where nothing is published yet.

        Publishing one tool alone would otherwise take away all the others.
        """
        built = self.registry.tools.items()
        others = self.whole.documents or {name: storable(tool.definition.to_document()) for name, tool in built}
        return {name: document for name, document in others.items() if name != self.name}

    @property
    def is_enabled(self) -> bool:
        """Whether it may be offered at all."""
        return self.in_force is not None and self.in_force.get("enabled", True) is not False

    @property
    def differs(self) -> bool:
        """Whether what is published is something else than what was built."""
        return bool(self.from_built)

    @cached_property
    def from_built(self) -> tuple[Difference, ...]:
        """Where what is published differs from what was built."""
        return differences(self.built_in, self.completed(self.in_force)) if self.in_force is not None else ()

    def completed(self, document: Mapping[str, object]) -> JsonObject:
        """Return a definition with what it leaves to the built one filled in; one that cannot be read as it is."""
        definition, _ = read_for_handler(self.name, document, self.built)
        return definition.to_document() if definition is not None else dict(document)

    def require(self, based_on: str | None, yours: JsonObject | None = None) -> None:
        """Return if a change is based on this.

        Args:
            based_on: The revision that it says.
            yours: What it would make of the definition; without one, the draft.

        Raises:
            RevisionMissing: It says none.
            OutOfDate: It is based on something else; holds what is there now and what was wanted.
        """
        if not based_on:
            raise RevisionMissing
        if based_on == self.revision:
            return
        # Who saves a draft meets another draft; who publishes one meets what is published.
        current = (self.drafted if yours is not None else None) or self.published
        edited = yours if yours is not None else self.drafted
        differing = differences(current, edited) if current is not None and edited is not None else ()
        whose = str(self.draft.data.get("savedBy") or "") if self.draft is not None else ""
        raise OutOfDate(self.revision, current, edited, differing, whose)


class DefinitionRecords:
    """Reads records. What the store raises passes through."""

    def __init__(self, store: Store, paths: Paths, registry: Registry) -> None:
        """Read from `store`, of the tools that were built."""
        self._store, self._paths, self.registry = store, paths, registry

    async def read(self, name: str) -> Record:
        """Return one tool's record.

        Raises:
            NotFound: No tool of that name was built, so that no definition could make one.
        """
        records = await self.read_several([name])
        if not records:
            raise NotFound("There is no tool of that name.")
        return records[0]

    async def read_several(self, names: list[str]) -> list[Record]:
        """Return the records of those of the names that were built, with one look at the whole set."""
        known = [name for name in names if name in self.registry.tools]
        whole = await read_published(self._store, self._paths)
        drafts = await self._store.get_many([self._paths.definition_draft(name) for name in known]) if known else []
        return [Record(name, self.registry, whole, draft) for name, draft in zip(known, drafts, strict=True)]
