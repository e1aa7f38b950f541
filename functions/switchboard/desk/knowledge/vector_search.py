"""Search by meaning: which passages of a business lie nearest to a question, as an embedder sees it.

Up to 2,000 passages are compared in this process's memory, which costs no round trip; of a business with more the store
finds the nearest. Whatever fails here is left to the search by words: a caller gets a poorer answer, never none.

A vector's key is made of what was embedded and by which model, so that unchanged text keeps its vector and is never
embedded twice, and a vector always belongs to the words that are there now; what no text says any more goes.
"""

import asyncio
import hashlib
import logging
from collections.abc import Coroutine, Iterable, Iterator, Mapping, Sequence
from contextvars import Context
from typing import TYPE_CHECKING, Any, TypeVar

from switchboard.contract.cache import Cache
from switchboard.contract.deadline import bounded
from switchboard.contract.error import ToolError
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import BusinessCollection, BusinessPaths, Clock, Embedder, Store
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import (
    SERVER_TIME,
    Delete,
    Document,
    Filter,
    Near,
    Query,
    Set,
    StoreError,
    Vector,
    documents_of,
)
from switchboard.desk.knowledge.chunk import Passage

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


_T = TypeVar("_T")
_log = logging.getLogger(__name__)

# Half of what a retrieval may take on the phone (policy.py), and never all that is left: the words have been searched.
PATIENCE_S = 0.4
_LEFT_S = 0.1
# Eight megabytes of 1,024 dimensions; what is larger is left in the store.
IN_MEMORY = 2_000
# Vectors are kept by the passages' own keys and so never outdated: a day is for businesses that nobody calls any more.
_KEPT_S = 86_400.0
# At most 64 MB of each.
_SMALL, _SMALL_SHELVES, _LARGE_SHELVES = 250, 64, 8
_READ_AT_ONCE = 100
BATCH = 64

COLLECTION: BusinessCollection = "passages"
MODEL, VECTOR = "model", "vector"
_KEY_DIGITS = 40

# Vectors of 1,024 dimensions take 8 KB: a page must arrive within the store's time-out for one read.
_PAGE = 50
_DELETED_AT_ONCE = 400


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A passage and how near it is to the question: 1 is the same, 0 has nothing to do with it."""

    passage: Passage
    similarity: float


@dataclass(frozen=True, slots=True)
class _Vectors:
    """The vectors of a business's passages, one row each, by the keys of their words."""

    keys: tuple[str, ...]
    rows: "NDArray[np.float32]"

    def nearest(self, vector: Sequence[float], keyed: Mapping[str, Passage], limit: int) -> list[Neighbour]:
        """Return the nearest passages, nearest first; those of equal nearness in the order of the passages.

        They are those of `keyed`, for the same words may stand in another document by now.
        """
        import numpy as np

        if self.rows.shape[1] != len(vector):
            return []
        similar = self.rows @ np.asarray(vector, dtype=np.float32)
        order = np.argsort(-similar, kind="stable")[:limit]
        return [Neighbour(keyed[self.keys[at]], float(similar[at])) for at in order]


