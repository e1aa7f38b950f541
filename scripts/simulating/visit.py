"""A visitor of a business's page: what the portal's chat, or the page that listens and speaks, sends and gets."""

from __future__ import annotations

import asyncio
import json
import time
import uuid
from typing import Any

import aiohttp

from command_line import Problem
from simulating.screen import Screen
from simulating.twilio import Twiml

PAGES = {"portal": "/portal/chat", "browser_voice": "/browser_voice/turn"}
"""Where what a visitor writes or says goes, by mode."""
_CHARACTERS_PER_S = 15.0


class PageVisit:
    """Holds a conversation as a visitor whom nobody knows, in writing or by the browser's own speech.

    Args:
        session: Sends requests.
        url: Where the server is.
        business_id: Whose page it is.
        mode: One of `PAGES`.
        screen: Is shown what is said.
    """

    def __init__(self, session: aiohttp.ClientSession, url: str, business_id: str, mode: str, screen: Screen) -> None:
        self._session, self._url, self._business_id, self._mode = session, url, business_id, mode
        self._screen = screen
        self._token, self._turn = "", 0
        self.heard = ""

    async def begin(self, twiml: Twiml) -> Twiml | None:
        """Open the page, which greets; there is no TwiML that leads to it."""
        visit = await self._ask("/portal/session", businessId=self._business_id)
        self._token = str(visit["token"])
        self.heard = str(visit["business"].get("greeting") or "")
        if self._mode == "browser_voice":
            opened = await self._ask("/browser_voice/session")
            self.heard = str(opened.get("greeting") or self.heard)
        self._screen.agent(self.heard)
        return None

    async def say(self, text: str, until_s: float | None = None) -> Twiml | None:
        """Send it and read the answer as it comes."""
        began, words = time.monotonic(), list[str]()
        first: float | None = None
        body = {"text": text, "messageId": uuid.uuid4().hex}
        outcome = ""
        for event, data in await self._events(PAGES[self._mode], body):
            if event == "text" and not data.get("filler"):
                first = first or time.monotonic()
                words.append(str(data["text"]))
            elif event in ("turn", "done"):
                self._turn = int(data.get("turn") or self._turn)
                outcome = str(data.get("outcome") or "")
        self.heard = "".join(words)
        if self.heard.strip():
            self._screen.agent(self.heard, (first or began) - began)
        if until_s is not None:
            await asyncio.sleep(until_s)
        return Twiml(hangs_up=True) if outcome == "ended" else None

    async def press(self, keys: str, until_s: float | None = None) -> Twiml | None:
        """Write the keys: a page has none."""
        return await self.say(keys, until_s)

    async def interrupt(self, text: str, after_s: float, until_s: float | None = None) -> Twiml | None:
        """Tell how much of the answer was heard, where it was spoken, and speak."""
        if self._mode == "browser_voice":
            heard = self.heard[: int(after_s * _CHARACTERS_PER_S)]
            await self._ask("/browser_voice/interrupt", turn=self._turn, heard=heard)
        return await self.say(text, until_s)

    async def wait(self, seconds: float) -> Twiml | None:
        """Leave the page open."""
        await asyncio.sleep(seconds)
        return None

    async def hang_up(self) -> None:
        """Close the page, which tells nobody."""

    async def _ask(self, path: str, **body: Any) -> dict[str, Any]:
        status, text = await self._post(path, body)
        return dict(json.loads(text)) if status == 200 else _refuse(path, status, text)

    async def _events(self, path: str, body: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
        status, text = await self._post(path, body, Accept="text/event-stream")
        if status != 200:
            _refuse(path, status, text)
        return [_event(block) for block in text.split("\n\n") if "data:" in block]

    async def _post(self, path: str, body: dict[str, Any], **headers: str) -> tuple[int, str]:
        if self._token:
            headers["Authorization"] = f"Bearer {self._token}"
        try:
            async with self._session.post(self._url + path, json=body, headers=headers) as answer:
                return answer.status, await answer.text()
        except (TimeoutError, aiohttp.ClientError) as error:
            raise Problem(
                f"{self._url} does not answer ({error or type(error).__name__}); start scripts/run."
            ) from None


def _event(block: str) -> tuple[str, dict[str, Any]]:
    fields = dict(line.split(": ", 1) for line in block.splitlines() if ": " in line and not line.startswith(":"))
    return fields.get("event", ""), json.loads(fields["data"])


def _refuse(path: str, status: int, text: str) -> dict[str, Any]:
    try:
        reason = json.loads(text)["error"]["message"]
    except (ValueError, KeyError, TypeError):
        reason = text[:200]
    raise Problem(f"{path} is answered with {status}: {reason}")
