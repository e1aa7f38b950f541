"""Radicale, a real CalDAV server, on this machine: with its own sockets, storage and htpasswd."""

import platform
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import httpx2 as httpx
from passlib.hash import apr_md5_crypt
from radicale import config, server

USER, PASSWORD = "salon@example.com", "app-password-7f3a"
STRANGER, STRANGERS_PASSWORD = "stranger", "strangers-own"
STARTS_WITHIN_S = 30.0
# The server's log names the machine, which asks another program once; tests may not start any.
platform.platform()


@contextmanager
def serving(folder: Path) -> Iterator[str]:
    """Serve from a thread of its own, with two accounts, and give the base URL."""
    users = folder / "users"
    accounts = {USER: PASSWORD, STRANGER: STRANGERS_PASSWORD}
    users.write_text("".join(f"{name}:{apr_md5_crypt.hash(password)}\n" for name, password in accounts.items()))
    with closing(socket.socket()) as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    settings = config.load()
    settings.update(
        {
            "server": {"hosts": f"127.0.0.1:{port}"},
            "auth": {
                "type": "htpasswd",
                "htpasswd_filename": str(users),
                "htpasswd_encryption": "md5",
                "delay": "0",
            },
            "storage": {"filesystem_folder": str(folder / "collections"), "_filesystem_fsync": "False"},
            "rights": {"type": "owner_only"},
            "web": {"type": "none"},
        },
        "tests",
        privileged=True,
    )
    ours, theirs = socket.socketpair()
    thread = threading.Thread(target=server.serve, args=(settings, theirs), daemon=True)
    thread.start()
    url = f"http://127.0.0.1:{port}"
    try:
        _wait_for(url, thread)
        yield url
    finally:
        ours.close()
        thread.join(STARTS_WITHIN_S)
        theirs.close()


def _wait_for(url: str, thread: threading.Thread) -> None:
    until = time.monotonic() + STARTS_WITHIN_S
    while time.monotonic() < until and thread.is_alive():
        try:
            httpx.options(url, timeout=5)
        except httpx.HTTPError:
            time.sleep(0.02)
        else:
            return
    raise RuntimeError("Radicale does not start")
