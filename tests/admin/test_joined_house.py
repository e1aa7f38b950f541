"""Everything that the house serves to owners, joined as `main` joins it: closed to other tenants, and described."""

import re
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from typing import Any

import httpx2 as httpx
import pytest
from starlette.routing import Route

from operations import seeding
from switchboard.admin.api import openapi
from switchboard.admin.credentials import api_keys
from switchboard.app import asgi
from switchboard.app.container import Container, build
from switchboard.app.settings import read_configuration
from switchboard.contract.credential import OWNER_SCOPES, Scope
from switchboard.contract.store import Query
from switchboard.state.memory.store import MemoryStore
from tests.channels.test_serving import ROOT
from tests.pipeline.conftest import PATHS

OWN, OTHER = "demo-salon", "demo-plumber"
CANARY = "canary-4c1d"
_BODIES = ("post", "put", "patch")


@pytest.fixture
async def house() -> AsyncIterator[Container]:
    """Both demo businesses."""
    found = build(read_configuration({}), MemoryStore())
    await seeding.seed(found.store, PATHS, ROOT / "seeds", now=datetime.now(UTC), out=lambda _: None, by="test")
    yield found
    await found.close()


async def key(house: Container, business_id: str, *scopes: Scope) -> dict[str, str]:
    made = await api_keys.create_key(house.store, PATHS, business_id, "owner", scopes=scopes or OWNER_SCOPES)
    return {"Authorization": f"Bearer {made.text}"}


# What its address opens is read without a key, by whoever was given it; of another address there is nothing.
_FEED = "/api/calendar/{business_id}/{token}.ics"


def owners_paths(document: dict[str, Any]) -> list[tuple[str, str]]:
    """Return method and path of everything that is about one business and for its owners."""
    return [
        (method, path)
        for path, item in document["paths"].items()
        for method in item
        if "{business_id}" in path and path.split("/")[1] in ("admin", "tts_admin", "api") and path != _FEED
    ]


def of_business(path: str, business_id: str) -> str:
    return re.sub(r"\{[a-z_]+\}", CANARY, path.replace("{business_id}", business_id))


async def everything(house: Container) -> list[tuple[str, Any]]:
    """Return what stands in the store below the other business."""
    names = ("tools", "agents", "agentTools", "secrets", "policies", "faqs", "knowledge", "audit", "apiKeys")
    within = PATHS.within(OTHER)
    found = [d for name in names for d in await house.store.query(Query(within.collection(name)))]  # type: ignore[arg-type]
    return sorted((d.path, repr(d.data)) for d in [*found, await house.store.get(within.business)])


async def test_no_path_of_another_business_is_open_to_an_owner_or_a_service(house: Container):
    """Read, run and bind alike; the refusal says nothing, and nothing changes."""
    paths = owners_paths(openapi.document(house.described()))
    assert len(paths) > 60
    before, told = await everything(house), set()
    people = [await key(house, OWN), await key(house, OWN, Scope.READ, Scope.EXECUTE)]
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app=house.app), base_url="http://t") as http:
        for method, path in paths:
            body = {"json": {"name": CANARY, "toolId": CANARY, "config": {}}} if method in _BODIES else {}
            for headers in people:
                for business_id in (OTHER, "nobody"):
                    answer = await http.request(method, of_business(path, business_id), headers=headers, **body)
                    assert answer.status_code == 403, (method, path, answer.status_code, answer.text[:200])
                    told.add(answer.text)
    assert len(told) == 1 and CANARY not in told.pop()
    assert await everything(house) == before


async def test_without_a_key_every_path_asks_for_one(house: Container):
    """Before anything else is looked at."""
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app=house.app), base_url="http://t") as http:
        for method, path in owners_paths(openapi.document(house.described())):
            body = {"content": b"{"} if method in _BODIES else {}
            answer = await http.request(method, of_business(path, OWN), **body)
            assert answer.status_code == 401, (method, path, answer.status_code)


async def test_every_route_of_every_function_is_described(house: Container):
    """What is served and not in the document would be found by nobody; the document itself aside."""
    described = openapi.document(house.described())["paths"]
    missing = []
    for name in asgi.FUNCTIONS:
        routes = house.owners_routes(name) if name in ("admin", "tts_admin", "api") else house.routes(name)
        for route in (route for route in asgi.under(f"/{name}", routes) if isinstance(route, Route)):
            path = re.sub(r"{(\w+):\w+}", r"{\1}", route.path.rstrip("/"))
            methods = (route.methods or set()) - {"HEAD"}
            missing += [f"{method} {path}" for method in methods if method.lower() not in described.get(path, {})]
    assert missing == ["GET /admin/openapi.json"]
