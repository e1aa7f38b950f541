"""A salon whose calendar is on a real CalDAV server: everything between the port and the disk is real."""

from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from typing import Any
from uuid import uuid4
from zoneinfo import ZoneInfo

import httpx2 as httpx

from switchboard.contract.business.business import Business, read_business
from switchboard.integrations.caldav.account import INTEGRATION, PASSWORD, TOOLKIT
from switchboard.integrations.caldav.calendar import CaldavCalendar
from switchboard.integrations.caldav.calendars import CaldavCalendars
from switchboard.integrations.caldav.dav import DavEgress
from switchboard.integrations.secrets.kms import LocalKeyKeeper
from switchboard.integrations.secrets.sealed_secrets import SealedSecrets
from switchboard.state.memory.store import MemoryStore
from switchboard.state.paths import FirestorePaths
from tests.integrations.caldav import radicale_server
from tests.integrations.caldav.front import Front
from tests.integrations.calendar_premises import MovingClock

SALON = "demo-salon"
ZONE = ZoneInfo("America/New_York")
DAY = datetime(2027, 3, 10, tzinfo=ZONE)
_MAKE = (
    '<C:mkcalendar xmlns="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav"><set><prop><displayname>{name}</displayname>'
    '<C:supported-calendar-component-set><C:comp name="{kind}"/></C:supported-calendar-component-set>'
    "</prop></set></C:mkcalendar>"
)


@dataclass
class Premises:
    """The salon, its secrets, the server, and the way to it."""

    url: str
    front: Front
    store: MemoryStore = field(default_factory=MemoryStore)
    clock: MovingClock = field(default_factory=MovingClock)

    def __post_init__(self) -> None:
        self.secrets = SealedSecrets(self.store, FirestorePaths(), LocalKeyKeeper(b"k" * 32))
        self.egress = DavEgress(stand_ins=[self.url.removeprefix("http://")])
        self.calendars = CaldavCalendars(self.egress, self.secrets, self.clock)
        self.path = f"/{radicale_server.USER.replace('@', '%40')}/{uuid4().hex}/"
        self.person = httpx.Client(
            base_url=self.front.url, auth=(radicale_server.USER, radicale_server.PASSWORD), timeout=60, verify=False
        )

    def make_calendar(self, path: str, name: str = "Appointments", kind: str = "VEVENT") -> None:
        """Let a person make a calendar."""
        made = self.person.request("MKCALENDAR", path, content=_MAKE.format(name=name, kind=kind))
        assert made.status_code == 201

    def business(self, **settings: Any) -> Business:
        own = {
            "isConnected": True,
            "serverUrl": self.url,
            "username": radicale_server.USER,
            "calendarUrl": self.url + self.path,
            **settings,
        }
        return read_business(SALON, {"timezone": ZONE.key, "integrations": {INTEGRATION: own}})

    async def keep_password(self, password: str = radicale_server.PASSWORD) -> None:
        await self.secrets.keep(SALON, TOOLKIT, PASSWORD, password)

    async def calendar(self, **settings: Any) -> CaldavCalendar:
        """Return the calendar of a salon whose owner has set it up."""
        await self.keep_password()
        found = await self.calendars.of(self.business(**settings))
        assert found is not None
        return found

    def put(self, *events: str, name: str | None = None, zones: str = "") -> str:
        """Let a person's client put an object there: what stands in each of its events, line by line."""
        name = name or uuid4().hex
        body = "".join(f"BEGIN:VEVENT\n{self._usual(event, name)}{event.strip()}\nEND:VEVENT\n" for event in events)
        text = f"BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:-//a person//EN\n{zones}{body}END:VCALENDAR\n"
        answer = self.person.put(
            f"{self.path}{name}.ics",
            content=text.replace("\n", "\r\n").encode(),
            headers={"Content-Type": "text/calendar; charset=utf-8"},
        )
        assert answer.status_code == 201, answer.text
        return name

    @staticmethod
    def _usual(event: str, name: str) -> str:
        usual = {"UID": name, "DTSTAMP": "20270101T000000Z", "SUMMARY": "a person's"}
        lines = {line.split(":")[0].split(";")[0] for line in event.strip().splitlines()}
        return "".join(f"{key}:{value}\n" for key, value in usual.items() if key not in lines)

    def text_of(self, id: str) -> str:
        """Return an entry as the server keeps it."""
        return self.person.get(f"{self.path}{id}.ics").text


def line(name: str, moment: datetime | date) -> str:
    """Return a property that holds a time, in the zone that it comes with; without one, floating."""
    if not isinstance(moment, datetime):
        return f"{name};VALUE=DATE:{moment:%Y%m%d}"
    if moment.tzinfo is None:
        return f"{name}:{moment:%Y%m%dT%H%M%S}"
    if isinstance(moment.tzinfo, ZoneInfo):
        return f"{name};TZID={moment.tzinfo.key}:{moment:%Y%m%dT%H%M%S}"
    return f"{name}:{moment.astimezone(UTC):%Y%m%dT%H%M%SZ}"


def times(start: datetime | date, end: datetime | date | None = None) -> str:
    """Return the lines of an event's times; an hour where no end is given."""
    hour = isinstance(start, datetime)
    return (
        f"{line('DTSTART', start)}\n{line('DTEND', end or start + (timedelta(hours=1) if hour else timedelta(days=1)))}"
    )
