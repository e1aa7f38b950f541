"""VALIDATION: the arguments cannot be used; the message says, argument by argument, what would be right."""

from switchboard.pipeline.case import Case


def validate(case: Case) -> None:
    """Read the arguments: coerced where that is safe, defaults filled, trusted values never taken from the model."""
    assert case.tool is not None
    case.arguments = case.tool.tool.arguments.read(case.call.arguments, case.business.timezone)
