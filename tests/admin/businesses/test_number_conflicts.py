"""A phone number belongs to one business: entered twice it is refused, and found twice it is told to both in Health."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.store import Set
from tests.admin.owners_office import OTHER, OWN, PATHS, PEOPLE
from tests.admin.whole_house import Owner, opened

pytestmark = pytest.mark.requirement("004-611")

MAIN, SECOND, ACCOUNT, ELSEWHERE = "+15185550100", "+15185550199", f"AC{'1' * 32}", f"AC{'2' * 32}"
# The salon's owner runs the plumber's as well.
BOTH = {"roles": {OWN: "owner", OTHER: "owner"}}
PLUMBER = "Rohrbruch and Sons"


@pytest.fixture
async def owner(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Owner]:
    monkeypatch.setitem(PEOPLE, "both", BOTH)
    async with opened() as found:
        await found.house.store.commit([Set(PATHS.within(OTHER).business, {"name": PLUMBER, "integrations": {}})])
        yield found


async def listing(
    owner: Owner, business: str, *numbers: str, token: str | None = None, account: str = ACCOUNT, by: str = "platform"
) -> Any:
    """List numbers with a business's phone account, and return the answer."""
    rows = [{"id": number[-4:], "number": number} for number in numbers]
    body: dict[str, Any] = {"config": {"accountSid": account, "phoneNumbers": rows}}
    body |= {"sensitiveConfig": {"authToken": token}} if token else {}
    path = f"/admin/businesses/{business}/toolkits/twilio"
    return await owner.send("PUT", path, body, await owner.revision(path), by)


async def assigning(owner: Owner, business: str, number: str, by: str = "platform") -> Any:
    """Give a business its main number, and return the answer."""
    path = f"/admin/businesses/{business}"
    return await owner.send("PATCH", path, {"twilioNumber": number}, await owner.revision(path), by)


def problems(answer: Any) -> list[tuple[str, str]]:
    """Return what a refusal says is wrong, by field."""
    assert answer.status_code == 400, answer.text
    return [(one["field"], one["message"]) for one in answer.json()["error"]["problems"]]


async def findings(owner: Owner, business: str) -> list[tuple[str, str, str]]:
    """Return what Health says of a business's numbers."""
    answer = (await owner.send("GET", f"/admin/businesses/{business}/health")).json()
    return [(f["what"], f["subject"], f["means"]) for f in answer["findings"] if f["what"].startswith("number_")]


async def test_a_number_that_another_lists_in_the_same_account_is_refused(owner: Owner):
    """By name only to who has a part in that business; nobody else learns what it is called."""
    assert (await listing(owner, OTHER, SECOND, token="one")).status_code == 200
    ((field, told),) = problems(await listing(owner, OWN, MAIN, SECOND, token="one", by="both"))
    assert field == "config.phoneNumbers[1].number"
    assert told.startswith(f"{SECOND} is a number of {PLUMBER} ({OTHER}) already") and "take it out there" in told
    refused = await listing(owner, OWN, SECOND, token="one", by="owner")
    ((_, told),) = problems(refused)
    assert "another business" in told and PLUMBER not in refused.text and OTHER not in refused.text
    # Nothing of it was saved, the secret neither.
    assert await owner.house.secrets.reveal(OWN, "twilio", "authToken") is None
    assert await findings(owner, OTHER) == []


async def test_another_ones_main_number_is_refused_in_any_account(owner: Owner):
    """Who lists it, and who is to have it as well; a number of one's own may be both."""
    assert (await assigning(owner, OTHER, SECOND)).status_code == 200
    refused = await listing(owner, OWN, SECOND, token="own", account=ELSEWHERE, by="owner")
    ((_, told),) = problems(refused)
    assert "another business" in told and PLUMBER not in refused.text
    ((field, told),) = problems(await assigning(owner, OWN, SECOND))
    assert field == "twilioNumber" and PLUMBER in told
    assert (await listing(owner, OTHER, SECOND, MAIN, token="one")).status_code == 200
    ((_, told),) = problems(await assigning(owner, OWN, MAIN))
    assert PLUMBER in told
    # Nobody who may not assign numbers is told whose they are.
    assert (await assigning(owner, OWN, MAIN, by="owner")).status_code == 403
    assert (await assigning(owner, OTHER, MAIN)).status_code == 200


async def test_who_merely_names_anothers_account_keeps_nobody_from_a_number(owner: Owner):
    """Without the account's token they could not answer there; with it they are found, whichever came last."""
    assert (await listing(owner, OTHER, SECOND, token="guessed")).status_code == 200
    assert (await listing(owner, OWN, SECOND, token="one", by="owner")).status_code == 200
    path = f"/admin/businesses/{OTHER}/toolkits/twilio"
    late = await owner.send("PUT", path, {"sensitiveConfig": {"authToken": "one"}}, await owner.revision(path))
    ((field, _),) = problems(late)
    assert field == "config.phoneNumbers[0].number"
    assert await findings(owner, OWN) == await findings(owner, OTHER) == []


