"""Running conversations, streamed: what is told, to whom, once, and how a stream ends and the next goes on."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import httpx2 as httpx
import pytest
from starlette.applications import Starlette
from starlette.routing import Mount

from switchboard.admin.api.serving import owners_app, routes
from switchboard.admin.conversations.live import SHOWN_FROM
from switchboard.admin.conversations.live_routes import LASTS_S, LOOK_S, MOST_STREAMS, LiveEndpoints
from switchboard.channels.http.answer import HANDLERS
from switchboard.channels.http.credentials import Rejected
from switchboard.contract.ports import Store
from switchboard.contract.store import ArrayUnion, Set
from switchboard.conversation.record.endings import SilentConversations
from tests.admin.owners_office import HOST, OTHER, OWN, PATHS, Premises, open_premises, token
from tests.desk.front_desk import NOW, WatchedStore

PHONE = "+15185550199"


@dataclass
class Watcher:
    """Streams of an office whose time passes only while a stream waits; `meanwhile` happens in its waits, in turn."""

    premises: Premises
    meanwhile: list[Callable[[], Any]]
    endpoints: LiveEndpoints
    browser: httpx.AsyncClient

    async def stream(self, person: str = "owner", business: str = OWN, last_id: str = "") -> list[dict[str, Any]]:
        """Return the events of a stream from its beginning to its end: `{event, id, …data}`."""
        headers = token(person) | ({"Last-Event-ID": last_id} if last_id else {})
        answer = await self.browser.get(f"/admin/businesses/{business}/interactions-live", headers=headers)
        assert answer.status_code == 200, answer.text
        assert answer.headers["content-type"].startswith("text/event-stream")
        events = []
        for block in answer.text.split("\n\n"):
            fields = dict(line.split(": ", 1) for line in block.split("\n") if line and not line.startswith(":"))
            if "event" in fields:
                events.append({"event": fields["event"], "at_id": fields.get("id")} | json.loads(fields["data"]))
        return events


@pytest.fixture
async def watcher(store: Store) -> Watcher:
    """A watcher over each store in turn."""
    premises, meanwhile = await open_premises(WatchedStore(store)), list[Callable[[], Any]]()

    async def sleep(seconds: float) -> None:
        premises.clock.wait(seconds)
        if meanwhile:
            await meanwhile.pop(0)()

    endpoints = LiveEndpoints(premises.store, PATHS, premises.clock, premises.access, Rejected, sleep)
    served = owners_app(routes(endpoints.endpoints, premises.access), HANDLERS)
    app = Starlette(routes=[Mount("/admin", served)])
    return Watcher(
        premises, meanwhile, endpoints, httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url=HOST)
    )


def conversation(watcher: Watcher, id: str = "c1", business: str = OWN, **fields: Any) -> Callable[[], Any]:
    """Return what lets a conversation begin, or go on, at that moment."""

    async def happen() -> None:
        now = watcher.premises.clock.now()
        known = {name: value(now) if callable(value) else value for name, value in fields.items()}
        path = PATHS.within(business).document("interactions", id)
        begun = {"channel": "phone", "sessionId": id, "endedAt": None, "callerPhone": PHONE, "turns": 1}
        is_there = await watcher.premises.store.get(path) is not None
        changes = {"heardAt": now} | ({} if is_there else {"startedAt": now, **begun}) | known
        await watcher.premises.store.commit([Set(path, changes, merge=True)])

    return happen


def heard(turn: int) -> Callable[[datetime], Any]:
    return lambda now: ArrayUnion(({"role": "caller", "text": "Hi", "turn": turn, "at": now, "channel": "phone"},))


def called(name: str, turn: int) -> Callable[[datetime], Any]:
    row = {"callId": f"{turn}.1", "name": name, "turn": turn, "elapsedMs": 12.0, "ok": True}
    return lambda now: ArrayUnion((row | {"at": now},))


def told(events: list[dict[str, Any]]) -> list[tuple[str, str]]:
    return [(one["event"], one.get("key", one.get("reason"))) for one in events]


@pytest.mark.requirement("004-815")
async def test_a_conversation_is_told_from_its_beginning_to_its_end(watcher: Watcher):
    """Each thing once, with the same key whenever it is told."""
    watcher.meanwhile += [
        conversation(watcher, transcript=heard(1)),
        conversation(watcher, tools=called("look", 1)),
        conversation(watcher, transcript=heard(2), turns=2),
        conversation(watcher, endedAt=lambda now: now, outcome="answered", durationSeconds=9),
    ]
    events = await watcher.stream()
    kinds = [event["event"] for event in events]
    assert kinds == ["begun", "turn", "call", "turn", "ended", "end"]
    assert (events[0]["id"], events[0]["channel"], events[0]["callerPhone"]) == ("c1", "phone", PHONE)
    assert (events[2]["tool"], events[2]["ok"], events[2]["turn"]) == ("look", True, 1)
    assert (events[4]["outcome"], events[5]["reason"]) == ("answered", "time")
    assert len({event["key"] for event in events[:-1]}) == 5


@pytest.mark.requirement("004-815")
async def test_a_stream_begins_with_what_is_running_and_nothing_that_is_over(watcher: Watcher):
    """Nor with an owner's own trial, nor with what nobody has heard of for long."""
    await conversation(watcher, "over", endedAt=lambda now: now)()
    await conversation(watcher, "trial", triedAt=lambda now: now)()
    await conversation(watcher, "old")()
    watcher.premises.clock.wait(SHOWN_FROM.total_seconds() + 1)
    await conversation(watcher, "now", transcript=heard(1))()
    events = await watcher.stream()
    assert told(events) == [("begun", "now/begun"), ("end", "time")]


