"""The system prompt of a conversation: the owner's templates, filled for this business, and words about its tools.

Seed 000 ("System Prompt Template", "Tool Usage Policy") names the two templates; seed 003 ("Text Mode", "Voice Mode")
how much of the tools' documentation goes with them. A prompt is composed for one channel, one business and the tools
that are told: no rule is about a tool that is not there, and no example about another business. It stays the same from
turn to turn, but where the hours of those who can be rung begin or end; what changes, the clock above all, is told
beside what the caller says, so that vendors can keep the rest in their caches.
"""

import re
from calendar import month_name
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final, NamedTuple

from cachetools import LRUCache

from switchboard.catalog.definitions.variables import fill
from switchboard.catalog.offer.alternatives import Alternatives
from switchboard.catalog.offer.offer import DONE, USUAL_TOPICS, Offer, usual_topics
from switchboard.contract.business.business import Business
from switchboard.contract.business.languages import language_of
from switchboard.contract.business.working_hours import WEEKDAYS, Opening
from switchboard.contract.cache import Cache
from switchboard.contract.channel import Channel
from switchboard.contract.context import Context, PhoneContext
from switchboard.contract.policy import CHANNEL_POLICY, DEFINITION_TTL_S
from switchboard.contract.ports import Clock, Paths, Store
from switchboard.contract.store import Query, StoreError

SYSTEM: Final = "system"
TOOL_USAGE: Final = "tool_usage"
_PROMPTS_KEPT = 2_000
_WHEN_CHARACTERS = 300
_PEOPLE_CHARACTERS = 1_200
_CHAT = (
    "This is a chat: the caller reads and types. Write plain words, at most **emphasis** and short lists: no headings, "
    "tables, code or HTML, and no links but to the business's own website. "
)
_SPOKEN = (
    "The caller hears you: plain words, no lists, markup or web addresses; numbers and times as spoken. "
    "Before a tool call, say briefly that you look, never that it is done. "
)
_IN_THEIRS = "Who speaks another language is answered in it."
_NOTES = "The house notes what is true right now; only its newest note counts."
# Guides beyond this would cost every turn more than they explain.
_GUIDE_CHARACTERS = 2_000
# What a guide says for whoever reads it apart from the schema. Its examples are about the business that it was written
# for, and its parameters stand in the declaration, so that neither is told again.
_NOT_FOR_MODELS = re.compile(r"(?ms)^##\s+(?:Parameters|Examples?)\b.*?(?=^##?\s|\Z)")

_ABOUT_TOPICS: Final = ("get_policies", "get_faqs")
# (tools any of which it is about, channels, what is said); in this order.
_ANY: Final = frozenset(Channel)
_RULES: tuple[tuple[tuple[str, ...], frozenset[Channel], str], ...] = (
    (
        _ABOUT_TOPICS,
        _ANY,
        f"Policies and frequent questions need a topic. {USUAL_TOPICS}",
    ),
    (
        ("lookup_appointment", "get_latest_booking"),
        frozenset({Channel.PHONE}),
        "Look a booking up by the phone number of this call, which the tools know.",
    ),
    (("book_appointment",), _ANY, "Before you book something, read the details back and wait for a yes."),
    (
        ("transfer_call", "end_call"),
        _ANY,
        "Once a tool says the call was transferred or ended, say nothing more.",
    ),
)


# Said of the tools whose definition says `confirm`.
_ASKS_ITSELF = (
    "Call {} at once when the caller wants it: the house then asks, word for word, and tells you the answer. Do not "
    "ask or read back. Several go into one answer and are one question."
)
# Where an appointment can be moved as well as cancelled.
_WHICH = " Another day is a move; if unsure, ask which."
# Also of these, where it is written down what it costs to cancel: afterwards is too late to hear of it.
_MAY_COST = " With it, look up what it may cost (get_policies: cancellation, reschedule) and say so."
_MAY_COST_ELSEWHERE = " With it, look up what it may cost (get_policies) and say so."


