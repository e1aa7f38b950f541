"""What the seeds promise of the system as a whole: how it is built, what it depends on, what changes it."""

import ast
import json
import os
import shutil
import subprocess
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path

import httpx2 as httpx
import pytest

import setting_up
from operations import seeding
from switchboard.app import clients
from switchboard.app.container import build
from switchboard.app.core import REGISTRY
from switchboard.app.settings import read_configuration
from switchboard.catalog.definitions.registry import Registry
from switchboard.catalog.offer.catalog import Options
from switchboard.contract.business.business import read_business
from switchboard.contract.channel import Channel
from switchboard.contract.context import CONTEXTS
from switchboard.contract.store import Update
from switchboard.state.memory.store import MemoryStore
from switchboard.state.paths import FirestorePaths
from tests.channels.http.test_tools_api import KEY, http, store
from tests.desk.front_desk import NOW, WatchedStore

__all__ = ["http", "store"]

ROOT = setting_up.ROOT
FUNCTIONS = ROOT / "functions"
PATHS = FirestorePaths()
SALON = "demo-salon"
VENDORS = {"openai", "google.genai", "anthropic", "langchain", "vertexai", "google.generativeai"}


def sources(*rooms: str) -> list[Path]:
    """Return the modules of these rooms, or of all."""
    roots = [FUNCTIONS / "switchboard" / room for room in rooms] or [FUNCTIONS]
    return sorted(path for root in roots for path in root.rglob("*.py"))


@cache
def imported(path: Path) -> set[str]:
    """Return the modules that a file imports, wherever in it."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found


@pytest.mark.requirement("003-03")
def test_no_library_of_a_model_vendor_is_needed():
    """Neither imported anywhere nor installed with what is deployed; the tests alone use them, as oracles."""
    assert [path for path in sources() if imported(path) & VENDORS] == []
    pinned = (FUNCTIONS / "requirements.txt").read_text()
    assert not {line.split("==")[0] for line in pinned.splitlines()} & {"openai", "google-genai", "anthropic"}


@pytest.mark.requirement("000-51")
def test_handlers_reach_stored_data_through_the_desk_alone():
    """No handler knows a store, a path or a vendor's client."""
    allowed = ("switchboard.contract.", "switchboard.desk")
    closed = ("switchboard.contract.ports", "switchboard.contract.store")
    for path in sources("tools"):
        ours = {name for name in imported(path) if name.startswith("switchboard.")}
        assert [name for name in ours if not name.startswith(allowed) or name.startswith(closed)] == [], path
        asked = {node.attr for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Attribute)}
        assert not asked & {"store", "paths"}, path


@pytest.mark.requirement("000-48")
def test_only_the_pipeline_runs_handlers():
    """The catalog knows a tool's handler, the pipeline alone asks for it, and none is imported by its name."""
    takers = {
        path.relative_to(FUNCTIONS / "switchboard").parts[0]
        for path in sources()
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "handler"
    }
    assert takers == {"catalog", "pipeline"}
    outsiders = [path for path in sources() if "tools" not in path.relative_to(FUNCTIONS).parts[:2]]
    assert [p for p in outsiders if any(name.startswith("switchboard.tools") for name in imported(p))] == []


@pytest.mark.process
@pytest.mark.requirement("003-21")
def test_the_artifact_is_made_and_not_kept_under_version_control():
    """`scripts/build_tools` writes it; git is told to leave it alone."""
    assert f"/{REGISTRY.relative_to(ROOT).as_posix()}" in (ROOT / ".gitignore").read_text().splitlines()
    if (ROOT / ".git").exists() and shutil.which("git"):
        kept = subprocess.run(
            ["git", "ls-files", "--", str(REGISTRY)], cwd=ROOT, capture_output=True, text=True, check=True
        )
        assert kept.stdout == ""


SERVE_ALONE = """
import asyncio, json
from switchboard.app.container import build
from switchboard.app.settings import read_configuration
from switchboard.catalog.offer.catalog import Options
from switchboard.contract.channel import Channel
from switchboard.contract.store import Set

async def offered():
    house = build(read_configuration({}))
    await house.store.commit([Set("businesses/b", {"name": "B"})])
    offer = await house.catalog.get_tool_definitions("b", Options(Channel.PHONE))
    return [offer.source, [tool.name for tool in offer.tools]]

print(json.dumps(asyncio.run(offered())))
"""


