"""What a call comes to: the envelope, and the state in which the ledger keeps it."""

import time
from dataclasses import replace
from typing import Final

from switchboard.catalog.offer.alternatives import WHEREVER
from switchboard.contract.business.languages import language_of
from switchboard.contract.context import Context
from switchboard.contract.definitions.definition import Kind, Repeat
from switchboard.contract.error import TELLS, ErrorType, Refused, Tells, ToolError, source_of
from switchboard.contract.json import JsonObject
from switchboard.contract.policy import CHANNEL_POLICY
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.response import CALLERS_WORDS, ENVELOPE_VERSION, Failure, Intent, Result, ToolResponse
from switchboard.contract.store import StoreError
from switchboard.pipeline.invocation import Invocation
from switchboard.pipeline.ledger.states import State
from switchboard.pipeline.result.secrecy import redaction_of, told, without
from switchboard.pipeline.result.truncation import fitted, size

NOT_KNOWN: Final = (
    "It is not known whether {tool} was carried out: it was interrupted. Do not say that it is done and do not try "
    "again; say that this is not known."
)
_UNRECORDED: Final = (
    "It is not known whether {tool} was carried out: what became of it could not be recorded, and it may still be "
    "carried out. Do not say that it is done, nor that it is not; say that this is not known yet. "
)
_LOOK: Final = _UNRECORDED + "Look it up in a moment where that can be done; do not call it again before that."
_LOOK_OR_REPEAT: Final = _UNRECORDED + (
    "In a moment, look it up where that can be done, or make exactly the same call again, which does it once at most."
)
NOT_BEGUN: Final = (
    "{tool} was interrupted before anything was done, so nothing was done. If the caller still wants it, call it again."
)
_UNSURE: Final = {
    "en": "I can't tell yet whether that has gone through.",
    "de": "Ob das geklappt hat, kann ich noch nicht sagen.",
    "es": "Todavía no puedo decirle si eso se ha hecho.",
    "fr": "Je ne peux pas encore dire si cela a été fait.",
    "it": "Non posso ancora dire se è stato fatto.",
    "pt": "Ainda não posso dizer se isso foi feito.",
    "nl": "Ik kan nog niet zeggen of dat gelukt is.",
}


@dataclass(frozen=True, slots=True)
class CallOutcome:
    """A call's response and how the ledger keeps it.

    Attributes:
        response: What is answered.
        state: How the ledger keeps it.
        empty: Whether there was nothing to find.
        characters: The size of a result before it was shortened; None where it was not measured.
        source: The integration that a failure came from; empty where it does not say.
    """

    response: ToolResponse
    state: State
    empty: bool = False
    characters: int | None = None
    source: str = ""

    def retrieval_ms(self, invocation: Invocation) -> float:
        """Return what the call adds to its turn's time for looking up; within another call it is a part of that one."""
        is_counted = invocation.kind is Kind.RETRIEVAL and not invocation.facts.within
        elapsed_ms: float = self.response.meta.get("elapsedMs", 0) if is_counted else 0
        # Of look-ups that run side by side the caller waits for the longest.
        return elapsed_ms if invocation.facts.beside is None else invocation.facts.beside.round.more_ms(elapsed_ms)


def succeeded(invocation: Invocation, result: Result, *, reused: bool = False) -> CallOutcome:
    """Return the outcome of a result that keeps the tool's promise.

    Raises:
        ToolError: INTERNAL; the handler's data does not match `returns`, so the model must not see it.
    """
    assert invocation.tool is not None
    problem = invocation.tool.tool.answer_problem(result.data)
    if problem is not None:
        raise ToolError(
            ErrorType.INTERNAL,
            f"{invocation.call.name} gave an answer that cannot be used.",
            partial_side_effects=invocation.kind is Kind.ACTION,
            detail=problem,
        )
    secrets = redaction_of(invocation)
    meta = _meta(invocation)
    if result.receipt is not None:
        meta["receipt"] = secrets.value(result.receipt)
    if reused:
        meta["reused"] = True
    # Before it is shortened, so that no half of a secret is left.
    data = secrets.value(result.data)
    characters, limit = size(data), CHANNEL_POLICY[invocation.facts.channel].result_characters
    if characters > limit:
        data, more = fitted(data, limit, invocation.tool.tool.shorten)
        if more:
            meta["more"] = more
    response = ToolResponse(data=data, intents=(*without(secrets, result.intents), *_secrecy(invocation)), meta=meta)
    return CallOutcome(response, "finished", result.empty, characters)


def accepted(invocation: Invocation) -> CallOutcome:
    """Return the outcome of a call that is queued: that it was accepted, and what to say of it until it is done."""
    meta = _meta(invocation) | {"queued": True}
    say = _phrase(invocation, "running")
    if say:
        meta["say"] = say
    message = f"{invocation.call.name} was accepted and is being carried out. Say so; do not say that it is done."
    return CallOutcome(ToolResponse(data={"accepted": True, "message": message}, meta=meta), "queued")


def granted(invocation: Invocation, earlier: ToolResponse) -> CallOutcome:
    """Return the outcome of a wish that another call was granted: its answer, in the time this one took."""
    meta = {**earlier.meta, "elapsedMs": _elapsed_ms(invocation)}
    return CallOutcome(replace(earlier, meta=meta), "finished")


