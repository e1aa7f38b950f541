"""`POST /tasks/<name>`: one pass of some background work, for a scheduler or a task queue.

Instances that are stopped between requests do nothing by themselves; whatever has to go on is asked for from outside.
A business's service key asks for its own business. Only schedulers (`schedulers.py`) ask for all of them.
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import TypeAlias

import orjson
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from switchboard.channels.http.answer import json_answer, refusal
from switchboard.channels.http.credentials import Credentials, entitled
from switchboard.channels.http.request_body import json_object, optional_text
from switchboard.channels.http.schedulers import Schedulers
from switchboard.contract.credential import Scope
from switchboard.contract.error import ErrorType
from switchboard.contract.json import JsonObject
from switchboard.contract.store import StoreError

Task: TypeAlias = Callable[[str | None], Awaitable[Mapping[str, int]]]
"""One pass of some work, for a business or, given None, for all of them; returns how much was done, by what it was.

Two passes at once must do no harm: schedulers and queues deliver more than once. `StoreError` says to come again.
"""


def routes(tasks: Mapping[str, Task], credentials: Credentials, schedulers: Schedulers) -> list[Route]:
    """Return the routes of the `tasks` function, without its path prefix: one for each task, under its name.

    The body is empty or `{businessId}`; the answer is `{ok, task, businessId, counts}`, with null for all businesses.
    """

    def endpoint(name: str, task: Task) -> Callable[[Request], Awaitable[Response]]:
        async def run(request: Request) -> Response:
            authorization = request.headers.get("authorization")
            if await schedulers.speak_for_all(authorization):
                business_id = optional_text(await _body(request), "businessId")
            else:
                credential = await credentials.recognise(authorization)
                business_id = optional_text(await _body(request), "businessId") or credential.business_id
                # What a pass finishes are the calls that this scope lets a service begin.
                entitled(credential, Scope.EXECUTE, business_id)
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