@pytest.mark.process
@pytest.mark.requirement("004-18")
def test_what_is_deployed_serves_without_the_seed_files(tmp_path: Path):
    """Only `functions/` is uploaded: what it offers then comes from the artifact in it."""
    shutil.copytree(FUNCTIONS, tmp_path / "functions", ignore=shutil.ignore_patterns("__pycache__"))
    environ = {"PATH": os.environ["PATH"], "PYTHONPATH": str(tmp_path / "functions")}
    command = [sys.executable, "-c", SERVE_ALONE]
    done = subprocess.run(command, cwd=tmp_path / "functions", env=environ, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    source, names = json.loads(done.stdout.splitlines()[-1])
    assert source == "fallback"
    assert "search_knowledge" in names


@pytest.mark.requirement("000-50")
async def test_a_process_has_one_store_client_for_everything(monkeypatch: pytest.MonkeyPatch):
    """However many functions it serves, the client is opened once."""
    opened = []
    monkeypatch.setattr(clients, "open_store", lambda _: opened.append(MemoryStore()) or opened[-1])
    house = build(read_configuration({}))
    assert house.app
    assert house.desk and house.channel_app.conversations and house.passes and house.credentials
    assert len(opened) == 1
    assert house.store is opened[0]


@pytest.mark.requirement("003-32", "003-126")
async def test_one_loaded_registry_serves_voice_and_text(monkeypatch: pytest.MonkeyPatch, store):
    """Loaded with the first request and kept, whichever channel asks."""
    loaded, load = [], Registry.load
    monkeypatch.setattr(Registry, "load", lambda path: loaded.append(path) or load(path))
    house = build(read_configuration({}), store)
    assert loaded == []
    transport = httpx.ASGITransport(app=house.app)
    async with httpx.AsyncClient(
        transport=transport, base_url="http://test", headers={"Authorization": f"Bearer {KEY}"}
    ) as client:
        for channel in (*Channel, *Channel):
            query = {"businessId": SALON, "channel": channel.value}
            assert (await client.get("/tools/definitions", params=query)).status_code == 200
    for channel in Channel:
        await house.channel_app.conversations.open(
            CONTEXTS[channel](business_id=SALON, session_id=channel.value, turn=0)
        )
    assert len(loaded) == 1


@pytest.mark.requirement("003-01")
async def test_a_tool_has_the_same_definition_on_every_channel(store):
    """Words, schemas and limits: what differs is whether it is offered, and what can be had instead when it fails."""
    house = build(read_configuration({}), store)
    seen: dict[str, object] = {}
    shared = 0
    for channel in Channel:
        offer = await house.catalog.get_tool_definitions(SALON, Options(channel))
        for tool in offer.tools:
            shared += tool.name in seen
            told = replace(tool.definition, say=tool.tool.definition.say)
            assert seen.setdefault(tool.name, told) == told
    assert shared > 20


@pytest.mark.requirement("003-90")
@pytest.mark.parametrize(
    ("environ", "model", "dialect"),
    [
        ({}, "rehearsal", "openai"),
        ({"SWITCHBOARD_MODEL": "openai:gpt-x", "OPENAI_API_KEY": "k"}, "openai:gpt-x", "openai"),
        ({"SWITCHBOARD_MODEL": "openai:local", "OPENAI_BASE_URL": "http://127.0.0.1:1/v1"}, "openai:local", "openai"),
        ({"SWITCHBOARD_MODEL": "gemini:gemini-x", "GEMINI_API_KEY": "k"}, "gemini:gemini-x", "gemini_json"),
        ({"SWITCHBOARD_MODEL": "anthropic:claude-x", "ANTHROPIC_API_KEY": "k"}, "anthropic:claude-x", "anthropic"),
    ],
)
async def test_another_model_vendor_takes_another_setting_and_nothing_else(environ, model, dialect):
    """The same conversation is held with whatever `SWITCHBOARD_MODEL` names."""
    house = build(read_configuration(environ))
    try:
        chosen = house.open_model(house.catalog.definitions.registry.tools.values())
        assert (chosen.name, chosen.dialect) == (model, dialect)
    finally:
        await house.close()


@pytest.mark.requirement("000-25")
async def test_a_business_document_keeps_what_the_data_model_lists():
    """Seed 000, "Data Model"; when it came to be and was last changed the store keeps by itself."""
    found = WatchedStore(MemoryStore())
    await seeding.seed(found, PATHS, ROOT / "seeds", now=NOW, only=("businesses",), out=lambda _: None)
    path = PATHS.within(SALON).business
    document = await found.get(path)
    written = json.loads((ROOT / "seeds/businesses/demo-salon/business.json").read_text())
    listed = ("name", "industry", "phone", "email", "twilioNumber", "ai", "services", "workingHours")
    assert {name: document.data[name] for name in listed} == {name: written[name] for name in listed}
    assert read_business(SALON, document.data).problems == ()
    await found.commit([Update(path, {"email": "new@maplestreethair.example"})])
    later = await found.get(path)
    assert later.create_time == document.create_time
    assert later.update_time > document.update_time


@pytest.mark.requirement("003-139")
async def test_an_event_is_entered_after_a_yes_where_the_owner_wants_one(http, store):
    """A change of the definition in Firestore; the code stays as it is."""
    await store.commit([Update(PATHS.definition("create_event"), {"confirm": True})])
    event = {"title": "Photo shoot", "start_time": "2026-12-02T10:00:00"}
    body = {"businessId": SALON, "name": "create_event", "args": event}

    known = {"callerVerified": True, "callerId": "clr_anna_whitfield"}

    def at(turn: int) -> dict[str, object]:
        return {"channel": "portal", "sessionId": "s1", "turn": turn, "callId": f"c{turn}"} | known

    asked = (await http.post("/tools/execute", json=body | {"context": at(1)})).json()
    assert asked["error"]["type"] == "CONFIRMATION_REQUIRED"
    heard = {"businessId": SALON, "context": at(2), "heard": {"button": "yes", "question": 1}}
    heard["asked"] = asked["meta"]["readBack"]
    assert (await http.post("/tools/heard", json=heard)).json()["verdict"] == "approved"
    done = (await http.post("/tools/execute", json=body | {"context": at(2)})).json()
    assert done["data"]["created"] is True
