"""`GET /health` beside `GET /healthz`: Cloud Run may keep paths that end in z to itself."""

import httpx2 as httpx
import pytest
import tzdata

from switchboard.app.container import build
from switchboard.app.settings import read_configuration


@pytest.mark.parametrize("served", ["app", "healthz"])
async def test_health_answers_at_both_paths_alike(served: str) -> None:
    """In the process that serves everything and in the function of its own, to which Hosting hands the path on."""
    house = build(read_configuration({}))
    app = house.app if served == "app" else house.function(served)
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://test") as client:
        answers = [await client.get(path) for path in ("/healthz", "/healthz/", "/health")]
        assert [answer.status_code for answer in answers] == [200, 200, 200]
        assert answers[0].json() == answers[2].json() and answers[2].json()["status"] == "ok"
        # Whether this release knows a change of clocks is then one question, not a guess.
        assert answers[0].json()["timeZones"] == tzdata.IANA_VERSION
        assert (await client.get("/healthz/health")).status_code == 404 or served == "healthz"
    await house.close()


def test_both_paths_are_described() -> None:
    """In the document that owners read."""
    from switchboard.admin.api.openapi import document

    paths = document(build(read_configuration({})).described())["paths"]
    assert {"/health", "/healthz"} <= set(paths)
