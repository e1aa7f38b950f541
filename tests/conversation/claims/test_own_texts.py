"""What a business's own texts say otherwise than what was entered of it."""

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from switchboard.contract.business.business import read_business
from switchboard.conversation.claims.statements.own_texts import told_otherwise
from tests.each import each

NOW = datetime(2026, 12, 1, 12, tzinfo=ZoneInfo("America/New_York"))
WEEK = {
    day: [{"open": "09:00", "close": "18:00"}] for day in ("tuesday", "wednesday", "thursday", "friday", "saturday")
}
SALON = read_business(
    "salon",
    {
        "name": "Maple",
        "address": "48 Maple Street, Hartwell",
        "timezone": "America/New_York",
        "workingHours": WEEK,
        "services": [{"name": "Haircut", "price": "$48"}, {"name": "Color", "price": "from $135"}, {"name": "Updo"}],
        "resources": [],
    },
)

OTHERWISE = [
    ("How much is a haircut?", "It is $50.", "the price is $48"),
    ("How much is a haircut?", "$50.", "the price is $48"),
    ("", "Good news. A haircut costs $50 with us.", "the price is $48"),
    ("", "Our list:\nHaircut: $50\nUpdo: $85", "the price is $48"),
    ("", "Color: $90", "the price is from $135"),
    ("", "Der Haircut kostet 50 Euro.", "the price is $48"),
    ("", "El Haircut cuesta 50 dólares.", "the price is $48"),
    ("", "Le Haircut coûte 50 dollars.", "the price is $48"),
    ("", "We are open on Mondays.", "the business is closed on Mondays"),
    ("", "Wir haben montags geöffnet.", "the business is closed on Mondays"),
    ("", "We are open until 9 pm on Fridays.", "the hours are 09:00 to 18:00"),
    ("", "Wir haben bis 20 Uhr geöffnet.", "the hours are 09:00 to 18:00"),
    ("", "Estamos abiertos de martes a sábado hasta las 20:00.", "the hours are 09:00 to 18:00"),
    ("When are you open?", "Tuesday to Saturday, 9:00 to 17:00.", "the hours are 09:00 to 18:00"),
    ("Where are you?", "You find us at 3 Oak Avenue.", "the address is 48 Maple Street, Hartwell"),
    ("", "Our address is 50 Maple Street.", "the address is 48 Maple Street, Hartwell"),
    ("", "Sie finden uns in der Lindenstraße 7.", "the address is 48 Maple Street, Hartwell"),
    ("", "Nous sommes au 12 rue des Lilas.", "the address is 48 Maple Street, Hartwell"),
]
AS_ENTERED = [
    ("How much is a haircut?", "It is $48."),
    ("How much is a haircut?", "It is $48. Very long hair adds $20."),
    ("How much is color?", "It starts at $135, with very long hair $180."),
    ("", "Color: $160"),
    ("", "Two haircuts cost $96."),
    ("", "An updo costs $85."),
    ("", "A haircut deposit is $10."),
    ("", "A haircut costs $10 less for students."),
    ("", "Late cancellations cost $20."),
    ("", "We are open Tuesday to Saturday from 9 to 6."),
    ("", "We open at 9 every day and close at 6 pm."),
    ("", "We are not open on Mondays."),
    ("", "We are open on Saturdays; the last appointment is at 5 pm."),
    ("", "On holidays we are open from 10 to 2."),
    ("", "If we are open until 8 pm, it is posted at the door."),
    ("", "Our address is 48 Maple Street, Hartwell."),
    ("", "Parking is behind the house at 12 Oak Street."),
    ("", "Come 10 minutes early."),
    ("", "Call us at 518 555 0100."),
]


@pytest.mark.requirement("004-2421")
@each(("question", "text", "entered"), OTHERWISE)
def test_what_is_said_otherwise_is_found_with_what_was_entered(question, text, entered):
    """Prices, open days, hours and addresses, in the languages that sentences are read in."""
    found = list(told_otherwise(SALON, text, NOW, question))
    assert [one.entered for one in found] == [entered]
    assert found[0].sentence in " ".join(text.split()) or found[0].sentence in text


@each(("question", "text"), AS_ENTERED)
def test_what_may_be_so_is_left_alone(question, text):
    """What agrees, what is another sum, other hours or another house, and what was not entered at all."""
    assert not list(told_otherwise(SALON, text, NOW, question))


def test_a_business_that_has_entered_nothing_is_contradicted_by_nothing():
    """Neither prices nor hours nor an address are known."""
    bare = read_business("bare", {"name": "Bare", "timezone": "America/New_York"})
    assert not [one for question, text, _ in OTHERWISE for one in told_otherwise(bare, text, NOW, question)]
