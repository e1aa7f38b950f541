"""How many come by a note: what says so is read, and what counts something else is not."""

import pytest

from switchboard.desk.bookings.people_in_notes import people_in
from tests.each import each


@pytest.mark.requirement("004-1012")
@each(
    ("text", "people"),
    [
        ("Actually we'll be six", 6),
        ("now 6 people, two high chairs", 6),
        ("Party of 12.", 12),
        ("They will be four", 4),
        ("wir sind jetzt 6 Personen", 6),
        ("wir kommen zu sechst", 6),
        ("Tisch für fünf", 5),
        ("seremos seis", 6),
        ("ahora 6 personas", 6),
        ("nous serons six", 6),
        ("table pour huit", 8),
    ],
)
def test_a_number_of_people_is_read_in_the_languages_of_the_house(text, people):
    """As digits and as words."""
    assert people_in(text) == people


@pytest.mark.requirement("004-1012")
@each(
    "text",
    [
        "two high chairs",
        "2 of us are toddlers",
        "we'll be ten minutes late",
        "we will be 7 pm",
        "three people, or four people",
        "1-2 allergies",
        "",
    ],
)
def test_what_counts_something_else_or_several_numbers_says_nothing(text):
    """A note of high chairs is no smaller party."""
    assert people_in(text) is None
