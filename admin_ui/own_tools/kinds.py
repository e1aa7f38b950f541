"""The kinds of tools that a business can make, and the settings of each beside its parameters."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import streamlit as st

from admin_ui.own_tools import lookup, request
from admin_ui.own_tools.fields import Config, Fields, put

_TEXT = {"value": "", "schema": {"type": "string"}}
_RECIPIENTS = {"value": ["{{caller_phone_number}}"], "schema": {"type": "array", "items": {"type": "string"}}}
_SENDERS = {"called_number": "the number that was called", "specific_number": "one of your numbers"}
_DESTINATIONS = {"number": "a phone number", "rule": "a person under Business, People", "agent": "another agent"}
# What each of them is named by in what is sent.
_NAMED_BY = {"number": "number", "rule": "id", "agent": "agentId"}
_ACTION = (
    ("app", "App", "gmail", "Write the app, such as gmail."),
    ("accountId", "Connected account", "apn_…", "Write the id of the connected account."),
    ("actionKey", "Action", "gmail-send-email", "Write the key of the action."),
)
Lacks = list[tuple[str, str]]


def _nothing(config: Config) -> Lacks:
    return []


@dataclass(frozen=True)
class Kind:
    """One kind.

    Attributes:
        title: What it is called.
        icon: A Material symbol.
        about: What it does, in one sentence.
        draw: Draws its settings into a configuration.
        lacks: Tells what is not filled in yet of what `draw` has set, by field; the server knows the rest of the rules.
        takes_parameters: Whether parameters can be added to it.
    """

    title: str
    icon: str
    about: str
    draw: Callable[[Config, Fields], None]
    lacks: Callable[[Config], Lacks] = _nothing
    takes_parameters: bool = True


def _sms(config: Config, fields: Fields) -> None:
    for name, title, usual in (("text", "Text", _TEXT), ("recipients", "To whom", _RECIPIENTS)):
        if config.get(name) is None and (parameter := _given_below(name, fields.params)):
            st.caption(f"{title}: see the parameter `{parameter}` below.")
            continue
        config[name] = fields.moded(name, title, config.get(name), usual)
    is_free = config.get("textAnyone") is True
    anyone = fields.switch(
        *("textAnyone", "Callers of whom nothing is known may have anybody texted", is_free),
        help="Only where the model fills in to whom. Off, a caller who is not verified, and whose carrier does not "
        "vouch for their number, reaches themselves and you alone.",
    )
    if anyone != is_free:
        put(config, "textAnyone", anyone or None)
    now = config.get("from") or {}
    id = now.get("phone_number_id") or now.get("phoneNumberId")
    kind = fields.chosen("from.type", "From", _SENDERS, now.get("type") or ("specific_number" if id else None))
    config["from"] = {"type": kind}
    if kind == "specific_number":
        config["from"]["phone_number_id"] = fields.picked(
            "from.phone_number_id", "Your number", fields.choices.numbers(), id
        )


def _given_below(name: str, params: Mapping[str, Any]) -> str:
    """Return the parameter that a text's field is taken from where it is not written, as the server does."""
    names = ("text", "message") if name == "text" else (name,)
    return next((known for known in names if known in params), "")


def _sms_lacks(config: Config) -> Lacks:
    sender, below = config["from"], config.get("params") or {}
    needed = (
        ("text", _is_there(config, "text", below), "Write the text, or let the model write it."),
        ("recipients", _is_there(config, "recipients", below), "Write to whom it goes."),
        ("from.phone_number_id", sender.get("phone_number_id", "-"), "Choose one of your numbers."),
    )
    return [(field, problem) for field, is_there, problem in needed if not is_there]


def _is_there(config: Config, name: str, params: Mapping[str, Any]) -> bool:
    return _is_said(config[name]) if name in config else bool(_given_below(name, params))


def _is_said(spec: Mapping[str, Any]) -> bool:
    """Tell whether there is something in it for every call: an empty text could be kept, and never be sent."""
    value = spec.get("value")
    return spec.get("mode") != "fixed" or bool(value.strip() if isinstance(value, str) else value)