@pytest.mark.requirement("004-815")
async def test_the_next_stream_goes_on_where_the_last_one_ended(watcher: Watcher):
    """What happened in between is told; what was told may come again, under the same key."""
    watcher.meanwhile += [conversation(watcher, transcript=heard(1))]
    first = await watcher.stream()
    await conversation(watcher, tools=called("look", 1))()
    await conversation(watcher, "c2")()
    await conversation(watcher, endedAt=lambda now: now)()
    second = await watcher.stream(last_id=first[-2]["at_id"])
    keys = {event["key"] for event in first[:-1]} | {event["key"] for event in second[:-1]}
    assert {"c1/begun", "c2/begun"} <= keys
    assert {event["event"] for event in second} == {"begun", "turn", "call", "ended", "end"}


@pytest.mark.requirement("004-815")
@pytest.mark.parametrize("last_id", ["x", "2027-03-10T10:00:00", (NOW - timedelta(days=3)).isoformat()])
async def test_behind_an_event_that_nobody_knows_a_stream_begins_anew(watcher: Watcher, last_id: str):
    """With what is running."""
    await conversation(watcher)()
    assert told(await watcher.stream(last_id=last_id)) == [("begun", "c1/begun"), ("end", "time")]


@pytest.mark.requirement("004-816")
async def test_whose_role_is_taken_is_told_nothing_more(watcher: Watcher, monkeypatch: pytest.MonkeyPatch):
    """The stream ends with the next look."""
    from tests.admin import owners_office

    async def taken() -> None:
        monkeypatch.setitem(owners_office.PEOPLE, "editor", {})
        await conversation(watcher, "c2")()

    watcher.meanwhile += [conversation(watcher), taken]
    began = watcher.premises.clock.now()
    assert told(await watcher.stream("editor")) == [("begun", "c1/begun"), ("end", "access")]
    assert watcher.premises.clock.now() - began <= timedelta(seconds=2 * LOOK_S)


