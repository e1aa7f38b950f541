"""What came of calls that were accepted before, told at the beginning of the turn after that."""

from collections.abc import Callable

from switchboard.conversation.event import Effect, Event, ToolFinished, TurnOutcome
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
