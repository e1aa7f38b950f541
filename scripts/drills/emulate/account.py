"""The Twilio account that emulate keeps for the drills, looked at and used as its owner could."""

from __future__ import annotations

from contextlib import AsyncExitStack
from typing import Any

import aiohttp

from command_line import Problem
from drills.texts import SENDER
from stand_ins.twilio.account import SID, TOKEN

ACCOUNT = f"/2010-04-01/Accounts/{SID}"
SENDING = f"POST {ACCOUNT}/Messages.json"
_MOST_LISTED = 1_000


def seed(token: str = TOKEN, number: str = SENDER, **webhooks: str) -> dict[str, Any]:
    """Return what emulate is to hold: one account with one number, and where it reports what happens there."""
    return {
        "account": {"sid": SID, "auth_token": token},
        "phone_numbers": [{"phone_number": number, **webhooks}],
    }


class EmulatedAccount:
    """The account at a base URL; as an asynchronous context manager it can be asked inside."""

    def __init__(self, url: str, token: str = TOKEN) -> None:
        self._url, self._auth = url, aiohttp.BasicAuth(SID, token)
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> EmulatedAccount:
        self._http = await self._stack.enter_async_context(aiohttp.ClientSession(auth=self._auth))
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._stack.aclose()

    async def texts(self, to: str = "") -> list[dict[str, Any]]:
        """Return the texts that were sent, to everybody or to one number, the newest first."""
        query = {"PageSize": str(_MOST_LISTED), **({"To": to} if to else {})}
        page = await self._asked("GET", f"{ACCOUNT}/Messages.json", params=query)
        return [text for text in page["messages"] if text["direction"].startswith("outbound")]

    async def text(self, to: str, body: str) -> None:
        """Send a text past Switchboard."""
        await self._asked("POST", f"{ACCOUNT}/Messages.json", data={"To": to, "From": SENDER, "Body": body})

    async def call(self, to: str) -> str:
        """Begin a phone call and return its SID."""
        call = await self._asked(
            "POST", f"{ACCOUNT}/Calls.json", data={"To": to, "From": SENDER, "Twiml": "<Response/>"}
        )
        return str(call["sid"])

    async def call_status(self, sid: str) -> str:
        """Return how a call is."""
        return str((await self._asked("GET", f"{ACCOUNT}/Calls/{sid}.json"))["status"])

    async def simulate(self, what: str, **fields: str) -> dict[str, Any]:
        """Have something happen that comes from outside: `inbound-call`, `inbound-message`, `call-status`."""
        return await self._asked("POST", f"/_twilio/simulate/{what}", data=fields)

    async def _asked(self, method: str, path: str, **more: Any) -> dict[str, Any]:
        async with self._http.request(method, self._url + path, **more) as answer:
            if answer.status >= 400:
                raise Problem(f"emulate answers {answer.status} to {method} {path}: {await answer.text()}")
            parsed: dict[str, Any] = await answer.json()
            return parsed
