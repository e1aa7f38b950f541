"""Embedders to test with: one that knows a handful of meanings, and fails or dawdles on request."""

import asyncio
import math
from collections.abc import Sequence

from switchboard.contract.deadline import bounded
from switchboard.contract.error import ErrorType, ToolError

MEANINGS = (
    {"park", "parking", "car", "garage", "vehicle", "spaces"},
    {"cancel", "cancellation", "call", "off"},
    {"allergic", "allergies", "itch", "itchy", "test"},
    {"dog", "puppy", "pets"},
)


class KnowingEmbedder:
    """One direction per meaning; passages without one, and questions without one, point elsewhere."""

    name = "test:knowing"
    floor = 0.3

    def __init__(self, *, is_local: bool = True) -> None:
        self.is_local = is_local
        self.asked: list[tuple[str, str]] = []
        self.time_left: dict[str, float] = {}
        self.is_down = False
        self.gate: asyncio.Event | None = None

    def passages(self) -> list[str]:
        return [text for purpose, text in self.asked if purpose == "passage"]

    async def warm(self) -> None:
        """Nothing is heavy here."""

    async def embed(self, texts: Sequence[str], purpose: str) -> list[list[float]]:
        self.asked += [(purpose, text) for text in texts]
        self.time_left[purpose] = bounded(1_000.0)
        if self.gate is not None:
            await self.gate.wait()
        if self.is_down:
            raise ToolError(ErrorType.TRANSIENT, "It does not answer.")
        return [_vector(text, purpose) for text in texts]


def _vector(text: str, purpose: str) -> list[float]:
    words = "".join(c if c.isalnum() else " " for c in text.lower()).split()
    axes = [float(sum(word in meaning for word in words)) for meaning in MEANINGS]
    length = math.sqrt(sum(axis * axis for axis in axes))
    nowhere = [0.0, 0.0] if length else [float(purpose == "passage"), float(purpose == "question")]
    return [*(axis / (length or 1.0) for axis in axes), *nowhere]
