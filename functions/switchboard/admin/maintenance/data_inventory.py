"""Where everything is kept: every collection, what it holds, and what becomes of it when a caller is forgotten.

The deletion of a caller goes by this map. That it is complete is tested: whatever traffic leaves in a store must lie in
a place that stands here. Backups and the deletion of a business take all there is, also what others keep beside it.
"""

import asyncio
from collections.abc import AsyncIterator
from typing import Literal, TypeAlias

from switchboard.contract.ports import Paths, Store
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import Document, Query, Unavailable

Fate: TypeAlias = Literal["nothing", "deleted", "cleared", "redacted"]
"""What forgetting a caller does to the documents of a place that are the caller's.

nothing: it holds no caller's data. deleted: the document goes. cleared: what names the person goes, the rest stays for
the business's books. redacted: it is no caller's, and only where it names one the words are taken out.
"""

# A page begins small and grows as long as what stands in it is small: a document may be a megabyte.
_PAGE, _LARGEST_PAGE = 50, 4_000
_YIELDS_EVERY = 10
_CHARACTERS_AT_ONCE = 4_000_000
_WEIGHED = 20
_ATTEMPTS = 5


@dataclass(frozen=True, slots=True)
class DataPlace:
    """One collection, or all of one name.

    Attributes:
        name: The collection's own name, the last part of its path.
        holds: What is in it, as a phrase.
        caller: What becomes of a caller's documents.
    """

    name: str
    holds: str
    caller: Fate = "nothing"


PLACES: tuple[DataPlace, ...] = (
    DataPlace("config", "which tool definitions are whole, and which instance makes the passes"),
    DataPlace("definitions", "the words and conditions of tools"),
    DataPlace("versions", "earlier definitions, and drafts: which businesses tried them, how many calls came to what"),
    DataPlace("publications", "when definitions were published, by whom"),
    DataPlace("templates", "prompt templates"),
    DataPlace("catalogs", "definitions as running conversations hold them"),
    DataPlace(
        "deletions", "callers and businesses that are being deleted: numbers until it is done, and how far it is"
    ),
    DataPlace("businesses", "each business's own document"),
    DataPlace("policies", "policies"),
    DataPlace("faqs", "frequent questions and answers"),
    DataPlace("knowledge", "other texts of the business"),
    DataPlace("passages", "the index over those texts"),
    DataPlace("tools", "tools that the business made itself"),
    DataPlace("agents", "agents"),
    DataPlace("agentTools", "which tools are attached to which agent"),
    DataPlace("agentTrials", "versions of agents on trial: who began them, and how many conversations came to what"),
    DataPlace("compiled", "definitions, and a business's tools, agents and attachments, once more, to be read at once"),
    DataPlace("toolSets", "tools of the business as running conversations hold them"),
    DataPlace("secrets", "secrets and their data keys, encrypted"),
    DataPlace("apiKeys", "hashes of API keys, and accounts that need none"),
    DataPlace("calendarFeeds", "hashes of the addresses at which calendars read the appointments"),
    DataPlace("collections", "names and fields of the business's own collections"),
    DataPlace("items", "the business's own collections: what stands in them is the business's to keep or delete"),
    DataPlace("days", "how many conversations and tool calls there were each day, and what was used each month"),
    DataPlace("templateNotes", "prints of what templates said to a business last"),
    DataPlace("slots", "which times are taken, by which booking"),
    # In this order: what is found first tells what else is the caller's.
    DataPlace("callers", "who has called: name, number, e-mail, notes", "deleted"),
    DataPlace("interactions", "conversations: transcripts, receipts, what was answered, how long it took", "deleted"),
    DataPlace("parts", "earlier parts of long conversations: transcripts, receipts, how long they took", "deleted"),
    DataPlace("calls", "the ledger of tool calls: arguments, answers", "deleted"),
    DataPlace("effects", "wishes that were granted", "deleted"),
    DataPlace("sessions", "running conversations: counts, receipts", "deleted"),
    DataPlace("outbox", "messages, texts, e-mails", "deleted"),
    DataPlace("tickets", "codes, links, phone calls, deliveries, owners' wishes; who must not be texted", "deleted"),
    DataPlace("bookings", "appointments", "cleared"),
    DataPlace("questions", "what callers asked in vain", "redacted"),
    DataPlace("evals", "conversations that are kept as tests, with made-up people", "redacted"),
    DataPlace("audit", "what owners changed, before and after", "redacted"),
)

_NAMES = frozenset(place.name for place in PLACES)


def documents_of(
    store: Store, paths: Paths, place: DataPlace, business_id: str | None = None, after: str = ""
) -> AsyncIterator[Document]:
    """Yield the documents of a place in the order of their paths, of one business or of all.

    What is written meanwhile may or may not be among them.

    Args:
        store: Where they are.
        paths: Where a business's begin.
        place: Which; of one business only if it lies below businesses.
        business_id: Whose; None for everybody's.
        after: The path behind which to go on.

    Raises:
        StoreError: The store refuses, or has not answered five times.
    """
    return _documents(store, place.name, paths, business_id, after)


def all_documents(
    store: Store, paths: Paths, business_id: str | None = None, after: str = ""
) -> AsyncIterator[Document]:
    """Yield whatever there is in the order of the paths, or whatever lies below a business; as `documents_of`."""
    return _documents(store, "", paths, business_id, after)


def is_on_map(collection: str) -> bool:
    """Tell whether a collection of that name is Switchboard's own."""
    return collection in _NAMES


def is_compiled(path: str) -> bool:
    """Tell whether a document only repeats others that are read together; it is made again wherever it is missing."""
    parts = path.split("/")
    return len(parts) == 4 and parts[2] == "compiled" and (parts[0] == "businesses" or parts[:2] == ["config", "tools"])


async def _documents(
    store: Store, collection: str, paths: Paths, business_id: str | None, after: str
) -> AsyncIterator[Document]:
    within = f"{paths.within(business_id).business}/" if business_id is not None else ""
    # A path is behind the one of its business.
    last, size = after or within.rstrip("/"), _PAGE
    while True:
        page, size = await _page(store, collection, last, size)
        for number, document in enumerate(page):
            if not document.path.startswith(within):
                return
            if number % _YIELDS_EVERY == 0:
                # Whoever looks through them all is at it for seconds, in which everybody's conversations go on.
                await asyncio.sleep(0)
            yield document
        if len(page) < size:
            return
        last, size = page[-1].path, _next_size(page, size)


def _next_size(page: list[Document], size: int) -> int:
    """Return how many documents to ask for next: twice as many, as far as they would be no more than some megabytes."""
    weighed = page[:: max(1, len(page) // _WEIGHED)]
    each = sum(len(str(document.data)) for document in weighed) // len(weighed) + 1
    return max(1, min(2 * size, _LARGEST_PAGE, _CHARACTERS_AT_ONCE // each))


async def _page(store: Store, collection: str, after: str, size: int) -> tuple[list[Document], int]:
    """Return a page and its size: smaller when large documents take too long."""
    start = (after,) if after else None
    for attempt in range(_ATTEMPTS):
        try:
            return await store.query(Query(collection, limit=size, start_after=start, group=True)), size
        except Unavailable:
            if attempt == _ATTEMPTS - 1:
                raise
            size = max(1, size // 2)
    raise AssertionError("unreachable")