async def test_what_is_stored_twice_keeps_nobody_from_saving_something_else(owner: Owner):
    """It is told in Health, to both, and to neither what the other is called; the first who listed it has it."""
    assert (await listing(owner, OTHER, SECOND, token="one")).status_code == 200
    assert (await listing(owner, OWN, token="one")).status_code == 200
    found = await owner.house.store.get(PATHS.within(OWN).business)
    twilio = found.data["integrations"]["twilio"] | {"phoneNumbers": [{"id": "n", "number": SECOND}]}
    later = {f"n{SECOND[1:]}": owner.house.clock.now()}
    data = {**found.data, "integrations": {"twilio": twilio | {"listedAt": later}}}
    await owner.house.store.commit([Set(PATHS.within(OWN).business, data)])
    ((what, number, means),) = await findings(owner, OWN)
    assert (what, number) == ("number_elsewhere", SECOND) and "another business" in means.lower()
    ((what, number, told),) = await findings(owner, OTHER)
    assert (what, number) == ("number_shared", SECOND)
    assert PLUMBER not in means and found.data["name"] not in told
    # The owner may still change anything else, and takes it out.
    assert (await listing(owner, OWN, SECOND, "+15185550177", by="owner")).status_code == 200
    assert (await listing(owner, OWN, "+15185550177", by="owner")).status_code == 200
    assert await findings(owner, OWN) == await findings(owner, OTHER) == []


async def test_a_main_number_that_two_have_is_told_to_both(owner: Owner):
    for business in (OWN, OTHER):
        found = await owner.house.store.get(PATHS.within(business).business)
        await owner.house.store.commit([Set(found.path, found.data | {"twilioNumber": MAIN})])
    told = {what for business in (OWN, OTHER) for what, _, _ in await findings(owner, business)}
    assert told == {"number_elsewhere", "number_shared"}


async def test_an_undo_brings_no_number_back_that_is_anothers_by_now(owner: Owner):
    """Of what is listed, and of main numbers."""
    assert (await listing(owner, OWN, SECOND, token="one")).status_code == 200
    assert (await listing(owner, OWN, by="owner")).status_code == 200
    taken_out = await owner.last()
    assert (await listing(owner, OTHER, SECOND, token="one")).status_code == 200
    assert SECOND in problems(await owner.undo(taken_out))[0][1]
    assert (await assigning(owner, OWN, MAIN)).status_code == 200
    assert (await assigning(owner, OWN, "")).status_code == 200
    given_up = await owner.last()
    assert (await assigning(owner, OTHER, MAIN)).status_code == 200
    assert MAIN in problems(await owner.undo(given_up))[0][1]


async def test_since_when_a_number_is_listed_is_kept_with_the_business(owner: Owner):
    """As long as it stays in the list and in the account; it is no setting of the owner's."""

    async def noted() -> dict[str, Any]:
        found = await owner.house.store.get(PATHS.within(OWN).business)
        listed: dict[str, Any] = found.data["integrations"]["twilio"].get("listedAt", {})
        return listed

    await listing(owner, OWN, SECOND, token="one")
    first = await noted()
    assert (await listing(owner, OWN, SECOND, MAIN)).status_code == 200
    second = await noted()
    assert second.keys() == {f"n{SECOND[1:]}", f"n{MAIN[1:]}"}
    assert second[f"n{SECOND[1:]}"] == first[f"n{SECOND[1:]}"] < second[f"n{MAIN[1:]}"]
    shown = (await owner.send("GET", f"/admin/businesses/{OWN}/toolkits/twilio")).json()
    assert shown["config"].keys() == {"accountSid", "phoneNumbers"}
    assert (await owner.send("GET", f"/admin/businesses/{OWN}")).status_code == 200
    await listing(owner, OWN, SECOND, account=ELSEWHERE, token="other")
    assert (await noted())[f"n{SECOND[1:]}"] > first[f"n{SECOND[1:]}"]
    await listing(owner, OWN)
    assert await noted() == {}


@pytest.mark.parametrize("type", [ErrorType.TRANSIENT, ErrorType.PERMANENT])
async def test_health_is_told_also_while_nobody_can_read_who_signs_with_what(owner: Owner, type: ErrorType):
    """A save waits for that while it may pass; what can never be read keeps nobody from anything."""
    assert (await listing(owner, OTHER, SECOND, token="one")).status_code == 200
    secrets = owner.house.secrets
    reveal = secrets.reveal

    async def failing(business_id: str, *named: str, agent_id: str = "") -> str | None:
        if business_id == OTHER:
            raise ToolError(type, "It cannot be read.")
        return await reveal(business_id, *named, agent_id=agent_id)

    secrets.reveal = failing
    saved = await listing(owner, OWN, SECOND, token="one")
    assert saved.status_code == (503 if type is ErrorType.TRANSIENT else 200), saved.text
    assert await findings(owner, OTHER) == []
    secrets.reveal = reveal


async def test_a_number_that_is_none_takes_no_health_away(owner: Owner):
    """As somebody has written it into the document by hand."""
    found = await owner.house.store.get(PATHS.within(OWN).business)
    await owner.house.store.commit([Set(found.path, found.data | {"twilioNumber": "+1 (518) 555.0100`"})])
    assert await findings(owner, OWN) == []
    assert (await owner.send("GET", f"/admin/businesses/{OWN}")).status_code == 200
