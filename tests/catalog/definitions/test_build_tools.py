"""`scripts/build_tools`: what it writes, what it checks, and that it does neither by halves."""

import json
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from types import ModuleType

import pytest

from switchboard.catalog.definitions.registry import Registry
from tests.architecture.house import ROOT
from tests.catalog.planted import plant, schema

ARTIFACT = "functions/tool_registry.json"
TEMPLATES = "functions/business_templates.json"
# It asks git for the commit.
pytestmark = pytest.mark.process


@pytest.fixture(scope="module")
def script() -> ModuleType:
    """The program as a module; running it is another matter."""
    loader = SourceFileLoader("build_tools", str(ROOT / "scripts/build_tools"))
    spec = spec_from_loader("build_tools", loader)
    assert spec is not None
    module = module_from_spec(spec)
    loader.exec_module(module)
    return module


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout with two tools."""
    for name in ("find_slot", "book_slot"):
        plant(tmp_path / "functions/switchboard/tools", name)
    return tmp_path


def files(root: Path) -> dict[str, str]:
    """Return what was made, by path."""
    made = [*root.glob("functions/*"), *root.glob("seeds/**/*")]
    return {path.relative_to(root).as_posix(): path.read_text() for path in made if path.is_file()}


@pytest.mark.requirement("003-38")
def test_one_command_writes_both_projections(script: ModuleType, checkout: Path, capsys: pytest.CaptureFixture[str]):
    """The artifact can be loaded, the seeds are the definitions, and a line tells of each tool."""
    assert script.main(checkout, []) == 0
    made = [TEMPLATES, ARTIFACT, "seeds/tools/book_slot.json", "seeds/tools/find_slot.json"]
    assert sorted(files(checkout)) == made
    registry = Registry.load(checkout / ARTIFACT)
    assert json.loads(files(checkout)["seeds/tools/find_slot.json"]) == {"name": "find_slot"} | schema()
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == ["book_slot", "find_slot", "2"]
    assert lines[-1] == f"2 tools, version {registry.version}"


def test_a_template_that_is_wrong_is_named_and_nothing_is_written(
    script: ModuleType, checkout: Path, capsys: pytest.CaptureFixture[str]
):
    """A business made of it would be wrong, too."""
    folder = checkout / "seeds" / "templates" / "salon-en"
    folder.mkdir(parents=True)
    (folder / "business.json").write_text('{"name": "Salon", "timezonee": "UTC"}')
    before = files(checkout)
    assert script.main(checkout, []) == 1
    assert "seeds/templates/salon-en/business.json: 'timezonee'" in capsys.readouterr().err
    assert files(checkout) == before


def test_notes_tell_what_each_dialect_cannot_say(
    script: ModuleType, checkout: Path, capsys: pytest.CaptureFixture[str]
):
    """Nothing is dropped silently; whoever wants to know can ask."""
    assert script.main(checkout, ["--notes"]) == 0
    assert "    gemini_json: /properties/minutes: default is told in the description only" in capsys.readouterr().out


def test_what_has_not_changed_is_not_touched(script: ModuleType, checkout: Path):
    """Seeds are committed: a build that changes nothing leaves no trace in them."""
    script.main(checkout, [])
    seed = checkout / "seeds/tools/find_slot.json"
    before = seed.stat()
    script.main(checkout, [])
    assert seed.stat() == before


def test_the_seed_of_a_tool_that_is_gone_goes(script: ModuleType, checkout: Path):
    """The folder of seeds is exactly what the tools give; other files stay."""
    (checkout / "seeds/tools").mkdir(parents=True)
    (checkout / "seeds/tools/old_slot.json").write_text("{}")
    (checkout / "seeds/tools/README.md").write_text("")
    script.main(checkout, [])
    assert not (checkout / "seeds/tools/old_slot.json").exists()
    assert (checkout / "seeds/tools/README.md").exists()


def test_a_check_passes_after_a_build_and_writes_nothing(script: ModuleType, checkout: Path):
    """CI asks whether the committed seeds are what the folders give."""
    script.main(checkout, [])
    (checkout / ARTIFACT).unlink()
    before = files(checkout)
    assert script.main(checkout, ["--check"]) == 0
    assert files(checkout) == before


def test_a_check_names_every_seed_that_is_not_right(
    script: ModuleType, checkout: Path, capsys: pytest.CaptureFixture[str]
):
    """Missing, changed and left over, each with the command that puts it right."""
    script.main(checkout, [])
    seeds = checkout / "seeds/tools"
    (seeds / "book_slot.json").unlink()
    (seeds / "find_slot.json").write_text("{}")
    (seeds / "old_slot.json").write_text("{}")
    before = files(checkout)
    assert script.main(checkout, ["--check"]) == 1
    assert files(checkout) == before
    remedy = "run scripts/build_tools and commit what it writes"
    assert capsys.readouterr().err.splitlines() == [
        f"seeds/tools/book_slot.json: is missing; {remedy}",
        f"seeds/tools/find_slot.json: is out of date; {remedy}",
        f"seeds/tools/old_slot.json: belongs to no tool; {remedy}",
    ]


@pytest.mark.parametrize("options", [[], ["--check"]])
def test_nothing_is_written_when_anything_is_wrong(
    script: ModuleType, checkout: Path, capsys: pytest.CaptureFixture[str], options: list[str]
):
    """One broken tool keeps the last good build in place; the line says where, what and what to do."""
    plant(checkout / "functions/switchboard/tools", "new_slot", guide=None)
    assert script.main(checkout, options) == 1
    assert files(checkout) == {}
    assert capsys.readouterr().err == (
        "functions/switchboard/tools/new_slot/guide.md: file: is missing; "
        "every tool needs schema.json, guide.md, handler.py\n"
    )


def test_the_tools_of_this_house_build(script: ModuleType):
    """Every folder under functions/switchboard/tools is sound."""
    built = script.build(ROOT / script.TOOLS, script.is_condition, script.is_business_variable)
    assert [str(error) for error in built.errors] == []
    assert built.tools
