"""What the tools that send texts, transfer, look up and run actions need besides their parameters (seed 002)."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from switchboard.catalog.definitions.variables import alone, names_in, problems
from switchboard.catalog.tenant_tools.config_parameters import (
    ConfigReader,
    Extendable,
    ModelParameter,
    Parameter,
    read_parameter,
)
from switchboard.contract.json import JsonObject
from switchboard.contract.python.dataclass import dataclass

OPERATORS = ("==", "<", "<=", ">", ">=", "in", "array-contains")
MOST_SHOWN = 20
MOST_RECIPIENTS = 10
_LONGEST_TEXT = 1_600
# What Vapi takes of what is said while a tool runs.
_LONGEST_MESSAGE = 1_000
_NO_HANDOVER = {
    "async": "switch it off: the other agent goes on at once",
    "executeOnCallStart": "switch it off: before the first word nobody has said what they want",
}
_QUESTIONS = ("question", "query")
_NUMBER = re.compile(r"\+[1-9]\d{6,14}")
_BLANKS = re.compile(r"[\s().-]")
_FIELD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*){0,7}")
_COLLECTION = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,63}")
_SEED_KEY = re.compile(r"(?<![a-z0-9_])([a-z0-9_]+)\.action\.([a-z0-9-]+)")
_KEY = re.compile(r"[a-z0-9_]+(?:-[a-z0-9_]+)+")
_APP = re.compile(r"[a-z0-9_]{1,64}")
_TEXT_SCHEMA: JsonObject = {"type": "string", "minLength": 1, "maxLength": _LONGEST_TEXT}
_RECIPIENTS_SCHEMA: JsonObject = {
    "type": "array",
    "items": {"type": "string"},
    "minItems": 1,
    "maxItems": MOST_RECIPIENTS,
}


@dataclass(frozen=True, slots=True)
class SmsSettings:
    """One text: templates of its words and of its recipients, and the id of the number it comes from, if not called.

    `dictated` are the parameters in which a model may name any number, which callers dictate to it; `texts_anyone` is
    whether the owner has said that whoever calls may have anybody texted.
    """

    text: str
    recipients: Any
    sender_id: str = ""
    dictated: tuple[str, ...] = ()
    texts_anyone: bool = False


@dataclass(frozen=True, slots=True)
class TransferSettings:
    """Where a call goes: a number in E.164, the id of an escalation rule, or that of an agent of the business.

    The message may hold variables. For an agent these are the two of seed 002 alone: Vapi says it by itself.
    """

    number: str = ""
    rule_id: str = ""
    agent_id: str = ""
    label: str = ""
    message: str = ""


@dataclass(frozen=True, slots=True)
class QuerySettings:
    """What is looked up: in the knowledge base, or in `collection`.

    Attributes:
        question: The parameters whose values make up the question.
        collection: Empty for the knowledge base.
        filters: Field, operator and template of the value.
        fields: Which are shown; all where empty.
        limit: The most that is shown.
    """

    question: tuple[str, ...] = ()
    collection: str = ""
    filters: tuple[tuple[str, str, Any], ...] = ()
    fields: tuple[str, ...] = ()
    limit: int = 5


@dataclass(frozen=True, slots=True)
class ActionSettings:
    """One Pipedream action under one connected account; the parameters are its props."""

    app: str
    account_id: str
    action_key: str
    version: str = ""


def read_sms(top: ConfigReader, parameters: dict[str, Parameter]) -> SmsSettings:
    """Return what is sent; `text` and `recipients` with a mode become parameters of these names."""
    text = _words_or_mode(top, "text", ("text", "message"), parameters, _TEXT_SCHEMA)
    recipients = _words_or_mode(top, "recipients", ("recipients",), parameters, _RECIPIENTS_SCHEMA)
    if text is not None and not isinstance(text, str):
        top.add("text", f"expected text, found {type(text).__name__}", "write it as a string, or with a mode")
    if isinstance(text, str) and len(text) > _LONGEST_TEXT:
        top.add("text", f"has {len(text)} characters", f"use at most {_LONGEST_TEXT}")
    listed = recipients if isinstance(recipients, list) else [recipients]
    if recipients is not None and (not listed or not all(isinstance(r, str) and r.strip() for r in listed)):
        top.add("recipients", "is no list of numbers", 'write ["{{caller_phone_number}}"] for the caller')
    _about_unused(top, parameters, (*names_in(text), *names_in(recipients)))
    sender = top.inside("from")
    sender.only("type", "phone_number_id", "phoneNumberId")
    id = sender.text("phone_number_id") or sender.text("phoneNumberId")
    # Whoever names a number means it.
    kind = sender.part.get("type", "specific_number" if id else "called_number")
    if kind not in ("called_number", "specific_number"):
        sender.add("type", f"{kind!r} is no sender", "use called_number or specific_number")
    elif kind == "specific_number" and not id:
        sender.add("phone_number_id", "is missing", "write the id of one of your numbers")
    dictated = tuple(name for name in dict.fromkeys(names_in(recipients)) if _is_free(parameters.get(name)))
    texts_anyone = top.flag("textAnyone", False)
    sender_id = id if kind == "specific_number" else ""
    return SmsSettings(str(text or ""), recipients, sender_id, dictated, texts_anyone)


def _is_free(parameter: Parameter | None) -> bool:
    """Tell whether a model may give any value: neither the owner's nor one of those that the owner lists."""
    asked = parameter.extension if isinstance(parameter, Extendable) else parameter
    return isinstance(asked, ModelParameter) and not _is_listed(asked.schema)


