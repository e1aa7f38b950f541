"""Whose phones ring at a moment, so that nobody is offered to be put through to where nobody is."""

from dataclasses import replace
from datetime import datetime

from switchboard.contract.business.business import Business, EscalationRule
from switchboard.desk.escalation.transfers import destinations


def numbers_that_ring(business: Business, now: datetime, *, number: str = "", rule_id: str = "") -> frozenset[str]:
    """Return the numbers (E.164) of those who can be put through to at an aware time; empty where nobody can.

    Args:
        business: Its rules and opening times.
        now: The moment.
        number: Of an owner's tool that leads there, in the opening times.
        rule_id: Of the one rule that an owner's tool leads to; without either, all rules count.
    """
    if number:
        business = replace(business, escalation_rules=(EscalationRule("transfer", data={"destination": number}),))
    known = destinations(business)
    return frozenset(one.number for one in known if (number or not rule_id or one.id == rule_id) and one.is_open(now))
