"""Google's client library, used for what it knows: how a request to Calendar is written and an answer is read.

It never sends anything. Its own transport is neither asynchronous nor safe between threads, where one caller can be
given another's answer.
"""

import asyncio
import threading
from typing import Any, TypeAlias

from switchboard.contract.json import JsonObject
from switchboard.integrations.http_session import HttpAnswer

LibraryRequest: TypeAlias = Any
"""A `googleapiclient.http.HttpRequest`: uri, method, body, headers, postproc."""

NO_CONTENT = 204

_built: dict[str, Any] = {}
_lock = threading.Lock()


async def service(calendar_url: str) -> Any:
    """Return the library's resource for a base URL; whatever is called on it only describes a request."""
    built = _built.get(calendar_url)
    # Importing the library for the first time takes a third of a second, in which nobody else may have to wait.
    return built if built is not None else await asyncio.to_thread(_build, calendar_url)


def read(request: LibraryRequest, answer: HttpAnswer) -> JsonObject:
    """Return the object in a successful answer; empty for one that says that it has no content.

    Raises:
        ValueError: There is something else in it.
    """
    import httplib2  # type: ignore[import-untyped]

    response = httplib2.Response({name.lower(): value for name, value in answer.headers.items()})
    response.status = answer.status
    body = {} if answer.status == NO_CONTENT else request.postproc(response, answer.body)
    if not isinstance(body, dict):
        raise ValueError("the answer is not a JSON object")
    return body


def _build(calendar_url: str) -> Any:
    with _lock:
        if calendar_url not in _built:
            from google.auth.credentials import AnonymousCredentials
            from googleapiclient.discovery import build  # type: ignore[import-untyped]

            _built[calendar_url] = build(
                "calendar",
                "v3",
                # Without credentials of its own, it would look for some on this machine.
                credentials=AnonymousCredentials(),  # type: ignore[no-untyped-call]
                static_discovery=True,
                cache_discovery=False,
                client_options={"api_endpoint": calendar_url},
            )
        return _built[calendar_url]
