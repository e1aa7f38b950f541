"""Cloud Tasks over its REST interface, against a local stand-in that holds requests against Google's contract.

The contract is that of `projects.locations.queues.tasks.create` in version 2 (cloud.google.com/tasks/docs/reference).
"""

import base64
import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from switchboard.contract.channel import Channel
from switchboard.contract.context import CONTEXTS
from switchboard.contract.error import ErrorType, ToolError
from switchboard.integrations.cloud_tasks import CloudTasks, TaskCredential
from switchboard.integrations.http_session import HttpSession
from switchboard.pipeline.execution.queue import announce

QUEUE = "projects/p-1/locations/europe-west1/queues/calls"
TOKEN, TASK_TOKEN = "ya29.canary", "task-token-canary"
PUBLIC_URL = "https://switchboard.example.com"

_TASK_FIELDS = {"name", "httpRequest", "scheduleTime", "dispatchDeadline"}
_REQUEST_FIELDS = {"url", "httpMethod", "headers", "body", "oauthToken", "oidcToken"}
_METHODS = ("POST", "GET", "HEAD", "PUT", "DELETE", "PATCH", "OPTIONS")
# Set by Cloud Tasks itself; whoever sets them is overruled, so that a test that relies on them would be wrong.
_RESERVED = re.compile(r"(?i)(host|content-length|user-agent|x-google-.*|x-appengine-.*|x-cloudtasks-.*)")
_LARGEST_TASK = 102_400


def complaint(task: Any, queue: str) -> str:
    """Return what Google refuses about a task; empty where it takes it."""
    if not isinstance(task, dict) or not set(task) <= _TASK_FIELDS:
        return "unknown fields"
    if not re.fullmatch(re.escape(queue) + r"/tasks/[A-Za-z0-9_-]{1,500}", str(task.get("name"))):
        return "the name is not the queue's"
    deadline = re.fullmatch(r"(\d+)s", str(task.get("dispatchDeadline", "600s")))
    if deadline is None or not 15 <= int(deadline[1]) <= 1_800:
        return "dispatchDeadline must be in the interval of 15s to 30m"
    wanted = task.get("httpRequest")
    if not isinstance(wanted, dict) or not set(wanted) <= _REQUEST_FIELDS or wanted.get("httpMethod") not in _METHODS:
        return "httpRequest is none"
    if not re.match(r"https?://[^/]+", wanted.get("url", "")) or len(wanted["url"]) > 2_083:
        return "the url is none"
    if any(_RESERVED.fullmatch(name) for name in wanted.get("headers", {})):
        return "a reserved header"
    try:
        base64.b64decode(wanted.get("body", ""), validate=True)
    except ValueError:
        return "the body is not base64"
    return ""


@dataclass
class TaskQueues:
    """Cloud Tasks with one queue; `statuses` are given before anything is looked at."""

    statuses: list[int] = field(default_factory=list)
    tasks: dict[str, dict[str, Any]] = field(default_factory=dict)
    asked: int = 0

    async def create(self, request: Request) -> Response:
        self.asked += 1
        if self.statuses:
            return _error(self.statuses.pop(0))
        if request.headers.get("authorization") != f"Bearer {TOKEN}":
            return _error(401)
        body = await request.body()
        found = json.loads(body)
        if request.path_params["queue"] != QUEUE:
            return _error(404)
        if set(found) - {"task", "responseView"} or len(body) > _LARGEST_TASK or complaint(found.get("task"), QUEUE):
            return _error(400)
        task = found["task"]
        if task["name"] in self.tasks:
            return _error(409)
        self.tasks[task["name"]] = task
        return JSONResponse({"name": task["name"], "createTime": "2026-01-01T00:00:00Z", "view": "BASIC"})


def _error(status: int) -> Response:
    return JSONResponse({"error": {"code": status, "message": "no", "status": "X"}}, status)


@pytest.fixture
def google(serve: Callable[[Any], str]) -> tuple[str, TaskQueues]:
    """Cloud Tasks on this machine, and its switches."""
    queues = TaskQueues()
    routes = [Route("/v2/{queue:path}/tasks", queues.create, methods=["POST"])]
    return serve(Starlette(routes=routes)), queues


async def token() -> str:
    return TOKEN


def queue_at(url: str, http: HttpSession, queue: str = QUEUE, shown: TaskCredential | None = None) -> CloudTasks:
    return CloudTasks(queue, PUBLIC_URL, shown or TaskCredential(TASK_TOKEN), http, token, url)


async def test_a_task_asks_this_deployment_for_the_calls_of_a_business_and_shows_the_task_token(google, http):
    url, queues = google
    await queue_at(url, http).enqueue("call-1", {"businessId": "salon"})
    [task] = queues.tasks.values()
    wanted = task["httpRequest"]
    assert task["name"] == f"{QUEUE}/tasks/call-1"
    assert (wanted["httpMethod"], wanted["url"]) == ("POST", f"{PUBLIC_URL}/tasks/queued")
    assert wanted["headers"] == {"Authorization": f"Bearer {TASK_TOKEN}", "Content-Type": "application/json"}
    assert json.loads(base64.b64decode(wanted["body"])) == {"businessId": "salon"}


