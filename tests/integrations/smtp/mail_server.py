"""A real SMTP server on this machine, certified by an authority of its own, that misbehaves on request."""

import asyncio
import ssl
import warnings
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from email.parser import BytesParser
from email.policy import default
from pathlib import Path
from typing import Any

from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword

HOST = "localhost"
USERNAME, PASSWORD = "hello@maplestreethair.example", "correct horse"


@dataclass
class MailServer:
    """What it was given, and how it is to behave.

    Attributes:
        replies: What it says to a command instead of what it would say, such as `{"RCPT": "550 no such user"}`.
        before: What it does when a command arrives, before it answers.
    """

    port: int = 0
    envelopes: list[Envelope] = field(default_factory=list)
    logins: list[tuple[str, str]] = field(default_factory=list)
    commands: list[str] = field(default_factory=list)
    replies: dict[str, str] = field(default_factory=dict)
    before: dict[str, Callable[[Any], Awaitable[None]]] = field(default_factory=dict)

    @property
    def messages(self) -> list[EmailMessage]:
        """The accepted messages, read."""
        return [BytesParser(policy=default).parsebytes(e.content) for e in self.envelopes]  # type: ignore[misc]

    async def _said(self, server: Any, command: str, usual: str) -> str:
        self.commands.append(command)
        if command in self.before:
            await self.before[command](server)
        return self.replies.get(command, usual)

    async def handle_MAIL(self, server: Any, session: Any, envelope: Any, address: str, options: list[str]) -> str:
        reply = await self._said(server, "MAIL", "250 OK")
        envelope.mail_from = address
        return reply

    async def handle_RCPT(self, server: Any, session: Any, envelope: Any, address: str, options: list[str]) -> str:
        reply = await self._said(server, "RCPT", "250 OK")
        if reply.startswith("2"):
            envelope.rcpt_tos.append(address)
        return reply

    async def handle_DATA(self, server: Any, session: Any, envelope: Envelope) -> str:
        reply = await self._said(server, "DATA", "250 OK: queued")
        if reply.startswith("2"):
            self.envelopes.append(envelope)
        return reply

    def authenticate(self, server: Any, session: Any, envelope: Any, mechanism: str, data: Any) -> AuthResult:
        assert isinstance(data, LoginPassword)
        given = (data.login.decode(), data.password.decode())
        self.logins.append(given)
        is_right = given == (USERNAME, PASSWORD)
        return AuthResult(success=is_right, handled=False)


async def hang_up(server: Any) -> None:
    """Cut the connection without a word."""
    server.transport.abort()


async def say_nothing(server: Any) -> None:
    """Let the client wait."""
    await asyncio.Event().wait()


@asynccontextmanager
async def listening(tls: ssl.SSLContext, security: str) -> AsyncIterator[MailServer]:
    """Run a server on a free port; `security` is `starttls`, `tls` or `none`, which offers no encryption at all."""
    mail = MailServer()
    options: dict[str, Any] = {"auth_required": True, "authenticator": mail.authenticate, "hostname": HOST}
    if security == "starttls":
        options |= {"tls_context": tls, "require_starttls": True}
    else:
        # Within TLS from the first byte the server does not know of it; without any it must let the client try.
        options |= {"auth_require_tls": False}

    def protocol() -> SMTP:
        with warnings.catch_warnings():
            # It warns of logins in clear, which is what one of these servers is for.
            warnings.simplefilter("ignore")
            return SMTP(mail, **options)

    server = await asyncio.get_running_loop().create_server(
        protocol, "127.0.0.1", 0, ssl=tls if security == "tls" else None
    )
    mail.port = server.sockets[0].getsockname()[1]
    try:
        yield mail
    finally:
        server.close()


@dataclass(frozen=True)
class Certificates:
    """The contexts of a server whose certificate an authority of our own has signed, and of who trusts it."""

    server: ssl.SSLContext
    client: ssl.SSLContext


def certificates(folder: Path, name: str = HOST) -> Certificates:
    """Make an authority and a certificate for `name`; the files stay in `folder`."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.x509.oid import NameOID

    def named(text: str) -> x509.Name:
        return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])

    def build(subject: str, key: ec.EllipticCurvePrivateKey) -> x509.CertificateBuilder:
        now = datetime.now(UTC)
        built = x509.CertificateBuilder().subject_name(named(subject)).issuer_name(named("Test authority"))
        built = built.public_key(key.public_key()).serial_number(x509.random_serial_number())
        return built.not_valid_before(now - timedelta(hours=1)).not_valid_after(now + timedelta(days=1))

    root_key, key = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))
    authority = x509.BasicConstraints(ca=True, path_length=None)
    root = build("Test authority", root_key).add_extension(authority, critical=True).sign(root_key, hashes.SHA256())
    alternative = x509.SubjectAlternativeName([x509.DNSName(name)])
    leaf = build(name, key).add_extension(alternative, critical=False).sign(root_key, hashes.SHA256())
    chain, secret, trusted = folder / "chain.pem", folder / "key.pem", folder / "root.pem"
    pem = serialization.Encoding.PEM
    chain.write_bytes(leaf.public_bytes(pem))
    trusted.write_bytes(root.public_bytes(pem))
    secret.write_bytes(key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(chain, secret)
    return Certificates(server, ssl.create_default_context(cafile=str(trusted)))
