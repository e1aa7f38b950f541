"""Parameters and actions declared in Python, and the schemas that come of them (seed 001, "Component 1")."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st

import switchboard.tools
from switchboard.catalog.schema.schema import check_schema, compile_schema
from switchboard.contract.definitions.action import Action, Parameter, ParameterType, Values, object_schema
from switchboard.contract.definitions.definition import DefinitionError, Kind, read_definition
from tests.each import each

T = ParameterType
EMAIL = Values(type=T.STRING, format="email", max_value=254)
# Seed 001, "Component 3" and "Example: Adding a New Tool", with the limits that the house adds.
SEED: dict[str, tuple[Parameter, ...]] = {
    "list_events": (
        Parameter(name="time_min", type=T.DATETIME, description="_", required=True),
        Parameter(name="time_max", type=T.DATETIME, description="_"),
        Parameter(name="max_results", type=T.INTEGER, description="_", default=10, min_value=1, max_value=100),
    ),
    "create_event": (
        Parameter(name="title", type=T.STRING, description="_", required=True, min_value=1, max_value=200),
        Parameter(name="start_time", type=T.DATETIME, description="_", required=True),
        Parameter(name="duration_minutes", type=T.INTEGER, description="_", min_value=5, max_value=480),
        Parameter(name="attendees", type=T.ARRAY, description="_", items=EMAIL, max_value=20),
        Parameter(name="description", type=T.STRING, description="_", default="", max_value=1000),
    ),
    "check_availability": (
        Parameter(name="date", type=T.DATETIME, description="_", required=True),
        Parameter(name="duration_minutes", type=T.INTEGER, description="_", default=30, min_value=15, max_value=240),
        Parameter(name="service", type=T.STRING, description="_", min_value=1, max_value=120),
    ),
    "send_email": (
        Parameter(name="to", type=T.STRING, description="_", required=True, format="email", max_value=254),
        Parameter(
            name="subject",
            type=T.STRING,
            description="_",
            required=True,
            min_value=1,
            max_value=150,
            pattern="^[^\\r\\n]*$",
        ),
        Parameter(name="body", type=T.STRING, description="_", required=True, min_value=1, max_value=4000),
    ),
}


def shipped(tool: str) -> dict[str, Any]:
    """Return a built-in tool's `schema.json`."""
    found: dict[str, Any] = json.loads((Path(switchboard.tools.__path__[0]) / tool / "schema.json").read_text())
    return found


@pytest.mark.requirement("001-05", "001-06", "001-64", "001-65", "001-66", "001-67", "001-68")
@pytest.mark.parametrize("tool", SEED)
def test_the_declaration_yields_the_schema_that_the_built_in_tool_has(tool: str):
    """Types, datetimes as ISO text, required, defaults and bounds, down to the last keyword."""
    parameters = shipped(tool)["parameters"]
    in_our_words = tuple(replace(p, description=parameters["properties"][p.name]["description"]) for p in SEED[tool])
    # What we have beside the seed's is never required.
    more = parameters["properties"].keys() - {p.name for p in SEED[tool]}
    assert more.isdisjoint(parameters["required"])
    of_seed = {name: _without_mark(inner) for name, inner in parameters["properties"].items() if name not in more}
    assert object_schema(in_our_words) == {**parameters, "properties": of_seed}


def _without_mark(schema: dict[str, Any]) -> dict[str, Any]:
    """Return what is declared of a parameter; whose business a value is, and on how many lines, no seed says."""
    return {keyword: value for keyword, value in schema.items() if keyword not in ("x-personal", "x-one-line")}


