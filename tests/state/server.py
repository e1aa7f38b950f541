"""Servers for tests of outages: one that can be cut off, and one that never answers."""

import asyncio


class SilentServer:
    """Takes connections and never says a word."""

    def __init__(self) -> None:
        self.is_asked = False
        self._port = 0
        self._server: asyncio.Server | None = None
        self._open: set[asyncio.StreamWriter] = set()

    @property
    def host(self) -> str:
        """Where it listens, as host:port; the same after it was cut and opened again."""
        return f"127.0.0.1:{self._port}"

    async def open(self) -> None:
        """Start to listen."""
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", self._port)
        self._port = self._server.sockets[0].getsockname()[1]

    async def cut(self) -> None:
        """Stop to listen and break every connection."""
        if self._server:
            self._server.close()
        for writer in self._open:
            writer.transport.abort()
        # lets the connections' tasks see their end before the loop may
        await asyncio.sleep(0)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._open.add(writer)
        try:
            await self._answer(reader, writer)
        except OSError:
            pass
        finally:
            self._open.discard(writer)
            writer.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while await reader.read(65_536):
            self.is_asked = True


class Relay(SilentServer):
    """Passes everything on to another server, until it is cut."""

    def __init__(self, target: str) -> None:
        super().__init__()
        self._target = target

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        host, _, port = self._target.rpartition(":")
        far_reader, far_writer = await asyncio.open_connection(host, int(port))
        self._open.add(far_writer)
        try:
            await asyncio.gather(_carry(reader, far_writer), _carry(far_reader, writer))
        finally:
            self._open.discard(far_writer)
            far_writer.close()


async def _carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(65_536):
        writer.write(data)
        await writer.drain()
    writer.close()
