"""Transfers: a phone call is put through to a person (seed 004, `transfer_call`)."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from switchboard.contract.business.languages import language_of
from switchboard.contract.business.names import folded
from switchboard.contract.context import CallContext, PhoneContext
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import PhoneAccounts
from switchboard.desk.bookings.date_text import in_words, iso
from switchboard.desk.escalation.transfer_targets import TransferTarget, destinations

_GOODBYE = {
    "en": "Thank you for calling {name}. If nobody could be reached, please call again later. Goodbye.",
    "de": "Danke für Ihren Anruf bei {name}. Wenn niemand erreichbar war, rufen Sie bitte später wieder an. "
    "Auf Wiederhören.",
    "es": "Gracias por llamar a {name}. Si no ha podido hablar con nadie, vuelva a llamar más tarde. Adiós.",
    "fr": "Merci d'avoir appelé {name}. Si personne n'a répondu, rappelez plus tard, s'il vous plaît. Au revoir.",
}
_NEVER = datetime.max.replace(tzinfo=UTC)
_LANGUAGES = {"en": "en-US", "de": "de-DE", "es": "es-ES", "fr": "fr-FR"}


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
    language = language_of(ctx.business.language)
    language = language if language in _GOODBYE else "en"
    response.say(_GOODBYE[language].format(name=ctx.business.name), language=_LANGUAGES[language])
    return str(response)


def _is_carried_here(facts: PhoneContext) -> bool:
    return facts.applies_intents


def _chosen(ctx: CallContext, known: Sequence[TransferTarget], wanted: str | None) -> TransferTarget:
    if not known:
        raise ToolError(
            ErrorType.PERMANENT,
            f"{ctx.business.name} has nobody whom a call could be put through to.",
            detail="no rule with the action transfer has a number that can be dialled",
        )
    if wanted is None and len(known) == 1:
        return known[0]
    if wanted is None:
        there = [d for d in known if d.is_open(ctx.now)]
        if not there:
            # There is nothing to choose: what helps is when somebody will be there.
            return min(known, key=lambda d: d.next_opening(ctx.now) or _NEVER)
        raise ToolError(
            ErrorType.VALIDATION, f"Choose a destination: {_named(known)}.", meta={"alternatives": _told(there)}
        )
    name = folded(wanted)
    found = next((d for d in known if folded(d.id) == name), None) or next(
        (d for d in known if folded(d.label) == name), None
    )
    if found is None:
        raise ToolError(
            ErrorType.NOT_FOUND,
            f"There is no destination {wanted[:60]!r}. Use one of these ids: {_named(known)}. A phone number cannot be "
            "dialled.",
            instead=True,
        )
    return found


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
