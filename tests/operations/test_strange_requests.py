"""Whatever anybody sends, by the OpenAPI document: never an answer of 500, 501 or from nowhere.

Two examples per operation; more by hand:
`SWITCHBOARD_FUZZ_EXAMPLES=50 scripts/test tests/operations/test_strange_requests.py`.
"""

import asyncio
import os
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from operations import seeding
from switchboard.admin.credentials import api_keys
from switchboard.app.container import build
from switchboard.app.settings import read_configuration
from switchboard.contract.credential import OWNER_SCOPES
from switchboard.state.memory.store import MemoryStore
from tests.operations.premises import BUSINESS, ENVIRONMENT, KEY, PATHS, SEEDS

EXAMPLES = int(os.environ.get("SWITCHBOARD_FUZZ_EXAMPLES", "2"))
# What asks others finds nobody here, and says that it may work later.
LATER = (502, 503, 504)


async def furnished(store: MemoryStore) -> None:
    await seeding.seed(store, PATHS, SEEDS, out=lambda *_: None, now=datetime.now(UTC))
    await api_keys.create_key(store, PATHS, BUSINESS, "fuzz", scopes=OWNER_SCOPES, text=KEY)


def _schema() -> Any:
    # Takes a second to load, for whoever asks.
    import schemathesis

    store = MemoryStore()
    asyncio.run(furnished(store))
    house = build(read_configuration(ENVIRONMENT), store)
    return schemathesis.openapi.from_asgi("/admin/openapi.json", house.app)


@pytest.mark.filterwarnings("ignore")
def test_nothing_that_is_asked_breaks_an_operation(subtests: pytest.Subtests):
    """With a key that opens everything and without any, for a business there is and for others."""
    operations = [found.ok() for found in _schema().get_all_operations()]
    assert len(operations) > 100
    for operation in operations:
        with subtests.test(operation.label):
            _ask(operation)


def _ask(operation: Any) -> None:
    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        derandomize=True,
        database=None,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy())
    def asked(case: Any) -> None:
        if "business_id" in (case.path_parameters or {}):
            case.path_parameters["business_id"] = BUSINESS
        for headers in ({"Authorization": f"Bearer {KEY}"}, {}):
            answer = case.call(headers=headers)
            assert answer.status_code < 500 or answer.status_code in LATER, (
                case.as_curl_command(),
                answer.status_code,
                answer.content[:500],
            )

    asked()
