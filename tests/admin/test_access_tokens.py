"""Firebase ID tokens and App Check tokens, against a stand-in for Google that signs with keys of its own."""

import asyncio
import json
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import jwt
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.x509.oid import NameOID
from firebase_admin import _http_client, _user_mgt
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from stand_ins.loopback import serving
from switchboard.contract.error import ErrorType, ToolError
from switchboard.integrations import http_session
from switchboard.integrations.http_session import HttpSession
from switchboard.integrations.identity import firebase_tokens
from switchboard.integrations.identity.firebase_tokens import AppCheckTokens, FirebaseTokens
from tests.desk.front_desk import StoppedClock
from tests.each import each

PROJECT, NUMBER, UID = "demo-switchboard", "123456789", "owner-1"
OURS, ANOTHER = (rsa.generate_private_key(public_exponent=65537, key_size=2048) for _ in range(2))


class RealClock(StoppedClock):
    """A clock that shows the real date, since tokens are checked against that, and waits when told to."""

    def now(self) -> datetime:
        return datetime.now(UTC)


def certificate(key: rsa.RSAPrivateKey) -> str:
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "securetoken")])
    now = datetime.now(UTC)
    built = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
    built = built.serial_number(1).not_valid_before(now - timedelta(days=1)).not_valid_after(now + timedelta(days=1))
    return built.sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM).decode()


def json_key(key: rsa.RSAPrivateKey, id: str) -> dict[str, Any]:
    return json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(key.public_key())) | {"kid": id, "use": "sig"}


@dataclass
class Google:
    """Google's keys and accounts; `status` makes the next answers failures."""

    keys: dict[str, str] = field(default_factory=lambda: {"k1": certificate(OURS)})
    users: dict[str, dict[str, Any]] = field(default_factory=lambda: {UID: {"localId": UID, "validSince": "0"}})
    status: int = 200
    keys_status: int | None = None
    asked: list[str] = field(default_factory=list)
    bearers: list[str | None] = field(default_factory=list)

    async def certificates(self, request: Request) -> Response:
        self.asked.append("keys")
        return JSONResponse(self.keys, self.keys_status or self.status, {"Cache-Control": "public, max-age=3600"})

    async def key_set(self, request: Request) -> Response:
        return JSONResponse({"keys": [json_key(OURS, "a1")]}, self.status)

    async def accounts(self, request: Request) -> Response:
        self.asked.append("accounts")
        self.bearers.append(request.headers.get("authorization"))
        wanted = (await request.json())["localId"]
        found = [self.users[id] for id in wanted if id in self.users]
        return JSONResponse({"users": found} if found else {}, self.status)


