"""A second policy or FAQ on what there is one of is a question to its owner, and never told silently beside it."""

from typing import Any

import pytest

from switchboard.admin.knowledge.nearness import contradictions
from tests.admin.owners_office import OWN, Premises
from tests.each import each

POLICIES, FAQS = f"/tts_admin/policies/{OWN}", f"/tts_admin/faqs/{OWN}"
FIRST = {"topic": "cancellation", "content": "Cancel up to 24 hours before, else 50 % is due."}
SECOND = {"topic": "Cancellation", "content": "Cancel up to 48 hours before."}
PARKING = {"topic": "parking", "question": "Is there parking?", "answer": "Behind the house, 2 euros."}


async def made(premises: Premises, path: str, body: dict[str, Any]) -> dict[str, Any]:
    answer = await premises.ask("POST", path, json=body)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()["policy" if path == POLICIES else "faq"]
    return found


async def questioned(premises: Premises, path: str, body: dict[str, Any]) -> list[dict[str, Any]]:
    """Return what a new entry is held against, whose sender asks for that; nothing was saved."""
    before = (await premises.ask("GET", path)).json()
    answer = await premises.ask("POST", path, json=body | {"alongside": []})
    assert answer.status_code == 409, answer.text
    assert (await premises.ask("GET", path)).json() == before
    near: list[dict[str, Any]] = answer.json()["error"]["near"]
    return near


@pytest.mark.requirement("004-735")
async def test_a_second_policy_on_a_topic_is_a_question_with_both_texts_and_their_figures(premises: Premises):
    """It takes the place of the first, or is kept beside it, as its owner says."""
    first = await made(premises, POLICIES, FIRST)
    [near] = await questioned(premises, POLICIES, SECOND)
    assert (near["id"], near["kind"], near["text"]) == (first["id"], "policy", FIRST["content"])
    assert near["figures"] == [{"kind": "hours", "there": ["24"], "yours": ["48"]}]
    beside = await made(premises, POLICIES, SECOND | {"alongside": [first["id"]]})
    assert "alongside" not in beside
    path = f"{POLICIES}/{first['id']}"
    put = {"topic": "cancellation", "content": "Cancel whenever you like.", "alongside": [beside["id"]]}
    replaced = await premises.ask("PUT", path, json=put, revision=near["revision"])
    assert replaced.status_code == 200, replaced.text
    assert len((await premises.ask("GET", POLICIES)).json()["policies"]) == 2


@pytest.mark.requirement("004-735")
async def test_the_same_question_in_other_words_is_questioned_and_another_one_is_not(premises: Premises):
    """One topic may have many questions."""
    await made(premises, FAQS, PARKING)
    for question in ("Is there parking", "Do you have a parking lot?", "Where can I find parking?"):
        [near] = await questioned(premises, FAQS, PARKING | {"question": question})
        assert near["title"] == PARKING["question"]
    await made(premises, FAQS, PARKING | {"question": "May I leave my bicycle in the yard?", "answer": "Yes."})


@pytest.mark.requirement("004-735")
async def test_a_policy_and_an_faq_of_one_topic_are_questioned_where_their_figures_contradict(premises: Premises):
    """And are else told together, as ever."""
    policy = await made(premises, POLICIES, FIRST)
    asked = {"topic": "cancellation", "question": "How late may I cancel?"}
    [near] = await questioned(premises, FAQS, asked | {"answer": "Up to 12 hours before."})
    assert (near["id"], near["kind"], near["revision"]) == (policy["id"], "policy", "")
    await made(premises, FAQS, asked | {"answer": "Up to 24 hours before, by phone."})


@pytest.mark.requirement("004-735")
async def test_an_edit_is_questioned_for_what_it_brings_and_not_for_what_was_there(premises: Premises):
    """Whoever mends a word is asked nothing; a topic that another one has is."""
    first = await made(premises, POLICIES, FIRST)
    second = await made(premises, POLICIES, SECOND | {"alongside": [first["id"]]})
    third = await made(premises, POLICIES, {"topic": "pets", "content": "Dogs may come."})

    async def put(one: dict[str, Any], **changes: Any) -> int:
        path = f"{POLICIES}/{one['id']}"
        revision = (await premises.ask("GET", path)).headers["etag"].strip('"')
        fields = {name: one[name] for name in ("topic", "content")}
        return (await premises.ask("PUT", path, json=fields | changes, revision=revision)).status_code

    assert await put(second, content="Please cancel up to 48 hours before.") == 200
    assert await put(second, content="Please cancel up to 72 hours before.") == 409
    assert await put(third, topic="cancellation") == 409
    assert await put(third, content="Dogs and cats may come.") == 200


@pytest.mark.requirement("000-86", "000-90", "004-735")
async def test_what_the_seed_sends_is_saved_beside_what_is_near_and_the_answer_tells_it(premises: Premises):
    """Its examples name nothing to keep them beside: they are stored, and whoever sent them sees what contradicts."""
    first = await made(premises, POLICIES, FIRST)
    sent = {"topic": "cancellation", "content": "Cancellations within 24 hours incur a 20% fee."}
    answer = (await premises.ask("POST", POLICIES, json=sent)).json()
    [near] = answer.pop("near")
    assert (near["id"], near["kind"]) == (first["id"], "policy")
    assert near["figures"] == [{"kind": "percentage", "there": ["50"], "yours": ["20"]}]
    assert answer == {"status": "ok", "policy": answer["policy"]} and answer["policy"] | sent == answer["policy"]
    listed = (await premises.ask("GET", f"{POLICIES}?topic=cancellation")).json()["policies"]
    assert sorted(policy["content"] for policy in listed) == sorted([FIRST["content"], sent["content"]])
    asked = {"topic": "cancellation", "question": "How late may I cancel?", "answer": "Up to 12 hours before."}
    assert (await premises.ask("POST", FAQS, json=asked)).json()["near"]


CONTRADICTING = [
    ("We open at 9 am.", "We open at 10:00.", ["time"]),
    ("Open 9:00 to 18:00", "Von 9 Uhr bis 18 Uhr", []),
    ("Open 9:00 to 18:00", "Open from 9:00", []),
    ("A cut is $40.", "A cut is 45 dollars.", ["price"]),
    ("A cut is 40,00 €", "A cut is €40", []),
    ("10 % off", "15 percent off", ["percentage"]),
    ("24 hours before, and 50 %", "2 days before, and 50%", []),
    ("within 14 days", "within 30 days, or 3 weeks", ["days"]),
    ("no figures", "call 518 555 0100", []),
]


@each("there, yours, kinds", CONTRADICTING)
def test_figures_of_a_kind_that_only_one_of_two_texts_has_contradict(there: str, yours: str, kinds: list[str]):
    """However they are written; what one says beside what both say does not."""
    assert [one.kind for one in contradictions(there, yours)] == kinds
