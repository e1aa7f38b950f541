"""Links in what callers are sent: the business's own, or named as not.

A text comes from the business's number, so that a link in it is believed. What a model or a caller has put there is
marked, unless the business itself names it: in its document, its policies and answers, its tools and its agents.
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from switchboard.contract.business.business import Business
from switchboard.contract.business.languages import language_of
from switchboard.contract.business.own_addresses import is_shared
from switchboard.contract.context import Spender
from switchboard.contract.ports import BusinessCollection, Store
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import Query

_NOT_FROM = {
    "en": "(link not from {name})",
    "de": "(Link nicht von {name})",
    "es": "(enlace que no es de {name})",
    "fr": "(lien ne venant pas de {name})",
    "it": "(link non di {name})",
    "pt": "(link que não é de {name})",
    "nl": "(link niet van {name})",
}
_NAMED_IN: Final[tuple[BusinessCollection, ...]] = ("policies", "faqs", "knowledge", "tools", "agents")
_MOST_DOCUMENTS = 500

# A last label that is a domain in any spelling; others are one where they look like one. Two letters are a country.
_ENDINGS_WORDS = """
com net org info biz name pro app dev page web site online store shop club xyz top vip win bid loan live life
link click space website tech cloud host email mobi tel travel jobs cat asia post aero coop museum edu gov mil
int arpa icu cyou fun lol one world today news blog art design studio agency company group team work works
center zone money cash finance bank credit loans pay fit beauty hair salon skin care health clinic dental doctor
vet repair plumbing services support help guide solutions systems network digital media social chat games game
bet casino poker porn sex adult xxx cam dating ninja rocks wtf gripe sucks monster quest beer pizza cafe bar pub
restaurant menu food recipes kitchen garden house homes land estate rent rentals apartments build builders car
cars auto taxi tours flights hotel hotels berlin hamburg koeln wien paris london nyc miami boston tokyo africa
swiss quebec scot wales bayern ruhr eus gal barcelona madrid academy school college university science
foundation church charity gift gifts sale deals discount promo review reviews vote video photo photos pics
gallery pink blue red black green gold zip mov foo ink buzz best bond gdn men date stream download racing
accountant faith party trade webcam cricket sbs cfd rest bio eco law legal ltd llc inc gmbh srl sarl ist ong ngo
"""
_ENDINGS = frozenset(_ENDINGS_WORDS.split())
# Endings of files and of names in programs, of which there are no domains.
_FILES = "phone pdf jpg jpeg png gif txt doc docx xls xlsx html htm csv json xml"
_NO_ENDINGS = frozenset(_FILES.split())
# Brackets, quotation marks in several languages, and what a reader takes for the end of a word.
_BETWEEN = re.compile(r"[\s<>\"'()\[\]{},;|\u00ab\u00bb\u2018-\u201f`*]+")
_RUN = re.compile(r"[\w.-]+")
_HOST = re.compile(r"[\w-]+(?:\.[\w-]+)+")
_AUTHORITY = re.compile(r"[^/?#\\]*")
_PORT = re.compile(r":\d{1,5}(?![\d.])")
_FOLLOWS = "/?#\\"
_TRAILING = ".,:;!?…"
_JOINERS = "\u200c\u200d"


@dataclass(frozen=True, slots=True)
class LinkTarget:
    """Where a link leads.

    Attributes:
        host: In lower case and Unicode, with a port that is not the usual one; empty where nobody can tell.
        path: The rest, as it stands there.
    """

    host: str
    path: str = ""


class OwnLinks:
    """Knows which links are a business's own."""

    def __init__(self, store: Store) -> None:
        """Read in `store` what businesses name, and only for a text with a link that is not plainly theirs."""
        self._store = store

    async def marked(self, ctx: Spender, text: str) -> str:
        """Return a text with words before each link in it that is not the business's own.

        Raises:
            StoreError: It cannot be read what the business names.
        """
        plain = [link for _, links in _tokens(text) for link in links]
        if not plain or _all_own(plain, _site(ctx.business.portal_url)):
            return text
        named = await self._named(ctx, {_domain(link.host) for link in plain if link.host})
        mark = not_from(ctx.business)
        out, at = [], 0
        for start, links in _tokens(text):
            if not _all_own(links, named) and not text.startswith(mark, max(0, start - len(mark) - 1)):
                out += [text[at:start], mark, " "]
                at = start
        return "".join([*out, text[at:]])

    async def _named(self, ctx: Spender, asked: "set[str]") -> "list[LinkTarget]":
        """Return what the business names of these hosts; of all that it has written nothing else is looked through."""
        business = await self._store.get(ctx.paths.business)
        data: Mapping[str, Any] = business.data if business is not None else {}
        targets = _site(ctx.business.portal_url)
        for name in ("website", "portalUrl"):
            targets += _site(data.get(name))
        targets += _named_in(data, asked)
        for collection in _NAMED_IN:
            query = Query(ctx.paths.collection(collection), limit=_MOST_DOCUMENTS)
            for document in await self._store.query(query):
                targets += _named_in(document.data, asked)
        return targets


def not_from(business: Business) -> str:
    """Return the words that stand before a link that is not a business's own, in its language."""
    words = _NOT_FROM.get(language_of(business.language), _NOT_FROM["en"])
    return words.format(name=business.name)


# Far beyond any text message; marks that unfold to many make more and more of a longer one.
_LONGEST_WORD = 6_000


def links_in(text: str) -> list[LinkTarget]:
    """Return the links in a text, as telephones find them: with and without a scheme."""
    return [link for _, links in _tokens(text) for link in links]


