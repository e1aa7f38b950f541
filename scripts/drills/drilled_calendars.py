"""The outside calendars that the drills break: each a stand-in, with what its faults are and what it holds."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

from starlette.types import ASGIApp

from drills import premises
from drills.result import Skipped
from stand_ins import calendar_connection, faults
from stand_ins.caldav_server import CALENDAR, USER, CaldavServer, NotInstalled
from stand_ins.google_calendar import GoogleCalendarStandIn
from stand_ins.microsoft_graph import MicrosoftGraphStandIn
from switchboard.contract.ports import Store
from switchboard.contract.store import Update
from switchboard.integrations.caldav import account as caldav
from switchboard.integrations.caldav.content import BOOKING as CALDAV_MARK
from switchboard.integrations.google_calendar.entries import BOOKING as GOOGLE_MARK
from switchboard.integrations.microsoft_calendar.entries import BOOKING as MICROSOFT_MARK
from switchboard.integrations.secrets.kms import LocalKeyKeeper
from switchboard.integrations.secrets.sealed_secrets import SealedSecrets

NOBODY = "nobody's"


class DrilledCalendar(ABC):
    """One account at a vendor.

    Attributes:
        title: What the tables call it.
        vendor: Who it is with.
        app: Serves it.
        faults: What goes wrong there, and what was asked.
        most_calls: How many requests a permission that is gone may still cost, however many ask at once.
    """

    most_calls = 2
    title: str
    vendor: calendar_connection.Vendor
    app: ASGIApp
    faults: faults.Faults

    @abstractmethod
    def at(self, url: str) -> Mapping[str, str]:
        """Return the setting of a server that asks it there."""

    @abstractmethod
    def revoke(self) -> None:
        """Take the owner's permission away."""

    @abstractmethod
    def entries(self) -> list[tuple[str, datetime]]:
        """Return for each entry that stands there its booking, or `NOBODY`, and when it begins, in UTC."""

    async def connect(self, store: Store, url: str) -> None:
        """Connect the drilled business to it, or connect it once more."""
        key, paths = premises.SECRETS_KEY, premises.PATHS
        await calendar_connection.connect(store, paths, premises.BUSINESS, key, url, self.vendor, **premises.SETTINGS)

    def active_entries(self) -> dict[str, int]:
        """Return how many entries stand for each booking, by its id."""
        return dict(Counter(booking for booking, _ in self.entries()))

    def entry_starts(self) -> dict[str, datetime]:
        """Return when the entry of each booking begins, by the booking's id, in UTC."""
        return dict(self.entries())


class DrilledGoogle(DrilledCalendar):
    """An account at Google."""

    title, vendor = "Google", calendar_connection.GOOGLE

    def __init__(self) -> None:
        self._account = GoogleCalendarStandIn(premises.ZONE.key)
        self.app, self.faults = self._account.app, self._account.faults

    def at(self, url: str) -> Mapping[str, str]:
        return {"google_url": url}

    def revoke(self) -> None:
        self._account.consents.revoke_all()

    def entries(self) -> list[tuple[str, datetime]]:
        return [
            (_private(event).get(GOOGLE_MARK, NOBODY), book.span(event)[0].astimezone(UTC))
            for book in self._account.books.values()
            for event in book.events.values()
            if event["status"] != "cancelled"
        ]


class DrilledMicrosoft(DrilledCalendar):
    """An account at Microsoft."""

    title, vendor = "Microsoft", calendar_connection.MICROSOFT

    def __init__(self) -> None:
        self._account = MicrosoftGraphStandIn()
        self.app, self.faults = self._account.app, self._account.faults

    def at(self, url: str) -> Mapping[str, str]:
        return {"microsoft_url": url}

    def revoke(self) -> None:
        self._account.accounts.revoke_all()

    def entries(self) -> list[tuple[str, datetime]]:
        return [
            (_marks(event).get(MICROSOFT_MARK, NOBODY), event["start"].astimezone(UTC))
            for folder in self._account.folders.values()
            for event in folder.events.values()
        ]


class DrilledCaldav(DrilledCalendar):
    """An account on Radicale, for which its owner has entered a password."""

    # Each shows the password itself: there is no token that one of them would fetch for all.
    most_calls = 20
    title, vendor = "CalDAV", calendar_connection.Vendor(caldav.INTEGRATION, caldav.TOOLKIT, ())

    def __init__(self) -> None:
        try:
            self._account = CaldavServer()
        except NotInstalled as reason:
            raise Skipped(str(reason)) from None
        self.app, self.faults = self._account.app, self._account.faults

    def at(self, url: str) -> Mapping[str, str]:
        return {"caldav": url.removeprefix("http://")}

    async def connect(self, store: Store, url: str) -> None:
        paths = premises.PATHS
        secrets = SealedSecrets(store, paths, LocalKeyKeeper.from_text(premises.SECRETS_KEY))
        await secrets.keep(premises.BUSINESS, caldav.TOOLKIT, caldav.PASSWORD, self._account.password())
        settings = {"serverUrl": url, "username": USER, "calendarUrl": f"{url}{CALENDAR}", **premises.SETTINGS}
        integration = {"isConnected": True, "needsReauth": False, "connectedAt": datetime.now(UTC), **settings}
        changes = {f"integrations.{caldav.INTEGRATION}": integration}
        await store.commit([Update(paths.within(premises.BUSINESS).business, changes)])

    def revoke(self) -> None:
        self._account.revoke_all()

    def entries(self) -> list[tuple[str, datetime]]:
        chosen = [dict(_fields(event)) for event in self._account.objects()]
        return [(fields.get(CALDAV_MARK, NOBODY), _moment(fields)) for fields in chosen]


CALENDARS: Mapping[str, type[DrilledGoogle | DrilledMicrosoft | DrilledCaldav]] = {
    "google": DrilledGoogle,
    "microsoft": DrilledMicrosoft,
    "caldav": DrilledCaldav,
}
"""By the name that `--calendar` takes."""


def _private(event: Mapping[str, Any]) -> Mapping[str, str]:
    properties = event.get("extendedProperties")
    private = properties.get("private") if isinstance(properties, dict) else None
    return private if isinstance(private, dict) else {}


def _marks(event: Mapping[str, Any]) -> Mapping[str, str]:
    return {row["id"]: row["value"] for row in event.get("singleValueExtendedProperties", ())}


def _fields(event: str) -> Iterator[tuple[str, str]]:
    for line in event.splitlines():
        name, _, value = line.partition(":")
        yield from ((key, value) for key in {name, name.partition(";")[0]})


def _moment(fields: Mapping[str, str]) -> datetime:
    named = next((name for name in fields if name.startswith("DTSTART;TZID=")), "")
    zone = ZoneInfo(named.removeprefix("DTSTART;TZID=")) if named else UTC
    local = datetime.strptime(fields["DTSTART"].removesuffix("Z"), "%Y%m%dT%H%M%S")
    return local.replace(tzinfo=zone).astimezone(UTC)
