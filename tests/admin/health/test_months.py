"""What of a month is used up is told by Health: how much of what, how late that is known, and what would help."""

import pytest

from switchboard.contract.json import JsonObject
from switchboard.contract.store import Set
from tests.admin.whole_house import BUSINESS, WITHIN, Owner


async def findings(owner: Owner, limits: JsonObject, by: str = "owner", **sums: object) -> list[JsonObject]:
    """Return what is told of a salon's month that has these limits and sums."""
    month = (await owner.send("GET", f"{BUSINESS}/monthly-limits")).json()["month"]
    await owner.house.store.commit([Set(WITHIN.document("days", month), dict(sums))])
    await owner.done("PUT", f"{BUSINESS}/monthly-limits", {"limits": limits})
    told = (await owner.send("GET", f"{BUSINESS}/health", by=by)).json()["findings"]
    return [one for one in told if one["what"].startswith("month_")]


@pytest.mark.requirement("004-841")
async def test_near_its_limit_a_month_is_a_warning_and_at_it_trouble(owner: Owner) -> None:
    """With figure, limit and month; under both, nothing is told."""
    limits = {"texts": {"warnAt": 800, "stopAt": 1000}}
    assert await findings(owner, limits, texts={"segments": 799}) == []
    (warned,) = await findings(owner, limits, texts={"segments": 800})
    assert (warned["what"], warned["severity"]) == ("month_nearly_used", "warning")
    assert "segments of text messages: 800 of 1,000 in 20" in warned["means"]
    assert "counted up to an hour and a quarter ago" in warned["means"] and "raise it" in warned["do"]
    (reached,) = await findings(owner, limits, texts={"segments": 1004})
    assert (reached["what"], reached["severity"]) == ("month_used_up", "trouble")
    assert "1,004 of 1,000" in reached["means"] and "callers are sent no text messages but codes" in reached["means"]


@pytest.mark.requirement("004-841")
async def test_each_unit_is_told_by_itself_and_money_as_decimal(owner: Owner) -> None:
    """Who may only see is told as well."""
    prices = {"currency": "USD", "prices": [{"item": "phoneMinutes", "price": "0.014"}]}
    await owner.done("PUT", "/admin/prices", prices)
    limits = {"phoneMinutes": {"stopAt": 3}, "cost": {"warnAt": "0.05"}, "modelTokens": {"warnAt": 1}}
    told = await findings(owner, limits, "viewer", conversations={"phone": {"minutes": 4}})
    assert [(one["what"], one["subject"].partition(" in 20")[0]) for one in told] == [
        ("month_used_up", "begun minutes on the phone: 4 of 3"),
        ("month_nearly_used", "the cost of what is known and priced: 0.056 of 0.05"),
    ]
