"""Versions of agents on trial, as owners begin, widen, stop and adopt them, and what they are told of both sides."""

from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any

import httpx
import pytest

from switchboard.admin.agents.trial_numbers import AgentTrialNumbers
from switchboard.contract.business.agent import read_agent
from switchboard.contract.ports import Store
from switchboard.contract.store import Query, Set, Update, Write
from switchboard.state.memory.store import MemoryStore
from tests.admin.office import OTHER, PATHS, SALON, Office, opened
from tests.each import each

WITHIN = PATHS.within(SALON)
NEW = {"prompt": "Ask for the dog."}


@pytest.fixture
async def office(store: Store) -> AsyncIterator[Office]:
    """An office over each store in turn, with two agents."""
    async with opened(store) as found:
        await entered(found)
        yield found


@pytest.fixture
async def quick() -> AsyncIterator[Office]:
    """An office in memory."""
    async with opened(MemoryStore()) as found:
        await entered(found)
        yield found


async def entered(office: Office) -> None:
    await office.done("POST", "agents", {"name": "Ada", "prompt": "Be brief."})
    await office.done("POST", "agents", {"name": "Bob"})


async def sent(
    office: Office, method: str, path: str = "", body: Any = None, *, agent: str = "ada", **how: Any
) -> httpx.Response:
    """Do something with an agent's trial, based on what is there now unless `revision` says otherwise."""
    revision = how.pop("revision", None) or (await office.done("GET", f"agents/{agent}"))["trialRevision"]
    return await office.ask(method, f"agents/{agent}/trial{path}", body or {}, revision=f'"{revision}"', **how)


async def begun(office: Office, share: int = 10, agent: str = "ada", **changes: Any) -> dict[str, Any]:
    answer = await sent(office, "PUT", "", {"share": share, "changes": changes or NEW}, agent=agent)
    assert answer.status_code == 200, answer.text
    shown: dict[str, Any] = answer.json()
    return shown


async def adopted(office: Office, **how: Any) -> httpx.Response:
    revision = how.pop("revision", None) or (await office.done("GET", "agents/ada"))["trialRevision"]
    headers = {"Authorization": f"Bearer {SALON}", "X-Role": how.pop("role", "owner"), "If-Match": f'"{revision}"'}
    office.clock.wait(1)
    return await office.client.post(f"/businesses/{SALON}/agents/ada/trial/adopt", json={}, headers=headers)


async def ada(office: Office) -> dict[str, Any]:
    return await office.done("GET", "agents/ada")


async def trials(office: Office) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = (await office.done("GET", "agents/ada/trials"))["trials"]
    return found


async def read(office: Office) -> Any:
    """Return the agent as the house reads it."""
    [document] = [d for d in await office.store.query(Query(WITHIN.collection("agents"))) if d.id == "ada"]
    return read_agent("ada", document.data)


@pytest.mark.requirement("004-863")
async def test_a_version_is_tried_beside_the_agent_widened_and_adopted(office: Office):
    """With who began it; the agent stays as it is until then, and is a version that can be gone back to."""
    shown = await begun(office)
    trial = shown["trial"]
    assert (shown["prompt"], trial["share"], trial["fields"]["prompt"]) == ("Be brief.", 10, "Ask for the dog.")
    assert trial["changes"] == ['prompt: "Be brief." → "Ask for the dog."'] and trial["by"]
    widened = (await begun(office, share=50))["trial"]
    assert (widened["since"], widened["share"]) == (trial["since"], 50)
    agent = await read(office)
    assert agent.versions[f"{trial['since']}:new"].prompt == "Ask for the dog."
    answer = await adopted(office)
    assert answer.status_code == 200, answer.text
    assert (answer.json()["prompt"], answer.json()["trial"]) == ("Ask for the dog.", None)
    agent = await read(office)
    assert [agent.versions[f"{trial['since']}:{side}"].prompt for side in ("old", "new")] == [
        *("Be brief.", "Ask for the dog.")
    ]
    [told] = await trials(office)
    assert (told["since"], told["share"], told["ended"], told["changes"]) == (
        *(trial["since"], 50, "adopted", trial["changes"]),
    )
    versions = (await office.done("GET", "agents/ada/versions"))["versions"]
    assert (versions[0]["isNow"], len(versions)) == (True, 2)


