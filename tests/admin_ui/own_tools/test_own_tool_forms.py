"""Own tools of each kind: what the form makes is what the server has, and what is wrong is told where it is wrong."""

from typing import Any

import pytest

from admin_ui.shell.server import Answer, Server
from switchboard.desk.escalation.transfers import destinations
from tests.admin_ui.conftest import labelled, labels, part, press, said
from tests.admin_ui.premises import SALON, LiveServer
from tests.admin_ui.tool_building import begin, errors, fill, made, open_tool, own, without_own_tools

NOT_KEPT = "**This cannot be kept.** Nothing was changed. What is wrong stands where it was entered."
TRANSFER = {"type": "transfer_call", "label": "Put through to the manager", "description": "Puts a caller through."}
MANAGER = {"type": "number", "number": "+15185550143", "label": "Manager", "message": "One moment."}


@pytest.fixture
def salon(salon: LiveServer) -> LiveServer:
    """The salon without own tools."""
    return without_own_tools(salon)


def below(app) -> list[tuple[str, str]]:
    """Return each problem of the page behind the label of the field that it stands below."""
    found, last = [], ""
    for element in app.main:
        if element.type in ("text_input", "text_area", "selectbox"):
            last = element.label
        elif element.type == "alert" or element.type == "error":
            found.append((last, element.value))
    return found


def config_of(live: LiveServer) -> dict[str, Any]:
    (tool,) = own(live)
    assert tool["problem"] is None
    found: dict[str, Any] = tool["configMetadata"]
    return found


@pytest.mark.requirement("002-57")
def test_a_text_to_the_caller_is_made(opened, salon):
    """To whoever calls, from the number that was called, in the owner's words, unless something else is chosen."""
    app = begin(opened("own_tools"), "sms", "Text our address")
    fill(app, "text_area", "When a model should use it, and what for", "Texts the caller where we are when they ask.")
    fill(app, "text_input", "Value", "We are at 48 Maple Street.")
    press(app, "Make the tool")
    config = config_of(salon)
    assert config["text"] == {"mode": "fixed", "value": "We are at 48 Maple Street."}
    assert config["recipients"] == {"mode": "fixed", "value": ["{{caller_phone_number}}"]}
    assert config["from"] == {"type": "called_number"}


@pytest.mark.requirement("002-58")
def test_a_text_that_says_nothing_is_not_made_and_each_gap_is_told_at_its_field(opened, salon):
    """It could be kept, and would then fail in every call; what was typed stays, and is enough once it is whole."""
    app = begin(opened("own_tools"), "sms", "Text our address")
    fill(app, "text_area", "Values, one in a line", " ")
    fill(app, "selectbox", "From", "specific_number")
    press(app, "Make the tool")
    assert errors(app) == [
        "Write the text, or let the model write it.",
        "Write to whom it goes.",
        "Choose one of your numbers.",
        NOT_KEPT,
    ]
    assert not own(salon)
    assert labelled(app, "text_input", "What you call it").value == "Text our address"
    fill(app, "text_input", "Value", "Hello")
    (number,) = labelled(app, "selectbox", "Your number").options
    fill(app, "selectbox", "Your number", number)
    fill(app, "text_area", "Values, one in a line", "+15185550143\n{{caller_phone_number}}")
    press(app, "Make the tool")
    config = config_of(salon)
    assert config["recipients"]["value"] == ["+15185550143", "{{caller_phone_number}}"]
    assert config["from"] == {"type": "specific_number", "phone_number_id": number}


