"""Editing definitions: drafts, publishing, history and the way back (seed 004, "Definition Sources")."""

import asyncio
from typing import Any

import jsonschema_rs
import pytest
from openapi_spec_validator import OpenAPIV31SpecValidator

from switchboard.admin.definitions.definition_set import content_hash
from switchboard.admin.definitions.models import DefinitionDocument
from switchboard.contract.definitions.definition import FIELDS
from switchboard.contract.ports import Store
from switchboard.contract.store import Query, Set, Update
from tests.admin.definition_house import LOOK, NEW, NEW_WORDS, OLD_WORDS, PATHS, WORD, DefinitionHouse, opened
from tests.admin.owners_office import OWN
from tests.each import each


@pytest.mark.requirement("004-20")
async def test_an_edit_is_in_firestore_and_is_offered_by_the_next_listing(house: DefinitionHouse):
    """Draft, replay, publish; the running conversation keeps its words, the next one has the new ones."""
    assert await house.words(session="running") == OLD_WORDS
    published = await house.publish(**NEW)
    assert published["published"]["description"] == NEW["description"]
    assert (published["draft"], published["setRevision"]) == (None, 2)
    stored = await house.store.get(PATHS.definition("look"))
    assert stored is not None and stored.data["description"] == NEW["description"]
    assert (await house.words(), await house.words(session="running")) == (NEW_WORDS, OLD_WORDS)
    pointer = await house.store.get(PATHS.tool_pointer)
    documents = {d.id: d.data for d in await house.store.query(Query(PATHS.definitions))}
    assert pointer is not None and pointer.data["sha256"] == content_hash(documents)


async def test_a_draft_is_offered_to_nobody(house: DefinitionHouse):
    """Until it is published it only stands beside the definition, with who saved it when."""
    saved = await house.draft(**NEW)
    assert saved["hasDraft"] and saved["draft"]["savedBy"] == "platform@example.com"
    assert saved["draft"]["document"]["description"] == NEW["description"]
    house.clock.wait(61)
    assert await house.words() == OLD_WORDS
    assert saved["published"] == LOOK
    gone = await house.change("DELETE", "/draft")
    assert (gone["draft"], gone["hasDraft"]) == (None, False)


@pytest.mark.requirement("004-20")
async def test_what_the_handler_could_not_accept_is_refused_with_all_problems_at_once(quick: DefinitionHouse):
    """Types, unknown arguments, conditions and limits: everything is named, and nothing is saved."""
    properties = {**WORD, "word": {"type": "integer"}, "colour": {"type": "string"}}
    broken = {"parameters": {"type": "object", "properties": properties}, "requires": ["weather:sunny"]}
    revision = (await quick.found("/look"))["revision"]
    answer = await quick.ask("PUT", "/look/draft", json={"document": LOOK | broken}, revision=revision)
    assert answer.status_code == 400
    fields = {problem["field"] for problem in answer.json()["error"]["problems"]}
    assert {"parameters.properties.word", "parameters.properties.colour", "requires"} <= fields
    assert (await quick.found("/look"))["draft"] is None


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"kind": "magic"}, "kind"),
        ({"timeoutMs": 0}, "timeoutMs"),
        ({"channels": ["fax"]}, "channels"),
        ({"name": "other"}, "name"),
        ({"description": ""}, "description"),
        ({"description": "{{business.nmae}} has words that are looked up here."}, "description"),
        ({"parameters": {"type": "array"}}, "parameters.type"),
        ({"parameters": {"type": "object", "properties": {"word": {"type": "strong"}}}}, "parameters"),
        ({"parameters": "{oops"}, "parameters"),
        ({"canary": {"businesses": [OWN], "document": LOOK}}, "canary"),
    ],
)
async def test_checking_says_what_is_wrong_without_saving(quick: DefinitionHouse, fields: Any, expected: str):
    """Live validation: the same words as saving would answer with."""
    found = (await quick.ask("POST", "/look/check", json={"document": LOOK | fields})).json()
    assert expected in {problem["field"] for problem in found["problems"]}
    assert found["preview"] is None
    revision = (await quick.found("/look"))["revision"]
    refused = await quick.ask("PUT", "/look/draft", json={"document": LOOK | fields}, revision=revision)
    assert refused.status_code == 400
    assert refused.json()["error"]["problems"] == found["problems"]


