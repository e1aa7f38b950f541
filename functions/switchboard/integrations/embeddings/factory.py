"""Which embedder `SWITCHBOARD_EMBEDDINGS` names."""

import logging
from dataclasses import field

from switchboard.contract.python.dataclass import dataclass
from switchboard.integrations.embeddings.minilm import MiniLMEmbedder
from switchboard.integrations.embeddings.offline import OfflineEmbedder
from switchboard.integrations.embeddings.providers import GeminiWire, OpenAIWire
from switchboard.integrations.embeddings.remote import RemoteEmbedder
from switchboard.integrations.http_session import HttpSession

_log = logging.getLogger(__name__)

OPENAI_URL = "https://api.openai.com/v1"
GEMINI_URL = "https://generativelanguage.googleapis.com"

# Each model spreads its similarities differently. These are set low, so that at worst something far-fetched is found;
# none of them has been measured against the vendors' own servers.
_FLOORS = {"text-embedding-3": 0.2, "text-embedding-ada": 0.72, "gemini-embedding": 0.5}
_USUAL_FLOOR = 0.3


class NoSuchEmbedder(ValueError):
    """The setting cannot be used; the text names the variable and the remedy."""


@dataclass(frozen=True, slots=True)
class ModelEndpoints:
    """Where models are asked, and with which keys; addresses without a slash at the end."""

    openai_url: str = OPENAI_URL
    openai_key: str = field(default="", repr=False)
    gemini_url: str = GEMINI_URL
    gemini_key: str = field(default="", repr=False)


def open_embedder(
    setting: str, http: HttpSession, endpoints: ModelEndpoints, silent: frozenset[str] = frozenset()
) -> MiniLMEmbedder | OfflineEmbedder | RemoteEmbedder | None:
    """Return the embedder that a setting names, None for `none`; nothing is loaded or asked before it is used.

    Args:
        setting: `offline` (also where it is empty), `openai:<model>`, `gemini:<model>` or `none`. Offline is MiniLM
            where its package is installed and the list of concepts alone where it is not, which is logged.
        http: Sends requests to models.
        endpoints: Where they are.
        silent: Words that tell nothing, for the offline ones.

    Raises:
        NoSuchEmbedder: It names none, or a key is missing.
    """
    vendor, _, model = (setting or "offline").partition(":")
    if vendor in ("none", "offline") and not model:
        return open_offline(silent) if vendor == "offline" else None
    if vendor == "openai" and model:
        # A server of one's own may want no key.
        if not endpoints.openai_key and endpoints.openai_url == OPENAI_URL:
            raise NoSuchEmbedder(f"SWITCHBOARD_EMBEDDINGS is {setting}; set OPENAI_API_KEY too, or use offline.")
        wire = OpenAIWire(model, endpoints.openai_url, endpoints.openai_key)
        return RemoteEmbedder(http, wire, setting, _floor(model))
    if vendor == "gemini" and model:
        if not endpoints.gemini_key:
            raise NoSuchEmbedder(f"SWITCHBOARD_EMBEDDINGS is {setting}; set GEMINI_API_KEY too, or use offline.")
        gemini = GeminiWire(model, endpoints.gemini_url, endpoints.gemini_key)
        return RemoteEmbedder(http, gemini, setting, _floor(model))
    raise NoSuchEmbedder(
        f"SWITCHBOARD_EMBEDDINGS is {setting!r}; write offline, none, openai:<model> or gemini:<model>, "
        "such as openai:text-embedding-3-small."
    )


def open_offline(silent: frozenset[str] = frozenset()) -> MiniLMEmbedder | OfflineEmbedder:
    """Return the best embedder that this machine has, and say in the log if it is not MiniLM."""
    if MiniLMEmbedder.is_installed():
        return MiniLMEmbedder(silent)
    _log.warning(
        "MiniLM is not installed: search by meaning knows no more than its list of concepts",
        extra={"model": OfflineEmbedder.name},
    )
    return OfflineEmbedder(silent)


def _floor(model: str) -> float:
    return next((floor for name, floor in _FLOORS.items() if model.startswith(name)), _USUAL_FLOOR)
