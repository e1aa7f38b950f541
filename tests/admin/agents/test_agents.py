"""Agents as owners make, change and remove them over HTTP: one default always, settings checked, secrets their own."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from switchboard.contract import policy
from switchboard.contract.business.agent import Setting, read_agent
from switchboard.contract.business.limits import table
from switchboard.contract.channel import Channel
from switchboard.contract.ports import Store
from switchboard.contract.store import Delete, Query, Set, Unavailable, Update
from switchboard.state.memory.store import MemoryStore
from tests.admin.office import CANARY, MODELS, OTHER, PATHS, SALON, Office, opened
from tests.each import each

WITHIN = PATHS.within(SALON)


@pytest.fixture
async def office(store: Store) -> AsyncIterator[Office]:
    """An office over each store in turn."""
    async with opened(store) as found:
        yield found


async def stored(office: Office) -> dict[str, dict[str, Any]]:
    """Return the salon's agents as they are stored."""
    return {d.id: d.data for d in await office.store.query(Query(WITHIN.collection("agents")))}


async def defaults(office: Office) -> list[str]:
    """Return the agents that are the default one."""
    return [id for id, data in (await stored(office)).items() if data["isDefault"] is True]


async def test_an_agent_is_made_with_defaults_and_read_as_the_house_reads_it(office: Office):
    """It answers on every channel in the business's language, and its id comes from its name."""
    answer = await office.ask("POST", "agents", {"name": "  Ada   Front Desk "})
    assert answer.status_code == 201
    agent = answer.json()
    assert agent == {
        "id": "ada-front-desk",
        "name": "Ada Front Desk",
        "isDefault": True,
        "channels": ["phone", "portal", "browser_voice"],
        "language": "",
        "description": "",
        "vapiAssistantId": None,
        "tools": {},
        "toolkits": {},
        "limits": {},
        "prompt": "",
        "model": "",
        "voice": "",
        "fillers": [],
        "attachedTools": [],
        "trial": None,
        "revision": agent["revision"],
        "trialRevision": agent["trialRevision"],
    }
    assert await office.done("GET", "agents/ada-front-desk") == agent
    everywhere = {channel.value: agent["id"] for channel in Channel}
    listed = {"agents": [agent], "answers": everywhere, "limits": table(), "models": list(MODELS)}
    assert await office.done("GET", "agents") == listed
    read = read_agent("ada-front-desk", (await stored(office))["ada-front-desk"])
    assert (read.name, read.is_default, read.channels) == ("Ada Front Desk", True, tuple(Channel))
    assert office.forgotten == [SALON]


@pytest.mark.requirement("001-61", "001-78")
async def test_tools_and_toolkits_are_switched_and_set_per_agent(office: Office):
    """One by one; a toolkit stands under its integration's name, whichever was given."""
    await office.store.commit([Set(WITHIN.document("tools", "t1"), {"name": "order_status", "type": "query"})])
    given = {
        "name": "Ada",
        "channels": ["portal", "phone"],
        "language": "de-AT",
        "tools": {"send_email": {"enabled": False}, "order_status": {}, "list_events": {"config": {}}},
        "toolkits": {"google_calendar": {"config": {"calendarId": "team"}}, "twilio": {"enabled": False}},
    }
    agent = read_agent("ada", (await office.done("POST", "agents", given)) | {"attachedTools": None})
    assert agent.channels == (Channel.PHONE, Channel.PORTAL)
    assert agent.tools == {
        "send_email": Setting(False),
        "order_status": Setting(),
        "list_events": Setting(),
    }
    assert agent.toolkits == {"googleCalendar": Setting(config={"calendarId": "team"}), "twilio": Setting(False)}


