"""Undoing that an agent was removed brings back what went with it: its trials, and what came of them."""

from typing import Any

import pytest

from switchboard.contract.store import Query, Set
from tests.admin.whole_house import BUSINESS, WITHIN, Owner

pytestmark = pytest.mark.requirement("004-976")
AGENTS = f"{BUSINESS}/agents"


async def tried(owner: Owner, agent: str, prompt: str = "Be brief.", **changes: Any) -> None:
    """Have a version of an agent on trial, which is made if it is not there."""
    if (await owner.send("GET", f"{AGENTS}/{agent}")).status_code == 404:
        await owner.done("POST", AGENTS, {"id": agent, "name": agent.title()})
    now = await owner.done("GET", f"{AGENTS}/{agent}")
    given = {"share": 10, "changes": {"prompt": prompt, **changes}, "revision": now["trialRevision"]}
    answer = await owner.send("PUT", f"{AGENTS}/{agent}/trial", given)
    assert answer.status_code == 200, answer.text


async def kept(owner: Owner, agent: str) -> tuple[Any, ...]:
    """Return all that stands of an agent's trials."""
    document = await owner.house.store.get(WITHIN.document("agents", agent))
    notes = await owner.house.store.query(Query(WITHIN.collection("agentTrials")))
    data = document.data if document is not None else {}
    return (
        data.get("trial"),
        data.get("trials"),
        {note.id: note.data for note in notes if note.data["agentId"] == agent},
    )


async def removed(owner: Owner, agent: str) -> dict[str, Any]:
    """Remove an agent and return the entry that tells of it."""
    await owner.done("DELETE", f"{AGENTS}/{agent}")
    return await owner.last()


async def test_the_trial_that_is_on_those_before_and_their_numbers_are_there_again(owner: Owner) -> None:
    """They were gone for good, though the agent itself came back."""
    await tried(owner, "ada")
    await tried(owner, "bob", "Be kind.")
    await tried(owner, "bob", "Be short.")
    before = await kept(owner, "bob")
    entry = await removed(owner, "bob")
    assert await kept(owner, "bob") == (None, None, {})
    assert "Be kind." not in repr(entry)
    undone = await owner.undo(entry)
    assert undone.status_code == 200, undone.text
    assert await kept(owner, "bob") == before
    assert len(before[2]) == 2 and before[0]["document"]["prompt"] == "Be short."


@pytest.mark.parametrize("why", ["too many are on trial", "its tool is gone"])
async def test_a_trial_that_could_not_be_begun_now_is_brought_back_as_one_that_has_ended(
    owner: Owner, why: str
) -> None:
    """So that the agent itself is brought back all the same."""
    await tried(owner, "ada")
    await tried(owner, "bob")
    if why == "its tool is gone":
        path = WITHIN.document("agents", "bob")
        document = await owner.house.store.get(path)
        assert document is not None
        document.data["trial"]["document"]["tools"] = {"gone": {"enabled": False}}
        await owner.house.store.commit([Set(path, document.data)])
    entry = await removed(owner, "bob")
    if why == "too many are on trial":
        for other in ("cy", "dee"):
            await tried(owner, other)
    assert (await owner.undo(entry)).status_code == 200
    on, ended, notes = await kept(owner, "bob")
    assert on is None and [row["new"]["prompt"] for row in ended] == ["Be brief."]
    assert [(note["isOn"], note["ended"]) for note in notes.values()] == [(False, "removed")]


async def test_what_an_entry_cannot_hold_stays_where_it_is(owner: Owner) -> None:
    """Nothing is lost, however much there is; the one that is on goes along in any case."""
    await tried(owner, "ada")
    await tried(owner, "bob")
    long = {"agentId": "bob", "isOn": False, "old": {"prompt": "x" * 90_000}, "new": {}}
    paths = [WITHIN.document("agentTrials", f"bob~2020-{n}") for n in range(9)]
    await owner.house.store.commit([Set(path, long) for path in paths])
    before = await kept(owner, "bob")
    entry = await removed(owner, "bob")
    left = (await kept(owner, "bob"))[2]
    assert 0 < len(left) < 9 and not any(note["isOn"] for note in left.values())
    assert (await owner.undo(entry)).status_code == 200
    assert await kept(owner, "bob") == before
