"""What answers callers loads nothing of what answers owners, and starts as fast without it."""

import asyncio
import json
import os
import subprocess
import sys
import threading

import pytest

from switchboard.app.asgi import when_asked
from tests.architecture.house import FUNCTIONS, ROOT

ASKED = """
import asyncio, json, sys
import httpx2 as httpx
from switchboard.app.container import build
from switchboard.app.settings import read_configuration
from switchboard.state.memory.store import MemoryStore

async def asked():
    house, loaded = build(read_configuration({}), MemoryStore()), {}
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app=house.app), base_url="http://t") as http:
        for path in ("/tools", "/portal", "/phone/voice", "/healthz", "/admin/businesses"):
            answer = await http.get(path)
            assert answer.status_code in (200, 401, 404, 405), (path, answer.status_code)
            loaded[path] = "fastapi" in sys.modules
    print(json.dumps(loaded))

asyncio.run(asked())
"""


@pytest.mark.process
def test_what_serves_owners_is_loaded_when_the_first_of_them_asks():
    """Also where one process serves every function."""
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT / FUNCTIONS)}
    done = subprocess.run([sys.executable, "-c", ASKED], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    loaded = json.loads(done.stdout.splitlines()[-1])
    assert [path for path, is_loaded in loaded.items() if is_loaded] == ["/admin/businesses"]


WATCHED = """
import asyncio, importlib.abc, json, sys, threading
import httpx2 as httpx
from switchboard.app.container import build
from switchboard.app.settings import read_configuration
from switchboard.state.memory.store import MemoryStore

class Watch(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if threading.current_thread() is threading.main_thread():
            imported.append(name)

imported = []
sys.meta_path.insert(0, Watch())

async def asked():
    house = build(read_configuration({}), MemoryStore())
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app=house.app), base_url="http://t") as http:
        await http.get("/healthz")
        imported.clear()
        assert (await http.get("/admin/businesses")).status_code == 401
    print(json.dumps(imported))

asyncio.run(asked())
"""


@pytest.mark.process
def test_callers_are_answered_while_what_serves_owners_is_loaded():
    """It takes a second or more: none of it is imported by the thread in which calls are answered."""
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT / FUNCTIONS)}
    done = subprocess.run([sys.executable, "-c", WATCHED], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    heavy = ("switchboard.admin", "fastapi", "pydantic")
    assert [name for name in json.loads(done.stdout.splitlines()[-1]) if name.startswith(heavy)] == []


async def test_an_app_that_is_loaded_keeps_no_other_waiting_and_is_loaded_once():
    """Whoever else asks for it meanwhile waits for the same."""
    begun, may_end, made = threading.Event(), threading.Event(), []

    def load():
        begun.set()
        assert may_end.wait(60)

    async def served(scope, receive, send):
        send(scope["path"])

    app = when_asked(lambda: made.append(1) or served, load)
    answers = []
    asking = [asyncio.create_task(app({"path": path}, None, answers.append)) for path in ("/a", "/b")]
    async with asyncio.timeout(60):
        while not begun.is_set():
            await asyncio.sleep(0.01)
    assert answers == []
    may_end.set()
    await asyncio.gather(*asking)
    assert (sorted(answers), made) == (["/a", "/b"], [1])
