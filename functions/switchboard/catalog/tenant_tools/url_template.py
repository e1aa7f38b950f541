"""The address of a request as an owner writes it: host and structure are fixed, values go into segments and the query.

Nothing that a model or a caller says can choose where a request goes.
"""

import re
from collections.abc import Mapping
from urllib.parse import quote, unquote

from switchboard.catalog.definitions.variables import (
    ABSENT,
    Look,
    alone,
    as_text,
    filled_text,
    literals,
    names_in,
    problems,
    replaced,
)
from switchboard.catalog.tenant_tools.config_parameters import ConfigReader, Fixed, Parameter
from switchboard.contract.error import ErrorType, Refused
from switchboard.contract.python.dataclass import dataclass

LONGEST_URL = 8_000
_PARTS = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*)://(?P<host>[^/?#]*)(?P<path>[^?#]*)(?:\?(?P<query>[^#]*))?")
_HOST = re.compile(r"(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?::\d{1,5})?")
_UNUSABLE = re.compile(r"[\x00-\x1f\x7f\\]")
_LONE_PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})")
_THIS_MACHINE = frozenset({"localhost", "127.0.0.1"})
_DOTS = frozenset({".", ".."})
# What RFC 3986 lets stand in a path or query; `%` because owners may have encoded it themselves.
_PLAIN = "/:@!$&'()*+,;=%~-._?"


@dataclass(frozen=True, slots=True)
class UrlTemplate:
    """An address with variables in segments of its path and in values of its query; https, or http on this machine.

    Attributes:
        origin: Scheme, host and port.
        path: Begins with a slash, or is empty.
        query: Pairs of a key and a value, encoded but for variables; the value is None where there is no `=`.
    """

    origin: str
    path: str
    query: tuple[tuple[str, str | None], ...]

    @property
    def keys(self) -> frozenset[str]:
        """The names that the query already has."""
        return frozenset(unquote(key.replace("+", " ")) for key, _ in self.query)

    def bound(self, look: Look, more: Mapping[str, object]) -> str:
        """Return the address with its variables filled and encoded, and with further values in its query.

        Args:
            look: What the variables stand for; a pair of the query whose value is nothing but an absent one is left
                out.
            more: By name; a list becomes one pair for each item.

        Raises:
            Refused: VALIDATION; a value would change which path this is, or the address grows too long.
        """
        path = "/".join(_segment(part, look) for part in self.path.split("/"))
        pairs = []
        for key, value in self.query:
            name = alone(value) if value else None
            if value is None:
                pairs.append(key)
            elif name is None or look(name) is not ABSENT:
                pairs.append(f"{key}={filled_text(value, look, _encoded)}")
        for key, each in more.items():
            pairs += [
                f"{_quoted(key)}={_quoted(as_text(item))}" for item in (each if isinstance(each, list) else [each])
            ]
        url = f"{self.origin}{path}" + (f"?{'&'.join(pairs)}" if pairs else "")
        if len(url) > LONGEST_URL:
            raise Refused(ErrorType.VALIDATION, "The arguments are too long for a web address. Send shorter ones.")
        return url


def read_url(
    reading: ConfigReader, text: str, parameters: Mapping[str, Parameter]
) -> tuple[UrlTemplate, frozenset[str]]:
    """Return an address and the parameters that are used up in it; what is wrong is noted for the field `url`.

    The host is the owner's: written out, or from a parameter with a fixed value.
    """
    nothing = UrlTemplate("", "", ())
    text, spliced = _with_fixed_host(text, parameters)
    place = reading.place("url")
    wrong = problems(text, place, parameters)
    reading.found += wrong
    match = _PARTS.fullmatch(text)
    if wrong:
        return nothing, spliced
    if match is None or _UNUSABLE.search(text) or not _is_encrypted_or_here(match["scheme"], match["host"]):
        remedy = "write it like https://api.example.com/customers/{{id}}, with https and without a fragment"
        reading.add("url", "is no address that can be used", remedy)
        return nothing, spliced
    host = match["host"].lower()
    if names_in(host):
        reading.add("url", "has a variable in its host", "write the host out, or fix it in a parameter")
    elif not _HOST.fullmatch(host):
        reading.add("url", "has no host that can be used", "write a name such as api.example.com, in ASCII (xn--…)")
    query = tuple(_pair(part) for part in (match["query"] or "").split("&") if part)
    if any(names_in(key) for key, _ in query):
        reading.add("url", "has a variable in a name of its query", "use variables in values only: ?phone={{phone}}")
    path = literals(match["path"], _literal)
    if any(_is_dotted(part) for part in path.split("/")):
        reading.add("url", "has . or .. in its path", "write the path out")
    origin = f"{match['scheme'].lower()}://{host}"
    return UrlTemplate(origin, path, query), spliced | (frozenset(names_in(text)) & parameters.keys())


def _is_encrypted_or_here(scheme: str, host: str) -> bool:
    """Tell whether a request stays private; whether this machine may be asked at all is decided when it is sent."""
    is_here = host.lower().partition(":")[0] in _THIS_MACHINE
    return scheme.lower() == "https" or (scheme.lower() == "http" and is_here)


def _with_fixed_host(text: str, parameters: Mapping[str, Parameter]) -> tuple[str, frozenset[str]]:
    """Return the address with fixed parameters put in where it begins or names its host, and their names."""
    spliced = set()
    _, slash, rest = text.partition("://")
    host_end = re.search(r"[/?#]", rest)
    cut = len(text) - len(rest) + (host_end.start() if host_end else len(rest)) if slash else len(text)
    if not slash:
        # The scheme comes from the parameter too: {{base}}/customers
        cut = match.end() if (match := re.match(r"\s*\{\{[^{}]*\}\}", text)) else 0
    start = text[:cut]
    for name in names_in(start):
        parameter = parameters.get(name)
        if isinstance(parameter, Fixed) and isinstance(parameter.value, str):
            spliced.add(name)
            start = replaced(start, name, parameter.value.strip())
    return (start + text[cut:]).strip(), frozenset(spliced)


def _pair(part: str) -> tuple[str, str | None]:
    key, equals, value = part.partition("=")
    return literals(key, _literal), literals(value, _literal) if equals else None


def _segment(template: str, look: Look) -> str:
    names = names_in(template)
    if not names:
        return template
    segment = filled_text(template, look, _encoded)
    if not segment or _is_dotted(segment):
        raise Refused(
            ErrorType.VALIDATION,
            f"{names[0]}: must be a plain value that is not empty and has no . or .. between slashes, because it "
            "stands in the path of a web address.",
        )
    return segment


def _is_dotted(segment: str) -> bool:
    return not _DOTS.isdisjoint(re.split(r"[/\\]", unquote(segment)))


def _literal(text: str) -> str:
    return quote(_LONE_PERCENT.sub("%25", text), safe=_PLAIN)


def _encoded(_: str, text: str) -> str:
    return _quoted(text)


def _quoted(text: str) -> str:
    return quote(text, safe="")
