"""What a model may read of a response: the answer or the error, without what is meant for channel, ear and log."""

from typing import Final

from switchboard.contract.json import JsonObject
from switchboard.contract.response import ToolResponse

_SAMPLES: Final = {"openTimes": "free"}
"""Fields that hold a few of what another field holds wholly: promised to programs, taken for all there is by models."""


def visible(response: ToolResponse) -> JsonObject:
    """Return `{ok, data}` or `{ok, error}` of the envelope.

    Intents are the channel's business and `meta` holds words for the caller's ear and measurements: neither helps the
    model, both cost it tokens. Of `data` it is not shown a sample beside the
    whole.
    """
    envelope = response.to_json()
    seen: JsonObject = {name: envelope[name] for name in ("ok", "data", "error") if name in envelope}
    if response.ok:
        data = seen["data"]
        seen["data"] = {name: value for name, value in data.items() if not data.get(_SAMPLES.get(name, ""))}
    return seen
