"""The mail server that stands in beside a local run: real SMTP, on this machine only, and all it took can be seen."""

import asyncio
import smtplib
import socket
import time
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2 as httpx
import pytest

from command_line import Problem
from running import demo
from running.listening import listen
from stand_ins.mail_server import MailStandIn
from stand_ins.twilio.app import TwilioStandIn
from switchboard.app.container import build
from switchboard.app.settings import read_configuration
from switchboard.contract.store import Update
from tests.channels.http.test_tools_api import KEY, PATHS, call, store  # noqa: F401 - a fixture

ROOT = Path(__file__).parents[2]
WISH = {"to": "anna@example.com", "subject": "How to find us", "body": "48 Maple Street\n.next to the bakery"}
OWNER = "rosa@maplestreethair.example"
# A machine with nothing else to do takes a second.
BROUGHT_WITHIN_S = 60.0


@dataclass
class Served:
    """A mail server that stands in, and its port."""

    mail: MailStandIn
    port: int

    def given(self, data: bytes, *to: str) -> dict[str, str]:
        """Send a message as it is, and return what was kept of it."""
        with smtplib.SMTP("127.0.0.1", self.port, "localhost", timeout=20) as client:
            assert client.sendmail("salon@example.com", to or ["anna@example.com"], data) == {}
        return self.mail.newest()[0]


@pytest.fixture(scope="module")
def running() -> Iterator[Served]:
    """One server for all of these."""
    mail = MailStandIn()
    with mail.serving() as port:
        yield Served(mail, port)


@pytest.fixture
def served(running: Served) -> Served:
    """That server, with nothing taken yet."""
    running.mail._taken.clear()
    return running


@dataclass
class Salon:
    """The seeded salon over HTTP, in a house that knows the server."""

    http: httpx.AsyncClient
    store: Any

    async def use(self, name: str, turn: int, args: dict[str, Any]) -> Any:
        return (await self.http.post("/tools/execute", json=call(name, args, turn=turn))).json()

    async def agree(self, turn: int, asked: str) -> str:
        context = {"channel": "phone", "sessionId": "s1", "turn": turn, "callId": f"h{turn}"}
        body = {"businessId": demo.SALON, "context": context, "heard": {"text": "Yes, please."}, "asked": asked}
        return str((await self.http.post("/tools/heard", json=body)).json()["verdict"])

    async def offered(self) -> set[str]:
        query = {"businessId": demo.SALON, "channel": "phone"}
        return {tool["name"] for tool in (await self.http.get("/tools/definitions", params=query)).json()["tools"]}


@pytest.fixture
async def salon(served: Served, store: Any) -> AsyncIterator[Salon]:  # noqa: F811
    """A house as `scripts/run` builds it, its demo businesses connected as `scripts/run` connects them."""
    await demo.connect_mail(store, PATHS, is_there=True)
    configuration = read_configuration({"SWITCHBOARD_SMTP_STAND_IN": f"127.0.0.1:{served.port}"})
    house = build(configuration, store)
    await house.open()
    transport, headers = httpx.ASGITransport(app=house.app), {"Authorization": f"Bearer {KEY}"}
    async with httpx.AsyncClient(transport=transport, base_url="http://test", headers=headers) as http:
        yield Salon(http, store)
    await house.close()


@pytest.mark.requirement("001-88")
async def test_an_email_that_an_agent_sends_lies_in_the_server_once_the_caller_has_agreed(salon: Salon, served: Served):
    """From the business, to whom the caller named, word for word; asked for again it is still one."""
    asked = await salon.use("send_email", 1, WISH)
    assert asked["error"]["type"] == "CONFIRMATION_REQUIRED"
    assert served.mail.newest() == []
    assert await salon.agree(2, asked["meta"]["readBack"]) == "approved"
    assert (await salon.use("send_email", 2, WISH))["data"]["sent"] is True
    assert (await salon.use("send_email", 2, WISH))["data"]["repeated"] is True
    (kept,) = served.mail.newest()
    assert (kept["from"], kept["to"]) == ("hello@maplestreethair.example", "anna@example.com")
    assert kept["subject"] == "How to find us"
    assert kept["text"].splitlines() == ["48 Maple Street", ".next to the bakery"]


@pytest.mark.requirement("001-88")
async def test_a_message_for_the_owner_is_brought_there_as_well(salon: Salon, served: Served):
    """The rule names an address, and the salon has no account of its own."""
    message = {"message": "Call me about the wedding.", "caller_name": "Anna Whitfield"}
    taken = await salon.use("take_message", 1, message)
    assert taken["ok"], taken
    until = time.monotonic() + BROUGHT_WITHIN_S
    while not served.mail.newest():
        assert time.monotonic() < until
        await asyncio.sleep(0.02)
    (kept,) = served.mail.newest()
    assert kept["to"] == OWNER
    assert "Call me about the wedding." in kept["text"]


