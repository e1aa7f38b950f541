"""What would be booked, against what the conversation was told of it: its price, its length, and whom it is with.

What an owner has changed since then is told, and asked about, before anything is booked by it.
"""

from collections.abc import Iterator
from typing import NamedTuple

from switchboard.contract.business.terms import ServiceTerms, key_of
from switchboard.contract.context import CallContext
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.json import JsonObject
from switchboard.desk.bookings.duration import VisitLength


class ChangedTerm(NamedTuple):
    """What is not as it was told: its kind and words, what was told and what is, and as what a session keeps that."""

    kind: str
    what: str
    was: str
    now: str
    key: str
    kept: JsonObject

    @property
    def in_words(self) -> str:
        """What has changed, for a model."""
        return f"{self.what} was {self.was or 'not told'}, and is {self.now or 'not told'} now"


def changed_since_told(ctx: CallContext, visit: VisitLength, *, has_own_length: bool = True) -> tuple[ChangedTerm, ...]:
    """Return what of a visit is not as the conversation was told; `has_own_length`: nobody has named another one."""
    return tuple(_changed(ctx, visit, has_own_length)) if ctx.told is not None else ()


def _changed(ctx: CallContext, visit: VisitLength, has_own_length: bool) -> Iterator[ChangedTerm]:
    assert ctx.told is not None
    service = ctx.business.service_named(visit.service) if visit.service else None
    told = ctx.told.service_told(service.name, ctx.turn) if service is not None else None
    if service is not None and told is not None:
        now = ServiceTerms(service.price, service.duration_minutes)
        key, kept = key_of("service", service.name), dict(now._asdict())
        if told.price != now.price:
            yield ChangedTerm("price", f"the price of {service.name}", told.price, now.price, key, kept)
        if told.minutes != now.minutes and has_own_length:
            was, length = f"{told.minutes} minutes", f"{now.minutes} minutes"
            yield ChangedTerm("length", f"the length of {service.name}", was, length, key, kept)
    name = next((person.name for person in ctx.business.people if person.id == visit.person), "")
    was = ctx.told.person_told(visit.person, ctx.turn) if name else ""
    if was and was != name:
        key = key_of("person", visit.person)
        yield ChangedTerm("person", "the name of whom it is with", was, name, key, {"name": name})


def require_as_told(ctx: CallContext, visit: VisitLength, *, has_own_length: bool = True) -> None:
    """Make sure that what would be booked is what the caller was told, or has agreed to since.

    Raises:
        ToolError: CONFLICT; it names what was told and what is now, and nothing was booked.
    """
    changed = () if ctx.agreed is not None else changed_since_told(ctx, visit, has_own_length=has_own_length)
    if not changed:
        return
    words = "; ".join(one.in_words for one in changed)
    rows = [{"what": one.kind, "told": one.was, "is": one.now, "key": one.key, "kept": one.kept} for one in changed]
    raise ToolError(
        ErrorType.CONFLICT,
        f"Nothing was done, since it is not as the caller was told: {words}. Tell the caller what it was and what it "
        f"is now, and ask whether they want it so. Call {ctx.tool} again once they have agreed.",
        meta={"reason": "changed", "changed": rows},
    )


def told_anew(ctx: CallContext, visit: VisitLength, *, has_own_length: bool = True) -> JsonObject:
    """Return what the question to the caller has to name, since it is not as they were told."""
    kinds = {one.kind for one in changed_since_told(ctx, visit, has_own_length=has_own_length)}
    facts: JsonObject = {"new_price": visit.price or None} if "price" in kinds else {}
    return facts | ({"new_minutes": visit.minutes} if "length" in kinds else {})
