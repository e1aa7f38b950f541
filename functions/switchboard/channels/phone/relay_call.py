"""A phone call over its ConversationRelay socket: what the caller says comes in, what is to be said goes out.

Speech is streamed as it comes. A caller who speaks meanwhile interrupts; keys answer questions. After a transfer or the
end of the call nothing more is said, and `/phone/relay-ended` does what is left to do.
"""

from __future__ import annotations

import asyncio
import logging
import time
from contextlib import aclosing, suppress
from dataclasses import replace
from typing import Any
from weakref import WeakKeyDictionary

import orjson
from starlette.websockets import WebSocket, WebSocketDisconnect

from switchboard.channels.phone.call_state import CallStates
from switchboard.channels.phone.turns import Speech
from switchboard.channels.phone.voice import locale_of
from switchboard.contract.caller.outside_id import is_blank
from switchboard.contract.document import text
from switchboard.contract.error import log_fields
from switchboard.contract.store import StoreError
from switchboard.conversation.conversation import Conversation
from switchboard.conversation.event import TurnOutcome
from switchboard.conversation.speech.bridging import CHARACTERS_PER_S
from switchboard.conversation.speech.utterance import Utterance

# The server that carries the socket is to be told the same, so that nothing larger is even read.
MOST_BYTES = 65_536
SENT_WITHIN_S = 10.0
_MALFORMED_IN_A_ROW = 10
_GONE = 1006

log = logging.getLogger(__name__)

IDLE_S = 300.0
LONGEST_S = 7_200.0
# The next key of a number comes within this, or it was the last.
KEYS_S = 2.0
_MOST_KEYS = 40
# How fast speech is spoken, and how long is waited for it at most before the call is ended or handed on.
_CHARACTERS_PER_S = CHARACTERS_PER_S
_LONGEST_FAREWELL_S = 30.0
_CLOSED_WITHIN_S = 2.0
_ENDINGS = (TurnOutcome.ENDED, TurnOutcome.TRANSFERRED)


