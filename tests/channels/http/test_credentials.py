"""Services that come with a service account's ID token instead of an API key, over HTTP and through the whole house."""

import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import httpx2 as httpx
import pytest

from switchboard.admin.credentials.api_keys import create_key, enter_account, revoke_key
from switchboard.app.container import Container, build
from switchboard.app.settings import read_configuration
from switchboard.channels.http.credentials import Accounts, Credentials, Rejected, entitled
from switchboard.contract.account import GOOGLE_ISSUERS, TrustedAccount, claimed_issuer
from switchboard.contract.credential import OWNER_SCOPES, Scope
from switchboard.contract.store import Create, Query, Unavailable
from tests.channels.conftest import LONG_S
from tests.channels.http.test_tools_api import KEY, PATHS, call, listing, store  # noqa: F401 - a fixture
from tests.integrations.token_issuer import ANOTHER, Issuer, RealClock, signed

URL, EMAIL = "https://switchboard.example.com", "till@my-project.iam.gserviceaccount.com"
ACCOUNT = TrustedAccount("serviceAccount", EMAIL)
SALON, PLUMBER = "demo-salon", "demo-plumber"


def token(key: Any = None, **claims: Any) -> str:
    said = {"iss": "https://accounts.google.com", "aud": URL, "sub": "1", "email": EMAIL, "email_verified": True}
    return signed(said | claims, **({"key": key} if key else {}))


@dataclass
class Premises:
    """A house that Google's stand-in vouches at, and somebody who sends requests to it."""

    house: Container
    clock: RealClock
    google: Issuer
    http: httpx.AsyncClient
    store: Any

    async def enter(self, business_id: str = SALON, **more: Any) -> str:
        """Let the account in."""
        now = self.clock.now()
        return await enter_account(self.store, PATHS, business_id, "till", ACCOUNT, now, **more)

    async def list(self, text: str | None = None, business_id: str = SALON) -> httpx.Response:
        """Ask for a business's tools."""
        headers = {"Authorization": f"Bearer {text or token()}"}
        return await self.http.get("/tools/definitions", params=listing(businessId=business_id), headers=headers)

    async def send(self, path: str, body: Any = None, **headers: str) -> httpx.Response:
        """Post with the account's token."""
        return await self.http.post(path, json=body, headers={"Authorization": f"Bearer {token()}"} | headers)


@pytest.fixture
def google(serve: Callable[[Any], str]) -> tuple[str, Issuer]:
    """Google on this machine."""
    found = Issuer()
    return serve(found.app()), found


@pytest.fixture
async def premises(store: Any, google: tuple[str, Issuer]) -> AsyncIterator[Premises]:  # noqa: F811
    """A house with a public address."""
    environ = {"SWITCHBOARD_PUBLIC_URL": URL, "SWITCHBOARD_GOOGLE_BASE_URL": google[0]}
    house = build(read_configuration(environ), store)
    house.clock = clock = RealClock()
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app=house.app), base_url="http://127.0.0.1") as http:
        yield Premises(house, clock, google[1], http, store)
    await house.http.close()


async def test_an_account_that_is_entered_does_what_a_key_does(premises: Premises):
    """At each place that takes keys; what it does stands under its entry's id."""
    await premises.enter(scopes=OWNER_SCOPES)
    assert (await premises.list()).json()["tools"]
    assert (await premises.send("/tools/execute", call())).json()["ok"] is True
    context = {"channel": "phone", "sessionId": "s1", "turn": 1, "callId": "c"}
    heard = {"businessId": SALON, "context": context, "heard": {"text": "yes"}}
    assert (await premises.send("/tools/heard", heard)).json()["verdict"] == "nothing"
    assert (await premises.send("/tasks/outbox", {})).json()["businessId"] == SALON
    chat = {"businessId": SALON, "sessionId": "s2", "message": "Hello"}
    assert (await premises.send("/portal/chat", chat)).status_code != 401
    headers = {"Authorization": f"Bearer {token()}"}
    (entry,) = [
        key
        for key in (await premises.http.get(f"/admin/businesses/{SALON}/keys", headers=headers)).json()["keys"]
        if key.get("serviceAccount")
    ]
    assert (entry["serviceAccount"], entry["works"]) == (EMAIL, True)


async def test_owners_signing_in_by_firebase_do_not_stand_in_the_way(premises: Premises):
    """Where both are taken, the token itself says which of them has to tell."""

    class SignIns:
        async def verify(self, token: str, *, check_revoked: bool) -> Any:
            raise AssertionError("this is none of Firebase's")

    premises.house.__dict__["sign_ins"] = SignIns()
    await premises.enter(scopes=OWNER_SCOPES)
    headers = {"Authorization": f"Bearer {token()}"}
    assert (await premises.http.get(f"/admin/businesses/{SALON}", headers=headers)).status_code == 200
    assert (await premises.http.get(f"/admin/businesses/{PLUMBER}", headers=headers)).status_code == 403


