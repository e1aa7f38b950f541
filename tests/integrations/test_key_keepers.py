"""Cloud KMS over its REST interface, against a local stand-in that checks requests as KMS documents them."""

import base64
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import google.auth
import google.auth.exceptions
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from switchboard.contract.error import ErrorType, ToolError
from switchboard.integrations.http_session import HttpSession
from switchboard.integrations.secrets.kms import CloudKeyKeeper, DeploymentToken, LocalKeyKeeper

KEY = "projects/p/locations/europe-west1/keyRings/switchboard/cryptoKeys/secrets"
TOKEN = "ya29.canary"
_LOCAL = LocalKeyKeeper(b"m" * 32)


@dataclass
class CloudKeys:
    """KMS with one key; `status` makes the next answers failures, `body` nonsense."""

    status: int = 200
    body: bytes | None = None
    asked: list[str] = field(default_factory=list)

    async def answer(self, request: Request) -> Response:
        self.asked.append(request.url.path)
        if request.headers.get("authorization") != f"Bearer {TOKEN}":
            return JSONResponse({"error": {"code": 401}}, 401)
        if self.status != 200:
            return JSONResponse({"error": {"code": self.status}}, self.status)
        if self.body is not None:
            return Response(self.body, media_type="application/json")
        body = await request.json()
        verb = request.url.path.partition(":")[2]
        if verb == "encrypt" and set(body) == {"plaintext"}:
            wrapped = (await _LOCAL.wrap(base64.b64decode(body["plaintext"], validate=True))).value
            return JSONResponse({"name": f"{KEY}/cryptoKeyVersions/1", "ciphertext": _text(wrapped)})
        if verb == "decrypt" and set(body) == {"ciphertext"}:
            return JSONResponse({"plaintext": _text(await _LOCAL.unwrap(base64.b64decode(body["ciphertext"])))})
        return JSONResponse({"error": {"code": 400}}, 400)


@pytest.fixture
def kms(serve: Callable[[Any], str]) -> tuple[str, CloudKeys]:
    """A KMS on this machine, and its switches."""
    keys = CloudKeys()
    return serve(Starlette(routes=[Route("/v1/{name:path}", keys.answer, methods=["POST"])])), keys


async def token() -> str:
    return TOKEN


def _text(data: bytes) -> str:
    return base64.b64encode(data).decode()


async def test_a_data_key_is_wrapped_and_unwrapped_by_kms(kms: tuple[str, CloudKeys], http: HttpSession):
    """By the key's full name, which needs no version."""
    url, keys = kms
    keeper = CloudKeyKeeper(KEY, http, token, url)
    wrapped = await keeper.wrap(b"a data key")
    assert b"a data key" not in wrapped.value
    assert wrapped.wrapped_by == f"{KEY}/cryptoKeyVersions/1"
    assert await keeper.unwrap(wrapped.value) == b"a data key"
    assert keys.asked == [f"/v1/{KEY}:encrypt", f"/v1/{KEY}:decrypt"]


@pytest.mark.parametrize(
    ("status", "type"),
    [(403, "PERMANENT"), (404, "PERMANENT"), (400, "PERMANENT"), (429, "TRANSIENT"), (503, "TRANSIENT")],
)
async def test_what_kms_refuses_is_told_apart_from_what_it_cannot_do_now(
    kms: tuple[str, CloudKeys], http: HttpSession, status: int, type: str
):
    """Neither asks an owner to connect anything again."""
    url, keys = kms
    keys.status = status
    with pytest.raises(ToolError) as caught:
        await CloudKeyKeeper(KEY, http, token, url).wrap(b"a data key")
    assert caught.value.type is ErrorType(type)
    assert TOKEN not in str(vars(caught.value))


@pytest.mark.parametrize("body", [b"", b"[]", b"{}", b'{"ciphertext": 7}', b'{"ciphertext": "*"}'])
async def test_an_answer_without_sense_is_none(kms: tuple[str, CloudKeys], http: HttpSession, body: bytes):
    """A wrapped key that cannot be unwrapped later must not be stored."""
    url, keys = kms
    keys.body = body
    with pytest.raises(ToolError) as caught:
        await CloudKeyKeeper(KEY, http, token, url).wrap(b"a data key")
    assert caught.value.type is ErrorType.TRANSIENT


async def test_a_kms_that_is_not_there_is_there_later(http: HttpSession, unused_tcp_port: int):
    """TRANSIENT."""
    with pytest.raises(ToolError) as caught:
        await CloudKeyKeeper(KEY, http, token, f"http://127.0.0.1:{unused_tcp_port}").unwrap(b"x")
    assert caught.value.type is ErrorType.TRANSIENT


class _Credentials:
    """Credentials as google-auth makes them, with a counted refresh."""

    def __init__(self) -> None:
        self.token, self.valid, self.refreshed = "", False, 0

    def refresh(self, request: object) -> None:
        self.refreshed += 1
        self.token, self.valid = TOKEN, True


async def test_the_deployments_own_token_is_refreshed_only_when_it_is_due(monkeypatch: pytest.MonkeyPatch):
    """google-auth knows when."""
    credentials = _Credentials()
    monkeypatch.setattr(google.auth, "default", lambda scopes: (credentials, "project"))
    source = DeploymentToken()
    assert [await source.current() for _ in range(3)] == [TOKEN] * 3
    assert credentials.refreshed == 1


async def test_a_deployment_without_credentials_is_told_so(monkeypatch: pytest.MonkeyPatch):
    """PERMANENT: trying again will not make any."""

    def none(scopes: object) -> None:
        raise google.auth.exceptions.DefaultCredentialsError("none")

    monkeypatch.setattr(google.auth, "default", none)
    with pytest.raises(ToolError) as caught:
        await DeploymentToken().current()
    assert caught.value.type is ErrorType.PERMANENT
