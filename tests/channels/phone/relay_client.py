"""Twilio's side of a ConversationRelay socket."""

import asyncio
import json
import time
from typing import Any

from twilio.request_validator import RequestValidator
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from tests.channels.phone.house import CALLER, NUMBER, RELAY_URL, TOKEN, Heard, Twilio


def signed(token: str = TOKEN, url: str = RELAY_URL) -> dict[str, str]:
    """Return the header of a signed handshake."""
    return {"X-Twilio-Signature": RequestValidator(token).compute_signature(url, {})}


class RelayClient:
    """One socket: what was received, and when."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket
        self.messages: list[dict[str, Any]] = []
        self.times: list[float] = []
        self.code: int | None = None
        self._news = asyncio.Event()
        self._task = asyncio.create_task(self._read())

    async def _read(self) -> None:
        try:
            async for raw in self.socket:
                self.messages.append(json.loads(raw))
                self.times.append(time.monotonic())
                self._news.set()
        except ConnectionClosed:
            pass
        self.code = self.socket.close_code
        self._news.set()

    async def send(self, **message: Any) -> None:
        await self.socket.send(json.dumps(message))

    async def say(self, text: str) -> None:
        await self.send(type="prompt", voicePrompt=text, lang="en-US", last=True)

    async def until(self, wanted: Any, within_s: float = 60.0) -> None:
        """Wait until the messages are as wanted."""
        async with asyncio.timeout(within_s):
            while not wanted(self):
                assert self.code is None, (self.code, self.messages)
                self._news.clear()
                await self._news.wait()

    async def closed(self, within_s: float = 60.0) -> int:
        """Wait until the other side has closed, and return its code."""
        async with asyncio.timeout(within_s):
            await self._task
        return self.code or 0

    async def answered(self, times: int = 1) -> str:
        """Wait until so many answers have ended, and return what was said in all."""
        await self.until(lambda c: c.ended_answers >= times)
        return self.said

    async def leave(self) -> None:
        await self.socket.close()
        await self._task

    @property
    def said(self) -> str:
        return "".join(m["token"] for m in self.messages if m["type"] == "text")

    @property
    def ended_answers(self) -> int:
        return sum(m["type"] == "text" and m["last"] for m in self.messages)

    @property
    def handoff(self) -> dict[str, Any] | None:
        found = next((m for m in self.messages if m["type"] == "end"), None)
        return json.loads(found["handoffData"]) if found else None


def token_of(heard: Heard) -> str:
    return heard.attribute("Parameter", "value") or ""


async def dial_in(twilio: Twilio, *, headers: dict[str, str] | None = None, packs: bool = True) -> RelayClient:
    """Open a socket without saying anything on it; `packs`: messages are compressed."""
    url, headers = f"ws://127.0.0.1:{twilio.instance.port}/phone/relay", signed() if headers is None else headers
    packing = "deflate" if packs else None
    return RelayClient(await connect(url, additional_headers=headers, max_size=None, compression=packing))


async def set_up(client: RelayClient, twilio: Twilio, token: str, **fields: Any) -> None:
    """Send the setup message."""
    known = {"sessionId": "VX1", "callSid": twilio.call_sid, "from": CALLER, "to": NUMBER, "direction": "inbound"}
    await client.send(type="setup", customParameters={"token": token}, **(known | fields))


async def call_up(twilio: Twilio) -> RelayClient:
    """Call the business and open the socket that its TwiML asks for."""
    heard = await twilio.ask("/phone/incoming")
    client = await dial_in(twilio)
    await set_up(client, twilio, token_of(heard))
    return client
