"""The channels on which a drill has a model make calls, each over its real address, and what comes back."""

from __future__ import annotations

import abc
import json
import uuid
from datetime import timedelta
from typing import Any

import aiohttp

from drills.injection_goals import ANNA
from drills.own_house import KEY, SALON, SALON_NUMBER, OwnHouse
from simulating.twilio import PARAMETER, Parties, Twiml, Webhooks
from stand_ins.twilio.account import SID, TOKEN
from switchboard.app.evaluation.obedient import order
from switchboard.conversation.speech.playhead import FASTEST_CHARACTERS_PER_S

_YES = "Yes, please go ahead."
_ASKED = "CONFIRMATION_REQUIRED"
_BEARER = {"Authorization": f"Bearer {KEY}"}
_WITHIN_S = 60


class Line(abc.ABC):
    """One conversation, by the number that it shows if it shows one."""

    def __init__(self, own: OwnHouse, http: aiohttp.ClientSession, model: Any, verdict: str | None = None) -> None:
        self.own, self.http, self.model, self.verdict = own, http, model, verdict
        self.session = f"identity-{uuid.uuid4().hex}"
        self.turn = 0

    async def begin(self) -> None:  # noqa: B027
        """Come in."""

    async def end(self) -> None:  # noqa: B027
        """Leave."""

    @abc.abstractmethod
    async def ask(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Return the envelope of a call."""

    @abc.abstractmethod
    async def agreed(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Return the envelope of a call to which the caller says yes where asked."""


class Executed(Line):
    """Calls that a service has executed, which tells what the phone network told it."""

    async def ask(self, tool: str, **arguments: Any) -> dict[str, Any]:
        self.turn += 1
        body = {"businessId": SALON, "name": tool, "args": arguments, "context": self._context()}
        return await self._post("/tools/execute", body)

    async def agreed(self, tool: str, **arguments: Any) -> dict[str, Any]:
        first = await self.ask(tool, **arguments)
        if (first.get("error") or {}).get("type") != _ASKED:
            return first
        self.turn += 1
        hearing = {"heard": {"text": _YES}, "asked": first["meta"]["readBack"]}
        await self._post("/tools/heard", {"businessId": SALON, "context": self._context(), **hearing})
        # The call is made again in the turn of the yes.
        self.turn -= 1
        return await self.ask(tool, **arguments)

    def _context(self) -> dict[str, Any]:
        shown = {"callerPhone": ANNA, "attestation": self.verdict, "calledPhone": SALON_NUMBER}
        ids = {"sessionId": self.session, "callId": f"{self.session}-{self.turn}", "turn": self.turn}
        return {"channel": "phone", **ids, **shown}

    async def _post(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        async with self.http.post(f"{self.own.url}{path}", json=body, headers=_BEARER) as answer:
            return dict(await answer.json())


class Mcp(Executed):
    """Calls of an application that speaks the Model Context Protocol."""

    async def ask(self, tool: str, **arguments: Any) -> dict[str, Any]:
        self.turn += 1
        params = {"name": tool, "arguments": arguments, "_meta": {"switchboard/turn": self.turn}}
        body = {"jsonrpc": "2.0", "id": self.turn, "method": "tools/call", "params": params}
        headers = {
            **_BEARER,
            "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": "2025-06-18",
        }
        url = f"{self.own.url}/mcp/{SALON}?session={self.session}"
        async with self.http.post(url, json=body, headers=headers) as answer:
            parsed = await answer.json()
        result, text = parsed["result"], parsed["result"]["content"][0]["text"]
        if not result["isError"]:
            return {"ok": True, "data": result["structuredContent"]}
        meta = result.get("_meta", {}).get("switchboard/meta", {})
        return {"ok": False, "error": {"type": _kind(text)}, "meta": meta}

    def _context(self) -> dict[str, Any]:
        return {"channel": "portal", "sessionId": self.session, "turn": self.turn}


class _Spoken(Line):
    """A conversation that a model holds."""

    async def ask(self, tool: str, **arguments: Any) -> dict[str, Any]:
        return await self._answer(order(tool, **arguments))

    async def agreed(self, tool: str, **arguments: Any) -> dict[str, Any]:
        first = await self.ask(tool, **arguments)
        return await self._answer(_YES) if (first.get("error") or {}).get("type") == _ASKED else first

    async def _answer(self, text: str) -> dict[str, Any]:
        self.model.answer = None
        reply = await self._say(text)
        if self.model.answer is not None:
            return dict(self.model.answer)
        # The model is not asked again where the channel itself puts a question.
        kind = _ASKED if "Shall I" in reply or "Is that right" in reply else f"nothing: {reply[:200]}"
        return {"ok": False, "error": {"type": kind}}

    @abc.abstractmethod
    async def _say(self, text: str) -> str:
        """Return everything that is answered."""


class Chat(_Spoken):
    """A visitor of the portal."""

    path = "/portal/chat"

    async def begin(self) -> None:
        async with self.http.post(f"{self.own.url}/portal/session", json={"businessId": SALON}) as answer:
            begun = await answer.json()
        self._headers = {"Authorization": f"Bearer {begun['token']}"}

    async def _say(self, text: str) -> str:
        for _ in range(3):
            body = {"text": text}
            async with self.http.post(f"{self.own.url}{self.path}", json=body, headers=self._headers) as answer:
                told = await answer.text()
                if answer.status != 429:
                    return told
            self.own.clock.ahead += timedelta(seconds=60)
        return told


class Voice(Chat):
    """A visitor who talks to the page."""

    path = "/browser_voice/turn"


class Phone(_Spoken):
    """A phone call over Twilio, in turns or over the relay."""

    def __init__(self, *given: Any, is_relay: bool) -> None:
        super().__init__(*given)
        parties = Parties(ANNA, SALON_NUMBER, TOKEN, self.verdict, SID)
        self._told: list[str] = []
        self._webhooks = Webhooks(self.http, self.own.url, self.own.url, parties, self._told.append)
        self._is_relay, self._asked_for = is_relay, timedelta()
        self._socket: aiohttp.ClientWebSocketResponse | None = None

    async def begin(self) -> None:
        self._at: Twiml = await self._webhooks.ask("/phone/incoming")
        if not self._is_relay:
            return
        url = self._at.relay["url"]
        self._socket = await self.http.ws_connect(url, headers=self._webhooks.handshake(url), max_msg_size=1 << 20)
        custom = {k.removeprefix(PARAMETER): v for k, v in self._at.relay.items() if k.startswith(PARAMETER)}
        ids = {"callSid": self._webhooks.call_sid, "sessionId": f"VX{uuid.uuid4().hex}"}
        await self._socket.send_json(
            {"type": "setup", "from": ANNA, "to": SALON_NUMBER, "customParameters": custom, **ids}
        )

    async def end(self) -> None:
        if self._socket is not None:
            await self._socket.close()
        await self._webhooks.ask("/phone/status", CallStatus="completed")

    async def _say(self, text: str) -> str:
        if self._socket is None:
            return await self._gathered(text)
        # Nobody answers what cannot have been heard.
        self.own.clock.ahead += self._asked_for
        self._asked_for = timedelta()
        await self._socket.send_json({"type": "prompt", "voicePrompt": text, "lang": "en-US", "last": True})
        words = ""
        while True:
            message = await self._socket.receive_json(timeout=_WITHIN_S)
            if message.get("type") == "text":
                words += message["token"]
                if message.get("last"):
                    self._asked_for = timedelta(seconds=len(words) / FASTEST_CHARACTERS_PER_S)
                    return words

    async def _gathered(self, text: str) -> str:
        self._told.clear()
        self._at = await self._webhooks.ask(self._at.gather, SpeechResult=text, Confidence="0.9")
        while self._at.redirect and not self._at.gather:
            self._at = await self._webhooks.ask(self._at.redirect)
        return "".join(self._told)


def _kind(text: str) -> str:
    """Return the type of an error that a model reads."""
    return str(json.loads(text)["type"])
