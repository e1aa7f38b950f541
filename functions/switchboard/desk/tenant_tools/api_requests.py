"""Owners' own requests to services of theirs (seed 002, "API Request"): sent through the safe egress, read, bounded."""

import asyncio
import math
import random
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import field, replace
from typing import Any
from urllib.parse import urlencode, urlsplit

import orjson

from switchboard.contract.context import CallContext
from switchboard.contract.deadline import bounded, ending_in
from switchboard.contract.definitions.answer_gaps import gaps_wanted
from switchboard.contract.definitions.redaction import Redaction
from switchboard.contract.definitions.tenant_tool import BoundRequest
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.policy import OWNERS_ACTION_S, OWNERS_READ_TOTAL_S
from switchboard.contract.ports import Egress, Secrets
from switchboard.contract.python.dataclass import dataclass
from switchboard.desk.tenant_tools.api_answer import Bounds, gaps, mapped, read_answer
from switchboard.desk.tenant_tools.api_secrets import filled
from switchboard.desk.tenant_tools.api_statuses import denied, failure, is_passing, unclear
from switchboard.desk.tenant_tools.api_success import UNFINISHED, Asked, asked, reason_in, verdict
from switchboard.desk.tenant_tools.service_places import ServicePlaces
from switchboard.desk.untrusted_text import quoted

_PAUSE_S = (0.05, 0.15)
# With less time than this left, a second try would only end in another time-out.
_WORTHWHILE_S = 0.4
_QUOTED_CHARACTERS = 300

_FORM = "application/x-www-form-urlencoded"
_JSON = "application/json"
_TEXT = "text/plain; charset=utf-8"


@dataclass(frozen=True, slots=True)
class ApiAnswer:
    """What a service answered.

    Attributes:
        status: The HTTP status, 200 to 299.
        result: What the owner's mapping made of it: any JSON value, or text; None for nothing.
        is_cut: Whether something was left out because it was too much.
        problem: What a service that was only asked says of why it does not tell; empty where it does.
        state: What it says of an action that it has not finished (`UNFINISHED`); empty where it has, or says nothing.
    """

    status: int
    result: Any = field(repr=False)
    is_cut: bool = False
    problem: str = field(default="", repr=False)
    state: str = ""

    @property
    def is_empty(self) -> bool:
        """Whether there was nothing."""
        return self.result is None or self.result in ("", [], {})


class NoEgress:
    """For a desk that reaches nobody."""

    async def request(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes | None
    ) -> tuple[int, Mapping[str, str], bytes]:
        """Refuse.

        Raises:
            ToolError: PERMANENT, always.
        """
        raise ToolError(ErrorType.PERMANENT, "Nothing outside can be reached from here.")


class NoSecrets:
    """For a desk whose businesses keep nothing secret."""

    async def reveal(self, business_id: str, toolkit: str, field: str, *, agent_id: str = "") -> str | None:
        """Return None."""
        return None

    async def reveal_several(
        self, business_id: str, toolkit: str, fields: Sequence[str], *, agent_id: str = ""
    ) -> Mapping[str, str | None]:
        """Return None of each."""
        return dict.fromkeys(fields)

    async def keep(self, business_id: str, toolkit: str, field: str, value: str, *, agent_id: str = "") -> None:
        """Refuse.

        Raises:
            ToolError: PERMANENT, always.
        """
        raise ToolError(ErrorType.PERMANENT, "Nothing can be kept secret here.")

    async def forget(self, business_id: str, toolkit: str) -> None:
        """Do nothing: there are none."""


