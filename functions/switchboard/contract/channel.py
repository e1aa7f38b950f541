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

    @property
    def behind_one_door(self) -> "tuple[Channel, ...]":
        """The channels that one credential opens: whoever takes over, or blocks, a conversation on one has it on all.

        A phone line is its own, also where a link leads from it to a browser.
        """
        return (self,) if self is Channel.PHONE else (Channel.PORTAL, Channel.BROWSER_VOICE)