class VectorSearch:
    """Finds passages by what they mean."""

    def __init__(self, store: Store, clock: Clock, embedder: Embedder | None, in_memory: int = IN_MEMORY) -> None:
        """Compare by `embedder`; without one nothing is ever found by meaning."""
        self._store = store
        self._embedder = embedder
        self._in_memory = in_memory
        self._small: Cache[tuple[str, int], _Vectors] = Cache(
            clock, _KEPT_S, _SMALL_SHELVES, stale_s=0, remembers_failures=False
        )
        self._large: Cache[tuple[str, int], _Vectors] = Cache(
            clock, _KEPT_S, _LARGE_SHELVES, stale_s=0, remembers_failures=False
        )

    async def warm(self) -> None:
        """Load what comparing needs, so that no caller waits for it."""
        if self._embedder is not None:
            await asyncio.gather(self._embedder.warm(), asyncio.to_thread(_load_numpy))

    def keyed(self, passages: Iterable[Passage]) -> Mapping[str, Passage]:
        """Return passages in the form in which `nearest` takes them."""
        return {} if self._embedder is None else by_key(passages, self._embedder.name)

    async def nearest(
        self, paths: BusinessPaths, keyed: Mapping[str, Passage], question: str, limit: int
    ) -> list[Neighbour]:
        """Return the passages that mean what is asked, nearest first; none while nothing is ready to tell.

        Args:
            paths: The business.
            keyed: Everything that it has written down now.
            question: In anybody's words.
            limit: The most passages.
        """
        embedder = self._embedder
        if embedder is None or not keyed or not question.strip():
            return []
        try:
            async with asyncio.timeout(bounded(PATIENCE_S + _LEFT_S) - _LEFT_S):
                neighbours = await self._nearest(embedder, paths, keyed, question, limit)
        except TimeoutError:
            _log.warning("search by meaning was not ready in time", extra={"model": embedder.name})
            return []
        except (ToolError, StoreError) as error:
            _log.warning(
                "search by meaning failed",
                extra={"model": embedder.name, "reason": type(error).__name__, "pii.detail": str(error)},
            )
            return []
        # Each model has a floor of its own; above it, all are told on one scale.
        rest = 1.0 - embedder.floor
        nears = (Neighbour(near.passage, (near.similarity - embedder.floor) / rest) for near in neighbours)
        return [near for near in nears if near.similarity >= 0]

    async def _nearest(
        self, embedder: Embedder, paths: BusinessPaths, keyed: Mapping[str, Passage], question: str, limit: int
    ) -> list[Neighbour]:
        if len(keyed) > self._in_memory:
            (vector,) = await embedder.embed([question], "question")
            return await self._in_store(embedder, paths, keyed, vector, limit)
        vectors, asked = await asyncio.gather(
            self._vectors(embedder, paths, keyed), embedder.embed([question], "question")
        )
        if len(keyed) <= _SMALL:
            return vectors.nearest(asked[0], keyed, limit)
        # A few milliseconds, which other calls would hear.
        return await asyncio.to_thread(vectors.nearest, asked[0], keyed, limit)

    async def _vectors(self, embedder: Embedder, paths: BusinessPaths, keyed: Mapping[str, Passage]) -> _Vectors:
        shelves = self._small if len(keyed) <= _SMALL else self._large
        # Named after the words, not the documents: an edit asks for other vectors, and a second read for the same.
        name = (paths.business, hash(tuple(keyed)))
        return (await shelves.get(name, lambda: _apart(self._gather(embedder, paths, keyed)))).value

    async def _gather(self, embedder: Embedder, paths: BusinessPaths, keyed: Mapping[str, Passage]) -> _Vectors:
        known: dict[str, Sequence[float]] = {}
        if not embedder.is_local:
            for keys in _batches(list(keyed), _READ_AT_ONCE):
                documents = await self._store.get_many([paths.document(COLLECTION, key) for key in keys])
                for key, document in zip(keys, documents, strict=True):
                    if (vector := read_vector(document)) is not None:
                        known[key] = vector
        for keys in _batches([key for key in keyed if key not in known], BATCH):
            vectors = await embedder.embed([embedded_text(keyed[key]) for key in keys], "passage")
            known.update(zip(keys, vectors, strict=True))
        return await asyncio.to_thread(_stacked, keyed, known)

    async def _in_store(
        self,
        embedder: Embedder,
        paths: BusinessPaths,
        keyed: Mapping[str, Passage],
        vector: Sequence[float],
        limit: int,
    ) -> list[Neighbour]:
        query = Query(
            paths.collection(COLLECTION),
            (Filter(MODEL, "==", embedder.name),),
            limit=limit,
            near=Near(VECTOR, Vector(tuple(vector))),
        )
        documents = await self._store.query(query)
        # A vector whose words have changed since has no passage any more.
        return [Neighbour(keyed[d.id], d.data["similarity"]) for d in documents if d.id in keyed]


