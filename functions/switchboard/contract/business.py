"""A business (the tenant) as the rest of the house sees it: a typed, tolerant reading of its document.

Field names and shapes are those of `businesses/{id}`; they follow seed 000 ("Data Model") and seed 004 in camelCase.
One malformed field must not take a live business off the air: it falls to a safe default and is reported.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, time
from typing import Any
from zoneinfo import ZoneInfo

from switchboard.contract.channel import Channel
from switchboard.contract.json import JsonObject
from switchboard.contract.limits import Limits, policy_on, read_limits
from switchboard.contract.policy import ChannelPolicy
from switchboard.contract.standing import LEVELS, Level, level_of

WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
BUILT_IN_CALENDAR = "builtinCalendar"
"""The calendar that is the bookings themselves."""
OUTSIDE_CALENDARS: Mapping[str, str] = {
    "googleCalendar": "Google Calendar",
    "microsoftCalendar": "Microsoft 365",
    "caldavCalendar": "a CalDAV calendar",
}
"""Integrations that keep a business's appointments outside, by what owners call them."""
CALENDARS = (*OUTSIDE_CALENDARS, BUILT_IN_CALENDAR)
"""Integrations that can keep a business's appointments; of two that are connected, the first counts unless one is
chosen: it is the one in which people enter events of their own."""
# Beside the integrations, the name of the one that keeps the appointments.
_CHOSEN = "calendar"
_CLOCK = re.compile(r"^([01]\d|2[0-3]):([0-5]\d)$")


@dataclass(frozen=True, slots=True)
class Service:
    """Something the business does for a caller; times are minutes, the price is as the business words it."""

    name: str
    duration_minutes: int
    price: str = ""
    description: str = ""
    buffer_before_minutes: int = 0
    buffer_after_minutes: int = 0


@dataclass(frozen=True, slots=True)
class Opening:
    """A stretch of opening time within one local day; `closes` may be 24:00, said as `time.max`."""

    opens: time
    closes: time


@dataclass(frozen=True, slots=True)
class WorkingHours:
    """When the business is open, in its own time zone: a weekly pattern and the days that differ."""

    weekly: Mapping[int, tuple[Opening, ...]] = field(default_factory=dict)
    exceptions: Mapping[date, tuple[Opening, ...]] = field(default_factory=dict)

    @property
    def is_known(self) -> bool:
        """Whether the business has said when it is open at all."""
        return any(self.weekly.values()) or any(self.exceptions.values())

    def on(self, day: date) -> tuple[Opening, ...]:
        """Return the openings of one local day, earliest first; empty when closed."""
        if day in self.exceptions:
            return self.exceptions[day]
        return self.weekly.get(day.weekday(), ())


@dataclass(frozen=True, slots=True)
class EscalationRule:
    """What may be done when the agent cannot help: `transfer` to a person or take a `message`."""

    action: str
    id: str = ""
    label: str = ""
    data: JsonObject = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Integration:
    """One connected outside system: whether it is usable, and its public settings.

    Attributes:
        is_connected: Whether its owner has connected it.
        needs_reauth: Whether its authorisation is known to be gone.
        settings: As its toolkit's configuration says.
        agent_id: The agent whose own settings and secrets come first; empty for the business's.
    """

    is_connected: bool = False
    needs_reauth: bool = False
    settings: JsonObject = field(default_factory=dict)
    agent_id: str = ""

    @property
    def is_usable(self) -> bool:
        """Whether calls to it can succeed: connected, and its authorisation not known to be gone."""
        return self.is_connected and not self.needs_reauth


