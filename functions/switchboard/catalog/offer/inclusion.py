"""Whether a tool is offered: one row per condition, asked at listing and again at execution.

The vocabulary is closed so that every "no" can be explained. Seed 004 ("Conditional Inclusion") names the conditions
of its thirteen tools; a document that has only a category gets that category's defaults.
"""

from collections.abc import Callable, Mapping
from dataclasses import field

from switchboard.catalog.definitions.variables import PhoneNumbers
from switchboard.contract.business.agent import Agent
from switchboard.contract.business.business import CALENDARS, Business
from switchboard.contract.channel import Channel
from switchboard.contract.definitions.definition import Definition
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.vendors import CALLED, EACH_ITS_OWN

NOBODY = PhoneNumbers()
# They are our own store, whose outages the catalog knows by other means.
_BUILT_IN = frozenset({"builtinCalendar"})
_CALENDARS = frozenset({"calendar", *CALENDARS})
# Verification compares a caller with the appointments in the calendar (seed 004: it always travels with it).
_ON_THE_CALENDAR = frozenset({"calendar", "verification"})


@dataclass(frozen=True, slots=True)
class Situation:
    """What the conditions look at.

    Attributes:
        business: None when it could not be read; then every condition about it fails.
        agent: Who answers, or None where the business has no agent for it.
        attached: The tools attached to that agent; None without one.
        no_agent: That the agent that was named is not there, in a sentence; empty where none is missing.
        is_call_start: Whether it is about what runs before the first word of a phone call.
        numbers: Who calls whom, as far as tools' words speak of it.
        agents: Every agent of the business, by id.
        applies_intents: Whether whoever carries the conversation does what tools ask of it.
        is_staff: Whether somebody of the business has it done: what callers may have done is not about them.
        writes_allowed: False once the catalog has gone too long without Firestore.
        published: The names that are published now; a running session may still hold others.
        open_circuits: The business's integrations that keep failing and are left alone for a moment.
        recovering_circuits: Those that may be tried again, but have not worked since.
    """

    business: Business | None
    channel: Channel
    is_verified: bool = False
    agent: Agent | None = None
    attached: frozenset[str] | None = None
    no_agent: str = ""
    is_call_start: bool = False
    numbers: PhoneNumbers = NOBODY
    agents: Mapping[str, Agent] = field(default_factory=dict)
    applies_intents: bool = True
    is_staff: bool = False
    writes_allowed: bool = True
    published: Mapping[str, Definition] | None = None
    open_circuits: frozenset[str] = frozenset()
    recovering_circuits: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Exclusion:
    """Why a tool is not offered: the deciding condition, and a sentence an owner understands."""

    name: str
    condition: str
    reason: str


@dataclass(frozen=True, slots=True)
class Ground:
    """One of the conditions under which a tool is offered here, and a sentence an owner understands."""

    condition: str
    reason: str


TENANT = "tenant"
"""The category of tools that owners made themselves; what a business enables of the built-in ones is not about them."""

# (situation, tool, the part of the condition behind the colon) → whether it is met
_Test = Callable[[Situation, str, str], bool]


def _integration(situation: Situation, tool: str, name: str) -> bool:
    business = situation.business
    if business is None:
        return False
    if name == "calendar":
        return bool(business.usable_calendar)
    integration = business.integrations.get(name)
    return integration is not None and integration.is_usable


def _escalation(situation: Situation, tool: str, action: str) -> bool:
    return situation.business is not None and any(r.action == action for r in situation.business.escalation_rules)


def _channel(situation: Situation, tool: str, name: str) -> bool:
    return situation.channel.value == name


def _feature(situation: Situation, tool: str, name: str) -> bool:
    return situation.business is not None and name in situation.business.features


def _session(situation: Situation, tool: str, _: str) -> bool:
    return situation.is_verified


def _agent(situation: Situation, tool: str, name: str) -> bool:
    if name == "conversation":
        return situation.is_call_start
    return situation.attached is not None and tool in situation.attached


