"""The two ways of holding a simulated phone call: over the relay's WebSocket, and in `<Gather>` turns."""

from __future__ import annotations

import asyncio
import json
import time
import uuid
from contextlib import suppress
from typing import Any, Protocol

import aiohttp

from command_line import Problem
from simulating.screen import Screen
from simulating.twilio import PARAMETER, Twiml, Webhooks
from switchboard.conversation.speech.playhead import FASTEST_CHARACTERS_PER_S
from switchboard.pipeline.confirmation.consent import PHRASES, understood

_QUIET_S = 20.0
# As fast as text is spoken, to know what of it has been heard by the time of an interruption.
_CHARACTERS_PER_S = 15.0


class Way(Protocol):
    """Holds a call. Every deed returns TwiML that leads elsewhere, or None while the call is held on."""

    heard: str

    async def begin(self, twiml: Twiml) -> Twiml | None:
        """Say what the TwiML says, and listen."""

    async def say(self, text: str, until_s: float | None = None) -> Twiml | None:
        """Say something and listen to the answer, but no longer than so many seconds after its first word."""

    async def press(self, keys: str, until_s: float | None = None) -> Twiml | None:
        """Press keys and listen likewise."""

    async def interrupt(self, text: str, after_s: float, until_s: float | None = None) -> Twiml | None:
        """Speak into an answer that has been listened to for so long."""

    async def wait(self, seconds: float) -> Twiml | None:
        """Listen for so long."""

    async def hang_up(self) -> None:
        """Leave."""


class GatherTurns:
    """Holds a call in `<Gather>` turns."""

    def __init__(self, webhooks: Webhooks, screen: Screen) -> None:
        self._webhooks, self._screen = webhooks, screen
        self._twiml = Twiml()
        self.heard = ""

    async def begin(self, twiml: Twiml) -> Twiml | None:
        """Listen."""
        return await self._listen(twiml, None, None)

    async def say(self, text: str, until_s: float | None = None) -> Twiml | None:
        """Send what was understood of it."""
        return await self._turn(until_s, SpeechResult=text, Confidence="0.9")

    async def press(self, keys: str, until_s: float | None = None) -> Twiml | None:
        """Send the keys."""
        return await self._turn(until_s, Digits=keys.rstrip("#"))

    async def interrupt(self, text: str, after_s: float, until_s: float | None = None) -> Twiml | None:
        """Speak while the TwiML is being spoken, which is the next turn."""
        return await self.say(text, until_s)

    async def wait(self, seconds: float) -> Twiml | None:
        """Be silent."""
        await asyncio.sleep(seconds)
        return None

    async def hang_up(self) -> None:
        """Leave."""

    async def _turn(self, until_s: float | None, **fields: str) -> Twiml | None:
        began = time.monotonic()
        return await self._listen(await self._webhooks.ask(self._twiml.gather, **fields), began, until_s)

    async def _listen(self, twiml: Twiml, began: float | None, until_s: float | None) -> Twiml | None:
        rows: list[str] = []
        while True:
            for text in twiml.said:
                self._screen.agent(text, None if began is None else time.monotonic() - began)
                began = None
            rows += twiml.said
            # Whoever means to interrupt does so as soon as there is something to talk into.
            if "waiting=" not in twiml.redirect or (until_s is not None and twiml.gather):
                break
            twiml = await self._webhooks.ask(twiml.redirect)
        if rows and until_s is not None:
            await asyncio.sleep(until_s)
        self.heard, self._twiml = " ".join(rows), twiml
        return twiml if twiml.dialled or twiml.relay or not twiml.gather else None


