"""An app on a port of this machine, by the real uvicorn in the test's own loop, which ends the moment it is told to."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import uvicorn

# What is still at work by then has hung, and is broken off.
ENDS_WITHIN_S = 1.0


@asynccontextmanager
async def listening(app: Any, **settings: Any) -> AsyncIterator[str]:
    """Serve an app on a free port of 127.0.0.1; give its address. `settings` are uvicorn's own."""
    # Named, or asyncio lets every answer wait for the acknowledgement of its first part.
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.bind(("127.0.0.1", 0))
    config = uvicorn.Config(app, log_config=None, **({"lifespan": "off"} | settings))
    config.load()
    server = uvicorn.Server(config)
    server.lifespan = config.lifespan_class(config)
    await server.startup([listener])
    # Its own loop looks whether to go on ten times a second, and a whole run waits minutes for that.
    await server.on_tick(0)
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        await _end(server, listener)


async def _end(server: uvicorn.Server, listener: socket.socket) -> None:
    for one in server.servers:
        one.close()
    listener.close()
    state = server.server_state
    for connection in list(state.connections):
        connection.shutdown()
    try:
        async with asyncio.timeout(ENDS_WITHIN_S):
            while state.connections or state.tasks:
                await asyncio.sleep(0.002)
    except TimeoutError:
        for task in state.tasks:
            task.cancel()
    await server.lifespan.shutdown()
