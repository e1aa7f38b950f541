"""What WebDAV servers answer a question about many things with: one row for each (RFC 4918, `multistatus`)."""

from collections.abc import Iterator
from dataclasses import field
from xml.etree import ElementTree
from xml.parsers import expat

from switchboard.contract.python.dataclass import dataclass

DAV = "{DAV:}"
CALDAV = "{urn:ietf:params:xml:ns:caldav}"
_DEEPEST = 60


class UnreadableMultistatus(Exception):
    """The answer is no such list."""


@dataclass(frozen=True, slots=True)
class DavResponse:
    """What is told of one thing.

    Attributes:
        href: Where it is: a path, or an absolute address.
        status: Its own status, where it has one: 404 for what is not there.
        found: The properties that it has, by their full names.
    """

    href: str
    status: int
    found: dict[str, ElementTree.Element] = field(repr=False)

    def text(self, name: str) -> str:
        """Return the text of a property; empty where it has none."""
        element = self.found.get(name)
        return (element.text or "").strip() if element is not None else ""

    def hrefs(self, name: str) -> list[str]:
        """Return the addresses that a property holds."""
        element = self.found.get(name)
        if element is None:
            return []
        return [text for it in element.iter(f"{DAV}href") if (text := (it.text or "").strip())]


def read_multistatus(body: bytes) -> list[DavResponse]:
    """Return the rows of an answer.

    Raises:
        Unreadable: It is not one, or declares entities: a few lines could then unfold to gigabytes.
    """
    root = _parsed(body)
    if root.tag != f"{DAV}multistatus":
        raise UnreadableMultistatus(f"{root.tag[:60]!r} instead of a multistatus")
    return [row for response in root.iter(f"{DAV}response") if (row := _row(response)) is not None]


def read_error(body: bytes) -> str:
    """Return the first condition that an answer says was not met, without its namespace; empty for another answer.

    Raises:
        Unreadable: It is no XML.
    """
    root = _parsed(body)
    first = next(iter(root), None) if root.tag == f"{DAV}error" else None
    return first.tag.rpartition("}")[2] if first is not None else ""


def _row(response: ElementTree.Element) -> DavResponse | None:
    href = (response.findtext(f"{DAV}href") or "").strip()
    if not href:
        return None
    properties: dict[str, ElementTree.Element] = {}
    for propstat in response.iter(f"{DAV}propstat"):
        if _status(propstat.findtext(f"{DAV}status")) // 100 == 2:
            properties |= {element.tag: element for element in propstat.findall(f"{DAV}prop/*")}
    return DavResponse(href, _status(response.findtext(f"{DAV}status")), properties)


def _status(line: str | None) -> int:
    """Return the number in `HTTP/1.1 404 Not Found`; 200 where nothing is said."""
    words = (line or "").split()
    return int(words[1]) if len(words) > 1 and words[1].isascii() and words[1].isdigit() else 200


def _parsed(body: bytes) -> ElementTree.Element:
    builder, depth = ElementTree.TreeBuilder(), 0
    parser = expat.ParserCreate(namespace_separator="}")

    def begin(name: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > _DEEPEST:
            raise UnreadableMultistatus("nested too deeply")
        builder.start(_full(name), {_full(key): value for key, value in attributes.items()})

    def end(name: str) -> None:
        nonlocal depth
        depth -= 1
        builder.end(_full(name))

    def refuse(*_: object) -> None:
        raise UnreadableMultistatus("declares a document type")

    parser.StartElementHandler, parser.EndElementHandler = begin, end
    parser.CharacterDataHandler, parser.StartDoctypeDeclHandler = builder.data, refuse
    parser.buffer_text = True
    try:
        parser.Parse(body, True)
        return builder.close()
    except (expat.ExpatError, ValueError, AssertionError) as error:
        raise UnreadableMultistatus(type(error).__name__) from None


def _full(name: str) -> str:
    return f"{{{name}" if "}" in name else name


def names(element: ElementTree.Element | None) -> Iterator[str]:
    """Yield the full names of what stands directly in an element."""
    if element is not None:
        yield from (inner.tag for inner in element)