async def test_checking_a_sound_definition_shows_what_changes_and_what_could_be_better(quick: DefinitionHouse):
    """Differences, the linter's findings and a preview; fields that mean nothing are pointed out."""
    answer = await quick.ask("POST", "/look/check", json={"document": LOOK | NEW | {"colour": "red"}})
    found = answer.json()
    assert (answer.status_code, found["problems"]) == (200, [])
    assert [difference["field"] for difference in found["differences"]] == ["description"]
    assert "unknown-field" in {finding["rule"] for finding in found["findings"]}
    assert found["preview"]["dialects"]


async def test_two_who_edit_one_tool_the_second_sees_both_versions(house: DefinitionHouse):
    """412 with what the first saved and what the second wanted; based on the new revision it is saved."""
    revision = (await house.found("/look"))["revision"]
    first = await house.ask("PUT", "/look/draft", json={"document": LOOK | NEW}, revision=revision)
    assert first.status_code == 200
    mine = LOOK | {"description": "Look words up whenever somebody who calls does not know them."}
    second = await house.ask("PUT", "/look/draft", json={"document": mine}, revision=revision)
    assert second.status_code == 412
    conflict = second.json()["error"]["conflict"]
    assert conflict["current"]["description"] == NEW["description"]
    assert conflict["yours"]["description"] == mine["description"]
    assert [d["field"] for d in conflict["differences"]] == ["description"]
    assert conflict["changedBy"] == "platform@example.com"
    assert conflict["revision"] == first.json()["revision"] == second.headers["etag"].strip('"')
    again = await house.ask("PUT", "/look/draft", json={"document": mine}, revision=conflict["revision"])
    assert again.json()["draft"]["document"] == mine


async def test_of_two_drafts_saved_in_one_moment_one_wins(house: DefinitionHouse):
    """The other is told, and nothing is lost silently."""
    revision = (await house.found("/look"))["revision"]
    bodies = [LOOK | NEW, LOOK | {"description": "Look words up whenever somebody who calls does not know them."}]
    answers = await asyncio.gather(
        *(house.ask("PUT", "/look/draft", json={"document": body}, revision=revision) for body in bodies)
    )
    assert sorted(answer.status_code for answer in answers) == [200, 412]


async def test_publishing_on_outdated_grounds_is_refused_with_both_versions(quick: DefinitionHouse):
    """Somebody else published in the meantime: what stands there now and the draft are shown."""
    await quick.draft(**NEW)
    hash, revision = await quick.acknowledged(), (await quick.found("/look"))["revision"]
    await quick.change("PUT", "/enabled", {"enabled": False})
    answer = await quick.ask("POST", "/look/publish", json={"acknowledged": hash}, revision=revision)
    assert answer.status_code == 412
    conflict = answer.json()["error"]["conflict"]
    assert conflict["current"]["enabled"] is False
    assert conflict["yours"]["description"] == NEW["description"]
    assert (await quick.found("/look"))["hasDraft"]


async def test_who_publishes_another_tool_in_the_same_moment_is_no_conflict(quick: DefinitionHouse):
    """Both move the same pointer; whoever comes second looks again."""
    revisions = [(await quick.found(f"/{name}"))["revision"] for name in ("look", "act")]
    answers = await asyncio.gather(
        *(
            quick.ask("PUT", f"/{name}/enabled", json={"enabled": False}, revision=revision)
            for name, revision in zip(("look", "act"), revisions, strict=True)
        )
    )
    assert [answer.status_code for answer in answers] == [200, 200]
    offer = await quick.offer()
    assert offer.named("look") is None and offer.named("act") is None


async def test_disabling_takes_a_tool_from_running_conversations_and_enabling_gives_it_back(house: DefinitionHouse):
    """Words are locked per session, taking away is not."""
    assert await house.words(session="running")
    await house.change("PUT", "/enabled", {"enabled": False})
    assert (await house.words(), await house.words(session="running")) == (None, None)
    offer = await house.offer(session="running")
    why = offer.why_not("look")
    assert why is not None and why.condition == "definition:enabled"
    await house.change("PUT", "/enabled", {"enabled": True})
    assert await house.words(session="running") == OLD_WORDS


