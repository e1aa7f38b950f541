"""Transfers: a phone call is put through to a person (seed 004, `transfer_call`).

A model names a rule by its id, never a number, so that nobody can be talked into
dialling what the owner has not written down.

Where another agent takes over, the caller stays where they are, on every channel that can go on as somebody else: our
own phone calls, chats and browser voice, and phone calls at Vapi. Nobody is dialled, so that it needs no phone account.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from switchboard.contract.business.agent import Agent, read_agent
from switchboard.contract.business.business import Business, EscalationRule, read_business
from switchboard.contract.business.languages import LOCALES, language_of
from switchboard.contract.business.names import folded, slug
from switchboard.contract.context import CallContext, PhoneContext
from switchboard.contract.definitions.tenant_tool import BoundTransfer
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import PhoneAccounts, Store
from switchboard.contract.python.dataclass import dataclass
from switchboard.desk.bookings.date_text import in_words, iso
from switchboard.desk.bookings.hours import open_stretches
from switchboard.desk.contact.phone import dialable

_GOODBYE = {
    "en": "Thank you for calling {name}. If nobody could be reached, please call again later. Goodbye.",
    "de": "Danke für Ihren Anruf bei {name}. Wenn niemand erreichbar war, rufen Sie bitte später wieder an. "
    "Auf Wiederhören.",
    "es": "Gracias por llamar a {name}. Si no ha podido hablar con nadie, vuelva a llamar más tarde. Adiós.",
    "fr": "Merci d'avoir appelé {name}. Si personne n'a répondu, rappelez plus tard, s'il vous plaît. Au revoir.",
    "it": "Grazie per aver chiamato {name}. Se non ha risposto nessuno, richiami più tardi. Arrivederci.",
    "pt": "Obrigado por ter ligado para {name}. Se ninguém atendeu, volte a ligar mais tarde, por favor. Até logo.",
    "nl": "Bedankt voor uw telefoontje naar {name}. Als er niemand bereikbaar was, belt u later nog eens. Tot ziens.",
}
_NEVER = datetime.max.replace(tzinfo=UTC)

_TO_MESSAGE = "message"
_RINGS_S, _SHORTEST_S, _LONGEST_S = 20, 5, 60
_LOOKS_AHEAD = timedelta(days=8)


@dataclass(frozen=True, slots=True)
class Transfer:
    """A phone call that is being put through.

    Attributes:
        destination: To whom.
        fallback: Who is rung when nobody answers there; None where a message is to be taken then.
        caller_phone: What those who are rung see: the caller's own number, or else the business's.
        applied: Whether the phone network has been told already; otherwise the channel applies the intent.
    """

    destination: TransferTarget
    fallback: TransferTarget | None
    caller_phone: str
    applied: bool


class Transfers:
    """Puts phone calls through to the destinations of the business."""

    def __init__(self, accounts: PhoneAccounts) -> None:
        """Redirect live phone calls by the businesses' own accounts."""
        self._accounts = accounts

    async def transfer(self, ctx: CallContext, destination: str | None) -> Transfer:
        """Put the phone call of this context through, and no other.

        A phone call that our own channel carries is left to the channel; one that somebody else carries is redirected
        here, if the business has an account and the call is known.

        Args:
            ctx: The phone call.
            destination: A rule's id, or its label; None where there is only one.

        Raises:
            ToolError: NOT_FOUND for an unknown destination, VALIDATION where one must be chosen, both naming them.
                CONFLICT when nobody is there now, whoever is meant, or the phone call has ended. PERMANENT without any
                destination that could be dialled. AUTH, RATE_LIMIT or TRANSIENT as the phone network failed; nothing is
                claimed then.
        """
        called = ctx.facts.called_phone if isinstance(ctx.facts, PhoneContext) else None
        known = destinations(ctx.business, called, ctx.facts.caller_phone)
        chosen = _chosen(ctx, known, destination)
        if not chosen.is_open(ctx.now):
            raise _closed(ctx, known, chosen)
        fallback = next((d for d in known if d.id == chosen.fallback and d.is_open(ctx.now)), None)
        caller_phone = ctx.facts.caller_phone or called or ctx.business.twilio_number
        applied = await self._redirected(ctx, [chosen, fallback] if fallback else [chosen], caller_phone)
        return Transfer(chosen, fallback, caller_phone, applied)

    async def _redirected(self, ctx: CallContext, rung: Sequence[TransferTarget], caller_phone: str) -> bool:
        facts = ctx.facts
        if not isinstance(facts, PhoneContext) or not facts.call_sid or _is_carried_here(facts):
            return False
        account = await self._accounts.of(ctx.business)
        if account is None:
            return False
        await account.redirect_call(facts.call_sid, dial(ctx, rung, caller_phone))
        return True


