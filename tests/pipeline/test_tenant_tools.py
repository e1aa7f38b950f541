"""What owners made: offered to the agent it is attached to, bound from its configuration, kept by running sessions."""

import json
from datetime import UTC
from types import SimpleNamespace
from typing import Any

import pytest

from switchboard.catalog.definitions.variables import PhoneNumbers
from switchboard.catalog.offer.catalog import Options
from switchboard.catalog.tenant_tools.definition import OwnTool
from switchboard.contract.caller.caller_identity import Standing
from switchboard.contract.channel import Channel
from switchboard.contract.context import PhoneContext
from switchboard.contract.definitions.tenant_tool import BoundRequest, Template, read_tenant_tool
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.store import Delete, Set, Update
from switchboard.desk.tenant_tools.api_requests import ApiAnswer
from switchboard.pipeline.confirmation.approvals import Approvals
from tests.catalog.tool_configs import QUERY, SEED_PIPEDREAM, SMS, TRANSFER, request
from tests.pipeline import planted
from tests.pipeline.conftest import BUSINESS, PATHS, Instance

WITHIN = PATHS.within(BUSINESS)
SOUND = {
    Template.SMS: SMS,
    Template.API_REQUEST: request(),
    Template.TRANSFER_CALL: TRANSFER,
    Template.QUERY: QUERY,
    Template.PIPEDREAM_ACTION: SEED_PIPEDREAM,
}
CONFIG = {
    "type": "api_request",
    "label": "Order status",
    "description": "Look up an order.",
    "request": {"method": "GET", "url": "https://orders.example.com/orders/{{order}}"},
    "params": {
        "order": {"mode": "ai", "type": "string", "description": "The order's number.", "required": True},
        "key": {"mode": "fixed", "value": "k-1"},
    },
}


def tool(name: str = "order_status", **config: Any) -> dict[str, Any]:
    """Return a stored tenant tool; `config` replaces fields of its configuration."""
    made = CONFIG | config
    return {
        "name": name,
        "label": made["label"],
        "description": made["description"],
        "type": made["type"],
        "configMetadata": made,
        "attachToAgent": made.get("attachToAgent", True),
        "executeOnCallStart": made.get("executeOnCallStart", False),
        "async": made.get("async", False),
    }


async def enter(
    office: Instance, *tools: dict[str, Any], agent: str = "echo", attached: bool = True, **fields: Any
) -> None:
    """Enter an agent and tools, attached to it, and let the catalog read them."""
    writes: list[Any] = [Set(WITHIN.document("agents", agent), {"name": "Echo", "isDefault": True} | fields)]
    for document in tools:
        writes.append(Set(WITHIN.document("tools", f"t_{document['name']}"), document))
        if attached:
            id = f"{agent}~t_{document['name']}"
            row = {"agentId": agent, "toolId": f"t_{document['name']}"}
            writes.append(Set(WITHIN.document("agentTools", id), row))
    await office.store.commit(writes)
    office.catalog.forget(BUSINESS)


async def offer(office: Instance, channel: Channel = Channel.PORTAL, **options: Any) -> Any:
    return await office.catalog.get_tool_definitions(BUSINESS, Options(channel, **options))


@pytest.fixture
def requests(office: Instance) -> list[BoundRequest]:
    """What reaches the desk's requests."""
    sent: list[BoundRequest] = []

    async def send(ctx: Any, bound: BoundRequest) -> Any:
        sent.append(bound)
        return SimpleNamespace(
            status=200, result={"state": "shipped"}, is_cut=False, is_empty=False, problem="", state=""
        )

    office.dispatcher.runner.desk = SimpleNamespace(api_requests=SimpleNamespace(send=send))
    return sent


async def test_an_attached_tool_is_offered_beside_the_built_in_ones_and_shows_only_what_the_model_may_give(office):
    await enter(office, tool())
    made = await offer(office)
    names = [t.name for t in made.tools]
    assert names == sorted(names) and {"look", "order_status"} <= set(names)
    parameters = made.named("order_status").definition.parameters
    assert list(parameters["properties"]) == ["order"]
    assert "k-1" not in str(made.to_json())


@pytest.mark.requirement("001-62")
async def test_what_refers_to_nothing_is_left_out_and_the_rest_is_offered(office):
    """An attachment of a tool that is gone, and settings for a toolkit that there is not: neither costs the others."""
    toolkits = {"nowhere": {"enabled": True, "config": {"a": 1}}, "none": {"enabled": False}}
    await enter(office, tool(), toolkits=toolkits, tools={"gone_too": {"enabled": False}})
    row = {"agentId": "echo", "toolId": "t_gone"}
    await office.store.commit([Set(WITHIN.document("agentTools", "echo~t_gone"), row)])
    office.catalog.forget(BUSINESS)
    made = await offer(office)
    assert {"look", "order_status"} <= {one.name for one in made.tools}
    assert not {"gone", "nowhere", "none", "gone_too"} & {one.name for one in made.tools}


