"""MCP servers with a tool of their own, and gateways in front of another: ours, the MCP SDK, FastMCP and two products.

Each is a program of its own on 127.0.0.1 that answers `tools/call` by POST. The products are set up as their manuals
say for a server with one upstream and one key, with their logs, pages and telemetry off.
"""

from __future__ import annotations

import json
import secrets
import sys
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks import loading
from benchmarks.load_client import Order
from benchmarks.load_peers import FASTMCP
from benchmarks.loading import SERVERS, Server
from benchmarks.peers import environment
from command_line import Problem
from running import listening

LITELLM = ("litellm[proxy]==1.108.7", "mcp==2.3.0")
CONTEXTFORGE = ("mcp-contextforge-gateway==1.0.7.post20260921",)
HEADERS = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-06-18"}
_LOOK_UP = {"customer_phone": "+4915112345678", "date": "%(session)s/%(turn)d", "limit": 3}
_MAIL = "admin@example.com"
_ASKED_WITHIN_S = 30.0


@dataclass(frozen=True)
class Gateway:
    """One that answers `tools/call`, while it runs.

    Attributes:
        name: For a table.
        server: The program.
        headers: Beside those that MCP wants.
        prefix: What it puts before the names of another server's tools.
        dash: What it writes for the underscores of these names.
        path: Where it is called.
        says_session: Whether a client may name the conversation, so that what is sent again is known.
    """

    name: str
    server: Server
    headers: Mapping[str, str] = field(default_factory=dict)
    prefix: str = ""
    dash: str = "_"
    path: str = "/mcp"
    says_session: bool = False

    def order(self, tool: str, connections: int, seconds: float, warm_s: float) -> Order:
        """Return the order for a load of look-ups."""
        body = json.dumps(self.call(tool, _LOOK_UP, 0)).replace('"id": 0', '"id": %(number)d')
        headers = {**HEADERS, **self.headers}
        at = (listening.HOST, self.server.port, self.path, body, connections, seconds)
        return Order(*at, "apt_1", headers=headers, warm_s=warm_s)

    def call(self, tool: str, arguments: Mapping[str, Any], number: int) -> dict[str, Any]:
        """Return the message that calls a tool."""
        name = self.prefix + tool.replace("_", self.dash)
        return {
            "jsonrpc": "2.0",
            "id": number,
            "method": "tools/call",
            "params": {"name": name, "arguments": arguments},
        }

    def deliver(self, message: Mapping[str, Any], session: str) -> str:
        """Send a message and return the answer as text.

        Raises:
            Problem: There is none.
        """
        named = {"Mcp-Session-Id": session} if self.says_session else {}
        return _asked(self.server.port, self.path, message, {**HEADERS, **self.headers, **named})


Start = Callable[[Path, str], AbstractContextManager[Gateway]]
"""Starts one: a folder of its own, and the address of the server it stands in front of; empty for a tool of its own."""


@contextmanager
def ours(folder: Path, upstream: str) -> Iterator[Gateway]:
    """Give Switchboard, as `scripts/run` serves it, with the store in memory."""
    added = {"LOAD_UPSTREAM": upstream} if upstream else {}
    with loading.server(loading.ours(), environment=added) as server:
        headers = {"Authorization": f"Bearer {loading.KEY}"}
        yield Gateway("ours, /mcp", server, headers, path="/mcp/business-000000", says_session=True)


@contextmanager
def mcp_sdk(folder: Path, upstream: str) -> Iterator[Gateway]:
    """Give a server of the MCP SDK, which has no gateway."""
    with loading.server((sys.executable, SERVERS / "peer.py", "mcp"), environment=_notes(folder)) as server:
        yield Gateway("MCP SDK", server)


