"""The two variables of tenant tools: filled once, encoded where they land, refused where nothing can fill them."""

from urllib.parse import parse_qs, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchboard.catalog.definitions.variables import (
    ABSENT,
    BUSINESS_VARIABLES,
    PhoneNumbers,
    alone,
    as_text,
    filled,
    filled_text,
    in_words,
    interpolate,
    is_business_variable,
    names_in,
    problems,
    unknown_variables,
)
from switchboard.contract.business.business import read_business
from switchboard.contract.context import PhoneContext, PortalContext
from switchboard.contract.error import ErrorType, Refused
from tests.catalog.tool_configs import NOBODY, NUMBERS
from tests.cpu_time import taking_less_than
from tests.each import each

LOOK = NUMBERS.look

BUSINESS = read_business(
    "b",
    {
        "name": "Salon {{business.phone}}",
        "phone": "+12125550100",
        "services": [{"name": "Cut", "durationMinutes": 30}, {"name": "Color", "durationMinutes": 90}],
    },
)


@pytest.mark.requirement("002-118", "002-119", "002-120")
@pytest.mark.parametrize(
    ("written", "found"),
    [
        ("Hello from {{called_phone_number}}", "Hello from +12015550199"),
        ("{{caller_phone_number}}", "+15551234567"),
        ("{{ caller_phone_number }} → {{called_phone_number}}", "+15551234567 → +12015550199"),
        ("nothing", "nothing"),
        (7, 7),
        (None, None),
    ],
)
def test_a_variable_in_a_fixed_value_becomes_the_number(written, found):
    """Seed 002, "Usage"."""
    assert filled(written, LOOK) == found


@pytest.mark.requirement("002-122")
def test_a_variable_in_an_item_of_a_list_or_object_becomes_the_number():
    """Seed 002, "Usage": array values."""
    assert filled(["{{caller_phone_number}}", "+1234567890"], LOOK) == ["+15551234567", "+1234567890"]
    assert filled({"a": [{"b": "x{{caller_phone_number}}"}]}, LOOK) == {"a": [{"b": "x+15551234567"}]}


@pytest.mark.requirement("002-123")
@pytest.mark.parametrize(
    "written",
    ["https://a.example/c?phone={{caller_phone_number}}", "See HTTPS://a.example/c?phone={{caller_phone_number}}"],
)
def test_a_number_inside_a_web_address_is_encoded_so_that_the_address_stays_valid(written):
    """A plus sign in a query would be read as a blank."""
    url = in_words(written, LOOK).split()[-1]
    assert parse_qs(urlsplit(url).query) == {"phone": ["+15551234567"]}


def test_a_number_after_a_web_address_is_written_as_it_is():
    """The address ends at the blank."""
    assert in_words("https://a.example or {{called_phone_number}}", LOOK) == "https://a.example or +12015550199"


@pytest.mark.requirement("002-124")
@given(st.text() | st.sampled_from(["{{called_phone_number}}", "{{", "}}", "{{caller_phone_number}}", r"\1\g<0>"]))
def test_what_a_variable_brings_in_is_never_searched_for_variables(number):
    """One pass: whatever a carrier or a model writes stays what it is."""
    look = {"caller_phone_number": number, "called_phone_number": "SECOND"}.__getitem__
    assert in_words("{{caller_phone_number}}", look) == number
    assert filled({"a": "<{{caller_phone_number}}{{called_phone_number}}>"}, look) == {"a": f"<{number}SECOND>"}
    assert filled_text("{{caller_phone_number}}!", look, lambda _, text: text) == f"{number}!"


@pytest.mark.requirement("002-125")
@each(
    "written",
    [
        "{{customer_name}}",
        "{{Caller_Phone_Number}}",
        "{{caller_phone_number | upcase}}",
        "{{}}",
        "{{secret.key}}",
        "{{caller_phone_number",
        "{{{{caller_phone_number}}",
        [["{{other}}"]],
    ],
)
def test_any_other_variable_is_an_error_that_names_the_two(written):
    """Refusing early is better than sending the braces."""
    [found] = problems(written, "params.x.value")
    assert found.field.startswith("params.x.value")
    assert found.remedy == "use {{caller_phone_number}}, {{called_phone_number}}"


def test_a_variable_in_the_name_of_a_field_is_an_error():
    """Only values are filled in."""
    [found] = problems({"{{caller_phone_number}}": 1}, "params.x.value")
    assert (found.field, found.remedy) == ("params.x.value", "use variables in values only")


def test_the_names_of_parameters_are_variables_where_the_owner_may_use_them():
    """And the remedy lists them."""
    assert problems("{{id}} {{caller_phone_number}}", "url", ["id"]) == []
    assert "{{id}}" in problems("{{it}}", "url", ["id"])[0].remedy


@pytest.mark.parametrize("name", ["caller_phone_number", "called_phone_number"])
def test_a_number_that_is_not_known_refuses_the_call_instead_of_sending_nothing(name):
    """A withheld caller is nobody's number."""
    with pytest.raises(Refused) as refusal:
        filled(f"x {{{{{name}}}}}", NOBODY.look)
    assert refusal.value.type is ErrorType.MODE_RESTRICTED
    assert PhoneNumbers("", "").word(name) == "(not known)"


def test_the_numbers_come_from_what_the_channel_knows():
    """Only a phone call has a number that was called."""
    phone = PhoneContext(business_id="b", session_id="s", caller_phone="+1", called_phone="+2")
    portal = PortalContext(business_id="b", session_id="s", caller_phone="+1")
    assert PhoneNumbers.of(phone) == PhoneNumbers("+1", "+2")
    assert PhoneNumbers.of(portal) == PhoneNumbers("+1", None)


def test_an_absent_value_leaves_its_member_out_and_its_place_in_a_text_empty():
    """An optional argument that was not given."""
    look = {"note": ABSENT, "none": None}.__getitem__
    assert filled({"a": "{{note}}", "b": ["{{note}}", 1], "c": "x{{note}}", "d": "{{none}}"}, look) == {
        "b": [1],
        "c": "x",
        "d": None,
    }


@each(
    ("value", "text"),
    [
        ("a", "a"),
        (3, "3"),
        (2.5, "2.5"),
        (True, "true"),
        (None, ""),
        (ABSENT, ""),
        (["a", 1, False], "a,1,false"),
        ({"a": ["ü"]}, '{"a":["ü"]}'),
        ([[1]], "[[1]]"),
    ],
)
def test_a_value_of_any_type_has_one_text(value, text):
    """As it stands in an address, a header or a message."""
    assert as_text(value) == text


def test_variables_are_found_in_order():
    """Blanks around a name do not count."""
    assert names_in({"a": "{{x}} {{ y }}", "b": ["{{x}}"], "c": 1}) == ("x", "y", "x")
    assert (alone(" {{ x }} "), alone("{{x}}.")) == ("x", None)


@pytest.mark.parametrize(
    ("hostile", "is_refused", "words"),
    [
        ("{{" + " " * 60_000, True, "{{" + " " * 60_000),
        ("{{" * 30_000, True, "{{" * 30_000),
        ("http://" * 9_000 + " {{caller_phone_number}}", False, "http://" * 9_000 + " +15551234567"),
    ],
    ids=["an opening", "openings", "addresses"],
)
def test_a_hostile_text_is_searched_in_linear_time(hostile: str, is_refused: bool, words: str):
    """Owners are strangers too; in quadratic time it would take minutes."""
    with taking_less_than(1.0):
        assert bool(problems(hostile, "x")) is is_refused
        assert in_words(hostile, LOOK) == words


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