@pytest.mark.requirement("004-471")
async def test_a_task_that_is_to_show_an_account_s_token_holds_none(google, http):
    """Cloud Tasks makes one each time it asks; an account comes before a token that is configured as well."""
    url, queues = google
    account = "switchboard-tasks@my-project.iam.gserviceaccount.com"
    await queue_at(url, http, shown=TaskCredential(TASK_TOKEN, account)).enqueue("call-1", {"businessId": "salon"})
    [task] = queues.tasks.values()
    assert task["httpRequest"]["oidcToken"] == {"serviceAccountEmail": account, "audience": PUBLIC_URL}
    assert task["httpRequest"]["headers"] == {"Content-Type": "application/json"}
    assert TASK_TOKEN not in json.dumps(task)


async def test_a_task_that_is_queued_already_is_not_queued_again_and_no_failure(google, http):
    """409 is Google's word for it, also for an hour after the task was carried out."""
    url, queues = google
    for _ in range(2):
        await queue_at(url, http).enqueue("call-1", {"businessId": "salon"})
    assert len(queues.tasks) == 1 and queues.asked == 2


@pytest.mark.parametrize(
    "call_id", ["c1", "call_ü/../x", "", "a" * 5_000, "\ud800 half a character".encode("utf-8", "replace").decode()]
)
async def test_whatever_a_call_is_called_its_task_has_a_name_that_google_takes(google, http, call_id):
    url, queues = google
    facts = CONTEXTS[Channel.PHONE](business_id="salon", session_id="s/1", call_id=call_id)
    await announce(queue_at(url, http), facts)
    await announce(queue_at(url, http), facts)
    assert len(queues.tasks) == 1 and queues.asked == 2


@given(st.text())
def test_the_stand_in_takes_no_name_that_google_refuses(name: str):
    task = {"name": f"{QUEUE}/tasks/{name}", "httpRequest": {"url": PUBLIC_URL, "httpMethod": "POST"}}
    is_taken = 0 < len(name) <= 500 and all(c.isascii() and (c.isalnum() or c in "-_") for c in name)
    assert (complaint(task, QUEUE) == "") is is_taken


@pytest.mark.parametrize("name", ["", "a/b", "a b", "ü", "a" * 501, "call\n"])
async def test_a_name_that_google_would_refuse_is_not_sent(google, http, name):
    url, queues = google
    with pytest.raises(ToolError) as caught:
        await queue_at(url, http).enqueue(name, {})
    assert caught.value.type is ErrorType.PERMANENT and queues.asked == 0


@pytest.mark.parametrize(
    ("status", "type"),
    [(400, "PERMANENT"), (401, "AUTH"), (403, "AUTH"), (404, "PERMANENT"), (418, "PERMANENT"), (429, "RATE_LIMIT")],
)
async def test_what_cloud_tasks_refuses_is_told_and_not_tried_again(google, http, status, type):
    url, queues = google
    queues.statuses = [status]
    with pytest.raises(ToolError) as caught:
        await queue_at(url, http).enqueue("call-1", {})
    assert caught.value.type is ErrorType(type) and queues.asked == 1
    assert TOKEN not in str(vars(caught.value)) and TASK_TOKEN not in str(vars(caught.value))


@pytest.mark.parametrize("status", [408, 500, 503])
async def test_an_outage_of_a_moment_is_tried_once_more_and_a_longer_one_is_told(google, http, status):
    url, queues = google
    queues.statuses = [status]
    await queue_at(url, http).enqueue("call-1", {})
    assert queues.asked == 2 and queues.tasks
    queues.statuses = [status, status]
    with pytest.raises(ToolError) as caught:
        await queue_at(url, http).enqueue("call-2", {})
    assert caught.value.type is ErrorType.TRANSIENT and queues.asked == 4


async def test_during_an_outage_second_tries_become_few(google, http):
    url, queues = google
    queue, queues.statuses = queue_at(url, http), [503] * 100
    for number in range(10):
        with pytest.raises(ToolError):
            await queue.enqueue(f"call-{number}", {})
    assert queues.asked <= 12


async def test_a_queue_of_another_project_is_told_as_set_up_wrongly(google, http):
    url, queues = google
    with pytest.raises(ToolError) as caught:
        await queue_at(url, http, "projects/p-2/locations/x/queues/calls").enqueue("call-1", {})
    assert caught.value.type is ErrorType.PERMANENT and not queues.tasks


async def test_a_cloud_tasks_that_is_not_there_may_be_there_later(http, unused_tcp_port):
    with pytest.raises(ToolError) as caught:
        await queue_at(f"http://127.0.0.1:{unused_tcp_port}", http).enqueue("call-1", {})
    assert caught.value.type is ErrorType.TRANSIENT