def dial(ctx: CallContext, rung: Sequence[TransferTarget], caller_phone: str) -> str:
    """Return the TwiML that rings one destination after the other, until somebody answers.

    The sentence at its end is heard also after a conversation that the other side has ended, and suits both.
    """
    # The SDK takes a second to import, and most calls are never transferred.
    from twilio.twiml.voice_response import Dial, VoiceResponse  # type: ignore[import-untyped]

    verb = Dial(
        caller_id=caller_phone or None,
        timeout=rung[0].rings_s,
        answer_on_bridge=True,
        sequential=True if len(rung) > 1 else None,
    )
    for destination in rung:
        verb.number(destination.number)
    response = VoiceResponse()
    response.append(verb)
    language = language_of(ctx.language)
    language = language if language in _GOODBYE else "en"
    response.say(_GOODBYE[language].format(name=ctx.business.name), language=LOCALES[language])
    return str(response)


def _is_carried_here(facts: PhoneContext) -> bool:
    return facts.applies_intents


def _chosen(ctx: CallContext, known: Sequence[TransferTarget], destination_id: str | None) -> TransferTarget:
    if not known:
        raise ToolError(
            ErrorType.PERMANENT,
            f"{ctx.business.name} has nobody whom a call could be put through to.",
            detail="no rule with the action transfer has a number that can be dialled",
        )
    if destination_id is None and len(known) == 1:
        return known[0]
    if destination_id is None:
        there = [d for d in known if d.is_open(ctx.now)]
        if not there:
            # There is nothing to choose: what helps is when somebody will be there.
            return min(known, key=lambda d: d.next_opening(ctx.now) or _NEVER)
        raise ToolError(
            ErrorType.VALIDATION, f"Choose a destination: {_named(known)}.", meta={"alternatives": _told(there)}
        )
    name = folded(destination_id)
    target = next((d for d in known if folded(d.id) == name), None) or next(
        # A label as an id is written is what a model makes of one that it was told without its id.
        (d for d in known if folded(d.label) == name or (slug(name) and slug(d.label) == slug(name))),
        None,
    )
    if target is None:
        raise ToolError(
            ErrorType.NOT_FOUND,
            f"There is no destination {destination_id[:60]!r}. Use one of these ids: {_named(known)}. A phone number "
            "cannot be dialled.",
            instead=True,
        )
    return target


def _closed(ctx: CallContext, known: Sequence[TransferTarget], chosen: TransferTarget) -> ToolError:
    opening = chosen.next_opening(ctx.now)
    again = f", and will be from {in_words(opening, ctx.business.timezone)}" if opening else ""
    others = [d for d in known if d is not chosen and d.is_open(ctx.now)]
    # What the owner wants instead stands first.
    others.sort(key=lambda d: d.id != chosen.fallback)
    now = f"There now: {_named(others)}. Ask the caller first." if others else "Say so."
    return ToolError(
        ErrorType.CONFLICT,
        f"{chosen.label} is not there now{again}. The call was not transferred. {now}",
        instead=True,
        meta={"reason": "closed", "label": chosen.label, "alternatives": _told(others)}
        | ({"opensAt": iso(opening, ctx.business.timezone)} if opening else {}),
    )


def _told(known: Sequence[TransferTarget]) -> list[JsonObject]:
    return [{"destination": d.id, "label": d.label} for d in known]


def _named(known: Sequence[TransferTarget]) -> str:
    return "; ".join(d.id if d.label == d.id else f"{d.id} ({d.label})" for d in known)


@dataclass(frozen=True, slots=True)
class TransferTarget:
    """Somebody a phone call may be put through to.

    Attributes:
        id: What the model names: the rule's id, or `transfer-<n>` for the n-th rule without one.
        label: What a caller hears, such as "Front desk".
        number: E.164.
        fallback: What comes when nobody answers: another destination's id, or `message`.
        rings_s: How long it rings before that, in seconds.
        hours: The business with the opening times that hold here, its own where the rule names none; None where
            somebody is always there.
    """

    id: str
    label: str
    number: str
    fallback: str
    rings_s: int
    hours: Business | None

    def is_open(self, now: datetime) -> bool:
        """Tell whether somebody is there at an aware time."""
        if self.hours is None:
            return True
        today = now.astimezone(self.hours.timezone).date()
        return any(s.start <= now < s.end for s in open_stretches(self.hours, today, today))

    def next_opening(self, now: datetime) -> datetime | None:
        """Return when somebody will next be there within eight days (UTC), or None."""
        if self.hours is None:
            return None
        today = now.astimezone(self.hours.timezone).date()
        stretches = open_stretches(self.hours, today, today + _LOOKS_AHEAD)
        return next((s.start.astimezone(UTC) for s in stretches if s.start > now), None)


