"""Kept tests are played before a definition is published or tried: a red one is acknowledged by name."""

from collections.abc import AsyncIterator, Mapping

import pytest

from switchboard.admin.evals import choosing
from switchboard.admin.evals.playing import KeptTest
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import Store
from switchboard.contract.store import Document, Query, Set, Unavailable
from switchboard.state.memory.store import MemoryStore
from tests.admin.definition_house import LOOK, NEW, OLD_WORDS, PATHS, DefinitionHouse, opened
from tests.admin.evals.playing_as import PlayedAs, minimal
from tests.admin.owners_office import OTHER, OWN
from tests.each import each

pytestmark = pytest.mark.requirement("004-780")
RED = f"{OWN}/greets"
BOTH = [RED, f"{OTHER}/greets"]


def red_with_the_draft(test: KeptTest, definitions: Mapping[str, JsonObject]) -> str:
    """The salon's `greets` does not like what the draft says."""
    tool = definitions["look"]
    tried = tool.get("canary") or {}
    is_meant = tool["description"] == NEW["description"] or test.business_id in tried.get("businesses", ())
    return "nobody is greeted" if is_meant and test.name == RED else ""


async def keep(store: Store, business: str = OWN, *names: str) -> None:
    """Keep tests of a business."""
    for name in names or ("greets",):
        document: JsonObject = {"text": minimal(business, name)}
        await store.commit([Set(PATHS.within(business).document("evals", name), document)])


@pytest.fixture
def playing() -> PlayedAs:
    """One of two kept tests is red with the draft."""
    return PlayedAs(red_with_the_draft)


@pytest.fixture
async def house(memory: Store, playing: PlayedAs) -> AsyncIterator[DefinitionHouse]:
    """A house with a draft, in which each of two businesses keeps a test."""
    async with opened(memory, playing=playing) as found:
        await keep(memory, OWN)
        await keep(memory, OTHER)
        await found.draft(**NEW)
        yield found


async def asked(house: DefinitionHouse, *red: str, way: str = "publish", **more: object) -> tuple[int, JsonObject]:
    """Publish or stage the draft; return the status and the body."""
    revision = (await house.found("/look"))["revision"]
    body = {"acknowledged": await house.acknowledged(), "acknowledgedTests": list(red), **more}
    method = "POST" if way == "publish" else "PUT"
    answer = await house.ask(method, f"/look/{way}", json=body, revision=revision)
    return answer.status_code, answer.json()


async def test_a_red_test_stops_a_publication_and_is_told_with_business_sentence_and_call(
    house: DefinitionHouse, playing: PlayedAs
) -> None:
    """Nothing that anybody reads was written, and the draft is still there."""
    status, body = await asked(house)
    assert (status, body["error"]["type"]) == (409, "CONFLICT")
    assert body["error"]["tests"] == [
        {
            "name": RED,
            "businessId": OWN,
            "test": "greets",
            "what": "nobody is greeted",
            "sentence": "It is done.",
            "call": "look: done",
            "wasRed": False,
            "isAcknowledged": False,
        }
    ]
    assert f"{RED}: nobody is greeted" in body["error"]["message"]
    assert "acknowledgedTests" in body["error"]["message"]
    assert body["error"]["tested"] == {"run": 2, "acknowledged": [], "notRun": {}, "isWhole": True}
    look = await house.found("/look")
    assert (look["published"], look["hasDraft"], look["setRevision"]) == (LOOK, True, 1)
    assert await house.words() == OLD_WORDS
    # The red one was played with what is published, too; nothing else was.
    assert [names for _, names in playing.sets] == [sorted(BOTH), [RED]]


async def test_who_names_the_red_test_publishes_and_it_stands_in_the_publication(house: DefinitionHouse) -> None:
    """With how much was tested, and what was not."""
    status, body = await asked(house, RED)
    assert (status, body["tested"]) == (200, {"run": 2, "acknowledged": [RED], "notRun": {}, "isWhole": True})
    (change, *_) = (await house.send("GET", "/definition-changes")).json()["changes"]
    assert (change["deed"], change["who"]["name"]) == ("published", "platform@example.com")
    assert change["tested"] == body["tested"]


