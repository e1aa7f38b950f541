"""A fresh process up to its first answer, as functions-framework makes one; run by `cold`, prints what it found.

first_request.py <function> <source file> [module to import as well]
"""

import asyncio
import importlib
import json
import sys
import time
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1]))
from benchmarks.asgi import request

BUSINESS, KEY = "salon", "sb_bench"
# None may be loaded by an answer that needs none of them (each costs up to 1.5 s).
FORBIDDEN = (
    *("openai", "anthropic", "google.genai", "google.generativeai", "vertexai", "litellm", "langchain_core"),
    *("twilio", "googleapiclient", "firebase_admin"),
)


async def furnish(store) -> None:
    """Put a business and its key into a store."""
    from switchboard.contract.credential import key_hash
    from switchboard.contract.store import Set
    from switchboard.state.paths import FirestorePaths

    paths = FirestorePaths().within(BUSINESS)
    key = {"hash": key_hash(KEY), "name": "bench", "scopes": ["tools:read"]}
    salon = {"name": "Salon", "timezone": "Europe/Vienna"}
    await store.commit([Set(paths.business, salon), Set(paths.document("apiKeys", "key_1"), key)])


class Stages:
    """How many CPU milliseconds each stage took, from the end of the one before it."""

    def __init__(self) -> None:
        self.took_ms = {}
        self._last = 0.0  # the process's CPU time starts with the process

    def end(self, name: str) -> None:
        """Note the end of a stage."""
        now = time.process_time()
        self.took_ms[name] = (now - self._last) * 1e3
        self._last = now


async def first_answer(app, function: str, stages: Stages) -> tuple[int, bytes]:
    """Return status and body."""
    if function != "tools":
        return await request(app, "GET", "/")
    house = sys.modules["switchboard.app.container"].container()
    # However long it takes here, it is to be an answer.
    policy = importlib.import_module("switchboard.contract.policy")
    policy.STORE_READ_S = policy.STORE_FIRST_CALL_S = 60.0
    stages.end("house")
    if house.configuration.store == "memory":
        await furnish(house.store)
    stages.end("furnishing")
    return await request(app, "GET", "/tools/definitions", f"businessId={BUSINESS}&channel=phone", KEY)


def main() -> None:
    """Answer one request and print a line of JSON."""
    function, source, *also = sys.argv[1:]
    stages = Stages()
    stages.end("python")
    from functions_framework.aio import create_asgi_app

    stages.end("framework")
    app = create_asgi_app(function, source, "http")
    stages.end("source file")
    for module in also:
        importlib.import_module(module)
    stages.end("also imported")
    status, body = asyncio.run(first_answer(app, function, stages))
    stages.end("answer")
    timings = {
        "status": status,
        "tools": len(json.loads(body)["tools"]) if function == "tools" else 0,
        "stages": stages.took_ms,
        "forbidden": [name for name in FORBIDDEN if name in sys.modules],
    }
    print(json.dumps(timings), flush=True)


if __name__ == "__main__":
    main()
