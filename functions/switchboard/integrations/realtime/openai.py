"""OpenAI Realtime: client secrets for browsers.

A secret does not lock what it was made with: the browser may change its session. So tools run on our side only, each
call authenticated and checked like any other.
"""

from collections.abc import Sequence
from dataclasses import field
from datetime import datetime
from urllib.parse import urlsplit

from switchboard.contract.business.languages import language_of
from switchboard.contract.error import ErrorType
from switchboard.contract.json import JsonObject
from switchboard.contract.python.dataclass import dataclass
from switchboard.integrations.http_session import HttpSession
from switchboard.integrations.realtime.failures import LONGEST_ANSWER, OPEN_S, failures_of
from switchboard.integrations.vendor_http import VendorHttp

NAME = "openai"
_FAILURES = failures_of(NAME)
# The page connects at once; whoever finds the secret later must find it expired.
SECRET_S = 60


@dataclass(frozen=True, slots=True)
class OpenAIRealtime:
    """Opens sessions of one model.

    Attributes:
        http: Sends the requests.
        api_key: Stays here.
        model: Such as `gpt-realtime-2.1`.
        base_url: Such as `https://api.openai.com/v1`, without a slash at the end.
        voice: One of the model's voices.
        transcription: The model that writes down what the caller says; confirmations are read from it.
    """

    http: HttpSession
    api_key: str = field(repr=False)
    model: str = "gpt-realtime-2.1"
    base_url: str = "https://api.openai.com/v1"
    voice: str = "marin"
    transcription: str = "gpt-4o-mini-transcribe"

    @property
    def origins(self) -> tuple[str, ...]:
        """Where browsers post their offer; the rest is WebRTC, which no policy of the page is asked about."""
        parts = urlsplit(self.base_url)
        return (f"{parts.scheme}://{parts.netloc}",)

    async def open(self, instructions: str, tools: Sequence[JsonObject], language: str, now: datetime) -> JsonObject:
        """Return `{clientSecret, expiresAt, model, url}`; `expiresAt` is seconds since 1970, `url` takes the offer.

        Raises:
            ToolError: OpenAI does not answer, or refuses.
        """
        body = {
            "expires_after": {"anchor": "created_at", "seconds": SECRET_S},
            "session": self.session(instructions, tools, language),
        }
        headers = {"Authorization": f"Bearer {self.api_key}"}
        vendor = VendorHttp(self.http, _FAILURES, headers=headers, most_bytes=LONGEST_ANSWER)
        # At worst there is one more key that nobody holds.
        answer = await vendor.document(
            "POST", f"{self.base_url}/realtime/client_secrets", timeout_s=OPEN_S, body=body, is_write=False
        )
        value, expires_at = answer.get("value"), answer.get("expires_at")
        if not isinstance(value, str) or not value or not isinstance(expires_at, int):
            raise _FAILURES.failure(ErrorType.PERMANENT, "an answer without value or expires_at")
        return {
            "clientSecret": value,
            "expiresAt": expires_at,
            "model": self.model,
            "url": f"{self.base_url}/realtime/calls",
        }

    def session(self, instructions: str, tools: Sequence[JsonObject], language: str) -> JsonObject:
        """Return the session that the secret opens."""
        return {
            "type": "realtime",
            "model": self.model,
            "instructions": instructions,
            "output_modalities": ["audio"],
            "tools": list(tools),
            "tool_choice": "auto",
            "audio": {
                "input": {
                    "transcription": {"model": self.transcription, "language": language_of(language)},
                    "noise_reduction": {"type": "near_field"},
                    "turn_detection": {"type": "server_vad", "create_response": True, "interrupt_response": True},
                },
                "output": {"voice": self.voice},
            },
        }