@each(
    "names",
    [
        [f"{OTHER}/greets"],
        [RED, f"{OTHER}/greets"],
        [f"{OWN}/*"],
        ["*"],
        ["greets"],
        [RED, "demo-nowhere/greets"],
        [f"{OWN}/../{OTHER}/greets"],
    ],
)
async def test_nothing_is_acknowledged_that_is_not_red(names: list[str]) -> None:
    """Neither in advance nor by wildcard."""
    store = MemoryStore()
    async with opened(store, playing=PlayedAs(red_with_the_draft)) as house:
        await keep(store, OWN)
        await keep(store, OTHER)
        await house.draft(**NEW)
        status, body = await asked(house, *names)
        assert (status, body["error"]["field"]) == (400, "acknowledgedTests")
        wrong = [name for name in names if name != RED]
        assert [repr(name) in body["error"]["message"] for name in wrong] == [True] * len(wrong)
        assert "is no red test; leave it out." in body["error"]["message"]
        assert await house.words() == OLD_WORDS


async def test_a_test_that_was_red_before_is_told_as_such(house: DefinitionHouse, playing: PlayedAs) -> None:
    """It still has to be named."""
    playing.judge = lambda test, _: "nobody is greeted" if test.name == RED else ""
    status, body = await asked(house)
    assert (status, body["error"]["tests"][0]["wasRed"]) == (409, True)
    assert f"{RED} (red before as well): nobody is greeted" in body["error"]["message"]


async def test_a_canary_has_the_tests_of_its_businesses_played(house: DefinitionHouse, playing: PlayedAs) -> None:
    """And of no other; each with what its own business would be offered."""
    status, body = await asked(house, way="canary", businesses=[OTHER])
    assert (status, body["tested"]["run"]) == (200, 1)
    definitions, names = playing.sets[-1]
    assert names == [f"{OTHER}/greets"]
    assert definitions["look"]["canary"]["document"]["description"] == NEW["description"]
    status, body = await asked(house, way="canary", businesses=[OWN])
    assert (status, [one["name"] for one in body["error"]["tests"]]) == (409, [RED])
    status, body = await asked(house, RED, way="canary", businesses=[OWN])
    assert (status, body["tested"]["acknowledged"]) == (200, [RED])


async def test_what_is_published_is_what_was_tested_when_somebody_else_publishes_meanwhile(
    house: DefinitionHouse, playing: PlayedAs
) -> None:
    """Then nothing is published, and whoever was slower looks again."""
    playing.judge = lambda test, _: ""

    async def switch_another() -> None:
        await house.change("PUT", "/enabled", {"enabled": False}, tool="act")

    playing.meanwhile = switch_another
    status, body = await asked(house)
    assert status == 409
    assert "somebody else published tool definitions in the meantime" in body["error"]["message"]
    assert len(playing.sets) == 1
    assert await house.words() == OLD_WORDS
    assert (await asked(house))[0] == 200


async def test_a_draft_that_is_changed_while_tests_are_played_is_not_published(
    house: DefinitionHouse, playing: PlayedAs
) -> None:
    """Neither the old one nor the new one."""
    playing.judge = lambda test, _: ""

    async def change_the_draft() -> None:
        await house.draft(description="Look up a word that a caller of {{business.name}} has never heard before.")

    playing.meanwhile = change_the_draft
    status, _ = await asked(house)
    assert status in (409, 412)
    assert await house.words() == OLD_WORDS
    assert (await house.found("/look"))["draft"]["document"]["description"].endswith("never heard before.")