@dataclass(frozen=True, slots=True)
class Business:
    """One business: who it is, what it does and when, what is connected, and what its agent may do.

    `safe_number` is rung when nothing else works, not even the store that holds the other numbers; `fillers` are said
    while a caller waits, in place of the house's own. `chosen_calendar` is one of `CALENDARS`, or empty where nobody
    has chosen; `calendar` says which one counts.
    """

    id: str
    name: str = ""
    industry: str = ""
    phone: str = ""
    email: str = ""
    timezone: ZoneInfo = field(default_factory=lambda: ZoneInfo("UTC"))
    language: str = "en"
    tone: str = ""
    caller_verification: Level = "none"
    trust_caller_id: bool = False
    greeting: str = ""
    voice: str = ""
    fillers: tuple[str, ...] = ()
    safe_number: str = ""
    twilio_number: str = ""
    portal_url: str = ""
    website: str = ""
    address: str = ""
    services: tuple[Service, ...] = ()
    working_hours: WorkingHours = field(default_factory=WorkingHours)
    integrations: Mapping[str, Integration] = field(default_factory=dict)
    chosen_calendar: str = ""
    escalation_rules: tuple[EscalationRule, ...] = ()
    features: frozenset[str] = frozenset()
    enabled_tools: frozenset[str] | None = None
    limits: Limits = frozenset()
    problems: tuple[str, ...] = ()

    @property
    def calendar(self) -> str:
        """The integration that keeps this business's appointments, usable or not; empty where there is none.

        It has no stand-in: appointments that another calendar took would be made over events which only this one
        holds. So the one that was chosen stays it while it is not connected, and one that was connected stays it while
        its authorisation is gone.
        """
        if self.chosen_calendar:
            return self.chosen_calendar
        states = {name: self.integrations.get(name, Integration()) for name in CALENDARS}
        return next((name for name, it in states.items() if it.is_connected or it.needs_reauth), "")

    @property
    def usable_calendar(self) -> str:
        """Its calendar if appointments can be looked up and made there now, else empty."""
        found = self.integrations.get(self.calendar)
        return self.calendar if found is not None and found.is_usable else ""

    @property
    def calendar_settings(self) -> JsonObject:
        """The settings of its calendar; none where it has none."""
        found = self.integrations.get(self.calendar)
        return found.settings if found is not None else {}

    def policy_on(self, channel: Channel) -> ChannelPolicy:
        """Return what one turn on a channel may cost here."""
        return policy_on(channel, self.limits)

    def service_named(self, name: str) -> Service | None:
        """Return the service of that name, ignoring case and surrounding blanks, or None."""
        wanted = " ".join(name.split()).casefold()
        return next((s for s in self.services if s.name.casefold() == wanted), None)


def read_business(business_id: str, data: Mapping[str, Any]) -> Business:
    """Read a business document; what cannot be used falls to a safe default and is named in `problems`.

    A business whose time zone is unknown keeps no integrations: an appointment in the wrong zone is worse than none.
    """
    read = _Reader(data)
    zone, zone_known = read.zone()
    ai = read.mapping("ai")
    return Business(
        id=business_id,
        name=read.text("name") or business_id,
        industry=read.text("industry"),
        phone=read.text("phone"),
        email=read.text("email"),
        timezone=zone,
        language=str(ai.get("language") or "en"),
        tone=str(ai.get("tone") or ""),
        caller_verification=read.level(ai.get("callerVerification")),
        trust_caller_id=ai.get("trustCallerId") is True,
        greeting=str(ai.get("greeting") or ""),
        voice=str(ai.get("voice") or ""),
        fillers=read.texts("ai.fillers", ai.get("fillers")),
        safe_number=str(read.mapping("escalation").get("safeNumber") or ""),
        twilio_number=read.text("twilioNumber"),
        portal_url=read.text("portalUrl"),
        website=read.text("website"),
        address=read.text("address"),
        services=read.services(),
        working_hours=read.working_hours(),
        integrations=read.integrations() if zone_known else {},
        chosen_calendar=read.chosen_calendar(),
        escalation_rules=read.escalation_rules(),
        features=read.features(),
        enabled_tools=read.enabled_tools(),
        limits=read.limits(),
        problems=tuple(read.problems),
    )