# The rules stand above it, and behind it what is true of every conversation.
_OWN_WORDS = "How you do this work here, as the business wants it done; the rules above hold all the same:"


class _Written(NamedTuple):
    """The lasting part of a prompt, and what it was written from."""

    business: Business | None
    templates: Mapping[str, str]
    text: str


class _Reachable(NamedTuple):
    """Who can be had at a moment: the ways that are open, and the transfer rules by which somebody can be rung."""

    ways: Alternatives
    rules: tuple[str, ...]

    @classmethod
    def at(cls, offer: Offer, now: datetime) -> "_Reachable":
        ways = offer.ways_out()
        return cls(ways.at(now), ways.rules_at(now))


class Prompts:
    """Writes system prompts."""

    def __init__(self, store: Store, paths: Paths, builtin: Mapping[str, str], clock: Clock) -> None:
        """Read templates from `store`; those of the artifact serve where it has none, or does not answer."""
        self._store, self._paths, self._builtin, self._clock = store, paths, builtin, clock
        self._templates: Cache[str, Mapping[str, str]] = Cache(clock, DEFINITION_TTL_S, 1, self._read)
        self._written: LRUCache[tuple[object, ...], _Written] = LRUCache(_PROMPTS_KEPT)

    async def system(self, offer: Offer, facts: Context) -> str:
        """Return the system prompt for what is offered to this caller; `moment` tells what changes."""
        cached = self._templates.fresh("")
        templates = cached.value if cached is not None else await self._current()
        reachable = _Reachable.at(offer, self._clock.now())
        key = (facts.business_id, offer.channel, offer.catalog_version, reachable.ways.transfers, reachable.rules)
        known = self._written.get(key)
        if known is None or known.business is not offer.business or known.templates is not templates:
            known = self._written[key] = _Written(offer.business, templates, _lasting(templates, offer, reachable))
        return known.text

    def moment(self, offer: Offer, facts: Context) -> str:
        """Return what is true right now: the time, whether the business is open, what is known of the caller."""
        return _momentary(offer.business, facts, self._clock.now())

    async def _current(self) -> Mapping[str, str]:
        try:
            return (await self._templates.get("")).value
        except StoreError:
            return self._builtin

    async def _read(self, _: str) -> Mapping[str, str]:
        documents = await self._store.query(Query(self._paths.prompt_templates))
        texts = {document.id: document.data.get("text") for document in documents}
        written = {name: text for name, text in texts.items() if isinstance(text, str) and text.strip()}
        return {**self._builtin, **written}


def _lasting(templates: Mapping[str, str], offer: Offer, reachable: _Reachable) -> str:
    """Return the part that stays the same as long as the business, its offer and who can be reached do."""
    words = _variables(offer, reachable.ways)
    written = [templates.get(name, "") for name in (SYSTEM, TOOL_USAGE)]
    parts = [fill(text, offer.business, words).strip() for text in written]
    # An owner's template without it may offer what cannot be had here.
    last = "" if _is_filled(written, "ways_out") else words["ways_out"]
    # Nor do the tools' declarations say this.
    name = "" if _is_filled(written, "business.name") else _name(offer.business)
    services = "" if _is_filled(written, "services_summary") else _services(offer.business)
    topics = "" if _is_filled(written, "tool_rules") else _topics(offer)
    manner = (_CHAT if offer.channel is Channel.PORTAL else _SPOKEN) + _IN_THEIRS
    composed = (
        *parts,
        name,
        services,
        topics,
        _about(offer, reachable),
        _of_agent(offer.business, words),
        _guides(offer),
        last,
        manner,
        DONE,
        _NOTES,
    )
    return "\n\n".join(part for part in composed if part)


def _of_agent(business: Business | None, words: Mapping[str, str]) -> str:
    """Return what the agent that answers is told beside the house's words; empty where nothing is."""
    return f"{_OWN_WORDS}\n{fill(business.prompt, business, words)}" if business and business.prompt else ""