@pytest.mark.requirement("004-816")
async def test_a_business_hears_of_its_own_conversations_alone(watcher: Watcher):
    """And whoever is nothing to it is let in to no stream."""
    await conversation(watcher, "theirs", OTHER)()
    assert told(await watcher.stream()) == [("end", "time")]
    for person in ("neighbour", "nobody"):
        path = f"/admin/businesses/{OWN}/interactions-live"
        assert (await watcher.browser.get(path, headers=token(person))).status_code == 403


@pytest.mark.requirement("004-816")
async def test_who_calls_is_masked_for_a_viewer(watcher: Watcher):
    """As everywhere else where values are taken along."""
    await conversation(watcher)()
    assert (await watcher.stream("viewer"))[0]["callerPhone"] == "•••"


@pytest.mark.requirement("004-815")
@pytest.mark.parametrize("is_quiet", [True, False], ids=["quiet", "busy"])
async def test_a_conversation_that_silence_has_ended_is_told_by_the_stream_after_that(watcher: Watcher, is_quiet: bool):
    """It is over when it was last heard of, which is long before that is noticed; others may talk on meanwhile."""
    store, clock = watcher.premises.store, watcher.premises.clock
    await conversation(watcher, channels=["browser_voice"], shard=0)()
    heard_at = clock.now()
    last_id = (await watcher.stream())[-1]["at_id"]
    for turn in range(14):
        clock.wait(60)
        if not is_quiet:
            await conversation(watcher, "c2", shard=1, transcript=heard(turn))()
        last_id = (await watcher.stream(last_id=last_id))[-1]["at_id"]
    clock.wait(60)
    assert (await SilentConversations(store, clock).end()) == {"ended": 1}
    ended = [event for event in await watcher.stream(last_id=last_id) if event["event"] == "ended"]
    assert [(event["id"], event["at"]) for event in ended] == [("c1", f"{heard_at:%Y-%m-%dT%H:%M:%SZ}")]


@pytest.mark.requirement("004-816")
async def test_a_business_has_so_many_streams_and_no_more(watcher: Watcher):
    """Those that have ended make room."""
    answers: list[httpx.Response] = []

    async def another() -> None:
        path = f"/admin/businesses/{OWN}/interactions-live"
        answers.append(await watcher.browser.get(path, headers=token("owner")))

    watcher.meanwhile += [another] * MOST_STREAMS
    await watcher.stream()
    assert [answer.status_code for answer in answers] == [429] + [200] * (MOST_STREAMS - 1)
    assert told(await watcher.stream()) == [("end", "time")]


async def test_a_store_that_does_not_answer_loses_nothing(watcher: Watcher):
    """It is asked again at the next look."""
    store = watcher.premises.store
    assert isinstance(store, WatchedStore)

    async def away() -> None:
        await conversation(watcher)()
        store.fail("query")

    async def back() -> None:
        store.recover()

    watcher.meanwhile += [away, back]
    assert told(await watcher.stream()) == [("begun", "c1/begun"), ("end", "time")]


async def test_a_stream_costs_a_read_for_each_look(watcher: Watcher):
    """However long nothing happens, and whoever it is for."""
    store = watcher.premises.store
    assert isinstance(store, WatchedStore)
    store.asked.clear()
    await watcher.stream()
    assert store.asked["query"] == LASTS_S / LOOK_S + 1
    assert store.asked["get_many"] == 0


@pytest.mark.requirement("004-815")
async def test_a_stream_lasts_no_longer_than_it_is_asked_to(watcher: Watcher):
    """Whoever comes back by themselves looks once."""
    await conversation(watcher)()
    began = watcher.premises.clock.now()
    path = f"/admin/businesses/{OWN}/interactions-live"
    answer = await watcher.browser.get(path, headers=token("owner"), params={"lasts": "0"})
    assert "event: begun" in answer.text and "event: end" in answer.text
    assert watcher.premises.clock.now() == began
    refused = await watcher.browser.get(path, headers=token("owner"), params={"lasts": "46"})
    assert (refused.status_code, refused.json()["error"]["field"]) == (400, "lasts")
