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
from starlette.websockets import WebSocketDisconnect

from switchboard.channels.phone.call_state import CallStates
from switchboard.channels.phone.relay_socket import RelaySocket, Unwelcome
from switchboard.channels.phone.silence import Silence
from switchboard.channels.phone.turns import Speech
from switchboard.channels.phone.voice import Sentence, locale_of, sentence_in
from switchboard.contract.caller.outside_id import is_blank
from switchboard.contract.document import text
from switchboard.contract.error import log_fields
from switchboard.contract.store import StoreError
from switchboard.conversation.asked_question import AskedQuestion
from switchboard.conversation.conversation import Conversation
from switchboard.conversation.event import TurnOutcome
from switchboard.conversation.speech.bridging import CHARACTERS_PER_S
from switchboard.conversation.speech.utterance import Utterance

log = logging.getLogger(__name__)

# A caller who has said nothing for so long is asked whether they are there, and has so long to answer that.
ASKS_AFTER_S = 18.0
IDLE_S = 45.0
LONGEST_S = 7_200.0
# The next key of a number comes within this, or it was the last.
KEYS_S = 2.0
_MOST_KEYS = 40
# How fast speech is spoken, and how long is waited for it at most before the call is ended or handed on.
_CHARACTERS_PER_S = CHARACTERS_PER_S
_LONGEST_FAREWELL_S = 30.0
# How slowly callers speak at most, in characters a second, and how long their words take to be transcribed.
_SLOWEST_S, _PAUSE_S = 5.0, 2.0
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
        self._silence = Silence(lambda: _CHARACTERS_PER_S)
        self._silence.said(conversation.session.history.last_spoken)
        # Whether a turn is under way.
        self._is_answering = False
        # By the monotonic clock, where the relay has told that the caller began to speak.
        self._speaks_since: float | None = None
        self._next: Utterance | None = None
        self._is_called = asyncio.Event()
        self._speech: Speech | None = None
        # What is answered now, and the question that it was held against, until something is said.
        self._under_way: Utterance | None = None
        self._asked: AskedQuestion | None = None
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
                message = await self._socket.next(KEYS_S if self._keys else self._patience_s())
            except TimeoutError:
                message = {}
            self._calls.check(self._conversation, self._socket)
            if message:
                await self._hear(message)
            elif self._keys:
                await self._answer(self._pressed())
            else:
                await self._sit_out()

    def _patience_s(self) -> float:
        """Return how long a caller may still say nothing, from now."""
        return self._silence.left_s(IDLE_S if self._silence.is_asked else ASKS_AFTER_S)

    async def _sit_out(self) -> None:
        """Ask a silent caller whether they are there, once.

        Raises:
            TimeoutError: They have not answered that either.
        """
        if self._is_answering or self._next is not None or self._conversation.session.is_over:
            # It is ours to speak.
            self._silence.put_off()
        elif self._patience_s() > 0:
            return
        elif self._silence.is_asked:
            raise TimeoutError
        else:
            self._silence.is_asked, self._speaks_since = True, None
            # A question that is open is asked once more, alone: a yes would else be to either.
            asked = await self._conversation.open_question()
            words = asked or sentence_in(self._language, Sentence.STILL_THERE)
            self._conversation.greet(words)
            self._silence.said(words)
            await self._socket.send({"type": "text", "token": words, "last": True})

    async def _hear(self, message: dict[str, Any]) -> None:
        kind = message.get("type")
        if kind in ("prompt", "dtmf", "interrupt"):
            self._silence.broken()
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
            late = self._answers_unheard(heard) if isinstance(heard, str) else None
            self._fall_silent()
            self._is_farewell_over.set()
            await self._conversation.interrupt(heard if isinstance(heard, str) else None)
            if late is not None and self._next is None:
                self._next = late
                self._is_called.set()
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

    def _answers_unheard(self, heard: str) -> Utterance | None:
        """Return the answer that is under way, if what is told too late says that its question was not heard.

        Nothing but a filler has been said in that turn, so that what was cut off are the words before it. What was not
        carried out by now is not: the answer is to no question, and the model's call is asked about anew.
        """
        asked, speech = self._asked, self._speech
        has_answered = speech is None or speech.is_over or (speech.text and not speech.is_bridging)
        return None if asked is None or has_answered or asked.is_told_by(heard) else self._under_way

    async def _answer(self, utterance: Utterance) -> None:
        """Begin a turn; the one before is interrupted by it, and is joined to it if it has not begun."""
        self._fall_silent()
        self._conversation.answered_early(_spoken_for(utterance))
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
            self._under_way, self._asked = utterance, self._conversation.session.question
            # As it was spoken last, also after the socket was dropped or another instance held the call.
            if language := self._conversation.session.other_language:
                await self._speak_in(language)
            speech = self._speech = Speech(self._conversation, utterance, self._language)
            began, self._is_answering = time.monotonic(), True
            async with aclosing(speech.pieces()) as pieces:
                async for piece in pieces:
                    await self._speak_in(speech.language)
                    self._silence.said(piece)
                    await self._socket.send({"type": "text", "token": piece, "last": False})
            self._is_answering = False
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


def _spoken_for(utterance: Utterance) -> float | None:
    """Return how long it took to say it, where that can be: what began long before was a noise."""
    listened_s = utterance.listened_s
    return None if listened_s is None or listened_s > _PAUSE_S + len(utterance.text) / _SLOWEST_S else listened_s


def _joined(before: Utterance, after: Utterance) -> Utterance:
    """Return one turn of two that came so close together that the first had no answer yet."""
    if before.digits and after.digits:
        return replace(after, digits=before.digits + after.digits)
    return Utterance(f"{before.text or before.digits} {after.text or after.digits}")


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
