"""What browser voice asks of the outside world, as Protocols; `main.py` joins them."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from switchboard.contract.business.business import Business
from switchboard.contract.json import JsonObject


class VoiceVendor(Protocol):
    """A vendor whose speech model a browser talks to directly."""

    @property
    def origins(self) -> tuple[str, ...]:
        """Where browsers connect to, such as `wss://host`, for the page's content security policy."""

    async def open(self, instructions: str, tools: Sequence[JsonObject], language: str, now: datetime) -> JsonObject:
        """Return what a browser needs to open one session: a secret that soon expires, and never the vendor's key.

        Args:
            instructions: The system prompt.
            tools: Declarations in the vendor's own dialect, as they stand under `tools`.
            language: The caller's, such as `en` or `de-AT`.
            now: For vendors that want to be told when things expire.

        Raises:
            ToolError: The vendor does not answer, or refuses.
        """


class VoiceKey(Protocol):
    """What signs Twilio access tokens for one business: an API key's sid and secret, account and TwiML app."""

    @property
    def account_sid(self) -> str:
        """The account, `AC…`."""

    @property
    def api_key_sid(self) -> str:
        """The API key, `SK…`."""

    @property
    def api_key_secret(self) -> str:
        """What it signs with."""

    @property
    def application_sid(self) -> str:
        """The TwiML app that answers calls from browsers, `AP…`."""


class VoiceKeys(Protocol):
    """The keys with which businesses let browsers dial in."""

    async def of(self, business: Business) -> VoiceKey | None:
        """Return a business's key, or None where it has none.

        Raises:
            ToolError: AUTH, what it has cannot be used.
        """
