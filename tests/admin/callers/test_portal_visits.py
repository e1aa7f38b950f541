"""Visits to the portal by a link, as owners see and end them."""

from typing import Any

import pytest

from switchboard.contract.context import CallContext
from tests.admin.owners_office import OWN
from tests.admin.whole_house import BUSINESS, WITHIN, Owner
from tests.desk.front_desk import call, salon
from tests.desk.phone_network import CALLER

VISITS = f"{BUSINESS}/visits"


def phoned(owner: Owner, session: str = "CA1") -> CallContext:
    """Return a call to the salon, now."""
    business = salon(OWN, portalUrl="https://salon.example")
    return call(business, session, session=session, now=owner.house.clock.now())


async def visit(owner: Owner) -> str:
    """Open a link, and return its id."""
    links = owner.house.desk.portal_links
    link = await links.issue(phoned(owner))
    return (await links.redeem(link.url.partition("?link=")[2], OWN, WITHIN)).link_id


async def listed(owner: Owner) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = (await owner.done("GET", VISITS))["visits"]
    return rows


@pytest.mark.requirement("004-112")
async def test_an_owner_ends_a_visit_at_once(owner: Owner):
    """It is listed with the number that the link went to, and gone; it is not opened again by an undo."""
    id = await visit(owner)
    (row,) = await listed(owner)
    assert (row["phone"], row["sessionId"], bool(row["openedAt"])) == (CALLER, "CA1", True)
    path = f"{VISITS}/{row['id']}"
    assert (await owner.send("DELETE", path, None, row["revision"])).json() == {"ended": True}
    assert not await owner.house.desk.portal_links.is_open(WITHIN, CALLER, id)
    assert (await listed(owner), (await owner.send("GET", path)).status_code) == ([], 404)
    entry = await owner.last()
    assert (entry["kind"], entry["isUndoable"]) == ("portalVisit", False)


@pytest.mark.requirement("004-112")
async def test_a_newer_link_is_another_visit_than_the_one_that_was_looked_at(owner: Owner):
    """Whoever ends what they have read ends nothing else."""
    await visit(owner)
    (row,) = await listed(owner)
    newest = await owner.house.desk.portal_links.issue(phoned(owner, "CA2"))
    await owner.house.desk.portal_links.sent(phoned(owner, "CA2"), newest)
    answer = await owner.send("DELETE", f"{VISITS}/{row['id']}", None, row["revision"])
    assert answer.status_code == 412
    (newer,) = await listed(owner)
    assert (newer["sessionId"], newer["openedAt"]) == ("CA2", None)


@pytest.mark.requirement("004-112")
async def test_what_is_no_visit_is_not_listed_or_ended(owner: Owner):
    """Other tickets are in the same place."""
    await visit(owner)
    (row,) = await listed(owner)
    for id in ("nobody", f"portalVisit:{row['id']}", "x" * 300):
        assert (await owner.send("DELETE", f"{VISITS}/{id}", None, row["revision"])).status_code == 404
    assert len(await listed(owner)) == 1
