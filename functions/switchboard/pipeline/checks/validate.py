"""VALIDATION: the arguments cannot be used; the message says, argument by argument, what would be right."""

from switchboard.contract.error import Refused
from switchboard.pipeline.invocation import Invocation


def read(case: Invocation) -> None:
    """Read the arguments: coerced where that is safe, defaults filled, trusted values never taken from the model.

    Done before admission, whose counts go by the canonical arguments; `validate` refuses when its turn comes.
    """
    if case.tool is None:
        return
    try:
        case.arguments = case.tool.tool.read(
            case.call.arguments, case.facts, case.offer.business, case.business.timezone
        )
    except Refused as refusal:
        case.invalid = refusal


def validate(case: Invocation) -> None:
    """Refuse arguments that could not be read."""
    if case.invalid is not None:
        raise case.invalid
