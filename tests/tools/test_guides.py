"""What the guides show works: every example of every tool, through the dispatcher, as a model would call it."""

import json
from zoneinfo import ZoneInfo

import pytest

from switchboard.catalog.arguments.arguments import ArgumentReader
from switchboard.catalog.definitions.builder import Example, read_guide
from switchboard.catalog.offer.catalog import Options
from switchboard.contract.error import ErrorType
from tests.each import each
from tests.tools.folder import TOOLS
from tests.tools.guide_house import REGISTRY, SITUATIONS, GuideHouse

EXAMPLES = [(name, example) for name, tool in REGISTRY.tools.items() for example in read_guide(tool.guide).examples]
IDS = [f"{name}:{example.line}" for name, example in EXAMPLES]


def test_every_tool_folder_is_tried_out():
    """A folder that is there is built, and its guide has examples; the table names no tool that is gone."""
    folders = {path.parent.name for path in TOOLS.glob("*/schema.json")}
    assert folders == set(REGISTRY.tools)
    assert {name for name, _ in EXAMPLES} == folders
    assert set(SITUATIONS) <= folders


@pytest.mark.requirement("003-64")
@each(("name", "example"), EXAMPLES, ids=IDS)
def test_an_example_fits_the_parameters(name: str, example: Example):
    """By the schema that the model is given, and with nothing in it that would be ignored."""
    read = ArgumentReader(REGISTRY.tools[name].definition.parameters).read(example.text, ZoneInfo("America/New_York"))
    assert not read.ignored
    assert read.values.keys() >= json.loads(example.text).keys()


@pytest.mark.requirement("000-05", "003-64")
@each(("name", "example"), EXAMPLES, ids=IDS)
async def test_an_example_works_when_a_model_calls_it(name: str, example: Example):
    """It is offered, asks for the caller's yes where the tool says so, and does what the guide promises."""
    tool = REGISTRY.tools[name]
    house = await GuideHouse.open(tool)
    channel = tool.definition.channels[0]
    offer = await house.catalog.get_tool_definitions(house.business_id, Options(channel, is_verified=True))
    assert offer.named(name), offer.why_not(name)
    response = await house.call(example.text)
    if tool.definition.confirm:
        assert response.failure is not None
        assert response.failure.type is ErrorType.CONFIRMATION_REQUIRED
        question = response.meta["readBack"]
        assert question
        assert "{{" not in question
        assert await house.say("Yes, please.", turn=2) == "approved"
        response = await house.call(example.text, turn=2)
    if house.vendors.asked:
        # What a vendor of the tool's own answers is tried beside that vendor.
        assert {*house.vendors.asked} == {tool.definition.toolkit}
        return
    assert response.failure is None, response.to_json()
    assert isinstance(response.data, dict)
    assert "ignoredArguments" not in response.meta


@pytest.mark.parametrize("name", [name for name, tool in REGISTRY.tools.items() if tool.definition.confirm])
async def test_without_a_yes_nothing_happens(name: str):
    """A no, and the example is asked about again instead of being done."""
    house = await GuideHouse.open(REGISTRY.tools[name])
    text = read_guide(house.tool.guide).examples[0].text
    await house.call(text)
    assert await house.say("No, leave it.", turn=2) == "declined"
    response = await house.call(text, turn=2)
    assert response.failure is not None
    assert response.failure.type is ErrorType.CONFIRMATION_REQUIRED
