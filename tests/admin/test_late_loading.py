"""What answers callers loads nothing of what answers owners, and starts as fast without it."""

import json
import os
import subprocess
import sys

import pytest

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
