"""Actions of connected apps: what is sent, under which account, and what failures mean."""

import json
from pathlib import Path

import pytest

import switchboard.integrations.pipedream
from stand_ins.pipedream.faults import REFUSALS
from switchboard.catalog.schema.schema import compile_schema
from switchboard.contract.deadline import ending_in
from switchboard.contract.error import ErrorType
from switchboard.integrations.http_session import HttpAnswer
from switchboard.integrations.pipedream.actions import PipedreamActions
from switchboard.integrations.pipedream.component import app_prop, fitted, read_props
from switchboard.integrations.pipedream.failures import BY_STATUS, PIPEDREAM
from switchboard.integrations.pipedream.project import component_key
from tests.desk.front_desk import salon
from tests.each import each
from tests.integrations.conftest import SHORT_S
from tests.integrations.pipedream.connected import connected
from tests.refused import failure

SALON = connected()


@pytest.mark.requirement("002-17", "002-39", "002-41", "002-42", "002-44")
async def test_an_action_runs_under_the_businesss_own_account_and_gives_back_what_it_did(apps):
    """The user is the business, and the account stands under the component's own field."""
    given = await apps.actions.run(SALON, apps.mail())
    assert given == {
        "summary": "Successfully sent email to anna@example.com",
        "result": {"id": "msg-1", "labelIds": ["SENT"]},
    }
    (line,) = apps.asked("actions.run")
    assert line["body"] == {
        "id": "gmail-send-email",
        "external_user_id": "demo-salon",
        "configured_props": {
            "to": ["anna@example.com"],
            "subject": "Your booking",
            "body": "See you on Tuesday.",
            "gmail": {"authProvisionId": apps.gmail},
        },
    }
    assert line["environment"] == "production"


@pytest.mark.requirement("002-43")
async def test_a_key_as_the_seed_writes_it_is_understood(apps):
    """`gmail.action.send-email` is no key that the service knows."""
    await apps.actions.run(SALON, apps.mail(action_key="gmail.action.send-email"))
    assert [run["id"] for run in apps.runs] == ["gmail-send-email"]


@pytest.mark.parametrize(
    ("written", "meant"),
    [("gmail-send-email", "gmail-send-email"), (" a.action.b ", "a-b"), (".action.b", ".action.b"), ("a.b", "a.b")],
)
def test_only_that_spelling_is_translated(written, meant):
    """Everything else is a key as it stands."""
    assert component_key(written) == meant


async def test_what_depends_on_other_values_is_asked_for_first(apps):
    """A sheet's columns are fields of the action once the sheet is known; the account's field is not the app's slug."""
    given = await apps.actions.run(SALON, apps.row())
    assert given["summary"] == "Added 1 row"
    assert apps.stand_in.project.apps.rows[-1] == ["Tom Becker", "+15185550164"]
    (reload,), (run,) = apps.asked("actions.props"), apps.asked("actions.run")
    assert reload["body"]["configured_props"] == {
        "sheetId": "s1",
        "hasHeaders": True,
        "googleSheets": {"authProvisionId": apps.sheets},
    }
    assert run["body"]["dynamic_props_id"] == "dyp_1"


async def test_what_an_action_only_exports_is_its_result(apps):
    """Some components return nothing and export what they found."""
    bound = apps.row(action_key="google_sheets-find-row", props={"sheetId": "s1", "value": "Anna Whitfield"})
    given = await apps.actions.run(SALON, bound)
    assert given == {"summary": "Found 1 rows", "result": {"rows": [["Anna Whitfield", "+15185550161"]]}}


async def test_no_file_is_kept_anywhere(apps):
    """What apps produce may be anybody's data: no stash is asked for."""
    await apps.actions.run(SALON, apps.mail())
    assert [run["stash"] for run in apps.runs] == [None]


async def test_values_are_brought_into_the_types_of_their_fields(apps):
    """Models write numbers as text and lists with commas."""
    props = {"to": "a@example.com, b@example.com", "subject": 7, "body": "x", "copies": "2", "isUrgent": "true"}
    await apps.actions.run(SALON, apps.mail(props=props))
    (run,) = apps.runs
    assert run["props"] == {
        "to": ["a@example.com", "b@example.com"],
        "subject": "7",
        "body": "x",
        "copies": 2,
        "isUrgent": True,
    }


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"copies": "several"}, "copies must be a whole number"),
        ({"isUrgent": "perhaps"}, "isUrgent must be true or false"),
        ({"subject": ["a", "b"]}, "subject must be text"),
        ({"subject": None}, "subject is missing"),
    ],
)
async def test_a_value_that_cannot_be_read_is_named_and_nothing_runs(apps, changes, named):
    """VALIDATION that says which."""
    error = await failure(apps.actions.run(SALON, apps.mail(props=apps.mail().props | changes)))
    assert (error.type, error.partial_side_effects) == (ErrorType.VALIDATION, False)
    assert named in error.message
    assert apps.asked("actions.run") == []