def test_what_can_be_chosen_is_told_by_its_name_and_what_is_written_elsewhere_stays(opened, salon, monkeypatch):
    """Accounts of apps that can be used, and the collections that there are; the API may say others."""
    lists = {
        "accounts": [
            {"id": "apn_1", "name": "rosa@example.com", "app": "gmail", "appName": "Gmail", "isUsable": True},
            {"id": "apn_2", "name": "old@example.com", "app": "gmail", "appName": "Gmail", "isUsable": False},
        ],
        "collections": [{"name": "properties", "items": 3}],
    }
    get = Server.get

    def listing(self, path: str, *query):
        name = path.rpartition("/")[2]
        return Answer({name: lists[name], "nextCursor": None}, "") if name in lists else get(self, path, *query)

    monkeypatch.setattr(Server, "get", listing)
    app = begin(opened("own_tools"), "pipedream_action", "Write a mail")
    account = labelled(app, "selectbox", "Connected account")
    assert account.options == ["Gmail: rosa@example.com"]
    metadata = {"app": "gmail", "accountId": "apn_9", "actionKey": "gmail-send-email"}
    tool = made(salon, type="pipedream_action", label="Write a mail", pipedreamMetadata=metadata)
    app = open_tool(opened("own_tools"), tool)
    assert labelled(app, "selectbox", "Connected account").value == "apn_9"
    assert "Undo what I typed" not in labels(app)
    app = begin(opened("own_tools"), "query", "Find a property")
    fill(app, "selectbox", "Look in", "collection")
    assert labelled(app, "selectbox", "Collection").options == ["properties"]


@pytest.mark.requirement("002-96")
def test_the_model_may_write_the_text_and_choose_several_recipients(opened, salon):
    """Recipients that a model fills in are a list, as the texts of the owner are."""
    app = begin(opened("own_tools"), "sms", "Text somebody")
    for key in ("text", "recipients"):
        mode = next(
            one
            for one in app.get("segmented_control")
            if one.key.startswith("new/sms/") and one.key.endswith(f"/settings/{key}/mode")
        )
        mode.set_value("ai").run()
    prompt, other = (one for one in app.text_input if one.label == "What it is, for the model")
    prompt.set_value("The words of the text").run()
    other.set_value("Numbers with country code").run()
    press(app, "Make the tool")
    (tool,) = own(salon)
    shown = tool["functionSchema"]["parameters"]["properties"]
    assert (shown["text"]["type"], shown["text"]["description"]) == ("string", "The words of the text")
    assert (shown["recipients"]["type"], shown["recipients"]["items"]) == ("array", {"type": "string"})


@pytest.mark.requirement("002-57")
def test_a_transfer_to_a_number_is_made_after_the_number_was_mended(opened, salon):
    """The server says below the field how a number is written, and what was typed is still there."""
    app = begin(opened("own_tools"), "transfer_call", "Put through to the manager")
    press(app, "Make the tool")
    assert errors(app)[0] == "Write the number that callers are put through to."
    fill(app, "text_input", "Number", "0518 555")
    fill(app, "text_input", "What is said before (optional)", "One moment, {{nobody}}.")
    press(app, "Make the tool")
    assert [field for field, _ in below(app)][:2] == ["Number", "What is said before (optional)"]
    number, message, end = errors(app)
    assert "no phone number with country code; write it like +12015550123" in number
    assert "destination" not in number
    assert "nobody" in message
    assert end == NOT_KEPT
    assert labelled(app, "text_input", "Number").value == "0518 555"
    fill(app, "text_input", "Number", "+1 518 555 0143")
    fill(app, "text_input", "What is said before (optional)", "One moment.")
    press(app, "Make the tool")
    destination = {"type": "number", "number": "+1 518 555 0143", "message": "One moment."}
    assert config_of(salon)["destination"] == destination


@pytest.mark.requirement("002-57")
def test_a_transfer_to_a_person_is_chosen_by_name(opened, salon):
    """Nobody knows the ids that the server gives people; what is stored is one that a call is put through to."""
    app = begin(opened("own_tools"), "transfer_call", "Put through to a person")
    fill(app, "selectbox", "Put callers through to", "rule")
    people = labelled(app, "selectbox", "Person")
    assert people.options
    fill(app, "selectbox", "Person", people.options[0])
    press(app, "Make the tool")
    known = destinations(salon.within(salon.house.catalog.tenant(SALON)).business)
    chosen = next(person for person in known if person.label == people.options[0])
    assert config_of(salon)["destination"] == {"type": "rule", "id": chosen.id}


