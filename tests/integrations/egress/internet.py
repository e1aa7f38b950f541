"""A small internet: names, certificates, and a server that answers with whatever bytes a test wants.

Public addresses lead to the server on 127.0.0.1 only through the sockets that egress asks for; every address that one
was opened to is written down.
"""

import asyncio
import socket
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from switchboard.integrations.egress.egress import SafeEgress

NAME = "api.example.com"
ADDRESS = "93.184.215.14"

Script = Callable[[asyncio.StreamWriter], Awaitable[None]]


def answer(body: bytes = b"{}", status: str = "200 OK", **headers: str) -> Script:
    """Return what sends one whole answer."""

    async def send(writer: asyncio.StreamWriter) -> None:
        lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}"]
        lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
        writer.write("\r\n".join(lines).encode() + b"\r\n\r\n" + body)

    return send


def raw(*pieces: bytes, pause: float = 0.0, again: int = 1) -> Script:
    """Return what sends pieces with a pause before each further one, `again` and again."""

    async def send(writer: asyncio.StreamWriter) -> None:
        for piece in pieces[:1]:
            writer.write(piece)
        for _ in range(again):
            for piece in pieces[1:]:
                writer.write(piece)
                await writer.drain()
                await asyncio.sleep(pause)

    return send


async def hang_up(writer: asyncio.StreamWriter) -> None:
    """Break the connection without a word."""
    writer.transport.abort()


@dataclass
class Server:
    """Takes requests over TLS and answers them in order with scripts; the last one answers all further ones."""

    scripts: list[Script] = field(default_factory=lambda: [answer()])
    requests: list[bytes] = field(default_factory=list)
    connections: int = 0
    port: int = 0
    writers: list[asyncio.StreamWriter] = field(default_factory=list)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        self.writers.append(writer)
        try:
            while head := await _head(reader):
                self.requests.append(head)
                await self.scripts[min(len(self.requests), len(self.scripts)) - 1](writer)
                await writer.drain()
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.transport.abort()

    async def serve_plainly(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer whoever begins with TLS as a server of plain http does."""
        self.writers.append(writer)
        await reader.read(1)
        writer.write(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
        await writer.drain()
        writer.close()


async def _head(reader: asyncio.StreamReader) -> bytes:
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError:
        return b""
    lengths = [int(line.split(b":")[1]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")]
    return head + (await reader.readexactly(lengths[0]) if lengths else b"")


class _Rerouted(socket.socket):
    """A socket that ends at the server, whatever address it is connected to."""

    def __init__(self, family: int, port: int, opened: list[str]) -> None:
        super().__init__(family, socket.SOCK_STREAM)
        self._port, self._opened = port, opened

    def connect(self, address: Any) -> None:
        self._opened.append(address[0])
        super().connect(("127.0.0.1", self._port))


@dataclass
class Internet:
    """Names and where they lead, over one server.

    Attributes:
        names: The answers to look-ups by name, one after the other; the last one stays.
        opened: Every address that a socket was connected to.
        asked: Every name that was looked up.
    """

    server: Server
    names: dict[str, list[list[str]]] = field(default_factory=lambda: {NAME: [[ADDRESS]]})
    opened: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)

    async def lookup(self, name: str, port: int) -> Sequence[str]:
        self.asked.append(name)
        answers = self.names.get(name)
        if not answers:
            raise OSError("no such name")
        return answers.pop(0) if len(answers) > 1 else answers[0]

    def open_socket(self, info: Any) -> socket.socket:
        return _Rerouted(info[0], self.server.port, self.opened)

    def egress(self, **changes: Any) -> SafeEgress:
        """Return the egress into this internet."""
        parts: dict[str, Any] = {"lookup": self.lookup, "open_socket": self.open_socket, "trust": contexts()[1]}
        return SafeEgress(**parts | changes)


@asynccontextmanager
async def internet(
    *scripts: Script, tls: ssl.SSLContext | Literal["usual"] | None = "usual"
) -> AsyncIterator[Internet]:
    """Give an internet whose server answers with these scripts; with `tls=None` it speaks plain http."""
    server = Server(list(scripts) or [answer()])
    side = contexts()[0] if tls == "usual" else tls
    serve = server.serve if side is not None else server.serve_plainly
    listening = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=side)
    server.port = listening.sockets[0].getsockname()[1]
    try:
        yield Internet(server)
    finally:
        listening.close()
        for writer in server.writers:
            writer.transport.abort()
        await asyncio.sleep(0)


@cache
def contexts(days: tuple[int, int] = (-1, 1)) -> tuple[ssl.SSLContext, ssl.SSLContext]:
    """Return the server's side of TLS, for `NAME`, and a client's that believes its certificate.

    The certificate is valid from the one day to the other, counted from today.
    """
    key, name = ec.generate_private_key(ec.SECP256R1()), x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, NAME)])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now + timedelta(days=days[0]))
        .not_valid_after(now + timedelta(days=days[1]))
        .add_extension(
            x509.SubjectAlternativeName([x509.DNSName(NAME), x509.DNSName("xn--bcher-kva.example.com")]), False
        )
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), True)
        .sign(key, hashes.SHA256())
    )
    pem = certificate.public_bytes(serialization.Encoding.PEM)
    secret = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    serving = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "server.pem"
        path.write_bytes(secret + pem)
        serving.load_cert_chain(path)
    return serving, ssl.create_default_context(cadata=pem.decode())
