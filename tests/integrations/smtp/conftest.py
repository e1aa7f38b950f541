"""What the tests of outgoing mail may ask for: certificates, servers, and a business that has connected one."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from switchboard.contract.business.business import Business
from switchboard.integrations.smtp.mailer import SmtpMailers
from tests.desk.front_desk import StoppedClock, salon
from tests.integrations.smtp.mail_server import (
    HOST,
    PASSWORD,
    USERNAME,
    Certificates,
    MailServer,
    certificates,
    listening,
)


class KnownSecrets:
    """Secrets that are simply there, by business, toolkit and field."""

    def __init__(self, password: str | None = PASSWORD) -> None:
        self.known = {("demo-salon", "email", "password"): password}

    async def reveal(self, business_id: str, toolkit: str, field: str, *, agent_id: str = "") -> str | None:
        return self.known.get((business_id, toolkit, field))

    async def keep(self, business_id: str, toolkit: str, field: str, value: str, *, agent_id: str = "") -> None:
        self.known[business_id, toolkit, field] = value

    async def forget(self, business_id: str, toolkit: str) -> None:
        self.known = {key: value for key, value in self.known.items() if key[:2] != (business_id, toolkit)}


@pytest.fixture(scope="session")
def certified(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    """A certificate for the server's name, and who trusts it."""
    return certificates(tmp_path_factory.mktemp("certificates"))


@pytest.fixture
async def server(certified: Certificates) -> AsyncIterator[MailServer]:
    """A mail server that begins in clear and insists on STARTTLS."""
    async with listening(certified.server, "starttls") as found:
        yield found


@pytest.fixture
def mailers(certified: Certificates) -> SmtpMailers:
    """The mail accounts, with the password on file."""
    return SmtpMailers(KnownSecrets(), StoppedClock(), certified.client)


def connected(server: MailServer, **settings: Any) -> Business:
    """Return the salon with its mail account connected to a server of ours."""
    account = {
        "isConnected": True,
        "smtpServer": HOST,
        "smtpPort": server.port,
        "fromEmail": USERNAME,
        "security": "starttls",
    }
    return salon(email="desk@maplestreethair.example", integrations={"email": account | settings})
