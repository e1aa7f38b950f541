"""What keeps an owner's tool from working although it can be saved: told when it is saved and whenever it is read."""

from typing import Any

import pytest

from switchboard.contract.store import Set, Update
from switchboard.desk.tenant_tools.api_secrets import TOOLKIT
from tests.admin.owners_office import OWN
from tests.admin.tool_house import AT_START, LOOKUP, WITHIN, ToolHouse

TEXT: dict[str, Any] = {
    "type": "sms",
    "label": "Text the address",
    "description": "Texts the address of the salon to the caller who asks for it.",
    "text": "48 Maple Street",
    "recipients": ["{{caller_phone_number}}"],
}
TRANSFER: dict[str, Any] = {
    "type": "transfer_call",
    "label": "Ring the workshop",
    "description": "Puts the caller through to the workshop, where repairs are done.",
    "destination": {"number": "+15185550143"},
}
ASKED = {"order": {"mode": "ai", "prompt": "The order's number"}}


@pytest.fixture(autouse=True)
async def numbers(house: ToolHouse) -> None:
    """The salon's line, and one person to put callers through to."""
    rules = [{"id": "desk", "action": "transfer", "destination": "+15185550144"}]
    fields = {"phone": "+15185550142", "twilioNumber": "+15185550100", "escalation": {"rules": rules}}
    await house.store.commit([Update(WITHIN.business, fields)])


ADDRESSES = [
    ("https://2130706433/", "is a number"),
    ("https://0x7f000001/", "is a number"),
    ("https://127.1/", "is a number"),
    ("https://0177.0.0.1/", "is a number"),
    ("https://127.0.0.1/", "not on the public internet"),
    ("https://10.0.0.1:8443/", "not on the public internet"),
    ("https://169.254.169.254/latest", "not on the public internet"),
    ("http://127.0.0.1:9000/", "does not begin with https://"),
    ("https://localhost/", "no full name"),
    ("https://intranet/", "no full name"),
    ("https://api.example.com:22/", "port 22"),
    ("https://api.example.com:99999/", "no port 99999"),
]
OURS = ("call-start", "unusable-number", "unknown-sender", "unknown-person", "missing-secret", "unused-sender")


async def warned(house: ToolHouse, config: dict[str, Any], rules: tuple[str, ...] = OURS) -> list[tuple[str, str]]:
    """Save a tool and return the warnings about it, by place; reading it tells the same."""
    saved = await house.done("POST", "tools", config)
    assert await house.done("GET", f"tools/{saved['tool']['id']}") == saved
    return [(one["place"], one["text"]) for one in saved["findings"] if one["rule"] in rules]


@pytest.mark.requirement("004-104")
@pytest.mark.parametrize(("said", "is_told"), [(None, True), ("proven", False), ("contact", False)])
async def test_what_may_be_told_to_whoever_has_the_number_shown_is_asked_of_the_owner(
    house: ToolHouse, said: str | None, is_told: bool
):
    """The owner's own service answers by the number that a call shows, unless its owner says that it must be proven."""
    url = "https://orders.example.com/of?phone={{caller_phone_number}}"
    config = {**LOOKUP, "request": {"method": "GET", "url": url}, "params": {}}
    found = await warned(house, config if said is None else {**config, "callerNumber": said}, ("shown-number",))
    assert [place for place, _ in found] == ["callerNumber"] * is_told


@pytest.mark.parametrize(("url", "why"), ADDRESSES)
async def test_an_address_that_is_never_called_is_told_when_it_is_saved(house: ToolHouse, url: str, why: str):
    """However it is spelt; a call of it would be refused."""
    config = LOOKUP | {"request": {"url": url}, "params": {}}
    [(place, text)] = await warned(house, config, ("unreachable-address",))
    assert place == "request.url" and why in text


@pytest.mark.parametrize("url", ["https://api.example.com/x", "https://8.8.8.8:8443/"])
async def test_an_address_of_the_internet_is_no_finding(house: ToolHouse, url: str):
    """Its name is looked up when it is called."""
    assert await warned(house, LOOKUP | {"request": {"url": url}, "params": {}}, ("unreachable-address",)) == []