def _is_listed(schema: Any) -> bool:
    return isinstance(schema, Mapping) and (
        "enum" in schema or "const" in schema or ("items" in schema and _is_listed(schema["items"]))
    )


def read_transfer(top: ConfigReader, parameters: Mapping[str, Parameter]) -> TransferSettings:
    """Return where the call goes."""
    destination = top.inside("destination")
    destination.only("type", "number", "id", "agentId", "label", "message")
    number = _BLANKS.sub("", destination.text("number", 40))
    rule, agent = destination.text("id"), destination.text("agentId")
    unsaid = "number" if number else "rule" if rule else "agent" if agent else "number"
    kind = destination.part.get("type") or unsaid
    if kind == "agent":
        return _to_agent(top, destination, agent, parameters)
    if kind == "number" and not _NUMBER.fullmatch(number):
        destination.add("number", "is no phone number with country code", "write it like +12015550123")
    elif kind == "rule" and not rule:
        destination.add("id", "is missing", "write the id of one of your escalation rules")
    elif kind not in ("number", "rule"):
        destination.add("type", f"{kind!r} is nowhere a call can go", "use number, rule or agent")
    message = destination.template("message", parameters)
    _about_unused(top, parameters, names_in(message))
    label = destination.text("label", 80)
    if kind == "rule":
        return TransferSettings(rule_id=rule, label=label, message=message)
    return TransferSettings(number=number, label=label, message=message)


def _to_agent(
    top: ConfigReader, destination: ConfigReader, agent: str, parameters: Mapping[str, Parameter]
) -> TransferSettings:
    """Return the handover to another agent; that there is such an agent is for those to say who know the business."""
    if not agent:
        destination.add("agentId", "is missing", "write the id of one of your agents")
    for key, why in _NO_HANDOVER.items():
        if top.part.get(key) is True:
            top.add(key, "cannot be for a tool that hands over to another agent", why)
    message = destination.template("message", {})
    if len(message) > _LONGEST_MESSAGE:
        destination.add("message", f"has {len(message)} characters", f"use at most {_LONGEST_MESSAGE}")
    _about_unused(top, parameters, ())
    return TransferSettings(agent_id=agent, label=destination.text("label", 80), message=message)


def read_query(top: ConfigReader, parameters: dict[str, Parameter]) -> QuerySettings:
    """Return what is looked up; a look-up in the knowledge base asks the model for a question unless one is given."""
    knowledge = top.inside("knowledge")
    knowledge.only("type", "collection", "filters", "fields", "limit")
    collection = knowledge.text("collection")
    kind = knowledge.part.get("type") or ("collection" if collection else "knowledge_base")
    if kind not in ("knowledge_base", "collection"):
        knowledge.add("type", f"{kind!r} is nothing to look in", "use knowledge_base or collection")
    elif kind == "collection" and not _COLLECTION.fullmatch(collection):
        knowledge.add("collection", "is no name of a collection", f"use {_COLLECTION.pattern}")
    for key in ("collection", "filters", "fields") if kind == "knowledge_base" else ():
        if knowledge.part.get(key):
            knowledge.add(key, "is for collections only", "leave it out, or write the type collection")
    filters = tuple(_filters(knowledge, parameters))
    in_filters = {name for _, _, value in filters for name in names_in(value)}
    limit = knowledge.part.get("limit", 5)
    if type(limit) is not int or not 1 <= limit <= MOST_SHOWN:
        knowledge.add("limit", "is out of range", f"use a whole number from 1 to {MOST_SHOWN}")
    if kind == "knowledge_base":
        if not parameters:
            schema = {"type": "string", "minLength": 1, "maxLength": 500, "description": "What to look for, in words."}
            parameters["question"] = ModelParameter(schema)
        question = tuple(parameters)
        return QuerySettings(question, limit=limit)
    question = tuple(name for name in _QUESTIONS if name in parameters and name not in in_filters)
    _about_unused(top, parameters, (*question, *in_filters))
    return QuerySettings(question, collection, filters, tuple(_fields(knowledge)), limit)


