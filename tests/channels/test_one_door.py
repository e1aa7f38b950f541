"""What one token opens is one conversation: who takes it over, blocks it or hands it on has it on every channel.

A table: each state of a chat, at each of the doors through which its visitor, or a service, can go on with it.
"""

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import httpx2 as httpx
import pytest

from drills.own_house import OWNER_TOKEN, SALON, OwnHouse, own_house
from drills.premises import PATHS
from switchboard.channels.browser_voice.vendor_sessions import LiveSessions
from switchboard.contract.context import BrowserVoiceContext
from switchboard.contract.policy import PERSON_ANSWERS_WITHIN_S
from tests.channels.browser_voice.conftest import events
from tests.conversation.scripted import ScriptedModel, says

ANSWER = "We are here."
LOOK = ("get_working_hours", {})


@dataclass
class Visit:
    """A visitor of the salon with one token, and what the model was asked."""

    http: httpx.AsyncClient
    house: OwnHouse
    model: ScriptedModel
    token: str
    session_id: str = ""
    calls: int = 0

    async def post(self, path: str, key: str = "", **body: Any) -> httpx.Response:
        """Post as the visitor, or with a key."""
        return await self.http.post(path, json=body, headers={"Authorization": f"Bearer {key or self.token}"})

    async def chat(self) -> str:
        """Write; return what came of it."""
        answer = await self.post("/portal/chat", text="Hello?")
        return str(answer.json().get("outcome") or answer.status_code)

    async def voice(self) -> str:
        """Speak a turn; return what came of it."""
        answer = await self.post("/browser_voice/turn", text="Hello?")
        return str(dict(events(answer.text))["done"]["outcome"]) if answer.status_code == 200 else answer.text

    async def live(self) -> str:
        """Have a live model's call made; return what came of it."""
        self.calls += 1
        call = {"type": "function_call", "name": LOOK[0], "call_id": f"live_{self.calls}", "arguments": "{}"}
        heard = {"text": "Hello?"}
        answer = await self.post("/browser_voice/execute", provider="openai", calls=[call], heard=heard)
        if answer.status_code != 200:
            return str(answer.status_code)
        return outcome_of(json.loads(answer.json()["messages"][0]["item"]["output"]))

    async def service(self, channel: str) -> str:
        """Have a service call a tool in the same session, which counts its turns as it likes."""
        self.calls += 1
        context = {"channel": channel, "sessionId": self.session_id, "turn": 1, "callId": f"service_{self.calls}"}
        body = {"businessId": SALON, "name": LOOK[0], "args": {}, "context": context}
        answer = await self.post("/tools/execute", self.house.keys[SALON], **body)
        return outcome_of(answer.json())

    async def mcp(self) -> str:
        """Have an MCP client call a tool in the same session."""
        self.calls += 1
        body = {
            "jsonrpc": "2.0",
            "id": self.calls,
            "method": "tools/call",
            "params": {"name": LOOK[0], "arguments": {}},
        }
        headers = {
            "Authorization": f"Bearer {self.house.keys[SALON]}",
            "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": "2025-06-18",
        }
        path = f"/mcp/{SALON}?channel=portal&session={self.session_id}"
        answer = (await self.http.post(path, json=body, headers=headers)).text
        return (
            "SESSION_INACTIVE" if "person of the business answers" in answer else "ok" if "result" in answer else answer
        )

    async def token_to_dial(self) -> int:
        """Ask for a token to dial in with."""
        answer = await self.http.get("/browser_voice/token", headers={"Authorization": f"Bearer {self.token}"})
        return answer.status_code

    async def session(self, provider: str = "browser") -> int:
        """Open browser voice."""
        return (await self.post("/browser_voice/session", provider=provider)).status_code

    async def every_door(self) -> dict[str, str]:
        """Go on at each door in turn."""
        return {
            "chat": await self.chat(),
            "voice": await self.voice(),
            "live": await self.live(),
            "service on the portal": await self.service("portal"),
            "service by voice": await self.service("browser_voice"),
            "mcp": await self.mcp(),
        }

    async def owner(self, below: str, method: str = "POST", **body: Any) -> httpx.Response:
        """Ask the owners' API about the conversation."""
        path = f"/admin/businesses/{SALON}/interactions/{self.session_id}{below}"
        headers = {"Authorization": f"Bearer {OWNER_TOKEN}"}
        more = {"json": body} if method == "POST" else {}
        answer = await self.http.request(method, path, headers=headers, **more)
        assert answer.status_code == 200, answer.text
        return answer

    async def live_begins(self) -> None:
        """Note that the conversation was opened with a vendor's model."""
        live = LiveSessions(self.house.store, PATHS, self.house.clock)
        await live.open(BrowserVoiceContext(business_id=SALON, session_id=self.session_id), "openai")


def outcome_of(envelope: dict[str, Any]) -> str:
    """Return what a call came to: ok, or the type of its error."""
    return "ok" if envelope["ok"] else str(envelope["error"]["type"])


