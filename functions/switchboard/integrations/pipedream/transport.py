"""Sends requests to the project: with its token, within time, and each at most once.

Only a refused token is followed by a second request: what it refused did not run.
"""

from collections.abc import Mapping
from urllib.parse import urlencode

from switchboard.contract.json import JsonObject
from switchboard.contract.ports import Clock
from switchboard.integrations.http_session import HttpAnswer, HttpSession
from switchboard.integrations.pipedream.failures import PIPEDREAM
from switchboard.integrations.pipedream.project import PipedreamProject
from switchboard.integrations.pipedream.tokens import PipedreamToken, ProjectTokens
from switchboard.integrations.vendor_http import VendorHttp

READ_S = 3.0
# With the two reads before it, it ends before others may take the call for abandoned (`policy.CALL_LEASE_S`).
RUN_S = 20.0


class PipedreamTransport:
    """Pipedream's API, over the shared session."""

    def __init__(self, http: HttpSession, project: PipedreamProject, clock: Clock) -> None:
        """Connect nowhere yet."""
        self._http, self._project = VendorHttp(http, PIPEDREAM), project
        self._tokens = ProjectTokens(http, project, clock)

    async def read(
        self, *path: str, body: JsonObject | None = None, query: Mapping[str, str] | None = None
    ) -> JsonObject:
        """Return what stands at a path; with a body it is asked for by POST. What is empty in the query is left out.

        Raises:
            ToolError: As the table of failures says; nothing was done.
        """
        given = urlencode({name: value for name, value in (query or {}).items() if value})
        url = self._project.url(*path) + (f"?{given}" if given else "")
        return self._read(await self._answer(url, body, is_run=False))

    async def find(self, *path: str) -> JsonObject | None:
        """Return what stands at a path, or None where there is nothing.

        Raises:
            ToolError: As the table of failures says; nothing was done.
        """
        answer = await self._answer(self._project.url(*path), None, is_run=False)
        return None if answer.status == 404 else self._read(answer)

    async def run(self, body: JsonObject) -> JsonObject:
        """Run an action and return the answer, in which an `error` may stand.

        Raises:
            ToolError: As the table of failures says; with partial side effects where nobody knows whether it ran.
        """
        return self._read(await self._answer(self._project.url("actions", "run"), body, is_run=True), is_run=True)

    async def _answer(self, url: str, body: JsonObject | None, *, is_run: bool) -> HttpAnswer:
        token = await self._tokens.current()
        answer = await self._once(url, body, token, is_run)
        if answer.status == 401:
            answer = await self._once(url, body, await self._tokens.instead_of(token), is_run)
        return answer

    async def _once(self, url: str, body: JsonObject | None, token: PipedreamToken, is_run: bool) -> HttpAnswer:
        return await self._http.send(
            "GET" if body is None else "POST",
            url,
            timeout_s=RUN_S if is_run else READ_S,
            headers={"Authorization": f"Bearer {token.text}", "x-pd-environment": self._project.environment},
            body=body,
            is_write=is_run,
        )

    def _read(self, answer: HttpAnswer, *, is_run: bool = False) -> JsonObject:
        if not 200 <= answer.status < 300:
            raise PIPEDREAM.refused(answer, is_write=is_run)
        return PIPEDREAM.object_of(answer, is_write=is_run)
