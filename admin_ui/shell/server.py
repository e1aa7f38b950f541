"""The running server, as the pages know it: its HTTP API and nothing else."""

from __future__ import annotations

import http.client
import json
import os
import threading
import urllib.error
import urllib.parse
import urllib.request
import uuid
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, TypeVar

T = TypeVar("T")
ANSWERS_WITHIN_S = 20.0
TESTS_PLAYED_WITHIN_S = 90.0
"""How long it may take where kept tests are played first."""
MODELS_ASKED_WITHIN_S = 60.0
"""How long it may take where a model is asked several conversations again."""
_LONGEST_ANSWER = 8_000_000
_AT_ONCE = 8
_UNCLEAR = 500
"""From this status on, what was refused may have been done."""
# The server is on this machine or named on purpose; a proxy from the environment must not come between.
_opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))


class Unreachable(Exception):
    """Nobody, or somebody else, answers at the server's address."""


class Refused(Exception):
    """The server does not do what it was asked; the text is its reason.

    Attributes:
        status: The HTTP status.
        problems: Everything that is wrong with what was entered, as `{field, message}`.
        conflict: Both versions, where somebody else has changed the same thing since (412); otherwise empty.
        consequences: What would break, where that has to be confirmed first (409); otherwise empty.
        near: What says something on the same already, where that has to be decided first (409); otherwise empty.
        tests: The kept tests that are red with it, where they have to be acknowledged first (409); otherwise empty.
    """

    def __init__(
        self,
        status: int,
        reason: str,
        problems: Sequence[Mapping[str, str]] = (),
        conflict: Mapping[str, Any] | None = None,
        consequences: Mapping[str, Any] | None = None,
        near: Sequence[Mapping[str, Any]] = (),
        tests: Sequence[Mapping[str, Any]] = (),
    ) -> None:
        super().__init__(reason)
        self.status, self.problems, self.conflict = status, tuple(problems), dict(conflict or {})
        self.consequences, self.near, self.tests = dict(consequences or {}), tuple(near), tuple(tests)


@dataclass(frozen=True)
class Answer:
    """What came back: the body, and the revision that a change of it is based on (empty where it has none)."""

    body: dict[str, Any]
    revision: str = ""


class Sent:
    """What was sent since the page was last drawn whole: it is done once, however often a button is pressed until then.

    Whoever presses twice begins another drawing while that of the first press still waits for the server, and ends it
    before it can note what came of it. So the second waits for what is under way here, and finds its answer.
    """

    def __init__(self) -> None:
        self._under_way = threading.Lock()
        self._answers: dict[tuple[str, ...], Answer] = {}
        self._newer: dict[tuple[str, str], str] = {}
        self._unanswered: dict[tuple[str, ...], str] = {}

    def once(self, wish: tuple[str, ...], path: str, revision: str, send: Callable[[str, str], Answer]) -> Answer:
        """Return what was answered to a wish, sending it where it was not sent yet.

        What this page itself has made of a revision meanwhile is what another change of it is based on. It is sent
        under a key of its own, and under the same one again as long as nobody has said what came of it.
        """
        with self._under_way:
            known = self._answers.get(wish)
            if known is not None:
                return known
            key = self._unanswered.setdefault(wish, uuid.uuid4().hex)
            try:
                answer = send(self._newer.get((path, revision), revision), key)
            except Refused as error:
                if error.status < _UNCLEAR:
                    del self._unanswered[wish]
                raise
            del self._unanswered[wish]
            self._answers[wish] = answer
            if revision and answer.revision:
                self._newer[path, revision] = answer.revision
            return answer

    def settle(self) -> None:
        """Forget what was answered: the page shows what came of it, and what is pressed from now on is another wish."""
        self._answers, self._newer = {}, {}