async def test_no_value_can_take_the_accounts_place(apps):
    """Whatever stands under the account's field, the tool's own account is used."""
    other = apps.account("gmail", "another-business")
    props = apps.mail().props | {"gmail": {"authProvisionId": other}}
    await apps.actions.run(SALON, apps.mail(props=props))
    assert [run["account"] for run in apps.runs] == [apps.gmail]


def test_what_takes_an_account_never_takes_a_value():
    """Also where a component takes several accounts, of which the tool names one."""
    props = read_props([{"name": n, "type": "app", "app": n} for n in ("gmail", "slack")])
    assert fitted(props, {"gmail": {"authProvisionId": "apn_x"}, "slack": {"authProvisionId": "apn_y"}}) == {}
    assert app_prop(props, "slack") == "slack"


@pytest.mark.requirement("002-42")
async def test_another_businesss_account_is_never_used(apps):
    """The user comes from the business alone; who names somebody else's account is told to connect their own."""
    other = apps.account("gmail", "another-business")
    error = await failure(apps.actions.run(SALON, apps.mail(account_id=other)))
    assert error.type is ErrorType.AUTH
    assert apps.runs == []


async def test_an_account_of_the_other_environment_is_none(apps):
    """What was connected in development cannot be seen from production."""
    theirs = apps.account("gmail", environment="development")
    assert (await failure(apps.actions.run(SALON, apps.mail(account_id=theirs)))).type is ErrorType.AUTH
    developing = PipedreamActions(apps.http, apps.project_with(environment="development"), apps.clock)
    await developing.run(SALON, apps.mail(account_id=theirs))
    assert [run["account"] for run in apps.runs] == [theirs]


@pytest.mark.requirement("002-45")
async def test_an_app_whose_permission_was_taken_back_must_be_connected_again(apps):
    """Pipedream says so inside a success, and then of the account."""
    apps.stand_in.project.revoke(apps.gmail)
    error = await failure(apps.actions.run(SALON, apps.mail()))
    assert (error.type, error.partial_side_effects) == (ErrorType.AUTH, False)
    assert apps.runs == []


@pytest.mark.requirement("002-45")
@pytest.mark.parametrize(
    ("mode", "type", "partial"),
    [
        ("component-error", ErrorType.PERMANENT, True),
        ("observed-error", ErrorType.PERMANENT, True),
        ("component-401", ErrorType.AUTH, False),
        ("component-429", ErrorType.RATE_LIMIT, False),
    ],
)
async def test_an_action_whose_own_code_failed_is_no_success(apps, mode, type, partial):
    """HTTP 200 with an `error`, or only with one among what was observed."""
    apps.fault(mode)
    error = await failure(apps.actions.run(SALON, apps.mail()))
    assert (error.type, error.partial_side_effects) == (type, partial)
    assert "undefined" not in error.message and "sheet" not in error.message


async def test_words_do_not_decide_where_the_account_is_known_to_be_gone(apps):
    """An app may say anything when its permission is gone; Pipedream knows the account's health."""
    apps.fault("component-error")
    apps.stand_in.project.accounts[apps.gmail]["healthy"] = False
    assert (await failure(apps.actions.run(SALON, apps.mail()))).type is ErrorType.AUTH


@pytest.mark.parametrize("mode", ["accept-then-drop", "accept-then-500", "500", "503", "drop", "not-json"])
async def test_an_action_without_an_answer_is_never_sent_again(apps, mode):
    """TRANSIENT with partial side effects, and one request only."""
    apps.fault(mode)
    error = await failure(apps.actions.run(SALON, apps.mail()))
    assert (error.type, error.retryable, error.partial_side_effects) == (ErrorType.TRANSIENT, False, True)
    assert len(apps.asked("actions.run")) == 1
    assert len(apps.runs) == (mode in ("accept-then-drop", "accept-then-500", "not-json"))


@pytest.mark.parametrize(
    ("mode", "type"),
    [
        ("429", ErrorType.RATE_LIMIT),
        ("400", ErrorType.VALIDATION),
        ("402", ErrorType.PERMANENT),
        ("403", ErrorType.PERMANENT),
    ],
)
async def test_what_pipedream_refuses_did_not_run_and_is_not_asked_again(apps, mode, type):
    """Its words are for the log alone."""
    apps.fault(mode)
    error = await failure(apps.actions.run(SALON, apps.mail()))
    assert (error.type, error.partial_side_effects) == (type, False)
    assert REFUSALS[mode].error in error.detail
    assert REFUSALS[mode].error not in error.message
    assert len(apps.asked("actions.run")) == 1


