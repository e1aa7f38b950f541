"""A business (the tenant) as the rest of the house sees it: a typed, tolerant reading of its document.

Field names and shapes are those of `businesses/{id}`; they follow seed 000 ("Data Model") and seed 004 in camelCase.
One malformed field must not take a live business off the air: it falls to a safe default and is reported.
"""

from collections.abc import Mapping, Sequence
from dataclasses import field
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from switchboard.contract.business.limits import Limits, policy_on, read_limits
from switchboard.contract.business.month_stop import (
    NO_STOP,
    STOP_FIELD,
    MonthlyUnit,
    MonthStop,
    read_month_stop,
    stop_conversations_on,
)
from switchboard.contract.business.names import folded, letters
from switchboard.contract.business.resources import (
    PERSON,
    Need,
    Resource,
    candidates,
    largest_party,
    read_needs,
    read_resources,
    usual_needs,
)
from switchboard.contract.business.working_hours import WorkingHours, read_working_hours
from switchboard.contract.business.zones import zone_named
from switchboard.contract.caller.caller_identity import LEVELS, Level, level_of
from switchboard.contract.channel import Channel
from switchboard.contract.document import moment, read_objects
from switchboard.contract.json import JsonObject
from switchboard.contract.policy import ChannelPolicy
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.vendors import OUTSIDE_CALENDARS

BUILT_IN_CALENDAR = "builtinCalendar"
"""The calendar that is the bookings themselves."""
CALENDARS = (*OUTSIDE_CALENDARS, BUILT_IN_CALENDAR)
"""Integrations that can keep a business's appointments; of two that are connected, the first counts unless one is
chosen: it is the one in which people enter events of their own."""
# Of a system that an owner named the address of.
_ACCOUNT = ("serverUrl", "username")
# Beside the integrations, the name of the one that keeps the appointments.
_CHOSEN = "calendar"
_SWITCHES = ("isConnected", "needsReauth")


@dataclass(frozen=True, slots=True)
class Service:
    """Something the business does for a caller; times are minutes, the price is as the business words it.

    What it needs is empty where it does not say: `Business.needs_of` knows what is usual.
    """

    name: str
    duration_minutes: int
    price: str = ""
    description: str = ""
    buffer_before_minutes: int = 0
    buffer_after_minutes: int = 0
    needs: tuple[Need, ...] = ()


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
        account: Whose account it is and where, as the business itself has set it: what its secret may be shown to.
            Neither an agent's settings, nor a person's, nor those of an older booking lead it elsewhere.
    """

    is_connected: bool = False
    needs_reauth: bool = False
    settings: JsonObject = field(default_factory=dict)
    agent_id: str = ""
    account: JsonObject = field(default_factory=dict)

    @property
    def is_usable(self) -> bool:
        """Whether calls to it can succeed: connected, and its authorisation not known to be gone."""
        return self.is_connected and not self.needs_reauth


@dataclass(frozen=True, slots=True)
class Business:
    """One business: who it is, what it does and when, what is connected, and what its agent may do.

    `safe_number` is rung when nothing else works, not even the store that holds the other numbers; `fillers` are said
    while a caller waits, in place of the house's own. `chosen_calendar` is one of `CALENDARS`, or empty where nobody
    has chosen; `calendar` says which one counts. `zone_problem` says why its time zone is not known; empty where it is.
    `prompt` and `model` are those of the agent that answers; empty for the house's words alone, and the house's model.
    `began_at` (aware) is when it was made, by which it is told from another of its id; None where nobody says.
    """

    id: str
    name: str = ""
    industry: str = ""
    phone: str = ""
    email: str = ""
    timezone: ZoneInfo = field(default_factory=lambda: ZoneInfo("UTC"))
    zone_problem: str = ""
    language: str = "en"
    tone: str = ""
    caller_verification: Level = "none"
    trust_caller_id: bool = False
    greeting: str = ""
    voice: str = ""
    fillers: tuple[str, ...] = ()
    prompt: str = ""
    model: str = ""
    safe_number: str = ""
    twilio_number: str = ""
    portal_url: str = ""
    website: str = ""
    address: str = ""
    services: tuple[Service, ...] = ()
    resources: tuple[Resource, ...] = ()
    working_hours: WorkingHours = field(default_factory=WorkingHours)
    integrations: Mapping[str, Integration] = field(default_factory=dict)
    chosen_calendar: str = ""
    escalation_rules: tuple[EscalationRule, ...] = ()
    features: frozenset[str] = frozenset()
    enabled_tools: frozenset[str] | None = None
    limits: Limits = frozenset()
    month_stop: MonthStop = NO_STOP
    problems: tuple[str, ...] = ()
    began_at: datetime | None = None

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
        return self.calendar if self.integrations.get(self.calendar, Integration()).is_usable else ""

    @property
    def calendar_settings(self) -> JsonObject:
        """The settings of its calendar; none where it has none."""
        return self.integrations.get(self.calendar, Integration()).settings

    def policy_on(self, channel: Channel) -> ChannelPolicy:
        """Return what one turn on a channel may cost here."""
        return policy_on(channel, self.limits)

    def stopped(self, now: datetime) -> frozenset[MonthlyUnit]:
        """Return of what as much was used this month, by the business's calendar, as its limits allow."""
        return self.month_stop.units(now, self.timezone)

    def begins_conversations(self, channel: Channel, now: datetime) -> bool:
        """Tell whether a conversation may begin on a channel, as far as the month's limits are concerned."""
        return self.stopped(now).isdisjoint(stop_conversations_on(channel))

    @property
    def people(self) -> tuple[Resource, ...]:
        """Those whom appointments are with, in the order in which they were entered."""
        return tuple(resource for resource in self.resources if resource.kind == PERSON)

    def needs_of(self, service: Service | None) -> tuple[Need, ...]:
        """Return what an appointment for a service, or for a mere length of time, takes up."""
        return (service.needs if service is not None and self.resources else ()) or usual_needs(self.resources)

    @property
    def takes_parties(self) -> bool:
        """Whether anything here is for several people together."""
        services: Sequence[Service | None] = self.services or (None,)
        return any(self.most_together(service) > 1 for service in services)

    def most_together(self, service: Service | None) -> int:
        """Return how many can come together for a service, or for a mere length of time; 0 where nobody does it."""
        if not self.resources:
            return 1
        return largest_party(self.needs_of(service), self.resources, service.name if service is not None else "")

    def people_for(self, service: Service) -> tuple[Resource, ...]:
        """Return those people with whom a service can be had."""
        needs = [need for need in self.needs_of(service) if need.kind == PERSON]
        able = {person.id for need in needs for person in candidates(need, self.resources, service.name)}
        return tuple(person for person in self.people if person.id in able)

    def service_named(self, name: str) -> Service | None:
        """Return the service of that name, however it is spelt, or else the only one of those letters; or None."""
        key = folded(name)
        exact = next((service for service in self.services if folded(service.name) == key), None)
        if exact is not None or not (heard := letters(name)):
            return exact
        alike = [service for service in self.services if letters(service.name) == heard]
        return alike[0] if len(alike) == 1 else None