@dataclass(frozen=True)
class Server:
    """The server, and how it is asked.

    Attributes:
        url: Where it is.
        key: The bearer token it wants: an API key, or an owner's ID token.
        answers_within_s: How long it may take.
        who: The e-mail address of whoever signed in; empty in local mode.
        sent: What the page that is drawn has sent; without it, whatever is sent twice is done twice.
    """

    url: str
    key: str = field(repr=False)
    answers_within_s: float = field(default_factory=lambda: ANSWERS_WITHIN_S)
    who: str = ""
    sent: Sent | None = field(default=None, repr=False, compare=False)

    def get(self, path: str, query: Mapping[str, Any] | None = None) -> Answer:
        """Return what is to be read at a path; query values of None or "" are left out.

        Raises:
            Unreachable, Refused: There is nothing to be had.
        """
        filled = {name: value for name, value in (query or {}).items() if value not in (None, "")}
        return self._answer(
            urllib.request.Request(f"{self.url}{path}" + (f"?{urllib.parse.urlencode(filled)}" if filled else ""))
        )

    def table(self, path: str, query: Mapping[str, Any]) -> tuple[str, str]:
        """Return a page of a CSV file, and where the next one begins; empty at the end.

        Raises:
            Unreachable, Refused: There is nothing to be had.
        """
        filled = {name: value for name, value in query.items() if value not in (None, "")}
        request = urllib.request.Request(f"{self.url}{path}?{urllib.parse.urlencode(filled)}")
        request.add_header("Authorization", f"Bearer {self.key}")
        try:
            with _opener.open(request, timeout=self.answers_within_s) as answer:
                return answer.read(_LONGEST_ANSWER).decode("utf-8"), answer.headers.get("Next-Cursor") or ""
        except urllib.error.HTTPError as error:
            with error:
                raise Refused(error.code, "There is no table.") from None
        except (OSError, http.client.HTTPException, UnicodeDecodeError) as error:
            raise Unreachable(str(getattr(error, "reason", error))) from None

    def send(
        self,
        method: str,
        path: str,
        body: Mapping[str, Any] | None = None,
        revision: str = "",
        once: str = "",
        within_s: float | None = None,
    ) -> Answer:
        """Change something, based on the revision that was read, and return what is there then.

        What is sent again before the page is drawn whole is done once, and so is what is sent with the same `once`,
        whenever that is, and what makes something and is sent again because no answer came. `within_s` is for what
        takes longer than usual.

        Raises:
            Unreachable, Refused: It was not changed; with `conflict` because somebody else was faster.
        """
        if self.sent is None:
            return self._sent(method, path, body, revision, once, within_s)
        wish = (method, path, json.dumps(body), revision, once)
        return self.sent.once(
            *(wish, path, revision), lambda newest, key: self._sent(method, path, body, newest, once or key, within_s)
        )

    def ask(
        self,
        path: str,
        body: Mapping[str, Any] | None = None,
        *,
        method: str = "POST",
        revision: str = "",
        within_s: float | None = None,
    ) -> Answer:
        """Return what the server says to something by which nothing is changed: it is asked anew each time.

        Raises:
            Unreachable, Refused: It says nothing.
        """
        return self._sent(method, path, body, revision, "", within_s)

    def definitions(self, business_id: str, channel: str, is_verified: bool = False) -> dict[str, Any]:
        """Return what is offered to a business's callers on a channel, with what is not and why.

        Raises:
            Unreachable, Refused: There is no listing.
        """
        query = {"businessId": business_id, "channel": channel, "explain": "1"}
        return self.get("/tools/definitions", query | ({"callerVerified": "true"} if is_verified else {})).body

    def execute(
        self, business_id: str, tool: str, args: Mapping[str, Any], context: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Return the envelope of a call.

        Raises:
            Unreachable, Refused: There is none.
        """
        body = {"businessId": business_id, "name": tool, "args": args, "context": context}
        return self.send("POST", "/tools/execute", body).body

    def _sent(
        self,
        method: str,
        path: str,
        body: Mapping[str, Any] | None,
        revision: str,
        once: str,
        within_s: float | None,
    ) -> Answer:
        content = None if body is None else json.dumps(body).encode()
        headers = {"Content-Type": "application/json"} if content is not None else {}
        headers |= {"If-Match": f'"{revision}"'} if revision else {}
        headers |= {"Idempotency-Key": once} if once else {}
        return self._answer(urllib.request.Request(f"{self.url}{path}", content, headers, method=method), within_s)

    def _answer(self, request: urllib.request.Request, within_s: float | None = None) -> Answer:
        request.add_header("Authorization", f"Bearer {self.key}")
        try:
            status, body, revision = _fetched(request, within_s or self.answers_within_s)
            document = json.loads(body)
        except (OSError, http.client.HTTPException) as error:
            raise Unreachable(str(getattr(error, "reason", error))) from None
        except ValueError:
            raise Unreachable("somebody else answers there") from None
        if not isinstance(document, dict):
            raise Unreachable("somebody else answers there")
        if status // 100 != 2:
            raise _refused(status, document)
        return Answer(document, revision)


def below(*parts: str) -> str:
    """Return a path of these parts, each escaped: an id is never taken for more than one of them."""
    return "".join(f"/{urllib.parse.quote(part, safe='')}" for part in parts)


def together(*asked: Callable[[], T]) -> list[T]:
    """Return what several requests give that go out at the same time.

    Raises:
        Unreachable, Refused: The first of them that fails.
    """
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        return [future.result() for future in [pool.submit(one) for one in asked]]


def address() -> str:
    """Return where the server is, as scripts/run says."""
    return os.environ.get("SWITCHBOARD_URL", "http://127.0.0.1:8080").rstrip("/")


def known_keys() -> dict[str, str]:
    """Return the API keys by business that scripts/run gives to these pages; none with somebody's real data."""
    return dict(json.loads(os.environ.get("SWITCHBOARD_API_KEYS") or "{}"))


def opened(request: urllib.request.Request, within_s: float) -> http.client.HTTPResponse:
    """Return the server's answer as it comes; whoever takes it closes it. Raises what `urllib` does."""
    answer: http.client.HTTPResponse = _opener.open(request, timeout=within_s)
    return answer


def _fetched(request: urllib.request.Request, within_s: float) -> tuple[int, bytes, str]:
    try:
        with opened(request, within_s) as answer:
            return answer.status, answer.read(_LONGEST_ANSWER), (answer.headers.get("ETag") or "").strip('"')
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read(_LONGEST_ANSWER), ""


def _refused(status: int, body: Mapping[str, Any]) -> Refused:
    error = body.get("error")
    if not isinstance(error, dict):
        return Refused(status, "")
    lists = {name: error.get(name) or () for name in ("problems", "near", "tests")}
    return Refused(
        status,
        str(error.get("message", "")),
        conflict=error.get("conflict"),
        consequences=error.get("consequences"),
        **lists,
    )