@pytest.mark.requirement("004-20")
async def test_every_published_version_is_listed_and_can_be_published_again(house: DefinitionHouse):
    """Who, when and what, the newest first; a rollback is a version like any other."""
    await house.publish(**NEW)
    await house.change("PUT", "/enabled", {"enabled": False})
    listed = (await house.found("/look/versions"))["versions"]
    assert [(v["version"], v["deed"], v["by"]) for v in listed] == [
        (3, "disabled", "platform@example.com"),
        (2, "published", "platform@example.com"),
        (1, "published", "scripts/seed"),
    ]
    first = await house.found("/look/versions/1")
    assert first["document"] == LOOK
    back = await house.change("POST", "/versions/1/rollback")
    assert back["published"] == LOOK and back["isEnabled"]
    assert await house.words() == OLD_WORDS
    assert (await house.found("/look/versions"))["versions"][0]["deed"] == "rolled back to 1"
    assert (await house.found("/act/versions"))["versions"][0]["version"] == 1
    kept = await house.store.get(PATHS.definition_version("look", content_hash(LOOK)))
    assert kept is not None and kept.data["savedBy"] == "scripts/seed"


async def test_versions_are_listed_in_pages(quick: DefinitionHouse):
    """Each page goes on where the one before ended."""
    for is_enabled in (False, True, False):
        await quick.change("PUT", "/enabled", {"enabled": is_enabled})
    page = await quick.found("/look/versions", params={"limit": 3})
    rest = await quick.found("/look/versions", params={"limit": 3, "cursor": page["nextCursor"]})
    assert [v["version"] for v in page["versions"] + rest["versions"]] == [4, 3, 2, 1]
    assert rest["nextCursor"] is None


async def test_resetting_publishes_the_built_in_definition(quick: DefinitionHouse):
    """And the list says then that nothing differs."""
    before = await quick.found("/look")
    assert before["differs"] and "description" in {d["field"] for d in before["differences"]}
    after = await quick.change("POST", "/reset")
    assert (after["differs"], after["differences"]) == (False, [])
    assert after["published"] == after["builtIn"]


async def test_a_first_change_while_nothing_is_published_keeps_all_other_tools(memory: Store):
    """Publishing one tool into an empty Firestore must not take the built-in ones away (seed 004)."""
    async with opened(memory, is_seeded=False) as house:
        before = [tool.name for tool in (await house.offer()).tools]
        listed = (await house.found(""))["definitions"]
        assert not any(one["isPublished"] or one["differs"] for one in listed)
        await house.change("PUT", "/enabled", {"enabled": False}, tool="act")
        offer = await house.offer()
        assert offer.source == "firestore"
        assert [tool.name for tool in offer.tools] == [name for name in before if name != "act"]


async def test_the_list_says_what_differs_and_what_is_drafted(quick: DefinitionHouse):
    """Published against built, in pages."""
    await quick.draft(**NEW)
    found = (await quick.found("", "viewer"))["definitions"]
    by_name = {one["name"]: one for one in found}
    assert by_name["look"] | {"summary": ""} == {
        "name": "look",
        "category": "general",
        "kind": "retrieval",
        "summary": "",
        "isPublished": True,
        "isEnabled": True,
        "differs": True,
        "hasDraft": True,
        "isTried": False,
    }
    assert not by_name["act"]["differs"]
    page = await quick.found("", params={"limit": 2})
    rest = await quick.found("", params={"cursor": page["nextCursor"]})
    assert [one["name"] for one in page["definitions"] + rest["definitions"]] == [one["name"] for one in found]


async def test_a_preview_shows_each_dialect_and_the_prompt_in_a_businesss_words(quick: DefinitionHouse):
    """What a model would be sent, what its dialect cannot say, and what it costs."""
    await quick.draft(**NEW)
    found = await quick.found("/look/preview", params={"businessId": OWN, "of": "draft"})
    assert found["description"] == NEW_WORDS
    openai = next(one for one in found["dialects"] if one["dialect"] == "openai")
    assert openai["tools"][0]["function"]["description"] == NEW_WORDS
    assert openai["tokens"] > 0
    assert found["prompt"].keys() == {"written"}
    assert (await quick.found("/look/preview", params={"of": "published"}))["description"].startswith("Look up a word")
    refused = await quick.ask("GET", "/look/preview", "neighbour", params={"businessId": OWN})
    assert refused.status_code == 403


