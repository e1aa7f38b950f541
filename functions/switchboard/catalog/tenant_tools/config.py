"""A tenant tool as its owner configures it, and what a model sees of it (seed 002, "Column Descriptions").

`read_config` finds everything that is wrong before anything is stored; `build` tells apart what is shown and hidden.

Anybody can have any number shown (`contract/caller/strangers.py`). A query of ours reads by a proven number alone.
What an owner's own service is sent is the number that the call shows (seed 002, "Variable Substitution"): what it
tells for that is for its owner to say, who is warned where it stands in an address or in what only reads.
"""

import re
from collections.abc import Container, Mapping
from dataclasses import field
from typing import Any, Final, TypeAlias, assert_never

from switchboard.catalog.definitions.variables import CALLER, PhoneNumbers, filled_text, names_in
from switchboard.catalog.schema.schema import check_schema
from switchboard.catalog.tenant_tools.config_kinds import (
    ActionSettings,
    QuerySettings,
    SmsSettings,
    TransferSettings,
    read_action,
    read_query,
    read_sms,
    read_transfer,
)
from switchboard.catalog.tenant_tools.config_mcp import McpSettings, read_mcp
from switchboard.catalog.tenant_tools.config_parameters import (
    ConfigReader,
    DefinitionErrors,
    Extendable,
    Fixed,
    ModelParameter,
    Parameter,
    is_required,
    read_parameters,
    shown_schema,
)
from switchboard.catalog.tenant_tools.config_question import read_question
from switchboard.catalog.tenant_tools.config_request import IN_QUERY, RequestSettings, read_request
from switchboard.catalog.tenant_tools.own_definitions import gathered
from switchboard.contract import policy
from switchboard.contract.business.names import slug
from switchboard.contract.definitions.definition import TOOL_NAME, Deed, DefinitionError, Repeat
from switchboard.contract.definitions.tenant_tool import Template, no_template, template_of
from switchboard.contract.json import JsonObject
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.python.strict_json import Limits, MalformedJson, check_value

__all__ = ["DefinitionErrors", "Settings", "ToolConfig", "build", "free_name", "read_config", "shown"]

LONGEST_NAME = 40
_LEAST_MS = 100
_LIMITS = Limits(depth=2 * policy.SCHEMA_DEPTH, nodes=policy.SCHEMA_NODES, bytes=policy.SCHEMA_BYTES)
_PARAMETER_AT = re.compile(r"/properties/([^/]+)(.*)", re.DOTALL)
# What a template's settings are called in the owner's document, besides its parameters.
_SETTINGS: dict[Template, tuple[str, ...]] = {
    Template.SMS: ("from", "text", "recipients", "textAnyone"),
    Template.API_REQUEST: (),
    Template.TRANSFER_CALL: ("destination",),
    Template.QUERY: ("knowledge",),
    Template.PIPEDREAM_ACTION: (),
    Template.MCP_TOOL: ("server", "tool"),
}

Settings: TypeAlias = SmsSettings | RequestSettings | TransferSettings | QuerySettings | ActionSettings | McpSettings

_FIELD: Final = "callerNumber"
_PROVEN, _CONTACT = "proven", "contact"


@dataclass(frozen=True, slots=True)
class ToolConfig:
    """A tenant tool's configuration, sound.

    Attributes:
        template: What it is made from.
        name: What the model calls it; unique nowhere yet.
        label: What owners call it.
        description: For the model; may hold the two variables.
        is_async: Whether the model goes on without waiting.
        execute_on_call_start: Whether it also runs before the first word of a phone call.
        attach_to_agent: Whether conversations may use it.
        parameters: By name.
        settings: What the template needs besides.
        hidden: The owner's settings as they were written, for `staticConfig`.
        selects_by_caller: Whether the caller's number in it decides whose data is read or changed, so that it has to be
            a proven one; otherwise it only says how the caller is reached.
        leaves_caller_open: Whether it may decide that, and the owner has not said so.
        deed: What its success lets an agent say was done; None where the owner has not said, and its words suggest it.
        repeat: Within what the same wish is granted once; None where the owner has not said.
        timeout_ms: How long a caller waits for it; None for as long as the channel says.
        most_at_once: How many requests its service takes at once (`maxAtOnce`); 0 where the owner has not said.
        asks: Whether the caller must agree in a later turn first (`confirm`).
        questions: What they are asked then, by language (`readBack`); empty for the tool and what it was given.
    """

    template: Template
    name: str
    label: str
    description: str
    is_async: bool
    execute_on_call_start: bool
    attach_to_agent: bool
    parameters: Mapping[str, Parameter]
    settings: Settings
    hidden: JsonObject
    selects_by_caller: bool = False
    leaves_caller_open: bool = False
    deed: Deed | None = None
    repeat: Repeat | None = None
    timeout_ms: int | None = None
    most_at_once: int = 0
    asks: bool = False
    questions: Mapping[str, str] = field(default_factory=dict)

    @property
    def only_reads(self) -> bool:
        """Whether it changes nothing: only what reads may be abandoned, tried again and answered from memory."""
        return only_reads(self.template, self.settings)