def by_keyword() -> st.SearchStrategy[Parameter]:
    """Any parameter that can be declared, nested to some depth."""
    words = st.text(min_size=1, max_size=20).filter(str.strip)
    limits = st.tuples(st.integers(0, 50), st.integers(50, 90))

    def named(values: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[Parameter]:
        naming = st.fixed_dictionaries(
            {"name": st.from_regex(r"[a-z][a-z0-9_]{0,20}", fullmatch=True), "description": words}
        )
        return st.builds(
            lambda own, name, required: Parameter(**own, **name, required=required), values, naming, st.booleans()
        )

    plain = st.one_of(
        st.sampled_from([T.BOOLEAN, T.DATETIME, T.OBJECT]).map(lambda t: {"type": t}),
        st.builds(
            lambda t, b: {"type": t, "min_value": b[0], "max_value": b[1]},
            st.sampled_from([T.STRING, T.INTEGER, T.NUMBER, T.ARRAY]),
            limits,
        ),
        st.lists(words, min_size=1, max_size=4, unique=True).map(lambda w: {"type": T.STRING, "enum": tuple(w)}),
    )
    return st.recursive(
        named(plain),
        lambda inner: named(
            st.one_of(
                inner.map(lambda p: {"type": T.ARRAY, "items": Values(type=p.type, enum=p.enum, items=p.items)}),
                st.lists(inner, min_size=1, max_size=3, unique_by=lambda p: p.name).map(
                    lambda ps: {"type": T.OBJECT, "properties": tuple(ps)}
                ),
            )
        ),
        max_leaves=6,
    )


@given(st.lists(by_keyword(), max_size=4, unique_by=lambda p: p.name))
def test_whatever_can_be_declared_is_a_schema_that_the_house_accepts(parameters: list[Parameter]):
    """Also nested: no declaration can fail later, at the build."""
    schema = object_schema(tuple(parameters))
    assert check_schema(schema) == []
    assert json.loads(json.dumps(schema)) == schema


VALUES: dict[ParameterType, tuple[list[Any], list[Any]]] = {
    T.STRING: (["", "x"], [1, None, True, [], {}]),
    T.INTEGER: ([0, -3, 3.0], ["1", 1.5, None, True, []]),
    T.NUMBER: ([0, 1.5], ["1.5", None, False, {}]),
    T.BOOLEAN: ([True, False], ["true", 0, None]),
    T.ARRAY: ([[], ["x", 1]], ["x", {}, None]),
    T.OBJECT: ([{}, {"a": 1}], [[], "x", None]),
    T.DATETIME: (
        ["2025-12-30T09:00:00Z", "2025-12-30T09:00:00+01:00"],
        ["tomorrow", "2025-12-30", "2025-12-30T09:00:00", "2025-02-30T09:00:00Z", 1, None, {}],
    ),
}


@pytest.mark.requirement("001-12")
@pytest.mark.parametrize("type", T)
def test_each_type_takes_its_own_values_and_refuses_others(type: ParameterType):
    """The declaration and the schema that it yields agree about every value."""
    parameter = Parameter(name="x", type=type, description="_")
    check = compile_schema(parameter.schema())
    good, bad = VALUES[type]
    for value, is_good in [*((v, True) for v in good), *((v, False) for v in bad)]:
        assert (parameter.accepts(value), check.is_valid(value)) == (is_good, is_good), value


@pytest.mark.requirement("001-15")
def test_a_parameter_is_optional_unless_it_is_marked_required():
    """And nothing is required where nothing is marked."""
    one, two = (Parameter(name=n, type=T.STRING, description="_", required=n == "two") for n in ("one", "two"))
    assert object_schema((one, two))["required"] == ["two"]
    assert "required" not in object_schema((one,))


@pytest.mark.requirement("001-14")
@each(
    ("wrong", "field"),
    [
        ({"name": ""}, "name"),
        ({"name": "Time Min"}, "name"),
        ({"description": " "}, "x.description"),
        ({"min_value": 5, "max_value": 4}, "x.min_value"),
        ({"default": 200, "max_value": 100}, "x.default"),
        ({"default": "ten"}, "x.default"),
        ({"default": True}, "x.default"),
        ({"default": 5, "enum": (1, 2)}, "x.default"),
        ({"default": 5, "required": True}, "x.default"),
        ({"enum": (1, "two")}, "x.enum"),
        ({"enum": (1, 9), "max_value": 5}, "x.enum"),
        ({"items": EMAIL}, "x.items"),
        ({"format": "email"}, "x.format"),
        ({"properties": (Parameter(name="a", type=T.STRING, description="_"),)}, "x.properties"),
        ({"type": T.BOOLEAN, "min_value": 1}, "x.min_value"),
        ({"type": T.DATETIME, "default": "noon"}, "x.default"),
        ({"type": T.OBJECT, "properties": (Parameter(name="a", type=T.STRING, description="_"),) * 2}, "x.properties"),
    ],
)
def test_what_cannot_be_meant_is_refused_where_it_is_declared(wrong: dict[str, Any], field: str):
    """Naming the parameter, the setting and what would be right."""
    with pytest.raises(DefinitionError) as caught:
        Parameter(**({"name": "x", "type": T.INTEGER, "description": "_"} | wrong))
    assert (caught.value.field, bool(caught.value.remedy)) == (field, True)


@pytest.mark.requirement("001-23")
def test_an_action_is_a_definition_document():
    """Name, description, parameters and what it returns; it reads back as the same definition."""
    free = Parameter(name="free", type=T.BOOLEAN, description="Whether it is.", required=True)
    action = Action(
        name="find_slot",
        description="Find a free slot.",
        parameters=SEED["check_availability"],
        returns=Values(type=T.OBJECT, properties=(free,)),
        category="calendar",
        toolkit="email",
    )
    document = action.to_document()
    assert read_definition("find_slot", document) == action.definition()
    assert document["parameters"]["required"] == ["date"]
    assert jsonschema_rs.validator_for(document["returns"]).is_valid({"free": True})
    assert (document["toolkit"], document["requires"], document["kind"]) == (
        "email",
        ["integration:email"],
        "retrieval",
    )


def test_what_comes_back_may_be_said_in_a_sentence():
    """As seed 001 does: "List of calendar events"."""
    told = Action(name="a", description="_", returns="List of calendar events", kind=Kind.ACTION).definition()
    assert (told.returns, told.writes) == ({"type": "object", "description": "List of calendar events"}, True)
    assert Action(name="a", description="_").definition().returns is None


@pytest.mark.requirement("001-22")
def test_an_action_without_parameters_takes_an_empty_object():
    """And nothing else."""
    check = compile_schema(Action(name="ping", description="_").definition().parameters)
    assert (check.is_valid({}), check.is_valid({"x": 1})) == (True, False)


@pytest.mark.requirement("001-21")
@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"name": ""}, "name"),
        ({"name": "List Events"}, "name"),
        ({"description": ""}, "description"),
        ({"description": "  "}, "description"),
        ({"parameters": SEED["list_events"] * 2}, "parameters"),
    ],
)
def test_an_action_needs_a_name_a_description_and_distinct_parameters(wrong: dict[str, Any], field: str):
    """Where it is declared."""
    with pytest.raises(DefinitionError) as caught:
        Action(**({"name": "list_events", "description": "List."} | wrong))
    assert caught.value.field == field
