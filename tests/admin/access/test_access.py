"""Every endpoint with every role and every business, from the table that the routes are built from."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from switchboard.admin.access.access import FORBIDDEN, Access
from switchboard.admin.access.roles import ALLOWED, Operation, Role
from switchboard.admin.api.endpoint import Endpoint
from switchboard.channels.http.credentials import Rejected
from switchboard.contract import policy
from switchboard.contract.deadline import read_s
from switchboard.contract.error import ErrorType, ToolError
from switchboard.state.memory.store import MemoryStore
from tests.admin.owners_office import GHOST, OTHER, OWN, PEOPLE, Premises, endpoints_of, fill, open_premises, token
from tests.desk.front_desk import WatchedStore
from tests.each import each

ROLES = {"platform": Role.PLATFORM, "owner": Role.OWNER, "editor": Role.EDITOR, "viewer": Role.VIEWER}
STRANGERS = ("neighbour", "nobody", "misspelt")


@pytest.fixture
async def premises() -> AsyncIterator[Premises]:
    """An office with conversations in both businesses."""
    found = await open_premises(WatchedStore(MemoryStore()))
    for business_id in (OWN, OTHER):
        await fill(found.store, business_id)
    yield found
    await found.browser.aclose()


async def send(premises: Premises, prefix: str, endpoint: Endpoint, business_id: str, headers: dict[str, str]) -> Any:
    path = prefix + endpoint.path.format(
        business_id=business_id,
        id="x",
        entry_id="x",
        interaction_id="i0",
        session_id="s0",
        place="callers",
        visit_id="x",
        number="x",
        change_id="x",
    )
    body = {"json": {}} if endpoint.method in ("POST", "PUT", "PATCH") else {}
    return await premises.browser.request(endpoint.method, path, headers=headers, **body)


def about_a_business(premises: Premises) -> list[tuple[str, Endpoint]]:
    found = [pair for pair in endpoints_of(premises.office) if "{business_id}" in pair[1].path]
    assert len(found) > 20
    return found


@pytest.mark.requirement("000-94")
async def test_each_endpoint_lets_in_exactly_the_roles_of_the_table(premises: Premises):
    """A role of the business: 403 if the table says so, anything else otherwise."""
    for prefix, endpoint in about_a_business(premises):
        for person, role in ROLES.items():
            answer = await send(premises, prefix, endpoint, OWN, token(person))
            is_let_in = role in ALLOWED[endpoint.operation]
            assert (answer.status_code == 403) is not is_let_in, (endpoint.method, endpoint.path, person, answer.text)
            assert answer.status_code < 500 and answer.status_code != 401


class TimedStore(WatchedStore):
    """Notes how long each question may take."""

    def __init__(self) -> None:
        super().__init__(MemoryStore())
        self.allowed_s: set[float] = set()

    def _asked(self, method: str) -> None:
        self.allowed_s.add(read_s())
        super()._asked(method)


async def test_the_store_has_more_time_for_an_owners_page_than_for_a_call():
    """Whatever an owner asks for; and what is asked on a caller's behalf afterwards is as short as before."""
    premises = await open_premises(store := TimedStore())
    try:
        for prefix, endpoint in about_a_business(premises):
            store.allowed_s.clear()
            await send(premises, prefix, endpoint, OWN, token("owner"))
            assert store.allowed_s <= {policy.OWNERS_READ_S}, endpoint.path
        await premises.browser.get(f"/admin/businesses/{OWN}", headers=token("owner"))
        assert store.allowed_s == {policy.OWNERS_READ_S}
        assert read_s() == policy.STORE_READ_S
    finally:
        await premises.browser.aclose()


