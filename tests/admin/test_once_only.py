"""What owners make under an `Idempotency-Key`, by the API's own document: once, however often and by whomever told."""

import asyncio
from collections.abc import Sequence

import httpx2 as httpx
import pytest

from switchboard.contract.store import Document, Unavailable, Write, WriteResult
from switchboard.state.memory.store import MemoryStore
from tests.admin.test_every_write import WRITES, described, is_revisioned, on_record
from tests.admin.test_same_moment import Crossing
from tests.admin.whole_house import BUSINESS, Owner, opened, opened_beside

OTHERWISE = {
    "/admin/businesses/{business_id}/restrictions": "a number that is flagged is not flagged twice",
    "/admin/businesses/{business_id}/bookings/assign": "who is given somebody needs nobody any more",
    "/admin/businesses/{business_id}/bookings/{booking_id}/assign": "the same",
    "/admin/businesses/{business_id}/mcp/connect": "each of a server's tools is made once by itself",
    "/admin/businesses/{business_id}/tools/import": "each operation of a document is made once by itself",
    "/admin/businesses/{business_id}/tools/bundle": "what is there already is passed over",
}
"""What makes nothing twice without a key, and why."""


_HOUSE = "/admin/businesses/{business_id}"
MAKING = [
    *(("POST", f"{_HOUSE}/{path}") for path in ("collections", "collections/{name}/rows", "agents", "documents")),
    *(("POST", f"{_HOUSE}/{path}") for path in ("calendar-feeds", "keys", "resources", "absences", "customers")),
    *(("POST", f"/tts_admin/{path}/{{business_id}}") for path in ("faqs", "policies")),
    ("POST", f"{_HOUSE}/text-stops"),
]
"""Every route that makes something and is based on no revision, but that of appointments, which has its own tests."""


async def test_whatever_is_made_reads_a_key_unless_it_is_made_once_without(owner: Owner):
    """Another one is added to the table of those that need none, with its reason."""
    document = described(owner.house)
    made = {route for route in WRITES if route[0] == "POST" and not is_revisioned(document[route])}
    keyed = {r for r in made if any(one["name"] == "Idempotency-Key" for one in document[r].get("parameters", ()))}
    assert keyed == {*MAKING, ("POST", f"{_HOUSE}/appointments")}
    assert made - keyed == {("POST", path) for path in OTHERWISE}


@pytest.mark.requirement("004-2501")
@pytest.mark.parametrize("route", MAKING, ids=" ".join)
async def test_what_is_told_twice_under_one_key_is_made_once_and_told_again(owner: Owner, route: tuple[str, str]):
    """In the same words; what is told only once, such as a key, is refused then, naming what it made."""
    ready = await WRITES[route](owner)
    before = await on_record(owner)
    first = await owner.send("POST", ready.path, ready.body, key="form-1")
    assert first.status_code in (200, 201), first.text
    again = await owner.send("POST", ready.path, ready.body, key="form-1")
    (entry,) = (await on_record(owner)).keys() - before.keys()
    if again.status_code == 409:
        assert "done before" in again.json()["error"]["message"]
        assert (await on_record(owner))[entry]["document"] in again.json()["error"]["message"]
        return
    assert (again.status_code, again.json()) == (first.status_code, first.json())
    assert (again.headers["audit-entry"], again.headers["idempotent-replayed"]) == (entry, "true")
    assert again.headers.get("etag") == first.headers.get("etag")


@pytest.mark.requirement("004-2501")
@pytest.mark.parametrize("route", MAKING, ids=" ".join)
async def test_of_two_servers_that_are_told_one_wish_in_one_moment_one_makes_it(route: tuple[str, str]):
    """Both have seen that nothing was made before either writes: the store decides."""
    store = Crossing()
    async with opened(store) as owner, opened_beside(store) as other:
        ready = await WRITES[route](owner)
        before = await on_record(owner)
        store.meet()

        async def make(who: Owner) -> httpx.Response:
            answer = await who.send("POST", ready.path, ready.body, key="form-1")
            store.is_met.set()
            return answer

        answers = await asyncio.gather(make(owner), make(other))
        first, second = sorted(answers, key=lambda answer: answer.status_code)
        assert first.status_code in (200, 201), first.text
        assert second.status_code == first.status_code or "done before" in second.text, second.text
        assert len((await on_record(owner)).keys() - before.keys()) == 1


