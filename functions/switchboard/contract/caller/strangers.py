"""Who is a stranger, and how much strangers get: the table of `policy.py` as rules and keys for counting.

What is refused says which share is used up and what would work: being verified, another time, or leaving a message.

Anybody can have any number shown. It is an identity only where the carrier vouches for it in full and the business has
agreed to rely on that, or where a code that was sent to it has come back.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Final

from switchboard.contract.business.business import Business
from switchboard.contract.context import Context, PhoneContext, ProvenNumber
from switchboard.contract.error import ErrorType, Refused
from switchboard.contract.policy import STRANGERS, Thing
from switchboard.contract.ports import BusinessPaths
from switchboard.contract.window import Tally, Window, WindowRule, duration, left_s, span

# Of the carriers' verdicts the only one that says: this customer, and this number is theirs.
VOUCHED_FOR: Final = "TN-Validation-Passed-A"


def is_stranger(facts: Context, business: Business | None) -> bool:
    """Tell whether nothing vouches for who is on a channel; what the session has established is asked elsewhere."""
    if facts.caller_verified:
        return False
    return attested_number(facts, business) is None


def keys_of(facts: Context) -> dict[str, str]:
    """Return what a stranger is counted under, by scope: also for each call whose number is withheld, under one key."""
    keys = {"visit": facts.session_id} if facts.session_id else {}
    if facts.address:
        keys |= {"address": facts.address, "business": ""}
    if facts.caller_phone:
        keys["number"] = f"{'attested' if vouched_number(facts) else facts.channel.value}|{facts.caller_phone}"
    elif isinstance(facts, PhoneContext) and facts.is_withheld:
        keys["withheld"] = ""
    return keys


def rules_for(thing: Thing) -> tuple[WindowRule, ...]:
    """Return the table's row for a thing as rules, the narrowest scope first."""
    share = STRANGERS[thing]
    cells: tuple[tuple[str, int | None, int, str], ...] = (
        ("visit", share.visit, 0, ""),
        ("address", share.address, 0, ""),
        ("number", share.number, share.assured_call, "visit"),
        ("withheld", share.withheld, share.assured_call, "visit"),
        ("business", share.business, 0 if thing in _OF_ALL else share.assured, "address"),
    )
    return tuple(
        WindowRule(scope, limit, share.window_s, own, to) for scope, limit, own, to in cells if limit is not None
    )


def tally_of(thing: Thing, facts: Context, paths: BusinessPaths, now: datetime) -> Tally:
    """Return the windows that one more of a thing counts in."""
    keys = keys_of(facts)
    if thing in _OF_ALL:
        # Whoever forges numbers uses nothing of those whose carrier vouches for theirs.
        keys["business"] = "attested" if vouched_number(facts) else ""
    return Tally.of(paths, now, rules_for(thing), keys, _what(thing))


def shares_of_all(paths: BusinessPaths, now: datetime) -> list[tuple[Thing, Window]]:
    """Return what counts all strangers of a business together: the window of each thing, and the one before it."""
    shares: list[tuple[Thing, Window]] = []
    for thing in STRANGERS:
        for rule in (rule for rule in rules_for(thing) if rule.scope == "business"):
            moments = (now, now - timedelta(seconds=rule.window_s))
            keys = ("", "attested") if thing in _OF_ALL else ("",)
            shares += [(thing, Window.of(paths, at, rule, key, _what(thing))) for key in keys for at in moments]
    return shares


def _what(thing: Thing) -> str:
    return f"strangers' {thing.value}".replace(" ", "-")


def used_up(thing: Thing, window: Window, now: datetime) -> Refused:
    """Return the refusal of a thing of which a window was full."""
    rule, left = window.rule, left_s(now, window.rule)
    words = {"limit": rule.limit, "thing": thing.value, "span": span(rule.window_s)}
    who = _FROM_HERE if rule.scope == "address" and thing in _TOLD_TO_VISITORS else _WHO[rule.scope]
    who = _ALL if rule.scope == "business" and thing in _OF_ALL else who
    return Refused(
        ErrorType.RATE_LIMIT,
        f"{who.format(**words)} Nothing was done. {_WORKS[thing].format(left=duration(left))}",
        meta={"reason": rule.scope, "retryAfterS": left},
    )


