"""E-mail by SMTP as an integration: the businesses' own mail servers."""

from switchboard.integrations.smtp.mailer import SmtpMailer, SmtpMailers
from switchboard.integrations.vendor import Deployment, Vendor, probe_of


def open_vendor(deployment: Deployment) -> Vendor:
    """Return the mail accounts, and what logs in to one without sending anything."""
    mailers = SmtpMailers(deployment.secrets, deployment.clock, stand_in=deployment.settings.stand_in)
    return Vendor(port=mailers, probe=probe_of(mailers, SmtpMailer.log_in))