def _handover(situation: Situation, tool: str, agent_id: str) -> bool:
    return not _no_handover(situation, agent_id)


def _no_handover(situation: Situation, agent_id: str) -> str:
    """Return why a conversation cannot go on with an agent; empty where it can."""
    successor = situation.agents.get(agent_id)
    if successor is None:
        return f"it hands over to the agent {agent_id}, who is not there any more; choose another in the tool"
    if situation.agent is not None and situation.agent.id == agent_id:
        return f"it hands over to {_agent_in_words(situation)}, who answers already"
    if situation.channel not in successor.channels:
        return f"the agent {successor.name}, to whom it hands over, does not answer on {_in_words(situation.channel)}"
    if not situation.applies_intents:
        return "whoever carries the conversation here cannot go on as another agent"
    return ""


def _circuit(situation: Situation, tool: str, _: str) -> bool:
    # Also while it recovers: a caller who was offered to leave a message needs longer than a circuit stays open.
    return bool(situation.open_circuits or situation.recovering_circuits)


def _fallback(situation: Situation, tool: str, _: str) -> bool:
    # Where the owner wants messages, and where something that callers came for does not work at the moment.
    is_out_of_order = _circuit(situation, tool, "open") or _has_lost_its_calendar(situation.business)
    return _escalation(situation, tool, "message") or is_out_of_order


def _has_lost_its_calendar(business: Business | None) -> bool:
    if business is None:
        return False
    return bool(business.zone_problem) or (bool(business.calendar) and not business.usable_calendar)


# condition → (test, why not, why, which names are known; None where owners may choose their own)
_ROWS: dict[str, tuple[_Test, str, str, frozenset[str] | None]] = {
    "integration": (_integration, "{0} {connection}", "{0} is connected", None),
    "escalation": (
        _escalation,
        "no escalation rule has the action {0}",
        "an escalation rule has the action {0}",
        frozenset({"transfer", "message"}),
    ),
    "channel": (_channel, "only offered on {0}", "offered on {0}", frozenset(c.value for c in Channel)),
    "feature": (_feature, "the feature {0} is switched off", "the feature {0} is switched on", None),
    "session": (
        _session,
        "the caller's identity is not established yet",
        "the caller's identity is established",
        frozenset({"verified"}),
    ),
    "agent": (
        _agent,
        "not attached to {agent}; attach it there",
        "attached to {agent}",
        frozenset({"attached", "conversation"}),
    ),
    "fallback": (
        _fallback,
        "no escalation rule has the action message, and nothing that the business uses is out of order",
        "an escalation rule has the action message, or something that the business uses is out of order",
        frozenset({"message"}),
    ),
    "handover": (
        _handover,
        "it cannot be handed over to the agent {0}",
        "the agent {0} can go on with the conversation",
        None,
    ),
    "circuit": (
        _circuit,
        "only offered while something that the business uses is out of order",
        "something that the business uses is out of order",
        frozenset({"open"}),
    ),
}

# What owners call it, where the name in documents is another.
_SAID = {"browser_voice": "browser voice", "builtinCalendar": "the built-in calendar", **CALLED}

_CATEGORY_DEFAULTS: dict[str, tuple[str, ...]] = {
    "calendar": ("integration:calendar",),
    "verification": ("integration:calendar",),
    "records": ("feature:records",),
    "phone": ("channel:phone",),
}
# Seed 004: "phone" tools check escalation rules individually.
_TOOL_DEFAULTS: dict[str, tuple[str, ...]] = {
    "transfer_call": ("escalation:transfer",),
    "send_sms": ("escalation:message",),
}


def is_condition(text: str) -> bool:
    """Tell whether a text belongs to the vocabulary of `requires`."""
    group, _, name = text.partition(":")
    if group not in _ROWS or not name:
        return False
    known = _ROWS[group][3]
    return known is None or name in known


