"""A change of words: said to be untried, and tried by asking a connected model recorded conversations again."""

from collections.abc import AsyncIterator, Callable
from datetime import datetime
from typing import Any

import httpx2 as httpx
import pytest
from starlette.routing import Mount

from switchboard.admin.access.access import Access
from switchboard.admin.api.serving import owners_app, routes
from switchboard.admin.definitions.words_routes import WordsEndpoints
from switchboard.admin.definitions.words_trial import WordsTrial, marked_words
from switchboard.catalog.offer.offer import Offer
from switchboard.channels.http.answer import HANDLERS
from switchboard.channels.http.credentials import Credentials, Rejected
from switchboard.contract.context import Context
from switchboard.contract.json import JsonObject
from switchboard.contract.model import CallPiece, Ended, Ending, ModelError, ModelEvent, Prompt, TextPiece, UserMessage
from switchboard.contract.ports import Store
from switchboard.contract.store import Query, Set
from tests.admin.definition_house import NEW, PATHS, DefinitionHouse, opened
from tests.admin.owners_office import HOST, OTHER, OWN, SignIns, token
from tests.each import each

PATH = f"/admin/businesses/{OWN}/definitions/look/words"
OLD_END, NEW_END = "who ask what it means.", "asks for its meaning."


class Reader:
    """A model that answers by the words that it is told of `look`, and keeps what it was asked."""

    name, dialect = "reader", "openai"

    def __init__(self) -> None:
        self.asked: list[Prompt] = []
        self.error: Exception | None = None

    async def stream(self, prompt: Prompt) -> AsyncIterator[ModelEvent]:
        self.asked.append(prompt)
        if self.error is not None:
            raise self.error
        is_new = NEW_END in str(prompt.tools)
        yield TextPiece("One moment please, I look that up.")
        if is_new:
            yield CallPiece(0, "c", "look", '{"word": ')
            yield CallPiece(0, "", "", '"hello"}')
        yield Ended(Ending.CALLS if is_new else Ending.STOPPED)


class Asking:
    """A house with a model, or without one, and recorded conversations."""

    def __init__(self, house: DefinitionHouse, browser: httpx.AsyncClient, model: Reader) -> None:
        self.house, self.browser, self.model = house, browser, model
        self.is_connected = True

    async def ask(self, method: str, person: str = "platform", **more: Any) -> httpx.Response:
        """Send a request about the words of `look`."""
        return await self.browser.request(method, PATH, headers=token(person), **more)

    async def plan(self, **query: Any) -> JsonObject:
        """Return what asking would cost."""
        answer = await self.ask("GET", params=query)
        assert answer.status_code == 200, answer.text
        found: JsonObject = answer.json()
        return found

    async def record(self, id: str, said: str = "What does hello mean?", business: str = OWN) -> None:
        """Have a caller say something upon which the word was looked up, and record the conversation."""
        now = self.house.clock.now()
        await self.house.call("look", {"word": "hello"}, business, id)
        lines = [("caller", "Good morning.", 0), ("agent", "Good morning!", 0), ("caller", said, 1)]
        transcript = [{"role": role, "text": text, "turn": turn, "at": now} for role, text, turn in lines]
        fields = {"sessionId": f"s-{id}", "channel": "portal", "startedAt": now, "transcript": transcript}
        await self.house.store.commit([Set(PATHS.within(business).document("interactions", f"s-{id}"), fields)])
        self.house.clock.wait(60)


@pytest.fixture
async def asking(store: Store) -> AsyncIterator[Asking]:
    """Over each store in turn, with a draft of other words."""
    async with opened(store) as house:
        model = Reader()

        async def written(offer: Offer, facts: Context, at: datetime) -> tuple[str, str]:
            return f"You answer for {facts.business_id}.", f"It is {at:%H:%M}."

        reached: list[Asking] = []
        choose: Callable[[], Any] = lambda: model if reached[0].is_connected else None  # noqa: E731
        trial = WordsTrial(house.store, PATHS, house.running.catalog, house.clock, written, choose)
        endpoints = WordsEndpoints(house.office.records, trial, house.store, PATHS).endpoints
        access = Access(Credentials(house.store, PATHS, house.clock).recognise, Rejected, SignIns())
        app = Mount("/admin", owners_app(routes(endpoints, access), HANDLERS))
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url=HOST) as browser:
            reached.append(Asking(house, browser, model))
            await house.draft(**NEW)
            yield reached[0]