class ApiRequests:
    """Sends the requests of tenant tools."""

    def __init__(
        self,
        egress: Egress,
        secrets: Secrets,
        places: ServicePlaces,
        pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """Send by `egress`, with keys from `secrets`; `pause` waits so many seconds before a second try."""
        self._egress, self._secrets, self._places, self._pause = egress, secrets, places, pause

    async def send(self, ctx: CallContext, bound: BoundRequest) -> ApiAnswer:
        """Send a request and return what its answer comes to.

        A GET is sent a second time where that may help and there is time (3 s in all).
        Anything else may take 20 s and carries the wish's effect key as `Idempotency-Key`; it is sent once, unless its
        owner says that the service does one thing once for one key.

        Args:
            ctx: The call.
            bound: The request; everything in it is final.

        Raises:
            ToolError: VALIDATION, AUTH, NOT_FOUND, CONFLICT, RATE_LIMIT, TRANSIENT or PERMANENT as the service's status
                says (`api_statuses`). VALIDATION too where its answer says that an action was not done. PERMANENT for
                an address that may not be called and an answer that cannot be used; AUTH for a key that is missing.
                With partial side effects where nobody knows whether it was done.
            Refused: RATE_LIMIT, it takes no more at once; nothing was sent.
        """
        method = bound.method.upper()
        with ending_in(_longest_s(method)):
            body, content_type = encoded(bound.body, _named(bound.headers, "content-type"))
            added = {"Content-Type": content_type} if content_type else {}
            if method != "GET" and _named(bound.headers, "idempotency-key") is None:
                added["Idempotency-Key"] = ctx.effect_key
            # Revealed as late as can be; nothing from here on holds them longer than the request takes.
            headers, redaction = await filled(ctx, self._secrets, bound.headers, bound.url)
            async with self._places.place(ctx, bound.url, bound.most_at_once) as answered:
                (status, headers_sent, content), may_be_done = await self._sent(bound, _joined(headers, added), body)
                answered.status, answered.headers = status, headers_sent
        answer = read_answer(headers_sent, content)
        retry_s = math.ceil(answered.pause_s(ctx.now)) if answered.says_when else 0
        error = failure(status, method, _quoted(answer, redaction), may_be_done=may_be_done, retry_s=retry_s)
        if error is not None:
            raise error
        with _may_be_done(bound):
            says = verdict(answer, headers_sent, content, bound.response, status, _asked(bound))
        if method != "GET" and says == "open":
            raise unclear(status)
        words = _quoted(answer, redaction) if says == "refused" else ""
        if method != "GET" and says == "refused":
            raise denied(status, words, may_be_done=may_be_done)
        with _may_be_done(bound):
            result = mapped(answer, bound.response)
            if (noted := gaps_wanted()) is not None:
                noted |= gaps(answer, bound.response)
        return replace(_result(status, result, redaction, words), state=says if says in UNFINISHED else "")

    async def _sent(
        self, bound: BoundRequest, headers: Mapping[str, str], body: bytes | None
    ) -> tuple[tuple[int, Mapping[str, str], bytes], bool]:
        """Return what was answered, and whether an earlier try may have been carried out, whatever the answer says."""
        method, may_be_done = bound.method.upper(), bound.method.upper() != "GET"
        try:
            answer = await self._egress.request(method, bound.url, headers, body)
        except ToolError as error:
            if error.type is not ErrorType.TRANSIENT or not _may_repeat(bound):
                raise
            may_be_done = error.partial_side_effects
        else:
            if not is_passing(answer[0]) or not _may_repeat(bound):
                return answer, False
        await self._pause(random.uniform(*_PAUSE_S))
        try:
            return await self._egress.request(method, bound.url, headers, body), may_be_done
        except ToolError as error:
            # Whatever kept the second try back, the first may have been carried out.
            error.partial_side_effects = error.partial_side_effects or may_be_done
            raise


def _asked(bound: BoundRequest) -> Asked:
    method = bound.method.upper()
    return asked(method, urlsplit(bound.url).path, values=bound.body, is_reading=method == "GET")


def _longest_s(method: str) -> float:
    return OWNERS_READ_TOTAL_S if method == "GET" else OWNERS_ACTION_S


def _may_repeat(bound: BoundRequest) -> bool:
    method = bound.method.upper()
    return (method == "GET" or bound.is_idempotent) and bounded(_longest_s(method)) >= _WORTHWHILE_S


def _named(headers: Mapping[str, Any], name: str) -> str | None:
    values = (value for key, value in headers.items() if key.lower() == name)
    return next((value if isinstance(value, str) else "" for value in values), None)


def _joined(headers: Mapping[str, str], added: Mapping[str, str]) -> dict[str, str]:
    own = {name: value for name, value in headers.items() if name.lower() not in {a.lower() for a in added}}
    return {**own, **added}


def _quoted(answer: Any, redaction: Redaction) -> str:
    """Return the beginning of what a service said, on one line; nothing where it sent a page."""
    text = redaction.text(" ".join(reason_in(answer).split()))
    if text.startswith("<"):
        return ""
    return quoted(text if len(text) <= _QUOTED_CHARACTERS else text[: _QUOTED_CHARACTERS - 1] + "…")


@contextmanager
def _may_be_done(bound: BoundRequest) -> Iterator[None]:
    """Whatever the owner's mapping is worth, what was asked for may have been done."""
    try:
        yield
    except ToolError as error:
        error.partial_side_effects = bound.method.upper() != "GET"
        raise


def _result(status: int, answer: Any, redaction: Redaction, problem: str) -> ApiAnswer:
    bounds = Bounds(redaction.text)
    result = bounds.within(answer)
    return ApiAnswer(status, result, bounds.is_cut, problem)


def encoded(body: Any, content_type: str | None) -> tuple[bytes | None, str | None]:
    """Return a body and its content type; neither where there is no body.

    Args:
        body: Any JSON value; text goes as it is; None for no body.
        content_type: What the owner set, if anything. A form takes the fields of an object, a list as several of one
            name.

    Raises:
        ToolError: PERMANENT, it cannot be written as JSON.
    """
    if body is None:
        return None, None
    if isinstance(body, str):
        return body.encode("utf-8", "replace"), content_type or (_JSON if _is_json(body) else _TEXT)
    if isinstance(body, Mapping) and (content_type or "").partition(";")[0].strip().lower() == _FORM:
        return urlencode(_pairs(body), errors="replace").encode(), content_type
    try:
        return orjson.dumps(body), content_type or _JSON
    except TypeError as error:
        raise ToolError(
            ErrorType.PERMANENT,
            "What this tool should send cannot be written as JSON. Nothing was sent; its owner has to change it.",
            detail=repr(error),
        ) from error


def _is_json(text: str) -> bool:
    if not text.lstrip().startswith(("{", "[")):
        return False
    try:
        orjson.loads(text)
    except orjson.JSONDecodeError:
        return False
    return True


def _pairs(fields: Mapping[str, Any]) -> list[tuple[str, str]]:
    return [
        (name, item if isinstance(item, str) else orjson.dumps(item).decode())
        for name, value in fields.items()
        for item in (value if isinstance(value, list | tuple) else [value])
        if item is not None
    ]
