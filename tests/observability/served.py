"""A program to be served by uvicorn: a house with the demo businesses that tells of itself as a deployment does."""

import asyncio
from datetime import UTC, datetime

from operations import seeding
from switchboard.admin.credentials import api_keys
from switchboard.app.container import build
from switchboard.app.settings import read_configuration
from switchboard.app.telemetry import Telemetry, TelemetrySettings
from switchboard.state.memory.store import MemoryStore
from tests.channels.test_serving import KEY, ROOT
from tests.pipeline.conftest import PATHS


async def _seeded() -> MemoryStore:
    store = MemoryStore()
    await seeding.seed(store, PATHS, ROOT / "seeds", out=lambda *_: None, now=datetime.now(UTC))
    await api_keys.create_key(store, PATHS, "demo-salon", "observed", text=KEY)
    return store


_house = build(read_configuration({"SWITCHBOARD_EMBEDDINGS": "none"}), asyncio.run(_seeded()))
app = Telemetry(TelemetrySettings("demo-observed", log="json"), _house.meter.registry.collect).served(_house.app)
