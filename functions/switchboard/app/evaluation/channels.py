"""How a caller reaches the product: by phone over the relay's socket, or in writing, at the app that serves them.

The app is called as a server calls it, without a server between: what a request is answered with is all that is known.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from typing import Any, Protocol
from urllib.parse import urlencode

from twilio.request_validator import RequestValidator  # type: ignore[import-untyped]

from switchboard.admin.evals.scenario import Channel, ShownCaller
from switchboard.app.evaluation.twiml import PARAMETER, Twiml, read_twiml
from switchboard.app.evaluation.world import ADDRESS, KEY, TWILIO_TOKEN, World
from switchboard.contract.python.dataclass import dataclass

ANSWERED_WITHIN_S = 30.0
ATTESTATIONS = {verdict: f"TN-Validation-Passed-{verdict}" for verdict in "ABC"}
"""What a carrier says of the number that is shown, as Twilio passes it on."""
_Message = MutableMapping[str, Any]
_App = Callable[[Any, Callable[[], Awaitable[_Message]], Callable[[_Message], Awaitable[None]]], Awaitable[None]]


class UnansweredCaller(Exception):
    """The product did not answer, or not as it does."""


@dataclass(frozen=True, slots=True)
class Heard:
    """What a caller hears of one answer.

    Attributes:
        words: All of it.
        is_over: Whether nothing more is said.
        dialled: The number that the call is handed on to; empty for none.
    """

    words: str
    is_over: bool = False
    dialled: str = ""


class CallersWay(Protocol):
    """One conversation as its caller has it."""

    session: str

    async def begin(self) -> str:
        """Return the greeting."""

    async def say(self, words: str) -> Heard:
        """Say something and listen to all of the answer."""

    async def break_in(self, words: str) -> Heard | None:
        """Say something and stop listening at the first word; return what was heard only where that was the end."""

    async def come_back(self) -> None:
        """Go on after the other side has died."""

    async def leave(self) -> None:
        """Hang up."""


@dataclass(slots=True)
class AnswerProgress:
    """How far an answer is, as those see it who look at the product from inside.

    Attributes:
        has_spoken: Whether the model has said a word of it.
        is_over: Whether a tool has ended the conversation, or handed it on.
    """

    has_spoken: bool = False
    is_over: bool = False


def line_to(
    world: World, channel: Channel, caller: ShownCaller, progress: AnswerProgress, number: int = 1
) -> CallersWay:
    """Return a line to the product; each caller of a run has a `number`."""
    return (PlayedPhone if channel == "phone" else PlayedChat)(world, caller, progress, number)


class PlayedPhone:
    """A phone call over ConversationRelay, Twilio's part of it played."""

    def __init__(self, world: World, caller: ShownCaller, progress: AnswerProgress, number: int) -> None:
        self._world, self._caller, self._progress = world, caller, progress
        self.session = f"CA{number:032x}"
        self._ended_at = ""
        self._socket: _Socket | None = None
        self._validator = RequestValidator(TWILIO_TOKEN)

    async def begin(self) -> str:
        """Call, and return the greeting."""
        return await self._connect(await self._webhook("/phone/incoming", CallStatus="ringing"))

    async def say(self, words: str) -> Heard:
        """Send the words as the transcription would."""
        socket = self._open()
        await socket.send({"type": "prompt", "voicePrompt": words, "last": True})
        text = await socket.words()
        return await self._ended(text) if self._progress.is_over or not socket.is_open else Heard(text)

    async def _ended(self, text: str) -> Heard:
        """Come to the end of a call that is over; nobody waits here until the farewell has been played."""
        socket = self._open()
        await socket.send({"type": "interrupt", "utteranceUntilInterrupt": text, "durationUntilInterruptMs": 1})
        reason = await socket.end()
        self._socket = None
        twiml = await self._webhook(self._ended_at, SessionStatus="ended", HandoffData=reason)
        return Heard(text, is_over=True, dialled=twiml.dialled[0] if twiml.dialled else "")

    async def break_in(self, words: str) -> Heard | None:
        """Talk into the answer as soon as there is one."""
        socket = self._open()
        await socket.send({"type": "prompt", "voicePrompt": words, "last": True})
        heard = await socket.first_word()
        if self._progress.is_over:
            return await self._ended(heard)
        await socket.send({"type": "interrupt", "utteranceUntilInterrupt": heard, "durationUntilInterruptMs": 1})
        await socket.quiet()
        return None

    async def come_back(self) -> None:
        """Have the carrier notice that the socket is gone, and open another where it is told to."""
        self._open().drop()
        await self._connect(await self._webhook(self._ended_at, SessionStatus="failed"))

    async def leave(self) -> None:
        """Hang up."""
        if self._socket is not None:
            await self._socket.close()
            await self._webhook(self._ended_at, SessionStatus="ended", CallStatus="completed")

    def _open(self) -> _Socket:
        if self._socket is None:
            raise UnansweredCaller("there is no call")
        return self._socket

    async def _connect(self, twiml: Twiml) -> str:
        relay = twiml.relay
        if not relay:
            raise UnansweredCaller(f"the call is not connected: {' '.join(twiml.said) or 'it is turned away'}")
        self._ended_at = twiml.ended.removeprefix(ADDRESS)
        headers = {"x-twilio-signature": self._validator.compute_signature(relay["url"], {})}
        self._socket = _Socket(self._world.house.app, "/phone/relay", headers)
        await self._socket.open()
        setup = {
            "type": "setup",
            "callSid": self.session,
            "accountSid": self._world.premises.account.sid,
            "from": self._caller.phone or "anonymous",
            "to": self._called,
            "customParameters": {k.removeprefix(PARAMETER): v for k, v in relay.items() if k.startswith(PARAMETER)},
        }
        await self._socket.send(setup)
        return relay.get("welcomeGreeting", "")

    @property
    def _called(self) -> str:
        return next(iter(self._world.premises.account.numbers))

    async def _webhook(self, path: str, **more: str) -> Twiml:
        fields = {
            "CallSid": self.session,
            "AccountSid": self._world.premises.account.sid,
            "From": self._caller.phone or "anonymous",
            "To": self._called,
            "Direction": "inbound",
            "CallStatus": "in-progress",
            **more,
        }
        if self._caller.phone and self._caller.attestation:
            fields["StirVerstat"] = ATTESTATIONS[self._caller.attestation]
        headers = {
            "content-type": "application/x-www-form-urlencoded",
            "x-twilio-signature": self._validator.compute_signature(f"{ADDRESS}{path}", fields),
        }
        status, body = await request(self._world.house.app, path, headers, urlencode(fields).encode())
        if status != 200:
            raise UnansweredCaller(f"{path} is answered with {status}")
        return read_twiml(body.decode())