@pytest.fixture(autouse=True)
def unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a busy machine answer later than anybody would wait for Google."""
    monkeypatch.setattr(http_session, "CONNECT_S", 30.0)
    monkeypatch.setattr(firebase_tokens, "LOOKUP_S", 30.0)
    # Nor does the SDK wait between its attempts.
    monkeypatch.setattr(_http_client.DEFAULT_RETRY_CONFIG, "backoff_factor", 0)


@pytest.fixture
def google() -> Iterator[tuple[str, Google]]:
    """Google on this machine."""
    found = Google()
    lookup = f"/v1/projects/{PROJECT}/accounts:lookup"
    routes = [
        Route("/certificates", found.certificates),
        Route("/jwks", found.key_set),
        Route(lookup, found.accounts, methods=["POST"]),
        Route("/identitytoolkit.googleapis.com" + lookup, found.accounts, methods=["POST"]),
    ]
    with serving(Starlette(routes=routes)) as url:
        yield url, found


@pytest.fixture
def clock() -> RealClock:
    """A clock."""
    return RealClock()


@pytest.fixture
def tokens(
    google: tuple[str, Google], http: HttpSession, clock: RealClock, monkeypatch: pytest.MonkeyPatch
) -> FirebaseTokens:
    """What verifies tokens of the project."""
    url = google[0]

    async def access_token() -> str:
        return "deployment"

    monkeypatch.setattr(_user_mgt.UserManager, "ID_TOOLKIT_URL", f"{url}/v1")
    return FirebaseTokens(PROJECT, http, clock, access_token=access_token, keys_url=f"{url}/certificates")


@pytest.fixture
def emulated(
    google: tuple[str, Google], http: HttpSession, clock: RealClock, monkeypatch: pytest.MonkeyPatch
) -> FirebaseTokens:
    """What verifies tokens of the Auth emulator."""
    host = google[0].removeprefix("http://")
    monkeypatch.setenv("FIREBASE_AUTH_EMULATOR_HOST", host)
    return FirebaseTokens(PROJECT, http, clock, emulator_host=host, keys_url=f"{google[0]}/certificates")


def claims(**changes: Any) -> dict[str, Any]:
    now = int(time.time())
    found = {
        "iss": f"https://securetoken.google.com/{PROJECT}",
        "aud": PROJECT,
        "sub": UID,
        "iat": now - 60,
        "exp": now + 3_540,
        "auth_time": now - 60,
        "roles": {"demo-salon": "owner"},
    } | changes
    return {name: value for name, value in found.items() if value is not None}


def signed(key: rsa.RSAPrivateKey = OURS, kid: str | None = "k1", **changes: Any) -> str:
    return jwt.encode(claims(**changes), key, "RS256", headers={"kid": kid} if kid else {})


def unsigned(**changes: Any) -> str:
    return jwt.encode(claims(**changes), None, "none")


async def refused(tokens: FirebaseTokens, token: str, *, check_revoked: bool = False) -> ErrorType:
    with pytest.raises(ToolError) as error:
        await tokens.verify(token, check_revoked=check_revoked)
    return error.value.type


async def test_a_good_token_gives_its_claims(tokens: FirebaseTokens, google: tuple[str, Google]):
    """Google's keys are fetched once an hour, and the account is looked up once for all that is read in a minute."""
    for _ in range(3):
        found = await tokens.verify(signed(), check_revoked=False)
        assert (found["sub"], found["roles"]) == (UID, {"demo-salon": "owner"})
    assert google[1].asked == ["keys", "accounts"]


@each(
    "user",
    [{"disabled": True}, {"validSince": str(int(time.time()) + 86_400)}, None],
)
async def test_a_sign_in_that_was_taken_back_reads_nothing_after_a_minute(
    tokens: FirebaseTokens, google: tuple[str, Google], clock: RealClock, user: dict[str, Any] | None
):
    """Disabled, signed out everywhere or deleted, however often it was used until then, and not when Google is away."""
    google[1].users = {UID: {"localId": UID}}
    token = signed()
    clock.wait(61)
    await tokens.verify(token, check_revoked=False)
    google[1].users = {UID: {"localId": UID, **user}} if user is not None else {}
    clock.wait(30)
    await tokens.verify(token, check_revoked=False)
    clock.wait(30)
    google[1].status = 503
    assert await refused(tokens, token) is ErrorType.TRANSIENT
    google[1].status = 200
    assert await refused(tokens, token) is ErrorType.AUTH


async def test_what_a_write_has_found_out_counts_for_reading_at_once(
    tokens: FirebaseTokens, google: tuple[str, Google]
):
    """Whoever was refused a change does not go on reading."""
    token = signed()
    await tokens.verify(token, check_revoked=False)
    google[1].users[UID]["disabled"] = True
    assert await refused(tokens, token, check_revoked=True) is ErrorType.AUTH
    assert await refused(tokens, token) is ErrorType.AUTH


FORGED = jwt.encode(claims(), "a secret that is long enough to sign with", "HS256", headers={"kid": "k1"})