def _tokens(text: str) -> Iterator[tuple[int, list[LinkTarget]]]:
    """Yield each word that holds links, by its beginning."""
    for match in re.finditer(r"\S+", text):
        word = match[0]
        may_hold = "." in word or "://" in word or not word.isascii()
        if may_hold and (links := list(_links_of(word))):
            yield match.start(), links


def _links_of(word: str) -> Iterator[LinkTarget]:
    plain = unicodedata.normalize("NFKC", word[:_LONGEST_WORD]).replace("\u3002", ".")
    if "://[" in plain:
        # A bare IPv6 address, which is nobody's site.
        yield LinkTarget("")
    has_joiners = any(joiner in plain for joiner in _JOINERS)
    plain = "".join(c for c in plain if unicodedata.category(c) != "Cf")
    for piece in _BETWEEN.split(plain):
        for link in _pieces(piece):
            yield LinkTarget("") if has_joiners else link


def _pieces(piece: str) -> Iterator[LinkTarget]:
    """Yield the links of a word without brackets and quotes: the first one takes all that can belong to it."""
    lower = piece.lower()
    at_scheme = lower.find("://")
    if at_scheme < 0:
        at_scheme = len(lower) + 1
    for run in _RUN.finditer(lower):
        if run.end() >= at_scheme:
            break
        body = run[0].strip(".")
        host_end = run.start() + len(run[0].rstrip("."))
        # Of "well...evil.com" what stands after the dots.
        host_at = host_end - len(body.rpartition("..")[2].lstrip("."))
        port = _PORT.match(lower, host_end)
        end = port.end() if port is not None else host_end
        follows = lower[end : end + 1]
        has_path = bool(follows) and follows in _FOLLOWS
        if lower[host_end : host_end + 1] == "@" or (lower[host_at - 1 : host_at] == "@" and not has_path):
            # An address to write to; what stands before the sign is nobody's host.
            continue
        if _looks_like_host(piece[host_at:host_end], has_path or port is not None):
            yield _link(lower[host_at:end], piece[end:] if has_path else "")
            if has_path:
                return
    authority = _AUTHORITY.match(lower, at_scheme + 3)
    if authority is not None and authority[0].strip(_TRAILING):
        is_web = lower[:at_scheme].endswith(("http", "https"))
        yield _link(authority[0] if is_web else "", piece[authority.end() :])


def _looks_like_host(text: str, leads_on: bool) -> bool:
    labels = text.split(".")
    last = labels[-1]
    if len(labels) < 2:
        return False
    if all(label.isdecimal() for label in labels):
        return len(labels) == 4 and all(int(label) < 256 for label in labels if len(label) < 4)
    if not (last.isalpha() or last.lower().startswith("xn--")) or len(last) < 2:
        return False
    known = len(last) == 2 or last.lower() in _ENDINGS or last.lower().startswith("xn--")
    # "Done.Thanks" is none: a sentence that begins without a blank.
    if known or leads_on or labels[0].lower() == "www":
        return True
    return not last.istitle() and last.lower() not in _NO_ENDINGS


def _link(authority: str, path: str) -> LinkTarget:
    """Return a link; one that hides its host behind a name, or has no plain port, leads nobody knows where."""
    host, _, port = authority.rstrip(_TRAILING).partition(":")
    is_plain = _HOST.fullmatch(host) is not None or host == "localhost"
    if "@" in authority or not is_plain or (port and not port.isdecimal()):
        return LinkTarget("", path)
    host = ".".join(_label(label) for label in host.removeprefix("www.").split("."))
    return LinkTarget(host if port in ("", "80", "443") else f"{host}:{port}", path.rstrip(_TRAILING))


def _label(label: str) -> str:
    if not label.startswith("xn--"):
        return label
    try:
        return label[4:].encode("ascii").decode("punycode")
    except UnicodeError:
        return label


def _site(address: object) -> list[LinkTarget]:
    """Return what an owner's own site covers: the whole of it, unless others have their pages there too."""
    targets = links_in(address) if isinstance(address, str) else []
    return [link if is_shared(link.host) else LinkTarget(link.host) for link in targets if link.host]


def _domain(host: str) -> str:
    """Return what a text has in it that names a host, or one above it."""
    return ".".join(host.partition(":")[0].split(".")[-2:])


def _named_in(value: Any, asked: "set[str]") -> list[LinkTarget]:
    targets, todo = [], [value]
    while todo:
        one = todo.pop()
        if isinstance(one, str):
            # A business may have written megabytes, and every conversation waits while they are taken apart.
            lower = one.lower()
            if any(domain in lower for domain in asked):
                targets += [link for link in links_in(one) if link.host]
        elif isinstance(one, Mapping):
            todo += one.values()
        elif isinstance(one, list | tuple):
            todo += one
    return targets


def _all_own(links: Sequence[LinkTarget], own: Sequence[LinkTarget]) -> bool:
    return all(link.host and any(_covers(one, link) for one in own) for link in links)


def _covers(own: LinkTarget, link: LinkTarget) -> bool:
    """Tell whether a link leads to what an own one names: the same host and below the same path."""
    if own.path in ("", "/"):
        if is_shared(own.host):
            return own.host == link.host and link.path in ("", "/")
        return link.host == own.host or link.host.endswith(f".{own.host}")
    if own.host != link.host or not link.path.startswith(own.path):
        return False
    rest = link.path[len(own.path) :]
    climbs = ".." in rest or "%2e" in rest.lower() or "\\" in rest
    begins = "&#" if "?" in own.path else "/?#"
    return not rest or (not climbs and (own.path.endswith("/") or rest[0] in begins))