class _Reader:
    """Reads one document field by field and collects what it could not use."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self._data = data
        self.problems: list[str] = []

    def text(self, name: str) -> str:
        value = self._data.get(name)
        if value is None or isinstance(value, str):
            return value or ""
        self.problems.append(f"{name}: expected text, found {type(value).__name__}")
        return ""

    def mapping(self, name: str) -> Mapping[str, Any]:
        value = self._data.get(name)
        if value is None or isinstance(value, Mapping):
            return value or {}
        self.problems.append(f"{name}: expected an object, found {type(value).__name__}")
        return {}

    def texts(self, name: str, value: Any) -> tuple[str, ...]:
        if value is None:
            return ()
        if not isinstance(value, list):
            self.problems.append(f"{name}: expected a list, found {type(value).__name__}")
            return ()
        good = tuple(" ".join(text.split()) for text in value if isinstance(text, str) and text.strip())
        if len(good) < len(value):
            self.problems.append(f"{name}: every entry must be text; {len(value) - len(good)} left out")
        return good

    def rows(self, name: str, value: Any) -> list[Mapping[str, Any]]:
        if value is None:
            return []
        if not isinstance(value, list):
            self.problems.append(f"{name}: expected a list, found {type(value).__name__}")
            return []
        good = [row for row in value if isinstance(row, Mapping)]
        if len(good) < len(value):
            self.problems.append(f"{name}: every entry must be an object; {len(value) - len(good)} left out")
        return good

    def zone(self) -> tuple[ZoneInfo, bool]:
        name = self._data.get("timezone") or "UTC"
        try:
            return ZoneInfo(name), True
        except (KeyError, ValueError, TypeError, OSError):
            self.problems.append(f"timezone: {name!r} is not an IANA zone such as Europe/Berlin")
            return ZoneInfo("UTC"), False

    def level(self, word: Any) -> Level:
        # Towards the safe side: a misspelt level must not leave the door open.
        if word is not None and word not in LEVELS:
            self.problems.append(f"ai.callerVerification: {word!r} is not one of {', '.join(LEVELS)}; code holds")
        return level_of(word)

    def services(self) -> tuple[Service, ...]:
        found = []
        for row in self.rows("services", self._data.get("services")):
            name, minutes = row.get("name"), row.get("durationMinutes", 30)
            if not isinstance(name, str) or not name.strip() or not _is_minutes(minutes, 1):
                self.problems.append(f"services: {name!r} needs a name and durationMinutes between 1 and 1440")
                continue
            buffers = [row.get("bufferBeforeMinutes", 0), row.get("bufferAfterMinutes", 0)]
            if not all(_is_minutes(b, 0) for b in buffers):
                self.problems.append(f"services: the buffers of {name!r} must be minutes between 0 and 1440")
                buffers = [0, 0]
            found.append(
                Service(
                    name=" ".join(name.split()),
                    duration_minutes=int(minutes),
                    price=str(row.get("price") or ""),
                    description=str(row.get("description") or ""),
                    buffer_before_minutes=int(buffers[0]),
                    buffer_after_minutes=int(buffers[1]),
                )
            )
        return tuple(found)

    def working_hours(self) -> WorkingHours:
        data = self.mapping("workingHours")
        weekly = {day: self._openings(name, data.get(name)) for day, name in enumerate(WEEKDAYS)}
        exceptions: dict[date, tuple[Opening, ...]] = {}
        special = data.get("exceptions") or {}
        if not isinstance(special, Mapping):
            self.problems.append("workingHours.exceptions: expected an object of dates")
            special = {}
        for text, value in special.items():
            try:
                exceptions[date.fromisoformat(text)] = self._openings(text, value)
            except ValueError:
                self.problems.append(f"workingHours.exceptions: {text!r} is not a date such as 2026-12-24")
        return WorkingHours(weekly, exceptions)

    def _openings(self, name: str, value: Any) -> tuple[Opening, ...]:
        if value is None or value in ("closed", []):
            return ()
        rows = self.rows(f"workingHours.{name}", [value] if isinstance(value, Mapping) else value)
        openings = []
        for row in rows:
            opens, closes = _clock(row.get("open")), _clock(row.get("close"))
            if opens is None or closes is None or opens >= closes:
                self.problems.append(
                    f"workingHours.{name}: needs open before close, as HH:MM (24:00 ends the day; hours past midnight "
                    "belong to the next day, from 00:00)"
                )
                continue
            openings.append(Opening(opens, closes))
        return tuple(sorted(openings, key=lambda o: o.opens))

    def integrations(self) -> Mapping[str, Integration]:
        found = {}
        for name, value in self.mapping("integrations").items():
            if name == _CHOSEN:
                continue
            if not isinstance(value, Mapping):
                self.problems.append(f"integrations.{name}: expected an object")
                continue
            found[name] = Integration(
                is_connected=value.get("isConnected") is True,
                needs_reauth=value.get("needsReauth") is True,
                settings={k: v for k, v in value.items() if k not in ("isConnected", "needsReauth")},
            )
        return found

    def chosen_calendar(self) -> str:
        value = self.mapping("integrations").get(_CHOSEN)
        if value is None or (isinstance(value, str) and value in CALENDARS):
            return value or ""
        known = " or ".join(CALENDARS)
        self.problems.append(f"integrations.{_CHOSEN}: {value!r} is not {known}; the one that is connected is used")
        return ""

    def escalation_rules(self) -> tuple[EscalationRule, ...]:
        return tuple(
            EscalationRule(
                action=str(row.get("action") or ""),
                id=str(row.get("id") or ""),
                label=str(row.get("label") or ""),
                data=dict(row),
            )
            for row in self.rows("escalation.rules", self.mapping("escalation").get("rules"))
        )

    def features(self) -> frozenset[str]:
        value = self._data.get("features") or {}
        if isinstance(value, Mapping):
            return frozenset(name for name, on in value.items() if on is True)
        if isinstance(value, list):
            return frozenset(name for name in value if isinstance(name, str))
        self.problems.append("features: expected an object of switches or a list of names")
        return frozenset()

    def limits(self) -> Limits:
        found, problems = read_limits(self._data.get("limits"))
        self.problems += problems
        return found

    def enabled_tools(self) -> frozenset[str] | None:
        value = self._data.get("enabledTools")
        if value is None:
            return None
        if isinstance(value, list):
            return frozenset(name for name in value if isinstance(name, str))
        self.problems.append("enabledTools: expected a list of tool names; all tools count as enabled")
        return None


def _is_minutes(value: Any, least: int) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and least <= value <= 1440


def _clock(text: Any) -> time | None:
    if text == "24:00":
        return time.max
    match = _CLOCK.match(text) if isinstance(text, str) else None
    return time(int(match[1]), int(match[2])) if match else None