WRONG: list[tuple[dict[str, Any], list[str]]] = [
    ({"name": ""}, ["name"]),
    (
        {"name": 5, "channels": ["fax"], "language": "German", "isDefault": "yes"},
        ["name", "isDefault", "channels", "language"],
    ),
    ({"name": "x", "channels": []}, ["channels"]),
    ({"name": "x", "channels": [{}]}, ["channels"]),
    ({"name": "x", "description": "x" * 2001}, ["description"]),
    ({"name": "x", "vapiAssistantId": "a/b"}, ["vapiAssistantId"]),
    ({"name": "x", "toolkits": {"fax": {}}}, ["toolkits.fax"]),
    ({"name": "x", "toolkits": [], "limits": []}, []),
    ({"name": "x", "limits": [1]}, ["limits"]),
    ({"name": "x", "toolkits": [1]}, ["toolkits"]),
    ({"name": "x", "tools": {"no_tool": {}}}, ["tools.no_tool"]),
    ({"name": "x", "tools": {"send_email": True}}, ["tools.send_email"]),
    ({"name": "x", "tools": {"send_email": {"enabled": 1}}}, ["tools.send_email"]),
    ({"name": "x", "tools": {"end_call": {"config": {"a": 1}}}}, ["tools.end_call.config"]),
    ({"name": "x", "tools": {"send_email": {"config": {"smtpPort": 25}}}}, ["tools.send_email.config"]),
    (
        {"name": "x", "toolkits": {"email": {"config": {"smtpPort": "a", "isConnected": True, "password": CANARY}}}},
        [f"toolkits.email.config.{name}" for name in ("smtpPort", "isConnected", "password")],
    ),
    ({"name": "x", "toolkits": {"googleCalendar": {}, "google_calendar": {}}}, ["toolkits.google_calendar"]),
    ({"name": "x", "id": "Ada Front"}, ["id"]),
    ({"name": "x", "id": "a~b"}, ["id"]),
    ({"name": "x", "secret": 1}, ["secret"]),
    ({"name": "x", "prompt": "x" * 4001}, ["prompt"]),
    ({"name": "x", "model": "openai:gpt-6-mini", "voice": "Poly.Vicki"}, ["model", "voice"]),
    ({"name": "x", "model": MODELS[0], "voice": "Polly.Vicki-Neural"}, []),
    ({"name": "x", "voice": "Polly."}, ["voice"]),
    ({"name": "x", "fillers": ["a" * 121]}, ["fillers"]),
    ({"name": "x", "fillers": "One moment."}, ["fillers"]),
]


@each(("given", "fields"), WRONG)
async def test_everything_that_is_wrong_is_told_at_once_and_nothing_is_kept(given: dict[str, Any], fields: list[str]):
    """By the field, with what would be right."""
    async with opened(MemoryStore()) as office:
        answer = await office.ask("POST", "agents", given)
        if not fields:
            assert answer.status_code == 201
            return
        assert answer.status_code == 400
        assert sorted(p["field"] for p in answer.json()["error"]["problems"]) == sorted(fields)
        assert CANARY not in answer.text
        assert await stored(office) == {}


@pytest.mark.requirement("004-860")
async def test_how_an_agent_speaks_is_kept_with_it_and_read_as_the_house_reads_it(office: Office):
    """Its instructions, model, voice and what bridges a wait."""
    given = {
        "name": "Ada",
        "prompt": "  Ask for the dog's name.\n",
        "model": MODELS[1],
        "voice": "Polly.Vicki-Neural",
        "fillers": [" One  moment. "],
    }
    agent = await office.done("POST", "agents", given)
    assert {name: agent[name] for name in given} == given | {
        "prompt": "Ask for the dog's name.",
        "fillers": ["One moment."],
    }
    read = read_agent("ada", (await stored(office))["ada"])
    assert (read.prompt, read.model, read.voice) == (agent["prompt"], agent["model"], agent["voice"])
    assert read.fillers == ("One moment.",)


NEARLY = [
    ({"model": "openai:gpt-5-minni"}, "Did you mean openai:gpt-5-mini?"),
    ({"voice": "Poly.Vicki-Neural"}, "Did you mean Polly.Vicki-Neural?"),
    ({"tools": {"send_emial": {}}}, "Did you mean send_email?"),
    ({"toolkits": {"twillio": {}}}, "Did you mean twilio?"),
]


