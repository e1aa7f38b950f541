"""Vapi as an integration: the businesses' accounts with a voice platform."""

from switchboard.integrations.vapi.account import VapiAccount
from switchboard.integrations.vapi.accounts import VapiAccounts
from switchboard.integrations.vendor import Deployment, Vendor, probe_of


def open_vendor(deployment: Deployment) -> Vendor:
    """Return the accounts, and what reads one."""
    accounts = VapiAccounts(deployment.http, deployment.secrets, deployment.settings.base_url)
    return Vendor(port=accounts, probe=probe_of(accounts, VapiAccount.list_assistants))