@pytest.mark.parametrize(
    "make",
    [
        lambda: token(ANOTHER),
        lambda: token(exp=int(time.time()) - 60),
        lambda: token(aud="https://another.example.com"),
        lambda: token(email_verified=False),
        lambda: token(iss="https://securetoken.google.com/demo"),
        lambda: token(email="x" * 9_000),
        lambda: token()[:40],
        lambda: "eyJhbGciOiJub25lIn0.eyJpc3MiOiJhY2NvdW50cy5nb29nbGUuY29tIn0.",
    ],
)
async def test_a_token_that_is_not_good_is_401_and_nothing_is_read_for_it(premises: Premises, make: Any):
    """With words for whoever set it up; the store is not asked about accounts that nobody vouches for."""
    await premises.enter()
    premises.store.paths.clear()
    text = make()
    answer = await premises.list(text)
    assert (answer.status_code, answer.headers["www-authenticate"]) == (401, "Bearer")
    assert answer.json()["error"]["type"] == "AUTH"
    assert EMAIL not in answer.text
    # What does not even say that it is Google's may be the text of a key.
    assert premises.store.paths == ([] if claimed_issuer(text) in GOOGLE_ISSUERS else ["apiKeys"])


async def test_an_account_that_is_entered_nowhere_is_403(premises: Premises):
    """Anybody can have a service account; who it is and how it would be let in is told."""
    answer = await premises.list()
    assert answer.status_code == 403
    assert EMAIL in answer.json()["error"]["message"] and "scripts/api_key" in answer.json()["error"]["message"]


async def test_the_business_is_the_entrys_and_not_the_requests(premises: Premises):
    """Nor the token's: what it claims beyond who it is counts for nothing."""
    await premises.enter()
    claims = {"businessId": PLUMBER, "roles": {PLUMBER: "owner"}, "platformAdmin": True, "scope": "owner"}
    assert (await premises.list(token(**claims), PLUMBER)).status_code == 403
    assert (await premises.list(token(**claims), "no-such-business")).status_code == 403
    headers = {"Authorization": f"Bearer {token(**claims)}"}
    assert (await premises.http.get(f"/admin/businesses/{PLUMBER}", headers=headers)).status_code == 403
    assert (await premises.send("/tools/execute", call(business=PLUMBER))).status_code == 403


async def test_an_account_may_do_what_was_entered_and_no_more(premises: Premises):
    """By its scopes, as a key."""
    await premises.enter(scopes=[Scope.READ])
    assert (await premises.list()).status_code == 200
    answer = await premises.send("/tools/execute", call())
    assert (answer.status_code, "tools:execute" in answer.json()["error"]["message"]) == (403, True)


async def test_an_account_of_several_businesses_speaks_for_the_one_that_is_named(premises: Premises):
    """In each only what is entered there; where none is named, it is asked which."""
    await premises.enter()
    await premises.enter(PLUMBER, scopes=[Scope.READ])
    for business_id in (SALON, PLUMBER):
        assert (await premises.list(business_id=business_id)).status_code == 200
    assert (await premises.list(business_id="no-such-business")).status_code == 403
    assert (await premises.send("/tools/execute", call())).json()["ok"] is True
    assert (await premises.send("/tools/execute", call(business=PLUMBER))).status_code == 403
    for body, status in (({}, 403), ({"businessId": SALON}, 200), ({"businessId": PLUMBER}, 403)):
        answer = await premises.send("/tasks/outbox", body)
        assert answer.status_code == status, (body, answer.text)
    assert "several businesses" in (await premises.send("/tasks/outbox", {})).json()["error"]["message"]


async def test_an_owner_of_several_businesses_names_one(premises: Premises):
    """Operations whose business may be left out ask which; the others go by their path."""
    for business_id in (SALON, PLUMBER):
        await premises.enter(business_id, scopes=OWNER_SCOPES)
    headers = {"Authorization": f"Bearer {token()}"}
    answer = await premises.http.get("/admin/explain", params={"session": "s"}, headers=headers)
    assert (answer.status_code, "several" in answer.json()["error"]["message"]) == (403, True)
    named = {"session": "s", "businessId": PLUMBER}
    assert (await premises.http.get("/admin/explain", params=named, headers=headers)).status_code == 404
    assert (await premises.http.get(f"/admin/businesses/{PLUMBER}", headers=headers)).status_code == 200


async def test_the_store_is_asked_once_in_ten_seconds_however_many_come(premises: Premises):
    """As for keys; of an account that is entered nowhere as well."""
    await premises.enter()
    for who in (EMAIL, "stranger@p.iam.gserviceaccount.com"):
        premises.store.paths.clear()
        for _ in range(20):
            await premises.list(token(email=who))
        assert premises.store.paths.count("apiKeys") == 1
    assert len(premises.google.asked) == 1
    premises.clock.wait(11)
    await premises.list()
    assert premises.store.paths.count("apiKeys") == 2


async def test_what_is_revoked_lets_nobody_in_ten_seconds_later(premises: Premises, monkeypatch: pytest.MonkeyPatch):
    """And an entry that expires does so at once."""
    id = await premises.enter()
    assert (await premises.list()).status_code == 200
    await revoke_key(premises.store, PATHS, SALON, id)
    premises.clock.wait(11)
    assert (await premises.list()).status_code == 403
    await premises.enter(expires_at=premises.clock.now() + timedelta(seconds=LONG_S))
    premises.clock.wait(11)
    assert (await premises.list()).status_code == 200
    ends_at = (await entry(premises))["expiresAt"]
    monkeypatch.setattr(premises.clock, "now", lambda: ends_at)
    assert (await premises.list()).status_code == 403