@pytest.mark.requirement("004-861")
@each(("given", "meant"), NEARLY)
async def test_what_there_is_none_of_is_named_with_the_nearest_there_is(given: dict[str, Any], meant: str):
    async with opened(MemoryStore()) as office:
        problems = (await office.ask("POST", "agents", {"name": "x", **given})).json()["error"]["problems"]
        assert [meant in problem["message"] for problem in problems] == [True], problems


async def test_a_model_that_can_be_chosen_no_more_does_not_keep_an_agent_from_being_saved(office: Office):
    agent = await office.done("POST", "agents", {"name": "Ada"})
    await office.store.commit([Update(WITHIN.document("agents", "ada"), {"model": "openai:gone"})])
    saved = await office.done("PATCH", "agents/ada", {"description": "x"})
    assert (saved["model"], saved["description"]) == ("openai:gone", "x") and agent["model"] == ""


async def test_the_first_agent_is_the_default_and_another_takes_its_place_when_told(office: Office):
    """There is one at any time."""
    await office.done("POST", "agents", {"name": "Ada"})
    await office.done("POST", "agents", {"name": "Bob"})
    assert await defaults(office) == ["ada"]
    await office.done("PATCH", "agents/bob", {"isDefault": True})
    assert await defaults(office) == ["bob"]
    await office.done("POST", "agents", {"name": "Cy", "isDefault": True})
    assert await defaults(office) == ["cy"]
    error = await office.refused("PATCH", "agents/cy", {"isDefault": False}, 400)
    assert "another agent" in error["message"]
    await office.done("PUT", "agents/cy", {"name": "Cy 2"})
    assert await defaults(office) == ["cy"]


async def test_agents_made_and_promoted_in_one_moment_leave_one_default(office: Office):
    """Whatever comes first."""
    await asyncio.gather(*(office.ask("POST", "agents", {"name": f"Agent {n}"}) for n in range(4)))
    assert len(await defaults(office)) == 1
    made = list(await stored(office))
    await asyncio.gather(*(office.ask("PATCH", f"agents/{id}", {"isDefault": True}) for id in made))
    assert len(await defaults(office)) == 1


async def test_changing_some_fields_leaves_the_others_and_replacing_does_not(office: Office):
    """PATCH and PUT."""
    await office.done("POST", "agents", {"name": "Ada", "language": "de", "toolkits": {"twilio": {"enabled": False}}})
    amended = await office.done("PATCH", "agents/ada", {"description": "Answers first."})
    assert (amended["language"], amended["description"]) == ("de", "Answers first.")
    assert amended["toolkits"] == {"twilio": {"enabled": False, "config": {}}}
    replaced = await office.done("PUT", "agents/ada", {"name": "Ada"})
    assert (replaced["language"], replaced["description"], replaced["toolkits"]) == ("", "", {})
    await office.refused("PUT", "agents/ada", {"language": "de"}, 400)


async def test_a_tool_that_is_gone_does_not_keep_an_owner_from_saving(office: Office):
    """The old entry stays until the owner takes it out."""
    await office.store.commit([Set(WITHIN.document("tools", "t1"), {"name": "order_status"})])
    await office.done("POST", "agents", {"name": "Ada", "tools": {"order_status": {"enabled": False}}})
    await office.store.commit([Delete(WITHIN.document("tools", "t1"))])
    assert (await office.done("PATCH", "agents/ada", {"language": "fr"}))["tools"].keys() == {"order_status"}