def held_already(scope: str, limit: int) -> Refused:
    """Return the refusal of a booking by somebody who holds as many as strangers may."""
    return Refused(
        ErrorType.RATE_LIMIT,
        f"{_HOLDS[scope]} {limit} open bookings, which is as many as callers may hold who are not verified. Nothing "
        f"was booked. {_WORKS[Thing.OPEN_BOOKINGS]}",
        meta={"reason": scope},
        instead=True,
    )


_HOLDS: Mapping[str, str] = {
    "visit": "This conversation holds",
    "address": "The place that this visitor writes from holds",
    "number": "This number holds",
    "named": "For the number that this booking names there are",
    "withheld": "Callers whose number is withheld hold, all together,",
}
# What is counted of all strangers of a business, whether they come through a browser or call.
_OF_ALL = frozenset({Thing.BOOKINGS})
_ALL = "Callers who are not verified have made as many {thing} as all of them together may make ({limit} in {span})."

_WHO: Mapping[str, str] = {
    "visit": "This conversation has had as many {thing} as a caller who is not verified may have ({limit} in {span}).",
    "address": "The place that this visitor writes from has had as many {thing} as visitors who are not verified may "
    "have from one address ({limit} in {span}).",
    "number": "This number has had as many {thing} as a caller who is not verified may have ({limit} in {span}).",
    "withheld": "Callers whose number is withheld have had as many {thing} as all of them together may have who are "
    "not verified ({limit} in {span}).",
    "business": "Visitors who are not verified have had as many {thing} as all of them together may have "
    "({limit} in {span}).",
}
# What a visitor's page or client is told; of the others the model is, which speaks of a caller.
_TOLD_TO_VISITORS = frozenset({Thing.VISITS, Thing.MESSAGES, Thing.MODEL_TURNS, Thing.VOICE_SESSIONS})
_FROM_HERE = (
    "There have been as many {thing} from your address as visitors who are not verified may have ({limit} in {span})."
)
# A business without a calendar has no tools that verify anybody.
_VERIFY = "Verify the caller, if that is offered here, which lifts this; or say that it can be done in {left}."
_LATER = "Try again in {left}, or call the business."
_WORKS: Mapping[Thing, str] = {
    Thing.VISITS: _LATER,
    Thing.MESSAGES: "Wait a moment, and write again.",
    Thing.MODEL_TURNS: _LATER,
    Thing.SPOKEN_TURNS: "Call again in {left}.",
    Thing.ACTIONS: _VERIFY,
    Thing.OPEN_BOOKINGS: "Verify the caller, if that is offered here and they are known to the business, which lifts "
    "this; or cancel one of them first. Whoever is new here cannot be verified: they can call the business.",
    Thing.BOOKINGS: "Verify the caller, if that is offered here, which lifts this; or say that a booking can be made "
    "in {left}.",
    Thing.EVENTS: f"{_VERIFY} A service of the business is booked with book_appointment.",
    Thing.OWNER_MESSAGES: "Do not take another one: say that the business has what was left before; or verify the "
    "caller, if that is offered here, which lifts this.",
    Thing.VOICE_SESSIONS: "Go on in writing, or try again in {left}.",
}


def vouched_number(facts: Context) -> ProvenNumber | None:
    """Return the number of a phone call whose carrier vouches for it in full; None of every other conversation."""
    if not isinstance(facts, PhoneContext) or facts.attestation != VOUCHED_FOR or not facts.caller_phone:
        return None
    return ProvenNumber(facts.caller_phone)


def attested_number(facts: Context, business: Business | None) -> ProvenNumber | None:
    """Return the number of a phone call, where the carrier vouches for it in full and the business relies on that."""
    return vouched_number(facts) if business is not None and business.trust_caller_id else None


def proven_number(facts: Context, business: Business | None) -> ProvenNumber | None:
    """Return the number by which the caller is known, None where none is proven as far as the business asks for it.

    Of a verified caller that is the number on file, whatever the call shows. Anybody else is known by the number that
    the carrier vouches for, unless the business asks for a code as well.
    """
    if facts.caller_verified:
        return facts.verified_phone
    asks_for_code = business is not None and business.caller_verification == "code"
    return None if asks_for_code else attested_number(facts, business)
