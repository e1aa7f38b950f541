"""How a vendor's client speaks HTTP: one request, its answer as JSON, and refusals by the vendor's own table."""

import ast
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson
import pytest

from switchboard.contract.business.business import Business, read_business
from switchboard.contract.error import UNKNOWN_OUTCOME, ErrorType, ToolError, leaves_open
from switchboard.integrations import vendor_http
from switchboard.integrations.http_session import HttpAnswer, NoAnswer
from switchboard.integrations.twilio.errors import answered
from switchboard.integrations.vapi.failures import refused as vapi_refused
from switchboard.integrations.vendor_http import VendorFailures, VendorHttp, connected_secret, json_object

FAILURES = VendorFailures(
    vendor="weather",
    words={ErrorType.PERMANENT: "Never.", ErrorType.TRANSIENT: "Later.", ErrorType.AUTH: "Connect again."},
    table={(403, "quota"): ErrorType.RATE_LIMIT, (403, ""): ErrorType.AUTH, (503, ""): ErrorType.RATE_LIMIT},
    unknown_outcome="Nobody knows.",
    reason_of=lambda answer: str(json_object(answer).get("reason") or ""),
    never_done=frozenset({502}),
)


@dataclass
class Session:
    """Answers as it is told, and keeps what was asked."""

    status: int = 200
    body: bytes = b"{}"
    error: NoAnswer | None = None
    asked: list[dict[str, Any]] = field(default_factory=list)

    async def request(self, method: str, url: str, **asked: Any) -> HttpAnswer:
        self.asked.append({"method": method, "url": url, **asked})
        if self.error is not None:
            raise self.error
        return HttpAnswer(self.status, {}, self.body)


def vendor(session: Session, **more: Any) -> VendorHttp:
    return VendorHttp(session, FAILURES, "https://w.example", {"X-Key": "k"}, **more)  # type: ignore[arg-type]


@contextmanager
def refused(type: ErrorType, *, is_unknown: bool = False) -> Iterator[None]:
    """Hold that what is done ends in this failure."""
    with pytest.raises(ToolError) as caught:
        yield
    error = caught.value
    assert (error.type, error.partial_side_effects) == (type, is_unknown)
    assert error.detail.startswith("weather: ")
    assert (error.message == "Nobody knows.") is is_unknown
    assert not (is_unknown and error.retryable)


async def test_a_request_goes_once_with_the_vendors_headers_and_its_body_as_json():
    """Behind the base URL, within its time, and no longer an answer than is allowed."""
    session = Session(201, b'{"a": 1}')
    found = await vendor(session, most_bytes=9).document(
        "POST", "/v1?x=1", timeout_s=2.0, headers={"X-More": "m"}, body={"b": "é"}
    )
    assert found == {"a": 1}
    (asked,) = session.asked
    assert (asked["method"], asked["url"]) == ("POST", "https://w.example/v1?x=1")
    assert (asked["timeout_s"], asked["most_bytes"], orjson.loads(asked["body"])) == (2.0, 9, {"b": "é"})
    shown = {"X-Key": "k", "X-More": "m", "Accept": "application/json", "Content-Type": "application/json"}
    assert asked["headers"] == shown
    assert "'k'" not in repr(vendor(Session()))


async def test_bytes_are_sent_as_they_are_and_nothing_where_there_is_no_body():
    """A form says itself what it is."""
    session = Session()
    await vendor(session).send("POST", "", timeout_s=1.0, headers={"Content-Type": "text/plain"}, body=b"a=b")
    await vendor(session).send("GET", "", timeout_s=1.0)
    assert [(asked["body"], asked["headers"].get("Content-Type")) for asked in session.asked] == [
        (b"a=b", "text/plain"),
        (None, None),
    ]


async def test_half_a_character_does_not_break_a_request():
    """What a model wrote may hold one; it is escaped, as JSON can."""
    session = Session()
    await vendor(session).send("POST", "", timeout_s=1.0, body={"text": "a\ud800b", "name": "é"})
    assert session.asked[0]["body"] == b'{"text":"a\\ud800b","name":"\\u00e9"}'


@pytest.mark.parametrize(
    ("status", "body", "type"),
    [
        (403, b'{"reason": "quota"}', ErrorType.RATE_LIMIT),
        (403, b'{"reason": "other"}', ErrorType.AUTH),
        (403, b"no json", ErrorType.AUTH),
        (503, b"", ErrorType.RATE_LIMIT),
        (500, b"", ErrorType.TRANSIENT),
        (502, b"", ErrorType.TRANSIENT),
        (302, b"", ErrorType.PERMANENT),
        (303, b"", ErrorType.PERMANENT),
        (307, b"", ErrorType.PERMANENT),
        (418, b"", ErrorType.PERMANENT),
    ],
)
@pytest.mark.parametrize("is_write", [False, True])
async def test_a_refusal_is_what_the_vendors_table_says(status: int, body: bytes, type: ErrorType, is_write: bool):
    """By status and reason, else by the status; a write that failed, or is sent elsewhere, may have been made."""
    with refused(type, is_unknown=is_write and status in (302, 303, 500)):
        await vendor(Session(status, body)).document("GET", "", timeout_s=1.0, is_write=is_write)


