"""The three ways a caller can reach a business."""

from enum import StrEnum


class Channel(StrEnum):
    """Where the conversation happens; the value is what stands in requests, definitions and logs."""

    PHONE = "phone"
    PORTAL = "portal"
    BROWSER_VOICE = "browser_voice"

    @property
    def is_spoken(self) -> bool:
        """Whether the caller listens rather than reads, so that time and length are heard."""
        return self is not Channel.PORTAL