async def test_states_of_a_definition_are_compared(quick: DefinitionHouse):
    """Draft against published unless said otherwise; versions by their number."""
    await quick.draft(**NEW)
    found = await quick.found("/look/diff")
    assert (found["from"], found["to"]) == ("published", "draft")
    assert [difference["field"] for difference in found["differences"]] == ["description"]
    assert found["differences"][0]["after"] == NEW["description"]
    same = await quick.found("/look/diff", params={"from": "1", "to": "published"})
    assert same["differences"] == []
    assert (await quick.ask("GET", "/look/diff", params={"to": "canary"})).status_code == 404
    assert (await quick.ask("GET", "/look/diff", params={"to": "nonsense"})).status_code == 400


async def test_a_schema_with_an_array_in_an_array_is_edited_like_any(house: DefinitionHouse):
    """Firestore keeps it as text; owners never see that."""
    word = {"type": "string", "default": "hello", "description": "The word.", "examples": [["a", ["b"]]]}
    parameters = {"type": "object", "properties": {**WORD, "word": word}}
    published = await house.publish(parameters=parameters)
    assert published["published"]["parameters"] == parameters
    assert (await house.words()) is not None


async def test_what_was_taken_out_and_still_holds_is_told(quick: DefinitionHouse):
    """Leaving out what ships with the tool changes nothing; writing that it is off does."""
    built = dict((await quick.found("/enter_event"))["published"])
    taken = {key: value for key, value in built.items() if key != "verified"}
    checked = await quick.ask("POST", "/enter_event/check", json={"document": taken})
    draft = await quick.change("PUT", "/draft", {"document": taken}, tool="enter_event")
    report = str((await quick.found("/enter_event/replay"))["hash"])
    seen = (await quick.found("/enter_event"))["findings"]
    published = await quick.change("POST", "/publish", {"acknowledged": report}, tool="enter_event")
    for answer in (checked.json()["findings"], draft["findings"], seen, published["findings"]):
        [finding] = [one for one in answer if one["rule"] == "no-effect"]
        assert finding["place"] == "verified"
        assert "still holds (true); write verified: false to take it away" in finding["text"]
    off = taken | {"verified": False}
    assert (await quick.change("PUT", "/draft", {"document": off}, tool="enter_event"))["findings"] == []
    owns = LOOK | {"callersOwn": True}
    [finding] = (await quick.change("PUT", "/draft", {"document": owns}))["findings"]
    assert (finding["place"], finding["text"]) == ("callersOwn", "has no effect here: the tool's code decides it")


CHANGES = [
    ("PUT", "/look/draft", {"document": LOOK}),
    ("DELETE", "/look/draft", {}),
    ("POST", "/look/publish", {"acknowledged": "x"}),
    ("PUT", "/look/canary", {"businesses": [OWN], "acknowledged": "x"}),
    ("DELETE", "/look/canary", {}),
    ("POST", "/look/versions/1/rollback", {}),
    ("POST", "/look/reset", {}),
    ("PUT", "/look/enabled", {"enabled": False}),
]


@each(("method", "path", "body"), CHANGES)
async def test_only_platform_admins_change_what_all_businesses_share(quick, method, path, body):
    """Owners see; nobody without a revision changes anything."""
    for person in ("owner", "editor", "viewer", "neighbour", "nobody", "misspelt"):
        answer = await quick.ask(method, path, person, json=body, revision="whatever")
        assert answer.status_code == 403, person
    assert (await quick.ask(method, path, json=body)).status_code == 428
    assert (await quick.ask(method, path, json=body, revision="stale")).status_code == 412
    assert (await quick.ask(method, path.replace("look", "nothing"), json=body, revision="x")).status_code == 404
    anonymous = await quick.browser.request(method, f"/admin/definitions{path}", json=body)
    assert anonymous.status_code == 401


@pytest.mark.parametrize("path", ["", "/look", "/look/versions", "/look/versions/1", "/look/preview", "/look/diff"])
async def test_everybody_with_a_role_sees_definitions(quick: DefinitionHouse, path: str):
    """And nobody else does."""
    for person, expected in (("owner", 200), ("viewer", 200), ("nobody", 403)):
        assert (await quick.ask("GET", path, person)).status_code == expected
    assert (await quick.ask("GET", "/look/replay", "owner")).status_code == 403