class Mute(MemoryStore):
    """A store whose next answer to a commit is lost, and whose reads fail from then on for a while."""

    def __init__(self) -> None:
        super().__init__()
        self.is_mute = False

    async def commit(self, writes: Sequence[Write]) -> list[WriteResult]:
        """Write, and say nothing."""
        results = await super().commit(writes)
        if self.is_mute:
            raise Unavailable("no answer")
        return results

    async def get(self, path: str) -> Document | None:
        """Read, unless it says nothing."""
        if self.is_mute:
            raise Unavailable("no answer")
        return await super().get(path)


CUSTOMERS = f"{BUSINESS}/customers"


async def customers(owner: Owner) -> list[str]:
    """Return the names on file."""
    return [row["name"] for row in (await owner.done("GET", CUSTOMERS))["customers"]]


@pytest.mark.requirement("004-2501")
async def test_what_was_made_though_no_answer_came_is_told_and_not_made_again():
    """The store did what it was asked and did not say so: whoever presses again under the key has one customer."""
    store = Mute()
    async with opened(store) as owner:
        wish = {"name": "Ana Silva", "phone": "(518) 555-0161"}
        commit = store.commit

        async def losing(writes: Sequence[Write]) -> list[WriteResult]:
            store.is_mute = True
            return await commit(writes)

        store.commit = losing  # type: ignore[method-assign]
        lost = await owner.send("POST", CUSTOMERS, wish, key="form-1")
        assert (lost.status_code, lost.json()["error"]["retryable"]) == (503, True)
        store.is_mute, store.commit = False, commit  # type: ignore[method-assign]
        again = await owner.send("POST", CUSTOMERS, wish, key="form-1")
        assert (again.status_code, again.json()["name"]) == (201, "Ana Silva")
        assert await customers(owner) == ["Ana Silva"]


@pytest.mark.requirement("004-2501")
async def test_a_key_is_somebodys_own_and_for_one_wish(owner: Owner):
    """Under it nothing else is made, and what others make under the same one is theirs; blank is none."""
    ana, bea = {"name": "Ana"}, {"name": "Bea"}
    made = await owner.send("POST", CUSTOMERS, ana, key="k")
    other = await owner.send("POST", CUSTOMERS, bea, key="k")
    assert other.status_code == 409 and "Send a new key" in other.json()["error"]["message"]
    theirs = await owner.send("POST", CUSTOMERS, bea, by="owner", key="k")
    assert theirs.status_code == 201 and "idempotent-replayed" not in theirs.headers
    assert made.json()["id"] != theirs.json()["id"]
    for _ in range(2):
        assert (await owner.send("POST", CUSTOMERS, {"name": "Cy"}, key="  ")).status_code == 201
    assert sorted(await customers(owner)) == ["Ana", "Bea", "Cy", "Cy"]
    long = await owner.send("POST", CUSTOMERS, ana, key="k" * 201)
    assert long.status_code == 400 and "200 characters" in long.text


@pytest.mark.requirement("004-2501")
async def test_what_was_refused_may_be_told_again_under_its_key_and_what_was_removed_is_not_made_anew(owner: Owner):
    """A refusal makes nothing, so that its key is not used up; what somebody has removed since stays removed."""
    refused = await owner.send("POST", CUSTOMERS, {"name": " "}, key="k")
    assert refused.status_code == 400
    made = await owner.send("POST", CUSTOMERS, {"name": "Ana"}, key="k")
    assert made.status_code == 201
    path = f"{CUSTOMERS}/{made.json()['id']}"
    gone = await owner.send("POST", f"{path}/forget", {}, await owner.revision(path))
    assert gone.status_code == 200, gone.text
    again = await owner.send("POST", CUSTOMERS, {"name": "Ana"}, key="k")
    assert again.status_code == 409 and "removed since" in again.json()["error"]["message"]
    assert await customers(owner) == []
