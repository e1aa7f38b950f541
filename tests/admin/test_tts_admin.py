"""Policies and FAQs over HTTP, in exactly the seed's shapes (seed 000, "Admin Seeding (Examples)")."""

import re
from collections.abc import AsyncIterator
from datetime import datetime

import pytest

from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.store import Query, Set, Unavailable
from switchboard.desk.knowledge.vector_search import Reindexed
from switchboard.state.memory.store import MemoryStore
from tests.admin.owners_office import OTHER, OWN, PATHS, Premises, open_premises
from tests.desk.front_desk import call, salon
from tests.each import each

POLICY = {"topic": "cancellation", "content": "Cancellations within 24 hours incur a 50% fee."}
FAQ = {
    "topic": "parking",
    "question": "Is there parking available?",
    "answer": "Yes, free street parking is available after 6pm.",
    "tags": ["parking", "location"],
}
POLICIES, FAQS = f"/tts_admin/policies/{OWN}", f"/tts_admin/faqs/{OWN}"
UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")


class Index:
    """Counts how often it was rebuilt, and fails on request."""

    def __init__(self) -> None:
        self.rebuilt: list[str] = []
        self.failure: Exception | None = None

    async def reindex(self, paths) -> Reindexed:
        if self.failure is not None:
            raise self.failure
        self.rebuilt.append(paths.business)
        return Reindexed()


@pytest.fixture
def index() -> Index:
    """An index that is watched."""
    return Index()


@pytest.fixture
async def indexed(index: Index) -> AsyncIterator[Premises]:
    """An office whose index is watched."""
    found = await open_premises(MemoryStore(), lambda _: index)
    yield found
    await found.browser.aclose()


async def created(premises: Premises, path: str = POLICIES, body=POLICY):
    """Create an entry by what the seed sends, and nothing else."""
    answer = await premises.ask("POST", path, json=body)
    assert answer.status_code == 200, answer.text
    return answer


@pytest.mark.requirement("000-86", "000-87")
async def test_a_policy_is_created_and_answered_as_the_seed_shows(premises: Premises):
    """`{status, policy: {id, business_id, topic, content, updated_at}}` and nothing else."""
    body = (await created(premises)).json()
    policy = body["policy"]
    assert body == {"status": "ok", "policy": policy}
    assert list(policy) == ["id", "business_id", "topic", "content", "updated_at"]
    assert UUID.fullmatch(policy["id"])
    assert policy | POLICY | {"business_id": OWN} == policy
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}", policy["updated_at"])


@pytest.mark.requirement("000-90", "000-91")
async def test_an_faq_is_created_and_listed_as_the_seed_shows(premises: Premises):
    """`{status, faqs: [{id, business_id, topic, question, answer, tags, updated_at}]}`."""
    faq = (await created(premises, FAQS, FAQ)).json()["faq"]
    answer = await premises.ask("GET", FAQS, "viewer")
    assert answer.json() == {"status": "ok", "faqs": [faq]}
    assert list(faq) == ["id", "business_id", "topic", "question", "answer", "tags", "updated_at"]
    assert faq | FAQ | {"business_id": OWN} == faq


@pytest.mark.requirement("000-88", "000-89")
async def test_policies_are_listed_all_or_by_topic(premises: Premises):
    """Topics are compared as `get_policies` compares them."""
    for topic in ("cancellation", "late arrival", "Late_Arrival", "deposits"):
        await created(premises, body={"topic": topic, "content": "Something."})
    listed = (await premises.ask("GET", POLICIES)).json()
    assert (listed["status"], len(listed["policies"]), set(listed)) == ("ok", 4, {"status", "policies"})
    for topic, expected in (("late-arrival", 2), ("cancellation", 1), ("refunds", 0), ("", 4)):
        found = (await premises.ask("GET", POLICIES, params={"topic": topic})).json()["policies"]
        assert len(found) == expected, topic


@pytest.mark.requirement("000-92")
async def test_faqs_are_listed_by_topic_only(premises: Premises):
    """A tag is no topic."""
    await created(premises, FAQS, FAQ)
    await created(premises, FAQS, FAQ | {"topic": "location"})
    found = (await premises.ask("GET", FAQS, params={"topic": "location"})).json()["faqs"]
    assert [faq["topic"] for faq in found] == ["location"]