@each(
    "odd",
    [
        {"toolkits": ["email"], "tools": "all"},
        {"toolkits": {"email": ["x"], "twilio": {"enabled": "no", "config": "x"}}, "tools": {"send_email": True}},
        {"limits": [5]},
        {"limits": "none"},
        {"channels": "phone", "language": 5, "description": ["x"], "vapiAssistantId": {"id": "x"}},
        {"channels": ["phone", {}]},
    ],
)
async def test_what_is_stored_of_another_kind_keeps_no_owner_from_saving(office: Office, odd: dict[str, Any]):
    """It counts as left out, as it does in a conversation."""
    made = {"name": "Ada", "isDefault": True}
    await office.store.commit([Set(WITHIN.document("agents", "ada"), made | odd)])
    before = await office.done("GET", "agents/ada")
    read = read_agent("ada", made | odd)
    assert before["channels"] == [channel.value for channel in read.channels]
    assert (before["tools"].keys(), before["toolkits"].keys()) == (read.tools.keys(), read.toolkits.keys())
    assert (await office.done("PATCH", "agents/ada", {"description": "Answers first."}))["name"] == "Ada"
    path = "agents/ada/toolkits/email"
    assert (await office.done("PUT", path, {"enabled": False}))["enabled"] is False
    await office.store.commit([Update(WITHIN.document("agents", "ada"), odd)])
    if "limits" in odd:
        await office.refused("PATCH", "agents/ada", {"limits": odd["limits"]}, 400)
    await office.done("PUT", path, {"enabled": False})
    await office.done("DELETE", "agents/ada")


async def test_an_id_is_taken_once_and_a_business_has_only_so_many(office: Office, monkeypatch: pytest.MonkeyPatch):
    """CONFLICT."""
    await office.done("POST", "agents", {"name": "Ada", "id": "front_desk-2"})
    await office.refused("POST", "agents", {"name": "Bob", "id": "front_desk-2"}, 409)
    monkeypatch.setattr(policy, "AGENTS", 1)
    await office.refused("POST", "agents", {"name": "Bob"}, 409)
    made = await office.ask("POST", "agents", {"name": "日本"})
    assert made.status_code == 409


async def test_a_name_without_latin_letters_gets_an_id_too(office: Office):
    """One that nobody has."""
    first, second = [await office.done("POST", "agents", {"name": "日本"}) for _ in range(2)]
    assert first["id"] != second["id"]


def attachment(agent: str, tool: str, mirrored: bool = False) -> Set:
    path = WITHIN.document("agentTools", f"{agent}~{tool}")
    return Set(path, {"agentId": agent, "toolId": tool, "isVapiAttached": mirrored})


async def test_removing_an_agent_takes_its_attachments_and_secrets_with_it(office: Office):
    """And nobody else's; an agent that is made again under its id begins without."""
    for name in ("Ada", "Bob"):
        await office.done("POST", "agents", {"name": name})
        secret = {"sensitiveConfig": {"password": CANARY}}
        await office.done("PUT", f"agents/{name.lower()}/toolkits/email", secret)
    await office.store.commit([attachment("bob", "t1"), attachment("bob", "t2"), attachment("ada", "t1")])
    assert (await office.done("GET", "agents/bob"))["attachedTools"] == ["t1", "t2"]
    assert await office.done("DELETE", "agents/bob") == {"removed": True}
    left = await office.store.query(Query(WITHIN.collection("agentTools")))
    assert [d.id for d in left] == ["ada~t1"]
    assert await office.secrets.kept_since(SALON, "email", agent_id="bob") == {}
    assert await office.secrets.reveal(SALON, "email", "password", agent_id="ada") == CANARY
    assert office.forgotten[-1] == SALON
    await office.refused("DELETE", "agents/bob", None, 404)


async def test_an_agent_whose_tools_vapi_still_has_is_not_removed(office: Office):
    """They are named as a model calls them, and nothing is changed."""
    await office.done("POST", "agents", {"name": "Ada"})
    named = [Set(WITHIN.document("tools", id), {"name": name}) for id, name in (("t1", "order"), ("t2", "stock"))]
    await office.store.commit([*named, attachment("ada", "t1", mirrored=True), attachment("ada", "t2")])
    error = await office.refused("DELETE", "agents/ada", None, 409)
    assert error["message"].endswith("forgets them too: order.")
    assert (await office.done("GET", "agents/ada"))["attachedTools"] == ["t1", "t2"]


async def test_the_default_agent_leaves_last(office: Office):
    """Another must become it first."""
    for name in ("Ada", "Bob"):
        await office.done("POST", "agents", {"name": name})
    await office.refused("DELETE", "agents/ada", None, 409)
    await office.done("DELETE", "agents/bob")
    await office.done("DELETE", "agents/ada")
    assert await stored(office) == {}


