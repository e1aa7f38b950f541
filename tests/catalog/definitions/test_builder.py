"""The build finds every mistake in every folder, and its version depends on content alone."""

import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from switchboard.catalog.definitions.builder import Build, artifact, build, seed_documents
from switchboard.formats import gemini, openai
from tests.catalog.planted import GUIDE, HANDLER, SCHEMA, plant, properties, schema

NAME = "find_slot"
GOOD = "```json\n{}\n```"


def built(tools: Path) -> Build:
    """Build with a small vocabulary."""
    return build(tools, lambda text: text.startswith("integration:"), lambda name: name == "business.name")


def mistakes(tools: Path) -> list[tuple[str, str]]:
    """Return file and field of every error, and make sure that each says what is wrong and what would be right."""
    result = built(tools)
    for error in result.errors:
        assert error.problem and error.remedy
        assert str(error) == f"{error.file}: {error.field}: {error.problem}; {error.remedy}"
    return sorted((error.file.relative_to(tools).as_posix(), error.field) for error in result.errors)


@pytest.mark.requirement("003-20", "003-39", "003-42", "003-45", "003-48", "003-51", "003-63")
def test_a_sound_folder_becomes_a_tool(tmp_path: Path):
    """Everything the artifact promises is there (seed 003)."""
    plant(tmp_path, NAME)
    result = built(tmp_path)
    assert result.errors == ()
    made = artifact(result, "abc1234", datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC), {"system": "Be kind."})
    definition = result.tools[0].definition
    assert made == {
        "version": result.version,
        "gitCommit": "abc1234",
        "buildTimestamp": "2026-01-02T03:04:05Z",
        "prompts": {"system": "Be kind."},
        "tools": [
            {
                "toolId": NAME,
                "category": "calendar",
                "kind": "retrieval",
                "definition": {"name": NAME} | SCHEMA,
                "jsonSchema": SCHEMA["parameters"],
                "providerSchemas": {
                    "openai": openai.declare(definition),
                    "geminiNative": gemini.declare(definition),
                    "geminiJson": gemini.declare_json(definition),
                },
                "summary": "Finds a slot for a service.",
                "documentation": GUIDE.format(name=NAME),
                "handlerPath": "switchboard.tools.find_slot.handler:execute",
                "signature": {
                    "service": {"types": ["string"], "required": True},
                    "minutes": {"types": ["integer"], "required": False, "default": 30},
                },
            }
        ],
    }
    assert seed_documents(result) == {NAME: {"name": NAME} | SCHEMA}


def _with(**changes: Any) -> dict[str, Any]:
    return {"document": schema(**changes)}


def _described(**changes: Any) -> dict[str, Any]:
    return _with(parameters=properties(service=SCHEMA["parameters"]["properties"]["service"] | changes))