def read_config(document: JsonObject) -> ToolConfig:
    """Read what an owner entered.

    Args:
        document: The `ToolConfig` of seed 002; the older spellings of its type are understood.

    Raises:
        DefinitionErrors: It cannot be used; holds every problem with its field, such as `params.to.mode`.
    """
    try:
        check_value(document, _LIMITS)
    except MalformedJson as error:
        raise DefinitionErrors([DefinitionError("/", f"it {error}", "make it smaller or plainer")]) from None
    problems: list[DefinitionError] = []
    top = ConfigReader(document, "", problems)
    template = template_of(top.part.get("type"))
    if template is None:
        top.add("type", *no_template(top.part.get("type")))
    label = top.needed("label", "write what owners call the tool", 80)
    description = top.template("description") or label
    name = snake_case(top.text("name") or label)
    parameters = read_parameters(top.inside("params")) if top.part.get("params") is not None else {}
    is_async, on_start = top.flag("async", False), top.flag("executeOnCallStart", False)
    attached = top.flag("attachToAgent", True)
    if template is None:
        raise DefinitionErrors(problems)
    settings = _settings(template, top, parameters)
    deed, repeat, timeout_ms = _deed(top), _repeat(top), _timeout_ms(top)
    most_at_once = _most_at_once(top, settings)
    by_caller, is_open = selects(top, settings), is_left_open(top, settings, parameters)
    problems += _about_schema(parameters, top.part)
    given = settings.parameters if isinstance(settings, McpSettings) else _parameters_schema(parameters)
    asks, questions = read_question(top, given, is_reading=only_reads(template, settings), is_on_start=on_start)
    if problems:
        raise DefinitionErrors(problems)
    hidden = {key: top.part[key] for key in _SETTINGS[template] if _is_plain(top.part.get(key))}
    return ToolConfig(
        template=template,
        name=name or template.value,
        label=label,
        description=description,
        is_async=is_async,
        execute_on_call_start=on_start,
        attach_to_agent=attached,
        parameters=parameters,
        settings=settings,
        hidden=hidden,
        selects_by_caller=by_caller,
        leaves_caller_open=is_open,
        deed=deed,
        repeat=repeat,
        timeout_ms=timeout_ms,
        most_at_once=most_at_once,
        asks=asks,
        questions=questions,
    )


def only_reads(template: Template, settings: Settings) -> bool:
    """Tell whether a tool changes nothing."""
    match settings:
        case RequestSettings(method=method):
            return method == "GET"
        case McpSettings(is_reading=is_reading):
            return is_reading
    return template is Template.QUERY


def _timeout_ms(top: ConfigReader) -> int | None:
    given, most = top.part.get("timeoutMs"), int(policy.OWNERS_ACTION_S * 1000)
    if given is None:
        return None
    if not isinstance(given, int) or isinstance(given, bool) or not _LEAST_MS <= given <= most:
        remedy = f"write whole milliseconds from {_LEAST_MS} to {most}, or leave it out"
        top.add("timeoutMs", f"{given!r} is no time that a caller waits", remedy)
        return None
    return given


def _most_at_once(top: ConfigReader, settings: Settings) -> int:
    given = top.part.get("maxAtOnce")
    if given is None:
        return 0
    if not isinstance(settings, RequestSettings | McpSettings):
        top.add("maxAtOnce", "is for services of your own", "leave it out: this type of tool reaches none")
    elif not isinstance(given, int) or isinstance(given, bool) or not 1 <= given <= policy.CALLS_AT_ONCE:
        remedy = f"write a whole number from 1 to {policy.CALLS_AT_ONCE}, or leave it out"
        top.add("maxAtOnce", f"{given!r} is no number of requests", remedy)
    else:
        return given
    return 0


def _repeat(top: ConfigReader) -> Repeat | None:
    given = top.text("repeat", 20)
    known = [repeat.value for repeat in Repeat]
    if given and given not in known:
        remedy = f"use one of {', '.join(known)}: as often as it is called, once in a turn, or once in a conversation"
        top.add("repeat", f"{given!r} is not a time to be once in", remedy)
        return None
    return Repeat(given) if given else None


def _deed(top: ConfigReader) -> Deed | None:
    given = top.text("deed", 20)
    known = [deed.value for deed in Deed if deed is not Deed.UNNAMED]
    if given and given not in known:
        top.add("deed", f"{given!r} is not a deed", f"use one of {', '.join(known)}, or leave it out")
        return None
    return Deed(given) if given else None


