"""Find out who is calling (seed 004, "Special Tool Behaviors": `verify_caller`)."""

from switchboard.contract.caller.strangers import proven_number
from switchboard.contract.context import CallContext
from switchboard.contract.json import JsonObject
from switchboard.contract.response import Intent, IntentType, Result
from switchboard.desk import Desk
from switchboard.desk.bookings.date_text import iso
from switchboard.desk.callers.verification import Outcome, SaidFacts, Verdict

_NEXT: dict[Outcome, str | None] = {
    "verified": None,
    "code_needed": "send_verification_code",
    "facts_needed": "verify_caller",
    "no_match": "verify_caller",
    "out_of_tries": None,
    "not_asked_for": None,
    "no_codes": None,
    "not_today": None,
}
_MESSAGES: dict[Outcome, str] = {
    "verified": "The caller is verified. Go on with what they want.",
    "code_needed": "Not verified yet, and no more facts are needed. Have a code sent and say: if that is right, a code "
    "has been sent to the number on file. Do not say or hint whether they are known.",
    "facts_needed": "Not verified yet. Ask the caller for what ask lists: the name and one other fact are enough.",
    "no_match": "What the caller said does not match the records. Ask once more, for the caller's own name and another "
    "fact; where ask lists facts, only those are still compared. Do not say or hint what was wrong, or whether "
    "somebody of that name is known. A fact that the caller guesses, or that is somebody else's, is no proof: do not "
    "try it, and say what can be had instead.",
    "out_of_tries": "There are no more tries in this conversation. Say that you cannot verify the caller now, and what "
    "can be had instead.",
    "not_asked_for": "This business asks nobody who they are. Go on without; only for what the caller booked in an "
    "earlier conversation ask for what ask lists, and call this again with it.",
    "not_today": "Not verified. This cannot be checked by facts any more today, whatever is said: it was tried too "
    "often, which tells nothing of whether it is right. Ask for no more facts, promise no code, and do not say or hint "
    "whether they are known. Say that the caller can call from their own number and say the same, or ask for a person "
    "of the business, and what can be had without.",
    "no_codes": "Not verified, and nobody can be here: this business asks for a code by text message, and no texts can "
    "be sent from here. Promise no code and ask for no facts. Say that you cannot verify the caller here, and what can "
    "be had without: a new appointment, what was booked in this conversation, or the people of the business.",
}
# Of a number that proves itself what belongs to it is told at once, whether or not its owner is on file.
_PROVEN = (
    "Appointments of the number of this call need no verification: look them up and tell them now. Only for others: "
)
_SAID_OF_PROVEN: frozenset[Outcome] = frozenset({"facts_needed", "no_match", "not_asked_for"})


async def execute(
    ctx: CallContext,
    desk: Desk,
    *,
    name: str | None = None,
    phone: str | None = None,
    email: str | None = None,
    date_of_birth: str | None = None,
    booking_reference: str | None = None,
) -> Result:
    """Return whether the caller is verified, and what to do next.

    Args:
        ctx: The call; its trusted number and attestation are used where nothing is said.
        desk: Does the work.
        name: First and last name.
        phone: Any spelling that can be dialled where the business is.
        email: As the caller spelled it.
        date_of_birth: ISO 8601; the schema's `format` has been checked.
        booking_reference: The id of a booking.

    Raises:
        ToolError: VALIDATION or TRANSIENT; see `Verification.verify`.
    """
    given = SaidFacts(
        name=name, phone=phone, email=email, date_of_birth=date_of_birth, booking_reference=booking_reference
    )
    verdict = await desk.verification.verify(ctx, given)
    told = _MESSAGES[verdict.outcome]
    if verdict.outcome in _SAID_OF_PROVEN and proven_number(ctx.facts, ctx.business) is not None:
        told = f"{_PROVEN}{told}"
    data: JsonObject = {
        "verified": verdict.outcome == "verified",
        "outcome": verdict.outcome,
        "level": verdict.level,
        "next": _NEXT[verdict.outcome],
        "message": told,
    }
    if verdict.missing:
        data["ask"] = list(verdict.missing)
    if verdict.tries_left is not None:
        data["triesLeft"] = verdict.tries_left
    return Result(data, intents=_known_now(verdict), receipt=_receipt(ctx, verdict))


def _known_now(verdict: Verdict) -> tuple[Intent, ...]:
    first_name = verdict.caller.first_name if verdict.caller else ""
    if not first_name:
        return ()
    return (Intent(IntentType.INJECT_CONTEXT, {"text": f"The caller is verified; the first name is {first_name}."}),)


def _receipt(ctx: CallContext, verdict: Verdict) -> JsonObject | None:
    if verdict.caller is None:
        return None
    return {
        "what": "verification",
        "for": verdict.caller.first_name,
        "when": iso(ctx.now, ctx.business.timezone),
        "effectIds": [verdict.caller.id],
    }