MISTAKES: list[Any] = [
    pytest.param({"document": False}, [("schema.json", "file")], id="no schema"),
    pytest.param({"document": "{"}, [("schema.json", "file")], id="no JSON"),
    pytest.param({"document": "[]"}, [("schema.json", "file")], id="no object"),
    pytest.param({"document": '{"a": 1, "a": 2}'}, [("schema.json", "file")], id="a key twice"),
    pytest.param(_with(name="other_slot"), [("schema.json", "name")], id="another name than the folder"),
    pytest.param(_with(category=None), [("schema.json", "category")], id="no category"),
    pytest.param(_with(kind=None), [("schema.json", "kind")], id="no kind"),
    pytest.param(_with(kind="gadget"), [("schema.json", "kind")], id="no such kind"),
    pytest.param(_with(channels=["fax"]), [("schema.json", "channels")], id="no such channel"),
    pytest.param(_with(channels=[]), [("schema.json", "channels")], id="no channel"),
    pytest.param(_with(requires=["moon:full"]), [("schema.json", "requires")], id="no such condition"),
    pytest.param(_with(confrim=True), [("schema.json", "confrim")], id="a field misspelt"),
    pytest.param(_with(confirm="yes"), [("schema.json", "confirm")], id="a field of another type"),
    pytest.param(_with(timeoutMs=0), [("schema.json", "timeoutMs")], id="a limit out of range"),
    pytest.param(_with(description=None), [("schema.json", "description")], id="no description"),
    pytest.param(_with(description="x" * 1_025), [("schema.json", "description")], id="a long description"),
    pytest.param(_with(description="At {{business.nam}}."), [("schema.json", "description")], id="unknown variable"),
    pytest.param(_with(description="At {{business.name}."), [("schema.json", "description")], id="unbalanced braces"),
    pytest.param(_described(description=""), [("schema.json", "parameters.properties.service")], id="not described"),
    pytest.param(
        _described(description="{{x}}"), [("schema.json", "parameters.properties.service.description")], id="variable"
    ),
    pytest.param(_with(parameters=None), [("schema.json", "parameters")], id="no parameters"),
    pytest.param(_with(parameters=[]), [("schema.json", "parameters")], id="parameters of another type"),
    pytest.param(_described(type="text"), [("schema.json", "parameters/properties/service/type")], id="no schema"),
    pytest.param(
        _described(pattern="(?=a)"), [("schema.json", "parameters/properties/service/pattern")], id="a slow pattern"
    ),
    pytest.param(_with(returns={"type": "objct"}), [("schema.json", "returns/type")] * 2, id="returns no schema"),
    pytest.param(_with(returns={"type": "string"}), [("schema.json", "returns/type")], id="returns no object"),
    pytest.param(
        _with(parameters=properties(business_id={"type": "string", "description": "Whose."})),
        [("schema.json", "parameters.properties.business_id")] * 2,
        id="a fact asked of the model",
    ),
    pytest.param(
        _described(type="integer"),
        [("guide.md", "line 9"), ("schema.json", "parameters.properties.service")],
        id="another type than the code",
    ),
    pytest.param(_with(readBack={"text": "Yes?"}), [("schema.json", "readBack.text")], id="a question of no language"),
    pytest.param(_with(readBack={"en": "At {{nummer}}?"}), [("schema.json", "readBack.en")], id="a question of none"),
    pytest.param(
        _with(readBack={"en": "At {{business.nam}}?"}), [("schema.json", "readBack.en")], id="a question of no business"
    ),
    pytest.param({"guide": None}, [("guide.md", "file")], id="no guide"),
    pytest.param({"guide": b"\xff"}, [("guide.md", "file")], id="a guide in another encoding"),
    pytest.param({"guide": ""}, [("guide.md", "heading"), ("guide.md", "summary")], id="an empty guide"),
    pytest.param({"guide": "Finds it.\n"}, [("guide.md", "heading")], id="no heading"),
    pytest.param({"guide": "# a\n\n## Parameters\n"}, [("guide.md", "summary")], id="no summary"),
    pytest.param({"guide": "# a\n\n- a list.\n"}, [("guide.md", "summary")], id="a list for a summary"),
    pytest.param({"guide": "# a\n\nFinds a\nslot.\n"}, [("guide.md", "summary")], id="a broken sentence"),
    pytest.param({"guide": "# a\n\nFinds it. Books it.\n"}, [("guide.md", "summary")], id="two sentences"),
    pytest.param({"guide": f"# a\n\nFinds it.\n\n## Examples\n\n{GOOD}\n"}, [("guide.md", "line 7")], id="bad example"),
    pytest.param({"handler": None}, [("handler.py", "file")], id="no handler"),
    pytest.param({"handler": "import nowhere"}, [("handler.py", "import")], id="an import that fails"),
    pytest.param({"handler": "def ("}, [("handler.py", "import")], id="no Python"),
    pytest.param({"handler": "1 / 0"}, [("handler.py", "import")], id="code that fails"),
    pytest.param({"handler": "execute = 3"}, [("handler.py", "execute")], id="no execute"),
    pytest.param({"handler": HANDLER.replace("async ", "")}, [("handler.py", "execute")], id="not async"),
    pytest.param({"handler": HANDLER + "\n\npropose = 3\n"}, [("handler.py", "propose")], id="no propose"),
    pytest.param(
        {"handler": HANDLER + "\n\n" + HANDLER[HANDLER.index("async def") :].replace("execute", "propose")},
        [("handler.py", "propose")],
        id="a propose that returns no proposal",
    ),
    pytest.param(
        {"handler": HANDLER.replace("= 30", "= 45")}, [("schema.json", "parameters.properties.minutes")], id="default"
    ),
]


@pytest.mark.requirement("003-40", "003-41", "003-43", "003-64", "003-91", "003-52", "003-127", "001-26")
@pytest.mark.parametrize(("broken", "where"), MISTAKES)
def test_a_mistake_is_reported_where_it_is(tmp_path: Path, broken: dict[str, Any], where: list[tuple[str, str]]):
    """File, field, what is wrong and what would be right; the tool is not built, the others are."""
    plant(tmp_path, NAME, **broken)
    plant(tmp_path, "sound_tool")
    assert mistakes(tmp_path) == sorted((f"{NAME}/{file}", field) for file, field in where)
    assert [tool.name for tool in built(tmp_path).tools] == ["sound_tool"]


def test_every_mistake_of_every_folder_is_reported(tmp_path: Path):
    """Nobody builds twice to find the second mistake."""
    plant(tmp_path, "a_tool", **_with(kind=None, description="{{x}}"), guide=None, handler="import nowhere")
    plant(tmp_path, "b_tool", document="{", guide="", handler=None)
    assert mistakes(tmp_path) == [
        ("a_tool/guide.md", "file"),
        ("a_tool/handler.py", "import"),
        ("a_tool/schema.json", "description"),
        ("a_tool/schema.json", "kind"),
        ("b_tool/guide.md", "heading"),
        ("b_tool/guide.md", "summary"),
        ("b_tool/handler.py", "file"),
        ("b_tool/schema.json", "file"),
    ]


