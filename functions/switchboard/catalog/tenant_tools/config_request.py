"""What an `api_request` tool sends: method, address, headers, body, and what is picked from the answer.

Seed 002 ("API Request"). Parameters that nothing names go to the query of GET and DELETE, and into a JSON object
otherwise.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import field
from enum import StrEnum
from typing import Any

from switchboard.catalog.definitions.variables import VARIABLES, alone, names_in, problems
from switchboard.catalog.tenant_tools.config_parameters import ConfigReader, Fixed, Parameter, always_has_value
from switchboard.catalog.tenant_tools.url_template import UrlTemplate, read_url
from switchboard.contract.definitions.answer_path import HOLE, LONGEST_PATH, LONGEST_TEXT, MOST_PICKED, steps_of
from switchboard.contract.json import JsonObject
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.python.strict_json import MalformedJson, parse_json

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
IN_QUERY = frozenset({"GET", "DELETE"})
_LONGEST_BODY = 16_384
_MOST_HEADERS = 30
_MOST_DONE = 20
_LONGEST_DONE = 100
_HEADER_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}")
HEADER_TEXT = re.compile(r"[\t\x20-\x7e]*")
"""What may stand in a header's value: one line of ASCII."""
MORE_THAN_ONE = ("has more than one secret", "keep both in one secret")
# Whoever sends the request decides these, or whoever reads it could see another request than was sent.
_SENDERS = frozenset(
    {"host", "content-length", "transfer-encoding", "connection", "keep-alive", "te", "trailer", "upgrade", "expect"}
    | {"accept-encoding", "http2-settings"}
)
_SECRET_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,63}")
_SECRET = re.compile(r"\{\{\s*secret\.([^{}\s]*)\s*\}\}")
# A string that does not end takes the rest: searching on from each of its quotes would take quadratic time.
_STRING_OR_VARIABLE = re.compile(r'"(?:[^"\\]|\\.)*(?:"|\\?\Z)|(\{\{[^{}]*\}\})', re.DOTALL)


class BodyForm(StrEnum):
    """How values are written into a body."""

    JSON = "json"
    FORM = "form"
    XML = "xml"
    TEXT = "text"


@dataclass(frozen=True, slots=True)
class Header:
    """One header: a text with variables, and at most one secret between `before` and `after`."""

    name: str
    before: str
    secret: str = ""
    after: str = ""

    @property
    def is_fixed(self) -> bool:
        """Whether it is the same for every call."""
        return bool(self.secret) or not {*names_in(self.before), *names_in(self.after)}.difference(VARIABLES)


@dataclass(frozen=True, slots=True)
class RequestSettings:
    """One request.

    Attributes:
        method: GET, POST, PUT, PATCH or DELETE.
        url: The address.
        headers: In the owner's order.
        body: Its template: any JSON value, or text; None where there is none.
        form: How the body is written.
        response: The owner's mapping of the answer: `{pick?: {name: path}, from?: path, text?: template}`, and what
            of it means that it was done: `done?: {at: path, is: value or values}`.
        loose: The parameters that nothing names.
        is_idempotent: Whether the service does one thing once for one `Idempotency-Key`, so that it may be asked again.
    """

    method: str
    url: UrlTemplate
    headers: tuple[Header, ...] = ()
    body: Any = None
    form: BodyForm = BodyForm.JSON
    response: JsonObject = field(default_factory=dict)
    loose: tuple[str, ...] = ()
    is_idempotent: bool = False


