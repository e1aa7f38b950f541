"""NOT_FOUND: nobody offers a tool of that name; the answer lists the tools that are callable now."""

from difflib import get_close_matches

from switchboard.contract.error import ErrorType, Refused
from switchboard.pipeline.invocation import Invocation

NAMES_LISTED = 40


def resolve(invocation: Invocation) -> None:
    """Refuse a name nobody has; a tool that exists but is not offered here is left for `admit` to explain."""
    name = invocation.call.name
    if invocation.tool is not None or invocation.offer.why_not(name) is not None:
        return
    names = [t.name for t in invocation.offer.tools]
    # Models misspell in case and in separators far more often than in letters.
    close = get_close_matches(name.strip().lower().replace("-", "_")[:60], names, n=1)
    guess = f" Did you mean {close[0]}?" if close else ""
    listed = ", ".join(names[:NAMES_LISTED]) or "none at the moment"
    raise Refused(
        ErrorType.NOT_FOUND,
        f"There is no tool called {name[:60]!r}.{guess} Tools you can call now: {listed}.",
        meta={"callable": names[:NAMES_LISTED]},
    )
