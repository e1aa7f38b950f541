"""Ports of this machine; standard library only, so that a taken one is told before anything is started."""

from __future__ import annotations

import errno
import os
import socket

from command_line import Problem

HOST = "127.0.0.1"
_BACKLOG = 2048


def listen(port: int, option: str) -> socket.socket:
    """Return a socket that takes connections on 127.0.0.1; port 0 stands for any free one.

    Raises:
        Problem: Somebody has the port, or we may not have it; names the option that chooses another.
    """
    # Only where the protocol is named does asyncio send what it has at once: without, bodies are 40 ms behind headers.
    listener = socket.socket(proto=socket.IPPROTO_TCP)
    # Only past connections are ignored by this, not somebody who listens.
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((HOST, port))
        listener.listen(_BACKLOG)
    except OSError as error:
        listener.close()
        if error.errno == errno.EADDRINUSE:
            raise Problem(f"port {port} is taken; choose another with {option} <number>.") from None
        reason = os.strerror(error.errno or 0)
        raise Problem(f"port {port} cannot be used ({reason}); choose another with {option} <number>.") from None
    return listener


def require_free(port: int, option: str) -> int:
    """Return the port, or a free one for 0, after making sure that nobody listens there.

    Raises:
        Problem: As `listen` does.
    """
    with listen(port, option) as listener:
        return int(listener.getsockname()[1])
