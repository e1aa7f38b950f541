"""Owners' changes that only tell what they would do: nothing is written or sent, and who would lose what is named."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from switchboard.contract.store import Query
from tests.admin.test_every_write import DEFINITION, WRITES, acknowledged, described
from tests.admin.whole_house import BUSINESS, Owner, opened

DECIDING = ("businesses", "tools", "agents", "agentTools", "definitions")
"""The collections that decide what is offered."""


@pytest.fixture
async def owner() -> AsyncIterator[Owner]:
    """The salon's, of which nothing was changed yet."""
    async with opened() as found:
        yield found


async def everything(owner: Owner) -> dict[str, tuple[dict[str, Any], Any]]:
    """Return the whole store, with when each document was written last."""
    documents = await owner.house.store.query(Query("", group=True))
    return {document.path: (document.data, document.update_time) for document in documents}


def takes_it(operation: dict[str, Any]) -> bool:
    return any(one["name"] == "dryRun" for one in operation["parameters"])


def dry(path: str) -> str:
    return f"{path}{'&' if '?' in path else '?'}dryRun=true"


@pytest.mark.parametrize("route", WRITES, ids=" ".join)
async def test_a_write_that_is_only_asked_about_leaves_the_whole_store_as_it_was(
    owner: Owner, route: tuple[str, str]
):
    """Whichever it is: those that decide nothing of what is offered refuse to be asked."""
    ready = await WRITES[route](owner)
    before = await everything(owner)
    answer = await owner.send(route[0], dry(ready.path), ready.body, ready.revision)
    assert await everything(owner) == before
    if not takes_it(described(owner.house)[route]):
        assert (answer.status_code, answer.json()["error"]["field"]) == (400, "dryRun")
        return
    assert answer.status_code == 200, answer.text
    assert answer.json().keys() == {"dryRun", "businesses", "lookedAt", "areAll", "words"}
    assert "audit-entry" not in answer.headers


@pytest.mark.parametrize("route", WRITES, ids=" ".join)
async def test_every_write_that_changes_what_decides_the_offer_can_be_asked_about(
    owner: Owner, route: tuple[str, str]
):
    ready = await WRITES[route](owner)

    def deciding(documents: dict[str, Any]) -> dict[str, Any]:
        found = {path: data for path, (data, _) in documents.items() if path.split("/")[-2] in DECIDING}
        return {path: {**data, "updatedAt": None} for path, data in found.items()}

    before = deciding(await everything(owner))
    answer = await owner.send(route[0], ready.path, ready.body, ready.revision)
    assert answer.status_code in (200, 201), answer.text
    if deciding(await everything(owner)) != before:
        assert takes_it(described(owner.house)[route])
