"""What a model may read of a response: the answer or the error, without what is meant for channel, ear and log."""

from switchboard.contract.json import JsonObject
from switchboard.contract.response import ToolResponse


def visible(response: ToolResponse) -> JsonObject:
    """Return `{ok, data}` or `{ok, error}` of the envelope.

    Intents are the channel's business and `meta` holds words for the caller's ear and measurements: neither helps the
    model, both cost it tokens (design §5: three audiences, three fields).
    """
    envelope = response.to_json()
    return {name: envelope[name] for name in ("ok", "data", "error") if name in envelope}
