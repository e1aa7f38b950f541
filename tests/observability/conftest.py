"""A house that tells a collector of itself, with a business whose calendar is the stand-in for Google."""

import base64
import uuid
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime
from typing import Any

import httpx2 as httpx
import pytest

from operations import seeding
from stand_ins.calendar_connection import connect
from stand_ins.google_calendar import CLIENT_ID, CLIENT_SECRET, GoogleCalendarStandIn
from stand_ins.loopback import serving
from switchboard.admin.credentials import api_keys
from switchboard.app.container import Container, build
from switchboard.app.settings import read_configuration
from switchboard.app.telemetry import Telemetry, TelemetrySettings
from switchboard.state.measured import MeasuredStore
from switchboard.state.memory.store import MemoryStore
from tests.channels.test_serving import KEY, ROOT
from tests.leisure import leisure, pressed  # noqa: F401
from tests.observability.collector import Collector, collecting
from tests.pipeline.conftest import PATHS

SECRETS_KEY = base64.b64encode(bytes(32)).decode()


class RecordingGoogle:
    """The stand-in, which also keeps what traces it was told of."""

    def __init__(self) -> None:
        self.inner, self.asked = GoogleCalendarStandIn().app, list[tuple[str, str | None]]()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            headers = {name.decode(): value.decode() for name, value in scope["headers"]}
            self.asked.append((scope["path"], headers.get("traceparent")))
        await self.inner(scope, receive, send)


class ObservedHouse:
    """Everything that `main` builds, and telemetry around it."""

    def __init__(self, house: Container, collector: Collector, google: RecordingGoogle) -> None:
        self.house, self.collector, self.google = house, collector, google
        self.telemetry = Telemetry(
            TelemetrySettings("demo", collector=collector.url, version="v7"), house.meter.registry.collect
        )
        transport = httpx.ASGITransport(app=self.telemetry.served(house.app))
        headers = {"Authorization": f"Bearer {KEY}"}
        self.http = httpx.AsyncClient(transport=transport, base_url="http://test", headers=headers)

    async def execute(self, name: str, args: Any, headers: dict[str, str] | None = None, **context: Any) -> Any:
        """Call a tool over HTTP and return the envelope."""
        known = {"channel": "phone", "sessionId": "s1", "turn": 1, "callId": f"c{uuid.uuid4().hex}"} | context
        body = {"businessId": "demo-salon", "name": name, "args": args, "context": known}
        response = await self.http.post("/tools/execute", json=body, headers=headers or {})
        assert response.status_code == 200, response.text
        return response.json()

    async def collected(self) -> Collector:
        """Return the collector once everything has been sent there."""
        await self.telemetry.close()
        return self.collector


@pytest.fixture
def collector() -> Iterator[Collector]:
    """An empty collector."""
    with collecting() as found:
        yield found


@pytest.fixture
async def observed(collector: Collector) -> AsyncIterator[ObservedHouse]:
    """The house."""
    google, store = RecordingGoogle(), MemoryStore()
    await seeding.seed(store, PATHS, ROOT / "seeds", out=lambda *_: None, now=datetime.now(UTC))
    await api_keys.create_key(store, PATHS, "demo-salon", "observed", text=KEY)
    with serving(google) as url:
        await connect(store, PATHS, "demo-salon", SECRETS_KEY, url)
        environ = {
            "SWITCHBOARD_GOOGLE_BASE_URL": url,
            "SWITCHBOARD_SECRETS_KEY": SECRETS_KEY,
            "SWITCHBOARD_GOOGLE_CLIENT_ID": CLIENT_ID,
            "SWITCHBOARD_GOOGLE_CLIENT_SECRET": CLIENT_SECRET,
            "SWITCHBOARD_PUBLIC_URL": "http://127.0.0.1:8080",
            "SWITCHBOARD_EMBEDDINGS": "none",
        }
        house = build(read_configuration(environ), store)
        # The house measures the stores that it opens itself.
        house.__dict__["store"] = MeasuredStore(store, house.registry)
        await house.calendars.warm()
        google.asked.clear()
        found = ObservedHouse(house, collector, google)
        yield found
        await found.http.aclose()
        await found.telemetry.close()
        await house.close()
