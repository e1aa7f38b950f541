"""Files and pages as documents that might be kept: read, cut, held against what was read of them before."""

import base64
import binascii
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath, PureWindowsPath
from typing import Any, Protocol

from switchboard.admin.access.access import Permit
from switchboard.admin.access.refusal import EntryProblem, NotValid
from switchboard.admin.knowledge.entries import Entries, origin_id
from switchboard.admin.reading.models import FILE_BYTES
from switchboard.admin.reading.reading_process import extract_of
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import Clock, Paths, Store
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import Document
from switchboard.desk.knowledge.chunk import content_of, knowledge_passages

_LONGEST_TITLE, _LONGEST_SOURCE = 200, 300
_HTML = ("text/html", "application/xhtml+xml")
_BETWEEN_WORDS = str.maketrans("_-", "  ")


class PageContent(Protocol):
    """What an address was answered with."""

    @property
    def address(self) -> str:
        """The address that was asked for, in its one usual spelling."""

    @property
    def last_address(self) -> str:
        """Where the page was at last; the same where it was not sent on."""

    @property
    def content(self) -> bytes:
        """The body."""

    @property
    def media(self) -> str:
        """Its media type, in lower case; empty where the server does not say."""

    @property
    def charset(self) -> str:
        """What the server says that its text is in; empty where it does not."""


class Pages(Protocol):
    """Fetches pages from addresses that owners typed (`integrations/egress/pages.py`)."""

    async def page(self, url: str) -> PageContent:
        """Return the page; raises ToolError with a sentence for whoever has typed the address."""


@dataclass(frozen=True, slots=True)
class _Reading:
    """What was read of where, before it is a document."""

    kind: str
    name: str
    title: str
    source: str
    extract: JsonObject
    notes: tuple[str, ...] = ()


class ReadingDrafts:
    """Reads, and keeps nothing. What the store raises passes through."""

    def __init__(self, pages: Pages, documents: Entries, store: Store, paths: Paths, clock: Clock) -> None:
        self._pages, self._documents, self._store, self._paths, self._clock = pages, documents, store, paths, clock

    async def of_file(self, permit: Permit, name: str, file: str) -> JsonObject:
        """Return the draft of a file, in base64; see `ReadingAnswer`.

        Raises:
            NotValid: It is no base64, or longer than a file may be.
            ToolError: Nothing of it can be kept; it says why.
        """
        own_name = PurePosixPath(PureWindowsPath(name).name).name or name
        extract = await extract_of(own_name, _content(file))
        stem = own_name.rpartition(".")[0] or own_name
        title = " ".join(stem.translate(_BETWEEN_WORDS).split()) or own_name
        return await self._draft(permit, _Reading("file", own_name, title, own_name, extract))

    async def of_page(self, permit: Permit, address: str) -> JsonObject:
        """Return the draft of a page.

        Raises:
            ToolError: It cannot be had, or nothing of it can be kept; it says why.
        """
        page = await self._pages.page(address)
        kind = "html" if page.media in _HTML else ""
        extract = await extract_of(page.address, page.content, kind, page.charset)
        notes = [f"The address sends on to {page.last_address}."] if page.last_address != page.address else []
        shown = page.address.removeprefix("https://")
        title, source = extract["title"] or shown, f"{page.address[:250]} (read {self._today()})"
        return await self._draft(permit, _Reading("page", page.address, title, source, extract, tuple(notes)))

    async def _draft(self, permit: Permit, reading: _Reading) -> JsonObject:
        id = origin_id(reading.kind, reading.name)
        path = self._paths.within(permit.business_id).document("knowledge", id)
        there, extract = await self._store.get(path), reading.extract
        # What an owner has called it, and how it is found, stays.
        own = there.data if there is not None else {}
        draft: JsonObject = {
            "title": str(own.get("title") or reading.title[:_LONGEST_TITLE]),
            "topic": str(own.get("topic") or ""),
            "source": reading.source[:_LONGEST_SOURCE],
            "tags": list(own.get("tags") or ()),
            "parts": extract["pieces"],
            "origin": {
                "kind": reading.kind,
                "name": reading.name,
                "readOn": self._today(),
                "unread": extract["unread"],
            },
        }
        now = self._clock.now()
        passages = knowledge_passages([Document(path, draft, now, now)])
        return {
            "document": draft,
            "id": id,
            "revision": self._documents.kind.revision(there) if there is not None else None,
            "differences": list(_differences(there, draft["parts"])) if there is not None else [],
            "passages": [{"text": passage.text, "source": passage.source} for passage in passages],
            "notes": [*reading.notes, *extract["notes"]],
        }

    def _today(self) -> str:
        """Return the day in UTC."""
        return self._clock.now().date().isoformat()


def _content(file: str) -> bytes:
    try:
        content = base64.b64decode(file, validate=True)
    except (binascii.Error, ValueError):
        raise NotValid([EntryProblem("file", "file must be base64.")]) from None
    if len(content) > FILE_BYTES:
        sentence = (
            f"file must not be longer than {FILE_BYTES // 1_048_576} MB; take out pictures, or cut it into several."
        )
        raise NotValid([EntryProblem("file", sentence)])
    return content


def _differences(there: Document, parts: Sequence[Mapping[str, Any]]) -> Iterator[JsonObject]:
    """Yield the places that differ, those that are no more behind the others."""
    stored = there.data.get("parts") or [{"place": "", "text": content_of(there)}]
    before, after = _by_place(stored), _by_place(parts)
    for place in (*after, *(one for one in before if one not in after)):
        old, new = before.get(place), after.get(place)
        if old != new:
            yield {"place": place[0], "before": old, "after": new}


def _by_place(parts: Sequence[Mapping[str, Any]]) -> dict[tuple[str, int], str]:
    """Return texts by their places; of several at one place each by itself."""
    count = Counter[str]()
    texts: dict[tuple[str, int], str] = {}
    for part in parts:
        place = str(part.get("place") or "")
        texts[place, count[place]] = str(part.get("text") or "")
        count[place] += 1
    return texts
