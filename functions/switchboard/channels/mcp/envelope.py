"""What a JSON-RPC message must look like before the library sees it.

The library takes a request without a usable id for a notification, does nothing and tells nobody; of other faults it
tells how its own classes are made.
"""

from collections.abc import Mapping
from typing import Any

from switchboard.contract.json import JsonObject

_INVALID_REQUEST, _INVALID_PARAMS = -32600, -32602
# What is sent without an id is told nothing: only what tells something itself may be.
_NOTIFICATIONS = "notifications/"


def fault(message: Any) -> JsonObject | None:
    """Return the answer to a message that is no request and no notification; None to one that the library can read."""
    code, problem = _INVALID_REQUEST, _problem(message)
    if not problem:
        params = message.get("params") or {}
        code, problem = _INVALID_PARAMS, _problem_of_meta(params) or _problem_of_params(str(message["method"]), params)
    if not problem:
        return None
    id = message.get("id") if isinstance(message, Mapping) else None
    error = {"code": code, "message": problem}
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


def _problem_of_meta(params: Mapping[str, Any]) -> str:
    meta = params.get("_meta")
    if not isinstance(meta, Mapping | None):
        return 'The "_meta" of the "params" must be a JSON object, or be left out.'
    token = (meta or {}).get("progressToken")
    if token is not None and not _names_a_request(token):
        return 'The "progressToken" in "_meta" must be a text or a whole number, such as 1, or be left out.'
    return ""


def _problem_of_params(method: str, params: Mapping[str, Any]) -> str:
    """Return what is wrong with the parameters of what this server is asked; of others the library speaks."""
    if method == "initialize" and not isinstance(params.get("protocolVersion"), str):
        return (
            'The "params" of initialize say "protocolVersion", such as "2025-11-25", "capabilities" and "clientInfo".'
        )
    if method != "tools/call":
        return ""
    if not isinstance(params.get("name"), str) or not params["name"]:
        return 'The "params" of tools/call name the tool: "name", a text that tools/list gives, such as "get_policies".'
    if not isinstance(params.get("arguments"), Mapping | None):
        kind = "a text" if isinstance(params["arguments"], str) else "no object"
        return (
            f'The "arguments" of tools/call are {kind}; send a JSON object, such as {{"topic": "parking"}}, or leave '
            "them out where there are none."
        )
    return ""


def _names_a_request(id: Any) -> bool:
    return isinstance(id, str | int) and not isinstance(id, bool)