@pytest.mark.requirement("002-31")
@pytest.mark.parametrize(("is_attached", "never"), [(True, False), (False, True)])
async def test_a_tool_for_the_start_of_a_call_that_needs_an_argument_is_told_not_to_run(
    house: ToolHouse, is_attached: bool, never: bool
):
    """Nobody has spoken by then; one that only runs at the start never runs at all."""
    flags = {"executeOnCallStart": True, "attachToAgent": is_attached}
    [(place, text)] = await warned(house, {**LOOKUP, **flags, "params": ASKED})
    assert (place, '"order"' in text, "never at all" in text) == ("executeOnCallStart", True, never)


async def test_a_tool_for_the_start_of_a_call_that_needs_nothing_is_fine(house: ToolHouse):
    """Also with an argument that may be left out."""
    assert await warned(house, AT_START) == []
    asked = {"note": {"mode": "ai", "prompt": "A note", "required": False}}
    assert await warned(house, {**AT_START, "label": "With a note", "params": asked}) == []


@pytest.mark.parametrize(
    "recipients",
    [
        ["{{caller_phone_number}}", "+1234567890"],
        {"mode": "fixed", "value": ["not a number"]},
        {"mode": "array_extendable", "fixedValues": ["+4915112345678"], "aiExtension": {"enabled": True}},
    ],
)
async def test_a_number_that_no_text_goes_to_is_named(house: ToolHouse, recipients: Any):
    """It is none, or in a country that the salon sends no texts to."""
    [(place, text)] = await warned(house, {**TEXT, "recipients": recipients})
    assert place == "recipients" and "write mobile numbers in US" in text
    assert any(number in text for number in ('"+1234567890"', '"not a number"', '"+4915112345678"'))


@pytest.mark.requirement("004-945")
@pytest.mark.parametrize("anyone", [None, True])
async def test_a_tool_by_which_callers_have_anybody_texted_says_what_they_can_do(house: ToolHouse, anyone: bool | None):
    """With what would be safer; whoever shows nothing only where the owner said so."""
    free = {**TEXT, "recipients": {"mode": "ai", "prompt": "Whom"}, "textAnyone": anyone}
    [(place, text)] = await warned(house, free, ("dictated-number",))
    assert place == "recipients" and "any number texted at your cost" in text and '"enum"' in text
    assert ("who shows no number" in text) is (anyone is True)
    listed = {"mode": "ai", "schema": {"type": "array", "items": {"type": "string", "enum": ["+15185550143"]}}}
    assert await warned(house, {**TEXT, "label": "Listed", "recipients": listed}, ("dictated-number",)) == []


async def test_a_sender_that_is_none_of_the_salons_numbers_is_named(house: ToolHouse):
    """With the numbers that would do."""
    sender = {"type": "specific_number", "phone_number_id": "PN404"}
    [(place, text)] = await warned(house, {**TEXT, "from": sender})
    assert place == "from" and '"+15185550100"' in text
    own = {"type": "specific_number", "phone_number_id": "+15185550100"}
    assert await warned(house, {**TEXT, "label": "From the line", "from": own}) == []


async def test_a_sender_that_is_named_and_not_used_is_told(house: ToolHouse):
    """The number that was called sends, whatever number stands beside it."""
    sender = {"type": "called_number", "phone_number_id": "+15185550100"}
    [(place, text)] = await warned(house, {**TEXT, "from": sender})
    assert place == "from.phone_number_id" and "specific_number" in text
    implied = {"phone_number_id": "PN404"}
    [(place, text)] = await warned(house, {**TEXT, "label": "Implied", "from": implied})
    assert place == "from" and '"+15185550100"' in text


@pytest.mark.parametrize(
    ("destination", "place"),
    [
        ({"number": "+44900123456"}, "destination.number"),
        ({"number": "+15185550100"}, "destination.number"),
        ({"type": "rule", "id": "nobody"}, "destination.id"),
    ],
)
async def test_a_transfer_that_leads_nowhere_is_told(house: ToolHouse, destination: dict[str, str], place: str):
    """To what nobody is put through to, back to the line itself, or to a person who is not entered."""
    [(found, text)] = await warned(house, {**TRANSFER, "destination": destination})
    assert found == place and (place != "destination.id" or '"desk"' in text)


