"""The phone numbers of a business, by the ids that its tools know (seed 002, `phone_number_id`)."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from switchboard.contract.business.business import Business
from switchboard.contract.document import items, mapping, text

TOOLKIT: Final = "twilio"


def number_rows(business: Business) -> Iterator[Mapping[str, Any]]:
    """Yield the rows of `integrations.twilio.phoneNumbers` that name a number in E.164: `{id, number, …}`."""
    connection = business.integrations.get(TOOLKIT)
    for row in items(connection.settings.get("phoneNumbers")) if connection else ():
        if text(mapping(row).get("number")).startswith("+"):
            yield row


def own_numbers(business: Business) -> Mapping[str, str]:
    """Return the business's own numbers in E.164 by their ids.

    Its main number (`twilioNumber`), which is its own id, and those of `integrations.twilio.phoneNumbers`, each by its
    id and as its own id. Every one of them is a line of the business: what comes in there is its own.
    """
    found = {business.twilio_number: business.twilio_number} if business.twilio_number else {}
    for row in number_rows(business):
        found |= {row["number"]: row["number"], str(row.get("id") or row["number"]): row["number"]}
    return found
