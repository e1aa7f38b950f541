"""The command scripts/lint_tools, as owners and authors of tools read it."""

import asyncio
import json
import subprocess
import sys

import pytest

import setting_up
from operations import linting_tools
from switchboard.contract.store import Set
from switchboard.state.memory.store import MemoryStore
from switchboard.state.paths import FirestorePaths

PATHS = FirestorePaths()
GOOD = {
    "name": "look_up_weather",
    "kind": "retrieval",
    "description": "Look up the weather for a town that the caller names.",
    "parameters": {
        "type": "object",
        "properties": {"town": {"type": "string", "minLength": 1, "description": "The town."}},
    },
}
BAD = GOOD | {"parameters": {"type": "object", "properties": {"sessionId": {"type": "string", "description": "It."}}}}


@pytest.fixture
def run(capsys, tmp_path):
    """Runs the command on a file that holds a document; returns exit code, stdout and stderr."""

    def run(document, *arguments):
        path = tmp_path / "tools.json"
        path.write_text(document if isinstance(document, str) else json.dumps(document))
        return linting_tools.main([str(path), *arguments]), *capsys.readouterr()

    return run


@pytest.mark.process
def test_the_built_in_tools_lint_clean_of_errors():
    """The command itself, without any option: exit 0, a table of tokens, a count at the end."""
    command = [sys.executable, setting_up.ROOT / "scripts" / "lint_tools"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert "ESTIMATED TOKENS" in done.stdout
    assert " 0 errors, " in done.stdout.splitlines()[-1]


def test_an_error_ends_it_with_one(run):
    """So that a pipeline stops; warnings and hints do not."""
    assert run(GOOD)[0] == 0
    code, out, err = run(BAD)
    assert (code, err) == (1, "")
    assert "error    trusted-argument  /properties/sessionId: sessionId is known from the call" in out
    told, _, _ = out.partition("ESTIMATED TOKENS")
    assert all(len(line) <= 100 for line in told.splitlines())


def test_as_json_everything_is_there_to_be_read_by_programs(run):
    """Findings with their rules, tokens by tool and dialect."""
    code, out, _ = run([GOOD, BAD | {"name": "look_up_again"}], "--json")
    found = json.loads(out)
    assert code == 1
    assert found["tokens"].keys() == {"look_up_weather", "look_up_again"}
    [error] = [f for f in found["findings"] if f["severity"] == "error"]
    assert (error["rule"], error["tool"]) == ("trusted-argument", "look_up_again")


def test_quietly_only_what_should_be_done_is_told(run):
    """Neither hints nor tokens."""
    _, out, _ = run({"tools": [GOOD]}, "--quiet")
    assert out == "1 tools looked at: 0 errors, 0 warnings, 1 hints\n"


def test_a_folder_is_read_file_by_file(tmp_path, capsys):
    """Folders of tools with schema.json, or of JSON files."""
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "schema.json").write_text(json.dumps(GOOD | {"name": "look_up_a"}))
    (tmp_path / "b.json").write_text(json.dumps(GOOD | {"name": "look_up_b"}))
    assert linting_tools.main([str(tmp_path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["tokens"].keys() == {"look_up_a", "look_up_b"}


@pytest.mark.parametrize(
    "document",
    [
        {"jsonrpc": "2.0", "id": 1, "result": {"tools": [GOOD]}},
        {"tools": [{"functionDeclarations": [GOOD]}]},
        [{"function_declarations": [GOOD]}],
        "\ufeff" + json.dumps(GOOD),
    ],
)
def test_tools_are_found_where_servers_and_requests_carry_them(run, document):
    """What a server answered to `tools/list`, what a request to Gemini holds, what an editor on Windows saved."""
    code, out, _ = run(document, "--json")
    assert code == 0
    assert json.loads(out)["tokens"].keys() == {"look_up_weather"}


@pytest.mark.parametrize(
    ("document", "says"),
    [("{", "is not valid JSON"), ('{"a": 1, "a": 2}', "twice"), ("[]", "holds no definitions")],
)
def test_a_file_that_cannot_be_used_is_named(run, document, says):
    """One sentence, no traceback."""
    code, out, err = run(document)
    assert (code, out) == (1, "")
    assert "tools.json" in err and says in err


def test_a_place_without_definitions_is_named(tmp_path, capsys):
    """A path that does not exist; an empty folder."""
    for path in (tmp_path / "gone", tmp_path):
        assert linting_tools.main([str(path)]) == 1
        assert str(path) in capsys.readouterr().err


def test_a_business_is_linted_with_its_own_tools(monkeypatch, capsys):
    """What is published, and what it made itself, as a model is shown it."""
    monkeypatch.setenv("FIRESTORE_EMULATOR_HOST", "127.0.0.1:1")

    async def filled():
        store = MemoryStore()
        own = {"name": "order_cake", "type": "api_request", "description": BAD["description"]}
        own["functionSchema"] = {"name": "order_cake", "parameters": BAD["parameters"]}
        inside = PATHS.within("salon")
        published = {k: v for k, v in GOOD.items() if k != "parameters"} | {
            "parameters": json.dumps(GOOD["parameters"])
        }
        await store.commit(
            [
                Set(inside.business, {"name": "Salon"}),
                Set(inside.document("tools", "t1"), own),
                Set(PATHS.definition("look_up_weather"), published),
            ]
        )
        return store

    def store(_):
        return asyncio.run(filled())

    assert linting_tools.main(["--business", "salon", "--json"], store) == 1
    found = json.loads(capsys.readouterr().out)
    assert found["tokens"].keys() == {"look_up_weather", "order_cake"}
    assert {f["tool"] for f in found["findings"] if f["severity"] == "error"} == {"order_cake"}
    assert linting_tools.main(["--business", "nobody"], store) == 1
    assert "there is no business 'nobody'" in capsys.readouterr().err


def test_a_path_and_a_business_exclude_each_other(capsys):
    """Two sources at once would be a guess."""
    with pytest.raises(SystemExit):
        linting_tools.main(["x.json", "--business", "salon"])
    assert "not both" in capsys.readouterr().err


OPENAI = {
    "type": "function",
    "function": {"name": "getWeather", "description": GOOD["description"], "parameters": GOOD["parameters"]},
}
GEMINI = {
    "functionDeclarations": [
        {
            "name": "look_up_weather",
            "description": GOOD["description"],
            "parameters": {"type": "OBJECT", "properties": {"town": {"type": "STRING", "description": "The town."}}},
        }
    ]
}
MCP = {"result": {"tools": [{"name": "get-weather", "title": "Weather", "inputSchema": GOOD["parameters"]}]}}


@pytest.mark.parametrize(
    ("document", "rule", "says"),
    [
        (OPENAI, "foreign-name", "'getWeather' would be called get_weather here"),
        (GEMINI, "loose-schema", "type 'STRING' is written as type 'string'"),
        (MCP, "no-description", "say what the tool does and when it is to be called"),
        (MCP, "foreign-name", "'get-weather' would be called get_weather here"),
    ],
)
def test_what_is_right_where_it_comes_from_is_no_error(run, document, rule, says):
    """Others' tools are read as others wrote them; what would be otherwise here is told."""
    code, out, _ = run(document, "--json")
    found = json.loads(out)
    assert (code, len(found["tokens"])) == (0, 1)
    assert [f["severity"] for f in found["findings"] if f["rule"] == rule and says in f["text"]] == ["warning"]


DRAFT_7 = {
    "$schema": "http://json-schema.org/draft-07/schema#",
    "type": "object",
    "properties": {"town": {"$ref": "#/definitions/town"}, "days": {"type": "integer", "minimum": 1}},
    "required": ["town"],
    "additionalProperties": False,
    "definitions": {"town": {"type": "string", "description": "The town."}},
}
OLDER = {"name": "getWeather", "description": GOOD["description"], "parameters": GOOD["parameters"]}
BARE = {"name": "getWeather", "description": "Tells the weather of today in the town of the caller."}


@pytest.mark.requirement("004-835")
@pytest.mark.parametrize(
    ("document", "rule", "says"),
    [
        # Gemini: a function that takes nothing has no `parameters` at all.
        ({"functionDeclarations": [BARE]}, "foreign-name", "would be called get_weather here"),
        ({"tools": [{"function_declarations": [BARE | {"behavior": "NON_BLOCKING"}]}]}, "foreign-name", "get_weather"),
        (BARE, "foreign-name", "would be called get_weather here"),
        (BARE | {"response": {"type": "OBJECT"}}, "foreign-name", "would be called get_weather here"),
        # OpenAI: as requests were before `tools`.
        ({"functions": [OLDER]}, "foreign-name", "would be called get_weather here"),
        ({"model": "gpt-4", "messages": [], "functions": [OLDER]}, "foreign-name", "get_weather"),
        (OLDER, "foreign-name", "would be called get_weather here"),
        # MCP: the draft that most servers' libraries write.
        ({"tools": [{**BARE, "inputSchema": DRAFT_7}]}, "loose-schema", "$schema names another dialect"),
        ({**BARE, "input_schema": DRAFT_7}, "loose-schema", "$schema names another dialect"),
        ({"type": "function", "function": {**BARE, "parameters": DRAFT_7}}, "loose-schema", "$schema names another"),
    ],
)
def test_what_others_may_leave_out_or_write_otherwise_is_no_error(run, document, rule, says):
    """Each is valid where it comes from, and is looked at like all others."""
    code, out, _ = run(document, "--json")
    found = json.loads(out)
    assert (code, list(found["tokens"])) == (0, ["getWeather"]), out
    assert [f["severity"] for f in found["findings"] if f["rule"] == rule and says in f["text"]] == ["warning"]
    assert not [f for f in found["findings"] if f["severity"] == "error"]


@pytest.mark.requirement("004-835")
@pytest.mark.parametrize(
    ("document", "name", "says"),
    [
        ({"type": "web_search_20250305", "name": "web_search", "max_uses": 5}, "web_search", "the vendor runs it"),
        ({"type": "code_execution_20250522", "name": "code_execution"}, "code_execution", "the vendor runs it"),
        ({"type": "bash_20250124", "name": "bash"}, "bash", "whoever calls the model carries it out"),
        ({"type": "text_editor_20250728", "name": "editor"}, "editor", "whoever calls the model carries it out"),
        ({"type": "web_search_preview", "search_context_size": "low"}, "web_search_preview", "the vendor runs it"),
        ({"type": "mcp", "server_label": "crm", "server_url": "https://e.com"}, "mcp", "the vendor runs it"),
        ({"type": "computer_use_preview", "environment": "browser"}, "computer_use_preview", "whoever calls the model"),
        ({"googleSearch": {}}, "googleSearch", "the vendor runs it"),
        ({"code_execution": {}}, "code_execution", "the vendor runs it"),
        ({"type": "endCall"}, "endCall", "the vendor runs it"),
    ],
)
def test_a_tool_of_a_vendor_s_own_is_a_note(run, document, name, says):
    """There is nothing in it that could be wrong here; what stands beside it is looked at all the same."""
    code, out, _ = run({"tools": [document, GOOD]}, "--json")
    found = json.loads(out)
    assert (code, list(found["tokens"])) == (0, ["look_up_weather"])
    [note] = [f for f in found["findings"] if f["tool"] == name]
    assert (note["rule"], note["severity"]) == ("vendor-tool", "hint") and says in note["text"]
    assert run(document)[0] == 0


@pytest.mark.parametrize(
    "document",
    [{"type": "object", "properties": {}}, {"type": "STRING"}, GOOD | {"type": "web_search_20250305", "name": "aB"}],
)
def test_what_only_has_a_type_as_well_is_no_vendor_s_tool(run, document):
    """A schema by itself, and a definition of ours."""
    code, out, _ = run(document, "--json")
    assert code == 1 and "vendor-tool" not in out


def test_a_definition_of_ours_must_still_be_called_as_ours_are(run):
    """Nobody else wrote it."""
    assert run(GOOD | {"name": "getWeather"})[0] == 1
    assert run({**GOOD, "description": ""})[0] == 1


def test_a_file_that_cannot_be_read_does_not_stop_the_folder(tmp_path, capsys):
    """It is an error by itself, and the others are looked at."""
    (tmp_path / "a.json").write_text("{")
    (tmp_path / "b.json").write_bytes(b"\xff\xfe\x00")
    (tmp_path / "c.json").write_text(json.dumps(GOOD))
    assert linting_tools.main([str(tmp_path), "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert [(f["tool"], f["rule"]) for f in found["findings"] if f["severity"] == "error"] == [
        ("a.json", "file"),
        ("b.json", "file"),
    ]
    assert list(found["tokens"]) == ["look_up_weather"]