@each(
    "make",
    [
        lambda: signed(ANOTHER),
        lambda: signed(kid="k2"),
        lambda: signed(kid=None),
        lambda: FORGED,
        lambda: unsigned(),
        lambda: jwt.encode(claims(), None, "none", headers={"kid": "k1"}),
        lambda: signed()[:-8] + "AAAAAAAA",
        lambda: signed(exp=int(time.time()) - 60),
        lambda: signed(iat=int(time.time()) + 600),
        lambda: signed(auth_time=int(time.time()) + 600),
        lambda: signed(auth_time=None),
        lambda: signed(auth_time="soon"),
        lambda: signed(aud="another-project"),
        lambda: signed(iss="https://securetoken.google.com/another-project"),
        lambda: signed(iss="https://accounts.google.com"),
        lambda: signed(sub=""),
        lambda: signed(sub=None),
        lambda: signed(sub="u" * 129),
        lambda: signed(exp=None),
        lambda: signed(name="n" * 9_000),
        lambda: "a.b.c",
        lambda: "eyJhbGciOiJSUzI1NiJ9..",
        lambda: "",
    ],
)
async def test_a_token_that_is_not_good_is_refused(tokens: FirebaseTokens, make: Any):
    """Forged, of another project, expired, incomplete or nonsense: in the same words."""
    with pytest.raises(ToolError) as error:
        await tokens.verify(make(), check_revoked=False)
    assert (error.value.type, "Sign in again" in error.value.message) == (ErrorType.AUTH, True)


@pytest.mark.parametrize(
    ("user", "expected"),
    [
        ({"validSince": "0"}, None),
        ({}, None),
        ({"validSince": str(int(time.time()) + 86_400)}, ErrorType.AUTH),
        ({"validSince": "0", "disabled": True}, ErrorType.AUTH),
        (None, ErrorType.AUTH),
        ({"validSince": "soon"}, ErrorType.TRANSIENT),
    ],
)
async def test_a_sign_in_that_was_taken_back_is_refused_for_writes(
    tokens: FirebaseTokens, google: tuple[str, Google], user: dict[str, Any] | None, expected: ErrorType | None
):
    """Signed out everywhere, disabled or deleted since; with this deployment's own credentials."""
    google[1].users = {UID: {"localId": UID, **user}} if user is not None else {}
    token = signed()
    if expected is None:
        assert (await tokens.verify(token, check_revoked=True))["sub"] == UID
    else:
        assert await refused(tokens, token, check_revoked=True) is expected
    assert google[1].bearers == ["Bearer deployment"]


async def test_while_google_does_not_answer_nobody_can_tell(
    tokens: FirebaseTokens, google: tuple[str, Google], clock: RealClock
):
    """But keys that are known go on being good, and reading goes on for as long as the account was looked up."""
    google[1].status = 503
    assert await refused(tokens, signed()) is ErrorType.TRANSIENT
    google[1].status = 200
    clock.wait(3)
    await tokens.verify(signed(), check_revoked=True)
    google[1].status = 503
    await tokens.verify(signed(), check_revoked=False)
    assert await refused(tokens, signed(), check_revoked=True) is ErrorType.TRANSIENT


async def test_new_keys_are_found_and_old_ones_outlive_an_outage(
    tokens: FirebaseTokens, google: tuple[str, Google], clock: RealClock
):
    """Google rotates them; a key nobody knows is asked for twice a minute at most."""
    await tokens.verify(signed(), check_revoked=False)
    google[1].keys["k2"] = certificate(ANOTHER)
    for _ in range(5):
        assert await refused(tokens, signed(ANOTHER, "k2")) is ErrorType.AUTH
    assert google[1].asked.count("keys") == 1
    clock.wait(31)
    await tokens.verify(signed(ANOTHER, "k2"), check_revoked=False)
    google[1].keys_status = 500
    clock.wait(4_000)
    await tokens.verify(signed(), check_revoked=False)
    google[1].keys_status, google[1].keys = None, {"k2": certificate(ANOTHER)}
    clock.wait(31)
    assert await refused(tokens, signed()) is ErrorType.AUTH


