"""The mailer against a real SMTP server: what arrives, what is refused, and what nobody knows."""

import ssl
from pathlib import Path

import pytest

from switchboard.contract.deadline import ending_in
from switchboard.contract.error import ErrorType, ToolError
from switchboard.integrations.smtp.mailer import SmtpMailers
from tests.desk.front_desk import StoppedClock, salon
from tests.integrations.conftest import LONG_S, SHORT_S
from tests.integrations.smtp.conftest import KnownSecrets, connected
from tests.integrations.smtp.mail_server import PASSWORD, USERNAME, certificates, hang_up, listening, say_nothing

TO = "anna.whitfield@example.com"


async def send(mailers, business, to=TO, subject="How to find us", body="48 Maple Street", message_id="eml_1"):
    mailer = await mailers.of(business)
    await mailer.send(to, subject, body, message_id)


async def refusal(mailers, business, **words) -> ToolError:
    with pytest.raises(ToolError) as caught:
        await send(mailers, business, **words)
    return caught.value


@pytest.mark.requirement("001-84")
@pytest.mark.parametrize("security", ["starttls", "tls"])
async def test_a_message_arrives_encrypted_and_under_the_businesss_name(certified, mailers, security):
    """From the business's sender address, answers to its own, as plain text, after logging in (seed 001, EmailTool)."""
    async with listening(certified.server, security) as server:
        await send(mailers, connected(server, security=security), subject="Grüße · ✂", body="Schön,\n.bis bald! ✂\n")
        (envelope,), (message,) = server.envelopes, server.messages
    assert (envelope.mail_from, envelope.rcpt_tos) == (USERNAME, [TO])
    assert server.logins == [(USERNAME, PASSWORD)]
    assert message["From"] == f"Maple Street Hair Studio <{USERNAME}>"
    assert (message["To"], message["Reply-To"]) == (TO, "desk@maplestreethair.example")
    assert (message["Subject"], message["Auto-Submitted"]) == ("Grüße · ✂", "auto-generated")
    assert message["Message-ID"] == "<eml_1@maplestreethair.example>"
    assert message["Date"] == "Wed, 10 Mar 2027 15:00:00 +0000"
    assert message.get_content_type() == "text/plain"
    assert message.get_content().splitlines() == ["Schön,", ".bis bald! ✂"]


async def test_a_business_without_a_mail_account_has_none(mailers, server):
    """Neither where nothing is set, nor where it was disconnected."""
    for business in (salon(), connected(server, isConnected=False)):
        assert await mailers.of(business) is None


async def test_an_account_that_is_known_to_be_refused_is_not_tried(mailers, server):
    """AUTH at once, until its owner has connected it again."""
    error = await refusal(mailers, connected(server, needsReauth=True))
    assert (error.type, server.commands) == (ErrorType.AUTH, [])


@pytest.mark.requirement("001-82")
def test_the_port_is_587_and_the_encryption_what_the_port_is_for_unless_set():
    """Seed 001: `smtp_port` has the default 587."""
    from switchboard.integrations.smtp.account import read_account

    account = {"isConnected": True, "smtpServer": "smtp.example.com", "fromEmail": USERNAME}
    found = read_account(salon(integrations={"email": account}), "secret")
    assert (found.server, found.port, found.security, found.sender) == ("smtp.example.com", 587, "starttls", USERNAME)
    assert read_account(salon(integrations={"email": account | {"smtpPort": 465}}), "secret").security == "tls"
    assert "secret" not in repr(found)


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ({"smtpServer": ""}, "smtpServer"),
        ({"smtpServer": "smtp.example.com\r\nRSET"}, "smtpServer"),
        ({"smtpPort": "587"}, "smtpPort"),
        ({"smtpPort": True}, "smtpPort"),
        ({"smtpPort": 70_000}, "smtpPort"),
        ({"security": "none"}, "security"),
        ({"fromEmail": "nobody"}, "fromEmail"),
        ({"fromEmail": "a@b.example\r\nBcc: c@d.example"}, "fromEmail"),
        ({"fromEmail": None}, "fromEmail"),
    ],
)
async def test_a_setting_that_cannot_work_is_named_in_the_log(mailers, server, settings, named):
    """What owners enter may be anything; the model only hears that no e-mail can be sent."""
    error = await refusal(mailers, connected(server, **settings))
    assert (error.type, error.partial_side_effects) == (ErrorType.PERMANENT, False)
    assert named in error.detail
    assert server.commands == []


async def test_a_missing_password_asks_for_the_account_to_be_connected_again(certified, server):
    """AUTH, before anybody is called."""
    error = await refusal(SmtpMailers(KnownSecrets(None), StoppedClock(), certified.client), connected(server))
    assert error.type is ErrorType.AUTH


async def test_a_wrong_password_asks_for_the_account_to_be_connected_again(certified, server):
    """AUTH; the password stands in no sentence and no log line."""
    error = await refusal(SmtpMailers(KnownSecrets("wrong horse"), StoppedClock(), certified.client), connected(server))
    assert (error.type, error.retryable, error.partial_side_effects) == (ErrorType.AUTH, False, False)
    assert "wrong horse" not in f"{error.message} {error.detail} {error}"


async def test_nothing_is_told_to_a_server_without_encryption(certified, mailers):
    """Not even who we are: the password stays here."""
    async with listening(certified.server, "none") as server:
        error = await refusal(mailers, connected(server))
        assert (error.type, error.partial_side_effects) == (ErrorType.PERMANENT, False)
        assert (server.logins, server.commands) == ([], [])


