"""What is told at the beginning of a turn, before any model is asked.

That is what came of calls that were accepted before, and that there are no more answers.
"""

from collections.abc import Callable

from switchboard.contract.model import Spoken
from switchboard.conversation.event import Effect, Event, Text, ToolFinished, TurnOutcome
from switchboard.conversation.pending_results import Arrivals
from switchboard.conversation.session import CallSession
from switchboard.conversation.speech.house_phrases import ending_of


async def tell_arrivals(
    session: CallSession, arrivals: Arrivals, emit: Callable[[Event], None], pass_on: Callable[[Event], None]
) -> TurnOutcome | None:
    """Tell the model what came of calls that were accepted before; return how that ended the conversation.

    `arrivals` is asked while results are expected that another instance may have. `emit` tells the channel and the
    record, `pass_on` the channel alone.
    """
    outcome = None
    if session.waiting.expected:
        for arrival in await arrivals(session.facts):
            session.waiting.arrive(arrival)
    for arrival in session.waiting.take_arrivals():
        session.arrive(arrival)
        response = arrival.response
        # The record has had it since it came, unless nobody was left to write it down.
        tell = emit if arrival.is_unheard else pass_on
        tell(ToolFinished(arrival.call_id, arrival.tool, response, 0.0))
        for intent in response.intents:
            emit(Effect(intent))
        outcome = outcome or ending_of(response)
    return outcome


def tell_used_up(session: CallSession, emit: Callable[[Event], None]) -> TurnOutcome | None:
    """Say why there are no more answers, which ends the conversation; None where there are."""
    used_up = session.used_up
    if used_up is None:
        return None
    session.question = None
    session.history.add(Spoken(used_up.words))
    emit(Text(used_up.words))
    return TurnOutcome.ENDED
