"""The same wish under another call id: its receipt again, or CONFLICT while it is being granted.

A model repeats an action after a slow answer, an interruption or a lost result, with a new call id each time. What was
done is not done twice: the first call's answer is given again. Tools that are `repeatable` see to this themselves.
"""

from dataclasses import replace

from switchboard.contract.definition import Kind
from switchboard.contract.error import ErrorType, Refused
from switchboard.contract.json import JsonObject
from switchboard.contract.response import ToolResponse
from switchboard.pipeline.case import Case
from switchboard.pipeline.row import Row


def claims_wish(case: Case) -> bool:
    """Tell whether a call has to claim its wish: a valid action that changes something and is not repeatable."""
    definition = case.definition
    return (
        definition is not None
        and case.arguments is not None
        and definition.kind is Kind.ACTION
        and definition.writes
        and not definition.is_repeatable
    )


def repeated(case: Case, earlier: Row | None) -> ToolResponse:
    """Return the answer of the call that holds the wish, marked as repeated: for the model too, where there is room.

    Raises:
        Refused: CONFLICT, retryable; that call has no answer yet.
    """
    given = earlier.response if earlier is not None else None
    if given is None:
        raise Refused(
            ErrorType.CONFLICT,
            f"{case.call.name} is already being carried out with exactly these arguments. Wait for its result.",
            retryable=True,
        )
    own = {"callId": case.facts.call_id, "turn": case.facts.turn}
    return replace(given, data=_marked(case, given.data), meta={**given.meta, **own, "repeated": True})


def _marked(case: Case, data: JsonObject | None) -> JsonObject | None:
    """Return data from which a model can tell that it was not done again, as it can of tools that see to it."""
    if data is None or case.tool is None:
        return data
    marked, returns = {**data, "repeated": True}, case.tool.tool.returns
    return marked if returns is None or returns.is_valid(marked) else data
