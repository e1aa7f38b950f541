"""Whom a tenant tool reaches, and with whose secrets: what only those may change who may decide just that.

Which fields these are stands in `access/field_rights.py`. Here a whole configuration is read as calls are bound by it,
so that the same holds however it is written, and for one that is made, changed, imported, brought back or undone.
"""

from collections.abc import Mapping
from typing import Any, TypeAlias

from switchboard.admin.access.roles import Operation
from switchboard.catalog.definitions.variables import CALLER, alone, names_in
from switchboard.catalog.tenant_tools.config import DefinitionErrors, ToolConfig, read_config, written_in
from switchboard.catalog.tenant_tools.config_kinds import ActionSettings, SmsSettings, TransferSettings
from switchboard.catalog.tenant_tools.config_mcp import McpSettings
from switchboard.catalog.tenant_tools.config_parameters import Extendable, Fixed, ModelParameter, Parameter
from switchboard.catalog.tenant_tools.config_request import RequestSettings
from switchboard.contract.json import JsonObject
from switchboard.contract.python.dataclass import dataclass

ENABLED = "enabled"
"""Stands in a request beside the configuration itself."""
_TEXTED = "whom a tool texts, or from which number (recipients, textAnyone, from)"
_RUNG = "which number a tool rings (destination.number)"
_WITH_SECRET = "a request that carries a secret (request, or what is sent of params)"
_SERVER = "a connected server, or what it is sent (server, tool, inputSchema, params)"
_ACCOUNT = "what a connected account is used for (pipedreamMetadata, or what is sent of params)"
# What a model is told of a parameter; everything else in its schema decides what may be sent.
_VALUES = ("default", "const", "enum")

_Params: TypeAlias = Mapping[str, Parameter]


@dataclass(frozen=True, slots=True)
class _Reach:
    """Whom a tool reaches and what with, to be held against another's; and what the right to change it is."""

    right: Operation
    words: str
    what: tuple[Any, ...]


def needs_of_tool(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[Operation, str]:
    """Return what a change of a tool needs beyond editing tools, with what the change is called.

    Args:
        before: What its owner decided, with `configMetadata`; empty where there was no such tool.
        after: The same as it will be. What reaches nobody any more needs nothing.
    """
    wanted = _reach(after)
    return {} if wanted is None or wanted == _reach(before) else {wanted.right: wanted.words}


def _reach(decided: Mapping[str, Any]) -> _Reach | None:
    config = decided.get("configMetadata")
    if not isinstance(config, Mapping):
        return None
    try:
        read = read_config({name: value for name, value in config.items() if name != ENABLED})
    except DefinitionErrors:
        # It is not kept like this, and what is kept like this already is never called.
        return None
    return _reach_of(read)


def _reach_of(config: ToolConfig) -> _Reach | None:
    params = config.parameters
    match config.settings:
        case RequestSettings() as request if any(header.secret for header in request.headers):
            sent = (request.method, request.url, request.headers, request.body, request.form)
            return _Reach(Operation.CONNECT, _WITH_SECRET, (*sent, _sent(params)))
        case McpSettings() as server:
            asked = (server.url, server.headers, server.tool, server.parameters)
            return _Reach(Operation.CONNECT, _SERVER, (*asked, _sent(params)))
        case ActionSettings() as action:
            return _Reach(Operation.CONNECT, _ACCOUNT, (action, _sent(params)))
        case SmsSettings() as sms if sms.sender_id or sms.texts_anyone or not _is_caller(sms.recipients, params):
            named = {name: params[name] for name in names_in(sms.recipients) if name in params}
            texted = (sms.recipients, sms.sender_id, sms.texts_anyone)
            return _Reach(Operation.EDIT_SAFEGUARDS, _TEXTED, (*texted, _sent(named)))
        case TransferSettings(number=number) if number:
            return _Reach(Operation.EDIT_SAFEGUARDS, _RUNG, (number,))
    return None


def _is_caller(recipients: Any, params: _Params) -> bool:
    """Tell whether nobody but who is calling is texted."""
    if isinstance(recipients, list | tuple):
        return all(_is_caller(each, params) for each in recipients)
    name = alone(recipients) if isinstance(recipients, str) else None
    match params.get(name or ""):
        case Fixed(value):
            return _is_caller(value, {})
        case Extendable(base, None):
            return _is_caller(base, {})
        case None:
            return name == CALLER
    return False


def _sent(params: _Params) -> JsonObject:
    """Return of parameters what may be sent in them, without the words that their model is told."""
    return {
        name: [type(parameter).__name__, written_in(parameter), _asked(parameter)] for name, parameter in params.items()
    }


def _asked(parameter: Parameter) -> Any:
    asked = parameter.extension if isinstance(parameter, Extendable) else parameter
    return _unworded(asked.schema) if isinstance(asked, ModelParameter) else None


def _unworded(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_unworded(each) for each in schema]
    if not isinstance(schema, Mapping):
        return schema
    return {
        name: each if name in _VALUES else _unworded(each)
        for name, each in schema.items()
        if name != "description" or not isinstance(each, str)
    }
