"""Text messages that owners have made tools of: one text to one or several numbers, each under the rules of every text.

Seed 002 ("SMS"). Who may be texted is the owner's choice, made when the tool was saved; opt-outs, countries and limits
hold all the same (`texts.py`). Where the owner leaves it to whoever calls, a caller of whom nothing is known has nobody
texted but themselves and the business, as with `send_sms`: else anybody could have anybody texted in its name. For
callers who were verified, or whose number their carrier vouches for, the owner's choice holds; `textAnyone` on the tool
makes it hold for all, and so does the business's own `textAnyone`.
"""

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from switchboard.contract.business.business import Business
from switchboard.contract.caller.strangers import vouched_number
from switchboard.contract.context import CallContext
from switchboard.contract.definitions.tenant_tool import BoundSms
from switchboard.contract.error import ErrorType, NothingNew, ToolError
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.telephony import TELL_INSTEAD
from switchboard.desk.contact.phone import dialable, to_e164
from switchboard.desk.contact.recipients import may_text_anyone, sender_number
from switchboard.desk.messaging.sms import Purpose, SmsReceipt, Texts
from switchboard.desk.messaging.sms_body import text_body

MOST_RECIPIENTS = 10
_NOBODY = "There is no number to text. Ask the caller which one, with its area code."
_DICTATED = (
    "{name} does not text numbers that are dictated by a caller of whom nothing is known, so nothing was sent. Verify "
    "the caller first, if that is offered here; or send it to the number they are calling from."
)
# The words are the owner's: a model that was told to say them would make some up, and they may be a code to a door.
_NOT_TOLD = "Say that the text was not sent, and not what it would have told: nobody but the business knows its words."
_UNUSABLE = (
    "A number that the business has set for this tool cannot be texted, so nothing was sent. Nobody can mend that in "
    "this conversation."
)
_TOO_MANY = "At most {most} numbers may be texted at once; nothing was sent. Name fewer."


@dataclass(frozen=True, slots=True)
class SmsDelivery:
    """What became of the text to one number: a receipt, or the error that kept it back.

    `is_untold`: the number is the owner's configuration, of which no model is told anything.
    """

    to: str
    receipt: SmsReceipt | None = None
    error: ToolError | None = None
    is_untold: bool = False

    @property
    def state(self) -> str:
        """`sent`, `queued`, `failed` (certainly not sent) or `unknown`."""
        if self.receipt is not None:
            return self.receipt.state
        return "unknown" if self.error is not None and self.error.partial_side_effects else "failed"


async def send_to_each(ctx: CallContext, texts: Texts, sms: BoundSms) -> tuple[SmsDelivery, ...]:
    """Send a text to each of its recipients, at most once for this wish, and return what became of each.

    Args:
        ctx: The call.
        texts: Sends them.
        sms: The text, its sender and its recipients; the same number twice is one.

    Raises:
        ToolError: Nothing was sent: VALIDATION for a text or a number that cannot be, PERMANENT for a sender that is
            not the business's own, VALIDATION too for a number that was dictated by somebody of whom nothing is known.
            If none of several could be sent, the error of the first; with partial side effects
            where of one of them nobody knows.
    """
    # All are looked at before the first is sent: a number that cannot be texted must not be found out half-way.
    with _untold():
        body, numbers = text_body(sms.text), _numbers(ctx.business, sms)
        _check_dictated(ctx, sms.dictated)
    sender = sender_number(ctx, sms.sender_id)
    # Texts go from the number of the business that they are sent for.
    sending = replace(ctx, business=replace(ctx.business, twilio_number=sender))
    deliveries = await asyncio.gather(
        *(_send(sending, texts, number, body, is_untold=numbers[number]) for number in numbers)
    )
    errors = [delivery.error for delivery in deliveries if delivery.error is not None]
    if len(errors) == len(deliveries):
        # Of several, the one that says most: what nobody knows, and what tells how the phone network is doing.
        raise min(errors, key=lambda error: (not error.partial_side_effects, isinstance(error, NothingNew)))
    return tuple(deliveries)


async def _send(ctx: CallContext, texts: Texts, number: str, body: str, *, is_untold: bool) -> SmsDelivery:
    purpose: Purpose = "message" if number in _owners(ctx.business) else "sms"
    try:
        with _untold():
            receipt = await texts.send(ctx, number, body, effect_key=f"{ctx.effect_key}|{number}", purpose=purpose)
    except ToolError as error:
        if is_untold:
            error.message = error.message.replace(number, "that number")
        return SmsDelivery(number, error=error, is_untold=is_untold)
    return SmsDelivery(number, receipt, is_untold=is_untold)


@contextmanager
def _untold() -> Iterator[None]:
    """Have no error ask for the words of the text to be said instead."""
    try:
        yield
    except ToolError as error:
        error.message = error.message.replace(TELL_INSTEAD, _NOT_TOLD)
        raise


def _check_dictated(ctx: CallContext, dictated: Sequence[str]) -> None:
    facts = ctx.facts
    is_known = facts.caller_verified or vouched_number(facts) is not None or facts.staff is not None or facts.is_trial
    if not dictated or is_known or may_text_anyone(ctx.business):
        return
    may_be = {*_owners(ctx.business), facts.caller_phone}
    if any(dialable(number, ctx.business, "text") not in may_be for number in dictated):
        raise ToolError(ErrorType.VALIDATION, _DICTATED.format(name=ctx.business.name))


def _numbers(business: Business, sms: BoundSms) -> dict[str, bool]:
    """Return the numbers to text, each once, and whether it is one that is told to nobody."""
    names = [recipient.strip() for recipient in sms.recipients if recipient.strip()]
    if not names:
        raise ToolError(ErrorType.VALIDATION, _NOBODY)
    numbers: dict[str, bool] = {}
    for name in names:
        is_untold = name in sms.untold
        try:
            number = dialable(name, business, "text")
        except ToolError as error:
            if not is_untold:
                raise
            raise ToolError(ErrorType.PERMANENT, _UNUSABLE, detail=error.message) from None
        # Whoever named it knows it, whoever else has written it down.
        numbers[number] = numbers.get(number, True) and is_untold
    if len(numbers) > MOST_RECIPIENTS:
        raise ToolError(ErrorType.VALIDATION, _TOO_MANY.format(most=MOST_RECIPIENTS))
    return numbers


def _owners(business: Business) -> frozenset[str]:
    """Return the numbers of the business itself that messages go to."""
    rules = [rule for rule in business.escalation_rules if rule.action == "message"]
    numbers = set()
    for text in (business.phone, *(str(rule.data.get("destination") or "") for rule in rules)):
        try:
            numbers.add(to_e164(text, business))
        except ToolError:
            # A rule may lead to an address; nobody is texted there.
            continue
    return frozenset(numbers)