@pytest.mark.requirement("004-863")
async def test_a_trial_is_stopped_with_one_press_and_its_conversations_keep_what_they_began_with(office: Office):
    since = (await begun(office))["trial"]["since"]
    answer = await sent(office, "DELETE")
    assert (answer.status_code, answer.json()["trial"], answer.json()["prompt"]) == (200, None, "Be brief.")
    assert (await read(office)).versions[f"{since}:new"].prompt == "Ask for the dog."
    assert [one["ended"] for one in await trials(office)] == ["stopped"]
    assert (await sent(office, "DELETE")).status_code == 404
    assert (await adopted(office)).status_code == 404


@pytest.mark.requirement("004-863")
async def test_another_version_ends_the_trial_of_the_one_before(quick: Office):
    first = (await begun(quick))["trial"]["since"]
    second = (await begun(quick, voice="Polly.Amy"))["trial"]["since"]
    assert [(one["since"], one["ended"]) for one in await trials(quick)] == [
        *((second, None), (first, "another version is tried")),
    ]
    assert (await read(quick)).versions.keys() == {
        f"{since}:{side}" for since in (first, second) for side in ("old", "new")
    }


@pytest.mark.requirement("004-863")
async def test_an_earlier_version_is_tried_again(quick: Office):
    await quick.done("PATCH", "agents/ada", {"prompt": "Be long."})
    first = (await quick.done("GET", "agents/ada/versions"))["versions"][-1]["id"]
    answer = await sent(quick, "PUT", "", {"share": 5, "version": first})
    assert answer.json()["trial"]["changes"] == ['prompt: "Be long." → "Be brief."']
    assert (await sent(quick, "PUT", "", {"share": 5, "version": "none"})).status_code == 404


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"share": 0, "changes": NEW}, "share"),
    ({"share": 100, "changes": NEW}, "share"),
    ({"share": "half", "changes": NEW}, "share"),
    ({"changes": NEW}, "share"),
    ({"share": 10}, "changes"),
    ({"share": 10, "changes": {"prompt": "Be brief."}}, "changes"),
    ({"share": 10, "changes": {"name": "Eve"}}, "changes.name"),
    ({"share": 10, "changes": {"tools": {"no_tool": {}}}}, "tools.no_tool"),
    ({"share": 10, "changes": {"model": "openai:gpt-6"}}, "model"),
    ({"share": 10, "changes": {"voice": "Poly.Amy"}}, "voice"),
    ({"share": 10, "changes": {"limits": {"phone": {"lookUpsPerTurn": 99}}}}, "limits.phone.lookUpsPerTurn"),
]


@pytest.mark.requirement("004-863")
@each(("body", "field"), WRONG)
async def test_what_cannot_be_tried_is_told_by_its_field_and_begins_nothing(body: dict[str, Any], field: str):
    async with opened(MemoryStore()) as office:
        await entered(office)
        answer = await sent(office, "PUT", "", body)
        assert answer.status_code == 400, answer.text
        assert [problem["field"] for problem in answer.json()["error"]["problems"]] == [field]
        assert (await ada(office))["trial"] is None and await trials(office) == []


@pytest.mark.requirement("004-863")
async def test_a_version_whose_tool_is_gone_is_neither_tried_nor_adopted(quick: Office):
    """Though the agent may go on to name it."""
    tool = WITHIN.document("tools", "t1")
    await quick.store.commit([Set(tool, {"name": "order_status", "type": "query"})])
    await begun(quick, tools={"order_status": {"enabled": True}})
    await quick.store.commit([Update(tool, {"name": "another"})])
    answer = await adopted(quick)
    assert answer.status_code == 400 and "tools.order_status" in answer.text
    assert (await sent(quick, "DELETE")).status_code == 200
    answer = await sent(quick, "PUT", "", {"share": 9, "changes": {"tools": {"order_status": {}}}})
    assert answer.status_code == 400 and "this business has no tool of that name" in answer.text


@pytest.mark.requirement("004-863")
async def test_what_is_on_trial_is_not_changed_beside_it_and_everything_else_is(office: Office):
    """Whose numbers would else be those of three versions; the refusal says what would work."""
    await begun(office)
    error = await office.refused("PATCH", "agents/ada", {"prompt": "Be long.", "name": "Eve"}, 409)
    assert "Adopt it or stop its trial, then change prompt." in error["message"]
    shown = await office.done("PATCH", "agents/ada", {"name": "Eve", "language": "de"})
    assert (shown["name"], shown["trial"]["share"]) == ("Eve", 10)


