"""Cloud Tasks over its REST interface: what asks this deployment, over HTTP, to carry out calls that were accepted.

It is asked through the shared session, not through google-cloud-tasks, whose gRPC transport every cold start would load
for one request. A task holds nothing of a call: whose calls are waiting is all that it says.
"""

import base64
import re
from collections.abc import Mapping
from dataclasses import field
from typing import Final

import orjson

from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.json import JsonObject
from switchboard.contract.python.dataclass import dataclass
from switchboard.integrations.http_session import HttpSession
from switchboard.integrations.retry_budget import RetryBudget
from switchboard.integrations.secrets.kms import AccessToken, DeploymentToken
from switchboard.integrations.vendor_http import VendorFailures, VendorHttp

CLOUD_TASKS_URL: Final = "https://cloudtasks.googleapis.com"
ENQUEUE_S: Final = 0.8
"""How long one request may take: the model waits for "accepted"."""
PASS_S: Final = 60
"""How long Cloud Tasks waits for a pass before it asks again; longer than a call that nobody waits for may take."""
TARGET: Final = "/tasks/queued"
_TASK_ID = re.compile(r"[A-Za-z0-9_-]{1,500}")
_MOST_BYTES = 65_536

FAILURES: Mapping[int, ErrorType] = {
    400: ErrorType.PERMANENT,
    401: ErrorType.AUTH,
    403: ErrorType.AUTH,  # the account may not create tasks here, or not act as the one that they are to show
    404: ErrorType.PERMANENT,  # there is no such queue
    408: ErrorType.TRANSIENT,
    429: ErrorType.RATE_LIMIT,
}
"""By HTTP status. 409 is no failure: the task is known. Every 5xx is TRANSIENT, everything else is PERMANENT."""

_MESSAGE = "The task queue was not reached; what is waiting is found by the next pass."
_TASKS = VendorFailures(vendor="Cloud Tasks", words=dict.fromkeys(ErrorType, _MESSAGE), table=FAILURES)


@dataclass(frozen=True, slots=True)
class TaskCredential:
    """What a task shows when it asks.

    Attributes:
        token: A token that this deployment knows; it lies in each task, for whoever may look at tasks.
        account: The e-mail address of a service account; Cloud Tasks then makes an ID token when it asks, and no task
            holds anything. It comes before `token`.
    """

    token: str = field(default="", repr=False)
    account: str = ""


class CloudTasks:
    """A `TaskQueue` whose tasks are requests to `/tasks/queued` of this deployment."""

    def __init__(
        self,
        queue: str,
        public_url: str,
        shown: TaskCredential,
        http: HttpSession,
        access_token: AccessToken | None = None,
        url: str = CLOUD_TASKS_URL,
    ) -> None:
        """Put tasks into a queue that exists.

        Args:
            queue: Its full name, `projects/…/locations/…/queues/…`.
            public_url: Where Cloud Tasks reaches this deployment; https, as anything that is reached from outside.
            shown: What each task shows.
            http: Sends the requests.
            access_token: None for the deployment's own credentials.
            url: Where Cloud Tasks is.
        """
        address = f"{url.rstrip('/')}/v2/{queue}/tasks"
        self._queue, self._http = queue, VendorHttp(http, _TASKS, base_url=address, most_bytes=_MOST_BYTES)
        self._target, self._shown = public_url.rstrip("/") + TARGET, shown
        self._audience = public_url.rstrip("/")
        self._access_token = access_token or DeploymentToken().current
        self._retries = RetryBudget()

    async def enqueue(self, name: str, payload: JsonObject) -> None:
        """Queue a task under a name; one that Cloud Tasks knows, also from the last hour, is not queued again.

        Args:
            name: Letters, digits, `-` and `_`; it should begin unlike other names, as hashes do.
            payload: What `/tasks/queued` is told.

        Raises:
            ToolError: AUTH, PERMANENT: the queue is set up wrongly. RATE_LIMIT, TRANSIENT: it may work later.
        """
        if not _TASK_ID.fullmatch(name):
            raise _TASKS.failure(ErrorType.PERMANENT, "a task's name holds what Cloud Tasks does not take")
        task = {"task": self._task(name, payload)}
        self._retries.earn()
        try:
            await self._create(task)
        except ToolError as error:
            # The name makes the second try harmless, even where the first one was heard.
            if error.type is not ErrorType.TRANSIENT or not self._retries.spend():
                raise
            await self._create(task)

    def _task(self, name: str, payload: JsonObject) -> JsonObject:
        headers: JsonObject = {"Content-Type": "application/json"}
        request: JsonObject = {"url": self._target, "httpMethod": "POST", "headers": headers}
        if self._shown.account:
            request["oidcToken"] = {"serviceAccountEmail": self._shown.account, "audience": self._audience}
        else:
            headers["Authorization"] = f"Bearer {self._shown.token}"
        request["body"] = base64.b64encode(orjson.dumps(payload)).decode()
        return {"name": f"{self._queue}/tasks/{name}", "dispatchDeadline": f"{PASS_S}s", "httpRequest": request}

    async def _create(self, task: JsonObject) -> None:
        headers = {"Authorization": f"Bearer {await self._access_token()}"}
        # The task's name makes it harmless to send again.
        answer = await self._http.send("POST", "", timeout_s=ENQUEUE_S, headers=headers, body=task, is_write=False)
        if answer.status not in (200, 409):
            raise _TASKS.refused(answer, is_write=False)
