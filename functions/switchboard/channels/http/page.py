"""Where the pages stream from: the server that they come from, or one that passes on each piece as it is written.

Firebase Hosting collects an answer before it passes it on, and gives up on one that takes more than 60 seconds. A page
that comes through it has its conversation with the Cloud Run service itself, which answers pages of that origin.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Streams:
    """Where pages of one origin have their conversations; without any, every page has it where it comes from.

    Attributes:
        page_origin: The origin of the pages, such as `https://my-project.web.app`.
        url: The origin of the service that streams.
    """

    page_origin: str = ""
    url: str = ""

    def told(self, document: str) -> str:
        """Return a page's document with both in the places that it has for them."""
        return document.replace("{{streams}}", self.url).replace("{{pageOrigin}}", self.page_origin)

    @property
    def origins(self) -> list[str]:
        """The origins other than its own that a page may ask."""
        return [self.url] if self.url else []


SAME_SERVER = Streams()
"""Pages have their conversations where they come from."""
