"""Whom a text message may go to: the caller, or the business itself. A number dictated in a call is nobody's word."""

from typing import Literal

from switchboard.contract.business.business import Business
from switchboard.contract.business.languages import language_of
from switchboard.contract.business.names import folded
from switchboard.contract.business.own_addresses import own_numbers
from switchboard.contract.channel import Channel
from switchboard.contract.context import CallContext, PhoneContext
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.python.dataclass import dataclass
from switchboard.desk.contact.cost_warnings import costs_extra
from switchboard.desk.contact.phone import INTEGRATION, costly_numbers, dialable, to_e164
from switchboard.desk.messaging.sms_body import with_added

_FROM = {
    "en": "From {caller} through {name}:",
    "de": "Von {caller} über {name}:",
    "es": "De {caller} a través de {name}:",
    "fr": "De {caller} par {name} :",
    "it": "Da {caller} tramite {name}:",
    "pt": "De {caller} através de {name}:",
    "nl": "Van {caller} via {name}:",
}
_NOBODY = {
    "en": "an unknown number",
    "de": "unbekannter Nummer",
    "es": "un número desconocido",
    "fr": "numéro inconnu",
    "it": "un numero sconosciuto",
    "pt": "um número desconhecido",
    "nl": "een onbekend nummer",
}

_UNKNOWN = (
    "The caller's number is not known here, so nothing was sent: texts go only to a number that the line shows or a "
    "verification has found on file, and never to one that the caller says or types. Do not ask for one."
)
_NOT_OURS = (
    "The number that this text should come from is not one of {name}'s own, so nothing was sent. Say what it would "
    "have told."
)


@dataclass(frozen=True, slots=True)
class Recipient:
    """Where a text goes: a number in any spelling, what a caller hears of it, and what it counts as."""

    number: str
    label: str
    purpose: Literal["sms", "message"]

    def introduced(self, ctx: CallContext, message: str) -> str:
        """Return what the text says; to the business itself, it says first from whom it comes.

        Raises:
            ToolError: VALIDATION; with that it is too long, and the message says by how much.
        """
        if self.purpose != "message":
            return message
        language = language_of(ctx.business.language)
        language = language if language in _FROM else "en"
        caller = ctx.facts.caller_phone or _NOBODY[language]
        caution = costs_extra(ctx.business, costly_numbers(f"{caller}\n{message}", ctx.business))
        from_whom = _FROM[language].format(caller=caller, name=ctx.business.name)
        return with_added(message, f"{from_whom}\n{caution}{message}")


def recipient(ctx: CallContext, to: str | None) -> Recipient:
    """Return whom a text goes to.

    Args:
        ctx: The call; its trusted number is the caller's.
        to: None for the caller; an escalation rule with the action "message", by its id or label; or a number: the
            caller's own, or any where the business has set `integrations.twilio.textAnyone`.

    Raises:
        ToolError: VALIDATION, naming what would work.
    """
    own = ctx.facts.caller_phone
    ids = _message_rules(ctx.business)
    if to is None:
        if own is None:
            raise ToolError(ErrorType.VALIDATION, f"{_UNKNOWN} {_remedy(ctx, ids, own)}")
        return Recipient(own, own, "sms")
    key = folded(to)
    for id, label, number in ids:
        if key in (folded(id), folded(label)):
            return Recipient(_textable(ctx, number, label), label, "message")
    try:
        number = to_e164(to, ctx.business)
    except ToolError:
        raise ToolError(
            ErrorType.VALIDATION, f"There is no destination {to[:60]!r}. {_remedy(ctx, ids, own)}"
        ) from None
    if number != own and not may_text_anyone(ctx.business):
        raise ToolError(
            ErrorType.VALIDATION,
            f"{ctx.business.name} does not text numbers that are dictated in a call. {_remedy(ctx, ids, own)}",
        )
    return Recipient(number, number, "sms")


def _textable(ctx: CallContext, number: str, label: str) -> str:
    try:
        return dialable(number, ctx.business, "text")
    except ToolError as error:
        # The number is the owner's: it is not for the model, and no caller has another one.
        raise ToolError(
            ErrorType.PERMANENT,
            f"{label} cannot be reached by text message. Nothing was sent.",
            detail=error.message,
        ) from None


def _remedy(ctx: CallContext, ids: list[tuple[str, str, str]], own: str | None) -> str:
    named = "; ".join(f"{id} ({label})" for id, label, _ in ids)
    ways = [
        "Leave `to` out for the caller's own number" if own else "",
        f"Use one of these ids for the business itself: {named}" if named else "",
        "Write a whole phone number" if may_text_anyone(ctx.business) else "",
        # Whoever writes or is not known by a number is reached by what is said to them.
        ""
        if own and ctx.facts.channel is Channel.PHONE
        else "What the caller is to know, such as an address or a link, tell "
        "them here instead, or offer an e-mail, if send_email is offered",
    ]
    return ". ".join(way for way in ways if way) + "."


def _message_rules(business: Business) -> list[tuple[str, str, str]]:
    rules = [rule for rule in business.escalation_rules if rule.action == "message" and rule.data.get("destination")]
    named = ((rule.id.strip() or f"message-{n}", rule) for n, rule in enumerate(rules, 1))
    return [(id, rule.label.strip() or id, str(rule.data["destination"])) for id, rule in named]


def may_text_anyone(business: Business) -> bool:
    """Tell whether a business has said that numbers which are dictated in a conversation may be texted."""
    connection = business.integrations.get(INTEGRATION)
    return connection is not None and connection.settings.get("textAnyone") is True


def sender_number(ctx: CallContext, sender_id: str) -> str:
    """Return the number that a text comes from, in E.164.

    Args:
        ctx: The call.
        sender_id: Of one of the business's own numbers; empty for the one that was called, or the main number where
            nothing was called.

    Raises:
        ToolError: PERMANENT, the business has no such number: nothing may be sent from it.
    """
    called = ctx.facts.called_phone if isinstance(ctx.facts, PhoneContext) else None
    sender = sender_id or called or ctx.business.twilio_number
    number = own_numbers(ctx.business).get(sender)
    if number is None:
        detail = f"{sender!r} is none of the business's numbers" if sender else "the business has no number"
        raise ToolError(ErrorType.PERMANENT, _NOT_OURS.format(name=ctx.business.name), detail=detail)
    return number