def _transfer(config: Config, fields: Fields) -> None:
    now = dict(config.get("destination") or {})
    unsaid = next((kind for kind, name in _NAMED_BY.items() if now.get(name)), "number")
    kind = fields.chosen("destination.type", "Put callers through to", _DESTINATIONS, now.get("type") or unsaid)
    destination = {name: value for name, value in now.items() if name not in _NAMED_BY.values()} | {"type": kind}
    if kind == "number":
        destination["number"] = fields.text("destination.number", "Number", now.get("number"), "+12015550123")
    elif kind == "rule":
        destination["id"] = _person(fields, str(now.get("id") or ""))
    else:
        destination["agentId"] = _agent(fields, str(now.get("agentId") or ""))
    message = fields.text("destination.message", "What is said before (optional)", now.get("message"))
    put(destination, "message", message)
    config["destination"] = destination


def _with(now: str, known: Mapping[str, str]) -> dict[str, str]:
    """Return who can be chosen, whoever is chosen now among them."""
    gone = {now: f"{now}, who is not there any more"} if now and now not in known else {}
    return {**known, **gone}


def _person(fields: Fields, now: str) -> str:
    people = _with(now, fields.choices.people())
    if not people:
        st.info("Nobody can be put through to yet. Add a person under **Business**, People.", icon=":material/group:")
        return ""
    return fields.chosen("destination.id", "Person", people, now)


def _agent(fields: Fields, now: str) -> str:
    agents = _with(now, fields.choices.agents())
    if not agents:
        st.info("There is no agent yet. Make one under **Agents**.", icon=":material/support_agent:")
        return ""
    st.caption("The caller stays where they are, and the other agent goes on with the conversation.")
    return fields.chosen("destination.agentId", "Agent", agents, now)


def _transfer_lacks(config: Config) -> Lacks:
    destination = config["destination"]
    if destination["type"] == "number":
        return (
            []
            if destination["number"]
            else [("destination.number", "Write the number that callers are put through to.")]
        )
    is_chosen = destination[_NAMED_BY[destination["type"]]]
    return [] if is_chosen else [("destination.type", "Choose to whom callers are put through.")]


def _action(config: Config, fields: Fields) -> None:
    metadata = dict(config.get("pipedreamMetadata") or {})
    for name, label, hint, _ in _ACTION:
        at, now = f"pipedreamMetadata.{name}", metadata.get(name)
        known = fields.choices.accounts() if name == "accountId" else {}
        metadata[name] = fields.picked(at, label, known, now, hint)
    config["pipedreamMetadata"] = metadata


def _action_lacks(config: Config) -> Lacks:
    metadata = config["pipedreamMetadata"]
    return [(f"pipedreamMetadata.{name}", problem) for name, _, _, problem in _ACTION if not metadata[name]]


def _remote(config: Config, fields: Fields) -> None:
    server = config.get("server") or {}
    st.caption(f"From the server `{server.get('url', '?')}`, where it is called `{config.get('tool', '?')}`.")


KINDS: Mapping[str, Kind] = {
    "api_request": Kind(
        *("Ask another system", "http", "Looks something up, or enters it, over the web."),
        *(request.draw, request.lacks),
    ),
    "sms": Kind(
        "Send a text", "sms", "Sends a text message from your phone account.", _sms, _sms_lacks, takes_parameters=False
    ),
    "transfer_call": Kind(
        "Put a caller through", "phone_forwarded", "Connects a caller with somebody.", _transfer, _transfer_lacks
    ),
    "query": Kind(
        *("Look something up here", "search", "Searches your knowledge, or records of yours."),
        *(lookup.draw, lookup.lacks),
    ),
    "pipedream_action": Kind("Run an action", "bolt", "Runs one of your Pipedream actions.", _action, _action_lacks),
    "mcp_tool": Kind("Tool of another server", "dns", "Comes from a server that you connected.", _remote),
}
"""By the server's own names; the last is made by connecting a server."""