@pytest.mark.requirement("000-93")
async def test_updated_at_changes_when_the_entry_changes(premises: Premises):
    """And only then."""
    answer = await created(premises)
    policy, revision = answer.json()["policy"], answer.headers["etag"].strip('"')
    path = f"{POLICIES}/{policy['id']}"
    assert (await premises.ask("GET", path)).json()["policy"] == policy
    same = await premises.ask("PUT", path, json=POLICY, revision=revision)
    assert same.json()["policy"] == policy
    changed = await premises.ask("PUT", path, json=POLICY | {"content": "Free."}, revision=revision)
    later = changed.json()["policy"]
    assert later["content"] == "Free."
    assert datetime.fromisoformat(later["updated_at"]) > datetime.fromisoformat(policy["updated_at"])
    assert (await premises.ask("GET", path)).json()["policy"] == later


@pytest.mark.requirement("000-95")
async def test_what_was_stored_is_what_the_tools_answer(premises: Premises):
    """At once, also where the tools had just read."""
    desk_call = call(salon(OWN))
    assert (await premises.policies.on(desk_call, "cancellation")).entries == ()
    assert (await premises.faqs.on(desk_call, "parking")).entries == ()
    assert await premises.knowledge.search(desk_call, "cancellation fee", 3) == []
    await created(premises)
    await created(premises, FAQS, FAQ)
    [policy] = (await premises.policies.on(desk_call, "cancellation")).entries
    [faq] = (await premises.faqs.on(desk_call, "parking")).entries
    assert (policy.text, faq.text) == (POLICY["content"], FAQ["answer"])
    hits = await premises.knowledge.search(desk_call, "cancellation fee", 3)
    assert hits[0].passage.text == POLICY["content"]


async def test_an_entry_is_removed_as_it_was_read(premises: Premises):
    """With an old revision it stays; afterwards it is gone, for the tools too."""
    answer = await created(premises)
    id, revision = answer.json()["policy"]["id"], answer.headers["etag"].strip('"')
    path = f"{POLICIES}/{id}"
    assert (await premises.ask("DELETE", path)).status_code == 428
    assert (await premises.ask("DELETE", path, revision="0" * 16)).status_code == 412
    assert (await premises.ask("DELETE", path, revision=revision)).json() == {"status": "ok", "id": id}
    assert (await premises.ask("GET", path)).status_code == 404
    assert (await premises.ask("DELETE", path, revision=revision)).status_code == 404
    assert (await premises.policies.on(call(salon(OWN)), "cancellation")).entries == ()


async def test_a_removed_entry_comes_back_and_a_new_one_goes_by_undoing(premises: Premises):
    """Under its old id, with its old words."""
    answer = await created(premises)
    policy = answer.json()["policy"]
    path = f"{POLICIES}/{policy['id']}"
    await premises.ask("DELETE", path, revision=answer.headers["etag"].strip('"'))
    made, removed = await premises.audit()
    audit = f"/admin/businesses/{OWN}/audit"
    assert (await premises.ask("GET", f"{audit}/{removed['id']}")).json()["revision"] == "none"
    assert (await premises.ask("POST", f"{audit}/{made['id']}/undo", revision="none")).status_code == 404
    assert (await premises.ask("POST", f"{audit}/{removed['id']}/undo", revision="none")).status_code == 200
    back = await premises.ask("GET", path)
    assert back.json()["policy"] | POLICY | {"id": policy["id"]} == back.json()["policy"]
    again = await premises.ask("POST", f"{audit}/{removed['id']}/undo", revision="none")
    assert again.status_code == 409 and "undone" in again.text
    revision = back.headers["etag"].strip('"')
    assert (await premises.ask("POST", f"{audit}/{made['id']}/undo", revision=revision)).status_code == 200
    assert (await premises.ask("GET", path)).status_code == 404


@each(
    ("path", "body", "fields"),
    [
        (POLICIES, {}, ["topic", "content"]),
        (POLICIES, {"topic": " ", "content": 5, "extra": 1, "id": "mine"}, ["extra", "id", "topic", "content"]),
        (POLICIES, {"topic": "t" * 101, "content": "c" * 20_001}, ["topic", "content"]),
        (POLICIES, POLICY | {"tags": ["x"]}, ["tags"]),
        (FAQS, {"topic": "parking"}, ["question", "answer"]),
        (FAQS, FAQ | {"tags": "parking"}, ["tags"]),
        (FAQS, FAQ | {"tags": ["ok", "", 3, "t" * 61]}, ["tags[1]", "tags[2]", "tags[3]"]),
    ],
)
async def test_everything_that_is_wrong_is_told_at_once(premises: Premises, path: str, body, fields: list[str]):
    """400 with each field; nothing is stored."""
    answer = await premises.ask("POST", path, json=body)
    error = answer.json()["error"]
    assert (answer.status_code, error["type"]) == (400, "VALIDATION")
    assert [problem["field"] for problem in error["problems"]] == fields
    assert all(problem["message"].endswith(".") for problem in error["problems"])
    assert await premises.audit() == []


