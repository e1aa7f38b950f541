"""Which ids of calls and conversations logs and traces may show.

Whoever calls may name both as they please: by a telephone number, for instance.
"""

import re
from typing import Final

HIDDEN: Final = "_other"
"""What stands in a log for an id that is not shown."""

_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:|-]{0,127}")
# What programs make up: UUIDs, long hexadecimal ids, and Twilio's, which are such behind two letters. A telephone
# number has at most 15 digits (E.164), and no letter among them.
_MADE_UP = re.compile(
    r"(?<![A-Za-z0-9])(?:[A-Z]{2})?"
    r"(?:[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}|(?=[0-9]*[A-Fa-f])[0-9A-Fa-f]{16,})"
    r"(?![A-Za-z0-9])"
)
_NUMBER = re.compile(r"[0-9](?:[_.:|-]*[0-9]){6,}")


def may_be_shown(id: str) -> bool:
    """Return whether an id is plain and holds no seven digits in a row that could be a telephone number."""
    rest = _MADE_UP.sub("x", id)
    return bool(_PLAIN.fullmatch(id)) and rest[0].isalpha() and not _NUMBER.search(rest)


def shown_id(id: str) -> str:
    """Return the id, or `HIDDEN`."""
    return id if may_be_shown(id) else HIDDEN