def test_a_tool_whose_person_is_gone_says_so_and_keeps_pointing_there(opened, salon):
    """Until another one is chosen."""
    tool = made(salon, **TRANSFER, destination={"id": "night-line"})
    app = open_tool(opened("own_tools"), tool)
    assert labelled(app, "selectbox", "Person").value == "night-line"
    assert "Undo what I typed" not in labels(app)


def test_what_the_form_does_not_show_stays_when_something_else_is_changed(opened, salon):
    """The label of a destination, and an action's version, are the API's alone."""
    tool = made(salon, **TRANSFER, destination=MANAGER)
    app = open_tool(opened("own_tools"), tool)
    fill(app, "text_input", "Number", "+15185550144")
    press(app, "Save")
    assert config_of(salon)["destination"] == MANAGER | {"number": "+15185550144"}


@pytest.mark.requirement("002-57")
def test_a_look_up_in_the_knowledge_is_made(opened, salon):
    """The model is asked for the question, which needs no parameter of the owner's."""
    app = begin(opened("own_tools"), "query", "Look up house rules")
    fill(app, "number_input", "Tell at most", 3)
    press(app, "Make the tool")
    (tool,) = own(salon)
    assert tool["configMetadata"]["knowledge"] == {"type": "knowledge_base", "limit": 3}
    assert "question" in tool["functionSchema"]["parameters"]["properties"]


@pytest.mark.requirement("002-57", "002-58")
def test_a_look_up_in_a_collection_is_made_after_its_filters_were_mended(opened, salon):
    """A filter names a parameter or a value; the line that cannot be is told below the lines."""
    app = begin(opened("own_tools"), "query", "Find a property")
    fill(app, "selectbox", "Look in", "collection")
    press(app, "Make the tool")
    assert errors(app) == ["Write the name of the collection.", NOT_KEPT]
    fill(app, "text_input", "Collection", "properties")
    fill(app, "text_input", "Show only these fields (optional)", "town, price")
    fill(app, "text_area", "Keep only what fits (optional)", "town == {{town}}\nprice around 5")
    press(app, "Make the tool")
    told = " ".join(errors(app))
    assert "'town' is no parameter" in told
    assert "'around' is no operator" in told
    assert labelled(app, "text_area", "Keep only what fits (optional)").value == "town == {{town}}\nprice around 5"
    fill(app, "text_area", "Keep only what fits (optional)", 'town == {{town}}\nprice <= 5\nstate == "open"')
    press(app, "Add a parameter")
    fill(app, "text_input", "Name", "town")
    fill(app, "text_input", "What it is, for the model", "The town that the caller names")
    press(app, "Make the tool")
    assert config_of(salon)["knowledge"] == {
        "type": "collection",
        "collection": "properties",
        "fields": ["town", "price"],
        "filters": [
            {"field": "town", "op": "==", "param": "town"},
            {"field": "price", "op": "<=", "value": 5},
            {"field": "state", "op": "==", "value": "open"},
        ],
        "limit": 5,
    }


def test_a_look_up_whose_type_was_left_out_over_the_api_is_shown_as_what_it_is(opened, salon):
    """And not turned into another one by saving."""
    tool = made(salon, type="query", label="Find a property", knowledge={"collection": "properties"})
    app = open_tool(opened("own_tools"), tool)
    assert labelled(app, "selectbox", "Look in").value == "collection"
    assert labelled(app, "text_input", "Collection").value == "properties"


@pytest.mark.requirement("002-57", "002-58")
def test_an_action_is_made_with_its_props(opened, salon):
    """What is missing and what cannot be is told at the field; the parameters are the action's props."""
    app = begin(opened("own_tools"), "pipedream_action", "Write a mail")
    fill(app, "text_input", "App", "gmail")
    press(app, "Make the tool")
    assert errors(app) == ["Write the id of the connected account.", "Write the key of the action.", NOT_KEPT]
    fill(app, "text_input", "Connected account", "apn_1")
    fill(app, "text_input", "Action", "Send!")
    press(app, "Make the tool")
    assert "no key of an action; write it like gmail-send-email" in errors(app)[0]
    assert labelled(app, "text_input", "Connected account").value == "apn_1"
    fill(app, "text_input", "Action", "gmail-send-email")
    press(app, "Add a parameter")
    fill(app, "text_input", "Name", "subject")
    press(app, "Make the tool")
    config = config_of(salon)
    expected = {"app": "gmail", "accountId": "apn_1", "actionKey": "gmail-send-email"}
    assert config["pipedreamMetadata"] == expected
    assert config["params"]["subject"]["mode"] == "ai"