@pytest.mark.requirement("004-863")
async def test_going_back_to_an_earlier_version_ends_a_trial_in_the_same_moment(office: Office):
    await office.done("PATCH", "agents/ada", {"prompt": "Be long."})
    first = (await office.done("GET", "agents/ada/versions"))["versions"][-1]["id"]
    await begun(office)
    headers = {"Authorization": f"Bearer {SALON}", "If-Match": f'"{await office.revision("agents/ada")}"'}
    path = f"/businesses/{SALON}/agents/ada/versions/{first}/rollback"
    answer = await office.client.post(path, json={}, headers=headers)
    assert (answer.status_code, answer.json()["prompt"], answer.json()["trial"]) == (200, "Be brief.", None)
    [told] = await trials(office)
    assert told["ended"] == "rolled back"
    entries = await office.store.query(Query(WITHIN.collection("audit")))
    assert [entry.data["endedTrial"] for entry in entries if "endedTrial" in entry.data] == [told["since"]]


@pytest.mark.requirement("004-862")
async def test_two_who_decide_about_a_trial_at_once_see_both_versions(office: Office):
    """Whoever is second decides anew: another has widened it, stopped it, or changed the agent meanwhile."""
    before = (await begun(office))["trialRevision"]
    await begun(office, share=50)
    for answer in (
        await sent(office, "DELETE", revision=before),
        await adopted(office, revision=before),
        await sent(office, "PUT", "", {"share": 20, "changes": NEW}, revision=before),
    ):
        assert answer.status_code == 412 and answer.json()["error"]["conflict"]["current"], answer.text
    assert (await ada(office))["trial"]["share"] == 50
    seen = (await ada(office))["trialRevision"]
    await office.done("PATCH", "agents/ada", {"description": "x"})
    assert (await adopted(office, revision=seen)).status_code == 412


@pytest.mark.requirement("004-865")
async def test_what_is_done_with_trials_stands_in_the_audit_with_who_did_it(office: Office):
    await begun(office)
    await begun(office, share=50)
    await sent(office, "DELETE")
    entries = [entry for entry in await office.audit() if entry["kind"] == "agentTrial"]
    assert [entry["deed"] for entry in entries] == ["created", "changed", "deleted"]
    assert [(entry["before"] or {}).get("share") for entry in entries] == [None, 10, 50]
    assert entries[0]["after"]["prompt"] == "Ask for the dog." and entries[0]["document"] == "ada"


@pytest.mark.requirement("004-865")
@pytest.mark.parametrize(("role", "status"), [("viewer", 403), ("editor", 200), ("owner", 200)])
async def test_who_may_change_agents_may_try_versions_and_nobody_else(quick: Office, role: str, status: int):
    revision = (await ada(quick))["trialRevision"]
    answer = await sent(quick, "PUT", "", {"share": 10, "changes": NEW}, revision=revision, role=role)
    assert answer.status_code == status, answer.text


@pytest.mark.requirement("004-865")
async def test_no_business_sees_or_ends_the_trials_of_another(quick: Office):
    await begun(quick)
    revision = (await ada(quick))["trialRevision"]
    for method, path in (("GET", "trials"), ("DELETE", "trial"), ("PUT", "trial")):
        url = f"/businesses/{SALON}/agents/ada/{path}"
        headers = {"Authorization": f"Bearer {OTHER}", "If-Match": f'"{revision}"'}
        body = '{"share": 1}' if method == "PUT" else None
        answer = await quick.client.request(method, url, content=body, headers=headers)
        assert answer.status_code in (401, 403, 404), answer.text
    assert (await ada(quick))["trial"] is not None


async def test_only_so_many_agents_have_a_version_on_trial_at_once(quick: Office):
    for name in ("Cy", "Di"):
        await quick.done("POST", "agents", {"name": name})
    for agent in ("ada", "bob", "cy"):
        await begun(quick, agent=agent)
    answer = await sent(quick, "PUT", "", {"share": 10, "changes": NEW}, agent="di")
    assert answer.status_code == 409 and "ada, bob, cy have a version on trial already" in answer.text