@each("status", sorted({*BY_STATUS, 301, 408, 409, 418, 500, 502, 504}))
def test_every_status_has_a_meaning_and_only_silence_leaves_the_outcome_open(status):
    """A status of the table says that nothing ran; after the others nobody knows."""
    error = PIPEDREAM.refused(HttpAnswer(status, {}, b"no json"), is_write=True)
    assert error.message.endswith(".")
    assert error.partial_side_effects is (error.type is ErrorType.TRANSIENT)
    assert PIPEDREAM.refused(HttpAnswer(status, {}, b"{}"), is_write=False).partial_side_effects is False


async def test_nobody_waits_longer_than_the_call_has_time(apps):
    """The call's deadline ends the request, and its outcome is unknown."""
    await apps.actions.run(SALON, apps.mail())
    before = len(apps.runs)
    for seconds in SHORT_S:
        apps.fault("slow", seconds=600)
        with ending_in(seconds):
            error = await failure(apps.actions.run(SALON, apps.mail()))
        if apps.runs[before:]:
            break
    assert error.partial_side_effects is True


@pytest.mark.parametrize("method", ["token", "actions.retrieve", "actions.props"])
async def test_what_is_read_before_leaves_no_doubt_that_nothing_ran(apps, method):
    """A failing read is TRANSIENT, and may simply be asked again."""
    apps.fault("500", method)
    error = await failure(apps.actions.run(SALON, apps.row()))
    assert (error.type, error.retryable, error.partial_side_effects) == (ErrorType.TRANSIENT, True, False)
    assert apps.asked("actions.run") == []
    await apps.actions.run(SALON, apps.row())


async def test_where_nobody_listens_nothing_ran(apps):
    """A connection that was refused is no unknown outcome."""
    await apps.actions.run(SALON, apps.mail())
    nowhere = PipedreamActions(apps.http, apps.project_with(base_url="http://127.0.0.1:9"), apps.clock)
    error = await failure(nowhere.run(SALON, apps.mail()))
    assert (error.type, error.retryable, error.partial_side_effects) == (ErrorType.TRANSIENT, True, False)


async def test_an_actions_fields_are_read_once_an_hour(apps):
    """They change with new versions alone; each version has its own."""
    await apps.actions.run(SALON, apps.mail())
    await apps.actions.run(SALON, apps.mail())
    assert len(apps.asked("actions.retrieve")) == 1
    await apps.actions.run(SALON, apps.mail(version="0.2.1"))
    assert [line["query"] for line in apps.asked("actions.retrieve")] == ["", "version=0.2.1"]
    apps.clock.seconds += 3_601
    await apps.actions.run(SALON, apps.mail())
    assert len(apps.asked("actions.retrieve")) == 3


@pytest.mark.parametrize(
    "changes",
    [
        {"action_key": "gmail-no-such-action"},
        {"action_key": "../../accounts"},
        {"version": "9.9.9"},
        {"app": "slack"},
        {"props": {"to": ["a@example.com"], "subject": "x", "body": "y", "colour": "red"}},
    ],
)
async def test_a_tool_that_is_set_up_wrongly_never_works(apps, changes):
    """PERMANENT, and nothing ran: no such action, version, app or field."""
    error = await failure(apps.actions.run(SALON, apps.mail(**changes)))
    assert (error.type, error.partial_side_effects) == (ErrorType.PERMANENT, False)
    assert apps.runs == []


@pytest.mark.parametrize(
    ("business", "account", "type"),
    [
        (salon(), "apn_1", ErrorType.PERMANENT),
        (connected(isConnected=False), "apn_1", ErrorType.PERMANENT),
        (connected(needsReauth=True), "apn_1", ErrorType.AUTH),
        (connected(), "", ErrorType.AUTH),
    ],
)
async def test_a_business_without_a_connection_asks_nobody(apps, business, account, type):
    """Not connected, or known to need it again: nothing goes over the network."""
    error = await failure(apps.actions.run(business, apps.mail(account_id=account)))
    assert error.type is type
    assert apps.stand_in.faults.journal == []


def test_the_toolkits_schema_can_draw_a_form():
    """There is nothing to fill in: accounts are connected at Pipedream, the project is the operator's."""
    toolkit = json.loads((Path(switchboard.integrations.pipedream.__path__[0]) / "toolkit.json").read_text())
    assert compile_schema(toolkit["config"]).is_valid({})
    assert not compile_schema(toolkit["config"]).is_valid({"clientSecret": "x"})


def test_the_secret_is_in_no_repr(apps):
    """Configuration is logged more easily than one thinks."""
    assert apps.project.client_secret not in repr(apps.project)