class RelaySession:
    """Holds a call over the relay's WebSocket."""

    def __init__(self, session: aiohttp.ClientSession, url: str, webhooks: Webhooks, screen: Screen) -> None:
        self._session, self._url, self._webhooks, self._screen = session, url, webhooks, screen
        self._socket: aiohttp.ClientWebSocketResponse | None = None
        self._messages: asyncio.Queue[dict[str, Any] | None] = asyncio.Queue()
        self._reading: asyncio.Task[None] | None = None
        self._ended, self.heard, self._heard_from = "", "", 0.0
        self._id = f"VX{uuid.uuid4().hex}"

    async def begin(self, twiml: Twiml) -> Twiml | None:
        """Open the socket and say hello to it."""
        relay = twiml.relay
        self._ended = twiml.ended
        self.heard = relay.get("welcomeGreeting", "")
        self._screen.agent(self.heard)
        headers = self._webhooks.handshake(relay["url"])
        try:
            self._socket = await self._session.ws_connect(self._url, headers=headers, max_msg_size=1 << 20)
        except (aiohttp.ClientError, OSError) as error:
            raise Problem(f"{self._url} does not take a WebSocket: {error}.") from None
        self._reading = asyncio.create_task(self._read())
        parties = self._webhooks.parties
        setup = {
            "sessionId": self._id,
            "callSid": self._webhooks.call_sid,
            "accountSid": parties.account,
            "from": parties.caller,
            "to": parties.called,
            "direction": "inbound",
            "callType": "PSTN",
            "callStatus": "RINGING",
            "customParameters": {k.removeprefix(PARAMETER): v for k, v in relay.items() if k.startswith(PARAMETER)},
        }
        await self._send(type="setup", **setup)
        return None

    async def say(self, text: str, until_s: float | None = None) -> Twiml | None:
        """Send the words as the transcription would; a yes only once its question can have been heard."""
        if any(understood(text, language) == "yes" for language in PHRASES):
            await self._hear_out()
        return await self._said(text, until_s)

    async def _said(self, text: str, until_s: float | None) -> Twiml | None:
        await self._send(type="prompt", voicePrompt=text, lang="en-US", last=True)
        return await self._listen(until_s)

    async def _hear_out(self) -> None:
        """Let a question be spoken: nobody answers one that they have not heard."""
        if self.heard.rstrip().endswith("?"):
            played_at = self._heard_from + len(self.heard) / FASTEST_CHARACTERS_PER_S
            await asyncio.sleep(max(0.0, played_at - time.monotonic()))

    async def press(self, keys: str, until_s: float | None = None) -> Twiml | None:
        """Send key after key, behind a question once it can have been heard."""
        await self._hear_out()
        for key in keys:
            await self._send(type="dtmf", digit=key)
        return await self._listen(until_s)

    async def interrupt(self, text: str, after_s: float, until_s: float | None = None) -> Twiml | None:
        """Stop what is being said, as Twilio tells it, and speak."""
        heard = self.heard[: int(after_s * _CHARACTERS_PER_S)]
        await self._send(type="interrupt", utteranceUntilInterrupt=heard, durationUntilInterruptMs=int(after_s * 1000))
        return await self._said(text, until_s)

    async def wait(self, seconds: float) -> Twiml | None:
        """Listen for what comes by itself, such as the end of the call when a farewell has been spoken."""
        return await self._listen(None, within_s=seconds)

    async def hang_up(self) -> None:
        """Close the socket."""
        if self._reading is not None:
            self._reading.cancel()
        if self._socket is not None:
            await self._socket.close()

    async def _read(self) -> None:
        assert self._socket is not None
        async for message in self._socket:
            if message.type is aiohttp.WSMsgType.TEXT:
                self._messages.put_nowait(json.loads(message.data))
        self._messages.put_nowait(None)

    async def _send(self, **message: Any) -> None:
        assert self._socket is not None
        with suppress(ConnectionError, aiohttp.ClientError):
            await self._socket.send_json(message)

    async def _listen(self, until_s: float | None, within_s: float = _QUIET_S) -> Twiml | None:
        """Collect words until the answer is complete, or for so long after its first one; leave if the session ends."""
        began, words = time.monotonic(), ""
        first: float | None = None
        while True:
            limit = within_s if first is None or until_s is None else max(0.0, first + until_s - time.monotonic())
            try:
                message = await asyncio.wait_for(self._messages.get(), limit)
            except TimeoutError:
                self._tell(words, first, began, is_cut=first is not None)
                return None
            if message is None or message.get("type") == "end":
                self._tell(words, first, began)
                return await self._over(message and message.get("handoffData"))
            if message.get("type") != "text":
                continue
            if message["token"] and first is None:
                first = time.monotonic()
            words += message["token"]
            if message.get("last"):
                self._tell(words, first, began)
                if until_s and first is not None:
                    # Words are made faster than they are spoken.
                    await asyncio.sleep(max(0.0, first + until_s - time.monotonic()))
                return None

    def _tell(self, words: str, first: float | None, began: float, is_cut: bool = False) -> None:
        if words.strip():
            self._screen.agent(f"{words} …" if is_cut else words, None if first is None else first - began)
            self.heard, self._heard_from = words, began if first is None else first

    async def _over(self, handoff: str | None) -> Twiml:
        await self.hang_up()
        fields = {"SessionId": self._id, "SessionStatus": "ended" if handoff else "failed"}
        if handoff:
            fields["HandoffData"] = handoff
        return await self._webhooks.ask(self._ended, **fields)