async def test_what_there_was_no_time_for_is_told(house: DefinitionHouse, playing: PlayedAs) -> None:
    """By business; where nothing could be played at all, nothing is published."""
    playing.judge, playing.not_run = lambda test, _: "", {f"{OTHER}/greets"}
    assert (await asked(house))[1]["tested"] == {"run": 1, "acknowledged": [], "notRun": {OTHER: 1}, "isWhole": True}
    await house.draft(**{**NEW, "timeoutMs": 9_000})
    playing.not_run = set(BOTH)
    status, body = await asked(house)
    assert (status, body["error"]["retryable"]) == (503, True)
    assert "none of the kept tests could be played" in body["error"]["message"]


async def test_of_very_many_tests_some_of_every_business_are_played(
    house: DefinitionHouse, playing: PlayedAs, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fifty of one take no other's place, and one that is named is played wherever it stands."""
    monkeypatch.setattr(choosing, "MOST_TESTS", 4)
    playing.judge = lambda test, _: "it is not well" if test.name == f"{OWN}/t48" else ""
    await keep(house.store, OWN, *(f"t{number:02}" for number in range(49)))
    status, body = await asked(house, f"{OWN}/t48")
    assert (status, body["tested"]["acknowledged"]) == (200, [f"{OWN}/t48"])
    names = playing.sets[-1][1]
    assert (names[0], f"{OTHER}/greets" in names, len(names)) == (f"{OWN}/t48", True, 4)
    assert body["tested"]["notRun"] == {OWN: 47}


async def test_a_test_of_a_tool_that_is_gone_or_that_nobody_can_read_is_red(
    house: DefinitionHouse, playing: PlayedAs
) -> None:
    """With its reason."""
    playing.judge = lambda test, _: ""
    await house.store.commit([Set(PATHS.within(OWN).document("evals", "broken"), {"text": "lines: ["})])
    status, body = await asked(house)
    (red,) = body["error"]["tests"]
    assert (status, red["name"], red["what"].startswith("it is no YAML")) == (409, f"{OWN}/broken", True)


@each("person", ["owner", "editor", "viewer"])
async def test_who_may_not_publish_has_no_test_played(person: str) -> None:
    """An acknowledgement opens nothing."""
    store, playing = MemoryStore(), PlayedAs(red_with_the_draft)
    async with opened(store, playing=playing) as house:
        await keep(store, OWN)
        await house.draft(**NEW)
        revision = (await house.found("/look"))["revision"]
        body = {"acknowledged": await house.acknowledged(), "acknowledgedTests": [RED]}
        for method, way, more in (("POST", "publish", {}), ("PUT", "canary", {"businesses": [OWN]})):
            answer = await house.ask(method, f"/look/{way}", person, json={**body, **more}, revision=revision)
            assert answer.status_code == 403, answer.text
        assert playing.sets == []


async def test_taking_back_is_done_at_once(house: DefinitionHouse, playing: PlayedAs) -> None:
    """Where callers are badly served nobody waits for tests: what is rolled back, reset or switched off."""
    assert (await asked(house, RED))[0] == 200
    count = len(playing.sets)
    await house.change("PUT", "/enabled", {"enabled": False})
    await house.change("POST", "/versions/2/rollback")
    await house.change("POST", "/reset")
    assert len(playing.sets) == count


class _Away(MemoryStore):
    """A store that does not tell of kept tests."""

    is_away = False

    async def query(self, query: Query) -> list[Document]:
        if self.is_away and query.collection.endswith("/evals"):
            raise Unavailable("no answer in time")
        return await super().query(query)


async def test_a_store_that_is_away_says_so_and_nothing_is_published() -> None:
    """What is not known to be green is not taken for it."""
    store = _Away()
    async with opened(store, playing=PlayedAs()) as house:
        await keep(store, OWN)
        await house.draft(**NEW)
        store.is_away = True
        status, body = await asked(house)
        assert (status, body["error"]["message"]) == (
            503,
            "The store does not answer right now; try again in a moment.",
        )
        assert await house.words() == OLD_WORDS