class PlayedChat:
    """A conversation in the portal, by a service that vouches for whom it sends."""

    def __init__(self, world: World, caller: ShownCaller, progress: AnswerProgress, number: int) -> None:
        self._world, self._progress = world, progress
        self.session = f"chat-{number}"
        self._sent = 0
        # Kept, so that it is not given up by anybody but the product.
        self._first: asyncio.Task[tuple[int, bytes]] | None = None

    async def begin(self) -> str:
        """Begin; the page shows the greeting by itself."""
        return ""

    async def say(self, words: str) -> Heard:
        """Send a message and read the answer."""
        status, body = await self._post(words)
        if status != 200:
            raise UnansweredCaller(f"/portal/chat is answered with {status}: {body[:200].decode(errors='replace')}")
        answer = json.loads(body)
        return Heard(str(answer["text"]), is_over=answer["outcome"] in ("ended", "transferred"))

    async def break_in(self, words: str) -> Heard | None:
        """Send the next message while this one is being answered."""
        self._progress.has_spoken = False
        self._first = asyncio.create_task(self._post(words))
        while not self._progress.has_spoken and not self._first.done():
            await asyncio.sleep(0)
        return None

    async def come_back(self) -> None:
        """Send the next message; nothing is held open."""

    async def leave(self) -> None:
        """Close the page."""

    async def _post(self, words: str) -> tuple[int, bytes]:
        self._sent += 1
        body = {
            "businessId": self._world.premises.business.id,
            "sessionId": self.session,
            "messageId": f"m{self._sent}",
            "text": words,
        }
        headers = {"content-type": "application/json", "authorization": f"Bearer {KEY}"}
        return await request(self._world.house.app, "/portal/chat", headers, json.dumps(body).encode())