@pytest.mark.requirement("004-822")
async def test_recorded_conversations_are_asked_again_in_both_wordings_at_a_price_that_was_told(asking: Asking):
    """At the place where the tool was called; nothing is carried out, and what differs is marked by words."""
    await asking.record("c1")
    await asking.record("c2", "And what does bye mean?")
    rows = len(await asking.house.store.query(Query("calls", group=True)))
    plan = await asking.plan()
    assert (plan["model"], plan["conversations"], plan["requests"], plan["whyNot"]) == ("reader", 2, 4, None)
    assert plan["aboutTokensRead"] > 100 and plan["mostTokensWritten"] == 4 * 400
    assert asking.model.asked == []
    asked = (await asking.ask("POST", json={"requests": 4})).json()["asked"]
    assert [one["said"] for one in asked] == ["And what does bye mean?", "What does hello mean?"]
    one = asked[1]
    assert (one["old"]["text"], one["isSame"]) == ("One moment please, I look that up.", False)
    assert one["new"]["text"].splitlines() == [one["old"]["text"], 'look {"word": "hello"}']
    assert one["words"] == [
        {"side": "both", "text": "One moment please, I look that up."},
        {"side": "new", "text": 'look {"word": "hello"}'},
    ]
    assert len(await asking.house.store.query(Query("calls", group=True))) == rows
    told = [str(prompt.tools) for prompt in asking.model.asked]
    assert sum(OLD_END in words for words in told) == sum(NEW_END in words for words in told) == 2
    last = asking.model.asked[0].messages[-1]
    assert isinstance(last, UserMessage) and last.moment.startswith("It is ")


async def test_a_change_of_words_says_that_words_were_not_tried_until_they_were(asking: Asking):
    """In the report, and in what is told of the publication; other words than those that were tried are untried."""
    house = asking.house
    report = (await house.found("/look/replay"))["words"]
    assert (report["fields"], report["isOnly"], report["asked"]) == (["description"], True, 0)
    assert report["remark"].startswith("Words change (description), and were not tried")
    await asking.record("c1")
    assert (await asking.ask("POST", json={"requests": 2})).status_code == 200
    assert "in one recorded conversation" in (await house.found("/look/replay"))["words"]["remark"]
    await house.change("POST", "/publish", {"acknowledged": await house.acknowledged()})
    await house.publish(description="Look up quite another thing for callers of {{business.name}} who ask.")
    changes = (await house.send("GET", "/definition-changes")).json()["changes"]
    published = [change["words"] for change in changes if change["deed"] == "published" and change["words"]]
    assert [words["asked"] for words in published] == [0, 1]


async def test_rules_are_no_words(asking: Asking):
    await asking.house.draft(channels=["phone"])
    words = (await asking.house.found("/look/replay"))["words"]
    assert words == {"fields": [], "isOnly": False, "asked": 0, "remark": None}
    await asking.house.draft(channels=["phone"], description="Look a word up for callers of {{business.name}}.")
    assert (await asking.house.found("/look/replay"))["words"]["isOnly"] is False


async def test_without_a_model_it_says_so_and_nobody_is_asked(asking: Asking):
    await asking.record("c1")
    asking.is_connected = False
    plan = await asking.plan()
    assert (plan["model"], plan["conversations"]) == (None, 1) and "SWITCHBOARD_MODEL" in plan["whyNot"]
    refused = await asking.ask("POST", json={"requests": 2})
    assert refused.status_code == 409 and "SWITCHBOARD_MODEL" in refused.text


async def test_another_number_of_requests_than_was_told_is_not_made(asking: Asking):
    await asking.record("c1")
    for requests in (0, 4):
        refused = await asking.ask("POST", json={"requests": requests})
        assert refused.status_code == 400 and "2 requests now" in refused.text
    assert asking.model.asked == []


async def test_what_cannot_be_asked_again_is_left_out_and_counted(asking: Asking):
    """A conversation of which no record is kept, and one of another business, which is not counted here."""
    await asking.record("c1")
    await asking.house.call("look", {}, OWN, "unrecorded")
    await asking.record("c9", business=OTHER)
    plan = await asking.plan()
    assert (plan["conversations"], plan["skipped"]) == (1, 1)
    assert (await asking.plan(conversations=1))["requests"] == 2


async def test_a_model_that_does_not_answer_is_told_beside_the_conversation(asking: Asking):
    await asking.record("c1")
    asking.model.error = ModelError("the key is refused")
    [one] = (await asking.ask("POST", json={"requests": 2})).json()["asked"]
    assert (one["isSame"], one["old"]["problem"]) == (None, "It did not answer: the key is refused.")
    assert (await asking.house.found("/look/replay"))["words"]["asked"] == 0


async def test_only_platform_admins_have_conversations_asked_again(asking: Asking):
    for person in ("owner", "viewer", "neighbour", "nobody"):
        assert (await asking.ask("GET", person)).status_code == 403
        assert (await asking.ask("POST", person, json={"requests": 2})).status_code == 403
    await asking.house.change("DELETE", "/draft")
    assert (await asking.ask("GET")).status_code == 400


@each(
    ("old", "new", "pieces"),
    [
        ("", "", []),
        ("a b", "a b", [("both", "a b")]),
        ("a b c", "a x c", [("both", "a"), ("old", "b"), ("new", "x"), ("both", "c")]),
        ("", "a", [("new", "a")]),
        ("a  b\n", "", [("old", "a b")]),
    ],
)
def test_differences_are_marked_word_by_word(old: str, new: str, pieces: list[tuple[str, str]]):
    assert [(piece["side"], piece["text"]) for piece in marked_words(old, new)] == pieces