def read_request(top: ConfigReader, parameters: Mapping[str, Parameter]) -> RequestSettings:
    """Return what is sent; an address or a method that is missing is taken from a fixed `url` or `method`."""
    request = top.inside("request")
    request.only("method", "url", "headers", "body", "response", "idempotent")
    has_body = request.part.get("body") is not None
    method, used = _method(request, parameters, "POST" if has_body else "GET")
    template = request.text("url", 2_000)
    if not template and isinstance(parameters.get("url"), Fixed) and request.part.get("url") is None:
        template = "{{url}}"
    if template:
        url, in_url = read_url(request, template, parameters)
    else:
        url, in_url = UrlTemplate("", "", ()), frozenset()
        if request.part.get("url") is None or request.part["url"] == "":
            request.add("url", "is missing", "write it like https://api.example.com/customers/{{id}}")
    headers = tuple(_headers(request.inside("headers"), parameters)) if request.part.get("headers") is not None else ()
    kinds = [h.before.lower() for h in headers if h.name.lower() == "content-type" and not h.secret]
    form = _form(kinds[0] if kinds else "", request.part.get("body"))
    body = _body(request, parameters, form) if has_body else None
    if has_body and method == "GET":
        request.add("body", "cannot be sent with GET", "use another method, or leave the body out")
    named = (
        used | in_url | set(names_in(body)) | {n for h in headers for n in (*names_in(h.before), *names_in(h.after))}
    )
    loose = tuple(name for name in parameters if name not in named)
    _about_places(top, request, url, parameters, loose, method)
    is_idempotent = request.flag("idempotent", False)
    return RequestSettings(method, url, headers, body, form, _response(request), loose, is_idempotent)


def _method(request: ConfigReader, parameters: Mapping[str, Parameter], default: str) -> tuple[str, frozenset[str]]:
    fixed, used = parameters.get("method"), frozenset[str]()
    method = request.text("method", 20)
    if not method and isinstance(fixed, Fixed) and str(fixed.value).upper() in METHODS:
        method, used = str(fixed.value), frozenset({"method"})
    method = method.upper() or default
    if method not in METHODS:
        request.add("method", f"{method!r} is no method", f"use one of {', '.join(METHODS)}")
    return method, used


def _headers(headers: ConfigReader, parameters: Mapping[str, Parameter]) -> Iterator[Header]:
    if len(headers.part) > _MOST_HEADERS:
        headers.add("", f"has {len(headers.part)} headers", f"use at most {_MOST_HEADERS}")
        return
    seen = set()
    for name, value in headers.part.items():
        if not _HEADER_NAME.fullmatch(name):
            headers.add(name[:60], "is no header name", "use letters, digits and hyphens")
        elif name.lower() in _SENDERS or name.lower().startswith("proxy-"):
            headers.add(name, "is set by whoever sends the request", "leave it out")
        elif name.lower() in seen:
            headers.add(name, "is there twice", "write it once")
        else:
            seen.add(name.lower())
            header = _header(headers, name, value, parameters)
            if header is not None:
                yield header


def parted(value: str) -> tuple[str, str, str] | None:
    """Return what stands before the `{{secret.name}}` in a header's text, the name, and what stands behind it.

    A text without one is all before it. None where there are several.
    """
    parts = _SECRET.split(value)
    if len(parts) > 3:
        return None
    return (parts[0].lstrip(), parts[1], parts[2].rstrip()) if len(parts) == 3 else (value.strip(), "", "")


def _header(headers: ConfigReader, name: str, value: Any, parameters: Mapping[str, Parameter]) -> Header | None:
    if isinstance(value, Mapping):
        inside = headers.inside(name)
        inside.only("secret", "prefix", "suffix")
        secret = inside.needed("secret", "write the name of one of your secrets")
        # Blanks count here: "Bearer " ends in one.
        before, after = (str(inside.part.get(key) or "") for key in ("prefix", "suffix"))
    elif isinstance(value, str):
        parts = parted(value)
        if parts is None:
            headers.add(name, *MORE_THAN_ONE)
            return None
        before, secret, after = parts
    else:
        remedy = 'write text, or {"secret": "name", "prefix": "Bearer "}'
        headers.add(name, f"expected text, found {type(value).__name__}", remedy)
        return None
    wrong = [p for text in (before, after) for p in problems(text, headers.place(name), parameters)]
    headers.found += wrong
    if secret and not _SECRET_NAME.fullmatch(secret):
        headers.add(name, f"{secret[:60]!r} is no name of a secret", f"use {_SECRET_NAME.pattern}")
    elif not HEADER_TEXT.fullmatch(before + after):
        headers.add(name, "has line breaks or characters that headers cannot carry", "use one line of plain ASCII")
    elif not wrong:
        return Header(name, before, secret, after)
    return None


def _form(content_type: str, body: Any) -> BodyForm:
    if "x-www-form-urlencoded" in content_type:
        return BodyForm.FORM
    if not isinstance(body, str):
        return BodyForm.JSON
    if "xml" in content_type or (not content_type and body.lstrip().startswith("<")):
        return BodyForm.XML
    if "json" in content_type or (not content_type and body.lstrip()[:1] in ("{", "[") and alone(body) is None):
        return BodyForm.JSON
    return BodyForm.TEXT


