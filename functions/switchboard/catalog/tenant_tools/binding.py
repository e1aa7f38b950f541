"""From a tenant tool's configuration and a model's arguments to what is done: everything in a `Bound` record is final.

Seed 002 ("Tool Execution Flow"): the owner's values have their variables filled, are merged last, and win. Each
variable is filled once, in the encoding of the place where it stands.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from html import escape
from typing import Any, assert_never
from urllib.parse import quote_plus

from switchboard.catalog.definitions.variables import (
    ABSENT,
    VARIABLES,
    Look,
    PhoneNumbers,
    as_text,
    filled,
    filled_text,
    in_words,
    names_in,
)
from switchboard.catalog.tenant_tools.config import ToolConfig
from switchboard.catalog.tenant_tools.config_kinds import ActionSettings, QuerySettings, SmsSettings, TransferSettings
from switchboard.catalog.tenant_tools.config_mcp import McpSettings
from switchboard.catalog.tenant_tools.config_parameters import MOST_ADDED, Extendable, Fixed, ModelParameter, Parameter
from switchboard.catalog.tenant_tools.config_request import HEADER_TEXT, IN_QUERY, BodyForm, Header, RequestSettings
from switchboard.contract.definitions.tenant_tool import (
    Bound,
    BoundAction,
    BoundMcpCall,
    BoundQuery,
    BoundRequest,
    BoundSms,
    BoundTransfer,
    SecretText,
)
from switchboard.contract.error import ErrorType, Refused
from switchboard.contract.json import JsonObject

MOST_CHOICES = 30
"""How many values an `in` filter may have: what Firestore takes."""
_CONTENT_TYPES = {
    BodyForm.JSON: "application/json",
    BodyForm.FORM: "application/x-www-form-urlencoded",
    BodyForm.XML: "application/xml; charset=utf-8",
    BodyForm.TEXT: "text/plain; charset=utf-8",
}


def bind(config: ToolConfig, values: Mapping[str, Any], numbers: PhoneNumbers) -> Bound:
    """Return what a call comes to.

    Args:
        config: The owner's.
        values: The model's arguments, valid (`Arguments.canonical`); what the model has no say in is not looked at.
        numbers: Who calls and who was called, where that is known.

    Raises:
        Refused: MODE_RESTRICTED, a number that the owner's words need is not known. VALIDATION, an argument cannot
            stand where it belongs; the message names it and never holds a value of the owner's.
    """
    if config.selects_by_caller:
        numbers = replace(numbers, is_looking_up=True)
    arguments = _arguments(config.parameters, values, numbers)

    def look(name: str) -> Any:
        return numbers.look(name) if name in VARIABLES else arguments.get(name, ABSENT)

    match config.settings:
        case SmsSettings() as sms:
            return _sms(sms, config.parameters, look)
        case RequestSettings() as request:
            return replace(_request(request, arguments, look), most_at_once=config.most_at_once)
        case TransferSettings() as transfer:
            message = in_words(transfer.message, look)
            return BoundTransfer(transfer.number, transfer.rule_id, transfer.agent_id, transfer.label, message)
        case QuerySettings() as query:
            words = [as_text(arguments[name]) for name in query.question if name in arguments]
            question = " ".join(word for word in words if word)
            return BoundQuery(question, query.collection, tuple(_filters(query, look)), query.fields, query.limit)
        case ActionSettings() as action:
            return BoundAction(action.app, action.account_id, action.action_key, arguments, action.version)
        case McpSettings() as mcp:
            headers = {header.name: value for header in mcp.headers if (value := _header(header, look)) is not None}
            sent, most = {**values, **arguments}, config.most_at_once
            return BoundMcpCall(mcp.url, headers, mcp.tool, sent, mcp.is_reading, most, mcp.is_idempotent)
        case _:
            assert_never(config.settings)


def _arguments(parameters: Mapping[str, Parameter], values: Mapping[str, Any], numbers: PhoneNumbers) -> JsonObject:
    """Return the value of every parameter that has one: the owner's where it is fixed, else the model's."""
    arguments: JsonObject = {}
    for name, parameter in parameters.items():
        match parameter:
            case Fixed(value):
                arguments[name] = filled(value, numbers.look)
            case ModelParameter(default=default):
                value = values.get(name, ABSENT)
                value = filled(default, numbers.look) if value is ABSENT else value
                if value is not ABSENT:
                    arguments[name] = value
            case Extendable(base, extension):
                added = values.get(name) if extension is not None else None
                arguments[name] = _extended(name, filled(list(base), numbers.look), added)
            case _:
                assert_never(parameter)
    return arguments


def _extended(name: str, base: list[Any], added: Any) -> list[Any]:
    """Return the owner's values followed by the model's, each once."""
    more = [] if added is None else added if isinstance(added, list) else [added]
    if len(more) > MOST_ADDED:
        raise Refused(ErrorType.VALIDATION, f"{name}: must have at most {MOST_ADDED} items.")
    extended: dict[str, Any] = {}
    for item in (*base, *more):
        # As JSON, because 1 and true are one key to Python.
        extended.setdefault(json.dumps(item, sort_keys=True), item)
    return list(extended.values())


def _sms(sms: SmsSettings, parameters: Mapping[str, Parameter], look: Look) -> BoundSms:
    text = in_words(sms.text, look)
    templates = sms.recipients if isinstance(sms.recipients, list) else [sms.recipients]
    recipients = _numbers(templates, look)
    free = [template for template in templates if not set(sms.dictated).isdisjoint(names_in(template))]
    own = [n for name in sms.dictated if isinstance(p := parameters[name], Extendable) for n in _numbers(p.base, look)]
    dictated = () if sms.texts_anyone else tuple(number for number in _numbers(free, look) if number not in own)
    if not text.strip():
        raise Refused(ErrorType.VALIDATION, "The text message is empty. Send the words it should have.")
    if not recipients:
        raise Refused(ErrorType.VALIDATION, "The text message has no recipient. Send at least one number.")
    return BoundSms(text, recipients, sms.sender_id, dictated, _untold(templates, parameters, look))


def _untold(templates: Iterable[Any], parameters: Mapping[str, Parameter], look: Look) -> tuple[str, ...]:
    """Return the numbers that the owner wrote down themselves, which are told to no model (seed 002, "Security Notes").

    The two variables are facts of the call and no secret of the configuration.
    """
    written: list[Any] = []
    for template in templates:
        names = names_in(template)
        if not names:
            written.append(template)
        for name in names:
            match parameters.get(name):
                case Fixed(value):
                    written += value if isinstance(value, list) else [value]
                case Extendable(base):
                    written += base
                case _:
                    pass
    return _numbers([one for one in written if not names_in(one)], look)


def _numbers(templates: Iterable[Any], look: Look) -> tuple[str, ...]:
    """Return the numbers that templates come to, each once."""
    chosen = filled(list(templates), look)
    flat = [item for group in chosen for item in (group if isinstance(group, list) else [group])]
    return tuple(dict.fromkeys(number for item in flat if (number := as_text(item).strip())))


def _filters(query: QuerySettings, look: Look) -> Iterator[tuple[str, str, Any]]:
    """Yield the filters that have a value: an optional argument that was not given filters nothing."""
    for field, operator, template in query.filters:
        value = filled(template, look)
        if value is ABSENT or value is None:
            continue
        if operator == "in":
            value = value if isinstance(value, list) else [value]
            if not 1 <= len(value) <= MOST_CHOICES:
                names = ", ".join(n for n in names_in(template) if n not in VARIABLES)
                raise Refused(ErrorType.VALIDATION, f"{names or field}: must have 1 to {MOST_CHOICES} items.")
        yield field, operator, value


def _request(request: RequestSettings, arguments: JsonObject, look: Look) -> BoundRequest:
    loose = {name: arguments[name] for name in request.loose if name in arguments}
    is_in_query = request.method in IN_QUERY
    headers = {header.name: value for header in request.headers if (value := _header(header, look)) is not None}
    body = _body(request, {} if is_in_query else loose, look)
    if isinstance(body, str) and not any(name.lower() == "content-type" for name in headers):
        # Said here, so that nobody takes words that happen to look like JSON for JSON.
        headers["Content-Type"] = _CONTENT_TYPES[request.form]
    return BoundRequest(
        method=request.method,
        url=request.url.bound(look, {n: v for n, v in loose.items() if v is not None} if is_in_query else {}),
        headers=headers,
        body=body,
        response=request.response,
        is_idempotent=request.is_idempotent,
    )


def _header(header: Header, look: Look) -> str | SecretText | None:
    """Return a header's value; None where it is made of nothing but arguments that were not given."""
    names = (*names_in(header.before), *names_in(header.after))
    if header.secret:
        return SecretText(
            filled_text(header.before, look, _in_header), header.secret, filled_text(header.after, look, _in_header)
        )
    if names and all(look(name) is ABSENT for name in names):
        return None
    return filled_text(header.before, look, _in_header)


def _in_header(name: str, text: str) -> str:
    if not HEADER_TEXT.fullmatch(text):
        raise Refused(ErrorType.VALIDATION, f"{name}: must be one line of plain ASCII, because it is sent as a header.")
    return text


def _body(request: RequestSettings, loose: JsonObject, look: Look) -> Any:
    """Return the body: its template filled, or an object of what nothing names, or None."""
    template = request.body
    if template is None:
        if request.method in IN_QUERY or not request.loose:
            return None
        return loose
    match request.form:
        case BodyForm.FORM if isinstance(template, str):
            return filled_text(template, look, lambda _, text: quote_plus(text))
        case BodyForm.XML:
            return filled_text(template, look, _in_xml)
    body = filled(template, look)
    if body is ABSENT:
        return None
    # A text alone is a JSON value too, where the owner says that the body is JSON.
    return json.dumps(body) if isinstance(body, str) and request.form is BodyForm.JSON else body


def _in_xml(_: str, text: str) -> str:
    return escape(text, quote=False).replace('"', "&quot;").replace("'", "&apos;")
