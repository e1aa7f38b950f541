"""The page: one document, one style sheet and a few scripts, served as they stand in `page/`.

It asks nobody but us for anything (`streams.py` says where), unless the deployment has live speech models: then their
vendors too, by name. It runs no inline script and takes no text for HTML; its policy makes browsers hold it to that.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from switchboard.channels.browser_voice.ports import VoiceVendor
from switchboard.channels.http.page import SAME_SERVER, Streams

_FOLDER: Final = Path(__file__).with_name("page")
_DOCUMENT: Final = "browser_voice.html"
_TYPES: Final = {".html": "text/html", ".css": "text/css", ".js": "text/javascript"}
_HEADERS: Final = {
    "X-Content-Type-Options": "nosniff",
    # The address of the page may hold a link that lets somebody in.
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
# Scripts import each other by plain names, which hold no version.
_ASSET_HEADERS: Final = {"Cache-Control": "no-cache", **_HEADERS}
_DOCUMENT_HEADERS: Final = {
    "Cache-Control": "no-cache",
    "Permissions-Policy": "microphone=(self), camera=(), geolocation=()",
    **_HEADERS,
}


@dataclass(frozen=True, slots=True)
class _VoiceAsset:
    body: bytes
    type: str
    tag: str


class VoicePageFiles:
    """Serves the page."""

    def __init__(self, vendors: Mapping[str, VoiceVendor], streams: Streams = SAME_SERVER) -> None:
        """Read the files; there are few, and they are small."""
        assets = {path.name: _read(path) for path in sorted(_FOLDER.iterdir()) if path.suffix in _TYPES}
        document = streams.told(assets.pop(_DOCUMENT).body.decode())
        self._document = document.replace("{{providers}}", " ".join(["browser", *vendors]))
        self._assets = assets
        self._policy = policy([*streams.origins, *(origin for vendor in vendors.values() for origin in vendor.origins)])

    async def document(self, request: Request) -> Response:
        """Answer `GET /browser_voice/`."""
        # A function is reached with and without a slash at the end, and under more than one name.
        path = request.url.path
        base = "" if path.endswith("/") else f"{path.rpartition('/')[2]}/"
        text = self._document
        for name in self._assets:
            text = text.replace(f'"page/{name}"', f'"{base}page/{name}"')
        return Response(
            text, headers={"Content-Security-Policy": self._policy, **_DOCUMENT_HEADERS}, media_type="text/html"
        )

    async def asset(self, request: Request) -> Response:
        """Answer `GET /browser_voice/page/<name>`."""
        found = self._assets.get(request.path_params["name"])
        if found is None:
            raise HTTPException(404)
        headers = {"ETag": found.tag, **_ASSET_HEADERS}
        if request.headers.get("if-none-match") == found.tag:
            return Response(status_code=304, headers=headers)
        return Response(found.body, headers=headers, media_type=found.type)


def policy(origins: list[str]) -> str:
    """Return the content security policy of a page that talks to us and to these origins."""
    connect = " ".join(dict.fromkeys(["'self'", *origins]))
    return (
        f"default-src 'none'; script-src 'self'; style-src 'self'; connect-src {connect}; img-src 'self'; "
        "media-src 'self' blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
        "require-trusted-types-for 'script'; trusted-types 'none'"
    )


def _read(path: Path) -> _VoiceAsset:
    body = path.read_bytes()
    return _VoiceAsset(body, _TYPES[path.suffix], f'"{hashlib.sha256(body).hexdigest()[:16]}"')