@pytest.fixture
async def visit() -> AsyncIterator[Visit]:
    """A visitor who has written once, is in a live talk as well, and has had a call of it made."""
    model = ScriptedModel(*[says(ANSWER) for _ in range(40)])
    async with own_house(model) as house, httpx.AsyncClient(base_url=house.url, timeout=60) as http:
        begun = (await http.post("/portal/session", json={"businessId": SALON})).json()
        found = Visit(http, house, model, begun["token"], begun["sessionId"])
        await found.chat()
        await found.live_begins()
        assert await found.live() == "ok"
        assert await found.voice() == "answered"
        assert await found.chat() == "answered"
        model.prompts.clear()
        yield found


AS_EVER = {
    "chat": "answered",
    "voice": "answered",
    "live": "ok",
    "service on the portal": "ok",
    "service by voice": "ok",
    "mcp": "ok",
}
WITH_PERSON = {
    "chat": "with_person",
    "voice": "with_person",
    "live": "SESSION_INACTIVE",
    "service on the portal": "SESSION_INACTIVE",
    "service by voice": "SESSION_INACTIVE",
    "mcp": "SESSION_INACTIVE",
}


@pytest.mark.requirement("004-1203")
async def test_nothing_stands_in_the_way_of_a_conversation_that_goes_on(visit: Visit):
    assert await visit.every_door() == AS_EVER


@pytest.mark.requirement("004-1203")
async def test_while_a_person_answers_no_model_speaks_and_no_tool_is_called_at_any_door(visit: Visit):
    """What is said by voice reaches them, and the chat stays one that they answer in."""
    await visit.owner("/takeover", name="Rosa")
    for _ in range(2):
        assert await visit.every_door() == WITH_PERSON
    assert visit.model.prompts == []
    assert (await visit.session("browser"), await visit.session("openai")) == (200, 400)
    record = (await visit.owner("", "GET")).json()
    said = [row["channel"] for row in record["transcript"] if row["role"] == "caller"]
    assert said[-6:] == ["portal", "browser_voice", "browser_voice"] * 2
    standing = (await visit.owner("/takeover", "GET")).json()
    assert (standing["isChat"], standing["answeringPerson"]["name"]) == (True, "Rosa")


@pytest.mark.requirement("004-1203")
async def test_who_speaks_while_a_person_answers_in_writing_is_told_so(visit: Visit):
    await visit.owner("/takeover", name="Rosa")
    answer = await visit.post("/browser_voice/turn", text="Hello?")
    told = dict(events(answer.text))
    assert (
        told["text"]["text"].startswith("Rosa (") and "in writing" in told["text"]["text"] and told["text"]["audible"]
    )
    assert told["done"]["outcome"] == "with_person"


@pytest.mark.requirement("004-1203")
async def test_a_live_talk_is_over_at_once_where_a_person_takes_over(visit: Visit):
    """No call of it is made under the number of an earlier turn either, and what was heard stands in the record."""
    await visit.owner("/takeover", name="Rosa")
    call = {"type": "function_call", "name": LOOK[0], "call_id": "late", "arguments": "{}"}
    answer = (await visit.post("/browser_voice/execute", provider="openai", calls=[call])).json()
    assert answer["over"] and answer["intents"] == ["END_VOICE_SESSION"]
    assert json.loads(answer["messages"][0]["item"]["output"])["error"]["type"] == "SESSION_INACTIVE"


@pytest.mark.requirement("004-1203")
async def test_what_is_handed_back_goes_on_at_every_door(visit: Visit):
    await visit.owner("/takeover", name="Rosa")
    await visit.voice()
    await visit.owner("/takeover/hand-back")
    assert await visit.every_door() == AS_EVER


@pytest.mark.requirement("004-1203")
async def test_a_person_who_lets_somebody_wait_who_speaks_gives_way_at_every_door(visit: Visit):
    """Whether they had written before or not: the visitor waits from what they said by voice."""
    await visit.owner("/takeover", name="Rosa")
    await visit.owner("/takeover/messages", id="message-1", text="Hello, this is Rosa.")
    visit.house.clock.ahead += timedelta(seconds=PERSON_ANSWERS_WITHIN_S + 60)
    assert await visit.voice() == "with_person"
    visit.house.clock.ahead += timedelta(seconds=PERSON_ANSWERS_WITHIN_S + 1)
    assert await visit.voice() == "answered"
    assert await visit.every_door() == AS_EVER


@pytest.mark.requirement("004-1204")
async def test_whoever_is_blocked_is_answered_at_no_door_of_theirs(visit: Visit):
    """Goodbye is said where somebody writes or speaks, and a vendor's page is refused."""
    context = {"channel": "portal", "sessionId": visit.session_id, "turn": 2, "callId": "ignore"}
    body = {"businessId": SALON, "name": "ignore_user", "args": {"reason": "insults"}, "context": context}
    assert (await visit.post("/tools/execute", visit.house.keys[SALON], **body)).json()["ok"]
    assert (await visit.chat(), await visit.voice(), await visit.live()) == ("ended", "ended", "403")
    assert (await visit.session(), await visit.token_to_dial()) == (403, 404)
    answer = await visit.post("/browser_voice/turn", text="Hello?")
    assert "cannot continue this conversation" in answer.text and visit.model.prompts == []
