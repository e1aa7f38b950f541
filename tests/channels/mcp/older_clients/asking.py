"""A client of the handshake era, run in an environment of its own: `asking.py {mcp|fastmcp} {what} {address} {key}`.

It books a haircut, does `what` with each question that it is asked, and prints what it was asked and told, as JSON.
`nobody` declares no elicitation; `late` accepts when the server has long given up.
"""

import asyncio
import json
import sys
from typing import Any

HAIRCUT = {"service": "Haircut", "start_time": "2026-12-02T10:00:00", "customer_name": "Ana Lopez"}
LATE, LATE_S, NOES = "late", 5.0, ("decline", "cancel")


async def by_mcp(what: str, address: str, key: str, asked: list[str]) -> Any:
    """Return what the official client of the first generation is told."""
    from mcp import ClientSession
    from mcp.client.streamable_http import streamablehttp_client
    from mcp.types import ElicitResult

    async def answer(context: Any, params: Any) -> Any:
        asked.append(params.message)
        if what == LATE:
            await asyncio.sleep(LATE_S)
        return ElicitResult(action="accept" if what == LATE else what, content=None if what in NOES else {})

    headers = {"Authorization": f"Bearer {key}"}
    answering = None if what == "nobody" else answer
    async with (
        streamablehttp_client(address, headers=headers) as (reading, writing, _),
        ClientSession(reading, writing, elicitation_callback=answering) as client,
    ):
        await client.initialize()
        return await client.call_tool("book_appointment", HAIRCUT)


async def by_fastmcp(what: str, address: str, key: str, asked: list[str]) -> Any:
    """Return what FastMCP's client is told."""
    from fastmcp import Client
    from fastmcp.client.elicitation import ElicitResult
    from fastmcp.client.transports import StreamableHttpTransport

    async def answer(message: str, response_type: Any, params: Any, context: Any) -> Any:
        asked.append(message)
        if what == LATE:
            await asyncio.sleep(LATE_S)
        return ElicitResult(action="accept" if what == LATE else what, content=None if what in NOES else {})

    transport = StreamableHttpTransport(address, headers={"Authorization": f"Bearer {key}"})
    async with Client(transport, elicitation_handler=None if what == "nobody" else answer) as client:
        return await client.call_tool_mcp("book_appointment", HAIRCUT)


async def main(library: str, what: str, address: str, key: str) -> None:
    """Print what came of it, and leave: a question that is never answered holds nobody here."""
    asked: list[str] = []
    found = await {"mcp": by_mcp, "fastmcp": by_fastmcp}[library](what, address, key, asked)
    text = "".join(getattr(part, "text", "") for part in found.content)
    print(json.dumps({"asked": asked, "isError": found.isError, "text": text}), flush=True)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