async def entry(premises: Premises) -> dict[str, Any]:
    found = await premises.store.query(Query(PATHS.within(SALON).collection("apiKeys")))
    return next(document.data for document in found if document.data.get("serviceAccount"))


async def test_while_google_cannot_be_asked_it_is_503(premises: Premises):
    """With when to come again; a key is let in meanwhile, and those whom Google's known keys vouch for."""
    await premises.enter()
    premises.google.status = 500
    answer = await premises.send("/tools/execute", call())
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "2")
    assert (await premises.list(KEY)).status_code == 200
    premises.google.status = 200
    premises.clock.wait(3)
    assert (await premises.list()).status_code == 200
    premises.google.status = 500
    premises.clock.wait(4_000)
    assert (await premises.list()).status_code == 200


async def test_while_the_store_does_not_answer_what_was_entered_counts_for_minutes(premises: Premises):
    """As keys do; whom nobody has looked up yet cannot be told."""
    accounts = Accounts(premises.store, PATHS, premises.clock)
    await premises.enter()
    assert (await accounts.recognise(ACCOUNT)).business_id == SALON
    premises.store.fail_before = {"query": Unavailable("hangs")}
    premises.clock.wait(20)
    assert (await accounts.recognise(ACCOUNT)).business_id == SALON
    with pytest.raises(Rejected) as unknown:
        await accounts.recognise(TrustedAccount("serviceAccount", "other@p.iam.gserviceaccount.com"))
    premises.clock.wait(400)
    with pytest.raises(Rejected) as old:
        await accounts.recognise(ACCOUNT)
    assert (unknown.value.status, old.value.status) == (503, 503)


async def test_an_issuers_subject_is_another_issuers_stranger(premises: Premises):
    """Two of them may give the same name; and no service account is a subject."""
    ours, theirs = (TrustedAccount("subject", "ana", f"https://{who}.example.com") for who in ("ours", "theirs"))
    await enter_account(premises.store, PATHS, SALON, "ana", ours, premises.clock.now())
    accounts = Accounts(premises.store, PATHS, premises.clock)
    assert (await accounts.recognise(ours)).holder == "ana"
    for other in (theirs, TrustedAccount("serviceAccount", "ana"), TrustedAccount("subject", "ana")):
        with pytest.raises(Rejected) as caught:
            await accounts.recognise(other)
        assert caught.value.status == 403


async def test_without_a_public_address_there_is_no_token_for_this_deployment(store: Any):  # noqa: F811
    """Then they are what they always were: the text of no key."""
    house = build(read_configuration({}), store)
    await enter_account(store, PATHS, SALON, "till", ACCOUNT, RealClock().now())
    with pytest.raises(Rejected) as caught:
        await house.credentials.recognise(f"Bearer {token()}")
    assert caught.value.status == 401


async def test_no_text_of_a_key_is_an_account(premises: Premises):
    """An entry has no hash; whoever knows the address of an account shows nothing by it."""
    id = await premises.enter()
    credentials = Credentials(premises.store, PATHS, premises.clock)
    for text in (EMAIL, id, f"serviceAccount\n\n{EMAIL}", "None", ""):
        with pytest.raises(Rejected) as caught:
            await credentials.recognise(f"Bearer {text}")
        assert caught.value.status == 401


async def test_a_key_that_looks_like_a_token_is_a_key(premises: Premises):
    """Whoever chose its text in earlier days is let in as before."""
    text = "eyJ.chosen.by-hand"
    await create_key(premises.store, PATHS, SALON, "old", text=text)
    credential = await premises.house.credentials.recognise(f"Bearer {text}")
    entitled(credential, Scope.READ, SALON)


async def test_what_stands_in_an_entry_by_hand_is_read_like_any(premises: Premises):
    """Entered twice in one business, it is that business's all the same."""
    await premises.enter()
    twin = {"serviceAccount": EMAIL, "scopes": ["tools:read"]}
    await premises.store.commit([Create(PATHS.within(SALON).document("apiKeys", "by-hand"), twin)])
    assert (await premises.list()).status_code == 200


async def test_an_account_that_an_owner_revokes_is_let_in_no_more_at_once(premises: Premises):
    """In the process in which that was done; the others follow within ten seconds."""
    await premises.enter(scopes=OWNER_SCOPES)
    headers = {"Authorization": f"Bearer {token()}"}
    (key,) = [
        key
        for key in (await premises.http.get(f"/admin/businesses/{SALON}/keys", headers=headers)).json()["keys"]
        if key.get("serviceAccount") == EMAIL
    ]
    path = f"/admin/businesses/{SALON}/keys/{key['id']}"
    answer = await premises.http.request("DELETE", path, headers=headers | {"If-Match": key["revision"]})
    assert answer.status_code == 200, answer.text
    assert (await premises.list()).status_code == 403
