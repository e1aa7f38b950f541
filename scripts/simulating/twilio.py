"""Twilio's side of a phone call: signed webhooks, the TwiML that answers them, and what the call does with it."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import aiohttp
from twilio.request_validator import RequestValidator

from command_line import Problem
from switchboard.app.evaluation import twiml
from switchboard.app.evaluation.twiml import PARAMETER, Twiml

__all__ = ["PARAMETER", "Parties", "Twiml", "Webhooks", "read_twiml"]


@dataclass(frozen=True)
class Parties:
    """Who calls whom, and how it is signed; `attestation` is the carrier's verdict on the caller's number."""

    caller: str
    called: str
    token: str
    attestation: str | None
    account: str = "AC" + "0" * 32


def read_twiml(text: str) -> Twiml:
    """Return what a document does.

    Raises:
        Problem: It is no TwiML.
    """
    try:
        return twiml.read_twiml(text)
    except ValueError as error:
        raise Problem(f"{error}.") from None


class Webhooks:
    """Sends the webhooks of one phone call, as Twilio does: to the server, signed over its public address.

    Args:
        session: Sends them.
        url: Where the server really is.
        public_url: Where Twilio would call it.
        parties: Who calls whom.
        tell: Is given each document.
    """

    def __init__(
        self, session: aiohttp.ClientSession, url: str, public_url: str, parties: Parties, tell: Callable[[str], object]
    ) -> None:
        self._session, self._url, self._public_url = session, url, public_url
        self.parties, self._tell = parties, tell
        self.call_sid = f"CA{uuid.uuid4().hex}"
        self._validator = RequestValidator(parties.token)

    async def ask(self, address: str, **more: str) -> Twiml:
        """Return what the server answers; `address` is a path or a public address.

        Raises:
            Problem: It does not answer, or not with TwiML.
        """
        path = address.removeprefix(self._public_url)
        fields = {
            "CallSid": self.call_sid,
            "AccountSid": self.parties.account,
            "From": self.parties.caller,
            "To": self.parties.called,
            "Caller": self.parties.caller,
            "Called": self.parties.called,
            "Direction": "inbound",
            "CallStatus": "in-progress",
            "ApiVersion": "2010-04-01",
        } | more
        if self.parties.attestation:
            fields["StirVerstat"] = self.parties.attestation
        headers = {
            "X-Twilio-Signature": self._validator.compute_signature(f"{self._public_url}{path}", fields),
            "I-Twilio-Idempotency-Token": str(uuid.uuid4()),
        }
        try:
            async with self._session.post(self._url + path, data=fields, headers=headers, allow_redirects=False) as got:
                text = await got.text()
        except (TimeoutError, aiohttp.ClientError) as error:
            raise Problem(
                f"{self._url} does not answer ({error or type(error).__name__}); start scripts/run."
            ) from None
        if got.status == 403:
            raise Problem(
                f"{path} is refused: the token, the called number {self.parties.called} or the server's "
                f"SWITCHBOARD_PUBLIC_URL is another one; see --token, --to and --public-url."
            )
        if got.status != 200:
            raise Problem(f"{path} is answered with {got.status}: {text[:200]}")
        self._tell(text)
        return read_twiml(text)

    async def message(self, words: str) -> None:
        """Send a text message from the caller to the called number.

        Raises:
            Problem: It is not taken.
        """
        await self.ask("/phone/text", MessageSid=f"SM{uuid.uuid4().hex}", Body=words, NumMedia="0")

    def handshake(self, relay_url: str) -> dict[str, Any]:
        """Return the headers of a signed WebSocket handshake."""
        return {"X-Twilio-Signature": self._validator.compute_signature(relay_url, {})}