@contextmanager
def fastmcp(folder: Path, upstream: str) -> Iterator[Gateway]:
    """Give a server of FastMCP, or its proxy.

    Raises:
        Problem: FastMCP cannot be had.
    """
    kind = ("fastmcp_proxy", upstream) if upstream else ("fastmcp",)
    command = (environment(*FASTMCP), SERVERS / "peer.py", *kind)
    with loading.server(command, environment=_notes(folder)) as server:
        yield Gateway("FastMCP's proxy" if upstream else "FastMCP", server)


@contextmanager
def litellm(folder: Path, upstream: str) -> Iterator[Gateway]:
    """Give LiteLLM's proxy with its master key.

    Raises:
        Problem: It cannot be had, or does not come up.
    """
    python, key = environment(*LITELLM), f"sk-{secrets.token_hex(16)}"
    settings = {
        "mcp_servers": {"load": {"url": upstream, "transport": "http"}},
        "general_settings": {"master_key": key},
    }
    config = folder / "litellm.json"
    config.write_text(json.dumps(settings))
    port = listening.require_free(0, "--port")
    command = (python.with_name("litellm"), "--config", config, "--host", listening.HOST, "--port", str(port))
    quiet = {"LITELLM_LOCAL_MODEL_COST_MAP": "True", "LITELLM_TELEMETRY": "False", "DISABLE_ADMIN_UI": "True"}
    with loading.server(command, port, {**quiet, "LITELLM_LOG": "ERROR"}) as server:
        yield Gateway("LiteLLM's MCP proxy", server, {"x-litellm-api-key": f"Bearer {key}"}, "load-", path="/mcp/")


@contextmanager
def contextforge(folder: Path, upstream: str) -> Iterator[Gateway]:
    """Give ContextForge over SQLite with its administrator's token.

    Raises:
        Problem: It cannot be had, or does not come up.
    """
    python, secret = environment(*CONTEXTFORGE), secrets.token_urlsafe(48)
    settings = {
        **dict.fromkeys(("JWT_SECRET_KEY", "AUTH_ENCRYPTION_SECRET"), secret),
        **dict.fromkeys(("BASIC_AUTH_PASSWORD", "PLATFORM_ADMIN_PASSWORD"), secret),
        **dict.fromkeys(("SSRF_ALLOW_LOCALHOST", "SSRF_ALLOW_PRIVATE_NETWORKS"), "true"),
        **dict.fromkeys(("PASSWORD_CHANGE_ENFORCEMENT_ENABLED", "MCPGATEWAY_UI_ENABLED"), "false"),
        # 100 requests a minute of one user, and nothing for a quarter of an hour, would be all that is measured.
        "RATE_LIMITING_ENABLED": "false",
        "PLATFORM_ADMIN_EMAIL": _MAIL,
        "DATABASE_URL": f"sqlite:///{folder / 'contextforge.db'}",
        "CACHE_TYPE": "memory",
        "LOG_LEVEL": "ERROR",
        "ENVIRONMENT": "development",
    }
    port = listening.require_free(0, "--port")
    command = (python.with_name("mcpgateway"), "--host", listening.HOST, "--port", str(port))
    with loading.server(command, port, settings) as server:
        login = json.loads(_asked(port, "/auth/login", {"email": _MAIL, "password": secret}, {}))
        headers = {"Authorization": f"Bearer {login['access_token']}"}
        _asked(port, "/gateways", {"name": "load", "url": upstream, "transport": "STREAMABLEHTTP"}, headers)
        yield Gateway("ContextForge", server, headers, "load-", "-")


def _notes(folder: Path) -> dict[str, str]:
    return {"LOAD_NOTES": str(folder / "notes")}


def _asked(port: int, path: str, body: Mapping[str, Any], headers: Mapping[str, str]) -> str:
    request = urllib.request.Request(
        f"http://{listening.HOST}:{port}{path}",
        json.dumps(body).encode(),
        {"Content-Type": "application/json", **headers},
    )
    try:
        with urllib.request.urlopen(request, timeout=_ASKED_WITHIN_S) as answer:
            text: str = answer.read().decode()
            return text
    except OSError as error:
        raise Problem(f"{path} was not answered: {error}") from error
