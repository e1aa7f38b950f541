"""Toolkits as their `toolkit.json` declares them: what is read, what is refused, and how settings are checked."""

import copy
import json
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st

import switchboard.integrations
import switchboard.tools
from switchboard.catalog.tenant_tools.toolkit import (
    AuthType,
    config_problems,
    read_toolkit,
    sensitive_problems,
    toolkit_problems,
    unconfigured,
)
from switchboard.catalog.tenant_tools.toolkits import Toolkits, check_toolkits
from switchboard.contract.definitions.definition import Definition, DefinitionError, read_definition

INTEGRATIONS = Path(switchboard.integrations.__path__[0])
SECRET = "canary-7f3a91"
SOUND: dict[str, Any] = {
    "name": "weather",
    "displayName": "Weather",
    "description": "Tells the weather.",
    "actions": ["get_weather"],
    "auth": {
        "type": "api_key",
        "secrets": {
            "type": "object",
            "properties": {"apiKey": {"type": "string", "title": "Key", "description": "Your key.", "maxLength": 20}},
            "required": ["apiKey"],
            "additionalProperties": False,
        },
    },
    "config": {
        "type": "object",
        "properties": {
            "city": {"type": "string", "title": "City", "description": "Where it is asked for.", "minLength": 1},
            "days": {"type": "integer", "title": "Days", "description": "How far ahead.", "default": 3, "minimum": 1},
        },
        "required": ["city", "days"],
        "additionalProperties": False,
    },
}
GET_WEATHER = read_definition(
    "get_weather",
    {"category": "general", "toolkit": "weather", "description": "_", "parameters": {"type": "object"}},
)


def shipped() -> dict[str, Definition]:
    """Return the built-in tools."""
    folders = Path(switchboard.tools.__path__[0]).glob("*/schema.json")
    return {p.parent.name: read_definition(p.parent.name, json.loads(p.read_text())) for p in folders}


def planted(root: Path, *documents: Any) -> Path:
    """Return a folder of integrations with these toolkits, and one without."""
    for position, document in enumerate(documents):
        folder = root / f"place_{position}"
        folder.mkdir(parents=True)
        (folder / "toolkit.json").write_text(json.dumps(document))
        (folder / "integration.py").write_text("def open_vendor(deployment):\n    ...\n")
    (root / "no_toolkit").mkdir(exist_ok=True)
    (root / "no_toolkit" / "helper.py").touch()
    return root


@pytest.fixture(scope="module")
def toolkits() -> Toolkits:
    """The toolkits that are shipped."""
    return Toolkits.load(INTEGRATIONS)


@pytest.mark.requirement("001-09", "001-24")
def test_every_shipped_toolkit_is_sound(toolkits: Toolkits):
    """Name, description, settings with a form, and tools that exist."""
    assert check_toolkits(INTEGRATIONS, shipped().values()) == []
    assert {"google_calendar", "email", "twilio"} <= {toolkit.name for toolkit in toolkits.all}
    for toolkit in toolkits.all:
        assert toolkit.display_name and toolkit.description
        jsonschema_rs.meta.validate(toolkit.config_schema)


@pytest.mark.requirement("001-10")
def test_each_setting_of_each_toolkit_can_be_drawn_as_a_form_field(toolkits: Toolkits):
    """It has a type, a title and words that explain it."""
    for toolkit in toolkits.all:
        for schema in (toolkit.config_schema, toolkit.sensitive_schema):
            for setting in schema["properties"].values():
                assert setting["type"] in ("string", "integer", "number", "boolean", "array")
                assert setting["title"] and setting["description"]


@pytest.mark.requirement("001-11", "001-63", "001-77")
def test_each_toolkit_knows_its_tools_and_each_tool_its_toolkit(toolkits: Toolkits):
    """What a definition says of its integration and what the toolkit lists are the same."""
    for name, tool in shipped().items():
        found = toolkits.of_tool(name)
        if tool.toolkit is not None:
            assert [toolkit.integration for toolkit in found] == [tool.toolkit]
        elif tool.category == "calendar":
            assert {"caldav", "google_calendar"} <= {toolkit.name for toolkit in found}
            assert {toolkit.provides for toolkit in found} == {"calendar"}
        else:
            assert found == ()
    calendar = toolkits.named("google_calendar")
    assert calendar is not None and set(calendar.actions) >= {"list_events", "create_event", "check_availability"}
    email = toolkits.named("email")
    assert email is not None and email.actions == ("send_email",)


@pytest.mark.requirement("001-75")
def test_no_toolkit_is_itself_callable(toolkits: Toolkits):
    """Its tools are."""
    assert not {t.name for t in toolkits.all} & shipped().keys()