def _body(request: ConfigReader, parameters: Mapping[str, Parameter], form: BodyForm) -> Any:
    """Return the body's template; JSON that is written as text is read, so that values cannot break out of it."""
    body = request.part["body"]
    wrong = problems(body, request.place("body"), parameters)
    request.found += wrong
    if isinstance(body, str) and len(body) > _LONGEST_BODY:
        request.add("body", f"has {len(body)} characters", f"use at most {_LONGEST_BODY}")
    elif form is BodyForm.FORM and not isinstance(body, str | Mapping):
        request.add("body", "is no form", "write an object, or text such as name={{name}}")
    elif form is BodyForm.JSON and isinstance(body, str) and not wrong and alone(body) is None:
        # A variable that stands where JSON has a value becomes a text of its own, which is filled with its type kept.
        text = _STRING_OR_VARIABLE.sub(lambda m: f'"{m[1]}"' if m[1] else m[0], body)
        try:
            return parse_json(text)
        except MalformedJson as error:
            request.add("body", f"it {error}", "write JSON, with variables as whole values or inside texts")
    return body


def _response(request: ConfigReader) -> JsonObject:
    if request.part.get("response") is None:
        return {}
    response = request.inside("response")
    response.only("pick", "from", "text", "done")
    _path(response, "from", response.text("from", LONGEST_PATH))
    for hole in HOLE.findall(response.text("text", LONGEST_TEXT)):
        _path(response, "text", hole.strip(), "{{" + hole + "}} ")
    if response.part.get("pick") is not None:
        pick = response.inside("pick")
        if len(pick.part) > MOST_PICKED:
            response.add("pick", f"has {len(pick.part)} names", f"use at most {MOST_PICKED}")
        for name in pick.part:
            _path(pick, name, pick.needed(name, "write where the answer has it, such as customer.name", LONGEST_PATH))
    if response.part.get("done") is not None:
        _done(response.inside("done"))
    return {name: value for name, value in response.part.items() if value is not None}


def _path(part: ConfigReader, key: str, path: str, which: str = "") -> None:
    """Note that a path can never be read: the service would be asked, and its answer given to nobody."""
    if steps_of(path) is None:
        remedy = 'write names and positions, such as order.items[0].name, or ["opening hours"] for other names'
        part.add(key, f"{which}is no path", remedy)


def _done(done: ConfigReader) -> None:
    """Note what keeps `{at, is}` from telling whether something was done."""
    done.only("at", "is")
    path = done.needed("at", "write where the answer says it, such as order.state", LONGEST_PATH)
    if path and not steps_of(path):
        done.add("at", "is no path", "write it like order.state or items[0].state")
    value = done.part.get("is")
    values = value if isinstance(value, list) else [value]
    if not 1 <= len(values) <= _MOST_DONE or not all(_means_done(one) for one in values):
        remedy = f'write what it says when it was done, such as "placed" or ["placed", "queued"], at most {_MOST_DONE}'
        done.add("is", "is no value, nor a list of some", remedy)


def _means_done(value: Any) -> bool:
    return isinstance(value, bool | int | float) or (isinstance(value, str) and 0 < len(value.strip()) <= _LONGEST_DONE)


def _about_places(
    top: ConfigReader,
    request: ConfigReader,
    url: UrlTemplate,
    parameters: Mapping[str, Parameter],
    loose: tuple[str, ...],
    method: str,
) -> None:
    """Note parameters that would change the address, or would never be sent."""
    for name in names_in(url.path):
        if name not in VARIABLES and not always_has_value(parameters[name]):
            problem = f"has {{{{{name}}}}} in its path, which may be missing"
            request.add("url", problem, "make the parameter required, or give it a default")
    for name in loose:
        field = f"params.{name}"
        if method in IN_QUERY:
            if name in url.keys:
                top.add(field, "is in the address already", "name the parameter there, or call it something else")
        elif request.part.get("body") is not None:
            top.add(field, "is used nowhere", f"write {{{{{name}}}}} in url, headers or body, or remove it")