@pytest.mark.requirement("000-94")
async def test_whoever_may_not_is_told_the_same_whether_or_not_the_business_exists(premises: Premises):
    """Same status, same body, same headers; nothing is read for it."""
    keys = [await premises.key_for(OTHER, "owner"), await premises.key_for(OWN, "tools:read", "tools:execute")]
    for headers in keys:
        await premises.browser.get(f"/admin/businesses/{GHOST}", headers=headers)
    watched = premises.store
    assert isinstance(watched, WatchedStore)
    seen = set()
    for prefix, endpoint in about_a_business(premises):
        for headers in (*map(token, STRANGERS), *keys):
            for business_id in (OWN, GHOST):
                asked = watched.asked.total()
                answer = await send(premises, prefix, endpoint, business_id, headers)
                assert answer.status_code == 403, (endpoint.path, headers)
                assert watched.asked.total() == asked
                seen.add((answer.content, answer.headers.get("etag"), answer.headers["content-type"]))
    assert len(seen) == 1
    assert FORBIDDEN.encode() in next(iter(seen))[0]


async def test_a_role_in_one_business_is_none_in_another(premises: Premises):
    """Whatever the role, and also for one that is there."""
    for prefix, endpoint in about_a_business(premises):
        for person in ("owner", "editor", "viewer"):
            assert (await send(premises, prefix, endpoint, OTHER, token(person))).status_code == 403


async def test_nobody_is_let_in_without_a_credential(premises: Premises):
    """Nor with one that nobody made; none of it says anything about the business."""
    made_up = ({}, {"Authorization": "Basic abc"}, {"Authorization": "Bearer sb_nothing"}, token("stranger"))
    for prefix, endpoint in endpoints_of(premises.office):
        for headers in made_up:
            answer = await send(premises, prefix, endpoint, OWN, dict(headers))
            assert answer.status_code == 401, (endpoint.path, headers)
            assert answer.headers["www-authenticate"] == "Bearer"
            assert "Maple" not in answer.text


async def test_an_owner_of_what_is_not_there_is_told_so(premises: Premises):
    """Those who may know do: 404, and no 403."""
    answer = await premises.ask("GET", f"/admin/businesses/{GHOST}", "ghost_owner")
    assert (answer.status_code, answer.json()["error"]["type"]) == (404, "NOT_FOUND")
    assert (await premises.ask("GET", f"/admin/businesses/{GHOST}", "platform")).status_code == 404


async def test_an_owners_api_key_is_an_owner_of_its_business(premises: Premises):
    """And of no other; a service's key is nothing here."""
    key = await premises.key_for(OWN, "owner")
    answer = await premises.browser.get(f"/admin/businesses/{OWN}", headers=key)
    assert (answer.status_code, answer.json()["role"]) == (200, "owner")
    assert (await premises.browser.get(f"/admin/businesses/{OTHER}", headers=key)).status_code == 403


async def test_an_operators_api_key_is_a_platform_admin(premises: Premises):
    """Every business is its own; one that is made by a command only (`test_api_keys`)."""
    key = await premises.key_for(OWN, "platform")
    for business in (OWN, OTHER):
        answer = await premises.browser.get(f"/admin/businesses/{business}", headers=key)
        assert (answer.status_code, answer.json()["role"]) == (200, "platform")


@pytest.mark.parametrize("method", ["GET", "PATCH"])
async def test_whether_a_sign_in_was_taken_back_is_asked_for_every_write(premises: Premises, method: str):
    """Reading goes on until the token ends, within the hour."""
    premises.sign_ins.revoked.add("owner")
    answer = await premises.ask(method, f"/admin/businesses/{OWN}", json={})
    assert premises.sign_ins.checked == [method == "PATCH"]
    assert answer.status_code == (401 if method == "PATCH" else 200)


async def test_while_sign_ins_cannot_be_checked_nobody_is_let_in(premises: Premises):
    """503: it is not the owner's fault."""
    premises.sign_ins.is_away = True
    answer = await premises.ask("GET", f"/admin/businesses/{OWN}")
    assert (answer.status_code, answer.json()["error"]["retryable"]) == (503, True)


async def test_every_operation_says_who_may(premises: Premises):
    """And platform admins may do everything that anybody may."""
    assert set(ALLOWED) == set(Operation)
    assert all(Role.PLATFORM in roles for roles in ALLOWED.values())
    assert {e.operation for _, e in endpoints_of(premises.office) if e.method != "GET"} <= {
        operation for operation, roles in ALLOWED.items() if Role.VIEWER not in roles
    }


