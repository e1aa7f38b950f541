"""`POST /tasks/<name>`: one pass of some background work, for a scheduler or a task queue.

Instances that are stopped between requests do nothing by themselves; whatever has to go on is asked for from outside. A
business's service key asks for its own business; only schedulers ask for all of them. Google's show an ID token of one
service account, which is made for each request and lasts an hour; so no job and no task holds anything that lets
somebody in. Others show a token that is configured here and there.
"""

from __future__ import annotations

import hmac
from collections.abc import Awaitable, Callable, Mapping
from typing import TypeAlias

import orjson
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from switchboard.channels.http.answer import Endpoint, json_answer, refusal
from switchboard.channels.http.credentials import Credentials, IdTokens, entitled, read
from switchboard.channels.http.request_body import json_object, optional_text
from switchboard.contract.account import GOOGLE_ISSUERS, claimed_issuer
from switchboard.contract.credential import Scope
from switchboard.contract.error import ErrorType
from switchboard.contract.json import JsonObject
from switchboard.contract.observability.subject import concerns
from switchboard.contract.store import StoreError

Task: TypeAlias = Callable[[str | None], Awaitable[Mapping[str, int]]]
"""One pass of some work, for a business or, given None, for all of them; returns how much was done, by what it was.

Two passes at once must do no harm: schedulers and queues deliver more than once. `StoreError` says to come again.
"""


def routes(tasks: Mapping[str, Task], credentials: Credentials, schedulers: Schedulers) -> list[Route]:
    """Return the routes of the `tasks` function, without its path prefix: one for each task, under its name.

    The body is empty or `{businessId}`; the answer is `{ok, task, businessId, counts}`, with null for all businesses.
    """

    def endpoint(name: str, task: Task) -> Endpoint:
        async def run(request: Request) -> Response:
            authorization = request.headers.get("authorization")
            if await schedulers.speak_for_all(authorization):
                business_id = optional_text(await _body(request), "businessId")
            else:
                credential = await credentials.recognise(authorization)
                business_id = optional_text(await _body(request), "businessId") or credential.business_id
                # What a pass finishes are the calls that this scope lets a service begin.
                entitled(credential, Scope.EXECUTE, business_id)
            concerns(business_id or "")
            try:
                counts = await task(business_id)
            except StoreError:
                return refusal(503, ErrorType.TRANSIENT, f"{name} could not reach the store; call again in a moment.")
            body: JsonObject = {"ok": True, "task": name, "businessId": business_id, "counts": dict(counts)}
            return json_answer(orjson.dumps(body))

        return run

    return [Route(f"/{name}", endpoint(name, task), methods=["POST"]) for name, task in tasks.items()]


async def _body(request: Request) -> JsonObject:
    """Return the body; schedulers that have nothing to say send none."""
    is_empty = request.headers.get("content-length", "0") == "0" and "transfer-encoding" not in request.headers
    return {} if is_empty else await json_object(request)


class Schedulers:
    """Tells who speaks for all businesses."""

    def __init__(self, token: str, account: str = "", tokens: IdTokens | None = None) -> None:
        """Let in who shows `token`, or an ID token of the service account with the e-mail address `account`.

        An empty one lets nobody in, and so does an account where nothing verifies tokens.
        """
        self._token, self._account, self._tokens = token, account, tokens

    async def speak_for_all(self, authorization: str | None) -> bool:
        """Tell whether a request's `Authorization` is a scheduler's; False may still be that of a single business.

        Raises:
            Rejected: 401, an ID token is not good; 503, nobody can tell right now.
        """
        scheme, _, sent = (authorization or "").strip().partition(" ")
        sent = sent.strip()
        if scheme.lower() != "bearer":
            return False
        # Headers reach us as Latin-1, whatever their bytes were. An empty token is none, not one easily guessed.
        if self._token and hmac.compare_digest(sent.encode("latin-1"), self._token.encode()):
            return True
        if not self._account or self._tokens is None or claimed_issuer(sent) not in GOOGLE_ISSUERS:
            return False
        return (await read(self._tokens.account(sent))).id == self._account
