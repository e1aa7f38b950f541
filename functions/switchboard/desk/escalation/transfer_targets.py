"""The people a phone call may be put through to, and when: the escalation rules with the action "transfer".

A model names a rule by its id, never a number, so that nobody can be talked into
dialling what the owner has not written down.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from switchboard.contract.business.business import Business, EscalationRule, read_business
from switchboard.contract.error import ToolError
from switchboard.desk.bookings.hours import open_stretches
from switchboard.desk.contact.phone import dialable

_TO_MESSAGE = "message"
_RINGS_S, _SHORTEST_S, _LONGEST_S = 20, 5, 60
_LOOKS_AHEAD = timedelta(days=8)


@dataclass(frozen=True, slots=True)
class TransferTarget:
    """Somebody a phone call may be put through to.

    Attributes:
        id: What the model names: the rule's id, or `transfer-<n>` for the n-th rule without one.
        label: What a caller hears, such as "Front desk".
        number: E.164.
        fallback: What comes when nobody answers: another destination's id, or `message`.
        rings_s: How long it rings before that, in seconds.
        hours: The business with the opening times that hold here, its own where the rule names none; None where
            somebody is always there.
    """

    id: str
    label: str
    number: str
    fallback: str
    rings_s: int
    hours: Business | None

    def is_open(self, now: datetime) -> bool:
        """Tell whether somebody is there at an aware time."""
        if self.hours is None:
            return True
        today = now.astimezone(self.hours.timezone).date()
        return any(s.start <= now < s.end for s in open_stretches(self.hours, today, today))

    def next_opening(self, now: datetime) -> datetime | None:
        """Return when somebody will next be there within eight days (UTC), or None."""
        if self.hours is None:
            return None
        today = now.astimezone(self.hours.timezone).date()
        stretches = open_stretches(self.hours, today, today + _LOOKS_AHEAD)
        return next((s.start.astimezone(UTC) for s in stretches if s.start > now), None)


def destinations(business: Business, *also_own: str | None) -> tuple[TransferTarget, ...]:
    """Return the destinations that can be dialled, in the owner's order.

    Args:
        business: Its rules; one whose number cannot be dialled is left out.
        also_own: Further numbers that lead back here, such as the one that was called.
    """
    rules = [rule for rule in business.escalation_rules if rule.action == "transfer"]
    found = (_read(business, rule, n, also_own) for n, rule in enumerate(rules, 1))
    return tuple(destination for destination in found if destination is not None)


def _read(business: Business, rule: EscalationRule, n: int, own: tuple[str | None, ...]) -> TransferTarget | None:
    try:
        number = dialable(str(rule.data.get("destination") or ""), business, "transfer")
    except ToolError:
        return None
    if number in own:
        return None
    id = rule.id.strip() or f"transfer-{n}"
    fallback, rings = rule.data.get("fallback"), rule.data.get("timeoutS")
    is_number = isinstance(rings, int | float) and not isinstance(rings, bool)
    return TransferTarget(
        id=id,
        label=rule.label.strip() or id,
        number=number,
        fallback=fallback if isinstance(fallback, str) and fallback and fallback != id else _TO_MESSAGE,
        rings_s=int(min(_LONGEST_S, max(_SHORTEST_S, rings))) if is_number and rings is not None else _RINGS_S,
        hours=_hours(business, rule.data.get("hours")),
    )


def _hours(business: Business, hours: Any) -> Business | None:
    # A business that has not said when it is open is not closed for ever.
    if hours == "always" or (hours is None and not business.working_hours.is_known):
        return None
    if not isinstance(hours, Mapping):
        # Nothing, "business", and whatever else somebody may have written: nobody's phone rings at night by mistake.
        return business
    own = read_business(business.id, {"workingHours": hours})
    return replace(business, working_hours=own.working_hours)