def vocabulary() -> tuple[str, ...]:
    """Return the forms a condition may take, for messages that help whoever wrote another one."""
    forms = []
    for group, (_, _, _, known) in _ROWS.items():
        forms += [f"{group}:{name}" for name in sorted(known)] if known else [f"{group}:<name>"]
    return tuple(forms)


def conditions(definition: Definition) -> tuple[str, ...]:
    """Return the conditions that hold for a definition: its own, or those of its category."""
    if definition.requires is not None:
        return definition.requires
    if definition.category == "phone" and definition.name in _TOOL_DEFAULTS:
        return _TOOL_DEFAULTS[definition.name]
    return _CATEGORY_DEFAULTS.get(definition.category, ())


def exclusion(definition: Definition, situation: Situation, called: str | None = None) -> Exclusion | None:
    """Return why a tool is not offered in a situation, by the first condition that fails; None when it is.

    `called` is the name that it has by now, which switches and attachments go by; empty where it is gone.
    """
    name, business = definition.name, situation.business
    now = name if called is None else called
    live = definition if situation.published is None else situation.published.get(now)
    if not situation.is_staff and (live is None or not live.is_enabled):
        return Exclusion(name, "definition:enabled", "the tool is switched off")
    is_chosen_among = business is not None and definition.category != TENANT and not situation.is_staff
    enabled = business.enabled_tools if business is not None and is_chosen_among else None
    if enabled is not None and name not in enabled:
        return Exclusion(name, "business:enabled", "the business has not enabled this tool")
    if situation.agent is not None and not _is_left_on(definition, now, situation.agent, business):
        return Exclusion(name, "agent:enabled", f"switched off for {_agent_in_words(situation)}")
    if situation.channel not in definition.channels and not situation.is_staff:
        offered = ", ".join(map(_in_words, (c.value for c in definition.channels))) or "no channel"
        return Exclusion(name, f"channel:{situation.channel.value}", f"only offered on {offered}")
    for condition in conditions(definition):
        group, _, rest = condition.partition(":")
        if group not in _ROWS or not _ROWS[group][0](situation, now, rest):
            return Exclusion(name, condition, _why(condition, situation))
    integration = integration_of(definition, business) if situation.open_circuits else None
    if integration in situation.open_circuits:
        why = f"{_in_words(integration)} keeps failing; it is tried again in seconds"
        return Exclusion(name, f"circuit:{integration}", why)
    if definition.writes and situation.no_agent:
        # Who was there may have been kept from it; in the middle of a call, looking up and putting through go on.
        return Exclusion(name, "agent:there", situation.no_agent.rstrip("."))
    if definition.writes and not situation.writes_allowed:
        return Exclusion(name, "store:reachable", "the store cannot be reached, so nothing could be recorded")
    return None


def grounds(definition: Definition, situation: Situation) -> tuple[Ground, ...]:
    """Return why a tool is offered in a situation in which nothing excludes it: every condition that it meets."""
    reasons = [Ground(f"channel:{situation.channel.value}", f"offered on {_in_words(situation.channel.value)}")]
    business = situation.business
    if business is not None and business.enabled_tools is not None and definition.category != TENANT:
        reasons.append(Ground("business:enabled", "the business has enabled this tool"))
    if situation.agent is not None:
        reasons.append(Ground("agent:enabled", f"left on for {_agent_in_words(situation)}"))
    reasons += [Ground(condition, _why_so(condition, situation)) for condition in conditions(definition)]
    return tuple(dict.fromkeys(reasons))


def _is_left_on(definition: Definition, called: str, agent: Agent, business: Business | None) -> bool:
    """Tell whether an agent may use a tool: neither it nor its toolkit is switched off there (seed 001)."""
    named = agent.tools.get(called)
    if named is not None and not named.is_enabled:
        return False
    if definition.toolkit is not None:
        toolkit = agent.toolkits.get(definition.toolkit)
        return toolkit is None or toolkit.is_enabled
    if definition.category != "calendar" or business is None:
        return True
    # An agent that may not use the business's calendar has none: the other one is no stand-in here either.
    setting = agent.toolkits.get(business.calendar)
    return setting is None or setting.is_enabled


