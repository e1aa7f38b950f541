"""A passage's vector as it is stored: below its business, under a key made of what was embedded and by which model.

The key is the same as long as neither changes, so that unchanged text is never embedded twice, and a vector that was
found always belongs to the words that are there now.
"""

import hashlib
from collections.abc import Iterable, Sequence

from switchboard.contract.json import JsonObject
from switchboard.contract.ports import BusinessCollection
from switchboard.contract.store import SERVER_TIME, Document, Set, Vector
from switchboard.desk.knowledge.chunk import Passage

COLLECTION: BusinessCollection = "passages"
MODEL, VECTOR = "model", "vector"
_KEY_DIGITS = 40


def embedded_text(passage: Passage) -> str:
    """Return what is embedded of a passage: its title, its labels and its words."""
    return "\n".join(part for part in (passage.title, " ".join(passage.labels), passage.text) if part)


def key_of(passage: Passage, model: str) -> str:
    """Return under which id the vector of a passage by a model is stored."""
    text = f"{model}\n{embedded_text(passage)}"
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_KEY_DIGITS]


def by_key(passages: Iterable[Passage], model: str) -> dict[str, Passage]:
    """Return passages by their keys; of those with the same words the first."""
    found: dict[str, Passage] = {}
    for passage in passages:
        found.setdefault(key_of(passage, model), passage)
    return found


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