@pytest.mark.requirement("001-88")
async def test_a_server_that_the_owner_has_set_is_used_and_not_the_one_that_stands_in(salon: Salon, served: Served):
    """Whatever it answers: here there is none under that name, which is what the caller hears of."""
    own = {"isConnected": True, "smtpServer": "smtp.salon.invalid", "fromEmail": "hello@maplestreethair.example"}
    path = PATHS.within(demo.SALON).business
    await salon.store.commit([Update(path, {"integrations.email": own})])
    await demo.connect_mail(salon.store, PATHS, is_there=True)
    assert (await salon.store.get(path)).data["integrations"]["email"] == own
    assert (await salon.use("send_email", 1, WISH))["error"]["type"] == "AUTH"
    assert served.mail.newest() == []


async def test_where_nothing_stands_in_any_more_no_email_is_offered(store: Any, salon: Salon):  # noqa: F811
    """A store that lasts is left as an earlier run without stand-ins would have left it; twice does no harm."""
    path = PATHS.within(demo.SALON).business
    assert "send_email" in await salon.offered()
    for _ in range(2):
        await demo.connect_mail(store, PATHS, is_there=False)
        assert (await store.get(path)).data["integrations"]["email"] == {"isConnected": False}
    house = build(read_configuration({}), store)
    transport, headers = httpx.ASGITransport(app=house.app), {"Authorization": f"Bearer {KEY}"}
    async with httpx.AsyncClient(transport=transport, base_url="http://test", headers=headers) as http:
        assert "send_email" not in await Salon(http, store).offered()


async def test_a_business_that_never_had_mail_is_not_written_to(store: Any):  # noqa: F811
    """Nothing is connected, and nothing has to be taken back."""
    await demo.connect_mail(store, PATHS, is_there=False)
    assert "email" not in (await store.get(PATHS.within(demo.SALON).business)).data["integrations"]


def test_every_message_is_kept_as_it_would_be_read(served: Served):
    """Any alphabet, several parts, several recipients; and what no reader could read is no reason to refuse it."""
    plain = "Subject: =?utf-8?q?Gr=C3=BC=C3=9Fe?=\r\nContent-Type: text/plain; charset=utf-8\r\n\r\nSchön ✂".encode()
    kept = served.given(plain, "anna@example.com", "bo@example.com")
    assert (kept["to"], kept["subject"]) == ("anna@example.com, bo@example.com", "Grüße")
    assert kept["text"].strip() == "Schön ✂"
    parts = (
        b'Content-Type: multipart/alternative; boundary="b"\r\n\r\n--b\r\nContent-Type: text/html\r\n\r\n<b>x</b>\r\n'
    )
    assert served.given(parts + b"--b\r\nContent-Type: text/plain\r\n\r\nplain\r\n--b--\r\n")["text"].strip() == "plain"
    assert served.given(b"Content-Type: text/plain; charset=klingon\r\n\r\nnuqneH")["text"].strip() == "nuqneH"
    assert served.given(b"Content-Type: application/pdf\r\n\r\n%PDF")["text"] == ""
    assert served.given(b"no header at all")["subject"] == ""


def test_only_the_newest_are_kept(served: Served):
    """A run that lasts for weeks holds no more than a page shows."""
    with smtplib.SMTP("127.0.0.1", served.port, "localhost", timeout=20) as client:
        for number in range(203):
            client.sendmail("salon@example.com", ["anna@example.com"], f"Subject: {number}\r\n\r\nx")
    subjects = [mail["subject"] for mail in served.mail.newest()]
    assert (len(subjects), subjects[0], subjects[-1]) == (200, "202", "3")


async def test_the_page_shows_emails_beside_texts_and_calls(served: Served):
    """As text, whatever they hold; without a mail server there is no such table."""
    served.given(b"Subject: <b>Bold</b>\r\n\r\nSee https://maplestreethair.example <script>")
    for stand_in, is_there in ((TwilioStandIn(mails=served.mail.newest), True), (TwilioStandIn(), False)):
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app=stand_in.app), base_url="http://test") as http:
            page = (await http.get("/")).text
        assert ("E-mails" in page) is is_there
        assert ("&lt;b&gt;Bold" in page) is is_there
        assert ('href="https://maplestreethair.example"' in page) is is_there
        assert "<script>" not in page


def test_it_listens_to_this_machine_only(served: Served):
    """The port of every other address is free; whoever wants the same one is told."""
    with socket.socket() as other:
        other.bind(("127.0.0.2", served.port))
    with pytest.raises(Problem, match="--mail-port"):
        listen(served.port, "--mail-port")


def test_a_deployed_function_has_no_mail_server():
    """Whoever runs it locally has one installed; the functions neither list nor name it."""
    assert "\naiosmtpd==" in (ROOT / "requirements.txt").read_text()
    assert "aiosmtpd" not in (ROOT / "functions/requirements.txt").read_text()
    assert [path for path in (ROOT / "functions").rglob("*.py") if "aiosmtpd" in path.read_text()] == []