class RelayCall:
    """One call over its socket."""

    def __init__(
        self,
        socket: RelaySocket,
        conversation: Conversation,
        handoffs: CallStates,
        language: str,
        calls: HeldCalls,
    ) -> None:
        """Hold a conversation over a socket that speaks `language`, as its TwiML said, and has the call in `calls`."""
        self._socket, self._conversation, self._handoffs = socket, conversation, handoffs
        self._language, self._calls = language, calls
        self._keys = ""
        # By the monotonic clock, where the relay has told that the caller began to speak.
        self._speaks_since: float | None = None
        self._next: Utterance | None = None
        self._is_called = asyncio.Event()
        self._speech: Speech | None = None
        self._is_farewell_over = asyncio.Event()

    async def run(self) -> None:
        """Answer until the caller hangs up or nothing more is to be said, and close the socket."""
        listening = asyncio.create_task(self._listen())
        speaking = asyncio.create_task(self._speak())
        both = {listening, speaking}
        try:
            await asyncio.wait(both, timeout=LONGEST_S, return_when=asyncio.FIRST_COMPLETED)
            if not listening.done() and (not speaking.done() or speaking.exception() is None):
                # Nothing more is to be said, or it has been said for two hours.
                await self._end(self._speech.outcome.value if speaking.done() and self._speech else "too_long")
                # The session ends on the other side first; what is said until then is nobody's turn any more.
                await asyncio.wait({listening}, timeout=_CLOSED_WITHIN_S)
        finally:
            for task in both:
                task.cancel()
            await asyncio.gather(*both, return_exceptions=True)
        errors = [error for task in both if not task.cancelled() and (error := task.exception()) is not None]
        await self._socket.close(await self._code(errors))

    async def _code(self, errors: list[BaseException]) -> int:
        """Return how the socket is closed after what has gone wrong, if anything has."""
        for error in errors:
            if isinstance(error, TimeoutError):
                await self._end("silent")
            elif isinstance(error, Unwelcome):
                log.warning("a relay socket is closed", extra=log_fields(error))
                return error.code
            elif not isinstance(error, WebSocketDisconnect):
                # Twilio takes it for a dropped line, and the call goes on over another.
                log.error("a relay call broke", exc_info=error)
                return Unwelcome.BROKEN
        return 1000

    async def _listen(self) -> None:
        while True:
            try:
                message = await self._socket.next(KEYS_S if self._keys else IDLE_S)
            except TimeoutError:
                if not self._keys:
                    raise
                message = {}
            self._calls.check(self._conversation, self._socket)
            await (self._hear(message) if message else self._answer(self._pressed()))

    async def _hear(self, message: dict[str, Any]) -> None:
        kind = message.get("type")
        if kind == "prompt":
            # Parts of an utterance do not begin a turn (seed 000).
            if not message.get("last", True):
                self._speaks_since = self._speaks_since or time.monotonic()
                return
            listened_s = self._listened()
            prompt = text(message.get("voicePrompt")).strip()
            if not is_blank(prompt):
                keys, self._keys = self._keys, ""
                await self._answer(Utterance(f"{keys} {prompt}" if keys else prompt, listened_s=listened_s))
        elif kind == "dtmf":
            await self._press(text(message.get("digit"))[:1])
        elif kind == "interrupt":
            heard = message.get("utteranceUntilInterrupt")
            self._speaks_since = time.monotonic()
            self._fall_silent()
            self._is_farewell_over.set()
            await self._conversation.interrupt(heard if isinstance(heard, str) else None)
            if not isinstance(heard, str):
                # Nobody can tell how far a question had been played: it is asked again.
                self._conversation.close_question(is_missed=True)
        elif kind == "error":
            log.warning("the relay reports an error", extra={"pii.detail": text(message.get("description"))[:200]})
        # Everything else is told by newer or debugging relays, and changes nothing.

    def _listened(self) -> float | None:
        """Return for how many seconds the caller spoke, as far as the relay has told when that began."""
        since, self._speaks_since = self._speaks_since, None
        return time.monotonic() - since if since is not None else None

    async def _press(self, key: str) -> None:
        """Take a key: 1 and 2 answer a question at once; otherwise keys make a number, up to `#` or a pause."""
        # Who interrupted with it did not speak.
        self._speaks_since = None
        if key and key != "#" and len(self._keys) < _MOST_KEYS:
            self._keys += key
        is_answer = self._conversation.session.asked_in > 0 and self._keys in ("1", "2")
        if self._keys and (key == "#" or is_answer):
            await self._answer(self._pressed())

    def _pressed(self) -> Utterance:
        keys, self._keys = self._keys, ""
        return Utterance(digits=keys)

    def _fall_silent(self) -> None:
        """Say nothing more of what was about to be said."""
        if self._speech is not None:
            self._speech.is_stopped = True

    async def _answer(self, utterance: Utterance) -> None:
        """Begin a turn; the one before is interrupted by it, and is joined to it if it has not begun."""
        self._fall_silent()
        before, speech = self._next, self._speech
        self._next = utterance if before is None else _joined(before, utterance)
        self._is_called.set()
        # Nobody tells how much was heard, and what was not sent cannot have been.
        await self._conversation.interrupt(None, sent=None if speech is None or speech.is_over else speech.text)

    async def _speak(self) -> None:
        """Answer turn after turn, until one of them ends the conversation."""
        while True:
            await self._is_called.wait()
            self._calls.check(self._conversation, self._socket)
            await self._conversation.interrupt(None)
            self._is_called.clear()
            utterance, self._next = self._next, None
            if utterance is None:
                continue
            # As it was spoken last, also after the socket was dropped or another instance held the call.
            if language := self._conversation.session.other_language:
                await self._speak_in(language)
            speech = self._speech = Speech(self._conversation, utterance, self._language)
            began = time.monotonic()
            async with aclosing(speech.pieces()) as pieces:
                async for piece in pieces:
                    await self._speak_in(speech.language)
                    await self._socket.send({"type": "text", "token": piece, "last": False})
            if speech.outcome is not TurnOutcome.INTERRUPTED and not speech.is_stopped:
                await self._socket.send({"type": "text", "token": "", "last": True})
            if speech.outcome in _ENDINGS:
                await self._take_leave(speech, began)
                return

    async def _speak_in(self, language: str) -> None:
        """Have the caller heard and answered in a language from now on."""
        if language == self._language:
            return
        self._language, locale = language, locale_of(language)
        await self._socket.send({"type": "language", "ttsLanguage": locale, "transcriptionLanguage": locale})

    async def _take_leave(self, speech: Speech, began: float) -> None:
        """Keep what comes after the conversation, and let its last words be heard: the end of a session drops them."""
        if speech.outcome is TurnOutcome.TRANSFERRED:
            try:
                await self._handoffs.keep(self._conversation.session.facts, speech.transfer)
            except StoreError as error:
                # `/phone/relay-ended` will find nothing, say so, and offer another way.
                log.error("a transfer is not kept", extra=log_fields(error))
        if speech.is_stopped:
            return
        self._is_farewell_over.clear()
        lasts_s = min(speech.characters / _CHARACTERS_PER_S, _LONGEST_FAREWELL_S)
        with suppress(TimeoutError):
            async with asyncio.timeout(max(0.0, lasts_s - (time.monotonic() - began))):
                await self._is_farewell_over.wait()

    async def _end(self, reason: str) -> None:
        with suppress(WebSocketDisconnect):
            await self._socket.send({"type": "end", "handoffData": orjson.dumps({"reason": reason}).decode()})