FOR_OWNERS = {"edit_safeguards", "connect", "see_keys", "edit_keys"}
FOR_EDITORS = {
    *("edit_business", "edit_entries", "see_audit", "undo", "edit_tools", "edit_agents"),
    *("see_personal_values", "see_costs", "take_over"),
}
FOR_EVERYBODY = {
    *("list_businesses", "see_business", "see_entries", "see_conversations", "see_setup", "see_definitions"),
}


@each("operation", list(Operation))
def test_the_table_of_roles_is_the_one_that_was_agreed(operation: Operation):
    """Whatever is not named here is for the platform alone."""
    word, allowed = operation.value, {Role.PLATFORM}
    allowed |= {Role.OWNER} if word in FOR_OWNERS | FOR_EDITORS | FOR_EVERYBODY else set()
    allowed |= {Role.EDITOR} if word in FOR_EDITORS | FOR_EVERYBODY else set()
    allowed |= {Role.VIEWER} if word in FOR_EVERYBODY else set()
    assert ALLOWED[operation] == allowed


class Apps:
    """Lets one app in."""

    async def verify(self, token: str) -> None:
        if token != "ours":
            raise ToolError(ErrorType.AUTH, "This request does not come from one of our apps.")


async def test_where_apps_are_checked_a_token_alone_does_not_suffice(premises: Premises):
    """An API key needs no app: services are none."""
    from starlette.requests import Request

    async def keys(_: str | None) -> Any:
        raise Rejected(401, "no key")

    access = Access(keys, Rejected, premises.sign_ins, Apps())

    def request(**headers: str) -> Request:
        raw = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
        return Request({"type": "http", "method": "GET", "path": "/", "headers": raw, "query_string": b""})

    signed_in = token("owner")["Authorization"]
    with pytest.raises(Rejected) as refused:
        await access.identify(request(authorization=signed_in))
    assert refused.value.status == 401
    identity = await access.identify(request(authorization=signed_in, x_firebase_appcheck="ours"))
    assert identity.roles == {OWN: Role.OWNER}


@pytest.mark.parametrize(
    ("person", "method", "named", "expected"),
    [
        ("owner", "GET", None, OWN),
        ("owner", "POST", OWN, OWN),
        ("viewer", "GET", None, OWN),
        ("viewer", "POST", None, None),
        ("owner", "GET", OTHER, None),
        ("platform", "GET", OTHER, OTHER),
        ("nobody", "GET", None, None),
    ],
)
async def test_routes_whose_business_may_be_left_out_take_it_from_the_credential(
    premises: Premises, person: str, method: str, named: str | None, expected: str | None
):
    """Where it is for one business alone; reading and writing need different operations."""
    from starlette.requests import Request

    headers = [(b"authorization", token(person)["Authorization"].encode())]
    request = Request({"type": "http", "method": method, "path": "/", "headers": headers, "query_string": b""})
    operation = Operation.SEE_SETUP if method == "GET" else Operation.EDIT_TOOLS
    if expected is not None:
        assert (await premises.access.permit(request, named, operation)).business_id == expected
        return
    with pytest.raises(Rejected) as refused:
        await premises.access.permit(request, named, operation)
    assert (refused.value.status, refused.value.message) == (403, FORBIDDEN)


@each("person", list(PEOPLE))
async def test_everybody_is_shown_their_own_businesses_only(premises: Premises, person: str):
    """What is not there is left out; who has no role anywhere is not let in."""
    answer = await premises.ask("GET", "/admin/businesses", person)
    expected = {"platform": [OTHER, OWN], "neighbour": [OTHER], "ghost_owner": []}.get(person, [OWN])
    if person in ("nobody", "misspelt"):
        assert answer.status_code == 403
    else:
        assert [line["id"] for line in answer.json()["businesses"]] == expected
