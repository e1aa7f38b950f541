"""The settings of a tool that asks another system over the web: what is sent, and what of the answer is told."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import streamlit as st

from admin_ui.own_tools.fields import Config, Fields, put

_METHODS = {name: name for name in ("GET", "POST", "PUT", "PATCH", "DELETE")}


def draw(config: Config, fields: Fields) -> None:
    """Draw them, and set `request`."""
    request = dict(config.get("request") or {})
    left, right = st.columns([1, 4])
    with left:
        below = str(_fixed("method", fields.params) or "").upper()
        usual = below or ("POST" if request.get("body") is not None else "GET")
        method = fields.chosen("request.method", "Method", _METHODS, str(request.get("method") or usual).upper())
        if "method" in request or method != below:
            request["method"] = method
    with right:
        url = fields.text(
            *("request.url", "Address", request.get("url"), "https://api.example.com/customers/{{number}}"),
            help="{{name}} puts a parameter in. What no address, header or body names goes behind the address, or into "
            "the body.",
        )
        put(request, "url", url)
        if not url and _fixed("url", fields.params):
            st.caption("The address is the parameter `url` below.")
    written = "\n".join(f"{name}: {_header(value)}" for name, value in (request.get("headers") or {}).items())
    headers = fields.lines(
        *("request.headers", "Headers (optional)"),
        written,
        "Authorization: Bearer {{secret.crm_key}}",
        "One in a line. {{secret.name}} puts one of your secrets in.",
    )
    if headers != written:
        put(request, "headers", _pairs(headers))
    if method != "GET":
        before = _written(request.get("body"))
        body = fields.lines(
            *("request.body", "Body (optional)", before),
            '{"name": {{customer_name}}}',
            "Leave it empty to send all parameters as JSON.",
        )
        # Untouched it stays what it was: an object is written into a form as its fields, a text as it stands.
        if body != before:
            put(request, "body", body.strip())
        _idempotent(request, fields)
    else:
        request.pop("body", None)
        request.pop("idempotent", None)
    _answer(request, fields)
    config["request"] = request


def _idempotent(request: dict[str, Any], fields: Fields) -> None:
    """Draw whether the service may be asked again where nobody knows whether it has done it."""
    now = request.get("idempotent") is True
    is_on = fields.switch(
        *("request.idempotent", "It does one thing once for one Idempotency-Key", now),
        help="Then a request that failed on its way, or that a restart interrupted, is sent again under the same key. "
        "Leave it off for a service that does not read that header.",
    )
    if is_on != now:
        put(request, "idempotent", is_on or None)


def lacks(config: Config) -> list[tuple[str, str]]:
    """Return what is not filled in yet, by field."""
    url = config["request"].get("url") or _fixed("url", config.get("params") or {})
    if str(url or "").startswith(("https://", "{{")):
        return []
    return [("request.url", "Write the address of the other system, beginning with https://.")]


def _fixed(name: str, params: Mapping[str, Any]) -> Any:
    """Return the fixed value of a parameter that stands for a setting where that is not written, as on the server."""
    spec = params.get(name)
    return spec.get("value") if isinstance(spec, Mapping) and spec.get("mode") == "fixed" else None


def _answer(request: Config, fields: Fields) -> None:
    response = dict(request.get("response") or {})
    with st.expander("What of the answer is told"):
        start = fields.text(
            "request.response.from", "Begin at (optional)", response.get("from"), placeholder="data.customer"
        )
        picked = fields.lines(
            *("request.response.pick", "Only these fields (optional)"),
            "\n".join(f"{name}: {path}" for name, path in (response.get("pick") or {}).items()),
            "name: customer.name",
            "One in a line: what it is called, then where it stands in the answer.",
        )
        known = response.get("done") or {}
        place = fields.text(
            *("request.response.done.at", "It was done where (optional)", known.get("at"), "order.state"),
            help="Where the answer says whether it was done. Without it, what services commonly say counts: ok or "
            "success is false, error or errors holds something, status is error or failed.",
        )
        written = "\n".join(_as_line(value) for value in _listed(known.get("is")))
        values = fields.lines(
            *("request.response.done.is", "is one of", written, "placed"),
            "One in a line: every value that means it was done, also one that means it waits. Any other is a no.",
        )
    put(response, "from", start)
    if (place, values) != (str(known.get("at") or ""), written):
        # Untouched it stays as it was written: a single value, or one that is no text.
        done = {"at": place, "is": [line.strip() for line in values.splitlines() if line.strip()]}
        put(response, "done", done if any(done.values()) else None)
    put(response, "pick", _pairs(picked))
    put(request, "response", response)


def _listed(values: Any) -> list[Any]:
    return values if isinstance(values, list) else [] if values is None else [values]


def _as_line(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _pairs(text: str) -> dict[str, str]:
    rows = (line.partition(":") for line in text.splitlines() if line.strip())
    return {name.strip(): value.strip() for name, _, value in rows}


def _header(value: Any) -> str:
    if isinstance(value, Mapping):
        return f"{value.get('prefix') or ''}{{{{secret.{value.get('secret', '')}}}}}{value.get('suffix') or ''}"
    return str(value)


def _written(body: Any) -> str:
    if body is None or isinstance(body, str):
        return body or ""
    return json.dumps(body, indent=2, ensure_ascii=False)
