"""Vectors from a model that is asked over HTTP."""

import asyncio
import math
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import orjson

from switchboard.contract.error import ErrorType
from switchboard.integrations.embeddings.failures import failures_of
from switchboard.integrations.http_session import HttpSession
from switchboard.integrations.vendor_http import VendorHttp

DIMENSION = 1024
"""Asked of models that can be asked; the vector index of `firestore.indexes.json` is made for it."""

# A question has a caller waiting, whose deadline is shorter still; passages have an owner.
_TIMEOUT_S = {"question": 2.0, "passage": 20.0}
# Below what both vendors take in one request, so that an answer of 1,536 dimensions stays within its bounds.
_AT_ONCE = 64
# Vendors count tokens; no passage of ours comes near their 2,048, and a longer one is known by its beginning.
_MOST_CHARACTERS = 6_000


class Wire(Protocol):
    """How one vendor wants to be asked, and answers."""

    def request(self, texts: Sequence[str], purpose: str) -> tuple[str, Mapping[str, str], Any]:
        """Return address, headers and JSON body of the request for some texts."""

    def read(self, answer: Any) -> list[Any]:
        """Return the vectors that stand in an answer, in the order of the texts.

        Raises:
            KeyError, IndexError, TypeError: It is not what the vendor promised.
        """


class RemoteEmbedder:
    """Asks one model.

    Args:
        http: Sends the requests.
        wire: How they look.
        name: `vendor:model`.
        floor: The similarity below which two texts of this model have nothing to do with each other.
    """

    is_local = False

    def __init__(self, http: HttpSession, wire: Wire, name: str, floor: float) -> None:
        self.name, self.floor = name, floor
        self._failures, self._wire = failures_of(name), wire
        self._http = VendorHttp(http, self._failures)

    async def warm(self) -> None:
        """Do nothing: the first question connects."""

    async def embed(self, texts: Sequence[str], purpose: str) -> list[list[float]]:
        """Return one unit vector per text.

        Raises:
            ToolError: The model did not answer, or refused.
        """
        parts = [texts[at : at + _AT_ONCE] for at in range(0, len(texts), _AT_ONCE)]
        batches = await asyncio.gather(*(self._ask(part, purpose) for part in parts))
        return [vector for vectors in batches for vector in vectors]

    async def _ask(self, texts: Sequence[str], purpose: str) -> list[list[float]]:
        url, headers, body = self._wire.request([text[:_MOST_CHARACTERS] for text in texts], purpose)
        answer = await self._http.success(
            "POST", url, timeout_s=_TIMEOUT_S[purpose], headers=headers, body=body, is_write=False
        )
        try:
            vectors = [_unit(vector) for vector in self._wire.read(orjson.loads(answer.body))]
        except (KeyError, IndexError, TypeError, ValueError) as error:
            raise self._failures.failure(ErrorType.PERMANENT, f"not an answer: {type(error).__name__}") from error
        if len(vectors) != len(texts) or len({len(vector) for vector in vectors}) > 1:
            raise self._failures.failure(ErrorType.PERMANENT, f"{len(vectors)} vectors for {len(texts)} texts")
        return vectors


def _unit(vector: Any) -> list[float]:
    """Return a vector at length 1: models that were asked for fewer dimensions do not always see to it."""
    numbers = [float(number) for number in vector]
    length = math.sqrt(sum(number * number for number in numbers))
    if not (math.isfinite(length) and length > 0):
        raise ValueError("a vector without a direction")
    return [number / length for number in numbers]
