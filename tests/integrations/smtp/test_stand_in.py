"""Which businesses send through the mail server that stands in on this machine, and which never do."""

from collections.abc import Iterator
from typing import Any

import pytest

from stand_ins.mail_server import MailStandIn
from switchboard.contract.error import ToolError
from switchboard.integrations.smtp.mailer import SmtpMailers
from tests.desk.front_desk import StoppedClock, salon
from tests.integrations.smtp.conftest import KnownSecrets, connected
from tests.integrations.smtp.mail_server import PASSWORD, USERNAME

TO = "anna@example.com"
OWN = {"isConnected": True, "smtpServer": "smtp.salon.invalid", "fromEmail": USERNAME}


@pytest.fixture
def stand_in() -> Iterator[tuple[MailStandIn, int]]:
    """The server, and its port."""
    mail = MailStandIn()
    with mail.serving() as port:
        yield mail, port


@pytest.mark.requirement("001-88")
@pytest.mark.parametrize(
    ("facts", "sender"),
    [
        ({}, "hello@maplestreethair.example"),
        ({"integrations": {"email": {"isConnected": True}}}, "hello@maplestreethair.example"),
        ({"integrations": {"email": {"isConnected": False, "smtpServer": ""}}}, "hello@maplestreethair.example"),
        ({"integrations": {"email": {"isConnected": True, "fromEmail": USERNAME}}}, USERNAME),
        ({"email": "none yet"}, "nobody@business.invalid"),
    ],
)
async def test_a_business_that_has_set_no_server_sends_through_the_one_that_stands_in(
    stand_in: tuple[MailStandIn, int], facts: dict[str, Any], sender: str
):
    """By its own address where it has one, without a password, and under its name."""
    mail, port = stand_in
    mailers = SmtpMailers(KnownSecrets(None), StoppedClock(), stand_in=("localhost", port))
    mailer = await mailers.of(salon(**{"email": "hello@maplestreethair.example"} | facts))
    assert mailer is not None
    await mailer.log_in()
    assert mail.newest() == []
    await mailer.send(TO, "Grüße", "Schön ✂", "eml_1")
    (kept,) = mail.newest()
    assert (kept["from"], kept["to"], kept["subject"], kept["text"].strip()) == (sender, TO, "Grüße", "Schön ✂")


@pytest.mark.requirement("001-88")
async def test_a_business_with_a_server_of_its_own_keeps_it(certified, server, stand_in: tuple[MailStandIn, int]):
    """With its password and its encryption; nothing of it reaches the one that stands in."""
    mail, port = stand_in
    mailers = SmtpMailers(KnownSecrets(), StoppedClock(), certified.client, stand_in=("127.0.0.1", port))
    mailer = await mailers.of(connected(server))
    assert mailer is not None
    await mailer.send(TO, "Hello", "x", "eml_1")
    assert (len(server.envelopes), server.logins, mail.newest()) == (1, [(USERNAME, PASSWORD)], [])


@pytest.mark.parametrize("change", [{"isConnected": False}, {"needsReauth": True}])
async def test_a_server_that_was_set_and_cannot_be_used_is_not_stood_in_for(
    stand_in: tuple[MailStandIn, int], change: dict[str, Any]
):
    """Its owner would take for sent what nobody ever gets."""
    mailers = SmtpMailers(KnownSecrets(), StoppedClock(), stand_in=("127.0.0.1", stand_in[1]))
    business = salon(integrations={"email": OWN | change})
    if "needsReauth" in change:
        with pytest.raises(ToolError):
            await mailers.of(business)
    else:
        assert await mailers.of(business) is None


@pytest.mark.parametrize("security", ["none", ""])
async def test_nobody_can_set_mail_to_be_sent_in_clear(security: str):
    """What is spoken to in clear is chosen by whoever runs the machine, and by no business's settings."""
    mailers = SmtpMailers(KnownSecrets(), StoppedClock())
    with pytest.raises(ToolError) as caught:
        await mailers.of(salon(integrations={"email": OWN | {"security": security}}))
    assert "never sent in clear" in str(caught.value.detail)
