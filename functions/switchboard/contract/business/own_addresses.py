"""Which addresses on the web are a business's own, and not its neighbours' there; and which phone numbers."""

from collections.abc import Iterator, Mapping
from typing import Any, Final
from urllib.parse import urlsplit

from switchboard.contract.business.business import Business
from switchboard.contract.document import items, mapping, text
from switchboard.contract.python.dataclass import dataclass

# No name in the DNS is longer; to spell a longer one takes ever more time for each character.
_LONGEST_HOST = 253
# Where many have a page: one of them is the business's, and the host is not.
_SHARED_WORDS = """
bit.ly t.co tinyurl.com goo.gl ow.ly is.gd rb.gy cutt.ly t.me wa.me m.me youtu.be linktr.ee calendly.com cal.com
facebook.com fb.com fb.me instagram.com tiktok.com twitter.com x.com linkedin.com youtube.com pinterest.com
google.com g.page goo.gle sites.google.com docs.google.com drive.google.com forms.gle maps.google.com
maps.app.goo.gl calendar.app.google dropbox.com github.com paypal.com paypal.me buy.stripe.com squareup.com
yelp.com tripadvisor.com booksy.com treatwell.com fresha.com doctolib.de doctolib.fr opentable.com medium.com
telegram.me whatsapp.com
"""
_SHARED = tuple(_SHARED_WORDS.split())
# Where each site has a name below it: the name itself is nobody's.
_SITES_WORDS = """
github.io gitlab.io netlify.app vercel.app pages.dev web.app firebaseapp.com herokuapp.com wixsite.com
weebly.com wordpress.com blogspot.com square.site jimdosite.com business.site notion.site carrd.co
"""
_SITES = frozenset(_SITES_WORDS.split())
_BELOW_SHARED = tuple(f".{host}" for host in _SHARED)

TOOLKIT: Final = "twilio"
_LEAST_NATIONAL = 8


@dataclass(frozen=True, slots=True)
class OwnSite:
    """A site: a host in lower case without `www.`, with a port that is not the usual one, and where on it."""

    host: str
    path: str = "/"


def own_sites(*addresses: object) -> tuple[OwnSite, ...]:
    """Return the sites of addresses as owners write them, with and without a scheme; what is none is left out."""
    sites = (_site(address) for address in addresses if isinstance(address, str))
    return tuple(dict.fromkeys(site for site in sites if site is not None))


def is_shared(host: str) -> bool:
    """Tell whether many have a page on a host, so that one of them is a business's, and the host is not."""
    name = host.partition(":")[0]
    return name in _SITES or name in _SHARED or name.endswith(_BELOW_SHARED)


def _site(address: str) -> OwnSite | None:
    written = address.strip()
    try:
        parts = urlsplit(written if "://" in written else f"https://{written}")
        named = parts.hostname or ""
        if len(named) > _LONGEST_HOST:
            return None
        host, port = named.encode("idna").decode().removeprefix("www."), parts.port
    except ValueError:
        return None
    if parts.scheme not in ("http", "https") or parts.username or "." not in host:
        return None
    if port not in (None, 80, 443):
        host = f"{host}:{port}"
    if not is_shared(host):
        return OwnSite(host)
    return OwnSite(host, parts.path) if parts.path.strip("/") else None


def number_rows(business: Business) -> Iterator[Mapping[str, Any]]:
    """Yield the rows of `integrations.twilio.phoneNumbers` that name a number in E.164: `{id, number, …}`."""
    connection = business.integrations.get(TOOLKIT)
    for row in items(connection.settings.get("phoneNumbers")) if connection else ():
        if text(mapping(row).get("number")).startswith("+"):
            yield row


def calls_itself(business: Business, number: str) -> bool:
    """Tell whether a number in E.164 is one that the business has or is reached on, however that is written.

    What is written without a country ends the number; somebody else's would have to end in the same digits.
    """
    said = "".join(filter(str.isdigit, business.phone)).lstrip("0")
    is_whole = business.phone.strip().startswith(("+", "00"))
    same = number[1:] == said if is_whole else len(said) >= _LEAST_NATIONAL and number.endswith(said)
    return same or number in own_numbers(business).values()


def own_numbers(business: Business) -> Mapping[str, str]:
    """Return the business's own numbers in E.164 by their ids.

    Its main number (`twilioNumber`), which is its own id, and those of `integrations.twilio.phoneNumbers`, each by its
    id and as its own id. Every one of them is a line of the business: what comes in there is its own.
    """
    by_id = {business.twilio_number: business.twilio_number} if business.twilio_number else {}
    for row in number_rows(business):
        by_id |= {row["number"]: row["number"], str(row.get("id") or row["number"]): row["number"]}
    return by_id
