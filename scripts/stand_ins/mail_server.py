"""A mail server that takes every message and delivers none: an agent's e-mails are looked at where they were sent.

It speaks SMTP as mail servers do (aiosmtpd), in clear and without asking who sends: it listens on 127.0.0.1 alone.
"""

from __future__ import annotations

import asyncio
import socket
from collections import deque
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from email import policy
from email.message import EmailMessage
from email.parser import BytesParser
from email.utils import format_datetime
from typing import Any

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, Envelope, Session

from running.listening import HOST, listen

STARTED_WITHIN_S = 20.0
_MOST_KEPT = 200
_LARGEST = 1_048_576


class _Controller(Controller):
    """Takes connections on a socket that listens already: a port that is only known to be free is soon another's."""

    def __init__(self, handler: object, listener: socket.socket, **told: Any) -> None:
        super().__init__(handler, **told)
        self._listener = listener

    def _create_server(self) -> Coroutine[Any, Any, asyncio.AbstractServer]:
        return self.loop.create_server(self._factory_invoker, sock=self._listener)


class MailStandIn:
    """The last messages that were taken, and the server that takes them."""

    def __init__(self) -> None:
        self._taken: deque[dict[str, str]] = deque(maxlen=_MOST_KEPT)

    def newest(self) -> list[dict[str, str]]:
        """Return the messages as rows of `date`, `from`, `to`, `subject` and `text`, the newest first."""
        # A copy in one go: the server takes messages in a thread of its own.
        return list(reversed(self._taken.copy()))

    def clear(self) -> None:
        """Forget every message."""
        self._taken.clear()

    @contextmanager
    def serving(self, listener: socket.socket | None = None) -> Iterator[int]:
        """Take messages in a thread of its own, and give the port; without a socket that listens, any free one."""
        listener = listener or listen(0, "port")
        port = int(listener.getsockname()[1])
        server = _Controller(
            self,
            listener,
            hostname=HOST,
            port=port,
            ready_timeout=STARTED_WITHIN_S,
            data_size_limit=_LARGEST,
            # Its own would be asked of the name service.
            server_hostname="localhost",
        )
        server.start()
        try:
            yield port
        finally:
            server.stop()

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:
        """Keep a message, as aiosmtpd wants a handler to."""
        content = envelope.content or b""
        message = BytesParser(EmailMessage, policy=policy.default).parsebytes(
            content if isinstance(content, bytes) else content.encode()
        )
        self._taken.append(
            {
                "date": format_datetime(datetime.now(UTC)),
                "from": envelope.mail_from or "",
                "to": ", ".join(envelope.rcpt_tos),
                "subject": str(message["Subject"] or ""),
                "text": _text(message),
            }
        )
        return "250 OK: kept, and not delivered"


def _text(message: EmailMessage) -> str:
    body = message.get_body(("plain", "html"))
    if body is None:
        return ""
    try:
        return str(body.get_content())
    except LookupError:
        # A character set that there is not.
        raw = body.get_payload(decode=True)
        return raw.decode(errors="replace") if isinstance(raw, bytes) else ""
