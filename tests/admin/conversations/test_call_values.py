"""The values of a call, as an owner sees them and as a viewer does: of our tools and of an owner's own."""

import json
from typing import Any

import pytest

from switchboard.admin.conversations.call_values import CallValues
from switchboard.catalog.definitions.registry import Registry
from switchboard.contract.response import Result
from switchboard.contract.store import Delete, Update
from tests.pipeline import planted
from tests.pipeline.conftest import BUSINESS, PATHS, Instance, clock, nothing_left_over, office, store
from tests.pipeline.test_tenant_tools import CONFIG, enter, requests, tool

__all__ = ["clock", "nothing_left_over", "office", "requests", "store"]
WITHIN = PATHS.within(BUSINESS)


async def unlock(ctx: Any, desk: Any, *, box: dict[str, Any], service: str, name: str) -> Result:
    """Use a secret."""
    return Result({"service": service, "guest": name})


BOX = {"type": "object", "properties": {"pin": {"type": "string", "x-secret": True}}}
PLAIN = {"type": "string", "x-personal": False}
RETURNS = {"type": "object", "properties": {"service": PLAIN, "guest": {"type": "string"}}}


@pytest.fixture
def vault(store: Any, clock: Any) -> Instance:
    """One instance with a tool that takes a secret inside of an argument, what names nobody, and a name."""
    properties = {"box": BOX, "service": PLAIN, "name": {"type": "string"}}
    made = planted._tool(unlock, "action", properties, returns=RETURNS)
    return Instance(store, clock, Registry("1.0.00000000", planted.registry().tools | {"unlock": made}))


async def values(office: Instance, call_id: str = "c1", *, may_see_personal: bool) -> dict[str, Any]:
    """Return the values of a call as somebody sees them who may see what is personal, or may not."""
    reader = CallValues(office.store, PATHS, office.catalog)
    return await reader.of(BUSINESS, "s1", call_id, may_see_personal=may_see_personal)


@pytest.mark.requirement("004-810")
async def test_an_owner_sees_all_but_the_secret_which_is_not_kept_either(vault: Instance):
    """Of an argument with a secret inside nothing is kept."""
    await vault.call("unlock", {"box": {"pin": "4711"}, "service": "Haircut", "name": "Ana"}, call_id="c1")
    shown = await values(vault, may_see_personal=True)
    assert shown["arguments"]["value"] == {"box": "•••", "service": "Haircut", "name": "Ana"}
    assert [(one["at"], one["reason"]) for one in shown["arguments"]["masked"]] == [("/box", "secret")]
    assert shown["result"] == {"value": {"service": "Haircut", "guest": "Ana"}, "masked": []}
    assert shown["sentToModel"]["value"] == {"ok": True, "data": {"service": "Haircut", "guest": "Ana"}}
    assert "4711" not in json.dumps(await vault.ledger("c1"), default=str)


@pytest.mark.requirement("004-810")
async def test_a_secret_that_is_no_argument_as_it_should_be_is_not_kept_in_the_words_of_the_refusal(vault: Instance):
    """Nor told to the model again, nor shown to the owner."""
    for number, box in enumerate(({"pin": 4711}, "4711", [["4711"]])):
        arguments = {"box": box, "service": "Haircut", "name": "Ana"}
        response = await vault.call("unlock", arguments, call_id=f"c{number}")
        assert response.failure is not None and response.failure.type == "VALIDATION"
        shown = await values(vault, f"c{number}", may_see_personal=True)
        kept = json.dumps(await vault.ledger(f"c{number}"), default=str)
        for text in (response.failure.message, json.dumps(shown), kept):
            assert "4711" not in text


@pytest.mark.requirement("004-810")
async def test_a_viewer_sees_what_is_declared_to_name_nobody(vault: Instance):
    """With the reason for the rest."""
    await vault.call("unlock", {"box": {"pin": "4711"}, "service": "Haircut", "name": "Ana"}, call_id="c1")
    shown = await values(vault, may_see_personal=False)
    assert shown["arguments"]["value"] == {"box": "•••", "service": "Haircut", "name": "•••"}
    assert shown["result"]["value"] == {"service": "Haircut", "guest": "•••"}
    assert shown["sentToModel"]["value"] == {"ok": True, "data": {"service": "Haircut", "guest": "•••"}}
    assert [one["at"] for one in shown["sentToModel"]["masked"]] == ["/data/guest"]
    assert {one["why"] for one in shown["result"]["masked"]} == {"It may be personal, which your role is not shown."}


@pytest.mark.requirement("004-811")
async def test_an_owners_own_tool_says_by_its_parameters_what_is_secret_and_what_names_nobody(
    office: Instance, requests: Any
):
    """Its answer comes from elsewhere and is declared by nobody."""
    params = {
        "order": {"mode": "ai", "schema": {"type": "string", "x-personal": False}, "required": True},
        "pin": {"mode": "ai", "schema": {"type": "string", "x-secret": True}},
    }
    url = "https://orders.example.com/orders/{{order}}/{{pin}}"
    await enter(office, tool(params=params, request=CONFIG["request"] | {"url": url}))
    answer = await office.call("order_status", {"order": "7", "pin": "4711"}, call_id="c1")
    assert answer.ok and requests[0].url.endswith("/7/4711")
    assert json.loads((await office.ledger("c1"))["arguments"]) == {"order": "7", "pin": "hidden"}
    for may_see_personal, result in ((True, {"status": 200, "result": {"state": "shipped"}}), (False, "•••")):
        shown = await values(office, may_see_personal=may_see_personal)
        assert shown["arguments"]["value"] == {"order": "7", "pin": "•••"}
        assert shown["result"]["value"] == result


@pytest.mark.requirement("004-811")
async def test_of_a_tool_that_is_gone_all_counts_as_personal(office: Instance, requests: Any):
    """Nobody declares it any more."""
    await enter(office, tool())
    await office.call("order_status", {"order": "7"}, call_id="c1")
    await office.store.commit([Delete(WITHIN.document("tools", "t_order_status"))])
    office.catalog.forget(BUSINESS)
    assert (await values(office, may_see_personal=False))["arguments"]["value"] == "•••"
    assert (await values(office, may_see_personal=True))["arguments"]["value"] == {"order": "7"}


async def test_a_failure_has_no_result_and_its_words_are_not_for_a_viewer(office: Instance):
    """They may repeat what a caller said; its type does not."""
    await office.call("decline", {"type": "NOT_FOUND"}, call_id="c1")
    shown = await values(office, may_see_personal=False)
    assert shown["result"] is None
    error = shown["sentToModel"]["value"]["error"]
    assert (error["type"], error["message"]) == ("NOT_FOUND", "•••")


async def test_arguments_that_could_not_be_read_are_shown_as_they_were_sent(office: Instance):
    """To whoever may see them; half a letter stands as a question mark."""
    await office.call("look", '{"word": "\ud800', call_id="c1")
    assert (await values(office, may_see_personal=True))["arguments"]["value"] == '{"word": "?'
    assert (await values(office, may_see_personal=False))["arguments"]["value"] == "•••"


async def test_a_row_that_says_nothing_is_shown_empty(office: Instance):
    """Whatever wrote it; and of a call that the ledger does not hold there is nothing."""
    await office.call("look", call_id="c1")
    await office.store.commit([Update(WITHIN.call("s1", "c1"), {"arguments": 7, "response": "{"})])
    shown = await values(office, may_see_personal=True)
    assert shown["arguments"]["value"] == ""
    assert await values(office, "c9", may_see_personal=True) == {}
