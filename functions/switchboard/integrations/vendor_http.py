"""The one way in which a vendor's client speaks HTTP: a request, its answer as JSON, and a table of what refusals mean.

Each vendor brings its table as data (`VendorFailures`). Requests go over the house's one session, once, within the time
that the call has left; whether something may be sent again is for the vendor's client to say.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Any

import orjson

from switchboard.contract.business.business import Business, Integration
from switchboard.contract.error import UNKNOWN_OUTCOME, ErrorType, ToolError, leaves_open
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import Secrets
from switchboard.contract.python.dataclass import dataclass
from switchboard.integrations.http_session import ANSWER_BYTES, HttpAnswer, HttpSession, NoAnswer

JSON_TYPE = "application/json"
READING_METHODS = frozenset({"GET", "HEAD", "OPTIONS", "PROPFIND", "REPORT"})
"""The methods that change nothing (RFC 9110, 9.2.1; RFC 4918 and 3253); whatever else is sent may have been done."""
_LONGEST_DETAIL = 500
_NO_CONTENT = 204


def json_body(document: Any) -> bytes:
    """Return a document as JSON; half a character, which UTF-8 cannot carry, is escaped."""
    try:
        return orjson.dumps(document)
    except TypeError:
        return json.dumps(document, separators=(",", ":")).encode("ascii")


def json_object(answer: HttpAnswer) -> Mapping[str, Any]:
    """Return the object in an answer; empty for one that holds none."""
    try:
        document = orjson.loads(answer.body)
    except orjson.JSONDecodeError:
        return {}
    return document if isinstance(document, Mapping) else {}


def no_reason(answer: HttpAnswer) -> str:
    """Return no reason, for a vendor whose status says all that matters."""
    return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class VendorFailures:
    """What one vendor's refusals are called in this house, and in which words.

    Attributes:
        vendor: What the log calls it, such as `google calendar`.
        words: What is told of each type that its table leads to.
        table: By status and reason, or by the status alone. Other 5xx are TRANSIENT, redirects PERMANENT;
            of a write that was answered by 302 or 303 nobody knows (`leaves_open`).
        unknown_outcome: What is told where nobody knows whether it was done, if the vendor's folder can say more than
            `UNKNOWN_OUTCOME`.
        is_unknown_retryable: Whether what may have been done may be asked for again all the same.
        unreadable: What a success is that cannot be read.
        otherwise: What a refusal is that neither the table nor its kind of status tells.
        reason_of: Reads the reason out of an answer; empty where it gives none.
        never_done: The statuses by which its server says that it did not even begin.
    """

    vendor: str
    words: Mapping[ErrorType, str]
    table: Mapping[tuple[int, str], ErrorType] | Mapping[int, ErrorType]
    unknown_outcome: str = UNKNOWN_OUTCOME
    is_unknown_retryable: bool = False
    unreadable: ErrorType = ErrorType.TRANSIENT
    otherwise: ErrorType = ErrorType.PERMANENT
    reason_of: Callable[[HttpAnswer], str] = no_reason
    never_done: frozenset[int] = frozenset()

    def type_of(self, status: int, reason: str = "") -> ErrorType:
        """Return what a refusal is."""
        table: Mapping[Any, ErrorType] = self.table
        for row in ((status, reason), (status, ""), status):
            if row in table:
                return table[row]
        if status >= 500:
            return ErrorType.TRANSIENT
        return self.otherwise if status >= 400 else ErrorType.PERMANENT

    def refused(self, answer: HttpAnswer, *, is_write: bool) -> ToolError:
        """Return what a refusal means; a write that met a failing server may have been made."""
        reason = self.reason_of(answer)
        type = self.type_of(answer.status, reason)
        detail = f"{answer.status} {reason}" if reason else f"HTTP {answer.status}"
        is_open = type is ErrorType.TRANSIENT or leaves_open(answer.status)
        is_unknown = is_write and is_open and answer.status not in self.never_done
        return self.failure(type, detail, is_unknown=is_unknown)

    def unanswered(self, error: NoAnswer, *, is_write: bool) -> ToolError:
        """Return what it means that there was no answer; a write that was sent may have been made."""
        return self.failure(ErrorType.TRANSIENT, f"no answer: {error}", is_unknown=is_write and error.was_sent)

    def failure(
        self,
        type: ErrorType,
        detail: str,
        *,
        is_unknown: bool = False,
        message: str = "",
        meta: Mapping[str, Any] | None = None,
    ) -> ToolError:
        """Return a failure in the words of this house.

        Args:
            type: What it is here.
            detail: For the log.
            is_unknown: Whether what was asked for may have been done.
            message: Where there is more to say than of every failure of this type.
            meta: What else is known of it.
        """
        usual = self.words.get(type) or self.words[ErrorType.PERMANENT]
        return ToolError(
            type,
            self.unknown_outcome if is_unknown else message or usual,
            retryable=False if is_unknown and not self.is_unknown_retryable else None,
            partial_side_effects=is_unknown,
            detail=f"{self.vendor}: {detail}"[:_LONGEST_DETAIL],
            meta=meta,
        )

    def object_of(self, answer: HttpAnswer, *, is_write: bool) -> JsonObject:
        """Return the object in a success; empty for one that says that it has no content.

        Raises:
            ToolError: There is something else in it.
        """
        if answer.status == _NO_CONTENT:
            return {}
        try:
            document = orjson.loads(answer.body)
        except orjson.JSONDecodeError:
            document = None
        if not isinstance(document, dict):
            raise self.failure(self.unreadable, "an answer that is no JSON object", is_unknown=is_write)
        return document


@dataclass(frozen=True, slots=True)
class VendorHttp:
    """Requests to one vendor.

    Attributes:
        http: The house's one session; to an address that an owner chose, requests go through `egress` instead.
        failures: What the vendor's refusals mean.
        base_url: What paths are put behind; without a slash at its end.
        headers: Of every request, such as the key.
        most_bytes: A longer answer counts as none.
    """

    http: HttpSession
    failures: VendorFailures
    base_url: str = ""
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    most_bytes: int = ANSWER_BYTES

    async def send(
        self,
        method: str,
        path: str,
        *,
        timeout_s: float,
        headers: Mapping[str, str] | None = None,
        body: Any = None,
        is_write: bool | None = None,
    ) -> HttpAnswer:
        """Send one request, once, and return whatever is answered.

        Args:
            method: `GET`, `POST`, ...
            path: Behind the base URL, with its query, escaped.
            timeout_s: The most it may take; the call's deadline may leave less.
            headers: Besides those of every request.
            body: Bytes as they are, anything else as JSON.
            is_write: Whether it changes something, so that without an answer nobody knows whether it did. Left out,
                the method says so; False is for a POST that only asks, or that may be sent twice without harm.

        Raises:
            ToolError: There was no answer.
        """
        sent = {"Accept": JSON_TYPE, **self.headers, **(headers or {})}
        if body is not None and not isinstance(body, bytes):
            sent["Content-Type"], body = JSON_TYPE, json_body(body)
        try:
            return await self.http.request(
                method, self.base_url + path, timeout_s=timeout_s, headers=sent, body=body, most_bytes=self.most_bytes
            )
        except NoAnswer as error:
            raise self.failures.unanswered(error, is_write=_may_write(method, is_write)) from error

    async def success(self, method: str, path: str, *, is_write: bool | None = None, **request: Any) -> HttpAnswer:
        """Send one request, as `send` does, and return its success.

        Raises:
            ToolError: There was none.
        """
        answer = await self.send(method, path, is_write=is_write, **request)
        if not 200 <= answer.status < 300:
            raise self.failures.refused(answer, is_write=_may_write(method, is_write))
        return answer

    async def document(self, method: str, path: str, *, is_write: bool | None = None, **request: Any) -> JsonObject:
        """Send one request, as `send` does, and return the JSON object of its success.

        Raises:
            ToolError: There was none.
        """
        answer = await self.success(method, path, is_write=is_write, **request)
        return self.failures.object_of(answer, is_write=_may_write(method, is_write))


def _may_write(method: str, is_write: bool | None) -> bool:
    """Tell whether a request may have changed something; what nobody has said follows from its method."""
    return method.upper() not in READING_METHODS if is_write is None else is_write


async def connected_secret(
    business: Business, secrets: Secrets, toolkit: str, secret: str, failures: VendorFailures
) -> tuple[Integration, str] | None:
    """Return what a business has set for a toolkit and one of its secrets; None where it is not connected.

    Raises:
        ToolError: AUTH, the secret is missing or known to be refused.
    """
    connection = business.integrations.get(toolkit)
    if connection is None or not connection.is_connected:
        return None
    if connection.needs_reauth:
        raise failures.failure(ErrorType.AUTH, f"integrations.{toolkit}.needsReauth is set")
    value = await secrets.reveal(business.id, toolkit, secret, agent_id=connection.agent_id)
    if not value:
        raise failures.failure(ErrorType.AUTH, f"integrations.{toolkit}: no secret named {secret}")
    return connection, value
