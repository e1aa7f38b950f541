"""In which country a local number is read: the business's numbers', else its address's, else its time zone's."""

from typing import Any
from zoneinfo import available_timezones

import pytest

from switchboard.contract.business.business import Business, read_business
from switchboard.contract.error import ToolError
from switchboard.contract.telephony import BAD_NUMBER
from switchboard.desk.contact.phone import region_of, to_e164
from tests.each import each

pytestmark = pytest.mark.requirement("004-1903")


def business(**fields: Any) -> Business:
    return read_business("linden", {"name": "Linden", **fields})


@each(
    "fields, region",
    [
        ({"timezone": "America/New_York"}, "US"),
        ({"timezone": "America/Indiana/Knox"}, "US"),
        ({"timezone": "US/Eastern"}, "US"),
        ({"timezone": "Canada/Pacific"}, "CA"),
        ({"timezone": "Europe/Berlin"}, "DE"),
        ({"timezone": "Europe/Vienna"}, "AT"),
        ({"timezone": "Asia/Tokyo"}, "JP"),
        # Of several countries, or of none.
        *(({"timezone": zone}, None) for zone in ("CET", "EST5EDT", "Etc/GMT+5", "UTC", "Etc/UTC", "GMT", "", "Mars")),
        ({"timezone": "Europe/Berlin", "address": "Hauptplatz 1, 4020 Linz, Österreich"}, "AT"),
        ({"timezone": "Europe/Berlin", "address": "Hauptplatz 1\n4020 Linz\nAustria."}, "AT"),
        ({"timezone": "Europe/Berlin", "address": "Lindenstr. 5, 10969 Berlin"}, "DE"),
        ({"timezone": "America/New_York", "address": "5 Peach St, Atlanta, Georgia"}, "US"),
        ({"timezone": "America/New_York", "address": "5 Main St, Lebanon"}, None),
        ({"timezone": "America/Chicago", "address": "5 Main St, Peru"}, None),
        ({"timezone": "America/New_York", "address": "48 Maple Street, Albany, NY 12207"}, "US"),
        ({"timezone": "America/Los_Angeles", "address": "1 Bay St, Oakland, CA"}, "US"),
        ({"timezone": "Europe/Berlin", "address": "", "phone": "+43 732 123456"}, "AT"),
        ({"timezone": "Europe/Berlin", "address": "Linz, Austria", "twilioNumber": "+15185550142"}, "US"),
        ({"timezone": "America/New_York", "phone": "nobody knows"}, "US"),
        ({"address": "Wien, Österreich"}, "AT"),
    ],
)
def test_the_country_is_the_one_that_its_numbers_address_or_zone_tell(fields: dict[str, Any], region: str | None):
    assert region_of(business(**fields)) == region


def test_every_zone_tells_one_country_or_none():
    codes = {region_of(business(timezone=zone)) for zone in available_timezones()}
    assert all(code is None or (len(code) == 2 and code.isupper()) for code in codes) and len(codes) > 200


@each(
    "zone, number, e164",
    [
        ("America/New_York", "518 555 0222", "+15185550222"),
        ("America/New_York", "(518) 555-0222", "+15185550222"),
        ("America/New_York", "+49 30 901820", "+4930901820"),
        ("Europe/Berlin", "030 901820", "+4930901820"),
        ("CET", "+49 30 901820", "+4930901820"),
    ],
)
def test_a_number_is_read_as_it_is_dialled_where_the_business_is(zone: str, number: str, e164: str):
    assert to_e164(number, business(timezone=zone)) == e164


def test_what_cannot_be_read_is_asked_for_with_its_country():
    with pytest.raises(ToolError) as caught:
        to_e164("030 901820", business(timezone="CET"))
    assert "with its country code" in caught.value.message and caught.value.meta["reason"] == BAD_NUMBER
