"""Whether the caller's number in an owner's tool says whose data is meant, or only how the caller is reached.

Anybody can have any number shown (`contract/caller/proof.py`). A query of ours reads by a proven number alone. What an
owner's own service is sent is the number that the call shows (seed 002, "Variable Substitution"): what it tells for
that is for its owner to say, who is warned where it stands in an address or in what only reads.
"""

from collections.abc import Mapping
from typing import Any, Final, TypeAlias

from switchboard.catalog.definitions.variables import CALLER, names_in
from switchboard.catalog.tenant_tools.config_kinds import ActionSettings, QuerySettings, SmsSettings, TransferSettings
from switchboard.catalog.tenant_tools.config_mcp import McpSettings
from switchboard.catalog.tenant_tools.config_parameters import Extendable, Fixed, ModelParameter, Parameter
from switchboard.catalog.tenant_tools.config_reading import ConfigReader
from switchboard.catalog.tenant_tools.config_request import IN_QUERY, RequestSettings

Settings: TypeAlias = SmsSettings | RequestSettings | TransferSettings | QuerySettings | ActionSettings | McpSettings

_FIELD: Final = "callerNumber"
_PROVEN, _CONTACT = "proven", "contact"


def selects(top: ConfigReader, settings: Settings) -> bool:
    """Tell whether the caller's number has to be proven in a tool; what is wrong with its `callerNumber` is noted.

    What an owner says there counts. Where nothing is said, it has to be in a query, and nowhere else.
    """
    said = top.text(_FIELD, 20)
    if said not in ("", _PROVEN, _CONTACT):
        top.add(_FIELD, f"{said!r} is nothing that a number can be here", f"use {_PROVEN} or {_CONTACT}")
    if said == _CONTACT and isinstance(settings, QuerySettings):
        top.add(_FIELD, "decides in a query whose data is read", f"use {_PROVEN}, or leave it out")
    return said == _PROVEN or isinstance(settings, QuerySettings)


def is_left_open(top: ConfigReader, settings: Settings, parameters: Mapping[str, Parameter]) -> bool:
    """Tell whether the owner has not said what the number is, where it may well decide whose data is told."""
    return not top.text(_FIELD, 20) and not isinstance(settings, QuerySettings) and _may_select(settings, parameters)


def names_caller(written: Any) -> bool:
    """Tell whether the caller's number stands in something that an owner wrote."""
    return CALLER in names_in(written)


def written_in(parameter: Parameter) -> Any:
    """Return the part of a parameter that its owner wrote and that is passed on."""
    match parameter:
        case Fixed(value):
            return value
        case ModelParameter(default=default):
            return default
        case Extendable(base):
            return list(base)


def _may_select(settings: Settings, parameters: Mapping[str, Parameter]) -> bool:
    match settings:
        case McpSettings():
            return settings.is_reading
        case RequestSettings():
            return settings.method == "GET" or _is_in_address(settings, parameters)
    return False


def _is_in_address(request: RequestSettings, parameters: Mapping[str, Parameter]) -> bool:
    url = request.url
    names = set(names_in([url.path, *(value for _, value in url.query if value)]))
    names |= set(request.loose) if request.method in IN_QUERY else set()
    return CALLER in names or any(names_caller(written_in(parameters[name])) for name in names & parameters.keys())