@pytest.mark.requirement("001-27", "001-28")
async def test_an_agent_has_settings_and_secrets_of_its_own_for_a_toolkit(office: Office):
    """Laid over the business's; its secrets are shown to nobody either."""
    await office.done("POST", "agents", {"name": "Ada"})
    path = "agents/ada/toolkits/email"
    bare = {"name": "email", "agentId": "ada", "enabled": True, "config": {}}
    assert (await office.done("GET", path)).items() >= bare.items()
    change = {"enabled": False, "config": {"fromEmail": "ada@example.com"}, "sensitiveConfig": {"password": CANARY}}
    answer = await office.done("PUT", path, change)
    assert (answer["enabled"], answer["config"]) == (False, {"fromEmail": "ada@example.com"})
    assert answer["sensitiveConfig"]["password"]["isSet"] is True
    assert (await office.done("PUT", path, {"enabled": True}))["config"] == {"fromEmail": "ada@example.com"}
    assert CANARY not in await office.everything() + str(await office.done("GET", "agents"))
    assert await office.secrets.reveal(SALON, "email", "password", agent_id="ada") == CANARY
    assert await office.secrets.reveal(SALON, "email", "password") is None
    await office.done("DELETE", path)
    assert (await office.done("GET", path)).items() >= bare.items()
    assert await office.secrets.reveal(SALON, "email", "password", agent_id="ada") is None


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"enabled": "yes"}, "enabled"),
        ({"config": {"smtpPort": 0}, "sensitiveConfig": {"password": CANARY}}, "config.smtpPort"),
        ({"config": [1]}, "config"),
    ],
)
async def test_what_is_wrong_with_an_agents_toolkit_changes_nothing(office: Office, body: dict[str, Any], field: str):
    """Nor is a secret kept that came with it."""
    await office.done("POST", "agents", {"name": "Ada"})
    error = await office.refused("PUT", "agents/ada/toolkits/email", body, 400)
    assert [p["field"] for p in error["problems"]] == [field]
    assert await office.secrets.kept_since(SALON, "email", agent_id="ada") == {}


async def test_no_secret_is_kept_for_an_agent_that_is_not_there(office: Office):
    """Nor for a toolkit that is not."""
    body = {"sensitiveConfig": {"password": CANARY}}
    await office.refused("PUT", "agents/nobody/toolkits/email", body, 404)
    await office.done("POST", "agents", {"name": "Ada"})
    await office.refused("PUT", "agents/ada/toolkits/fax", body, 404)
    assert "fields" not in await office.everything()


ROUTES = [
    ("GET", "agents"),
    ("POST", "agents"),
    ("GET", "agents/ada"),
    ("PUT", "agents/ada"),
    ("PATCH", "agents/ada"),
    ("DELETE", "agents/ada"),
    ("GET", "agents/ada/toolkits/email"),
    ("PUT", "agents/ada/toolkits/email"),
    ("DELETE", "agents/ada/toolkits/email"),
]


@pytest.mark.parametrize(("method", "path"), ROUTES)
async def test_nobody_reaches_anothers_agents(office: Office, method: str, path: str):
    """Neither another business's owner nor anybody without a key."""
    await office.done("POST", "agents", {"name": "Ada"})
    before = await stored(office)
    body = {"enabled": True} if "toolkits" in path else {"name": "Eve"}
    assert (await office.ask(method, path, body, by=OTHER)).status_code == 403
    assert (await office.ask(method, path, body, by="")).status_code == 401
    assert (await office.ask(method, path, body, by="nobody", of="nobody")).status_code == 404
    if "ada" in path:
        assert (await office.ask(method, path, body, by=OTHER, of=OTHER)).status_code == 404
    assert await stored(office) == before


