"""A page of the web, as it came, and who fetches it."""

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class WebPage:
    """What an address was answered with.

    Attributes:
        address: The address that was asked for, in its one usual spelling.
        last_address: Where the page was at last; the same where it was not sent on.
        content: The body.
        media: Its media type, in lower case; empty where the server does not say.
        charset: What the server says that its text is in; empty where it does not.
    """

    address: str
    last_address: str
    content: bytes
    media: str = ""
    charset: str = ""


class Pages(Protocol):
    """Fetches pages from addresses that owners typed: checked, bounded, also where they are sent on."""

    async def page(self, url: str) -> WebPage:
        """Return the page; raises ToolError with a sentence for whoever has typed the address."""