def _joined(before: Utterance, after: Utterance) -> Utterance:
    """Return one turn of two that came so close together that the first had no answer yet."""
    if before.digits and after.digits:
        return replace(after, digits=before.digits + after.digits)
    return Utterance(f"{before.text or before.digits} {after.text or after.digits}")


class Unwelcome(Exception):
    """The socket is closed with this code; the text is for the log."""

    POLICY, TOO_BIG, BROKEN, TRY_LATER = 1008, 1009, 1011, 1013

    def __init__(self, code: int, reason: str) -> None:
        """Keep both."""
        super().__init__(reason)
        self.code = code


class HeldCalls:
    """Which socket has each call: the one that was opened last. Nothing of an earlier one counts any more."""

    def __init__(self) -> None:
        """Begin without calls."""
        self._sockets: WeakKeyDictionary[Conversation, RelaySocket] = WeakKeyDictionary()

    async def take(self, conversation: Conversation, socket: RelaySocket) -> None:
        """Have a call go on over a socket; what was being said over another is broken off.

        If that fails, the other one keeps the call.
        """
        before = self._sockets.get(conversation)
        self._sockets[conversation] = socket
        if before is None:
            return
        is_taken = False
        try:
            await conversation.leave()
            is_taken = True
        finally:
            if not is_taken and self._sockets.get(conversation) is socket:
                self._sockets[conversation] = before

    def check(self, conversation: Conversation, socket: RelaySocket) -> None:
        """Return if a socket has the call.

        Raises:
            Unwelcome: Another one has.
        """
        if self._sockets.get(conversation) is not socket:
            raise Unwelcome(Unwelcome.POLICY, "the call goes on over another socket")

    async def give_back(self, conversation: Conversation, socket: RelaySocket) -> None:
        """Break off what is being said over a socket that has ended, unless the call goes on over another by now."""
        if self._sockets.get(conversation) is socket:
            del self._sockets[conversation]
            await conversation.leave()


class RelaySocket:
    """A socket that has been accepted."""

    def __init__(self, socket: WebSocket) -> None:
        """Speak over `socket`."""
        self._socket = socket
        self._malformed = 0

    def header(self, name: str) -> str | None:
        """Return a header of the handshake."""
        return self._socket.headers.get(name)

    async def first(self, within_s: float) -> dict[str, Any]:
        """Return the first message, which must be one.

        Raises:
            TimeoutError: None came in time.
            WebSocketDisconnect: The other side has gone.
            Unwelcome: It is too long, or no message.
        """
        message = await self._received(within_s)
        if message is None:
            raise Unwelcome(Unwelcome.POLICY, "the first message cannot be read")
        return message

    async def next(self, within_s: float) -> dict[str, Any]:
        """Return the next message; a few that cannot be read are passed over, as Twilio does with ours.

        Raises:
            TimeoutError: None came in time.
            WebSocketDisconnect: The other side has gone.
            Unwelcome: It is too long, or too many in a row were no messages.
        """
        while (message := await self._received(within_s)) is None:
            self._malformed += 1
            if self._malformed >= _MALFORMED_IN_A_ROW:
                raise Unwelcome(Unwelcome.POLICY, "too many messages in a row cannot be read")
        self._malformed = 0
        return message

    async def send(self, message: dict[str, Any]) -> None:
        """Send a message.

        Raises:
            WebSocketDisconnect: The other side has gone, or does not read.
        """
        try:
            async with asyncio.timeout(SENT_WITHIN_S):
                await self._socket.send_text(orjson.dumps(message).decode())
        except (TimeoutError, RuntimeError):
            # Starlette says with a RuntimeError that the socket has been closed.
            raise WebSocketDisconnect(_GONE) from None

    async def close(self, code: int = 1000) -> None:
        """Close the socket, if it is open."""
        with suppress(RuntimeError, WebSocketDisconnect, TimeoutError):
            async with asyncio.timeout(SENT_WITHIN_S):
                await self._socket.close(code)

    async def _received(self, within_s: float) -> dict[str, Any] | None:
        async with asyncio.timeout(within_s):
            raw = await self._socket.receive()
        if raw["type"] == "websocket.disconnect":
            raise WebSocketDisconnect(raw.get("code", _GONE))
        text = raw.get("text")
        data = raw.get("bytes") or b"" if text is None else text.encode("utf-8", "surrogatepass")
        if len(data) > MOST_BYTES:
            raise Unwelcome(Unwelcome.TOO_BIG, "a message is too long")
        try:
            message = orjson.loads(data)
        except ValueError:
            return None
        return message if isinstance(message, dict) else None