def build(config: ToolConfig) -> tuple[JsonObject, JsonObject]:
    """Return the function schema, which is all that a model sees, and the static config, which none does.

    Variables are in both as they were written; `shown` fills them for one conversation.
    """
    function = {
        "name": config.name,
        "description": config.description,
        "parameters": (
            config.settings.parameters
            if isinstance(config.settings, McpSettings)
            else _parameters_schema(config.parameters)
        ),
    }
    static: JsonObject = {}
    for name, parameter in config.parameters.items():
        match parameter:
            case Fixed(value):
                static[name] = value
            case Extendable(base):
                static[name] = list(base)
            case ModelParameter():
                pass
            case _:
                assert_never(parameter)
    return function, static | config.hidden


def shown(function_schema: JsonObject, numbers: PhoneNumbers) -> JsonObject:
    """Return a function schema with the variables in its description and prompts filled for one conversation."""
    declaration: JsonObject = _spoken(function_schema, numbers)
    return declaration


def snake_case(text: str) -> str:
    """Return a tool name made of a text's letters and digits, at most 40 characters; empty where there are none."""
    name = slug(text, "_")
    name = f"tool_{name}" if name[:1].isdigit() else name
    name = name[:LONGEST_NAME].rstrip("_")
    return name if TOOL_NAME.match(name) else ""


def free_name(name: str, taken: Container[str]) -> str:
    """Return a tool name that is not taken: the name itself, or with `_2`, `_3` … at its end."""
    free, number = name, 1
    while free in taken:
        number += 1
        free = f"{name[: LONGEST_NAME - len(str(number)) - 1].rstrip('_')}_{number}"
    return free


def _settings(template: Template, top: ConfigReader, parameters: dict[str, Parameter]) -> Settings:
    match template:
        case Template.SMS:
            return read_sms(top, parameters)
        case Template.API_REQUEST:
            return read_request(top, parameters)
        case Template.TRANSFER_CALL:
            return read_transfer(top, parameters)
        case Template.QUERY:
            return read_query(top, parameters)
        case Template.PIPEDREAM_ACTION:
            return read_action(top)
        case Template.MCP_TOOL:
            return read_mcp(top, parameters)


def _parameters_schema(parameters: Mapping[str, Parameter]) -> JsonObject:
    shown = {name: schema for name, p in parameters.items() if (schema := shown_schema(p)) is not None}
    properties, definitions = gathered(shown)
    required = [name for name, p in parameters.items() if is_required(p)]
    schema = {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
    return schema | ({"$defs": definitions} if definitions else {})


def _about_schema(parameters: Mapping[str, Parameter], document: JsonObject) -> list[DefinitionError]:
    """Return what is wrong with the schemas of the parameters, at the places where their owner wrote them."""
    problems = []
    for error in check_schema(_parameters_schema(parameters)):
        at = error.field
        if match := _PARAMETER_AT.fullmatch(at):
            # JSON pointers write `~1` for a slash, which no shown name has.
            name, rest = match[1], match[2].replace("/", ".")
            at = f"{name if _has_mode(document.get(name)) else f'params.{name}'}.schema{rest}"
        problems.append(DefinitionError(at, error.problem, error.remedy))
    return problems


def _has_mode(value: Any) -> bool:
    return isinstance(value, Mapping) and "mode" in value


def _is_plain(value: Any) -> bool:
    return value is not None and not _has_mode(value)


def _spoken(schema: Any, numbers: PhoneNumbers) -> Any:
    if isinstance(schema, Mapping):
        return {
            key: filled_text(value, numbers.word, lambda _, text: text)
            if key == "description" and isinstance(value, str) and "{{" in value
            else _spoken(value, numbers)
            for key, value in schema.items()
        }
    return [_spoken(item, numbers) for item in schema] if isinstance(schema, list) else schema


def selects(top: ConfigReader, settings: Settings) -> bool:
    """Tell whether the caller's number has to be proven in a tool; what is wrong with its `callerNumber` is noted.

    What an owner says there counts. Where nothing is said, it has to be in a query, and nowhere else.
    """
    meaning = top.text(_FIELD, 20)
    if meaning not in ("", _PROVEN, _CONTACT):
        top.add(_FIELD, f"{meaning!r} is nothing that a number can be here", f"use {_PROVEN} or {_CONTACT}")
    if meaning == _CONTACT and isinstance(settings, QuerySettings):
        top.add(_FIELD, "decides in a query whose data is read", f"use {_PROVEN}, or leave it out")
    return meaning == _PROVEN or isinstance(settings, QuerySettings)


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
