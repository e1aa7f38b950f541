"""How long a server asks to be left alone: the header `Retry-After` (RFC 9110, 10.2.3), read in one way everywhere."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

# The standard has whole seconds; some servers send fractions as well.
_SECONDS = re.compile(r"[0-9]{1,400}(\.[0-9]{1,400})?")


def retry_after_s(headers: Mapping[str, str], longest_s: float) -> float | None:
    """Return for how many seconds an answer asks not to be asked again; None where it does not say.

    Args:
        headers: Those of the answer.
        longest_s: The most that is returned: a date is read by our own clock, and either may be wrong.
    """
    header = (headers.get("Retry-After") or headers.get("retry-after") or "").strip()
    if _SECONDS.fullmatch(header):
        return min(float(header), longest_s)
    try:
        at = parsedate_to_datetime(header)
    except (ValueError, OverflowError):
        return None
    at = at if at.tzinfo else at.replace(tzinfo=UTC)
    return min(max(0.0, (at - datetime.now(UTC)).total_seconds()), longest_s)