def failed(invocation: Invocation, error: ToolError) -> CallOutcome:
    """Return the outcome of an error, with a sentence for the caller's ear where the tool has one."""
    secrets = redaction_of(invocation)
    meta = _meta(invocation) | secrets.value(dict(error.meta))
    failure = told(secrets, Failure.of(error))
    # Who called it from within another tool is told by that one, which has its own words for the caller's model.
    if error.instead and not invocation.facts.within:
        # What a turn had no room for was not tried in vain: the next one has.
        in_vain = () if error.type is ErrorType.BUDGET_EXCEEDED else (invocation.call.name,)
        ways = invocation.offer.ways_out(*in_vain)
        failure = replace(failure, message=ways.after(failure.message, invocation.now))
    if isinstance(error, Refused):
        if error.say:
            meta["say"] = secrets.text(error.say)
        return CallOutcome(ToolResponse(failure=failure, intents=_secrecy(invocation), meta=meta), "refused")
    # "That time is taken" is an answer the model words; the tool's own phrase is for a failure.
    runs_on = error.partial_side_effects and error.meta.get("timedOut")
    # Of what may have been done, "it did not work" is as untrue as "it is done".
    unsure = _unsure(invocation) if error.partial_side_effects else ""
    phrase = (_phrase(invocation, "slow") if runs_on else "") or unsure or _phrase(invocation, "failed")
    say = secrets.text(error.say) or ("" if TELLS[error.type] is Tells.ANSWER else phrase)
    if say:
        meta["say"] = say
    state: State = "unknown" if error.partial_side_effects else "failed"
    response = ToolResponse(failure=failure, intents=_secrecy(invocation), meta=meta)
    return CallOutcome(response, state, source=source_of(error))


def _secrecy(invocation: Invocation) -> tuple[Intent, ...]:
    # However it went: a code with a digit too few is most of a code.
    return (CALLERS_WORDS,) if invocation.tool is not None and invocation.tool.tool.secret_arguments else ()


def being_carried_out() -> Refused:
    """Return what a delivery is answered with while somebody else is at its call."""
    return Refused(ErrorType.CONFLICT, "This call is being carried out. Wait for its result.", retryable=True)


def interrupted(invocation: Invocation) -> ToolError:
    """Return the honest answer for an action whose instance died: it may have happened, and is not done again."""
    return ToolError(
        ErrorType.TRANSIENT,
        NOT_KNOWN.format(tool=invocation.call.name),
        retryable=False,
        partial_side_effects=True,
    )


def not_begun(invocation: Invocation) -> ToolError:
    """Return the answer for an action whose instance died before it had done anything, and that nobody asks for now."""
    return ToolError(ErrorType.CONFLICT, NOT_BEGUN.format(tool=invocation.call.name))


def not_started(tool: str, error: StoreError) -> ToolError:
    """Return what an action is answered with that cannot be written down, so that it is not begun either."""
    return ToolError(
        ErrorType.TRANSIENT,
        f"{tool} was not started because it cannot be recorded right now; nothing was done. Try again in a moment.",
        detail=str(error),
    )


def unrecorded(invocation: Invocation, detail: str) -> ToolError:
    """Return what an action is answered with that was not begun, and may be by others: its row may say too little."""
    tool = invocation.call.name[:60]
    # Within another scope an equal call is another wish.
    if invocation.repeat is not Repeat.SESSION:
        words = _LOOK.format(tool=tool)
        return ToolError(
            ErrorType.TRANSIENT, words, retryable=False, partial_side_effects=True, instead=False, detail=detail
        )
    return ToolError(
        ErrorType.TRANSIENT, _LOOK_OR_REPEAT.format(tool=tool), partial_side_effects=True, instead=False, detail=detail
    )


def out_of_reach(tool: str, error: StoreError, *, acting: bool) -> ToolError:
    """Return what a call is answered with whose handler could not reach the store."""
    return ToolError(
        ErrorType.TRANSIENT,
        f"{tool} could not reach its data in time. Answer without it.",
        # What may have been done is not simply done again.
        retryable=False if acting else None,
        partial_side_effects=acting,
        detail=str(error),
    )


def unheard(name: str, facts: Context, error: ToolError) -> ToolResponse:
    """Return the envelope of a call that failed before the catalog could say anything about it."""
    failure = Failure.of(error)
    if error.instead and not facts.within:
        failure = replace(failure, message=f"{error.message} {WHEREVER}")
    return ToolResponse(failure=failure, meta=_identity(name, facts) | dict(error.meta))


def _meta(invocation: Invocation) -> JsonObject:
    meta = _identity(invocation.call.name, invocation.facts)
    meta["catalogVersion"] = invocation.offer.catalog_version
    meta["elapsedMs"] = _elapsed_ms(invocation)
    if invocation.arguments is not None and invocation.arguments.ignored:
        meta["ignoredArguments"] = list(invocation.arguments.ignored)
    return meta


def _elapsed_ms(invocation: Invocation) -> float:
    return round((time.monotonic() - invocation.began_at) * 1000, 1)


def _identity(name: str, facts: Context) -> JsonObject:
    return {
        "version": ENVELOPE_VERSION,
        "tool": name[:60],
        "callId": facts.call_id,
        "sessionId": facts.session_id,
        "turn": facts.turn,
        "channel": str(facts.channel),
    }


def _phrase(invocation: Invocation, moment: str) -> str:
    return invocation.offer.phrase(invocation.call.name, invocation.language, moment, invocation.now)


def _unsure(invocation: Invocation) -> str:
    """Return what is said instead of a tool's phrase for a failure where it may have been done all the same."""
    if not _phrase(invocation, "failed"):
        return ""
    return _UNSURE.get(language_of(invocation.language), _UNSURE["en"])