def _why(condition: str, situation: Situation) -> str:
    group, _, rest = condition.partition(":")
    if group not in _ROWS:
        return f"unknown condition; use one of {', '.join(vocabulary())}"
    if situation.business is None and group in ("integration", "escalation", "feature"):
        return "the business could not be read"
    if condition == "agent:conversation":
        return "it only runs when a call starts"
    if group == "handover":
        return _no_handover(situation, rest)
    if rest in _CALENDARS and situation.business is not None and situation.business.zone_problem:
        return f"no calendar is used while the time zone is not known ({situation.business.zone_problem})"
    if condition == "integration:calendar" and situation.business is not None:
        return _no_calendar(situation.business)
    lack = _lack_of(rest, situation.business)
    return _ROWS[group][1].format(_in_words(rest), agent=_agent_in_words(situation), connection=lack)


def _lack_of(integration: str, business: Business | None) -> str:
    """Return what an integration that cannot be used lacks: what an owner does about it depends on which it is."""
    account = business.integrations.get(integration) if business is not None else None
    return "must be connected again" if account is not None and account.is_connected else "is not connected"


def _why_so(condition: str, situation: Situation) -> str:
    group, _, rest = condition.partition(":")
    business = situation.business
    if condition == "agent:conversation":
        return "a call starts"
    if condition == "integration:calendar" and business is not None:
        return f"{_in_words(business.usable_calendar)} is connected"
    if group == "handover":
        rest = situation.agents[rest].name
    return _ROWS[group][2].format(_in_words(rest), agent=_agent_in_words(situation))


def _no_calendar(business: Business) -> str:
    """Return why no appointments can be made."""
    if not business.calendar:
        return "no calendar is connected"
    why = f"{_in_words(business.calendar)} {_lack_of(business.calendar, business)}"
    usable = (name for name, it in business.integrations.items() if name in CALENDARS and it.is_usable)
    other = next((name for name in usable if name != business.calendar), "")
    return f"{why}; {_in_words(other)} does not stand in for it unless it is chosen" if other else why


def _agent_in_words(situation: Situation) -> str:
    return f"the agent {situation.agent.name}" if situation.agent is not None else "an agent that answers here"


def _in_words(name: str) -> str:
    return _SAID.get(name, name)


@dataclass(frozen=True, slots=True)
class Circuits:
    """Which integrations of a business are in trouble.

    Attributes:
        open: They keep failing, and must not be called now.
        recovering: They may be tried again, but have not worked since.
        shared: Those of both that fail for several businesses, and so for all of them.
    """

    open: frozenset[str] = frozenset()
    recovering: frozenset[str] = frozenset()
    shared: frozenset[str] = frozenset()


ALL_CLOSED = Circuits()


def no_circuits(business_id: str) -> Circuits:
    """Return that nothing is in trouble, for a catalog that nobody tells about circuits."""
    return ALL_CLOSED


def integration_of(definition: Definition, business: Business | None) -> str | None:
    """Return what a tool of a business calls: an integration, or the host of an owner's service.

    None for a tool that stays inside the house.
    """
    name = definition.toolkit or definition.service
    if name is None and definition.category in _ON_THE_CALENDAR and business is not None:
        name = business.usable_calendar
    return None if not name or name in _BUILT_IN else name


def is_one_vendor(integration: str) -> bool:
    """Tell whether all businesses reach the same server, for the same purpose, under an integration's name.

    Under one host many owners have services of their own: a path that is broken says nothing about the others.
    """
    return integration not in EACH_ITS_OWN and not is_owners_service(integration)


def is_owners_service(integration: str) -> bool:
    """Tell whether it is the host of a service that an owner's tool calls, rather than an integration of ours."""
    return "." in integration or ":" in integration