async def request(app: Any, path: str, headers: Mapping[str, str], body: bytes) -> tuple[int, bytes]:
    """Post to an app; return its status and the body.

    Raises:
        UnansweredCaller: It does not answer in time.
    """
    status, parts, is_sent = 0, list[bytes](), False
    gone = asyncio.get_running_loop().create_future()

    async def receive() -> _Message:
        nonlocal is_sent
        if is_sent:
            await gone
        is_sent = True
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: _Message) -> None:
        nonlocal status
        status = message.get("status", status)
        parts.append(message.get("body", b""))

    try:
        async with asyncio.timeout(ANSWERED_WITHIN_S):
            await app(_scope("http", path, headers) | {"method": "POST"}, receive, send)
    except TimeoutError:
        raise UnansweredCaller(f"{path} is not answered") from None
    return status, b"".join(parts)


def _scope(kind: str, path: str, headers: Mapping[str, str]) -> dict[str, Any]:
    path, _, query = path.partition("?")
    return {
        "type": kind,
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "scheme": "http" if kind == "http" else "ws",
        "path": path,
        "raw_path": path.encode(),
        "root_path": "",
        "query_string": query.encode(),
        "headers": [(b"host", b"127.0.0.1:8080"), *((k.encode(), v.encode()) for k, v in headers.items())],
        "client": ("127.0.0.1", 50_000),
        "server": ("127.0.0.1", 8080),
    }


class _Socket:
    """A WebSocket to an app, from the other side."""

    def __init__(self, app: Any, path: str, headers: Mapping[str, str]) -> None:
        self._to: asyncio.Queue[_Message] = asyncio.Queue()
        self._from: asyncio.Queue[_Message] = asyncio.Queue()
        self._scope = _scope("websocket", path, headers) | {"subprotocols": []}
        self._app = app
        self._task: asyncio.Task[None] | None = None
        self._reason: str | None = None
        self.is_open = False

    async def open(self) -> None:
        self._task = asyncio.create_task(self._app(self._scope, self._to.get, self._from.put))
        self._to.put_nowait({"type": "websocket.connect"})
        message = await self._next()
        if message["type"] != "websocket.accept":
            raise UnansweredCaller("the relay does not take the call")
        self.is_open = True

    async def send(self, message: Mapping[str, Any]) -> None:
        self._to.put_nowait({"type": "websocket.receive", "text": json.dumps(message)})

    async def words(self) -> str:
        """Return what is said until it is said to be all, or the session ends."""
        words = ""
        while True:
            message = await self._told()
            if message is None:
                return words
            words += message.get("token", "")
            if message.get("last"):
                return str(words)

    async def first_word(self) -> str:
        """Return the first of what is said."""
        while (message := await self._told()) is not None:
            if message.get("token", "").strip() or message.get("last"):
                return str(message.get("token", ""))
        return ""

    async def quiet(self) -> None:
        """Let the other side take what was sent, and pass over what it was about to say."""
        while not self._to.empty():
            await asyncio.sleep(0)
        for _ in range(_ROUNDS):
            await asyncio.sleep(0)
        while not self._from.empty():
            self._read(self._from.get_nowait())

    async def end(self) -> str:
        """Return why the session ends."""
        while self.is_open and await self._told() is not None:
            pass
        await self.close()
        return self._reason or ""

    async def close(self) -> None:
        """Hang up."""
        self.is_open = False
        self._to.put_nowait({"type": "websocket.disconnect", "code": 1000})
        if self._task is not None:
            await asyncio.wait({self._task}, timeout=ANSWERED_WITHIN_S)

    def drop(self) -> None:
        """Leave a process alone that is dead."""
        self.is_open = False

    async def _told(self) -> dict[str, Any] | None:
        """Return the next message; None once the session has ended."""
        while True:
            message = self._read(await self._next())
            if message is None or message.get("type") == "text":
                return message

    def _read(self, message: _Message) -> dict[str, Any] | None:
        if message["type"] == "websocket.close":
            self.is_open = False
            return None
        content: dict[str, Any] = json.loads(message.get("text") or "{}")
        if content.get("type") == "end":
            self._reason = content.get("handoffData", "")
            return None
        return content

    async def _next(self) -> _Message:
        assert self._task is not None
        getting = asyncio.ensure_future(self._from.get())
        await asyncio.wait({getting, self._task}, timeout=ANSWERED_WITHIN_S, return_when=asyncio.FIRST_COMPLETED)
        if getting.done():
            return getting.result()
        getting.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await getting
        raise UnansweredCaller("nothing is said any more")


_ROUNDS = 200
"""So often the others get their turn until whoever was interrupted has fallen silent."""
