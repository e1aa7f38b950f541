"""Variables in a definition's words."""

import pytest

from switchboard.catalog.interpolation import VARIABLES, interpolate, is_variable, unknown_variables
from switchboard.contract.business import read_business

BUSINESS = read_business(
    "b",
    {
        "name": "Salon {{business.phone}}",
        "phone": "+12125550100",
        "services": [{"name": "Cut", "durationMinutes": 30}, {"name": "Color", "durationMinutes": 90}],
    },
)


@pytest.mark.requirement("004-14")
@pytest.mark.parametrize(
    ("text", "filled"),
    [
        ("no variables", "no variables"),
        ("Call {{business.phone}}.", "Call +12125550100."),
        ("Call {{ business.phone }}.", "Call +12125550100."),
        ("We do {{business.services}}.", "We do Cut, Color."),
        ("{{business.nonsense}}!", "!"),
        ("{{", "{{"),
        ("{{business.timezone}}", "UTC"),
    ],
)
def test_a_variable_is_filled_from_the_business(text, filled):
    """Known ones with its values, unknown ones with nothing."""
    assert interpolate(text, BUSINESS) == filled


def test_what_a_business_calls_itself_is_not_read_as_a_variable():
    """Substituted once: no second expansion."""
    assert interpolate("{{business.name}}", BUSINESS) == "Salon {{business.phone}}"


def test_without_a_business_variables_become_nothing():
    """A fallback listing shows no braces to a model."""
    assert interpolate("At {{business.name}}.", None) == "At ."


def test_unknown_variables_are_found_for_the_builder():
    """In order of appearance."""
    assert unknown_variables("{{a}} {{business.name}} {{b.c}}") == ("a", "b.c")
    assert all(is_variable(name) for name in VARIABLES)
