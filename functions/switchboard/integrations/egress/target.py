"""The address of a request, read strictly: what is checked here is, character for character, what is sent.

Every spelling that two readers could understand differently (user names, backslashes, escapes in the host, numbers in
other bases) is refused rather than interpreted.
"""

import re
from ipaddress import IPv4Address, IPv6Address
from typing import TypeAlias
from urllib.parse import quote

from switchboard.contract.python.dataclass import dataclass

IpAddress: TypeAlias = IPv4Address | IPv6Address

URL_CHARACTERS = 8_000
_NEVER = re.compile(r"[\x00-\x20\x7f-\x9f\\\ud800-\udfff]")
_FORM = re.compile(r"(?P<scheme>https?)://(?P<authority>[^/?#]*)(?P<rest>[^#]*)", re.IGNORECASE)
_AUTHORITY = re.compile(r"(?:\[(?P<v6>[0-9A-Fa-f:.]+)\]|(?P<name>[^\[\]@:%]+))(?::(?P<port>[1-9][0-9]{0,4}))?")
_LABEL = re.compile(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?")
# How browsers tell an IPv4 address from a name (WHATWG URL, "ends in a number").
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")
_HOST_CHARACTERS = 253
_AS_IT_STANDS = "%/:?@!$&'()*+,;=-._~[]"


class UnusableAddress(Exception):
    """An address that may not be called; its text says why in the words of a sentence about "it"."""


@dataclass(frozen=True, slots=True)
class Target:
    """Where a request goes.

    Attributes:
        scheme: `http` or `https`.
        host: A name in lower case and ASCII without a final dot, or an IP address in its one usual spelling.
        port: The port, also where the address names none.
        rest: Path and query, escaped; begins with a slash.
        address: The host, where it is an IP address.
    """

    scheme: str
    host: str
    port: int
    rest: str
    address: IpAddress | None = None

    @property
    def origin(self) -> tuple[str, str, int]:
        """Scheme, host and port."""
        return self.scheme, self.host, self.port

    @property
    def url(self) -> str:
        """The whole address, put together again from its parts."""
        host = f"[{self.host}]" if isinstance(self.address, IPv6Address) else self.host
        usual = 443 if self.scheme == "https" else 80
        return f"{self.scheme}://{host}{'' if self.port == usual else f':{self.port}'}{self.rest}"


def read_target(url: str) -> Target:
    """Read an absolute http or https address; a fragment is left out.

    Raises:
        Unusable: It is none, or is spelt in a way that could mean two things.
    """
    if len(url) > URL_CHARACTERS:
        raise UnusableAddress(f"it is longer than {URL_CHARACTERS} characters")
    if _NEVER.search(url):
        raise UnusableAddress("it holds a blank, a backslash or a control character")
    form = _FORM.match(url)
    if form is None:
        raise UnusableAddress("it does not begin with https://")
    authority = _AUTHORITY.fullmatch(form["authority"])
    if authority is None:
        raise UnusableAddress("between https:// and the next slash it needs a host, and nothing else but a port")
    scheme = form["scheme"].lower()
    port = int(authority["port"] or (443 if scheme == "https" else 80))
    if port > 65_535:
        raise UnusableAddress(f"there is no port {port}")
    address: IpAddress | None = _ipv6(authority["v6"]) if authority["v6"] else None
    host = str(address) if address else _name(authority["name"])
    if address is None and _NUMBER.fullmatch(host.rpartition(".")[2]):
        address = _ipv4(host)
    rest = quote(form["rest"], safe=_AS_IT_STANDS)
    return Target(scheme, host, port, rest if rest.startswith("/") else f"/{rest}", address)


def _name(text: str) -> str:
    host = (text if text.isascii() else _in_ascii(text)).lower().removesuffix(".")
    if len(host) > _HOST_CHARACTERS or not all(_LABEL.fullmatch(label) for label in host.split(".")):
        raise UnusableAddress("its host is no name")
    return host


def _in_ascii(text: str) -> str:
    # Loaded with some tenths of a megabyte of tables, for the few names that need it.
    import idna

    try:
        return idna.encode(text, uts46=True, std3_rules=True).decode()
    except (idna.IDNAError, UnicodeError):
        raise UnusableAddress("its host is no name") from None


def _ipv4(text: str) -> IPv4Address:
    try:
        return IPv4Address(text)
    except ValueError:
        raise UnusableAddress("its host is a number, but no address in the form 192.0.2.1") from None


def _ipv6(text: str) -> IPv6Address:
    try:
        return IPv6Address(text)
    except ValueError:
        raise UnusableAddress("between its brackets there is no IPv6 address") from None