def destinations(business: Business, *also_own: str | None) -> tuple[TransferTarget, ...]:
    """Return the destinations that can be dialled, in the owner's order.

    Args:
        business: Its rules; one whose number cannot be dialled is left out.
        also_own: Further numbers that lead back here, such as the one that was called.
    """
    rules = [rule for rule in business.escalation_rules if rule.action == "transfer"]
    targets = (_read(business, rule, n, also_own) for n, rule in enumerate(rules, 1))
    return tuple(destination for destination in targets if destination is not None)


def _read(business: Business, rule: EscalationRule, n: int, own: tuple[str | None, ...]) -> TransferTarget | None:
    try:
        number = dialable(str(rule.data.get("destination") or ""), business, "transfer")
    except ToolError:
        return None
    if number in own:
        return None
    id = rule.id.strip() or f"transfer-{n}"
    fallback, rings = rule.data.get("fallback"), rule.data.get("timeoutS")
    is_number = isinstance(rings, int | float) and not isinstance(rings, bool)
    return TransferTarget(
        id=id,
        label=rule.label.strip() or id,
        number=number,
        fallback=fallback if isinstance(fallback, str) and fallback and fallback != id else _TO_MESSAGE,
        rings_s=int(min(_LONGEST_S, max(_SHORTEST_S, rings))) if is_number and rings is not None else _RINGS_S,
        hours=_hours(business, rule.data.get("hours")),
    )


def _hours(business: Business, hours: Any) -> Business | None:
    # A business that has not said when it is open is not closed for ever.
    if hours == "always" or (hours is None and not business.working_hours.is_known):
        return None
    if not isinstance(hours, Mapping):
        # Nothing, "business", and whatever else somebody may have written: nobody's phone rings at night by mistake.
        return business
    own = read_business(business.id, {"workingHours": hours})
    return replace(business, working_hours=own.working_hours)


@dataclass(frozen=True, slots=True)
class Handover:
    """A conversation that is being handed over.

    Attributes:
        agent: Who goes on.
        name: What the caller is told of them: the owner's label, or else the agent's name.
        message: What is said first; empty where nothing is.
    """

    agent: Agent
    name: str
    message: str

    def to_payload(self) -> JsonObject:
        """Return what the channel needs to go on as this agent: the payload of SWITCH_AGENT."""
        payload: JsonObject = {"agentId": self.agent.id, "name": self.name}
        return payload | ({"message": self.message} if self.message else {})


class Handovers:
    """Hands conversations over to agents of their own business. What the store raises passes through."""

    def __init__(self, store: Store) -> None:
        """Read agents from `store`, as they are at this moment."""
        self._store = store

    async def hand_over(self, ctx: CallContext, bound: BoundTransfer) -> Handover:
        """Return to whom the conversation of this context is handed over.

        Raises:
            ToolError: PERMANENT, the agent is gone or does not answer on this channel, or whoever carries the
                conversation cannot go on as somebody else; CONFLICT, that agent answers already. The conversation goes
                on with the same agent then.
        """
        document = await self._store.get(ctx.paths.document("agents", bound.agent_id))
        if document is None:
            raise _refused(f"the agent {bound.agent_id!r} is gone")
        agent = read_agent(document.id, document.data)
        name = bound.label or agent.name
        if agent.id == ctx.facts.agent_id:
            message = f"You are {name}: the conversation is with you already. Go on yourself."
            raise ToolError(ErrorType.CONFLICT, message)
        if ctx.facts.channel not in agent.channels:
            raise _refused(f"the agent {agent.id!r} does not answer on {ctx.facts.channel.value}")
        if not ctx.facts.applies_intents:
            raise _refused("whoever carries the conversation cannot go on as another agent")
        return Handover(agent, name, bound.message)


def _refused(why: str) -> ToolError:
    return ToolError(
        ErrorType.PERMANENT,
        "The conversation cannot be handed over, and you still answer it. Do not say that somebody else takes over. Go "
        "on yourself.",
        detail=why,
    )
