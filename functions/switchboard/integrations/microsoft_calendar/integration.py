"""Microsoft 365 as an integration: the calendars of businesses that have given their consent."""

from switchboard.integrations.microsoft_calendar.calendars import MicrosoftCalendars
from switchboard.integrations.microsoft_calendar.consent import MicrosoftConsent
from switchboard.integrations.microsoft_calendar.endpoints import MicrosoftEndpoints
from switchboard.integrations.microsoft_calendar.oauth import MicrosoftOAuth
from switchboard.integrations.vendor import Deployment, Vendor


def open_vendor(deployment: Deployment) -> Vendor:
    """Return the calendars, which owners choose among and try, and what asks for their consent."""
    base, client = deployment.settings.base_url, deployment.oauth_client
    endpoints = MicrosoftEndpoints.at(base) if base else MicrosoftEndpoints.real()
    oauth = MicrosoftOAuth(deployment.http, endpoints, client) if client else None
    calendars = MicrosoftCalendars(deployment.http, endpoints, oauth, deployment.secrets, deployment.clock)
    return Vendor(
        port=calendars,
        probe=calendars.check,
        choices=calendars,
        consent=MicrosoftConsent(oauth, deployment.secrets) if oauth else None,
        warm=calendars.warm,
    )
