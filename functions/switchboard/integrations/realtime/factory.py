"""Which live speech models browsers may talk to: `openai:<model>` and `gemini:<model>`, one of each at most."""

from dataclasses import field
from typing import TypeAlias

from switchboard.contract.python.dataclass import dataclass
from switchboard.integrations.http_session import HttpSession
from switchboard.integrations.realtime.gemini import GeminiLive
from switchboard.integrations.realtime.openai import OpenAIRealtime

Voice: TypeAlias = OpenAIRealtime | GeminiLive


class NoSuchVoice(ValueError):
    """The choice cannot be made; the text says what would work."""


@dataclass(frozen=True, slots=True)
class VoiceEndpoints:
    """Where the vendors are asked, and with which keys: OpenAI's address with its version, Gemini's without."""

    openai_url: str
    openai_key: str = field(repr=False)
    gemini_url: str
    gemini_key: str = field(repr=False)


def open_voices(choice: str, http: HttpSession, endpoints: VoiceEndpoints) -> dict[str, Voice]:
    """Return the models that a comma-separated choice names, by vendor; none for an empty one.

    Raises:
        NoSuchVoice: A vendor is unknown or named twice, a model is missing, or there is no key for it.
    """
    voices: dict[str, Voice] = {}
    for part in filter(None, (part.strip() for part in choice.split(","))):
        vendor, _, model = part.partition(":")
        if vendor not in ("openai", "gemini") or not model:
            raise NoSuchVoice(f"{part!r} is no live speech model; write openai:<model> or gemini:<model>.")
        if vendor in voices:
            raise NoSuchVoice(f"{vendor} is named twice; browsers are given one model of each vendor.")
        key = endpoints.openai_key if vendor == "openai" else endpoints.gemini_key
        if not key:
            raise NoSuchVoice(f"{part} needs {vendor.upper()}_API_KEY.")
        if vendor == "openai":
            voices[vendor] = OpenAIRealtime(http, key, model, endpoints.openai_url.rstrip("/"))
        else:
            voices[vendor] = GeminiLive(http, key, model, endpoints.gemini_url.rstrip("/"))
    return voices