@pytest.mark.requirement("003-44")
def test_two_tools_of_one_name_are_refused(tmp_path: Path):
    """A name has exactly one handler."""
    plant(tmp_path, "a_tool")
    plant(tmp_path, "b_tool", **_with(name="a_tool"))
    assert mistakes(tmp_path) == [("b_tool/schema.json", "name"), ("b_tool/schema.json", "name")]


@pytest.mark.parametrize("name", ["BookSlot", "book-slot", "1_slot", "x" * 41])
def test_a_folder_that_is_no_tool_name_is_refused(tmp_path: Path, name: str):
    """One spelling everywhere: lower case, digits and underscores, at most forty."""
    plant(tmp_path, name)
    assert mistakes(tmp_path) == [(f"{name}/schema.json", "name")]


def test_what_an_interpreter_leaves_behind_is_no_tool(tmp_path: Path):
    """Caches, hidden folders and files beside the folders are passed over; an empty place is an error."""
    for path in ("__pycache__", ".hidden", "old_tool/__pycache__"):
        (tmp_path / path).mkdir(parents=True)
    (tmp_path / "__init__.py").write_text("")
    assert mistakes(tmp_path) == [(".", "tools")]
    plant(tmp_path, NAME)
    assert mistakes(tmp_path) == []


def test_an_example_may_leave_out_what_has_a_default_and_other_blocks_are_free(tmp_path: Path):
    """Only JSON blocks under "Examples" are held against the schema (seed 003-64)."""
    guide = (
        "# Find a slot\n\nFinds it, e.g. for a cut.\n\n```json\n{'no': JSON}\n```\n\n"
        '## Examples\n\n### Short\n\n```json\n{"service": "Cut"}\n```\n\n~~~text\n```json\n~~~\n\n'
        '## Results\n\n```json\n{"free": true}\n```\n'
    )
    plant(tmp_path, NAME, guide=guide)
    assert mistakes(tmp_path) == []


def test_a_handler_may_use_dataclasses_and_postponed_annotations(tmp_path: Path):
    """A handler is imported like any module, from wherever its folder is."""
    handler = "from __future__ import annotations\nfrom dataclasses import dataclass, field\n" + HANDLER.replace(
        "async def", "@dataclass\nclass Slot:\n    names: list[str] = field(default_factory=list)\n\n\nasync def"
    )
    plant(tmp_path, NAME, handler=handler)
    assert mistakes(tmp_path) == []


@pytest.mark.requirement("003-46", "003-47", "003-50")
def test_equal_sources_give_equal_versions_anywhere(tmp_path: Path):
    """Folder, order of writing, line ends and the key order of JSON do not count; commit and time stand outside."""
    for tool in ("a_tool", "b_tool"):
        plant(tmp_path / "one", tool)
    for tool in ("b_tool", "a_tool"):
        document = dict(reversed(({"name": tool} | SCHEMA).items()))
        plant(tmp_path / "else" / "two", tool, document=json.dumps(document), newline="\r\n")
    (tmp_path / "one" / "a_tool" / "__pycache__").mkdir()
    one, two = built(tmp_path / "one"), built(tmp_path / "else" / "two")
    assert one.errors == two.errors == ()
    assert one.version == two.version
    assert one.version.startswith("1.0.") and len(one.version) == len("1.0.abc123de")
    assert one.tools == two.tools
    now = datetime(2026, 1, 1, tzinfo=UTC)
    later = artifact(two, "def", now.replace(year=2027), {})
    assert artifact(one, "abc", now, {}) | {"gitCommit": "def", "buildTimestamp": later["buildTimestamp"]} == later


@pytest.mark.requirement("003-46")
@pytest.mark.parametrize(
    "changes",
    [
        {"document": schema(description="Find another slot.")},
        {"document": schema(say=None)},
        {"guide": GUIDE.format(name=NAME) + "\nOne more line.\n"},
        {"handler": HANDLER + "\n# a comment\n"},
    ],
)
def test_any_change_of_a_tool_changes_the_version(tmp_path: Path, changes: dict[str, Any]):
    """Words, rules, guide and code all count."""
    plant(tmp_path / "one", NAME)
    plant(tmp_path / "two", NAME, **changes)
    assert built(tmp_path / "one").version != built(tmp_path / "two").version


def test_a_second_file_of_a_handler_counts_too(tmp_path: Path):
    """A handler may spread over its folder; all of its code is in the version."""
    plant(tmp_path / "one", NAME)
    folder = plant(tmp_path / "two", NAME)
    (folder / "speech.py").write_text("A = 1\n")
    assert built(tmp_path / "one").version != built(tmp_path / "two").version


def test_a_tool_that_is_gone_changes_the_version(tmp_path: Path):
    """The version is that of the whole set."""
    plant(tmp_path, "a_tool")
    before = built(tmp_path)
    plant(tmp_path, "b_tool")
    after = built(tmp_path)
    assert before.version != after.version
    assert replace(after, tools=after.tools[:1]).tools == before.tools