def test_a_toolkit_answers_to_its_own_name_and_its_integrations(toolkits: Toolkits):
    """Documents say `googleCalendar`, seed 001 says `google_calendar`; anything else is none."""
    assert toolkits.named("google_calendar") is toolkits.named("googleCalendar") is not None
    assert toolkits.named("Google Calendar") is toolkits.named("") is None
    assert toolkits.of_tool("end_call") == ()


@pytest.mark.requirement("001-25", "001-81")
def test_a_toolkit_needs_no_authorisation_unless_it_says_so(toolkits: Toolkits):
    """Then it states the type and its settings."""
    bare = read_toolkit({key: value for key, value in SOUND.items() if key != "auth"})
    assert (bare.auth_type, bare.sensitive, bare.required_secrets) == (AuthType.NONE, (), ())
    types = {t.name: t.auth_type.value for t in toolkits.all}
    assert {name: types[name] for name in ("google_calendar", "email", "twilio")} == {
        "google_calendar": "oauth2",
        "email": "api_key",
        "twilio": "api_key",
    }
    calendar = toolkits.named("google_calendar")
    assert calendar is not None
    auth = calendar.public_auth()
    assert (auth["type"], auth["provider"], len(auth["scopes"])) == ("oauth2", "google", 2)


@pytest.mark.requirement("001-27")
def test_what_is_secret_is_no_public_setting(toolkits: Toolkits):
    """The two are kept in fields of their own, in every toolkit."""
    for toolkit in toolkits.all:
        assert not set(toolkit.sensitive) & toolkit.config_schema["properties"].keys()
    assert {t.name: t.sensitive for t in toolkits.all if t.name in ("email", "google_calendar")} == {
        "email": ("password",),
        "google_calendar": ("refreshToken",),
    }


BROKEN: list[tuple[str, Any, str]] = [
    ("name", None, "name"),
    ("name", "Google Calendar", "name"),
    ("description", "", "description"),
    ("displayName", " ", "displayName"),
    ("config", None, "config"),
    ("config", {"type": "object", "properties": {}}, "config"),
    ("config", {"type": "object", "properties": {"x": {}}, "additionalProperties": False}, "config.x"),
    ("actions", "get_weather", "actions"),
    ("actions", ["Get Weather"], "actions"),
    ("auth", {"type": "magic"}, "auth.type"),
    ("auth", {"type": "api_key"}, "auth.secrets"),
    ("auth", {"type": "oauth2"}, "auth.provider"),
    ("integration", "a b", "integration"),
    ("operator", ["CLIENT_ID"], "operator"),
    ("operator", {"required": "CLIENT_ID"}, "operator"),
    ("operator", {"requires": ["CLIENT_ID"]}, "operator"),
    ("operator", {"choices": {"REGION": []}}, "operator"),
    ("operator", {"required": ["API_KEY"], "secret": ["KEY"]}, "operator"),
    ("operator", {"required": ["client id"]}, "operator.client id"),
]


@pytest.mark.requirement("001-24", "001-86")
@pytest.mark.parametrize(("key", "value", "field"), BROKEN)
def test_a_toolkit_that_lacks_something_is_refused_by_the_field(key: str, value: Any, field: str, tmp_path: Path):
    """By the build and by whoever loads it."""
    document = SOUND | {key: value}
    assert field in [error.field for error in toolkit_problems(document)]
    folder = planted(tmp_path, document)
    assert f"place_0.{field}" in [error.field for error in check_toolkits(folder, [GET_WEATHER])]
    with pytest.raises(DefinitionError) as caught:
        Toolkits.load(folder)
    assert caught.value.field.startswith("place_0.")


@pytest.mark.parametrize("managed", ["isConnected", "needsReauth", "scopes", "apiKey"])
def test_what_the_house_or_a_secret_is_called_is_no_setting(managed: str):
    """An owner could otherwise connect a toolkit by a setting, or show a secret."""
    document = copy.deepcopy(SOUND)
    document["config"]["properties"][managed] = {"type": "boolean", "title": "_", "description": "_"}
    assert f"config.{managed}" in [error.field for error in toolkit_problems(document)]


@pytest.mark.requirement("001-86")
def test_a_new_toolkit_is_added_by_adding_its_folder(tmp_path: Path):
    """Nothing else names it."""
    folder = planted(tmp_path, SOUND)
    assert check_toolkits(folder, [GET_WEATHER]) == []
    (found,) = Toolkits.load(folder).of_tool("get_weather")
    assert found.name == "weather"