@pytest.mark.requirement("004-902")
async def test_no_version_takes_from_conversations_of_a_day_what_they_began_with(quick: Office):
    """Whoever tries one version after the other is told when there is room for the next."""
    since = [(await begun(quick, prompt=f"Version {n}."))["trial"]["since"] for n in range(8)]
    answer = await sent(quick, "PUT", "", {"share": 10, "changes": NEW})
    assert answer.status_code == 409, answer.text
    assert "8 versions of this agent were on trial within a day" in answer.text and "in 24 hours" in answer.text
    assert (await begun(quick, share=50, prompt="Version 7."))["trial"]["since"] == since[-1]
    assert (await sent(quick, "DELETE")).status_code == 200
    assert (await sent(quick, "PUT", "", {"share": 10, "changes": NEW})).status_code == 409
    versions = (await read(quick)).versions
    assert [versions[f"{name}:new"].prompt for name in since] == [f"Version {n}." for n in range(8)]
    quick.clock.wait(24 * 3600)
    latest = (await begun(quick))["trial"]["since"]
    assert {f"{latest}:new", f"{since[-1]}:new"} <= (await read(quick)).versions.keys()


async def test_an_agent_that_is_removed_takes_its_trials_along(office: Office):
    await begun(office, agent="bob")
    await office.done("DELETE", "agents/bob")
    assert await office.store.query(Query(WITHIN.collection("agentTrials"))) == []


async def test_of_an_agent_with_very_many_trials_the_one_that_goes_on_is_taken_along(office: Office):
    """Else it would be counted for good, and show for whoever gets the same id."""
    noted = [WITHIN.document("agentTrials", f"bob~2020-{n:03}") for n in range(80)]
    await office.store.commit([Set(path, {"agentId": "bob", "isOn": False}) for path in noted])
    await begun(office, agent="bob")
    await office.done("DELETE", "agents/bob")
    left = await office.store.query(Query(WITHIN.collection("agentTrials")))
    assert left and not [trial.path for trial in left if trial.data["isOn"]]


def called(mark: str, n: int, state: str, at: Any, **more: Any) -> Write:
    path = WITHIN.call(f"s{n}", f"c{n}{state}{mark[-3:]}")
    return Set(path, {"agentVersion": mark, "state": state, "finishedAt": at, **more})


def talked(mark: str, n: int, turns: int, at: Any) -> Write:
    record = {"agentVersions": [mark], "startedAt": at, "turns": turns}
    return Set(WITHIN.document("interactions", f"i{n}{mark[-3:]}"), record)


@pytest.mark.requirement("004-864")
async def test_both_sides_are_counted_with_conversations_turns_calls_refusals_and_failures(office: Office):
    """Each conversation, however many there are, and what is over once: what is gone later stays counted."""
    since = (await begun(office))["trial"]["since"]
    old, new = (f"@{SALON}/ada:{since}:{side}" for side in ("old", "new"))
    office.clock.wait(10)
    at = office.clock.now()
    await office.store.commit(
        [
            *(talked(old, n, 3, at + timedelta(seconds=n)) for n in range(30)),
            talked(new, 1, 5, at),
            *(called(new, n, "finished", at) for n in range(2)),
            called(new, 3, "refused", at),
            called(new, 4, "failed", at),
            called(old, 5, "unknown", at),
            talked(f"@{OTHER}/ada:{since}:new", 9, 7, at),
        ]
    )
    office.clock.wait(60)
    [told] = await trials(office)
    names = ("conversations", "turns", "calls", "refusals", "failures", "unknown")
    sides = {side: tuple(told[side][name] for name in names) for side in ("old", "new")}
    assert sides == {"old": (30, 90, 1, 0, 0, 1), "new": (1, 5, 4, 1, 1, 0)}
    assert told["new"]["remark"] == "4 calls say little yet." and told["isWhole"]
    office.clock.wait(10 * 3600)
    numbers = AgentTrialNumbers(office.store, PATHS, office.clock)
    assert [await numbers.kept(whose) for whose in (None, SALON, OTHER)] == [{"counted": n} for n in (1, 1, 0)]
    for document in await office.store.query(Query(WITHIN.collection("interactions"))):
        await office.store.commit([Update(document.path, {"agentVersions": []})])
    [told] = await trials(office)
    assert told["old"]["turns"] == 90


async def test_trials_are_listed_a_page_at_a_time(quick: Office):
    for n in range(3):
        await begun(quick, prompt=f"Version {n}.")
    seen, cursor = [], ""
    while True:
        page = await quick.done("GET", f"agents/ada/trials?limit=2{cursor}")
        seen += [one["changes"][0] for one in page["trials"]]
        if page["nextCursor"] is None:
            break
        cursor = f"&cursor={page['nextCursor']}"
    assert [line.rpartition(" ")[2] for line in seen] == ['2."', '1."', '0."']
