"""What was published of a tool, when and by whom, and the content of each of those versions."""

from collections.abc import Mapping
from datetime import datetime

from switchboard.admin.access.refusal import NotFound
from switchboard.admin.api.paging import Page, Slice, sliced
from switchboard.admin.definitions.definition_set import readable
from switchboard.catalog.definitions.canary import without_canary
from switchboard.contract.json import JsonObject, as_json
from switchboard.contract.ports import Paths, Store
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import Document, Filter, Order, Query

_MOST_NUMBER = 10**9


@dataclass(frozen=True, slots=True)
class Version:
    """One publication of one tool.

    Attributes:
        number: The revision of the whole set that it was published with.
        at: When.
        by: Who, for people to read.
        deed: What was done, such as `published` or `rolled back`.
        content: Names what the tool then said; None where it was removed.
        earlier: The same of what it said before.
    """

    number: int
    at: datetime
    by: str
    deed: str
    content: str | None
    earlier: str | None

    def to_json(self) -> JsonObject:
        """Return it as the admin API lists it."""
        return as_json(self, without=("number",), version=self.number, is_removed=self.content is None)


class DefinitionHistory:
    """The versions of every tool. What the store raises passes through."""

    def __init__(self, store: Store, paths: Paths) -> None:
        self._store, self._paths = store, paths

    async def versions(self, name: str, page: Page) -> Slice[Version]:
        """Return a page of a tool's versions, the newest first."""
        of_tool = Filter("names", "array-contains", name)
        query = Query(self._paths.publications, (of_tool,), (Order("at", descending=True),))
        part = await sliced(self._store, query, page)
        return Slice([_version(name, document) for document in part.items], part.next_cursor)

    async def version(self, name: str, number: str) -> tuple[Version, JsonObject | None]:
        """Return one version of a tool and the definition that it published; None where it removed it.

        Raises:
            NotFound: The tool has no version of that number.
        """
        if number.isascii() and number.isdigit() and int(number[:10]) < _MOST_NUMBER:
            for document in await self._of_number(int(number)):
                if name in (document.data.get("names") or ()):
                    version_found = _version(name, document)
                    return version_found, await self._content(name, version_found)
        raise NotFound("This tool has no version of that number.")

    async def _of_number(self, number: int) -> list[Document]:
        return await self._store.query(Query(self._paths.publications, (Filter("rev", "==", number),), limit=5))

    async def _content(self, name: str, version: Version) -> JsonObject | None:
        if version.content is None:
            return None
        stored = await self._store.get(self._paths.definition_version(name, version.content))
        document = stored.data.get("document") if stored is not None else None
        if not isinstance(document, Mapping):
            raise NotFound("What that version said is not kept any more.")
        return readable(without_canary(document))


def _version(name: str, document: Document) -> Version:
    data = document.data
    tools = data.get("tools")
    tool_change = tools.get(name) if isinstance(tools, Mapping) else None
    change: Mapping[str, object] = tool_change if isinstance(tool_change, Mapping) else {}
    at, after, before = data.get("at"), change.get("after"), change.get("before")
    return Version(
        number=int(data.get("rev") or 0),
        at=at if isinstance(at, datetime) else document.create_time,
        by=str(data.get("by") or ""),
        deed=str(data.get("deed") or "published"),
        content=after if isinstance(after, str) else None,
        earlier=before if isinstance(before, str) else None,
    )
