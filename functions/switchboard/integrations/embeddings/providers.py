"""How OpenAI-compatible endpoints and Gemini are asked for vectors."""

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any
from urllib.parse import quote

from switchboard.contract.python.dataclass import dataclass
from switchboard.integrations.embeddings.remote import DIMENSION

# Others, and the models of compatible servers, refuse to be asked for a number of dimensions.
_SHORTENED_BY_OPENAI = "text-embedding-3"
_TASKS = {"question": "RETRIEVAL_QUERY", "passage": "RETRIEVAL_DOCUMENT"}


@dataclass(frozen=True, slots=True)
class OpenAIWire:
    """`POST {base}/embeddings` of OpenAI and of servers that follow it; `base_url` ends without a slash."""

    model: str
    base_url: str
    api_key: str = field(repr=False)

    def request(self, texts: Sequence[str], purpose: str) -> tuple[str, Mapping[str, str], Any]:
        """Return address, headers and body; these models embed questions as they embed passages."""
        body: dict[str, Any] = {"model": self.model, "input": list(texts), "encoding_format": "float"}
        if self.model.startswith(_SHORTENED_BY_OPENAI):
            body["dimensions"] = DIMENSION
        headers = {"Authorization": f"Bearer {self.api_key}"} if self.api_key else {}
        return f"{self.base_url}/embeddings", headers, body

    def read(self, answer: Any) -> list[Any]:
        """Return the vectors; each says itself which text it belongs to."""
        return [row["embedding"] for row in sorted(answer["data"], key=lambda row: row["index"])]


@dataclass(frozen=True, slots=True)
class GeminiWire:
    """`POST {base}/v1beta/models/{model}:batchEmbedContents`; `base_url` ends without a slash."""

    model: str
    base_url: str
    api_key: str = field(repr=False)

    def request(self, texts: Sequence[str], purpose: str) -> tuple[str, Mapping[str, str], Any]:
        """Return address, headers and body; questions and passages are told apart."""
        shared = {
            "model": f"models/{self.model}",
            "taskType": _TASKS[purpose],
            "outputDimensionality": DIMENSION,
        }
        body = {"requests": [{**shared, "content": {"parts": [{"text": text}]}} for text in texts]}
        url = f"{self.base_url}/v1beta/models/{quote(self.model, safe='')}:batchEmbedContents"
        return url, {"x-goog-api-key": self.api_key}, body

    def read(self, answer: Any) -> list[Any]:
        """Return the vectors, which come in the order of the texts."""
        return [row["values"] for row in answer["embeddings"]]
