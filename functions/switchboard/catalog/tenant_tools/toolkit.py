"""A toolkit as data: what it is, how it is authorised, what a business sets for it, and which tools it has (seed 001).

Written as `toolkit.json` beside the integration that serves it. Public settings are the business's (and may be an
agent's) own; the fields of `sensitive` are kept encrypted and never shown again.
"""

import re
from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum
from typing import Any

from switchboard.catalog.arguments.correction import phrase, place
from switchboard.catalog.schema.schema import compile_checked
from switchboard.contract.definitions.definition import TOOL_NAME, DefinitionError
from switchboard.contract.json import JsonObject
from switchboard.contract.python.dataclass import dataclass

MANAGED = frozenset({"isConnected", "needsReauth", "connectedAt", "scopes"})
"""What stands beside the settings in `integrations.{name}` and is never an owner's to set."""
OF_BUSINESS = "x-of-business"
"""Marks a setting of the business that no agent has a value of its own for."""
_VARIABLE = re.compile(r"^[A-Z][A-Z0-9_]{0,39}$")
_INTEGRATION = re.compile(r"^[A-Za-z][A-Za-z0-9_]{0,63}$")
_CLOSED: JsonObject = {"type": "object", "properties": {}, "additionalProperties": False}


class AuthType(StrEnum):
    """How a toolkit is let in: not at all, by what the owner types in, or by the owner's consent elsewhere."""

    NONE = "none"
    API_KEY = "api_key"
    OAUTH2 = "oauth2"


@dataclass(frozen=True, slots=True)
class Toolkit:
    """One toolkit.

    Attributes:
        name: `^[a-z][a-z0-9_]{0,39}$`; its secrets are kept under it. No tool has this name.
        display_name: What owners call it.
        description: What it does, for owners.
        integration: Its name in `businesses/{id}.integrations` and in agents' `toolkits`.
        auth_type: How it is let in.
        auth: All that `toolkit.json` says about that: provider, addresses, scopes.
        config_schema: JSON Schema of the public settings; draws the owner's form.
        sensitive_schema: JSON Schema of what the owner types in and nobody sees again; closed and empty without any.
        kept: Sensitive fields that the owner's consent brings, and nobody types in.
        actions: The names of its tools.
        provides: What it is one of several ways to have, such as `calendar`, of which a business uses one at a time:
            those all have the same tools. Empty for a toolkit that has its tools to itself.
    """

    name: str
    display_name: str
    description: str
    integration: str
    auth_type: AuthType
    auth: JsonObject
    config_schema: JsonObject
    sensitive_schema: JsonObject = field(default_factory=lambda: _CLOSED)
    kept: tuple[str, ...] = ()
    actions: tuple[str, ...] = ()
    provides: str = ""

    @property
    def sensitive(self) -> tuple[str, ...]:
        """The fields that are kept encrypted."""
        return (*self.sensitive_schema["properties"], *self.kept)

    @property
    def required_secrets(self) -> tuple[str, ...]:
        """The sensitive fields without which it cannot work."""
        return (*self.sensitive_schema.get("required", ()), *self.kept)

    @property
    def bound_to(self) -> tuple[str, ...]:
        """The settings that say whom its secrets are shown to: for another one they have to be given anew."""
        return tuple(self.auth.get("boundTo") or ())

    def public_auth(self) -> JsonObject:
        """Return how it is authorised as owners may read it: `{type, provider?, scopes?, …}` without schemas."""
        shown = {key: value for key, value in self.auth.items() if key not in ("secrets", "sensitiveConfig")}
        return {"type": self.auth_type.value} | shown


def read_toolkit(document: Any) -> Toolkit:
    """Read a `toolkit.json`.

    Raises:
        DefinitionError: The first thing that is wrong; `toolkit_problems` lists all.
    """
    problems = toolkit_problems(document)
    if problems:
        raise problems[0]
    auth = document.get("auth") or {}
    return Toolkit(
        name=document["name"],
        display_name=document.get("displayName") or document["name"],
        description=document["description"],
        integration=document.get("integration") or document["name"],
        auth_type=AuthType(auth.get("type", "none")),
        auth=auth,
        config_schema=document["config"],
        sensitive_schema=auth.get("secrets") or _CLOSED,
        kept=tuple(auth.get("sensitiveConfig") or ()),
        actions=tuple(document.get("actions") or ()),
        provides=document.get("provides") or "",
    )