async def test_who_may_not_connect_toolkits_may_not_set_them_for_an_agent(office: Office):
    """Another mail server there would be told the business's password; switching on and off is harmless."""
    key, row, off = "toolkits", {"email": {"config": {"smtpServer": "evil.example"}}}, {"email": {"enabled": False}}
    assert (await office.ask("POST", "agents", {"name": "Ada", key: row}, role="editor")).status_code == 403
    assert (await office.ask("POST", "agents", {"name": "Ada", key: off}, role="editor")).status_code == 201
    for method in ("PUT", "PATCH"):
        assert (await office.ask(method, "agents/ada", {"name": "Ada", key: row}, role="editor")).status_code == 403
    for method in ("PUT", "DELETE"):
        path = "agents/ada/toolkits/email"
        assert (await office.ask(method, path, {"enabled": True}, role="editor")).status_code == 403
    assert (await office.done("GET", "agents/ada"))[key] == {n: {"enabled": False, "config": {}} for n in off}
    assert (await office.done("PATCH", "agents/ada", {key: row}))[key]
    answer = await office.ask("PUT", "agents/ada", {"name": "Ada"}, role="editor")
    assert (answer.status_code, "accounts" in answer.text) == (403, True), "taking settings away is setting, too"
    kept = await office.ask("PATCH", "agents/ada", {"name": "Eve", key: row}, role="editor")
    assert kept.status_code == 200, "what stays as it is needs no more than before"


@pytest.mark.requirement("004-980")
async def test_whose_assistant_at_vapi_an_agent_is_only_owners_say(office: Office):
    """Its callers would hear this agent's tools; an editor may take it away, and edit the rest."""
    there = {"name": "Ada", "vapiAssistantId": "asst-1"}
    assert (await office.ask("POST", "agents", there, role="editor")).status_code == 403
    await office.done("POST", "agents", there)
    for method in ("PUT", "PATCH"):
        turned = {**there, "vapiAssistantId": "asst-2"}
        answer = await office.ask(method, "agents/ada", turned, role="editor")
        assert (answer.status_code, "vapiAssistantId" in answer.text) == (403, True)
        assert (await office.ask(method, "agents/ada", {**there, "voice": "x"}, role="editor")).status_code == 200
    assert (await office.ask("PATCH", "agents/ada", {"vapiAssistantId": None}, role="editor")).status_code == 200


async def test_a_tool_has_no_settings_of_its_own_and_its_toolkit_is_named(office: Office):
    """Nothing would read them: an agent's settings are its toolkits' (seed 001, "Component 5")."""
    row = {"send_email": {"config": {"smtpServer": "mail.example"}}}
    error = await office.refused("POST", "agents", {"name": "Ada", "tools": row}, 400)
    assert "toolkits.email" in error["message"]
    await office.done("POST", "agents", {"name": "Ada"})
    old = {"send_email": {"enabled": True, "config": {"smtpServer": "mail.example"}}}
    await office.store.commit([Update(WITHIN.document("agents", "ada"), {"tools": old})])
    saved = await office.done("PATCH", "agents/ada", {"tools": {"send_email": {**old["send_email"], "enabled": False}}})
    assert saved["tools"] == {"send_email": {"enabled": False, "config": {}}}, "what was kept once goes with a save"


async def test_a_store_that_is_away_is_told_as_that(office: Office, monkeypatch: pytest.MonkeyPatch):
    """Owners are asked to try again."""

    async def away(*_: object) -> None:
        raise Unavailable("away")

    monkeypatch.setattr(office.store, "get", away)
    for method, path in ROUTES:
        body = {"enabled": True} if "toolkits" in path else {"name": "Eve"}
        error = await office.refused(method, path, body, 503)
        assert (error["type"], error["retryable"]) == ("TRANSIENT", True)


@pytest.mark.requirement("003-443")
async def test_an_agent_may_set_its_own_limits_within_the_platforms_greatest(office: Office):
    """What is beyond it is refused with the bounds, and nothing is saved."""
    wanted = {"phone": {"lookUpsPerTurn": 5}}
    agent = (await office.ask("POST", "agents", {"name": "Ada", "limits": wanted})).json()
    assert agent["limits"] == wanted
    answer = await office.ask(
        "PATCH", "agents/ada", {"limits": {"phone": {"lookUpsPerTurn": 99}}, "revision": agent["revision"]}
    )
    assert answer.status_code == 400 and "from 1 to 6" in answer.text
    assert (await stored(office))["ada"]["limits"] == wanted
