"""Facts of the call that a definition leaves to the model: whoever talks to it could talk it into other ones."""

from collections.abc import Iterator, Mapping
from typing import Any

from switchboard.catalog.arguments.trusted_values import FROM
from switchboard.catalog.schema.lint.finding import LintFinding, LintSeverity
from switchboard.contract.definitions.definition import Definition
from switchboard.formats.schema.subschema import children, pointer

_BUSINESS = frozenset({"businessid", "tenantid", "organizationid", "organisationid", "orgid", "accountid", "tenant"})
_CALLER = frozenset(
    {"callerphone", "callerphonenumber", "callernumber", "callerid", "callerverified", "fromnumber", "phonefrom"}
    | {"verified", "isverified", "isauthenticated", "authenticated", "isadmin", "userrole", "userid", "currentuser"}
)
_CALL = frozenset(
    {"sessionid", "callid", "callsid", "interactionid", "conversationid", "calledphone", "calledphonenumber"}
    | {"callednumber", "streamsid", "turnid"}
)
_SECRETS = frozenset(
    {"apikey", "accesstoken", "authtoken", "bearertoken", "password", "secret", "clientsecret", "privatekey"}
    | {"authorization", "refreshtoken", "credentials", "confirmationtoken"}
)
_FACTS = {
    **dict.fromkeys(("callerphone", "callerphonenumber", "callernumber", "fromnumber", "phonefrom"), "caller_phone"),
    **dict.fromkeys(("calledphone", "calledphonenumber", "callednumber"), "called_phone"),
    "callsid": "call_sid",
    "callerid": "caller_id",
    "businessid": "business.id",
    "tenantid": "business.id",
}


def trusted_arguments(definition: Definition) -> Iterator[LintFinding]:
    """Yield an error for every property, at any depth, that only the call or a secret store can know."""
    for at, name, inner in properties(definition.parameters):
        plain = _plain(name)
        if isinstance(inner, Mapping) and FROM in inner:
            continue  # the model is never told of it
        if plain in _SECRETS:
            told = f"{name} is a credential, which no model may hold; keep it in the toolkit's settings"
        elif plain in _BUSINESS | _CALLER | _CALL:
            fact = _FACTS.get(plain)
            way = f"write x-from {fact} with its x-trust, or take it from ctx" if fact else "take it from ctx"
            told = f"{name} is known from the call and must not come from the model; remove it: {way}"
        else:
            continue
        yield LintFinding("trusted-argument", LintSeverity.ERROR, definition.name, at, told)


def is_trusted(name: str) -> bool:
    """Tell whether a parameter of this name would be a fact of the call or a secret, which no model gives."""
    return _plain(name) in _SECRETS | _BUSINESS | _CALLER | _CALL


def properties(schema: Any, at: str = "") -> Iterator[tuple[str, str, Any]]:
    """Yield every property in a schema with its JSON pointer and its name; references are not followed."""
    queue = [(at, schema)]
    for place, node in queue:
        inner = node.get("properties") if isinstance(node, Mapping) else None
        for name, child in inner.items() if isinstance(inner, Mapping) else ():
            yield place + pointer("properties", name), name, child
        queue += [(place + step, child) for step, child in children(node)]


def _plain(name: str) -> str:
    return "".join(char for char in name if char.isalnum()).casefold()
