"""Phone numbers as callers say them, kept in E.164, and which of them are dialled or texted at all."""

import re
import subprocess
import sys
from pathlib import Path

import phonenumbers
import pytest
from hypothesis import given
from hypothesis import strategies as st
from phonenumbers import PhoneNumberFormat, PhoneNumberType, shortnumberinfo

from switchboard.contract.error import ErrorType, ToolError
from switchboard.desk.contact.phone import caller_number, dialable, is_short, number_on_file, text_countries, to_e164
from tests.desk.front_desk import salon
from tests.each import each

REGIONS = sorted(phonenumbers.SUPPORTED_REGIONS)
KINDS = [kind for kind in PhoneNumberType.values() if kind != PhoneNumberType.UNKNOWN]
NOWHERE = (800, 808, 870, 878, 881, 882, 883, 888, 979)
MOBILE = (PhoneNumberType.MOBILE, PhoneNumberType.FIXED_LINE_OR_MOBILE, PhoneNumberType.VOIP)
ORDINARY = (*MOBILE, PhoneNumberType.FIXED_LINE, PhoneNumberType.TOLL_FREE)
EVERYWHERE = salon(integrations={"twilio": {"isConnected": True, "countries": REGIONS}})


@each(
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
    """Full-width digits and invisible marks are read as what they look like."""
    assert to_e164(text, salon(phone=own)) == expected


@each(
    "text",
    [
        *("12345", "my number", "", "+1 518 555 0177 ext. 9", "+15185550177;ext=9", "911", "+999123456789", "5" * 40),
        *("tel:555-0177;phone-context=+1518", "5550177;phone-context=+1518", "+15185550177;phone-context=example.com"),
        *("+15185550177;isub=1", "whatsapp:+15185550177", "WhatsApp: +1 518 555 0177", "client:+15185550177"),
        *("mailto:518 555 0177", "sip:+15185550177"),
    ],
)
def test_what_cannot_be_called_is_refused_with_an_example(text):
    """Also extensions, which nobody could dial, and emergency numbers."""
    with pytest.raises(ToolError) as caught:
        to_e164(text, salon())
    assert caught.value.type is ErrorType.VALIDATION
    assert "+1" in caught.value.message


@each("own", ["AX", "BL", "CC", "CX", "IM", "MF", "SJ", "VA"])
def test_a_local_mobile_number_is_texted_where_a_neighbour_has_the_same(own: str):
    """Åland's are numbered as Finland's are: a business there texts its own customers."""
    form = PhoneNumberFormat.E164
    mobile = phonenumbers.format_number(phonenumbers.example_number_for_type(own, PhoneNumberType.MOBILE), form)
    there = salon(phone="", twilioNumber="", integrations={"twilio": {"isConnected": True, "countries": [own]}})
    assert dialable(mobile, there, "text") == mobile
    elsewhere = salon(phone="", twilioNumber="", integrations={"twilio": {"isConnected": True, "countries": ["US"]}})
    with pytest.raises(ToolError, match="numbers in US only"):
        dialable(mobile, elsewhere, "text")


@each("signalled", ["+15185550177;1", "518 555 0177; 518 555 0178"])
def test_what_holds_more_than_a_number_is_nobodys(signalled: str):
    """Which of them was meant, nobody can tell."""
    assert caller_number(signalled) is None
    assert number_on_file(signalled, "US") is None


def test_without_a_usable_number_of_its_own_only_full_numbers_are_read():
    """The business's Twilio number stands in for a missing one; without any, its zone; without that, nothing does."""
    for own in ("unknown", "+80012345678"):
        assert to_e164("518 555 0177", salon(phone=own, twilioNumber="+15185550100")) == "+15185550177"
    with pytest.raises(ToolError):
        to_e164("518 555 0177", salon(phone="unknown", timezone="UTC"))


@each("region", REGIONS)
def test_one_caller_is_one_caller_in_every_country_and_spelling(region):
    """International, national, as an address, and with marks that nobody sees."""
    fixed = phonenumbers.example_number(region)
    number = phonenumbers.example_number_for_type(region, PhoneNumberType.MOBILE) or fixed
    business = salon(phone=phonenumbers.format_number(fixed, PhoneNumberFormat.E164))
    e164 = phonenumbers.format_number(number, PhoneNumberFormat.E164)
    formats = (PhoneNumberFormat.E164, PhoneNumberFormat.INTERNATIONAL, PhoneNumberFormat.RFC3966)
    spellings = [phonenumbers.format_number(number, form) for form in formats]
    if phonenumbers.region_code_for_number(fixed) == region:
        spellings.append(phonenumbers.format_number(number, PhoneNumberFormat.NATIONAL))
    disguised = "".join(chr(ord(c) + 0xFEE0) if c.isdigit() else c + "\u200f" for c in e164)
    assert {to_e164(text, business) for text in (*spellings, disguised)} == {e164}
    assert {caller_number(text) for text in (e164, spellings[1], disguised)} == {e164}


@each(("purpose", "allowed"), [("text", MOBILE), ("transfer", ORDINARY)])
@each("region", REGIONS)
def test_no_kind_of_number_is_dialled_that_is_not_on_the_list(region, purpose, allowed):
    """Every country's example of every kind: premium, shared cost, personal, pager and voicemail never are (row 23)."""
    examples = [phonenumbers.example_number_for_type(region, kind) for kind in KINDS]
    for number in filter(None, examples):
        text = phonenumbers.format_number(number, PhoneNumberFormat.E164)
        if phonenumbers.number_type(number) in allowed:
            assert dialable(text, EVERYWHERE, purpose) == text
        else:
            with pytest.raises(ToolError) as caught:
                dialable(text, EVERYWHERE, purpose)
            assert caught.value.type is ErrorType.VALIDATION


@each("purpose", ["text", "transfer"])
@each("code", NOWHERE)
def test_satellites_and_networks_of_no_country_are_never_dialled(code, purpose):
    """+881, +882, +883 and their like, whatever libphonenumber calls their kind."""
    number = phonenumbers.example_number_for_non_geo_entity(code)
    for text in filter(None, [f"+{code}123456789", number and phonenumbers.format_number(number, 0)]):
        with pytest.raises(ToolError):
            dialable(text, EVERYWHERE, purpose)


@each("purpose", ["text", "transfer"])
@each("region", REGIONS)
def test_short_and_emergency_numbers_are_never_dialled(region, purpose):
    """Of no country, as they are dialled there."""
    fixed = phonenumbers.example_number(region)
    business = salon(phone=phonenumbers.format_number(fixed, PhoneNumberFormat.E164))
    found = [n for n in ("112", "911", "999", "110", "000") if shortnumberinfo.is_emergency_number(n, region)]
    for text in (*found, shortnumberinfo._example_short_number(region)):
        if text:
            with pytest.raises(ToolError):
                dialable(text, business, purpose)


@each(
    "text",
    [
        "sip:attacker@example.com",
        "client:attacker",
        "+15185550143,,99",
        "+15185550143;99",
        "+15185550143w1",
        "+15185550143 x9",
        "+15185550100",
        "1-900-555-0123",
        "*67 518 555 0143",
        "front-desk",
    ],
)
def test_no_trick_is_dialled(text):
    """Addresses, pauses, extensions, service codes and the business's own number for tools."""
    with pytest.raises(ToolError):
        dialable(text, salon(twilioNumber="+15185550100"), "transfer")


@each("text", ["911", "112", "+911", "1 1 2", "311", "9-1-1"])
def test_a_short_number_is_told_from_a_business_s(text):
    """Emergency calls, and services of a country; not one with letters, or that is written without its area."""
    assert is_short(text, salon(twilioNumber="+15185550100", phone=""))
    assert is_short("116117", salon(twilioNumber="+493012345678", phone=""))
    for usual in ("(518) 555-0100", "555-0100", "+49 30 1234567", "1-800-FLOWERS", "030 123456"):
        assert not is_short(usual, salon(twilioNumber="+15185550100", phone=""))


def test_no_call_is_put_through_to_another_line_of_the_business():
    """It would answer itself there."""
    listed = {"twilio": {"phoneNumbers": [{"id": "PN2", "number": "+15185550199"}]}}
    with pytest.raises(ToolError):
        dialable("+15185550199", salon(integrations=listed), "transfer")
    assert dialable("+15185550199", salon(), "transfer") == "+15185550199"


@given(st.text(max_size=40) | st.from_regex(r"\+?[0-9 ()\-;,*#xw]{1,30}", fullmatch=True))
def test_whatever_is_dialled_is_a_plain_number(text):
    """Or it is refused; nothing else ever comes out."""
    try:
        number = dialable(text, EVERYWHERE, "transfer")
    except ToolError as error:
        assert error.type is ErrorType.VALIDATION
    else:
        assert re.fullmatch(r"\+[1-9][0-9]{4,14}", number)


@pytest.mark.requirement("002-49")
def test_texts_go_to_the_businesss_own_country_and_those_it_allows():
    """Numbers abroad are what pumping is done with."""
    german = "+491701234567"
    with pytest.raises(ToolError) as caught:
        dialable(german, salon(), "text")
    assert caught.value.meta["reason"] == "country"
    assert "US" in caught.value.message
    allowing = salon(integrations={"twilio": {"isConnected": True, "countries": ["de", 7, None]}})
    assert dialable(german, allowing, "text") == german
    assert text_countries(salon(phone="unknown")) == frozenset()


@each(
    "text",
    [
        "+266696687",
        "266696687",
        "+7378742833",
        "+2562533",
        "+8566",
        "+86282452253",
        "anonymous",
        "Anonymous",
        "Restricted",
        "client:browser-1",
        "sip:alice@example.com",
        "sip:+15185550171@example.com",
        "+1",
        "5185550171",
        "+15185550171;ext=4",
        "",
        " ",
        None,
    ],
)
def test_a_withheld_number_is_nobodys(text):
    """What carriers signal instead of a number never becomes a caller whom others could be mistaken for (row 22)."""
    assert caller_number(text) is None


def test_a_signalled_number_is_kept_though_the_tables_do_not_know_it_yet():
    """New ranges are opened faster than tables are renewed; nobody is turned away for that."""
    assert caller_number("+15185550171") == "+15185550171"
    assert not phonenumbers.is_valid_number(phonenumbers.parse("+11005550171"))
    assert caller_number("+11005550171") == "+11005550171"


@pytest.mark.process
def test_importing_it_costs_a_cold_start_nothing():
    """The tables are loaded by the first number that is read."""
    code = "import sys, switchboard.desk.contact.phone; print('phonenumbers' in sys.modules)"
    functions = Path(__file__).parents[3] / "functions"
    done = subprocess.run([sys.executable, "-c", code], cwd=functions, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


@pytest.mark.requirement("004-2009")
def test_a_whole_number_that_is_given_to_nobody_is_told_apart_from_half_a_one() -> None:
    """Whoever reads out all of it is not asked for the rest."""
    for text, told in (("+441632960111", "is whole, and in a range"), ("+44 1632", "Ask for the whole number")):
        with pytest.raises(ToolError) as caught:
            to_e164(text, salon())
        assert told in caught.value.message
