"""A peer's server to be loaded, a program of its own in the peer's environment: the same look-up; prints its port.

peer.py mcp|fastmcp: streamable HTTP without sessions and with plain JSON answers, the fastest that either has.
peer.py fastmcp_proxy <address>: FastMCP's own proxy in front of another MCP server.
LOAD_NOTES names the file to which its `note` adds a line.
"""

import asyncio
import logging
import os
import socket
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "peers"))

import uvicorn
from worker import look_up


async def note(entry: str) -> dict[str, bool]:
    """Note something down."""
    place = os.open(os.environ["LOAD_NOTES"], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    try:
        os.write(place, f"{entry}\n".encode())
    finally:
        os.close(place)
    return {"noted": True}


def app(kind, address):
    """Return the peer's ASGI app."""
    if kind == "mcp":
        from mcp.server.mcpserver import MCPServer

        server = MCPServer("load", log_level="CRITICAL")
        server.tool()(look_up)
        server.tool()(note)
        return server.streamable_http_app(stateless_http=True, json_response=True)
    if kind == "fastmcp_proxy":
        from fastmcp.server import create_proxy

        return create_proxy(address).http_app(stateless_http=True, json_response=True)
    from fastmcp import FastMCP

    server = FastMCP("load")
    server.tool(look_up)
    server.tool(note)
    return server.http_app(stateless_http=True, json_response=True)


async def serve(kind, address=""):
    """Serve until the process is ended."""
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen(2048)
    config = uvicorn.Config(app(kind, address), http="httptools", log_config=None, access_log=False)
    server = uvicorn.Server(config)
    task = asyncio.create_task(server.serve(sockets=[listener]))
    while not server.started:
        await asyncio.sleep(0.02)
    print(listener.getsockname()[1], flush=True)
    await task


if __name__ == "__main__":
    import uvloop

    logging.disable(logging.CRITICAL)
    uvloop.run(serve(*sys.argv[1:]))
