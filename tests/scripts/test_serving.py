"""The server that `scripts/run` and the cloud start: whose address a request counts for is no header's to say."""

import socket
from pathlib import Path

from running.serving import Serving

FUNCTIONS = Path(__file__).resolve().parents[2] / "functions"


async def _nothing(scope: object, receive: object, send: object) -> None:
    """An app that is never asked."""


def test_no_header_decides_whose_address_a_request_comes_from():
    """Uvicorn believes whoever connects from this machine; how many proxies stand in front is ours to say."""
    with socket.socket() as listener:
        server = Serving(_nothing, listener)
    assert server.config.proxy_headers is False
    assert "--no-proxy-headers" in (FUNCTIONS / "Procfile").read_text()