def test_toolkits_share_tools_only_where_they_provide_the_same(tmp_path: Path):
    """Then they have all of them in common: who uses the other one loses none."""
    twin = SOUND | {"name": "other_weather"}
    tide = read_definition("get_tide", GET_WEATHER.to_document() | {"name": "get_tide", "toolkit": None})
    tools = [GET_WEATHER, tide]

    def found(first: dict[str, Any], second: dict[str, Any]) -> list[tuple[str, str]]:
        folder = planted(tmp_path / str(len(list(tmp_path.iterdir()))), first, second)
        return [(error.field, error.problem) for error in check_toolkits(folder, tools)]

    both = [document | {"provides": "weather"} for document in (SOUND, twin)]
    assert found(*both) == []
    assert found(SOUND, twin) == [("place_1.actions", "'get_weather' is also weather's")]
    assert found(both[0], twin) == [("place_1.actions", "'get_weather' is also weather's")]
    more = both[1] | {"actions": ["get_weather", "get_tide"]}
    assert found(both[0], more) == [("place_1.actions", "are not those of weather, which provides weather too")]
    assert ("place_0.provides", "7 is no name") in found(SOUND | {"provides": 7}, twin | {"actions": []})
    assert ("place_0.called", "says nothing") in found(SOUND | {"called": " "}, twin | {"actions": []})
    assert ("place_0.precedence", "is no whole number") in found(SOUND | {"precedence": "1"}, twin | {"actions": []})


def test_the_build_finds_what_reading_does_not_look_at(tmp_path: Path):
    """Schemas in full, tools that are not there, names that are taken, and files that are no JSON."""
    broken = copy.deepcopy(SOUND)
    broken["config"]["properties"]["city"]["pattern"] = "("
    folder = planted(tmp_path, broken, SOUND, SOUND | {"name": "get_weather", "actions": ["no_tool"]})
    (folder / "no_toolkit" / "toolkit.json").write_text("{")
    found = {error.field: error.problem for error in check_toolkits(folder, [GET_WEATHER])}
    assert {"no_toolkit.file", "place_0.config/properties/city/pattern", "place_1.name", "place_2.actions"} <= set(
        found
    )
    assert "is the name of a tool" in found["place_2.name"]
    stray = read_definition("stray", GET_WEATHER.to_document() | {"name": "stray", "toolkit": "nowhere"})
    assert [e.field for e in check_toolkits(planted(tmp_path / "b", SOUND), [GET_WEATHER, stray])] == ["stray.toolkit"]


@pytest.mark.requirement("001-94")
def test_an_integration_that_no_folder_provides_is_refused_with_those_there_are(tmp_path: Path):
    """Where a tool belongs to it, and where it is offered only with it; the nearest name is told."""
    folder = planted(tmp_path, SOUND, SOUND | {"name": "tide_tables", "actions": []})
    asking = {
        "toolkit": "wether",
        "requires": ["integration:weather", "integration:Tide_Table", "integration:calendar"],
    }
    tools = [GET_WEATHER, read_definition("stray", GET_WEATHER.to_document() | {"name": "stray"} | asking)]
    assert [(error.field, error.problem, error.remedy) for error in check_toolkits(folder, tools)] == [
        (
            "stray.toolkit",
            "no folder of integrations provides 'wether'; there are tide_tables, weather",
            "write 'weather', or add its folder",
        ),
        (
            "stray.requires",
            "no folder of integrations provides 'Tide_Table'; there are calendar, tide_tables, weather",
            "write 'tide_tables', or add its folder",
        ),
    ]
    far = [GET_WEATHER, read_definition("stray", GET_WEATHER.to_document() | {"name": "stray", "toolkit": "zzz"})]
    assert [error.remedy for error in check_toolkits(folder, far)] == ["name one of them, or add its folder"]


def test_an_integration_that_is_only_begun_is_told_what_it_lacks(tmp_path: Path):
    """A folder that is empty or has one of the two files; code that serves other integrations needs neither."""
    folder = planted(tmp_path, SOUND)
    for name, file in (("hollow", ""), ("half", "integration.py"), ("parcels", "client.py")):
        (folder / name).mkdir()
        if file:
            (folder / name / file).touch()
    assert [str(error) for error in check_toolkits(folder, [GET_WEATHER])] == [
        "half.toolkit.json: is missing; write it beside integration.py, as docs/tools.md shows",
        "hollow: is empty; write toolkit.json and integration.py there, or remove the folder",
    ]
    stray = read_definition("stray", GET_WEATHER.to_document() | {"name": "stray", "toolkit": "parcels"})
    assert [str(error) for error in check_toolkits(folder, [GET_WEATHER, stray])][2:] == [
        "stray.toolkit: the folder 'parcels' of integrations has no toolkit.json; "
        "write parcels/toolkit.json, as docs/tools.md shows"
    ]


