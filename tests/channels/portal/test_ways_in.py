"""Who comes to a deployment, by whichever address of it, is counted by one that they cannot choose."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import httpx2 as httpx
import pytest
from starlette.types import ASGIApp, Receive, Scope, Send

from deploying.settings import Settings
from drills.own_house import SALON, own_house
from tests.conversation.scripted import ScriptedModel

pytestmark = pytest.mark.requirement("004-64")
VISITOR, EGRESS = "198.51.100.7", "151.101.1.1"
# What an operator who has Hosting in front may have set for everything.
TWO = {"SWITCHBOARD_TRUSTED_PROXIES": "2"}
HOSTING, OWN = "https://my-project.web.app", "https://calls.example.com"


@dataclass
class FrontEnd:
    """A proxy, which adds to `X-Forwarded-For` whoever has come to it and is itself who comes to the next one."""

    behind: ASGIApp
    address: str

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self.behind(scope, receive, send)
        told = [value for name, value in scope["headers"] if name == b"x-forwarded-for"]
        forwarded = b", ".join([*told, scope["client"][0].encode()])
        headers = [pair for pair in scope["headers"] if pair[0] != b"x-forwarded-for"]
        changed = {"headers": [*headers, (b"x-forwarded-for", forwarded)], "client": (self.address, 1)}
        await self.behind({**scope, **changed}, receive, send)


def settings(public_url: str, **variables: str) -> Settings:
    return Settings("my-project", "us-central1", {"SWITCHBOARD_PUBLIC_URL": public_url, **variables}, ())


async def begun(app: ASGIApp, forged: str, visits: int, visitor: str = VISITOR) -> int:
    """Begin visits, each with another address in the header; return how many were let in."""
    transport = httpx.ASGITransport(app=app, client=(visitor, 1))
    async with httpx.AsyncClient(transport=transport, base_url="http://t") as http:
        answers = [
            await http.post(
                "/portal/session",
                json={"businessId": SALON},
                headers={"X-Forwarded-For": forged.format(n=n)} if forged else {},
            )
            for n in range(visits)
        ]
    statuses = [answer.status_code for answer in answers]
    assert set(statuses) <= {200, 429}
    return statuses.count(200)


@pytest.fixture
async def deployed() -> AsyncIterator[Any]:
    """A function and the relay as a deployment behind Hosting sets them up, whatever the operator has set."""
    given = settings(HOSTING, **TWO)
    counts = (given.functions_proxies, given.relay_proxies)
    async with (
        own_house(ScriptedModel(), SWITCHBOARD_TRUSTED_PROXIES=counts[0]) as function,
        own_house(ScriptedModel(), SWITCHBOARD_TRUSTED_PROXIES=counts[1]) as relay,
    ):
        straight = FrontEnd(function.house.app, "169.254.1.1")
        yield {
            "the relay": FrontEnd(relay.house.app, "169.254.1.1"),
            "a function": straight,
            "Hosting": FrontEnd(straight, EGRESS),
        }


@pytest.mark.parametrize("forged", ["", "203.0.113.{n}", "203.0.113.{n}, 151.101.1.1", "203.0.113.{n}, 192.0.2.{n}"])
@pytest.mark.parametrize("way", ["the relay", "a function", "Hosting"])
async def test_no_forged_address_makes_room_for_more_visits(deployed: Any, way: str, forged: str):
    """Straight to the relay, straight to a function, and through Hosting to it: the limit of one address holds."""
    admitted = await begun(deployed[way], forged, 25)
    assert 0 < admitted < 25
    assert await begun(deployed[way], "203.0.114.9", 1) == 0


async def test_at_the_relay_each_visitor_has_an_address_of_their_own(deployed: Any):
    """Which is where pages come that were read through Hosting, so that nobody there is counted for another."""
    await begun(deployed["the relay"], "", 25)
    assert await begun(deployed["the relay"], VISITOR, 1, visitor="198.51.100.8") == 1


@pytest.mark.parametrize(
    ("given", "functions", "relay"),
    [
        (settings(HOSTING), "1", "1"),
        (settings(HOSTING, **TWO), "1", "1"),
        (settings("https://us-central1-my-project.cloudfunctions.net", **TWO), "1", "1"),
        # Something of one's own stands in front, of the functions or of both.
        (settings(OWN), "1", "1"),
        (settings(OWN, **TWO), "2", "1"),
        (settings(OWN, **TWO, SWITCHBOARD_STREAM_URL="https://streams.example.com"), "2", "2"),
        (settings(OWN, **TWO, SWITCHBOARD_STREAM_URL="https://relay-1.us-central1.run.app"), "2", "1"),
    ],
)
def test_each_service_is_told_what_stands_in_front_of_it(given: Settings, functions: str, relay: str):
    assert (given.functions_proxies, given.relay_proxies) == (functions, relay)