def _is_filled(templates: Sequence[str], *names: str) -> bool:
    """Tell whether one of the templates has a place for one of the named texts."""
    places = ["{{" + name + "}}" for name in names]
    return any(place in text.replace(" ", "") for text in templates for place in places)


def _name(business: Business | None) -> str:
    return f"You speak for {business.name}." if business and business.name else ""


def _services(business: Business | None) -> str:
    return f"What the business offers:\n{services_summary(business)}" if business and business.services else ""


def _topics(offer: Offer) -> str:
    return usual_topics(offer.business) if {tool.name for tool in offer.told}.intersection(_ABOUT_TOPICS) else ""


def _about(offer: Offer, reachable: _Reachable) -> str:
    """Return where the business is, how it is reached, and when its owner wants to be told, or rung where one is."""
    business, ways = offer.business, reachable.ways
    if business is None:
        return ""
    known = {"Address": business.address, "Phone": business.phone, "E-mail": business.email}
    lines = [f"{name}: {value}" for name, value in known.items() if value]
    lines += [people_summary(business)] if business.people and business.usable_calendar else []
    # A spoken web address helps nobody.
    lines += [f"Website: {business.website}"] if business.website and not offer.channel.is_spoken else []
    for rule in business.escalation_rules:
        transfers = ways.transfers if rule.id in reachable.rules else ()
        tools = transfers if rule.action == "transfer" else ways.messages if rule.action == "message" else ()
        when = rule.data.get("when")
        if tools and isinstance(when, str) and when.strip():
            lines.append(f"{rule.label or rule.id} ({' or '.join(tools)}): {' '.join(when.split())[:_WHEN_CHARACTERS]}")
    return "\n".join(lines)


def _momentary(business: Business | None, facts: Context, now: datetime) -> str:
    """Return what is true right now; who is calling is said only as far as the house itself knows it."""
    zone = business.timezone if business else None
    local = now.astimezone(zone)
    lines = []
    if facts.caller_phone:
        lines.append("The caller's phone number is known to the tools.")
    elif isinstance(facts, PhoneContext) and facts.is_withheld:
        lines.append("The caller's phone number is withheld: ask for one where somebody is to answer.")
    if facts.caller_verified:
        lines.append("The caller's identity is established.")
    if facts.language and business and language_of(facts.language) != language_of(business.language):
        lines.append(f"The caller speaks {facts.language}.")
    now_words = f"It is now {local:%A, %Y-%m-%d, %H:%M} ({zone.key if zone else 'UTC'})."
    lines.append(" ".join(part for part in (now_words, _open_now(business, local)) if part))
    return "\n".join(lines)


def _guides(offer: Offer) -> str:
    """Return the tools' guides for those who read, where they are short.

    What each tool does is not said here: its declaration, which goes with every request, begins with that.
    """
    if offer.channel is not Channel.PORTAL:
        return ""
    guides = [_NOT_FOR_MODELS.sub("", tool.tool.guide).strip() for tool in offer.told]
    return "\n\n".join(guides) if sum(map(len, guides)) <= _GUIDE_CHARACTERS else ""


def _variables(offer: Offer, ways: Alternatives) -> Mapping[str, str]:
    business = offer.business
    policy = business.policy_on(offer.channel) if business is not None else CHANNEL_POLICY[offer.channel]
    return {
        "limits.calls_per_turn": str(policy.calls_per_turn),
        "limits.retrieval_calls_per_turn": str(policy.retrieval_calls_per_turn),
        "services_summary": services_summary(business),
        "working_hours_summary": working_hours_summary(business),
        "ways_out": ways.rule,
        "tool_rules": _rules(offer),
    }