@pytest.mark.requirement("002-58")
def test_a_parameter_that_cannot_be_says_so_in_its_own_card(opened, salon):
    """One without a name, two of one name, and one that is used nowhere."""
    app = begin(opened("own_tools"), "transfer_call", "Put through")
    fill(app, "text_input", "Number", "+15185550143")
    for _ in range(2):
        press(app, "Add a parameter")
    press(app, "Make the tool")
    assert errors(app) == ["Give the parameter a name, or remove it."] * 2 + [NOT_KEPT]
    for field in [one for one in app.text_input if one.label == "Name"]:
        field.set_value("reason").run()
    press(app, "Make the tool")
    assert errors(app) == ["Give every parameter another name."] * 2 + [NOT_KEPT]
    press(app, "Remove")
    press(app, "Make the tool")
    assert errors(app) == ["This is used nowhere; remove it, or name it where its value belongs.", NOT_KEPT]
    assert [one.value for one in app.text_input if one.label == "Name"] == ["reason"]


def test_a_name_that_is_taken_is_told_and_what_was_typed_stays(opened, salon):
    """The server names a free one."""
    made(salon, **TRANSFER, destination=MANAGER, name="put_through")
    app = begin(opened("own_tools"), "transfer_call", "Put through again")
    fill(app, "text_input", "What a model calls it (optional)", "put_through")
    fill(app, "text_input", "Number", "+15185550143")
    press(app, "Make the tool")
    assert "choose another name, such as put_through_2" in errors(app)[0]
    fill(app, "text_input", "What a model calls it (optional)", "put_through_2")
    press(app, "Make the tool")
    assert {tool["name"] for tool in own(salon)} == {"put_through", "put_through_2"}


def test_an_edit_that_is_refused_is_told_at_its_field_and_gone_once_it_is_saved(opened, salon):
    """As in the form for a new tool."""
    tool = made(salon, **TRANSFER, destination=MANAGER)
    app = open_tool(opened("own_tools"), tool)
    fill(app, "text_input", "Number", "12")
    press(app, "Save")
    assert "This is no phone number" in errors(app)[0]
    assert labelled(app, "text_input", "Number").value == "12"
    fill(app, "text_input", "Number", "+15185550144")
    press(app, "Save")
    assert errors(app) == []


@pytest.mark.requirement("002-58")
def test_what_could_be_better_about_a_tool_is_told_when_it_is_saved_and_whenever_it_is_looked_at(opened, salon):
    """In plain words, what may go wrong before what could only be better, and no more once it is mended."""
    app = begin(opened("own_tools"), "api_request", "Lookup")
    fill(app, "text_input", "Address", "https://api.example.com/customers/{{customerNumber}}")
    press(app, "Add a parameter")
    fill(app, "text_input", "Name", "customerNumber")
    press(app, "Make the tool")
    for look in (app, open_tool(opened("own_tools"), own(salon)[0])):
        (told,) = [m.value.replace("\\", "") for m in look.markdown if "may go wrong" in m.value]
        lines = told.splitlines()
        assert "may go wrong" in lines[0]
        assert "**When a model should use it:** It is too vague to choose by" in told
        assert "**Parameter customerNumber:** customerNumber has no description" in told
        assert "could be better] **What a model calls it:** It is one word" in told
        assert "could be better] **Attach to agent:** It is attached to no agent yet" in lines[-1]
    part(app, "Settings")
    about = "Finds a customer by number. Use it when a caller asks about an order."
    fill(app, "text_area", "When a model should use it, and what for", about)
    fill(app, "text_input", "What it is, for the model", "The customer's number, such as K-17")
    press(app, "Save")
    assert "may go wrong" not in said(app)