def read_business(business_id: str, data: Mapping[str, Any]) -> Business:
    """Read a business document; what cannot be used falls to a safe default and is named in `problems`.

    A business whose time zone is unknown has no calendar: an appointment in the wrong zone is worse than none.
    """
    read = _Reader(data)
    zone, zone_problem = read.zone()
    ai = read.mapping("ai")
    return Business(
        id=business_id,
        name=read.text("name") or business_id,
        industry=read.text("industry"),
        phone=read.text("phone"),
        email=read.text("email"),
        timezone=zone,
        zone_problem=zone_problem,
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
        resources=read_resources(data.get("resources"), read.problems),
        working_hours=read_working_hours(data.get("workingHours"), "workingHours", read.problems),
        integrations=read.integrations(() if zone_problem == "" else CALENDARS),
        chosen_calendar=read.chosen_calendar(),
        escalation_rules=read.escalation_rules(),
        features=read.features(),
        enabled_tools=read.enabled_tools(),
        limits=read.limits(),
        month_stop=read_month_stop(data.get(STOP_FIELD)),
        problems=tuple(read.problems),
        began_at=moment(data.get("createdAt")),
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

    def zone(self) -> tuple[ZoneInfo, str]:
        zone, problem = zone_named(self._data.get("timezone"), self._data)
        if problem:
            self.problems.append(f"timezone: {problem}")
        return zone, self.problems[-1] if problem else ""

    def level(self, word: Any) -> Level:
        # Towards the safe side: a misspelt level must not leave the door open.
        if word is not None and word not in LEVELS:
            self.problems.append(f"ai.callerVerification: {word!r} is not one of {', '.join(LEVELS)}; code holds")
        return level_of(word)

    def services(self) -> tuple[Service, ...]:
        services = []
        for row in read_objects(self._data.get("services"), "services", self.problems):
            name, minutes = row.get("name"), row.get("durationMinutes", 30)
            if not isinstance(name, str) or not name.strip() or not _is_minutes(minutes, 1):
                self.problems.append(f"services: {name!r} needs a name and durationMinutes between 1 and 1440")
                continue
            buffers = [row.get("bufferBeforeMinutes", 0), row.get("bufferAfterMinutes", 0)]
            if not all(_is_minutes(b, 0) for b in buffers):
                self.problems.append(f"services: the buffers of {name!r} must be minutes between 0 and 1440")
                buffers = [0, 0]
            needs = read_needs(row["needs"], f"services.{name}.needs", self.problems) if "needs" in row else ()
            services.append(
                Service(
                    name=" ".join(name.split()),
                    duration_minutes=int(minutes),
                    price=str(row.get("price") or ""),
                    description=str(row.get("description") or ""),
                    buffer_before_minutes=int(buffers[0]),
                    buffer_after_minutes=int(buffers[1]),
                    needs=needs,
                )
            )
        return tuple(services)

    def integrations(self, left_out: Sequence[str]) -> Mapping[str, Integration]:
        by_name = {}
        for name, value in self.mapping("integrations").items():
            if name == _CHOSEN or name in left_out:
                continue
            if not isinstance(value, Mapping):
                self.problems.append(f"integrations.{name}: expected an object")
                continue
            self.problems += [
                f"integrations.{name}.{switch}: {value[switch]!r} is neither true nor false, and counts as false"
                for switch in _SWITCHES
                if not isinstance(value.get(switch, False), bool | None)
            ]
            by_name[name] = Integration(
                is_connected=value.get("isConnected") is True,
                needs_reauth=value.get("needsReauth") is True,
                settings={k: v for k, v in value.items() if k not in _SWITCHES},
                account={k: value[k] for k in _ACCOUNT if k in value},
            )
        return by_name

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
            for row in read_objects(self.mapping("escalation").get("rules"), "escalation.rules", self.problems)
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
        limits, problems = read_limits(self._data.get("limits"))
        self.problems += problems
        return limits

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