def toolkit_problems(document: Any) -> list[DefinitionError]:
    """Return everything that keeps a document from being a toolkit, down to the shape of its schemas."""
    if not isinstance(document, Mapping):
        return [DefinitionError("file", "is no object", "write one JSON object")]
    problems = []
    name, integration = document.get("name"), document.get("integration") or document.get("name")
    if not isinstance(name, str) or not TOOL_NAME.match(name):
        problems.append(DefinitionError("name", f"{name!r} is not a toolkit's name", f"use {TOOL_NAME.pattern}"))
    if not isinstance(integration, str) or not _INTEGRATION.match(integration):
        problems.append(DefinitionError("integration", f"{integration!r} is no name", f"use {_INTEGRATION.pattern}"))
    for key in ("description", "displayName"):
        text = document.get(key, "" if key == "description" else "_")
        if not isinstance(text, str) or not text.strip():
            problems.append(DefinitionError(key, "is missing", "say it in a sentence for owners"))
    provides = document.get("provides", "")
    if not isinstance(provides, str) or (provides and not TOOL_NAME.match(provides)):
        problems.append(DefinitionError("provides", f"{provides!r} is no name", "write one such as calendar"))
    if not isinstance(document.get("called", "_"), str) or not document.get("called", "_").strip():
        problems.append(DefinitionError("called", "says nothing", "write what owners call it inside a sentence"))
    if type(document.get("precedence", 1)) is not int:
        problems.append(DefinitionError("precedence", "is no whole number", "write 1 for what counts first"))
    actions = document.get("actions") or []
    if not isinstance(actions, list) or not all(isinstance(a, str) and TOOL_NAME.match(a) for a in actions):
        problems.append(DefinitionError("actions", "must be names of tools", 'write a list such as ["send_email"]'))
    problems += _about_operator(document.get("operator"))
    problems += _about_form("config", document.get("config"))
    return problems + _about_auth(document.get("auth"), document.get("config"))


def _about_operator(operator: Any) -> list[DefinitionError]:
    if operator is None:
        return []
    given = operator if isinstance(operator, Mapping) else {"": operator}
    names, choices, secret = given.get("required", []), given.get("choices", {}), given.get("secret", [])
    listed = [names, *choices.values()] if isinstance(choices, Mapping) else [None]
    is_listed = all(isinstance(row, list) and row and all(isinstance(it, str) for it in row) for row in listed)
    is_told = isinstance(given.get("company", ""), str) and not {*given} - {"company", "required", "secret", "choices"}
    if not is_listed or not is_told or not isinstance(secret, list) or not all(name in names for name in secret):
        remedy = 'write such as {"company": "Example", "required": ["CLIENT_ID", "API_KEY"], "secret": ["API_KEY"]}'
        return [DefinitionError("operator", "does not say what is registered with the vendor", remedy)]
    return [
        DefinitionError(f"operator.{name}", "is no part of a variable's name", f"use {_VARIABLE.pattern}")
        for name in (*names, *choices)
        if not _VARIABLE.match(name)
    ]


def _about_form(at: str, schema: Any) -> list[DefinitionError]:
    if not isinstance(schema, Mapping) or schema.get("type") != "object":
        return [DefinitionError(at, "is missing", "write the JSON Schema of an object")]
    properties = schema.get("properties", {})
    if not isinstance(properties, Mapping) or schema.get("additionalProperties") is not False:
        return [DefinitionError(at, "must be closed", 'write "properties" and "additionalProperties": false')]
    problems = []
    for name, setting in properties.items():
        words = (setting.get("title"), setting.get("description")) if isinstance(setting, Mapping) else ()
        if not words or not all(isinstance(word, str) and word.strip() for word in words):
            problems.append(DefinitionError(f"{at}.{name}", "has no title or no description", "a form needs both"))
        if name in MANAGED:
            problems.append(DefinitionError(f"{at}.{name}", "is no owner's to set", "choose another name"))
    return problems


