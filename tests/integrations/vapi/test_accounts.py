"""Which business has which Vapi account, and the toolkit that an owner connects it with."""

import json
from pathlib import Path

import pytest

import switchboard.integrations.vapi
from stand_ins.vapi.account import KEY
from switchboard.catalog.schema.schema import check_schema, compile_schema
from switchboard.contract.error import ErrorType, ToolError
from switchboard.integrations.vapi.accounts import API_KEY, TOOLKIT
from tests.desk.front_desk import salon
from tests.integrations.vapi.conftest import Vapi, connected, function_tool

DECLARED = json.loads((Path(switchboard.integrations.vapi.__path__[0]) / "toolkit.json").read_text())


@pytest.mark.parametrize("integrations", [{}, {"vapi": {"isConnected": False}}, {"vapi": {}}])
async def test_a_business_that_has_connected_none_has_none(vapi: Vapi, integrations):
    """None, and nothing is asked."""
    assert await vapi.accounts.of(salon(integrations=integrations)) is None
    assert vapi.requests() == []


@pytest.mark.parametrize("key", [None, "", "   ", "two\r\nX-Evil: lines", "ü"])
async def test_an_account_without_a_key_that_could_be_one_must_be_connected_again(vapi: Vapi, key):
    """AUTH, before anything is sent."""
    vapi.secrets.kept = {("demo-salon", "vapi", "apiKey"): key} if key is not None else {}
    with pytest.raises(ToolError) as caught:
        await vapi.accounts.of(connected())
    assert caught.value.type is ErrorType.AUTH


async def test_an_account_known_to_be_refused_is_not_asked(vapi: Vapi):
    """The owner must connect it again first."""
    with pytest.raises(ToolError) as caught:
        await vapi.accounts.of(connected(needsReauth=True))
    assert caught.value.type is ErrorType.AUTH


@pytest.mark.requirement("002-131")
async def test_every_business_has_its_own_key(vapi: Vapi):
    """Who knows another business's tool id can do nothing with it."""
    one, two = await vapi.accounts.of(connected()), await vapi.accounts.of(connected("two"))
    made = await one.create_tool(function_tool())
    for attempt in (two.get_tool(made["id"]), two.update_tool(made["id"], {}), two.delete_tool(made["id"])):
        with pytest.raises(ToolError) as caught:
            await attempt
        assert caught.value.type is ErrorType.AUTH
    assert await one.get_tool(made["id"]) == made


async def test_the_key_is_in_no_log(vapi: Vapi, caplog: pytest.LogCaptureFixture):
    """Logs are kept for longer than secrets are; a control address is a secret too."""
    caplog.set_level("DEBUG")
    call = await vapi.call()
    account = await vapi.account()
    await account.add_message(call["monitor"]["controlUrl"], "system", "a caller's words")
    ours = " ".join(record.getMessage() for record in caplog.records if not record.name.startswith("uvicorn"))
    assert not [word for word in (KEY, call["id"], "a caller's words") if word in ours]
    assert KEY not in repr((account, vapi.accounts))


def test_the_toolkit_keeps_the_key_apart_from_what_everybody_may_see():
    """Both schemas can draw a form."""
    assert (DECLARED["name"], list(DECLARED["auth"]["secrets"]["properties"])) == (TOOLKIT, [API_KEY, "callbackSecret"])
    for schema in (DECLARED["config"], DECLARED["auth"]["secrets"]):
        assert check_schema(schema) == []
    config = compile_schema(DECLARED["config"])
    assert config.is_valid({}) and config.is_valid({"publicKey": "p", "phoneNumberId": "n", "credentialId": "c"})
    assert not config.is_valid({"apiKey": KEY})
