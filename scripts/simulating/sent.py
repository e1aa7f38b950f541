"""What was sent during a call: the page on which the stand-ins of scripts/run show texts, e-mails and phone calls."""

from __future__ import annotations

import asyncio
import html
import re
import time

import aiohttp

from command_line import Problem

CODE = "{code}"
"""In what is said: the six digits that were texted last."""
_WITHIN_S, _AGAIN_S = 15.0, 0.2
_TAG = re.compile(r"<(?:style|title).*?</(?:style|title)>|<[^>]+>", re.S)
_DIGITS = re.compile(r"(?<!\d)\d{6}(?!\d)")


class SentPage:
    """Reads the page.

    Args:
        session: Asks for it.
        url: Where it is.
    """

    def __init__(self, session: aiohttp.ClientSession, url: str) -> None:
        self._session, self._url = session, url

    async def shows(self, text: str) -> bool:
        """Tell whether something that was sent has this in it; what is on its way is waited for."""
        wanted, deadline = _plain(text), time.monotonic() + _WITHIN_S
        while wanted not in _plain(await self._read()):
            if time.monotonic() > deadline:
                return False
            await asyncio.sleep(_AGAIN_S)
        return True

    async def filled(self, text: str) -> str:
        """Return what is said, with the code that was texted last in its place.

        Raises:
            Problem: There is a place for one, and none was texted.
        """
        if CODE not in text:
            return text
        deadline = time.monotonic() + _WITHIN_S
        while not (found := _DIGITS.search(await self._read())):
            if time.monotonic() > deadline:
                raise Problem(f"no code was texted: {self._url} shows none.")
            await asyncio.sleep(_AGAIN_S)
        return text.replace(CODE, found[0])

    async def _read(self) -> str:
        try:
            async with self._session.get(self._url) as answer:
                return html.unescape(_TAG.sub(" ", await answer.text()))
        except (TimeoutError, aiohttp.ClientError) as error:
            raise Problem(
                f"{self._url} does not show what was sent ({error or type(error).__name__}); see --stand-ins."
            ) from None


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()