def _rules(offer: Offer) -> str:
    """Return the rules about tools that are told on this channel, a line each."""
    asking = [tool.name for tool in offer.told if tool.definition.confirm]
    # What is asked by the house is not to be asked by the model as well.
    offered = {tool.name for tool in offer.told}.difference(asking)
    told = [rule for names, on, rule in _RULES if offer.channel in on and offered.intersection(names)]
    rules = [rule.replace(USUAL_TOPICS, usual_topics(offer.business)) for rule in told]
    if asking:
        costs = "get_policies" in offered and "cancel_appointment" in asking
        which = {"reschedule_appointment", "cancel_appointment"} <= set(asking)
        may_cost = _MAY_COST if usual_topics(offer.business) == USUAL_TOPICS else _MAY_COST_ELSEWHERE
        asks = (_ASKS_ITSELF.format(_either(asking)), _WHICH if which else "", may_cost if costs else "")
        rules.append("".join(asks))
    return "\n".join(f"- {rule}" for rule in rules)


def _either(names: Sequence[str]) -> str:
    return " or ".join(part for part in (", ".join(names[:-1]), names[-1]) if part)


def _open_now(business: Business | None, local: datetime) -> str:
    """Return whether the business is open at a local time; empty where it has not said when."""
    if business is None or not business.working_hours.is_known:
        return ""
    openings = business.working_hours.on(local.date())
    moment = local.time()
    now = next((o for o in openings if o.opens <= moment <= o.closes and moment != o.closes), None)
    if now is not None:
        return f"The business is open until {_closing(now)}."
    later = next((o for o in openings if o.opens > moment), None)
    return "The business is closed now" + (f" and opens today at {later.opens:%H:%M}." if later else ".")


def _closing(opening: Opening) -> str:
    return "24:00" if opening.closes.microsecond else f"{opening.closes:%H:%M}"


def services_summary(business: Business | None) -> str:
    """Return what the business offers, a line each: name, minutes and price (seed 000, `{services_summary}`)."""
    lines = []
    for service in business.services if business else ():
        price = f", {service.price}" if service.price else ""
        lines.append(f"- {service.name}: {service.duration_minutes} min{price}")
    return "\n".join(lines) or "- Ask the tools; nothing is listed here."


def people_summary(business: Business) -> str:
    """Return whom appointments are with, what only some of them do, and what is for several together, in a line."""
    everybody, only, groups = [person.name for person in business.people], dict[str, list[str]](), list[str]()
    for service in business.services:
        able = [person.name for person in business.people_for(service)]
        if able and len(able) < len(everybody):
            only.setdefault(", ".join(able), []).append(service.name)
        most = business.most_together(service)
        groups += [f"{service.name} (up to {most})"] if most > 1 else []
    parts = [f"People: {', '.join(everybody)}", *(f"{', '.join(what)}: only {who}" for who, what in only.items())]
    parts += [f"for groups: {', '.join(groups)}"] if groups else []
    return "; ".join(parts)[:_PEOPLE_CHARACTERS]


def working_hours_summary(business: Business | None) -> str:
    """Return the weekly opening times, days with the same ones together, and the days that differ."""
    if business is None or not business.working_hours.is_known:
        return "- Not listed here; do not guess."
    hours = business.working_hours
    lines: list[str] = []
    begun, last = 0, None
    for number in range(8):
        openings = hours.weekly.get(number, ()) if number < 7 else None
        if openings != last or number == 7:
            if last is not None:
                lines.append(f"- {_days(begun, number - 1)}: {_spell(last)}")
            begun, last = number, openings
    lines += [f"- {day.isoformat()}: {_spell(openings)}" for day, openings in sorted(hours.exceptions.items())]
    yearly = sorted(hours.yearly.items())
    lines += [f"- every {month_name[month]} {day}: {_spell(openings)}" for (month, day), openings in yearly]
    return "\n".join(lines)


def _days(first: int, last: int) -> str:
    names = [WEEKDAYS[n].capitalize() for n in (first, last)]
    return names[0] if first == last else f"{names[0]} to {names[1]}"


def _spell(openings: tuple[Opening, ...]) -> str:
    if not openings:
        return "closed"
    return " and ".join(f"{o.opens:%H:%M}-{_closing(o)}" for o in openings)