@pytest.mark.parametrize("security", ["starttls", "tls"])
async def test_a_certificate_of_another_name_or_authority_ends_it(certified, tmp_path: Path, security):
    """PERMANENT and never tried again: somebody stands in between, or the setting is wrong."""
    other_name = certificates(tmp_path, "mail.elsewhere.example")
    for server_side, client_side in ((other_name.server, other_name.client), (other_name.server, certified.client)):
        async with listening(server_side, security) as server:
            mailers = SmtpMailers(KnownSecrets(), StoppedClock(), client_side)
            error = await refusal(mailers, connected(server, security=security))
            assert (error.type, error.partial_side_effects) == (ErrorType.PERMANENT, False)
            assert server.logins == []


@pytest.mark.parametrize(
    ("command", "reply", "type"),
    [
        ("MAIL", "530 5.7.0 authentication required", ErrorType.AUTH),
        ("MAIL", "550 5.7.1 not your address", ErrorType.PERMANENT),
        ("MAIL", "452 4.3.1 no room", ErrorType.TRANSIENT),
        ("RCPT", "550 5.1.1 no such user", ErrorType.PERMANENT),
        ("RCPT", "451 4.7.1 greylisted", ErrorType.TRANSIENT),
        ("RCPT", "421 4.7.0 come back later", ErrorType.TRANSIENT),
        ("DATA", "554 5.7.1 spam", ErrorType.PERMANENT),
        ("DATA", "451 4.3.0 try again", ErrorType.TRANSIENT),
    ],
)
@pytest.mark.requirement("001-85")
async def test_a_servers_no_is_final_or_not_by_its_code_and_never_partial(mailers, server, command, reply, type):
    """5xx will never work, 4xx may later; after either, nothing was sent."""
    server.replies[command] = reply
    error = await refusal(mailers, connected(server))
    assert (error.type, error.retryable) == (type, type is ErrorType.TRANSIENT)
    assert error.partial_side_effects is False
    assert reply[:3] in error.detail
    assert server.envelopes == []


@pytest.mark.parametrize(("command", "is_unknown"), [("MAIL", False), ("RCPT", False), ("DATA", True)])
@pytest.mark.parametrize("misbehave", [hang_up, say_nothing])
@pytest.mark.requirement("001-85")
async def test_silence_is_an_unknown_outcome_once_the_message_was_on_its_way(
    mailers, server, command, is_unknown, misbehave
):
    """Lost or late before DATA: nothing was sent, trying again may help. After it: nobody knows, never sent again."""
    server.before[command] = misbehave
    for seconds in (LONG_S,) if misbehave is hang_up else SHORT_S:
        server.commands.clear()
        with ending_in(seconds):
            error = await refusal(mailers, connected(server))
        if command in server.commands:
            break
    assert error.type is ErrorType.TRANSIENT
    assert (error.partial_side_effects, error.retryable) == (is_unknown, not is_unknown)


async def test_it_takes_no_longer_than_the_caller_waits(mailers, server):
    """A server that does not greet is given up at the deadline of the call."""
    server.before["MAIL"] = say_nothing
    with ending_in(0.2):
        await refusal(mailers, connected(server))


@pytest.mark.requirement("001-85")
async def test_a_server_that_nobody_runs_may_be_there_later(certified, mailers):
    """TRANSIENT, and nothing was sent."""
    async with listening(certified.server, "starttls") as gone:
        business = connected(gone)
    error = await refusal(mailers, business)
    assert (error.type, error.retryable, error.partial_side_effects) == (ErrorType.TRANSIENT, True, False)


async def test_a_server_on_an_inner_network_is_not_called(server):
    """Owners name servers: none may be an address that only this machine's network knows."""
    mailers = SmtpMailers(KnownSecrets(), StoppedClock())
    error = await refusal(mailers, connected(server))
    assert (error.type, server.commands, server.logins) == (ErrorType.PERMANENT, [], [])
    assert "public internet" in error.detail


async def test_a_goodbye_that_fails_changes_nothing(mailers, server):
    """The message was accepted before."""

    async def handle_QUIT(server_side, session, envelope):
        server_side.transport.abort()
        return "421 no goodbye"

    server.handle_QUIT = handle_QUIT
    await send(mailers, connected(server))
    assert len(server.envelopes) == 1


def test_every_failure_of_the_library_has_a_row():
    """The table is total: whatever aiosmtplib raises is translated, with and without a message underway."""
    import aiosmtplib.errors

    from switchboard.integrations.smtp.errors import expected, translated

    kinds = [getattr(aiosmtplib.errors, name) for name in aiosmtplib.errors.__all__]
    assert len(kinds) > 10
    for kind in [*kinds, TimeoutError, ConnectionResetError, ssl.SSLError, ssl.SSLCertVerificationError]:
        for code in (421, 454, 535, 554, -1):
            arguments = {"SMTPSenderRefused": (code, "no", TO), "SMTPRecipientRefused": (code, "no", TO)}
            is_reply = issubclass(kind, aiosmtplib.errors.SMTPResponseException)
            given = arguments.get(kind.__name__, (code, "no") if is_reply else ("no",))
            error = kind(*given)
            assert isinstance(error, expected())
            assert translated(error, underway=False).partial_side_effects is False
            late = translated(error, underway=True)
            assert late.partial_side_effects is (
                late.type is ErrorType.TRANSIENT and not (is_reply and 400 <= code < 500)
            )
