"""CalDAV as an integration: the calendars that businesses keep on servers of their own choice."""

from switchboard.integrations.caldav.calendars import CaldavCalendars
from switchboard.integrations.caldav.dav import DavEgress
from switchboard.integrations.vendor import Deployment, Vendor


def open_vendor(deployment: Deployment) -> Vendor:
    """Return the calendars, which owners choose among and try."""
    egress = DavEgress(own_urls=deployment.own_urls, stand_ins=deployment.stand_ins)
    calendars = CaldavCalendars(egress, deployment.secrets, deployment.clock)
    return Vendor(port=calendars, probe=calendars.check, choices=calendars, warm=calendars.warm, close=egress.close)