@pytest.mark.parametrize(
    ("asked", "remedy"),
    [
        ("ctx, 'wether'", "write 'weather', or add its folder"),
        ("ctx, integration='pidgeon'", "name one of them, or add its folder"),
        ("ctx, 'weather'", None),
        ("ctx, NAME", None),
    ],
)
def test_a_handler_that_asks_for_a_vendor_of_no_folder_is_refused(asked: str, remedy: str | None, tmp_path: Path):
    """No owner could ever connect it."""
    folder, handler = planted(tmp_path / "integrations", SOUND), tmp_path / "tools/get_weather/handler.py"
    handler.parent.mkdir(parents=True)
    handler.write_text(f"async def execute(ctx, desk):\n    await desk.vendors.client({asked})\n")
    found = check_toolkits(folder, [GET_WEATHER], tmp_path / "tools")
    assert [(error.field, error.remedy) for error in found] == (
        [("get_weather/handler.py line 2", remedy)] if remedy else []
    )


@pytest.mark.parametrize(
    ("text", "problem"),
    [(None, "is missing"), ("def open_vendor(:", "cannot be read"), ("def opened(): ...", "has no open_vendor")],
)
def test_a_folder_that_does_not_open_its_vendor_is_refused(text: str | None, problem: str, tmp_path: Path):
    """Before anybody connects it; what would be right is said."""
    entry = planted(tmp_path, SOUND) / "place_0" / "integration.py"
    entry.unlink()
    if text is not None:
        entry.write_text(text)
    (error,) = check_toolkits(tmp_path, [GET_WEATHER])
    assert (error.field, error.remedy) == (
        "place_0.integration.py",
        "write def open_vendor(deployment: Deployment) -> Vendor",
    )
    assert problem in error.problem


WEATHER = read_toolkit(SOUND)


def test_everything_that_is_wrong_with_settings_is_told_at_once():
    """By the setting's name, with its own words for what would be right."""
    found = {e.field: (e.problem, e.remedy) for e in config_problems(WEATHER, {"days": 0, "wind": 1})}
    assert found == {
        "config.city": ("is required", "Where it is asked for"),
        "config.days": ("must be at least 1", "How far ahead"),
        "config.wind": ("is not a setting; known are city, days", "leave it out"),
    }
    assert config_problems(WEATHER, {"city": "Oslo"}) == []
    assert [e.field for e in config_problems(WEATHER, ["city"])] == ["config"]


def test_an_agents_settings_may_leave_out_what_the_business_has():
    """They are laid over the business's; what they say must still fit."""
    assert config_problems(WEATHER, {}, is_partial=True) == []
    assert [e.field for e in config_problems(WEATHER, {"days": "x"}, is_partial=True)] == ["config.days"]


def test_an_agent_cannot_lead_the_businesss_password_to_another_server(toolkits: Toolkits):
    """Which account it is, is the business's to set; which of its calendars, an agent's too."""
    caldav = toolkits.named("caldav")
    assert caldav is not None
    own = {"serverUrl": "https://evil.example", "username": "me", "calendarUrl": "https://cal.example.com/c/"}
    assert [e.field for e in config_problems(caldav, own, is_partial=True)] == ["config.serverUrl", "config.username"]
    assert config_problems(caldav, own) == []


@pytest.mark.requirement("001-73")
def test_what_is_missing_is_named_and_defaults_are_not_missing():
    """A toolkit without stored settings has its defaults, and nothing secret."""
    assert unconfigured(WEATHER, {}) == ["city"]
    assert unconfigured(WEATHER, {"city": ""}) == ["city"]
    assert unconfigured(WEATHER, {"city": "Oslo"}) == []


SECRETS = st.one_of(
    st.text(st.characters(codec="utf-8", min_codepoint=0x21), min_size=21, max_size=60),
    st.integers(10**9),
    st.lists(st.just(SECRET), min_size=1),
)


@given(SECRETS)
def test_a_wrong_secret_is_told_without_being_repeated(value: Any):
    """Whatever it is: too long, a number, a list."""
    (found,) = sensitive_problems(WEATHER, {"apiKey": value})
    assert found.field == "sensitiveConfig.apiKey"
    assert str(value) not in f"{found} {found!r} {vars(found)}"


def test_secrets_are_checked_by_name_and_may_be_taken_away():
    """Null takes one away; those left out stay; a consent's secrets are nobody's to type in."""
    assert sensitive_problems(WEATHER, {}) == sensitive_problems(WEATHER, {"apiKey": None}) == []
    assert [e.field for e in sensitive_problems(WEATHER, {"token": SECRET})] == ["sensitiveConfig.token"]
    assert [e.field for e in sensitive_problems(WEATHER, {"token": None})] == ["sensitiveConfig.token"]
    calendar = Toolkits.load(INTEGRATIONS).named("google_calendar")
    assert calendar is not None
    (found,) = sensitive_problems(calendar, {"refreshToken": SECRET})
    assert "consent" in found.remedy
