"""The portal's page: one document, one style sheet, two scripts, served as they stand in `page/`.

The page asks nobody but us for anything (`streams.py` says where), runs no inline script and takes no text for HTML;
its policy makes browsers hold it to that.
"""

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from switchboard.channels.http.page import SAME_SERVER, Streams

_FOLDER: Final = Path(__file__).with_name("page")
_DOCUMENT: Final = "portal.html"
_TYPES: Final = {".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
_HASH_DIGITS: Final = 12
_HEADERS: Final = {
    "X-Content-Type-Options": "nosniff",
    # The address of the page may hold a link that lets somebody in.
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
_FOREVER: Final = "public, max-age=31536000, immutable"


@dataclass(frozen=True, slots=True)
class _PortalAsset:
    body: bytes
    type: str
    version: str


class PortalPageFiles:
    """Serves the page."""

    def __init__(self, streams: Streams = SAME_SERVER) -> None:
        """Read the files; there are few, and they are small."""
        self._assets = {path.name: _read(path) for path in sorted(_FOLDER.iterdir()) if path.suffix in _TYPES}
        self._document = streams.told(self._assets.pop(_DOCUMENT).body.decode())
        self._policy = _policy(streams.origins)

    async def document(self, request: Request) -> Response:
        """Answer `GET /portal/`."""
        # A function is reached with and without a slash at the end, and under more than one name.
        path = request.url.path
        base = "" if path.endswith("/") else f"{path.rpartition('/')[2]}/"
        text = self._document
        for name, asset in self._assets.items():
            text = text.replace(f'"{name}"', f'"{base}page/{name}?v={asset.version}"')
        headers = {"Cache-Control": "no-cache", "Content-Security-Policy": self._policy, **_HEADERS}
        return Response(text, headers=headers, media_type="text/html")

    async def asset(self, request: Request) -> Response:
        """Answer `GET /portal/page/<name>`; kept for good where the address holds the hash of what it leads to."""
        found = self._assets.get(request.path_params["name"])
        if found is None:
            raise HTTPException(404)
        is_current = request.query_params.get("v") == found.version
        headers = {"Cache-Control": _FOREVER if is_current else "no-cache", **_HEADERS}
        return Response(found.body, headers=headers, media_type=found.type)


def _policy(origins: list[str]) -> str:
    connect = " ".join(["'self'", *origins])
    return (
        f"default-src 'none'; script-src 'self'; style-src 'self'; connect-src {connect}; img-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; "
        "trusted-types 'none'"
    )


def _read(path: Path) -> _PortalAsset:
    body = path.read_bytes()
    return _PortalAsset(body, _TYPES[path.suffix], hashlib.sha256(body).hexdigest()[:_HASH_DIGITS])
