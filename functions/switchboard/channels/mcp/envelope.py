"""What a JSON-RPC message must look like before the library sees it.

The library takes a request without a usable id for a notification, does nothing and tells nobody; of other faults it
tells how its own classes are made.
"""

from collections.abc import Mapping
from typing import Any

from switchboard.contract.json import JsonObject

_INVALID_REQUEST = -32600
# What is sent without an id is told nothing: only what tells something itself may be.
_NOTIFICATIONS = "notifications/"


def fault(message: Any) -> JsonObject | None:
    """Return the answer to a message that is no request and no notification; None to one that the library can read."""
    problem = _problem(message)
    if not problem:
        return None
    id = message.get("id") if isinstance(message, Mapping) else None
    error = {"code": _INVALID_REQUEST, "message": problem}
    return {"jsonrpc": "2.0", "id": id if _names_a_request(id) else None, "error": error}


def _problem(message: Any) -> str:
    if not isinstance(message, Mapping):
        return "The body must be one JSON-RPC message, a JSON object; several are sent one by one."
    if message.get("jsonrpc") != "2.0":
        return 'Every message says "jsonrpc": "2.0".'
    method = message.get("method")
    if not isinstance(method, str) or not method:
        return 'A message names its "method", such as "tools/call".'
    if "id" in message and not _names_a_request(message["id"]):
        return 'The "id" of a request must be a text or a whole number, such as 1, which its answer bears.'
    if "id" not in message and not method.startswith(_NOTIFICATIONS):
        return 'A request needs an "id", a text or a whole number such as 1, which its answer bears.'
    if not isinstance(message.get("params"), Mapping | None):
        return 'The "params" of a message must be a JSON object, or be left out.'
    return ""


def _names_a_request(id: Any) -> bool:
    return isinstance(id, str | int) and not isinstance(id, bool)
