"""What a caller is told of an appointment before it is changed; the yes is to these facts, and to no others."""

from switchboard.contract.json import JsonObject
from switchboard.desk.bookings.booking import Booking


def told_facts(booking: Booking) -> JsonObject:
    """Return what a caller is told of an appointment before it is changed.

    Nobody is asked about themselves by name, as if they were somebody else.
    """
    facts: JsonObject = {"service": booking.service, "start_time": booking.start}
    facts |= {} if booking.is_for_caller else {"customer_name": booking.customer_name}
    party = {"party": booking.party} if booking.party > 1 else {}
    return facts | party | ({"with": booking.taken.person} if booking.taken.person else {})


def told_move(booking: Booking, target: Booking) -> JsonObject:
    """Return what a caller is told of an appointment before it is moved, made another service, or for other many.

    Where it is then with somebody else, only they are named: "yes, with Rosa" must not be heard as a yes to Marcus.
    Where it stays at its time, nothing is said to move.
    """
    facts, person = told_facts(booking), target.taken.person
    if person and person != booking.taken.person:
        facts = {name: value for name, value in facts.items() if name != "with"} | {"new_with": person}
    if target.start == booking.start:
        facts |= {"same_time": booking.start, "new_start_time": None}
    if target.party != booking.party:
        facts |= {"new_party" if target.party > 1 else "new_single": target.party}
    if target.its_service != booking.its_service:
        # What it costs and how long it takes is part of what is agreed to.
        facts |= {"new_service": target.service, "new_minutes": target.minutes}
        facts |= {"new_price": target.price} if target.price else {}
    return facts