def read_action(top: ConfigReader) -> ActionSettings:
    """Return which action runs; the key's older spelling `gmail.action.send-email` is understood."""
    metadata = top.inside("pipedreamMetadata")
    app = metadata.needed("app", "write the app's slug, such as gmail")
    account = metadata.needed("accountId", "write the id of the connected account, such as apn_…")
    written = metadata.needed("actionKey", "write the action's key, such as gmail-send-email")
    key = _SEED_KEY.sub(r"\1-\2", written)
    if app and not _APP.fullmatch(app):
        metadata.add("app", f"{app!r} is no slug of an app", f"use {_APP.pattern}")
    if written and not _KEY.fullmatch(key):
        metadata.add("actionKey", f"{written!r} is no key of an action", "write it like gmail-send-email")
    return ActionSettings(app, account, key, metadata.text("version", 20))


def _words_or_mode(
    top: ConfigReader, key: str, names: Iterable[str], parameters: dict[str, Parameter], schema: JsonObject
) -> Any:
    """Return a field's template: its plain value, or the variable of the parameter that gives it."""
    value = top.part.get(key)
    if isinstance(value, Mapping):
        if key in parameters:
            top.add(key, "is among params too", "write it once")
        parameter = read_parameter(key, top.inside(key), schema)
        if parameter is None:
            return None
        parameters[key] = parameter
        return f"{{{{{key}}}}}"
    if value is None:
        name = next((name for name in names if name in parameters), None)
        if name is not None:
            return f"{{{{{name}}}}}"
        if not any(error.field.startswith("params") for error in top.found):
            top.add(key, "is missing", 'write it plainly, or with a mode, such as {"mode": "ai", "prompt": "…"}')
        return None
    top.found += problems(value, top.place(key), parameters)
    return value


def _filters(knowledge: ConfigReader, parameters: Mapping[str, Parameter]) -> Iterable[tuple[str, str, Any]]:
    rows = knowledge.part.get("filters") or []
    if not isinstance(rows, list) or len(rows) > 10:
        knowledge.add("filters", "is no list of at most 10", 'write [{"field": "town", "op": "==", "param": "town"}]')
        return
    for position, row in enumerate(rows):
        reading = ConfigReader(row, knowledge.place(f"filters[{position}]"), knowledge.found)
        reading.only("field", "op", "param", "value")
        field, op, name = reading.text("field"), reading.part.get("op", "=="), reading.text("param")
        value = reading.part.get("value")
        if not _FIELD.fullmatch(field):
            reading.add("field", "is no name of a field", "write it like town or address.town")
        if op not in OPERATORS:
            reading.add("op", f"{op!r} is no operator", f"use one of {', '.join(OPERATORS)}")
        if ("param" in reading.part) == ("value" in reading.part):
            reading.add("value", "is missing or there twice", "write either param or value")
        elif "param" in reading.part:
            if name not in parameters:
                reading.add("param", f"{name!r} is no parameter", f"use one of {', '.join(parameters) or 'params'}")
            value = f"{{{{{name}}}}}"
        else:
            reading.found += problems(value, reading.place("value"), parameters)
            if op == "in" and not isinstance(value, list) and not (isinstance(value, str) and alone(value)):
                reading.add("value", "is no list", 'write a list of values for the operator "in"')
        yield field, str(op), value


def _fields(knowledge: ConfigReader) -> Iterable[str]:
    fields = knowledge.part.get("fields") or []
    if not isinstance(fields, list) or not all(isinstance(f, str) and _FIELD.fullmatch(f) for f in fields):
        knowledge.add("fields", "is no list of names", 'write ["town", "price"]')
        return ()
    return fields


def _about_unused(top: ConfigReader, parameters: Mapping[str, Parameter], used: Iterable[str]) -> None:
    for name in parameters.keys() - set(used):
        top.add(f"params.{name}", "is used nowhere", "remove it, or name it where its value belongs")
