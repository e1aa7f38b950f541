"""The model that embeds texts, loaded once for all houses, and the vectors of what it has read before.

Every house reads the demo's documents in anew, and each of them costs thirty milliseconds of work. A folder whose
tests are about something else has this by importing `known_vectors`.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from switchboard.integrations.embeddings.minilm import MiniLMEmbedder


class KnownVectors:
    """Reads as the model does, and nothing twice."""

    def __init__(self, model: Any) -> None:
        self._model = model
        self._known: dict[tuple[int, ...], Any] = {}

    def vectors(self, texts: Sequence[Sequence[int]]) -> Any:
        """Return a unit vector per text, as a row each."""
        import numpy

        unknown = [text for text in dict.fromkeys(map(tuple, texts)) if text not in self._known]
        if unknown:
            self._known.update(zip(unknown, self._model.vectors(unknown), strict=True))
        return numpy.stack([self._known[tuple(text)] for text in texts])


_LOADED: list[tuple[Any, KnownVectors]] = []


@pytest.fixture(scope="package", autouse=True)
def known_vectors() -> Iterator[None]:
    """Let no text be embedded twice in a process."""
    load = MiniLMEmbedder._load

    def load_once(self: MiniLMEmbedder) -> Any:
        if not _LOADED:
            tokenizer, model = load(self)
            _LOADED.append((tokenizer, KnownVectors(model)))
        return _LOADED[0]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(MiniLMEmbedder, "_load", load_once)
        yield
