"""`GET /metrics` over HTTP."""

import httpx2 as httpx
import pytest
from starlette.applications import Starlette

from switchboard.channels.http import monitoring
from switchboard.contract.error import ErrorType
from switchboard.pipeline.metrics.meter import Meter
from tests.desk.front_desk import StoppedClock
from tests.pipeline.metrics.test_meter import record

SCRAPER = (
    "application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,"
    "application/openmetrics-text;version=0.0.1;q=0.5,text/plain;version=1.0.0;escaping=allow-utf-8;q=0.4,"
    "text/plain;version=0.0.4;q=0.3,*/*;q=0.2"
)
BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,image/webp,*/*;q=0.8"
BUILT_IN = ("search_knowledge", "book_appointment", "send_sms")
TEXT = "text/plain; version=0.0.4; charset=utf-8"
JSON = "application/json"


@pytest.fixture
def meter():
    """A meter with two tools, of two businesses."""
    found = Meter(StoppedClock())
    for characters in (320, 320, 890):
        record(found, "search_knowledge", characters=characters, session=("marios-barbershop", "s1"))
    record(found, "book_appointment", error=ErrorType.CONFLICT, session=("demo-plumber", "+15185550171"), turn=2)
    record(found, "call Mario", error=ErrorType.NOT_FOUND, ran=False)
    found.context(("marios-barbershop", "s1"), 3_200, 9_300, tools=5)
    return found


@pytest.fixture
async def http(meter):
    """A client of the route alone."""
    transport = httpx.ASGITransport(app=Starlette(routes=monitoring.metrics_routes(meter, BUILT_IN)))
    async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
        yield client


@pytest.mark.requirement("003-19", "003-113", "003-114", "003-115", "003-116")
async def test_metrics_have_the_shape_that_the_document_shows(http):
    """Seed 003, "Example response", word for word, and more beside it."""
    response = await http.get("/")
    assert (response.status_code, response.headers["content-type"]) == (200, JSON)
    body = response.json()
    assert body["responseSizes"] == {"search_knowledge": {"p50": 320, "p95": 833, "p99": 879}}
    assert body["responseTokens"] == {"search_knowledge": {"avg": 127.7, "p95": 209}}
    assert body["context"] == {
        "sessionInitTokens": 12_500,
        "systemPromptTokens": 3_200,
        "toolDeclTokens": 9_300,
        "tools": 5,
        "peakTokens": 12_883,
    }
    assert body["loopDetection"] == {"activeSessions": 3, "totalTurnsTracked": 3, "detections": {}}
    assert body["calls"]["book_appointment"] == {"count": 1, "errors": {"CONFLICT": 1}}
    assert body["latencyMs"]["search_knowledge"] == {"p50": 100.0, "p95": 100.0, "p99": 100.0}
    assert body["sessions"]["active"] == 3


@pytest.mark.parametrize(
    ("accept", "type"),
    [
        (None, JSON),
        ("", JSON),
        ("*/*", JSON),
        (JSON, JSON),
        (BROWSER, JSON),
        ("text/html", JSON),
        ("application/*", JSON),
        ("application/json, text/plain", JSON),
        ("application/json, text/plain;q=0.9", JSON),
        ("*/*, text/plain;q=0", JSON),
        ("text/plain;q=nonsense, */*;q=0.1", JSON),
        ("text/plain", TEXT),
        ("Text/Plain ; Q=0.5", TEXT),
        ("text/*", TEXT),
        ("text/plain, */*;q=0.1", TEXT),
        ("text/plain;q=0.2, text/plain;version=0.0.4, application/json;q=0.5", TEXT),
        ("application/json;q=0.5, text/plain", TEXT),
        ("application/openmetrics-text", TEXT),
        ("application/json;q=0, */*", TEXT),
        (SCRAPER, TEXT),
    ],
)
async def test_the_accept_header_chooses_between_json_and_prometheus_text(http, accept, type):
    """JSON unless plain text ranks higher; OpenMetrics is answered in the older text."""
    http.headers.pop("accept")
    response = await http.get("/", headers={} if accept is None else {"Accept": accept})
    assert response.headers["content-type"] == type
    assert response.headers["vary"] == "Accept"
    assert response.headers["cache-control"] == "no-store"
    assert response.text.startswith("{" if type == JSON else "# HELP tool_calls_total ")


@pytest.mark.parametrize("accept", [JSON, "text/plain"])
async def test_no_business_session_or_made_up_name_is_shown(http, accept):
    """Anyone may read it: tools, channels and error types are all it names."""
    text = (await http.get("/", headers={"Accept": accept})).text
    assert "search_knowledge" in text
    assert not [word for word in ("mario", "plumber", "5185550171", "s1") if word in text.lower()]


async def test_the_query_chooses_the_tools_that_are_shown(http):
    """One, several, or one that nobody has called; in both formats."""

    async def shown(*tools):
        body = (await http.get("/", params={"tool": list(tools)})).json()
        return list(body["calls"])

    assert await shown("search_knowledge") == ["search_knowledge"]
    assert await shown("search_knowledge", "book_appointment") == ["book_appointment", "search_knowledge"]
    assert await shown("ghost") == []
    text = (await http.get("/", params={"tool": "book_appointment"}, headers={"Accept": "text/plain"})).text
    assert 'tool="book_appointment"' in text
    assert "search_knowledge" not in text


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE"])
async def test_metrics_can_only_be_read(http, method):
    """Nothing resets them."""
    assert (await http.request(method, "/")).status_code == 405


@pytest.mark.parametrize(
    "path", ["/", "/?tool=put_through_to_dr_quast", "/?tool=put_through_to_dr_quast&tool=send_sms"]
)
@pytest.mark.parametrize("accept", [JSON, "text/plain"])
async def test_what_an_owner_calls_a_tool_is_not_told_to_everybody(http, meter, path, accept):
    """It may name the business and its people, and nobody has to show who they are."""
    record(meter, "put_through_to_dr_quast", session=("marios-barbershop", "s1"))
    response = await http.get(path, headers={"Accept": accept})
    assert response.status_code == 200 and "quast" not in response.text
    assert ("search_knowledge" in response.text) == (path == "/")
