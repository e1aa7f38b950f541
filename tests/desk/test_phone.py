"""Phone numbers as callers say them, kept in E.164."""

import pytest

from switchboard.contract.error import ErrorType, ToolError
from switchboard.desk.phone import to_e164
from tests.desk.front_desk import salon


@pytest.mark.parametrize(
    ("text", "own", "expected"),
    [
        ("518 555 0177", "+15185550142", "+15185550177"),
        ("(518) 555-0177", "+15185550142", "+15185550177"),
        ("1-518-555-0177", "+15185550142", "+15185550177"),
        ("030 901820", "+49 30 901821", "+4930901820"),
        ("0400 111 222", "+61 2 9374 4000", "+61400111222"),
        ("+61 400 111 222", "+15185550142", "+61400111222"),
        ("\u202a\uff0b61 400 111 222\u202c", "+15185550142", "+61400111222"),
        ("tel:+61-400-111-222", "", "+61400111222"),
    ],
)
def test_a_number_is_read_as_it_is_dialled_where_the_business_is(text, own, expected):
    """Full-width digits and invisible marks are read as what they look like (reliability.md row 29)."""
    assert to_e164(text, salon(phone=own)) == expected


@pytest.mark.parametrize(
    "text",
    ["12345", "my number", "", "+1 518 555 0177 ext. 9", "+15185550177;ext=9", "911", "+999123456789", "5" * 40],
)
def test_what_cannot_be_called_is_refused_with_an_example(text):
    """Also extensions, which nobody could dial, and emergency numbers."""
    with pytest.raises(ToolError) as caught:
        to_e164(text, salon())
    assert caught.value.type is ErrorType.VALIDATION
    assert "+1" in caught.value.message


def test_without_a_usable_number_of_its_own_only_full_numbers_are_read():
    """The business's Twilio number stands in for a missing one; without any there is no region."""
    for own in ("unknown", "+80012345678"):
        assert to_e164("518 555 0177", salon(phone=own, twilioNumber="+15185550100")) == "+15185550177"
    with pytest.raises(ToolError):
        to_e164("518 555 0177", salon(phone="unknown"))
