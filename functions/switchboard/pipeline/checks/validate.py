"""VALIDATION: the arguments cannot be used; the message says, argument by argument, what would be right."""

from switchboard.catalog.arguments.arguments import UnreadDay
from switchboard.contract.error import Refused
from switchboard.pipeline.invocation import Invocation


def read(invocation: Invocation) -> None:
    """Read the arguments: coerced where that is safe, defaults filled, trusted values never taken from the model.

    Done before admission, whose counts go by the canonical arguments; `validate` refuses when its turn comes.
    """
    if invocation.tool is None:
        return
    try:
        invocation.arguments = invocation.tool.tool.read(
            invocation.call.arguments, invocation.facts, invocation.offer.business, invocation.business.timezone
        )
    except UnreadDay as refusal:
        # Not every model knows today's date, and an example of a day is one that is past.
        zone = invocation.business.timezone
        now = f"it is now {invocation.now.astimezone(zone):%A, %Y-%m-%d, %H:%M} ({zone.key})"
        invocation.invalid = Refused(refusal.type, f"{refusal.message}; {now}")
    except Refused as refusal:
        invocation.invalid = refusal


def validate(invocation: Invocation) -> None:
    """Refuse arguments that could not be read."""
    if invocation.invalid is not None:
        raise invocation.invalid