async def test_a_call_is_bound_from_the_owners_configuration_and_goes_through_the_ledger(office, requests):
    await enter(office, tool())
    response = await office.call("order_status", {"order": "A 7/9"}, call_id="c1")
    assert response.ok and response.data == {"status": 200, "result": {"state": "shipped"}}
    assert [r.url for r in requests] == ["https://orders.example.com/orders/A%207%2F9?key=k-1"]
    kept = await office.ledger("c1")
    assert kept["tool"] == "order_status" and kept["state"] == "finished"
    assert "k-1" not in str(kept)


@pytest.mark.requirement("004-104")
async def test_who_was_verified_in_the_conversation_is_whose_data_an_owners_query_finds(office, clock):
    """By the number on file, whatever the call shows."""
    knowledge = {
        "type": "collection",
        "collection": "orders",
        "filters": [{"field": "phone", "op": "==", "value": "{{caller_phone_number}}"}],
    }
    found = []

    async def ask(ctx: Any, bound: Any) -> Any:
        found.append(bound.filters)
        raise ToolError(ErrorType.NOT_FOUND, "none")

    office.dispatcher.runner.desk = SimpleNamespace(tenant_queries=SimpleNamespace(ask=ask))
    await office.store.commit([Set(WITHIN.business, {"ai": {"callerVerification": "match"}}, merge=True)])
    await enter(office, tool("my_orders", type="query", knowledge=knowledge, params={}))
    refused = await office.call("my_orders", caller_phone="+15185550199")
    assert refused.failure.type is ErrorType.MODE_RESTRICTED and "verify_caller" in refused.failure.message
    standing = Standing("match", "clr_1", "+15185550177", clock.now())
    await office.store.commit([Set(WITHIN.document("sessions", "s1"), standing.to_fields(), merge=True)])
    await office.call("my_orders", call_id="c2", caller_phone="+15185550199")
    assert found == [(("phone", "==", "+15185550177"),)]


@pytest.mark.requirement("002-82")
@pytest.mark.parametrize("form", [dict, json.dumps, lambda sent: json.dumps(json.dumps(sent))])
async def test_what_the_owner_fixed_holds_also_where_a_model_gives_it(office, requests, form):
    """Seed 002: static takes precedence; the answer tells what was not taken."""
    await enter(office, tool())
    response = await office.call("order_status", form({"order": "1", "key": "mine"}))
    assert response.ok
    assert [r.url for r in requests] == ["https://orders.example.com/orders/1?key=k-1"]
    assert response.meta["ignoredArguments"] == ["key"]


@pytest.mark.requirement("002-82", "002-111")
@pytest.mark.parametrize(
    ("template", "sent", "dropped"),
    [
        (Template.PIPEDREAM_ACTION, {"to": "a@example.com", "subject": "Mine"}, ("subject",)),
        (Template.SMS, {"text": "Hi.", "recipients": ["+15185550111"], "from": "+15185550111"}, ("from", "recipients")),
        (Template.TRANSFER_CALL, {"destination": {"number": "+15185550111"}}, ("destination",)),
        (Template.QUERY, {"town": "Hartwell", "knowledge": {"collection": "others"}}, ("knowledge",)),
    ],
)
def test_a_setting_that_the_owner_wrote_plainly_is_as_fixed_as_one_with_a_mode(template, sent, dropped):
    """Both are in the static config, which wins; a model that names it all the same is told so and not refused."""
    config = SOUND[template]
    own = OwnTool(read_tenant_tool("t", {"name": "own", "type": template.value, "configMetadata": config}))
    facts = PhoneContext(business_id=BUSINESS, session_id="s1", caller_phone="+15185550161")
    read = own.read(sent, facts, None, UTC)
    assert read.ignored == dropped
    without = {name: value for name, value in sent.items() if name not in dropped}
    assert read.canonical == without
    assert read.values == own.read(without, facts, None, UTC).values


@pytest.mark.parametrize("sent", [{"order": "1", "bound": {}}, {"order": "1", "key": "mine", "other": 2}, {}])
async def test_what_a_tool_does_not_have_is_refused(office, requests, sent):
    """Neither the name under which its own call is kept, nor anything else."""
    await enter(office, tool())
    response = await office.call("order_status", sent)
    assert response.failure.type is ErrorType.VALIDATION
    assert not requests


