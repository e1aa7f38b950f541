"""Every tool's folder: its words are complete, and the examples of its guide work for the demo salon."""

import re

import pytest

from switchboard.catalog.definitions.builder import build
from switchboard.catalog.definitions.variables import is_business_variable
from switchboard.catalog.offer.inclusion import is_condition
from switchboard.contract.business.languages import HOUSE_LANGUAGES
from switchboard.contract.definitions.definition import read_definition
from tests.desk.front_desk import call
from tests.each import each
from tests.tools.folder import NAMES, TOOLS, guide, guide_text, run, schema

EXAMPLES = [(name, example) for name in NAMES for example in guide(name).examples]
BOLD = re.compile(r"^\*\*(.+)\*\*$")


@pytest.mark.requirement("000-32", "004-43")
def test_every_folder_can_be_built():
    """Schemas, guides and handlers agree with each other."""
    assert build(TOOLS, is_condition, is_business_variable).errors == ()
    assert set(NAMES) <= {path.name for path in TOOLS.iterdir()}


@each("name", NAMES)
def test_a_handler_is_short_and_a_schema_closed(name):
    """Style §6: under 120 lines; nothing comes or goes that the schema does not name."""
    assert len((TOOLS / name / "handler.py").read_text().splitlines()) < 120
    for part in ("parameters", "returns"):
        assert schema(name)[part]["additionalProperties"] is False


@each("name", NAMES)
@pytest.mark.requirement("004-1703")
def test_what_is_said_is_there_in_every_language_of_the_house(name):
    """While it runs, when it is slow, and when it fails; what can be had instead is told in each, or in none."""
    said = read_definition(name, schema(name)).say
    assert set(said) == set(HOUSE_LANGUAGES)
    assert all(set(phrases) == {"running", "slow", "failed"} and all(phrases.values()) for phrases in said.values())
    assert len({"{{ways_out}}" in phrases["failed"] for phrases in said.values()}) == 1


@each("name", NAMES)
def test_a_guide_has_its_parts_and_names_every_parameter(name):
    """Heading, summary, parameters, examples, "watch out"; an example begins with what a caller might say."""
    text = guide_text(name)
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    assert headings == [name, "Parameters", "Examples", "Watch out"]
    assert set(re.findall(r"^- `(\w+)`", text, re.MULTILINE)) >= schema(name)["parameters"]["properties"].keys()
    lines = text.splitlines()
    introductions = [BOLD.match(lines[example.line - 3]) for example in guide(name).examples]
    assert introductions
    assert all(introductions)


@pytest.mark.parametrize(("name", "example"), EXAMPLES, ids=[f"{n}:{e.line}" for n, e in EXAMPLES])
@pytest.mark.requirement("000-05", "003-64")
async def test_every_example_of_every_guide_works(desk, demo, name, example):
    """Read by the real argument reader and executed for the demo salon; the data fits `returns`."""
    result = await run(name, call(demo), desk, example.text)
    assert isinstance(result.data, dict)
    assert not result.empty


@pytest.mark.parametrize(("name", "example"), EXAMPLES, ids=[f"{n}:{e.line}" for n, e in EXAMPLES])
@pytest.mark.requirement("000-02", "000-101", "003-53")
async def test_a_call_stays_below_its_business_and_a_retrieval_writes_nothing(desk, demo, store, name, example):
    """Every path that is read or written is the context's business, or lies below it (seed 000, tenant scoping)."""
    store.asked.clear()
    store.paths.clear()
    await run(name, call(demo), desk, example.text)
    assert all(f"{path}/".startswith("businesses/demo-salon/") for path in store.paths)
    if schema(name)["kind"] == "retrieval":
        assert store.asked["commit"] == 0
