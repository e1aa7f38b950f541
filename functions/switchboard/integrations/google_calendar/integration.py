"""Google Calendar as an integration: the calendars of businesses that have given their consent."""

from switchboard.integrations.google_calendar.calendars import GoogleCalendars
from switchboard.integrations.google_calendar.consent import GoogleConsent
from switchboard.integrations.google_calendar.endpoints import GoogleEndpoints
from switchboard.integrations.google_calendar.oauth import GoogleOAuth
from switchboard.integrations.vendor import Deployment, Vendor


def open_vendor(deployment: Deployment) -> Vendor:
    """Return the calendars, and what asks for their owners' consent."""
    base, client = deployment.settings.base_url, deployment.oauth_client
    endpoints = GoogleEndpoints.at(base) if base else GoogleEndpoints.real()
    oauth = GoogleOAuth(deployment.http, endpoints, client) if client else None
    calendars = GoogleCalendars(deployment.http, endpoints, oauth, deployment.secrets, deployment.clock)
    return Vendor(
        port=calendars,
        consent=GoogleConsent(oauth, deployment.secrets) if oauth else None,
        warm=calendars.warm,
    )