def _stacked(keyed: Mapping[str, Passage], vectors: Mapping[str, Sequence[float]]) -> _Vectors:
    import numpy as np

    # Of a model that changed behind its name, the vectors of the commoner length are compared.
    lengths = [len(vector) for vector in vectors.values()]
    length = max(set(lengths), key=lengths.count)
    keys = tuple(key for key in keyed if len(vectors[key]) == length)
    rows = np.array([vectors[key] for key in keys], dtype=np.float32)
    return _Vectors(keys, rows)


def _load_numpy() -> None:
    import numpy as np

    # The first product starts its threads.
    np.zeros((2, 2), dtype=np.float32) @ np.zeros(2, dtype=np.float32)


def _batches(keys: Sequence[str], size: int) -> Iterator[Sequence[str]]:
    return (keys[at : at + size] for at in range(0, len(keys), size))


async def _apart(work: Coroutine[Any, Any, _T]) -> _T:
    """Do work that outlives the call that first needs it: that call's deadline is not its own."""
    return await asyncio.create_task(work, context=Context())


def embedded_text(passage: Passage) -> str:
    """Return what is embedded of a passage: its title, its labels and its words."""
    return "\n".join(part for part in (passage.title, " ".join(passage.labels), passage.text) if part)


def key_of(passage: Passage, model: str) -> str:
    """Return under which id the vector of a passage by a model is stored."""
    text = f"{model}\n{embedded_text(passage)}"
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_KEY_DIGITS]


def by_key(passages: Iterable[Passage], model: str) -> dict[str, Passage]:
    """Return passages by their keys; of those with the same words the first."""
    keyed: dict[str, Passage] = {}
    for passage in passages:
        keyed.setdefault(key_of(passage, model), passage)
    return keyed


def to_write(path: str, passage: Passage, model: str, vector: Sequence[float]) -> Set:
    """Return the write that stores a vector; kind and document are for people who look at it."""
    data: JsonObject = {
        MODEL: model,
        VECTOR: Vector(tuple(vector)),
        "kind": passage.kind,
        "documentId": passage.id,
        "updatedAt": SERVER_TIME,
    }
    return Set(path, data)


def read_vector(document: Document | None) -> tuple[float, ...] | None:
    """Return the vector of a stored document, None where it has none."""
    vector = None if document is None else document.data.get(VECTOR)
    return vector.values if isinstance(vector, Vector) else None


@dataclass(frozen=True, slots=True)
class Reindexed:
    """How many passages kept their vector, got one, and how many vectors were removed."""

    kept: int = 0
    embedded: int = 0
    removed: int = 0


async def reindex(store: Store, embedder: Embedder, paths: BusinessPaths, passages: Sequence[Passage]) -> Reindexed:
    """Bring the stored vectors of a business in line with its passages.

    Two at once do no harm: whoever finishes last removes at most what the other is about to need, and the next call
    writes it again.

    Raises:
        StoreError: The store failed; what was done stays, and doing it again continues.
        ToolError: The embedder failed, likewise.
    """
    keyed = by_key(passages, embedder.name)
    documents = documents_of(store.query, Query(paths.collection(COLLECTION)), _PAGE)
    stored = {document.id async for document in documents}
    missing = [key for key in keyed if key not in stored]
    for at in range(0, len(missing), BATCH):
        keys = missing[at : at + BATCH]
        vectors = await embedder.embed([embedded_text(keyed[key]) for key in keys], "passage")
        pairs = zip(keys, vectors, strict=True)
        await store.commit(
            [to_write(paths.document(COLLECTION, key), keyed[key], embedder.name, vector) for key, vector in pairs]
        )
    obsolete = sorted(stored - keyed.keys())
    for at in range(0, len(obsolete), _DELETED_AT_ONCE):
        keys = obsolete[at : at + _DELETED_AT_ONCE]
        await store.commit([Delete(paths.document(COLLECTION, key)) for key in keys])
    return Reindexed(kept=len(keyed) - len(missing), embedded=len(missing), removed=len(obsolete))
