"""What is wrong, as owners read it: the eleventh service, and not the place in a document."""

import pytest

from admin_ui.shell.problem_words import told


@pytest.mark.requirement("004-653")
@pytest.mark.parametrize(
    ("field", "message", "words"),
    [
        ("services[10].name", "services[10].name is required.", "Service 11 has no name."),
        (
            "services[10].name",
            "services[10] needs a name that can be said.",
            "Service 11 needs a name that can be said.",
        ),
        (
            "services[2].durationMinutes",
            "services[2].durationMinutes must be a whole number from 1 to 1440.",
            "Service 3: minutes must be a whole number from 1 to 1440.",
        ),
        (
            "escalation.rules[0].destination",
            "escalation.rules[0] needs a destination, the number that is rung.",
            "Person 1 needs a destination, the number that is rung.",
        ),
        (
            "otherPhones[1]",
            "otherPhones[1] is not a number that can be called.",
            "Other number 2 is not a number that can be called.",
        ),
        ("timezone", "timezone must name an IANA zone.", "Time zone must name an IANA zone."),
        ("config.port", "config.port must be a whole number.", "Port must be a whole number."),
        ("", "Say what shall be corrected.", "Say what shall be corrected."),
    ],
)
def test_a_problem_is_told_by_its_row_and_the_label_of_its_field(field, message, words):
    """Whatever a program calls it."""
    assert told({"field": field, "message": message}) == words
