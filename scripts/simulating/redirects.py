"""What a running call is told through Twilio's API, such as whom a person of the business has put through."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import aiohttp

from simulating.twilio import Parties, Twiml, read_twiml

_WITHIN = aiohttp.ClientTimeout(5)


class Redirects:
    """Lets the stand-in for Twilio's API know a call, so that the server can redirect it, and follows what it is told.

    Without the stand-in a call goes on all the same: then nobody takes it over.

    Args:
        session: Asks the stand-in.
        url: Where the stand-ins are.
    """

    def __init__(self, session: aiohttp.ClientSession, url: str) -> None:
        self._session, self._url = session, f"{url.rstrip('/')}/_stand_in/calls"
        self._sid = ""

    async def begin(self, sid: str, parties: Parties) -> None:
        """Tell of a call that is under way."""
        known = await self._ask("POST", "", {"sid": sid, "from": parties.caller, "to": parties.called})
        self._sid = sid if known else ""

    async def told(self) -> Twiml | None:
        """Return what the call was told to do since it was asked last, if anything."""
        answer = await self._ask("DELETE", f"/{self._sid}/told") if self._sid else None
        twiml = str((answer or {}).get("twiml") or "")
        return read_twiml(twiml) if twiml.startswith("<") else None

    async def end(self) -> None:
        """Tell that the call is over, and can be redirected no more."""
        if self._sid:
            await self._ask("DELETE", f"/{self._sid}")

    async def _ask(self, method: str, path: str, body: dict[str, str] | None = None) -> dict[str, Any] | None:
        with suppress(TimeoutError, aiohttp.ClientError, ValueError):
            async with self._session.request(method, self._url + path, json=body, timeout=_WITHIN) as answer:
                if answer.status < 300:
                    return dict(await answer.json())
        return None
