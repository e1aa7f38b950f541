"""Numbers that cost whoever calls them extra: found in what callers leave, and told to the people who would call."""

from typing import Any

from switchboard.desk.contact.phone import costly_numbers
from switchboard.desk.messaging.owner_messages import costs_extra
from tests.desk.front_desk import salon
from tests.each import each


def premium(region: str, kind: int) -> str:
    import phonenumbers

    sample = phonenumbers.example_number_for_type(region, kind)
    return str(phonenumbers.format_number(sample, phonenumbers.PhoneNumberFormat.INTERNATIONAL))


@each(
    "place",
    [("US", 4), ("GB", 4), ("DE", 5), ("DE", 4), ("FR", 4), ("ES", 4), ("CH", 4), ("AT", 4), ("IT", 4), ("GB", 7)],
)
def test_a_number_that_costs_extra_is_found_also_among_other_words(place: tuple[str, int]):
    """As the number to call back, or written into the message, in several countries (types of libphonenumber)."""
    number = premium(*place)
    for text in (number, f"Please call me at {number}, it is urgent.", f"+12015550123 or {number}"):
        assert costly_numbers(text, salon()) == ["+" + "".join(c for c in number if c.isdigit())]


@each("text", ["+1 201 555 0123", "Call +49 30 1234567 after 5", "Order 900 1234", "", "+1 800 234 5678"])
def test_ordinary_numbers_are_not_marked(text: str):
    """Nor freephone, nor digits that are none."""
    assert costly_numbers(text, salon()) == []


@each("language", ["en-US", "de-DE", "es-ES", "fr-FR", "pt-BR"])
def test_the_owner_is_warned_in_one_line(language: str):
    """In the business's language, with the number; nothing where there is none."""
    business: Any = salon(language=language)
    line = costs_extra(business, ["+19002345678"])
    assert "+19002345678" in line and line.count("\n") == 1
    assert costs_extra(business, []) == ""
