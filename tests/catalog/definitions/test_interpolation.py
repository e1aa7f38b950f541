"""Variables in a definition's words."""

import pytest

from switchboard.catalog.definitions.variables import (
    BUSINESS_VARIABLES,
    interpolate,
    is_business_variable,
    unknown_variables,
)
from switchboard.contract.business.business import read_business
from tests.each import each

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


@each("business", [None, read_business("", {"ai": {"language": ""}})])
def test_what_is_not_known_of_a_business_leaves_no_hole(business):
    """A fallback listing shows a model neither braces nor half sentences; nor does a business that has said little."""
    for name in BUSINESS_VARIABLES:
        filled = interpolate(f"It is {{{{{name}}}}}.", business)
        assert len(filled) > len("It is .") and "{" not in filled, name
    assert interpolate("At {{business.name}}, {{business.services}}.", None) == "At the business, not listed here."


def test_unknown_variables_are_found_for_the_builder():
    """In order of appearance."""
    assert unknown_variables("{{a}} {{business.name}} {{b.c}}") == ("a", "b.c")
    assert all(is_business_variable(name) for name in BUSINESS_VARIABLES)