async def test_a_transfer_to_somebody_who_can_be_rung_is_fine(house: ToolHouse):
    """By number, and by the person's id."""
    assert await warned(house, TRANSFER) == []
    assert await warned(house, {**TRANSFER, "label": "Ring the desk", "destination": {"id": "desk"}}) == []


async def test_a_secret_that_nobody_has_entered_is_named_until_somebody_does(house: ToolHouse):
    """Until then the request is not sent."""
    request = {**LOOKUP["request"], "headers": {"Authorization": "Bearer {{secret.crm_key}}"}}
    [(place, text)] = await warned(house, {**LOOKUP, "request": request})
    assert place == "request.headers.Authorization" and "crm_key" in text
    await house.secrets.keep(OWN, TOOLKIT, "crm_key", "s3cret")
    assert await warned(house, {**LOOKUP, "label": "Another", "request": request}) == []


async def test_a_tool_that_no_agent_has_is_told_until_one_has(house: ToolHouse):
    """That conversations may use it gives it to nobody; with the path that does."""
    await house.store.commit([Set(WITHIN.document("agents", "echo"), {"name": "Echo", "isDefault": True})])
    saved = await house.done("POST", "tools", {**TEXT, "attachToAgent": True})
    [told] = [one for one in saved["findings"] if one["rule"] == "unattached"]
    assert told["severity"] == "hint" and "/agents/<agent>/tools" in told["text"]
    id = saved["tool"]["id"]
    await house.done("POST", "agents/echo/tools", {"toolId": id})
    assert "unattached" not in {one["rule"] for one in (await house.done("GET", f"tools/{id}"))["findings"]}
    off = await house.done("POST", "tools", {**TEXT, "label": "For later", "enabled": False})
    assert "unattached" not in {one["rule"] for one in off["findings"]}


@pytest.mark.requirement("004-2472")
async def test_what_an_action_answers_where_it_was_done_is_asked_of_its_owner_until_they_say(house: ToolHouse):
    """Of what changes something; a look-up has done nothing."""
    url, rules = "https://orders.example.com/orders", ("unsaid-success",)
    [(place, text)] = await warned(house, {**LOOKUP, "request": {"method": "POST", "url": url}}, rules)
    assert place == "request.response.done" and '{"at": "status"' in text
    done = {"done": {"at": "status", "is": ["placed", "pending"]}}
    said = {**LOOKUP, "label": "Says it", "request": {"method": "POST", "url": url, "response": done}}
    assert await warned(house, said, rules) == []
    assert await warned(house, {**LOOKUP, "label": "Only asks", "request": {"method": "GET", "url": url}}, rules) == []


@pytest.mark.requirement("004-2477")
async def test_a_look_up_that_is_given_longer_than_it_has_is_told_when_it_ends(house: ToolHouse):
    """What changes something may take as long as is written."""
    rules = ("unused-patience",)
    [(place, text)] = await warned(house, {**LOOKUP, "timeoutMs": 20_000}, rules)
    assert place == "timeoutMs" and "after 3 seconds" in text
    assert await warned(house, {**LOOKUP, "label": "Soon", "timeoutMs": 3_000}, rules) == []
    request = {"method": "POST", "url": "https://orders.example.com/orders"}
    assert await warned(house, {**LOOKUP, "label": "Acts", "timeoutMs": 20_000, "request": request}, rules) == []


@pytest.mark.requirement("004-2477")
@pytest.mark.parametrize(("key", "is_told"), [("k-1", True), ("{{order}}", False), ("o-{{order}}", False)])
async def test_a_key_that_is_the_same_for_every_call_is_told_where_one_thing_is_done_once_for_it(house, key, is_told):
    """The service would do the first wish alone; one that is made of an argument tells wishes apart."""
    request = {"method": "POST", "url": "https://orders.example.com/orders", "headers": {"Idempotency-Key": key}}
    order = {"order": {"mode": "ai", "type": "string", "required": True, "description": "Its number."}}
    asked, rules = {**LOOKUP, "params": order}, ("one-key-for-all",)
    found = await warned(house, {**asked, "request": {**request, "idempotent": True}}, rules)
    assert [place for place, _ in found] == (["request.headers.Idempotency-Key"] if is_told else [])
    assert await warned(house, {**asked, "label": "Plain", "request": request}, rules) == []
