"""NOT_FOUND: nobody offers a tool of that name; the answer lists the tools that are callable now.

Of more than `NAMES_LISTED` the nearest come first, and how many are left out is said.
"""

from difflib import get_close_matches

from switchboard.contract.error import ErrorType, Refused
from switchboard.pipeline.invocation import Invocation

NAMES_LISTED = 40
# Where not all can be listed, those come first that are most like what was called.
_NEAR_NAMES, _NEAR = 10, 0.4


def resolve(invocation: Invocation) -> None:
    """Refuse a name nobody has; a tool that exists but is not offered here is left for `admit` to explain."""
    name = invocation.call.name
    if invocation.tool is not None or invocation.offer.why_not(name) is not None:
        return
    names = [t.name for t in invocation.offer.tools]
    # Models misspell in case and in separators far more often than in letters.
    meant = name.strip().lower().replace("-", "_")[:60]
    close = get_close_matches(meant, names, n=1)
    guess = f" Did you mean {close[0]}?" if close else ""
    if len(names) > NAMES_LISTED:
        near = get_close_matches(meant, names, n=_NEAR_NAMES, cutoff=_NEAR)
        names = [*near, *(other for other in names if other not in near)]
    more = f", and {len(names) - NAMES_LISTED} more" if len(names) > NAMES_LISTED else ""
    listed = ", ".join(names[:NAMES_LISTED]) + more or "none at the moment"
    raise Refused(
        ErrorType.NOT_FOUND,
        f"There is no tool called {name[:60]!r}.{guess} Tools you can call now: {listed}.",
        meta={"callable": names[:NAMES_LISTED]},
    )
