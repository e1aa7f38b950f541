"""Which addresses mail goes out to: by the one check of everything that goes to a place an owner named."""

import socket

import pytest

from switchboard.contract.error import ErrorType, ToolError
from switchboard.integrations.smtp.mailer import SmtpMailers
from switchboard.integrations.smtp.route import AddressRefused, Route
from tests.desk.front_desk import StoppedClock
from tests.each import each
from tests.integrations.egress.test_addresses import PRIVATE, PUBLIC
from tests.integrations.smtp.conftest import KnownSecrets, connected
from tests.integrations.smtp.mail_server import MailServer

WRAPPED = ["fe80::1%2", "2001:0:4136:e378:8000:63bf:3fff:fdd2", "::ffff:0:a00:1", "64:ff9b::a9fe:a9fe", "ff0e::1"]
INWARD = [*PRIVATE, *WRAPPED]


def never(family: int) -> socket.socket:
    raise AssertionError("a socket was opened")


@each("address", INWARD)
async def test_mail_is_not_sent_to_an_address_that_is_not_public(address: str):
    """The same table as for web requests; one such address spoils all that a name stands for, in whichever place."""
    for answers in ([address], [PUBLIC[0], address], [address, PUBLIC[0]]):

        async def lookup(name: str, port: int, answers: list[str] = answers) -> list[str]:
            return answers

        with pytest.raises(AddressRefused):
            await Route(lookup=lookup, open_socket=never).connected("mail.example.com", 587)


async def test_the_address_that_was_checked_is_the_one_that_is_used(server: MailServer):
    """A name that answers otherwise the second time is not asked a second time."""
    answers = [[PUBLIC[0]], ["127.0.0.1"]]
    opened: list[object] = []

    async def lookup(name: str, port: int) -> list[str]:
        return answers.pop(0)

    class Noted(socket.socket):
        def connect(self, address: object) -> None:
            opened.append(address)
            super().connect(("127.0.0.1", server.port))

    route = Route(lookup=lookup, open_socket=lambda family: Noted(family, socket.SOCK_STREAM))
    (await route.connected("a.b", 587)).close()
    assert (opened, answers) == ([(PUBLIC[0], 587)], [["127.0.0.1"]])


@each("host", ["localhost", "127.0.0.1", "127.1", "0x7f.1", "2130706433", "0177.0.0.1"])
async def test_no_spelling_of_this_machine_is_a_mail_server(server: MailServer, host: str):
    """A real server listens, the system's own resolver is asked: nobody connects, and the owner has to change it."""
    mailers = SmtpMailers(KnownSecrets(), StoppedClock())
    mailer = await mailers.of(connected(server, smtpServer=host))
    assert mailer is not None
    with pytest.raises(ToolError) as caught:
        await mailer.send("ana@example.com", "Hello", "Hello", "m1")
    assert (caught.value.type, server.commands, server.logins) == (ErrorType.PERMANENT, [], [])
