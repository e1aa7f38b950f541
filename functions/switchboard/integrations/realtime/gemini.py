"""Gemini Live: ephemeral tokens that lock a session to its model, instructions and tools."""

from collections.abc import Sequence
from dataclasses import field
from datetime import datetime, timedelta
from typing import Final
from urllib.parse import urlsplit

from switchboard.contract.error import ErrorType
from switchboard.contract.json import JsonObject
from switchboard.contract.python.dataclass import dataclass
from switchboard.integrations.http_session import HttpSession
from switchboard.integrations.realtime.failures import LONGEST_ANSWER, OPEN_S, failures_of
from switchboard.integrations.vendor_http import VendorHttp

NAME = "gemini"
_FAILURES = failures_of(NAME)
_SESSION = timedelta(minutes=30)
# The page connects at once; later only a session that it has opened may be resumed.
_OPENS = timedelta(minutes=1)
_SOCKET: Final = "/ws/google.ai.generativelanguage.v1alpha.GenerativeService.BidiGenerateContentConstrained"


@dataclass(frozen=True, slots=True)
class GeminiLive:
    """Opens sessions of one model of the Developer API; its Vertex counterpart makes no such tokens.

    Attributes:
        http: Sends the requests.
        api_key: Stays here.
        model: Such as `gemini-2.5-flash-native-audio-preview-12-2025`.
        base_url: Such as `https://generativelanguage.googleapis.com`, without a version or a slash at the end.
        voice: One of the prebuilt voices.
    """

    http: HttpSession
    api_key: str = field(repr=False)
    model: str = "gemini-2.5-flash-native-audio-preview-12-2025"
    base_url: str = "https://generativelanguage.googleapis.com"
    voice: str = "Kore"

    @property
    def origins(self) -> tuple[str, ...]:
        """Where browsers open their socket."""
        return (self._socket_origin,)

    @property
    def _socket_origin(self) -> str:
        parts = urlsplit(self.base_url)
        return f"{'ws' if parts.scheme == 'http' else 'wss'}://{parts.netloc}"

    async def open(self, instructions: str, tools: Sequence[JsonObject], language: str, now: datetime) -> JsonObject:
        """Return `{token, expiresAt, model, url, setup}`; `setup` is the first message that the browser sends.

        `sessionResumption` may be added to it: it is the one field that a browser has to choose anew.

        Raises:
            ToolError: Google does not answer, or refuses.
        """
        setup = self.setup(instructions, tools, language)
        expires_at = now + _SESSION
        body = {
            "uses": 1,
            "expireTime": expires_at.isoformat(),
            "newSessionExpireTime": (now + _OPENS).isoformat(),
            "bidiGenerateContentSetup": setup,
            "fieldMask": ",".join(_masks(setup)),
        }
        # In a header: what stands in an address ends up in logs.
        headers = {"x-goog-api-key": self.api_key}
        vendor = VendorHttp(self.http, _FAILURES, headers=headers, most_bytes=LONGEST_ANSWER)
        # At worst there is one more token that nobody holds.
        answer = await vendor.document(
            "POST", f"{self.base_url}/v1alpha/auth_tokens", timeout_s=OPEN_S, body=body, is_write=False
        )
        name = answer.get("name")
        if not isinstance(name, str) or not name:
            raise _FAILURES.failure(ErrorType.PERMANENT, "an answer without a name")
        return {
            "token": name,
            "expiresAt": int(expires_at.timestamp()),
            "model": self.model,
            # Browsers cannot send headers with a socket; what they can is add the token to this address.
            "url": f"{self._socket_origin}{_SOCKET}",
            "setup": setup,
        }

    def setup(self, instructions: str, tools: Sequence[JsonObject], language: str) -> JsonObject:
        """Return what the session is locked to."""
        setup: JsonObject = {
            "model": f"models/{self.model}",
            "generationConfig": {
                "responseModalities": ["AUDIO"],
                "speechConfig": {"voiceConfig": {"prebuiltVoiceConfig": {"voiceName": self.voice}}},
            },
            "systemInstruction": {"parts": [{"text": f"{instructions}\n\nThe caller's language is {language}."}]},
            "inputAudioTranscription": {},
            "outputAudioTranscription": {},
        }
        # An empty list of tools would lock nothing, and leave the browser free to bring its own.
        return setup | {"tools": list(tools) or [{"functionDeclarations": []}]}


def _masks(setup: JsonObject) -> list[str]:
    """Return the paths of what is locked, in the vendor's spelling: fields of fields, and whole what has none."""
    masks = []
    for name, value in setup.items():
        inner = list(value) if isinstance(value, dict) else []
        masks += [f"{name}.{key}" for key in inner] or [name]
    return masks
