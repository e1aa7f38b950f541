"""An agency with businesses that were made of one template, which comes to say something else and is pushed again."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

from switchboard.admin.opening.templates import BusinessTemplate, BusinessTemplates
from switchboard.contract.store import Query
from tests.admin.owners_office import PATHS
from tests.admin.whole_house import Owner, opened

TEMPLATES: Mapping[str, BusinessTemplate] = BusinessTemplates().all
SOURCE = "salon-en"
PUSH = f"/admin/templates/{SOURCE}/push"
NAMES = ("Birch Lane Hair", "Cedar Row Hair", "Dune Road Hair")
IDS = ("birch-lane-hair", "cedar-row-hair", "dune-road-hair")


@asynccontextmanager
async def agency(count: int = 3) -> AsyncIterator[Owner]:
    """Open the house with so many businesses made of the salon's template."""
    async with opened() as owner:
        for name in NAMES[:count]:
            await make(owner, name)
        yield owner


async def make(owner: Owner, name: str, **changes: Any) -> str:
    """Make a business of the template, and return its id."""
    body = {"template": SOURCE, "name": name, "ownerName": "Dana", "ownerEmail": "dana@example.com", **changes}
    id: str = (await owner.done("POST", "/admin/businesses", body))["businessId"]
    return id


def says(monkeypatch: Any, document: Mapping[str, Any] | None = None, **collections: Mapping[str, Any]) -> None:
    """Have the template say something else from now on: fields of its document, and entries by collection and id.

    An entry that is None is there no more.
    """
    template = TEMPLATES[SOURCE]
    below = {name: dict(rows) for name, rows in template.collections.items()}
    for name, rows in collections.items():
        joined = {**below.get(name, {}), **rows}
        below[name] = {id: row for id, row in joined.items() if row is not None}
    renewed = replace(template, document={**template.document, **(document or {})}, collections=below)
    # A property goes before what an instance has read already.
    monkeypatch.setattr(BusinessTemplates, "all", property(lambda _: {**TEMPLATES, SOURCE: renewed}))


def priced(name: str, price: str) -> list[dict[str, Any]]:
    """Return the template's services, one of them at another price."""
    services = TEMPLATES[SOURCE].document["services"]
    return [{**row, "price": price} if row["name"] == name else row for row in services]


async def foreseen(owner: Owner, *ids: str, path: str = PUSH, **given: Any) -> dict[str, dict[str, Any]]:
    """Return what a dry run answers for each business."""
    businesses = [{"businessId": id} for id in ids]
    answer = await owner.send("POST", path, {"businesses": businesses, "dryRun": True, **given})
    assert answer.status_code == 200, answer.text
    return {row["businessId"]: row for row in answer.json()["businesses"]}


def carried(rows: Mapping[str, Mapping[str, Any]], **choice: Any) -> list[dict[str, Any]]:
    """Return the businesses of a dry run as they are sent to be pushed to, each with the same choice."""
    return [{"businessId": id, "token": row["token"], **choice} for id, row in rows.items()]


async def pushed(owner: Owner, businesses: list[dict[str, Any]], path: str = PUSH, **given: Any) -> dict[str, Any]:
    """Carry a push out, and return what became of each business."""
    answer = await owner.send("POST", path, {"businesses": businesses, **given})
    assert answer.status_code == 200, answer.text
    return {row["businessId"]: row for row in answer.json()["businesses"]}


async def business(owner: Owner, id: str) -> dict[str, Any]:
    """Return what a business says of itself."""
    shown: dict[str, Any] = (await owner.done("GET", f"/admin/businesses/{id}"))["business"]
    return shown


async def texts(owner: Owner, collection: str, id: str) -> list[dict[str, Any]]:
    """Return the policies or questions of a business."""
    return [
        document.data for document in await owner.house.store.query(Query(f"{PATHS.within(id).business}/{collection}"))
    ]


async def edited(owner: Owner, id: str, **fields: Any) -> None:
    """Have an owner change details of a business."""
    await owner.done("PATCH", f"/admin/businesses/{id}", fields)


def price(shown: Mapping[str, Any], name: str) -> str:
    """Return what a service costs."""
    return next(str(row["price"]) for row in shown["services"] if row["name"] == name)


async def entries(owner: Owner, id: str) -> list[dict[str, Any]]:
    """Return the audit of a business."""
    documents = await owner.house.store.query(Query(PATHS.within(id).collection("audit")))
    return [document.data for document in documents]


async def everything(owner: Owner) -> dict[str, dict[str, Any]]:
    """Return all that is stored, by path."""
    return {document.path: document.data for document in await owner.house.store.query(Query("", group=True))}


def standings(row: Mapping[str, Any]) -> dict[str, str]:
    """Return how each value stands that is not as the template says, by its path."""
    return {one["field"]: one["standing"] for one in row["deviations"]}
