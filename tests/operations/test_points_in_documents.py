"""What owners keep beside our fields, in Google's console say, comes back as JSON and makes nothing fail."""

import json

from switchboard.admin.api.answer import json_answer
from switchboard.admin.documents.difference import differences
from switchboard.contract.store import GeoPoint, Query, Reference, Set
from switchboard.pipeline.json_text import json_bytes
from switchboard.state.memory.store import MemoryStore
from tests.operations.premises import BUSINESS, CANARY, PATHS, open_premises

WITHIN = PATHS.within(BUSINESS)
BESIDE = {"place": GeoPoint(52.5, 13.4), "agent": Reference("agents/anna"), "all": [{"at": GeoPoint(1, 2)}]}
AS_JSON = {
    "place": {"latitude": 52.5, "longitude": 13.4},
    "agent": {"path": "agents/anna"},
    "all": [{"at": {"latitude": 1, "longitude": 2}}],
}


async def test_points_and_references_in_our_own_documents_disturb_nobody():
    """The owners' API lists, shows and saves what stands beside them, and callers are served as before."""
    async with open_premises(MemoryStore()) as premises:
        store = premises.store
        for collection in ("policies", "faqs", "agents", "callers"):
            for document in await store.query(Query(WITHIN.collection(collection))):
                await store.commit([Set(document.path, {"beside": BESIDE}, merge=True)])
        await store.commit([Set(WITHIN.business, {"beside": BESIDE}, merge=True)])
        (policy, *_) = await store.query(Query(WITHIN.collection("policies")))
        for path in (f"/tts_admin/policies/{BUSINESS}", f"/admin/businesses/{BUSINESS}", "/admin/businesses"):
            answer = await premises.client.get(path)
            assert answer.status_code == 200, answer.text
        one = f"/tts_admin/policies/{BUSINESS}/{policy.id}"
        read = await premises.client.get(one)
        saved = await premises.client.put(
            one, json={"topic": "cancellation", "content": "Changed."}, headers={"If-Match": read.headers["ETag"]}
        )
        assert saved.status_code == 200, saved.text
        kept = await store.get(policy.path)
        assert (kept.data["content"], kept.data["beside"]) == ("Changed.", BESIDE)
        assert (await premises.book(CANARY))["ok"]


def test_points_and_references_stand_in_every_answer_as_plain_json():
    """In the owners' API, in what explains a call, and in what is answered to models and kept for replays."""
    for told in (json_answer({"beside": BESIDE}).body, json_bytes({"beside": BESIDE})):
        assert json.loads(told) == {"beside": AS_JSON}


def test_a_change_of_a_point_is_seen_and_told():
    """By the audit, and by whatever makes a form out of date."""
    (change,) = differences({"at": GeoPoint(1, 2)}, {"at": GeoPoint(1, 3)})
    assert str(change) == 'at: "1, 2" → "1, 3"'
    assert differences({"at": GeoPoint(1, 2)}, {"at": GeoPoint(1, 2)}) == ()
