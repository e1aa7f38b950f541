"""What seed 001 promises of typed parameters, from the declaration to the arguments that a handler gets."""

import ast
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

import switchboard.tools
from switchboard.catalog.arguments.arguments import ArgumentReader
from switchboard.contract.definitions.action import Action, Parameter, ParameterType, Values
from switchboard.contract.error import ErrorType, Refused
from tests.each import each

T = ParameterType
BERLIN = ZoneInfo("Europe/Berlin")
TOOLS = Path(switchboard.tools.__path__[0])
FOLDERS = sorted(path.parent for path in TOOLS.glob("*/schema.json"))
ACTION = Action(
    name="plan_visit",
    description="Plan a visit.",
    parameters=(
        Parameter(name="when", type=T.DATETIME, description="When.", required=True),
        Parameter(name="people", type=T.INTEGER, description="How many.", default=2, min_value=1, max_value=8),
        Parameter(name="share", type=T.NUMBER, description="Which part.", min_value=0, max_value=1),
        Parameter(name="room", type=T.STRING, description="Where.", enum=("red", "blue")),
        Parameter(name="quiet", type=T.BOOLEAN, description="Whether."),
        Parameter(name="guests", type=T.ARRAY, description="Who.", items=Values(type=T.STRING)),
        Parameter(name="extra", type=T.OBJECT, description="What else."),
    ),
)
READER = ArgumentReader(ACTION.definition().parameters)
WHEN = "2025-12-30T09:00:00Z"


def refusal(**arguments: Any) -> str:
    """Return the words with which arguments are refused."""
    with pytest.raises(Refused) as caught:
        READER.read({"when": WHEN} | arguments, BERLIN)
    assert caught.value.type is ErrorType.VALIDATION
    return caught.value.message


@pytest.mark.requirement("001-04", "001-12", "001-13", "001-29")
def test_each_argument_reaches_the_handler_by_its_name_and_in_its_type():
    """An aware datetime, int, float, bool, list and dict."""
    given = {"share": 0.5, "room": "red", "quiet": True, "guests": ["a"], "extra": {"b": 1}, "people": 3}
    found = READER.read({"when": WHEN} | given, BERLIN).values
    assert found == given | {"when": datetime(2025, 12, 30, 9, tzinfo=UTC)}
    assert {name: type(value) for name, value in found.items()} == {
        "when": datetime,
        "people": int,
        "share": float,
        "room": str,
        "quiet": bool,
        "guests": list,
        "extra": dict,
    }


@pytest.mark.requirement("001-17")
def test_an_optional_argument_that_is_missing_has_its_default():
    """One without a default is left out."""
    assert READER.read({"when": WHEN}, BERLIN).values.keys() == {"when", "people"}
    assert READER.read({"when": WHEN}, BERLIN).values["people"] == 2


@pytest.mark.requirement("001-16")
def test_a_missing_required_argument_is_named():
    """So that the model can give it."""
    with pytest.raises(Refused) as caught:
        READER.read({}, BERLIN)
    assert (caught.value.type, "when: is required" in caught.value.message) == (ErrorType.VALIDATION, True)


@pytest.mark.requirement("001-18")
def test_a_value_outside_an_enumeration_is_answered_with_the_allowed_ones():
    """All of them."""
    message = refusal(room="green")
    assert '"red"' in message and '"blue"' in message


@pytest.mark.requirement("001-19", "001-20")
def test_a_number_out_of_bounds_is_answered_with_the_bound():
    """Below the minimum and above the maximum."""
    assert "at least 1" in refusal(people=0)
    assert "at most 8" in refusal(people=9)
    assert "at most 1" in refusal(share=1.01)


@pytest.mark.requirement("001-12")
@pytest.mark.parametrize(
    "wrong",
    [{"people": "many"}, {"share": []}, {"quiet": 3}, {"guests": {}}, {"extra": []}, {"room": 5}, {"when": "noon"}],
)
def test_a_value_of_another_type_is_refused_by_name(wrong: dict[str, Any]):
    """Whatever cannot safely be read as what is meant."""
    (name,) = wrong
    assert name in refusal(**wrong)


@pytest.mark.requirement("001-22")
def test_a_tool_without_parameters_is_callable_with_an_empty_object():
    """And with nothing at all."""
    reader = ArgumentReader(Action(name="ping", description="_").definition().parameters)
    assert reader.read({}, BERLIN).values == reader.read("", BERLIN).values == {}


@pytest.mark.requirement("001-05", "001-06", "001-07", "001-23")
@each("folder", FOLDERS, ids=lambda folder: folder.name)
def test_every_shipped_tool_describes_each_parameter_and_what_it_returns(folder: Path):
    """In a closed schema that says which are required."""
    document = json.loads((folder / "schema.json").read_text())
    parameters = document["parameters"]
    assert (parameters["type"], parameters["additionalProperties"]) == ("object", False)
    assert set(parameters.get("required", ())) <= parameters["properties"].keys()
    for name, parameter in parameters["properties"].items():
        assert parameter.get("description", "").strip(), name
        assert parameter.get("type") or parameter.get("enum") or parameter.get("anyOf"), name
    assert document["returns"]["type"] == "object" or "anyOf" in document["returns"]


@pytest.mark.requirement("001-01", "001-03", "001-08")
@each("folder", FOLDERS, ids=lambda folder: folder.name)
def test_no_shipped_tool_is_told_what_to_do_by_a_word(folder: Path):
    """Each has one handler of its own, which takes no action's name, no catch-all, and asks for no tool's name."""
    parameters = json.loads((folder / "schema.json").read_text())["parameters"]["properties"]
    assert not parameters.keys() & {"action", "action_name", "operation", "method"}
    tree = ast.parse((folder / "handler.py").read_text())
    (execute,) = [n for n in tree.body if isinstance(n, ast.AsyncFunctionDef) and n.name == "execute"]
    assert execute.args.kwarg is execute.args.vararg is None
    assert {a.arg for a in execute.args.kwonlyargs} == parameters.keys()
    assert not [n for n in ast.walk(tree) if isinstance(n, ast.Attribute) and ast.unparse(n) == "ctx.tool"]
