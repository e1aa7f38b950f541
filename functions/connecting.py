"""What connects businesses to calendars elsewhere, by their owners' consent, where this deployment is registered."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from main import House
    from switchboard.admin.audit_trail import AuditTrail
    from switchboard.admin.calendar_connection import CalendarConnection, Consent
    from switchboard.catalog.toolkits import Toolkits


def connections(house: "House", toolkits: "Toolkits", trail: "AuditTrail") -> "Mapping[str, CalendarConnection]":
    """Return them by the vendor's name."""
    from switchboard.admin.calendar_connection import VENDORS, CalendarConnection
    from switchboard.admin.calendar_connection_trail import ConnectionTrail

    found, consents = {}, _consents(house)
    for vendor in VENDORS:
        toolkit, consent = toolkits.named(vendor.integration), consents.get(vendor.name)
        if toolkit is not None and consent is not None:
            kept = ConnectionTrail(house.store, house.paths, trail, toolkit, house.secrets.kept_since)
            found[vendor.name] = CalendarConnection(vendor, kept, consent, house.clock, house.catalog.forget)
    return found


def _consents(house: "House") -> "Mapping[str, Consent]":
    found: dict[str, Consent] = {}
    if house.google is not None:
        from switchboard.integrations.google_calendar.consent import GoogleConsent

        found["google"] = GoogleConsent(house.google, house.secrets)
    if house.microsoft is not None:
        from switchboard.integrations.microsoft_calendar.consent import MicrosoftConsent

        found["microsoft"] = MicrosoftConsent(house.microsoft, house.secrets)
    return found
