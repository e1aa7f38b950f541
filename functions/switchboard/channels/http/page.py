"""A page of ours: one document, one style sheet and some scripts, served as they stand in a folder.

A page asks nobody but us for anything, unless it is given other origins by name. It runs no inline script and takes no
text for HTML; its policy makes browsers hold it to that.
"""

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from switchboard.contract.python.dataclass import dataclass

_TYPES: Final = {".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
_HASH_DIGITS: Final = 16
_HEADERS: Final = {
    "X-Content-Type-Options": "nosniff",
    # The address of the page may hold a link that lets somebody in.
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
_FOREVER: Final = "public, max-age=31536000, immutable"


@dataclass(frozen=True, slots=True)
class Streams:
    """Where pages of one origin have their conversations; without any, every page has it where it comes from.

    Firebase Hosting collects an answer before it passes it on, and gives up on one that takes more than 60 seconds. A
    page that comes through it has its conversation with the Cloud Run service itself, which answers pages of that
    origin.

    Attributes:
        page_origin: The origin of the pages, such as `https://my-project.web.app`.
        url: The origin of the service that streams.
    """

    page_origin: str = ""
    url: str = ""

    @property
    def origins(self) -> list[str]:
        """The origins other than its own that a page may ask."""
        return [self.url] if self.url else []


SAME_SERVER = Streams()
"""Pages have their conversations where they come from."""


@dataclass(frozen=True, slots=True)
class _Asset:
    body: bytes
    type: str
    version: str


class WebPage:
    """Serves a page; its document is the one HTML file of its folder, and names its files as `page/<name>`."""

    def __init__(
        self,
        folder: Path,
        streams: Streams = SAME_SERVER,
        *,
        origins: Iterable[str] = (),
        values: Mapping[str, str] | None = None,
        uses_microphone: bool = False,
    ) -> None:
        """Read the files; there are few, and they are small.

        Args:
            folder: Where they are.
            streams: Where the page has its conversations.
            origins: Whom else it asks.
            values: What stands in the document's places, by their names: `{{name}}`.
            uses_microphone: Whether it listens and speaks.
        """
        self._assets = {path.name: _read(path) for path in sorted(folder.iterdir()) if path.suffix in _TYPES}
        [name] = [name for name in self._assets if name.endswith(".html")]
        self._document = self._assets.pop(name).body.decode()
        for place, value in {"streams": streams.url, "pageOrigin": streams.page_origin, **(values or {})}.items():
            self._document = self._document.replace(f"{{{{{place}}}}}", value)
        policy = _policy([*streams.origins, *origins], "media-src 'self' blob:; " if uses_microphone else "")
        self._headers = {"Cache-Control": "no-cache", "Content-Security-Policy": policy, **_HEADERS}
        if uses_microphone:
            self._headers["Permissions-Policy"] = "microphone=(self), camera=(), geolocation=()"

    def routes(self) -> list[Route]:
        """Return the routes of the document and of its files, below the address of the page."""
        return [
            Route("/", self._answer_document, methods=["GET"]),
            Route("/page/{name}", self._answer_asset, methods=["GET"]),
        ]

    async def _answer_document(self, request: Request) -> Response:
        # A function is reached with and without a slash at the end, and under more than one name.
        path = request.url.path
        base = "" if path.endswith("/") else f"{path.rpartition('/')[2]}/"
        document = self._document
        for name, asset in self._assets.items():
            document = document.replace(f'"page/{name}"', f'"{base}page/{name}?v={asset.version}"')
        return Response(document, headers=self._headers, media_type="text/html")

    async def _answer_asset(self, request: Request) -> Response:
        """Answer with a file; kept for good where the address holds the hash of what it leads to.

        Scripts import each other by plain names, which hold none: those are asked for again, and rarely sent again.
        """
        asset = self._assets.get(request.path_params["name"])
        if asset is None:
            raise HTTPException(404)
        is_current, tag = request.query_params.get("v") == asset.version, f'"{asset.version}"'
        headers = {"Cache-Control": _FOREVER if is_current else "no-cache", "ETag": tag, **_HEADERS}
        if request.headers.get("if-none-match") == tag:
            return Response(status_code=304, headers=headers)
        return Response(asset.body, headers=headers, media_type=asset.type)


def _policy(origins: Iterable[str], media: str) -> str:
    connect = " ".join(dict.fromkeys(["'self'", *origins]))
    return (
        f"default-src 'none'; script-src 'self'; style-src 'self'; connect-src {connect}; img-src 'self'; {media}"
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; "
        "trusted-types 'none'"
    )


def _read(path: Path) -> _Asset:
    body = path.read_bytes()
    return _Asset(body, _TYPES[path.suffix], hashlib.sha256(body).hexdigest()[:_HASH_DIGITS])