def _about_auth(auth: Any, config: Any) -> list[DefinitionError]:
    if auth is None:
        return []
    types = [t.value for t in AuthType]
    if not isinstance(auth, Mapping) or auth.get("type") not in types:
        return [DefinitionError("auth.type", "is missing or unknown", f"use one of {', '.join(types)}")]
    problems = []
    if auth["type"] == AuthType.API_KEY:
        problems += _about_form("auth.secrets", auth.get("secrets"))
    if auth["type"] == AuthType.OAUTH2:
        for key in ("provider", "authorizationUrl", "tokenUrl", "scopes", "sensitiveConfig"):
            if not auth.get(key):
                problems.append(DefinitionError(f"auth.{key}", "is missing", "oauth2 needs it"))
    bound = auth.get("boundTo") or []
    known = config.get("properties") if isinstance(config, Mapping) else None
    if not isinstance(bound, list) or not all(isinstance(known, Mapping) and name in known for name in bound):
        problems.append(DefinitionError("auth.boundTo", "must be names of settings", "write those of config"))
    secrets = auth["secrets"].get("properties", {}) if isinstance(auth.get("secrets"), Mapping) else {}
    settings = config.get("properties", {}) if isinstance(config, Mapping) else {}
    if shared := {*secrets, *(auth.get("sensitiveConfig") or ())} & {*settings}:
        problems.append(DefinitionError(f"config.{min(shared)}", "is sensitive too", "keep it in one of the two"))
    return problems


def config_problems(toolkit: Toolkit, config: Any, *, is_partial: bool = False) -> list[DefinitionError]:
    """Return everything that is wrong with public settings, by name; none of the values is quoted.

    Args:
        toolkit: Whose settings.
        config: As an owner gave them; a required setting that has a default may be left out.
        is_partial: Whether they are laid over others, as an agent's are over the business's, so that any may be
            left out.
    """
    if not isinstance(config, Mapping):
        return [DefinitionError("config", "must be an object", "write each setting under its name")]
    if not is_partial:
        return problems_against(toolkit.config_schema, completed(toolkit, config), "config", False)
    settings = toolkit.config_schema["properties"]
    of_business = [name for name in config if settings.get(name, {}).get(OF_BUSINESS) is True]
    refused = [
        DefinitionError(f"config.{n}", "is the business's to set, for all agents", "leave it out") for n in of_business
    ]
    return refused + problems_against(toolkit.config_schema, config, "config", True)


def sensitive_problems(toolkit: Toolkit, values: Any) -> list[DefinitionError]:
    """Return everything that is wrong with sensitive settings, by name; none of the values is quoted.

    Any may be left out, since those that are kept already stay; null takes one away.
    """
    if not isinstance(values, Mapping):
        return [DefinitionError("sensitiveConfig", "must be an object", "write each secret under its name")]
    if values and toolkit.auth_type is AuthType.OAUTH2:
        remedy = "connect it by the owner's consent instead"
        return [DefinitionError("sensitiveConfig", "is not typed in for this toolkit", remedy)]
    given = {name: value for name, value in values.items() if value is not None}
    unknown = {name for name in values if name not in toolkit.sensitive_schema["properties"]}
    return problems_against(toolkit.sensitive_schema, {**given, **dict.fromkeys(unknown)}, "sensitiveConfig", True)


def unconfigured(toolkit: Toolkit, config: Mapping[str, Any]) -> list[str]:
    """Return the required settings that are missing, in the schema's order; one with a default is never missing."""
    given = completed(toolkit, config)
    return [name for name in toolkit.config_schema.get("required", ()) if given.get(name) in (None, "")]


def completed(toolkit: Toolkit, config: Mapping[str, Any]) -> JsonObject:
    """Return public settings with the defaults of those that are left out."""
    settings = toolkit.config_schema["properties"]
    return {name: s["default"] for name, s in settings.items() if "default" in s} | dict(config)


def problems_against(schema: JsonObject, value: Mapping[str, Any], at: str, is_partial: bool) -> list[DefinitionError]:
    """Return everything that is wrong with some settings by their schema, below `at`; no value is quoted.

    `is_partial`: whether required ones may be left out.
    """
    checked = {k: v for k, v in schema.items() if k != "required"} if is_partial else schema
    settings, problems = schema["properties"], []
    for error in compile_checked(checked).errors(dict(value)):
        details, inside = error.kind.as_dict(), tuple(error.instance_path)
        match error.kind.name:
            case "required" if not inside:
                named = [(str(details["property"]), "is required")]
            case "additionalProperties" if not inside:
                known = ", ".join(settings) or "none"
                named = [(str(name)[:80], f"is not a setting; known are {known}") for name in details["unexpected"]]
            case _:
                named = [(place(inside), phrase(error))]
        for name, problem in named:
            setting = settings.get(re.split(r"[.\[]", name)[0], {})
            remedy = str(setting.get("description") or "leave it out").rstrip(".")
            problems.append(DefinitionError(f"{at}.{name}" if name else at, problem, remedy))
    return problems