@each(
    ("content", "status"),
    [(b"", 400), (b"{", 400), (b"[]", 400), (b'{"topic": "a", "topic": "b"}', 400), (b'"' + b"x" * 1_048_577, 413)],
)
async def test_a_body_that_cannot_be_read_is_refused(premises: Premises, content: bytes, status: int):
    """Whatever was sent."""
    answer = await premises.ask("POST", POLICIES, content=content)
    assert (answer.status_code, answer.json()["error"]["type"]) == (status, "VALIDATION")


async def test_a_body_that_names_another_business_is_refused(premises: Premises):
    """The address decides; the same business may be named."""
    assert (await premises.ask("POST", POLICIES, json=POLICY | {"business_id": OTHER})).status_code == 403
    assert (await premises.ask("POST", POLICIES, json=POLICY | {"business_id": OWN})).status_code == 200
    assert await premises.store.query(Query(PATHS.within(OTHER).collection("policies"))) == []


async def test_no_more_is_stored_than_the_tools_read(premises: Premises):
    """The 201st policy would be found by nobody; nothing is kept of it."""
    within = PATHS.within(OWN)
    await premises.store.commit([Set(within.document("policies", f"p{n}"), POLICY) for n in range(200)])
    answer = await premises.ask("POST", POLICIES, json=POLICY)
    assert (answer.status_code, answer.json()["error"]["type"]) == (409, "CONFLICT")
    assert await premises.store.count(Query(within.collection("policies"))) == 200


async def test_a_long_list_comes_in_pages(premises: Premises):
    """Each entry once; the last page says nothing of a next one."""
    within = PATHS.within(OWN)
    topics = ["parking" if n % 3 == 0 else "other" for n in range(250)]
    await premises.store.commit(
        [Set(within.document("faqs", f"f{n:03}"), FAQ | {"topic": topic}) for n, topic in enumerate(topics)]
    )
    seen, query = [], {"topic": "parking", "limit": "20"}
    while True:
        body = (await premises.ask("GET", FAQS, params=query)).json()
        seen += [faq["id"] for faq in body["faqs"]]
        if "next_cursor" not in body:
            break
        query["cursor"] = body["next_cursor"]
    assert seen == [f"f{n:03}" for n in range(0, 250, 3)]
    assert len((await premises.ask("GET", FAQS)).json()["faqs"]) == 250


async def marks(premises: Premises) -> int:
    return await premises.store.count(Query(PATHS.within(OWN).collection("outbox")))


async def test_the_index_is_rebuilt_after_every_save(indexed: Premises, index: Index):
    """Creating, replacing, removing, undoing; and no mark is left behind."""
    answer = await created(indexed)
    path, revision = f"{POLICIES}/{answer.json()['policy']['id']}", answer.headers["etag"].strip('"')
    changed = await indexed.ask("PUT", path, json=POLICY | {"content": "Free."}, revision=revision)
    await indexed.ask("DELETE", path, revision=changed.headers["etag"].strip('"'))
    removed = (await indexed.audit())[-1]
    await indexed.ask("POST", f"/admin/businesses/{OWN}/audit/{removed['id']}/undo", revision="none")
    assert index.rebuilt == [PATHS.within(OWN).business] * 4
    assert await marks(indexed) == 0


@pytest.mark.parametrize("failure", [Unavailable("gone"), ToolError(ErrorType.TRANSIENT, "The embedder is away.")])
async def test_an_index_that_cannot_be_rebuilt_is_repaired_later(indexed: Premises, index: Index, failure: Exception):
    """The save stands; the pass tries again until it works, and then has nothing to do."""
    index.failure = failure
    await created(indexed)
    assert len((await indexed.ask("GET", POLICIES)).json()["policies"]) == 1
    assert (await indexed.reindexing.repair(), await marks(indexed)) == ({"rebuilt": 0}, 1)
    index.failure = None
    assert await indexed.reindexing.repair(OTHER) == {"rebuilt": 0}
    assert await indexed.reindexing.repair() == {"rebuilt": 1}
    assert await indexed.reindexing.repair(OWN) == {"rebuilt": 0}
    assert (index.rebuilt, await marks(indexed)) == ([PATHS.within(OWN).business], 0)


async def test_a_save_while_the_index_is_rebuilt_keeps_its_mark(indexed: Premises, index: Index):
    """What was written during the pass may not be in the index yet."""
    index.failure = Unavailable("gone")
    await created(indexed)
    rebuild = index.reindex

    async def slow(paths) -> Reindexed:
        await indexed.store.commit([indexed.reindexing.due(PATHS.within(OWN))])
        return await rebuild(paths)

    index.failure, index.reindex = None, slow  # type: ignore[method-assign]
    await indexed.reindexing.repair()
    assert await marks(indexed) == 1