async def test_tokens_that_somebody_makes_up_cost_no_request(tokens: FirebaseTokens, google: tuple[str, Google]):
    """Neither for keys, which are known, nor for accounts, which nobody has shown to have."""
    await tokens.verify(signed(), check_revoked=False)
    google[1].asked.clear()
    for n in range(10):
        for token in (signed(ANOTHER, sub=f"u{n}"), signed(kid=f"k{n + 2}"), signed()[:-8] + "AAAAAAAA", unsigned()):
            assert await refused(tokens, token, check_revoked=True) is ErrorType.AUTH
    assert google[1].asked == []


async def test_who_was_looked_up_a_moment_ago_is_let_in_while_google_keeps_others_waiting(tokens: FirebaseTokens):
    """The signature is checked without asking anybody, so that nobody's look-up may stand before it."""
    await tokens.verify(signed(), check_revoked=False)
    answered = threading.Event()
    waiting = [asyncio.create_task(tokens._firebase.ask(lambda _: answered.wait(60))) for _ in range(20)]
    await asyncio.sleep(0.1)
    try:
        async with asyncio.timeout(20):
            assert await tokens.verify(signed(), check_revoked=False)
    finally:
        answered.set()
        await asyncio.gather(*waiting)


async def test_no_signature_is_overlooked_because_the_environment_names_an_emulator(
    tokens: FirebaseTokens, monkeypatch: pytest.MonkeyPatch
):
    """The SDK looks there with every call, and would then look at no signature."""
    await tokens.verify(signed(), check_revoked=False)
    monkeypatch.setenv("FIREBASE_AUTH_EMULATOR_HOST", "127.0.0.1:1")
    for token in (signed(ANOTHER), signed(), unsigned()):
        assert await refused(tokens, token) is ErrorType.AUTH


async def test_the_emulators_unsigned_tokens_count_only_where_it_is_configured(
    tokens: FirebaseTokens, emulated: FirebaseTokens, google: tuple[str, Google]
):
    """There, and nowhere else; what they say is checked all the same."""
    assert (await emulated.verify(unsigned(), check_revoked=True))["sub"] == UID
    assert google[1].bearers == ["Bearer owner"]
    assert await refused(tokens, unsigned()) is ErrorType.AUTH
    for token in (
        signed(),
        FORGED,
        unsigned(exp=int(time.time()) - 60),
        unsigned(aud="another-project"),
        unsigned(iss="https://accounts.google.com"),
        unsigned(sub=None),
        unsigned(auth_time=None),
        unsigned() + "AAAA",
    ):
        assert await refused(emulated, token) is ErrorType.AUTH
    google[1].users[UID]["validSince"] = str(int(time.time()) + 86_400)
    assert await refused(emulated, unsigned(), check_revoked=True) is ErrorType.AUTH


def app_token(key: rsa.RSAPrivateKey = OURS, **changes: Any) -> str:
    now = int(time.time())
    issuer = f"https://firebaseappcheck.googleapis.com/{NUMBER}"
    found = {"iss": issuer, "aud": [f"projects/{NUMBER}"], "sub": "1:1:web:1", "iat": now, "exp": now + 60} | changes
    return jwt.encode(found, key, "RS256", headers={"kid": "a1", "typ": "JWT"})


async def test_an_apps_token_is_verified(google: tuple[str, Google], http: HttpSession, clock: RealClock):
    """Of this project, signed by Google, not expired."""
    apps = AppCheckTokens(NUMBER, http, clock, f"{google[0]}/jwks")
    await apps.verify(app_token())
    for bad in (
        app_token(ANOTHER),
        app_token(aud=["projects/987"]),
        app_token(iss="https://firebaseappcheck.googleapis.com/987"),
        app_token(exp=int(time.time()) - 60),
        unsigned(),
        "",
    ):
        with pytest.raises(ToolError) as error:
            await apps.verify(bad)
        assert error.value.type is ErrorType.AUTH
