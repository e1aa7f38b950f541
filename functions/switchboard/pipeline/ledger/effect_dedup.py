"""The same wish under another call id: its receipt again, or CONFLICT while it is being granted.

A model repeats an action after a slow answer, an interruption or a lost result, with a new call id each time. What was
done is not done twice: the first call's answer is given again. Tools that are `repeatable` see to this themselves.

How long that holds is the tool's `repeat`: for the conversation, or for the human turn, in which case a later turn may
ask again for what has been done. While nobody knows what came of it, it is the same wish in every turn: a caller who
interrupts a slow action has not asked for a second one. Nor has one who has not heard yet what came of it after its
answer. A turn that was never answered, since its instance died, goes on in the next one: who says the same again has
heard of nothing.
"""

from dataclasses import replace

from switchboard.contract.definitions.definition import Kind, Repeat
from switchboard.contract.document import mapping
from switchboard.contract.error import ErrorType, Refused
from switchboard.contract.json import JsonObject
from switchboard.contract.response import ToolResponse
from switchboard.contract.store import Document
from switchboard.pipeline.invocation import Invocation
from switchboard.pipeline.ledger.row import CallRow
from switchboard.pipeline.ledger.turn_counts import ARRIVALS

UNPROVEN = "caller-not-proven"
"""As `meta.reason` says it: the answer is for a caller who shows more of who they are."""


def claims_wish(invocation: Invocation) -> bool:
    """Tell whether a call has to claim its wish: a valid action that changes something, unless its tool sees to that.

    A repeatable one does, for one effect key; which one that is takes a claim where each turn has its own.
    """
    definition = invocation.definition
    if (
        definition is None
        or invocation.arguments is None
        or definition.kind is not Kind.ACTION
        or not definition.writes
    ):
        return False
    return definition.repeat is Repeat.TURN or (definition.repeat is Repeat.SESSION and not definition.is_repeatable)


def settle_claim(
    invocation: Invocation, claim: Document, earlier: CallRow | None, session: Document | None = None
) -> None:
    """Decide what a call is whose wish another call has claimed: the same wish, or one that is made anew.

    Args:
        invocation: The call; it claims the wish again, goes on with the earlier one, or is granted its answer.
        claim: As it stands.
        earlier: The call that holds it.
        session: The conversation's own document, where it was met.

    Raises:
        Refused: CONFLICT; that call has no answer yet (retryable), or it was made on the same channel by somebody who
            showed more of who they are.
    """
    invocation.reclaims = None
    scope = claim.data.get("scope")
    is_later = invocation.repeat is Repeat.TURN and scope not in invocation.scopes
    if is_later and (earlier is None or earlier.state == "finished") and not _is_untold(invocation, claim, session):
        invocation.reclaims = claim
        return
    invocation.claims_wish, invocation.repeats = False, str(claim.data["callId"])
    if invocation.definition is not None and invocation.definition.is_repeatable:
        invocation.may_be_done = True
        if isinstance(scope, str):
            invocation.continue_in(scope)
        return
    is_here = earlier is not None and earlier.document.data.get("channel") == invocation.facts.channel.value
    if earlier is not None and is_here and not earlier.may_be_heard_by(invocation.facts):
        # Elsewhere the conversation itself vouches for whoever goes on with it.
        raise unproven(earlier.named("callId"))
    invocation.wish_granted = repeated(invocation, earlier)


def _is_untold(invocation: Invocation, claim: Document, session: Document | None) -> bool:
    """Tell whether what came of the call that holds a wish, after its answer, still waits to be told."""
    call_id = str(claim.data["callId"])
    waits = call_id in mapping(session.data.get(ARRIVALS) if session is not None else None)
    return waits and call_id not in invocation.facts.told


def repeated(invocation: Invocation, earlier: CallRow | None) -> ToolResponse:
    """Return the answer of the call that holds the wish, marked as repeated: for the model too, where there is room.

    Raises:
        Refused: CONFLICT, retryable; that call has no answer yet.
    """
    given = earlier.response if earlier is not None else None
    if earlier is None or given is None:
        raise Refused(
            ErrorType.CONFLICT,
            f"{invocation.call.name} is already being carried out with exactly these arguments. Wait for its result.",
            retryable=True,
        )
    own = {
        "callId": invocation.facts.call_id,
        "turn": invocation.facts.turn,
        "repeatedOf": earlier.named("callId"),
    }
    return replace(given, data=_marked(invocation, given.data), meta={**given.meta, **own, "repeated": True})


def unproven(call_id: str) -> Refused:
    """Return the refusal of an answer to whoever shows less of who they are than was shown for it."""
    return Refused(
        ErrorType.CONFLICT,
        f"The call {call_id[:80]!r} was answered to a caller who had shown who they are, and this does not show it. "
        "Nothing was done now, and what was done stands. Send it with the caller's facts as they were (attestation, "
        "callerVerified and callerId), or verify the caller again.",
        meta={"reason": UNPROVEN},
    )


def _marked(invocation: Invocation, data: JsonObject | None) -> JsonObject | None:
    """Return data from which a model can tell that it was not done again, as it can of tools that see to it."""
    if data is None or invocation.tool is None:
        return data
    marked = {**data, "repeated": True}
    return data if invocation.tool.tool.answer_problem(marked) else marked