@pytest.mark.requirement("002-136")
def test_what_an_agent_may_say_of_a_tool_is_suggested_and_can_be_chosen(opened, salon):
    """Until the owner has chosen, the tool's words tell; what they say stands in the form."""
    app = begin(opened("own_tools"), "api_request", "Order flowers")
    fill(app, "text_area", "When a model should use it, and what for", "Orders flowers for the customer.")
    fill(app, "text_input", "Address", "https://orders.example.com/flowers")
    fill(app, "selectbox", "Method", "POST")
    press(app, "Make the tool")
    assert "deed" not in config_of(salon)
    part(app, "Settings")
    chosen = labelled(app, "selectbox", "Once it has worked, an agent may say")
    assert "what its words say: that something is ordered" in chosen.options
    fill(app, "selectbox", "Once it has worked, an agent may say", "paid")
    press(app, "Save")
    assert config_of(salon)["deed"] == "paid"


@pytest.mark.requirement("004-2474")
def test_an_owner_has_the_caller_asked_first_in_words_of_their_own(opened, salon):
    """In the language of the house; a look-up asks nobody."""
    app = begin(opened("own_tools"), "api_request", "Charge card")
    asks = "Ask the caller before it does anything, and wait for their yes"
    fill(app, "text_area", "When a model should use it, and what for", "Charges the customer's card.")
    fill(app, "text_input", "Address", "https://pay.example.com/charges")
    assert asks not in [each.label for each in app.toggle]
    fill(app, "selectbox", "Method", "POST")
    labelled(app, "toggle", asks).set_value(True).run()
    words = "What the caller is asked, in the language en (optional)"
    fill(app, "text_input", words, "Shall I charge {{amount}}?")
    press(app, "Make the tool")
    assert "{{amount}} is no parameter" in errors(app)[0]
    fill(app, "text_input", words, "Shall I charge your card?")
    press(app, "Make the tool")
    asked = {"confirm": True, "readBack": {"en": "Shall I charge your card?"}}
    assert {name: config_of(salon)[name] for name in asked} == asked
    part(app, "Settings")
    labelled(app, "toggle", asks).set_value(False).run()
    press(app, "Save")
    assert not asked.keys() & config_of(salon).keys()


@pytest.mark.requirement("002-137")
def test_within_what_the_same_call_is_done_once_can_be_chosen(opened, salon):
    """A turn, unless the owner says otherwise; a tool that only reads has nothing to choose."""
    app = begin(opened("own_tools"), "api_request", "Light")
    fill(app, "text_area", "When a model should use it, and what for", "Turns the light on or off.")
    fill(app, "text_input", "Address", "https://house.example.com/toggle")
    assert "The same call is done" not in [one.label for one in app.selectbox]
    fill(app, "selectbox", "Method", "POST")
    press(app, "Make the tool")
    assert "repeat" not in config_of(salon)
    part(app, "Settings")
    fill(app, "selectbox", "The same call is done", "never")
    press(app, "Save")
    assert config_of(salon)["repeat"] == "never"


def test_how_long_a_caller_waits_is_told_where_it_is_wrong_and_kept_as_a_number(opened, salon):
    """Below its field."""
    app = begin(opened("own_tools"), "api_request", "Light")
    fill(app, "text_area", "When a model should use it, and what for", "Turns the light on or off.")
    fill(app, "text_input", "Address", "https://house.example.com/toggle")
    waits = "A caller waits at most, milliseconds (optional)"
    fill(app, "text_input", waits, "a second")
    press(app, "Make the tool")
    assert "whole milliseconds from" in errors(app)[0]
    assert errors(app)[1] == "**This cannot be kept.** Nothing was changed. What is wrong stands where it was entered."
    fill(app, "text_input", waits, "1500")
    takes = "Your service takes at most, requests at once (optional)"
    fill(app, "text_input", takes, "a few")
    press(app, "Make the tool")
    assert "whole number from 1 to 200" in errors(app)[0]
    fill(app, "text_input", takes, "3")
    press(app, "Make the tool")
    assert (config_of(salon)["timeoutMs"], config_of(salon)["maxAtOnce"]) == (1500, 3)