async def test_a_tool_that_is_attached_to_no_agent_is_not_offered_and_the_reason_says_what_to_do(office, requests):
    await enter(office, tool(), attached=False)
    made = await offer(office)
    why = made.why_not("order_status")
    assert (why.condition, "attach it" in why.reason) == ("agent:attached", True)
    response = await office.call("order_status", {"order": "1"})
    assert response.failure.type is ErrorType.MODE_RESTRICTED
    assert not requests


async def test_another_agent_has_other_tools(office):
    await enter(office, tool())
    await enter(office, tool("parcels"), agent="second", isDefault=False)
    assert (await offer(office)).named("parcels") is None
    assert (await offer(office, agent_id="second")).named("parcels") is not None
    assert (await offer(office, agent_id="second")).named("order_status") is None
    assert (await offer(office, agent_id="nobody")).named("parcels") is None


async def test_an_agent_that_does_not_answer_a_channel_has_no_tools_of_its_own_there(office):
    await enter(office, tool(), channels=["phone"])
    assert (await offer(office, Channel.PHONE)).named("order_status") is not None
    assert (await offer(office, Channel.PORTAL)).named("order_status") is None


@pytest.mark.requirement("001-71", "001-61")
async def test_a_tool_or_toolkit_that_is_switched_off_for_an_agent_says_so_when_it_is_called(office):
    await enter(office, tool(), tools={"look": {"enabled": False}, "order_status": {"enabled": False}})
    made = await offer(office)
    assert made.why_not("look").condition == made.why_not("order_status").condition == "agent:enabled"
    response = await office.call("look", {"word": "x"})
    assert response.failure.type is ErrorType.MODE_RESTRICTED
    assert "switched off for the agent Echo" in response.failure.message


@pytest.mark.requirement("002-101")
async def test_a_running_session_keeps_the_configuration_it_started_with(office, requests):
    await enter(office, tool())
    await office.call("order_status", {"order": "1"}, session_id="old")
    await enter(office, tool(request={"method": "GET", "url": "https://new.example.com/{{order}}"}))
    await office.call("order_status", {"order": "2"}, session_id="old")
    await office.call("order_status", {"order": "3"}, session_id="new")
    assert [r.url.split("/")[2] for r in requests] == ["orders.example.com", "orders.example.com", "new.example.com"]


async def test_another_instance_carries_a_session_on_with_the_configuration_it_started_with(office, clock, requests):
    await enter(office, tool())
    await office.call("order_status", {"order": "1"}, session_id="old")
    await enter(office, tool(request={"method": "GET", "url": "https://new.example.com/{{order}}"}))
    second = Instance(office.store, clock)
    second.dispatcher.runner.desk = office.dispatcher.runner.desk
    await second.call("order_status", {"order": "2"}, session_id="old")
    assert requests[-1].url.startswith("https://orders.example.com/orders/2")


async def test_detaching_or_deleting_takes_a_tool_from_running_sessions_too(office, requests):
    await enter(office, tool())
    await office.call("order_status", {"order": "1"}, session_id="s")
    await office.store.commit([Delete(WITHIN.document("agentTools", "echo~t_order_status"))])
    office.catalog.forget(BUSINESS)
    assert (await office.call("order_status", {"order": "2"}, session_id="s")).failure.type is ErrorType.MODE_RESTRICTED
    await office.store.commit([Delete(WITHIN.document("tools", "t_order_status"))])
    office.catalog.forget(BUSINESS)
    assert (await office.call("order_status", {"order": "3"}, session_id="s")).failure.type is ErrorType.MODE_RESTRICTED
    assert len(requests) == 1


async def test_a_broken_edit_leaves_the_last_good_version_and_costs_no_other_tool(office):
    await enter(office, tool(), tool("parcels"))
    await offer(office)
    path = WITHIN.document("tools", "t_order_status")
    await office.store.commit([Update(path, {"configMetadata": {"type": "api_request", "label": "x"}})])
    office.catalog.forget(BUSINESS)
    made = await offer(office)
    assert made.named("order_status") is not None and made.named("parcels") is not None
    assert [e.condition for e in made.excluded if e.name == "t_order_status"] == ["definition:valid"]


async def test_a_name_of_ours_is_never_taken_by_an_owners_document(office, requests):
    await enter(office, tool("look"))
    made = await offer(office)
    assert "built-in" in next(e.reason for e in made.excluded if e.name == "t_look")
    assert (await office.call("look", {"word": "hi"})).data["said"] == "hi"
    assert not requests


