"""The kinds of tools that a business can make, and the settings of each beside its parameters."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import streamlit as st

from admin_ui import parameter_modes

Config = dict[str, Any]
_METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
_CALLER = {"mode": "fixed", "value": ["{{caller_phone_number}}"]}


@dataclass(frozen=True)
class Kind:
    """One kind: what it is called, what it does, how its settings are drawn, and whether it has parameters."""

    title: str
    icon: str
    about: str
    draw: Callable[[Config, str, bool], None]
    takes_parameters: bool = True


def _request(config: Config, key: str, locked: bool) -> None:
    request = dict(config.get("request") or {})
    left, right = st.columns([1, 4])
    method = request.get("method") or "GET"
    request["method"] = left.selectbox(
        "Method", _METHODS, _METHODS.index(method) if method in _METHODS else 0, key=f"{key}/method", disabled=locked
    )
    request["url"] = right.text_input(
        "Address",
        request.get("url", ""),
        placeholder="https://api.example.com/customers/{{number}}",
        help="{{name}} puts a parameter in. What no address, header or body names goes behind the address, or into "
        "the body.",
        key=f"{key}/url",
        disabled=locked,
    ).strip()
    headers = st.text_area(
        "Headers (optional)",
        "\n".join(f"{name}: {_header(value)}" for name, value in (request.get("headers") or {}).items()),
        placeholder="Authorization: Bearer {{secret.crm_key}}",
        help="One in a line. {{secret.name}} puts one of your secrets in.",
        height=80,
        key=f"{key}/headers",
        disabled=locked,
    )
    named = (line.partition(":") for line in headers.splitlines() if line.strip())
    _put(request, "headers", {name.strip(): value.strip() for name, _, value in named})
    if request["method"] not in ("GET", "DELETE"):
        body = request.get("body")
        text = st.text_area(
            "Body (optional)",
            body
            if isinstance(body, str)
            else json.dumps(body, indent=2, ensure_ascii=False)
            if body is not None
            else "",
            placeholder='{"name": {{customer_name}}}',
            help="Leave it empty to send all parameters as JSON.",
            key=f"{key}/body",
            disabled=locked,
        )
        _put(request, "body", text.strip())
    else:
        request.pop("body", None)
    _answer(request, key, locked)
    config["request"] = request


def _answer(request: Config, key: str, locked: bool) -> None:
    response = dict(request.get("response") or {})
    with st.expander("What of the answer is told"):
        start = st.text_input(
            "Begin at (optional)",
            response.get("from", ""),
            placeholder="data.customer",
            key=f"{key}/from",
            disabled=locked,
        )
        picked = st.text_area(
            "Only these fields (optional)",
            "\n".join(f"{name}: {path}" for name, path in (response.get("pick") or {}).items()),
            placeholder="name: customer.name",
            help="One in a line: what it is called, then where it stands in the answer.",
            height=80,
            key=f"{key}/pick",
            disabled=locked,
        )
    _put(response, "from", start.strip())
    rows = (line.partition(":") for line in picked.splitlines() if line.strip())
    _put(response, "pick", {name.strip(): path.strip() for name, _, path in rows})
    _put(request, "response", response)


def _sms(config: Config, key: str, locked: bool) -> None:
    st.markdown("**Text**")
    config["text"] = parameter_modes.draw(_moded(config.get("text"), ""), f"{key}/text", locked)
    st.markdown("**To whom**")
    config["recipients"] = parameter_modes.draw(_moded(config.get("recipients"), _CALLER["value"]), f"{key}/to", locked)
    sender = dict(config.get("from") or {"type": "called_number"})
    kinds = {"called_number": "the number that was called", "specific_number": "one of your numbers"}
    kind = st.selectbox(
        "From",
        list(kinds),
        list(kinds).index(sender.get("type", "called_number")),
        format_func=kinds.__getitem__,
        key=f"{key}/from",
        disabled=locked,
    )
    config["from"] = {"type": kind}
    if kind == "specific_number":
        id = st.text_input("Id of the number", sender.get("phone_number_id", ""), key=f"{key}/number", disabled=locked)
        config["from"]["phone_number_id"] = id.strip()


def _transfer(config: Config, key: str, locked: bool) -> None:
    now = dict(config.get("destination") or {"type": "number"})
    kinds = {"number": "a phone number", "rule": "a person under Business, People"}
    kind = st.selectbox(
        "Put callers through to",
        list(kinds),
        list(kinds).index(now.get("type", "number")),
        format_func=kinds.__getitem__,
        key=f"{key}/kind",
        disabled=locked,
    )
    name, label, hint = ("number", "Number", "+12015550123") if kind == "number" else ("id", "Id of the person", "")
    found = {
        "type": kind,
        name: st.text_input(label, now.get(name, ""), placeholder=hint, key=f"{key}/{name}", disabled=locked).strip(),
    }
    message = st.text_input(
        "What is said before (optional)", now.get("message", ""), key=f"{key}/message", disabled=locked
    )
    _put(found, "message", message.strip())
    config["destination"] = found


def _query(config: Config, key: str, locked: bool) -> None:
    now = dict(config.get("knowledge") or {"type": "knowledge_base"})
    kinds = {
        "knowledge_base": "your policies, questions and documents",
        "collection": "a collection of your own records",
    }
    kind = st.selectbox(
        "Look in",
        list(kinds),
        list(kinds).index(now.get("type", "knowledge_base")),
        format_func=kinds.__getitem__,
        key=f"{key}/kind",
        disabled=locked,
    )
    found: Config = {"type": kind}
    if kind == "collection":
        found["collection"] = st.text_input(
            "Collection", now.get("collection", ""), placeholder="properties", key=f"{key}/collection", disabled=locked
        ).strip()
        fields = st.text_input(
            "Show only these fields (optional)",
            ", ".join(now.get("fields") or ()),
            key=f"{key}/fields",
            disabled=locked,
        )
        _put(found, "fields", [field.strip() for field in fields.split(",") if field.strip()])
        filters = st.text_area(
            "Keep only what fits (optional)",
            "\n".join(f"{row['field']} {row.get('op', '==')} {_operand(row)}" for row in now.get("filters") or ()),
            placeholder="town == {{town}}",
            help="One in a line: a field, one of == < <= > >= in array-contains, and a value or a {{parameter}}.",
            key=f"{key}/filters",
            disabled=locked,
        )
        _put(found, "filters", [_filter(line) for line in filters.splitlines() if line.strip()])
    found["limit"] = int(
        st.number_input("Tell at most", 1, 20, int(now.get("limit", 5)), key=f"{key}/limit", disabled=locked)
    )
    config["knowledge"] = found


def _action(config: Config, key: str, locked: bool) -> None:
    found = dict(config.get("pipedreamMetadata") or {})
    for name, label, hint in (
        ("app", "App", "gmail"),
        ("accountId", "Connected account", "apn_…"),
        ("actionKey", "Action", "gmail-send-email"),
    ):
        found[name] = st.text_input(
            label, found.get(name, ""), placeholder=hint, key=f"{key}/{name}", disabled=locked
        ).strip()
    config["pipedreamMetadata"] = found


def _remote(config: Config, key: str, locked: bool) -> None:
    server = config.get("server") or {}
    st.caption(f"From the server `{server.get('url', '?')}`, where it is called `{config.get('tool', '?')}`.")


KINDS: Mapping[str, Kind] = {
    "api_request": Kind("Ask another system", "http", "Looks something up, or enters it, over the web.", _request),
    "sms": Kind("Send a text", "sms", "Sends a text message from your phone account.", _sms, False),
    "transfer_call": Kind("Put a caller through", "phone_forwarded", "Connects a caller with somebody.", _transfer),
    "query": Kind("Look something up here", "search", "Searches your knowledge, or records of yours.", _query),
    "pipedream_action": Kind("Run an action", "bolt", "Runs one of your Pipedream actions.", _action),
    "mcp_tool": Kind("Tool of another server", "dns", "Comes from a server that you connected.", _remote),
}
"""By the server's own names; the last is made by connecting a server."""


def _moded(value: Any, unsaid: Any) -> dict[str, Any]:
    if isinstance(value, Mapping) and "mode" in value:
        return dict(value)
    return {"mode": "fixed", "value": unsaid if value is None else value}


def _header(value: Any) -> str:
    if isinstance(value, Mapping):
        return f"{value.get('prefix') or ''}{{{{secret.{value.get('secret', '')}}}}}{value.get('suffix') or ''}"
    return str(value)


def _operand(row: Mapping[str, Any]) -> str:
    return f"{{{{{row['param']}}}}}" if "param" in row else json.dumps(row.get("value"), ensure_ascii=False)


def _filter(line: str) -> dict[str, Any]:
    field, _, rest = line.strip().partition(" ")
    operator, _, operand = rest.strip().partition(" ")
    operand = operand.strip()
    if operand.startswith("{{") and operand.endswith("}}"):
        return {"field": field, "op": operator, "param": operand[2:-2].strip()}
    try:
        value = json.loads(operand)
    except ValueError:
        value = operand
    return {"field": field, "op": operator, "value": value}


def _put(found: Config, name: str, value: Any) -> None:
    if value:
        found[name] = value
    else:
        found.pop(name, None)
