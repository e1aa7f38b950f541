"""Events of the server's streams, as many as it has right now; who looks again goes on behind the last one."""

from __future__ import annotations

import http.client
import json
import urllib.error
import urllib.request
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from admin_ui.shell import server as servers
from admin_ui.shell.server import Refused, Server, Unreachable

# Of what one look brings; whatever is more comes with the next.
_MOST_LINES = 5_000


def events(server: Server, path: str, last_id: str = "") -> list[dict[str, Any]]:
    """Return what has happened behind an event, as `{event, eventId, …data}`, up to the end of the stream.

    Raises:
        Unreachable, Refused: There is nothing to be had.
    """
    request = urllib.request.Request(f"{server.url}{path}", headers={"Accept": "text/event-stream"})
    request.add_header("Authorization", f"Bearer {server.key}")
    if last_id:
        request.add_header("Last-Event-ID", last_id)
    try:
        with servers.opened(request, server.answers_within_s) as answer:
            lines = (line.decode().rstrip("\n") for line in islice(answer, _MOST_LINES))
            return list(_events(lines))
    except urllib.error.HTTPError as error:
        with error:
            raise Refused(error.code, "The running conversations cannot be shown right now.") from None
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise Unreachable(str(getattr(error, "reason", error))) from None


def _events(lines: Iterable[str]) -> Iterator[dict[str, Any]]:
    fields: dict[str, str] = {}
    for line in lines:
        if line.startswith(":"):
            continue
        name, _, value = line.partition(": ")
        if line:
            fields[name] = value
        elif "event" in fields:
            yield {"event": fields["event"], "eventId": fields.get("id", ""), **json.loads(fields["data"])}
            fields = {}
        else:
            fields = {}