async def test_a_tool_for_call_starts_only_is_offered_in_no_conversation(office):
    await enter(office, tool(attachToAgent=False, executeOnCallStart=True))
    assert (await offer(office, Channel.PHONE)).why_not("order_status").reason == "it only runs when a call starts"
    starting = await offer(office, Channel.PHONE, is_call_start=True)
    assert starting.named("order_status").definition.on_call_start


async def test_prompts_hold_the_numbers_of_this_conversation_and_of_no_other(office):
    await enter(office, tool(description="Look up an order of {{caller_phone_number}}."))
    first = await offer(office, numbers=PhoneNumbers("+15550001", None))
    second = await offer(office, numbers=PhoneNumbers("+15550002", None))
    assert first.named("order_status").definition.description == "Look up an order of +15550001."
    assert second.named("order_status").definition.description == "Look up an order of +15550002."


async def test_an_agents_own_settings_of_a_toolkit_lie_over_the_businesss(office):
    await office.store.commit(
        [
            Update(
                WITHIN.business,
                {"timezone": "UTC", "integrations": {"googleCalendar": {"isConnected": True, "calendarId": "house"}}},
            )
        ]
    )
    await enter(office, toolkits={"googleCalendar": {"enabled": True, "config": {"calendarId": "second"}}})
    seen = (await offer(office)).business.integrations["googleCalendar"]
    assert (seen.is_usable, seen.settings["calendarId"]) == (True, "second")
    assert (await office.catalog.business(BUSINESS)).integrations["googleCalendar"].settings["calendarId"] == "house"


@pytest.mark.requirement("001-70", "001-62")
async def test_a_tool_whose_toolkit_is_not_set_up_is_refused_whatever_the_agent_says(office):
    await enter(office, toolkits={"googleCalendar": {"enabled": True}})
    response = await office.call("look_with_calendar", {"word": "x"})
    assert (response.failure.type, response.meta["condition"]) == (ErrorType.MODE_RESTRICTED, "integration:calendar")


@pytest.mark.requirement("002-83")
@pytest.mark.parametrize("template", SOUND)
def test_a_call_goes_to_the_template_of_its_type(template):
    tool = OwnTool(read_tenant_tool("t", {"name": "own", "type": template.value, "configMetadata": SOUND[template]}))
    handler = tool.handler(planted.registry())
    assert handler.__module__ == f"switchboard.tools.templates.{template.value}"


CHARGE = {
    "label": "Charge card",
    "description": "Charges the caller's card.",
    "request": {"method": "POST", "url": "https://pay.example.com/charges"},
    "params": {
        "amount": {"mode": "ai", "type": "string", "description": "How much.", "required": True},
        "key": {"mode": "fixed", "value": "k-1"},
    },
    "deed": "paid",
    "confirm": True,
}


@pytest.mark.requirement("004-2474")
@pytest.mark.parametrize(
    ("questions", "asked"),
    [
        ({}, "Ich würde jetzt Folgendes tun: charge card (amount: 20 dollars). Soll ich das machen?"),
        ({"en": "Shall I charge {{amount}} to your card?"}, "Shall I charge 20 dollars to your card?"),
    ],
)
async def test_an_owners_tool_asks_the_caller_first_in_its_owners_words_or_the_houses(office, clock, questions, asked):
    """Nothing is sent before the yes; the yes lets one call in, with the very values that were read back."""
    sent: list[BoundRequest] = []

    async def send(ctx: Any, bound: BoundRequest) -> Any:
        sent.append(bound)
        return ApiAnswer(200, {"id": 7})

    office.dispatcher.runner.desk = SimpleNamespace(api_requests=SimpleNamespace(send=send))
    await enter(office, tool("charge_card", **CHARGE, **({"readBack": questions} if questions else {})))
    first = await office.call("charge_card", {"amount": "20 dollars"}, turn=1)
    assert (first.failure.type, sent) == (ErrorType.CONFIRMATION_REQUIRED, [])
    assert first.meta["readBack"] == asked
    heard = await Approvals(office.store, PATHS).hear("salon", "s1", 2, "yes", clock.now(), question=1)
    assert heard.verdict == "approved"
    second = await office.call("charge_card", {"amount": "20 dollars"}, turn=2)
    assert second.ok and [bound.body for bound in sent] == [{"amount": "20 dollars", "key": "k-1"}]
    other = await office.call("charge_card", {"amount": "90 dollars"}, turn=2)
    assert (other.failure.type, len(sent)) == (ErrorType.CONFIRMATION_REQUIRED, 1)
