"""Finding the calendars of an account from the address that its owner knows (RFC 6764, RFC 4791).

The address itself is asked first, then the well-known one of its host. Every step goes through the egress door again,
and the password goes to no other host than the account's.
"""

from urllib.parse import unquote, urljoin

from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.python.dataclass import dataclass
from switchboard.integrations.caldav.dav import Dav
from switchboard.integrations.caldav.failures import failure, refused
from switchboard.integrations.caldav.multistatus import (
    CALDAV,
    DAV,
    DavResponse,
    UnreadableMultistatus,
    names,
    read_multistatus,
)

_MOST_STEPS = 5
_ELSEWHERE = (301, 302, 303, 307, 308)
_WRITING = frozenset(f"{DAV}{name}" for name in ("all", "write", "write-content", "bind"))
_XML = "application/xml; charset=utf-8"
_PRINCIPAL, _HOMES = f"{DAV}current-user-principal", f"{CALDAV}calendar-home-set"
_ADDRESSES = f"{CALDAV}calendar-user-address-set"
_ABOUT_CALENDARS = (
    *("D:resourcetype", "D:displayname", "D:current-user-privilege-set"),
    "C:supported-calendar-component-set",
)


@dataclass(frozen=True, slots=True)
class Listed:
    """A calendar of an account, for choosing it.

    Attributes:
        url: Its address, ending with a slash: what `calendarUrl` is set to.
        name: What its owner calls it.
        is_read_only: Whether the server says that nothing can be entered.
    """

    url: str
    name: str
    is_read_only: bool

    @property
    def id(self) -> str:
        """What the toolkit's setting says for it."""
        return self.url


async def calendars_of(dav: Dav) -> list[Listed]:
    """Return the account's calendars that hold events, by name.

    Raises:
        ToolError: AUTH, the password is refused; PERMANENT, there is no CalDAV at that address; others as they come.
    """
    calendars: dict[str, Listed] = {}
    for home in await _homes(dav):
        for row in await dav.rows("PROPFIND", home, _asked(*_ABOUT_CALENDARS), depth=1):
            if (calendar := _calendar(dav, home, row)) is not None:
                calendars[calendar.url] = calendar
    return sorted(calendars.values(), key=lambda calendar: (calendar.name.lower(), calendar.url))


async def look_at(dav: Dav, url: str) -> Listed | None:
    """Return what is at a calendar's address; None where that is no calendar.

    Raises:
        ToolError: As `calendars_of`; PERMANENT as well where nothing is there.
    """
    for row in await dav.rows("PROPFIND", url, _asked(*_ABOUT_CALENDARS), depth=0):
        return _calendar(dav, url, row)
    return None


async def addresses_of(dav: Dav, url: str) -> frozenset[str]:
    """Return the mail addresses under which an account is invited, in small letters.

    Raises:
        ToolError: As `calendars_of`.
    """
    addresses: set[str] = set()
    for row in await dav.rows("PROPFIND", url, _asked("D:current-user-principal"), depth=0):
        for principal in row.hrefs(_PRINCIPAL):
            at = dav.within(url, principal)
            for response in await dav.rows("PROPFIND", at, _asked("C:calendar-user-address-set"), depth=0):
                texts = (text.lower() for text in response.hrefs(_ADDRESSES))
                addresses |= {text.removeprefix("mailto:") for text in texts if text.startswith("mailto:")}
    return frozenset(addresses)


async def _homes(dav: Dav) -> list[str]:
    """Return the folders in which the account's calendars are."""
    failed: ToolError | None = None
    for begin in (dav.account.server.url, urljoin(dav.account.server.url, "/.well-known/caldav")):
        try:
            at, row = await _asked_on(dav, begin)
        except ToolError as error:
            # What one address says about the password counts for more than what another lacks.
            failed = error if failed is None or failed.type is not ErrorType.AUTH else failed
            continue
        if homes := row.hrefs(_HOMES):
            return [dav.within(at, href) for href in homes]
        for principal in row.hrefs(_PRINCIPAL):
            url = dav.within(at, principal)
            rows = await dav.rows("PROPFIND", url, _asked("C:calendar-home-set"), depth=0)
            if addresses := [dav.within(url, href) for it in rows for href in it.hrefs(_HOMES)]:
                return addresses
    raise failed or failure(ErrorType.PERMANENT, "there are no calendars at serverUrl")


async def _asked_on(dav: Dav, url: str) -> tuple[str, DavResponse]:
    """Return what an address says about whose calendars are where, and the address to which it sent us on."""
    body = _asked("D:current-user-principal", "C:calendar-home-set").encode()
    for _ in range(_MOST_STEPS):
        answer = await dav.send("PROPFIND", url, body, {"Content-Type": _XML, "Depth": "0"})
        if answer.status in _ELSEWHERE and answer.headers.get("Location"):
            url = dav.within(url, answer.headers["Location"])
            continue
        if answer.status != 207:
            raise refused(answer, is_write=False)
        try:
            rows = read_multistatus(answer.body)
        except UnreadableMultistatus as error:
            raise failure(ErrorType.PERMANENT, f"unreadable answer: {error}") from None
        if rows:
            return url, rows[0]
        break
    raise failure(ErrorType.PERMANENT, "serverUrl leads nowhere")


def _calendar(dav: Dav, base: str, row: DavResponse) -> Listed | None:
    if f"{CALDAV}calendar" not in names(row.found.get(f"{DAV}resourcetype")):
        return None
    components = row.found.get(f"{CALDAV}supported-calendar-component-set")
    if components is not None and "VEVENT" not in {(it.get("name") or "").upper() for it in components}:
        return None
    url = dav.within(base, row.href).rstrip("/") + "/"
    own_name = unquote(url.rstrip("/").rpartition("/")[2])
    return Listed(url, row.text(f"{DAV}displayname") or own_name, _is_read_only(row))


def _is_read_only(row: DavResponse) -> bool:
    privileges = row.found.get(f"{DAV}current-user-privilege-set")
    if privileges is None:
        return False
    granted = {name for it in privileges.iter(f"{DAV}privilege") for name in names(it)}
    return bool(granted) and granted.isdisjoint(_WRITING)


def _asked(*properties: str) -> str:
    return (
        '<?xml version="1.0" encoding="utf-8"?>'
        '<D:propfind xmlns:D="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav"><D:prop>'
        + "".join(f"<{name}/>" for name in properties)
        + "</D:prop></D:propfind>"
    )
