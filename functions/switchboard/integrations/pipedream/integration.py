"""Pipedream Connect as an integration: ready-made actions of the apps that businesses have connected."""

from typing import cast

from switchboard.integrations.vendor import Deployment, Vendor


def open_vendor(deployment: Deployment) -> Vendor:
    """Return what runs actions, and the accounts of apps that owners choose among."""
    settings, http, clock = deployment.settings, deployment.http, deployment.clock
    own = settings.values
    if not own:
        return Vendor(port=None)
    # Most deployments have no project there, and need not load what would speak to it.
    from switchboard.integrations.pipedream.accounts import PipedreamAccounts
    from switchboard.integrations.pipedream.actions import PipedreamActions
    from switchboard.integrations.pipedream.project import BASE_URL, Environment, PipedreamProject

    project = PipedreamProject(
        own["CLIENT_ID"],
        own["CLIENT_SECRET"],
        own["PROJECT_ID"],
        cast(Environment, own["ENVIRONMENT"]),
        settings.base_url or BASE_URL,
    )
    return Vendor(port=PipedreamActions(http, project, clock), choices=PipedreamAccounts(http, project, clock))
