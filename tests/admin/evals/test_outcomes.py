"""What came of kept tests: every night and when an owner asks, kept on the test and told by Health."""

from collections.abc import AsyncIterator, Mapping

import httpx2 as httpx
import pytest

from switchboard.admin.evals import outcomes
from switchboard.admin.evals.playing import KeptTest
from switchboard.app.kept_tests import outcomes_of_tests
from switchboard.contract.json import JsonObject
from switchboard.contract.store import Set
from tests.admin.evals.playing_as import PlayedAs, minimal
from tests.admin.owners_office import OTHER, OWN
from tests.admin.whole_house import BUSINESS, PATHS, Owner, opened

EVALS, RUNS = f"{BUSINESS}/evals", f"{BUSINESS}/eval-runs"


@pytest.fixture
def playing() -> PlayedAs:
    """All is well, until a test says otherwise."""
    return PlayedAs()


@pytest.fixture
async def owner(playing: PlayedAs) -> AsyncIterator[Owner]:
    """The salon's, of whom two tests are kept."""
    async with opened() as found:
        found.house.__dict__["playing"] = playing
        for name in ("greets", "says-bye"):
            await found.done("PUT", f"{EVALS}/{name}", {"text": minimal(OWN, name)})
        yield found


async def night(owner: Owner) -> Mapping[str, int]:
    """Make one pass over all businesses."""
    return await outcomes_of_tests(owner.house).look(None)


async def shown(owner: Owner) -> dict[str, JsonObject | None]:
    """Return what came of each test."""
    return {one["name"]: one["outcome"] for one in (await owner.done("GET", EVALS))["evals"]}


async def found(owner: Owner) -> list[JsonObject]:
    """Return what Health says of tests."""
    findings = (await owner.done("GET", f"{BUSINESS}/health"))["findings"]
    return [finding for finding in findings if finding["what"] == "tests_red"]


def reads_badly(test: KeptTest, definitions: Mapping[str, JsonObject]) -> str:
    """One of the two is red."""
    return "nobody is greeted" if test.document.id == "greets" else ""


@pytest.mark.requirement("004-782")
async def test_every_night_each_test_has_its_outcome_and_a_red_one_is_told_by_health(
    owner: Owner, playing: PlayedAs
) -> None:
    """When, what went wrong, and with which set of tools; green again, nothing is told."""
    assert await shown(owner) == {"greets": None, "says-bye": None}
    playing.judge = reads_badly
    assert await night(owner) == {"played": 2, "red": 1, "left": 0}
    greets, bye = (await shown(owner)).values()
    assert greets is not None and bye is not None
    at = greets.pop("at")
    assert greets == {
        "isRed": True,
        "what": "nobody is greeted",
        "sentence": "It is done.",
        "call": "look: done",
        "catalogHash": "hash",
    }
    assert (bye["isRed"], bye["what"]) == (False, "")
    (finding,) = await found(owner)
    assert (finding["subject"], finding["count"], finding["at"]) == ("greets", 1, at)
    playing.judge = lambda test, _: ""
    assert await night(owner) == {"played": 0, "red": 0, "left": 0}
    assert (await owner.done("POST", RUNS, {"names": ["greets"]}))["notRun"] == 0
    assert await found(owner) == []


@pytest.mark.requirement("004-782")
async def test_a_test_that_was_changed_has_no_outcome_and_is_played_again(owner: Owner, playing: PlayedAs) -> None:
    """What came of other words says nothing; and what came of it is no edit of its owner's."""
    playing.judge = reads_badly
    await night(owner)
    before = await owner.revision(f"{EVALS}/says-bye")
    await owner.done("PUT", f"{EVALS}/greets", {"text": minimal(OWN, "greets", about="Greets.")})
    assert (await shown(owner))["greets"] is None
    assert await found(owner) == []
    assert await night(owner) == {"played": 1, "red": 1, "left": 0}
    assert await owner.revision(f"{EVALS}/says-bye") == before
    assert len(await found(owner)) == 1


@pytest.mark.requirement("004-782")
async def test_a_test_that_is_changed_while_it_is_played_keeps_no_outcome(owner: Owner, playing: PlayedAs) -> None:
    """It is of what it was before."""

    async def change() -> None:
        await owner.done("PUT", f"{EVALS}/greets", {"text": minimal(OWN, "greets", about="Greets.")})

    playing.meanwhile = change
    await night(owner)
    assert [outcome is None for outcome in (await shown(owner)).values()] == [True, False]


@pytest.mark.requirement("004-782")
async def test_a_pass_goes_on_where_the_one_before_has_stopped(owner: Owner, playing: PlayedAs) -> None:
    """Over all businesses; what was played is not played again that night."""
    await owner.house.store.commit([Set(PATHS.within(OTHER).business, {"name": "Plumber"})])
    kept = PATHS.within(OTHER).document("evals", "leak")
    await owner.house.store.commit([Set(kept, {"text": minimal(OTHER, "leak")})])
    playing.not_run = {f"{OWN}/says-bye"}
    assert await night(owner) == {"played": 2, "red": 0, "left": 1}
    playing.not_run = set()
    assert await night(owner) == {"played": 1, "red": 0, "left": 0}
    assert [names for _, names in playing.sets] == [
        [f"{OTHER}/leak"],
        [f"{OWN}/greets", f"{OWN}/says-bye"],
        [f"{OWN}/says-bye"],
    ]


@pytest.mark.requirement("004-782")
async def test_a_pass_ends_when_its_time_is_over(
    owner: Owner, playing: PlayedAs, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It begins nothing more."""
    monkeypatch.setattr(outcomes, "PASS_WITHIN_S", 0.0)
    assert await night(owner) == {"played": 0, "red": 0, "left": 0}
    assert playing.sets == []


@pytest.mark.requirement("004-782")
async def test_a_scheduler_asks_for_it(owner: Owner) -> None:
    """As for the other passes; nobody else does for all."""
    answer = await owner.http.post("/tasks/evals")
    assert answer.status_code == 401
    owner.house.__dict__["schedulers"] = _Everybody()
    owner.house._served.clear()
    owner.house.__dict__.pop("app")
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app=owner.house.app), base_url="http://t") as http:
        body = (await http.post("/tasks/evals")).json()
    assert (body["task"], body["counts"]) == ("evals", {"played": 2, "red": 0, "left": 0})


class _Everybody:
    """Lets everybody speak for all."""

    async def speak_for_all(self, authorization: str | None) -> bool:
        return True


@pytest.mark.requirement("004-783")
async def test_an_owner_has_tests_played_now(owner: Owner, playing: PlayedAs) -> None:
    """One, or all; who may not edit tools may not."""
    playing.judge = reads_badly
    answer = await owner.done("POST", RUNS, {"names": ["says-bye"]})
    assert [one["outcome"] is None for one in answer["evals"]] == [True, False]
    answer = await owner.done("POST", RUNS, {})
    assert [one["outcome"]["isRed"] for one in answer["evals"]] == [True, False]
    assert (await owner.send("POST", RUNS, {}, by="viewer")).status_code == 403
    assert (await owner.send("POST", RUNS, {"names": ["nothing"]})).status_code == 404
    assert len(playing.sets) == 2