async def test_what_is_answered_is_what_the_document_says(quick: DefinitionHouse):
    """Each answer satisfies its schema, and the document is valid."""
    assert list(OpenAPIV31SpecValidator(quick.document).iter_errors()) == []
    await quick.draft(**NEW)
    shown = {
        "": "",
        "/{name}": "/look",
        "/{name}/versions": "/look/versions",
        "/{name}/versions/{version}": "/look/versions/1",
        "/{name}/preview": "/look/preview",
        "/{name}/diff": "/look/diff",
        "/{name}/replay": "/look/replay",
    }
    for path, asked in shown.items():
        described = quick.document["paths"][f"/admin/definitions{path}"]["get"]["responses"]["200"]
        schema = {"components": quick.document["components"], **described["content"]["application/json"]["schema"]}
        jsonschema_rs.validator_for(schema).validate(await quick.found(asked))


def test_the_document_names_every_field_of_a_definition():
    """Whoever writes one by the document can say all that a definition may say."""
    assert {field.alias or name for name, field in DefinitionDocument.model_fields.items()} == FIELDS


async def test_what_could_not_be_saved_is_told_before_what_it_is_based_on(quick: DefinitionHouse):
    """Whoever is out of date as well mends both at once, and learns where each problem is."""
    wrong = await quick.ask("PUT", "/look/draft", json={"document": LOOK | {"kind": "magic"}}, revision="stale")
    assert (wrong.status_code, wrong.json()["error"]["field"]) == (400, "kind")
    for document in ("", None, [], 7):
        wrong = await quick.ask("PUT", "/look/draft", json={"document": document})
        assert (wrong.status_code, wrong.json()["error"]["field"]) == (400, "document")


@each(("path", "field"), [("diff?from=x", "from"), ("diff?to=0x1", "to"), ("preview?of=drafts", "of")])
async def test_a_state_that_there_cannot_be_is_refused_where_it_is_asked_for(quick: DefinitionHouse, path, field):
    """With the words that there are."""
    error = (await quick.ask("GET", f"/look/{path}")).json()["error"]
    assert error["problems"] == [
        {
            "field": field,
            "message": f"{field} must be one of published, draft, builtIn, canary, or a version's number.",
        }
    ]


async def test_nothing_changed_is_nothing_published(quick: DefinitionHouse):
    """Enabling what is enabled leaves no version behind."""
    await quick.change("PUT", "/enabled", {"enabled": True})
    assert len((await quick.found("/look/versions"))["versions"]) == 1


async def test_a_version_that_todays_handler_could_not_serve_is_not_published_again(quick: DefinitionHouse):
    """The handler may have changed since; callers must not meet what it cannot do."""
    unfit = LOOK | {"parameters": {"type": "object", "properties": {"colour": {"type": "string"}}}}
    await quick.store.commit([Set(PATHS.definition("look"), unfit)])
    await quick.change("POST", "/reset")
    hash = content_hash(unfit)
    found = [v for v in (await quick.found("/look/versions"))["versions"] if v["earlier"] == hash]
    assert len(found) == 1
    [entry] = await quick.store.query(Query("config/tools/publications", limit=1))
    tools = {"look": {"before": None, "after": hash}}
    await quick.store.commit([Update(entry.path, {"tools": tools})])
    revision = (await quick.found("/look"))["revision"]
    answer = await quick.ask("POST", "/look/versions/1/rollback", revision=revision, json={})
    assert answer.status_code == 400
    assert "parameters.properties.colour" in {p["field"] for p in answer.json()["error"]["problems"]}


@pytest.mark.parametrize("number", ["0", "99", "x", "1" * 40, "\uff11"])
async def test_a_version_that_there_is_not_is_not_found(quick: DefinitionHouse, number: str):
    """Whatever stands in the path."""
    assert (await quick.ask("GET", f"/look/versions/{number}")).status_code == 404


async def test_reading_a_list_costs_a_bounded_number_of_reads(quick: DefinitionHouse):
    """The pointer, the set, and the drafts in one round trip."""
    calls = []
    inner = quick.office.records._store

    class Counting:
        def __getattr__(self, name: str) -> Any:
            calls.append(name)
            return getattr(inner, name)

    quick.office.records._store = Counting()  # type: ignore[assignment]
    await quick.found("")
    assert calls == ["get", "query", "get_many"]
