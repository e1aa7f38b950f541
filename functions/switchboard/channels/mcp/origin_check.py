"""By which names this server is called, and from which web pages: a page must not reach it by a name of its own.

A browser can be led to a server on its own machine by a name that its owner controls (DNS rebinding); `Host` still
says that name, and `Origin` whose page it was. The protocol asks every server to look at both.
"""

from dataclasses import dataclass
from urllib.parse import urlsplit

_LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})


@dataclass(frozen=True, slots=True)
class OriginCheck:
    """What `Host` and `Origin` may say.

    Attributes:
        host: Of the public address, with its port where that is not the usual one; empty where nobody said.
        origin: Of the public address.
        is_anywhere: Whether any host will do, because requests are routed here by the names that this deployment has.
    """

    host: str = ""
    origin: str = ""
    is_anywhere: bool = False

    @classmethod
    def of(cls, public_url: str | None, *, is_local: bool) -> "OriginCheck":
        """Return the doors of a deployment: its public address, and on one's own machine the machine itself."""
        parts = urlsplit(public_url or "")
        return cls(parts.netloc.lower(), f"{parts.scheme}://{parts.netloc}".lower(), not is_local and not public_url)

    def problem(self, host: str | None, origin: str | None) -> tuple[int, str] | None:
        """Return the status and the reason for which a request is not let in by these headers; None where it is."""
        name = (host or "").strip().lower()
        is_loopback = _hostname(f"//{name}") in _LOOPBACK
        if not (is_loopback or self.is_anywhere or (self.host and name == self.host)):
            return 421, "This server is not reached by that host name; use the address that it was given to you by."
        if origin is None:
            return None
        page = origin.strip().lower()
        is_own = bool(self.host) and page == self.origin
        if is_own or (is_loopback and _hostname(page) in _LOOPBACK):
            return None
        return 403, "Web pages of that origin may not use this server."


def _hostname(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""
