"""RATE_LIMIT: a business has sent callers as many texts this month as whoever runs all businesses lets it.

That it has stands in its document, which was read for the call anyway (`contract/business/month_stop.py`). It is asked
where a text is counted for the first time: one that was sent before is found again, and never refused afterwards.
"""

from datetime import datetime, timedelta
from typing import Final

from switchboard.contract.business.business import Business
from switchboard.contract.context import Spender
from switchboard.contract.error import ErrorType, Refused
from switchboard.contract.telephony import TELL_INSTEAD

MONTH: Final = "month"
"""The `reason` in the `meta` of the refusal."""

# Who is being verified, and the business itself, are told whatever the month has used up.
_NEVER_STOPPED: Final = frozenset({"code", "message"})
_INTO_NEXT: Final = timedelta(days=32)


def require_month(ctx: Spender, purpose: str) -> None:
    """Let a text through that the month still has room for; codes and messages to the business always.

    Args:
        ctx: Whose text, and when.
        purpose: What it is for, as in `Texts.send`.

    Raises:
        Refused: RATE_LIMIT; `meta` holds `reason` and `retryAfterS`, which is until the month is over.
    """
    business = ctx.business
    if purpose in _NEVER_STOPPED or "texts" not in business.stopped(ctx.now):
        return
    raise Refused(
        ErrorType.RATE_LIMIT,
        f"{business.name} has sent as many text messages as its limit for this month allows. Nothing was sent. Do not "
        f"try again in this conversation. {TELL_INSTEAD}",
        meta={"reason": MONTH, "retryAfterS": _left_s(business, ctx.now)},
    )


def _left_s(business: Business, now: datetime) -> int:
    """Return the seconds until the month is over by the business's clock."""
    local = now.astimezone(business.timezone)
    ends = (local.replace(day=1, hour=0, minute=0, second=0, microsecond=0) + _INTO_NEXT).replace(day=1)
    return max(1, round(ends.timestamp() - now.timestamp()))