@pytest.mark.requirement("004-940")
@pytest.mark.parametrize("status", [*range(100, 104), *range(300, 309), 499, 600])
def test_only_a_status_that_names_who_else_is_to_be_asked_says_that_nothing_was_done(status: int):
    """302 and 303 are as usual after what was done as before it; at every vendor of ours the rule is one."""
    expected = status not in (301, 305, 307, 308)
    assert leaves_open(status) is expected
    assert answered(status, None, "text").partial_side_effects is expected
    assert vapi_refused(HttpAnswer(status, {}, b""), "change").partial_side_effects is expected
    assert not vapi_refused(HttpAnswer(status, {}, b""), "read").partial_side_effects


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "put", "MKCALENDAR"])
async def test_what_may_have_been_done_is_told_by_the_method(method: str):
    """Nobody has to say of a write that it is one: it is not asked for again by who delivers the call once more."""
    lost = Session(error=NoAnswer("timed out", was_sent=True))
    for session in (lost, Session(500), Session(200, b"<html>")):
        with refused(ErrorType.TRANSIENT, is_unknown=True):
            await vendor(session).document(method, "/parcels/7", timeout_s=1.0, body={"a": 1})


@pytest.mark.parametrize("method", ["GET", "HEAD", "OPTIONS", "PROPFIND", "REPORT"])
async def test_a_request_that_only_asks_may_be_made_again(method: str):
    """Nothing was done by it, so that there is nothing that nobody knows."""
    with refused(ErrorType.TRANSIENT):
        await vendor(Session(error=NoAnswer("timed out", was_sent=True))).document(method, "", timeout_s=1.0)


async def test_a_vendor_without_words_for_what_nobody_knows_is_told_of_in_true_ones():
    """A model that gets no sentence says that nothing was done."""
    failures = VendorFailures(vendor="parcels", words={ErrorType.PERMANENT: "Never."}, table={})
    session = Session(error=NoAnswer("timed out", was_sent=True))
    http = VendorHttp(session, failures, "https://p.example")  # type: ignore[arg-type]
    with pytest.raises(ToolError) as caught:
        await http.send("PUT", "/parcels/7", timeout_s=1.0)
    assert caught.value.message == UNKNOWN_OUTCOME and not caught.value.retryable


# By module: a POST that only asks, or whose doing it twice harms nobody. None of them serves an action of a tool.
HARMLESS_POSTS = {
    "cloud_tasks": 1,
    "embeddings.remote": 1,
    "oauth.server": 1,
    "pipedream.tokens": 1,
    "realtime.gemini": 1,
    "realtime.openai": 1,
    "secrets.kms": 1,
}


def test_what_counts_as_a_read_in_spite_of_its_method_is_listed_here():
    """An action that is one of them would be done twice after a time-out."""
    root, found = Path(vendor_http.__file__).parent, Counter[str]()
    for path in root.rglob("*.py"):
        for call in ast.walk(ast.parse(path.read_text())):
            if isinstance(call, ast.Call) and getattr(call.func, "attr", "") in ("send", "success", "document"):
                method = call.args[0] if call.args else None
                if isinstance(method, ast.Constant) and method.value not in vendor_http.READING_METHODS:
                    is_read = any(k.arg == "is_write" and ast.unparse(k.value) == "False" for k in call.keywords)
                    found[".".join(path.relative_to(root).with_suffix("").parts)] += is_read
    assert dict(+found) == HARMLESS_POSTS, "leave is_write out where the request changes something; else list it here"


@pytest.mark.parametrize(("was_sent", "is_write"), [(True, True), (True, False), (False, True)])
async def test_no_answer_to_a_write_that_was_sent_is_not_known(was_sent: bool, is_write: bool):
    """Everything else was certainly not done."""
    session = Session(error=NoAnswer("broken", was_sent=was_sent))
    with refused(ErrorType.TRANSIENT, is_unknown=was_sent and is_write):
        await vendor(session).send("POST", "", timeout_s=1.0, is_write=is_write)


@pytest.mark.parametrize("body", [b"", b"[]", b"<html>", b'"x"', b"7"])
async def test_a_success_that_cannot_be_read_is_none(body: bytes):
    """A proxy's page, or a changed API; what was to be done may have been."""
    with refused(ErrorType.TRANSIENT, is_unknown=True):
        await vendor(Session(200, body)).document("POST", "", timeout_s=1.0, is_write=True)
    assert await vendor(Session(204, b"")).document("POST", "", timeout_s=1.0) == {}


class Drawer:
    """Keeps one secret, of the business or of one of its agents."""

    def __init__(self, secret: str | None) -> None:
        self.secret = secret

    async def reveal(self, business_id: str, toolkit: str, field: str, *, agent_id: str = "") -> str | None:
        assert (business_id, toolkit, field, agent_id) == ("salon", "weather", "apiKey", "")
        return self.secret


async def secret_of(connection: Mapping[str, Any] | None, secret: str | None = "k") -> Any:
    business: Business = read_business("salon", {"integrations": {"weather": connection} if connection else {}})
    return await connected_secret(business, Drawer(secret), "weather", "apiKey", FAILURES)  # type: ignore[arg-type]


async def test_a_business_that_connected_nothing_has_no_secret_to_show():
    """Nothing is wrong with that."""
    assert await secret_of(None) is None
    assert await secret_of({"isConnected": False}) is None
    connection, secret = await secret_of({"isConnected": True, "town": "Oslo"})
    assert (connection.settings["town"], secret) == ("Oslo", "k")


@pytest.mark.parametrize(("connection", "secret"), [({"needsReauth": True}, "k"), ({}, None), ({}, "")])
async def test_a_secret_that_is_gone_or_refused_has_to_be_given_anew(connection: dict[str, Any], secret: str | None):
    """AUTH, so that the owner is told."""
    with refused(ErrorType.AUTH):
        await secret_of({"isConnected": True, **connection}, secret)
