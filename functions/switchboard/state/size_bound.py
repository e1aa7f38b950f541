"""How many bytes a value can count for at most, found out without looking at each of its parts."""

from typing import Any

import orjson

from switchboard.contract.json import JsonObject
from switchboard.contract.store import ArrayUnion, Increment, Reference, Vector


def size_at_most(value: JsonObject) -> int:
    """Return no less than `stored.size` of a checked value, in a fraction of the time."""
    # No byte of its JSON stands for more than eight: a number has a digit at least, a name and a text have two quotes.
    return 8 * len(orjson.dumps(value, _spelt, orjson.OPT_PASSTHROUGH_DATACLASS))


def _spelt(value: Any) -> Any:
    if type(value) is Increment:
        return 0
    if type(value) is bytes:
        return value.hex()
    if type(value) is Reference:
        return value.path
    return value.values if isinstance(value, Vector | ArrayUnion) else 0
