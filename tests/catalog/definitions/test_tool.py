"""Parameters that only some businesses have: declared, checked and explained as each business has them."""

import json
from dataclasses import replace
from typing import Any

import pytest

from switchboard.catalog.definitions.definitions import Current, DefinitionSet
from switchboard.catalog.definitions.signature import disagreements
from switchboard.catalog.definitions.tool import Tool, where_problems
from switchboard.catalog.offer.catalog import Options
from switchboard.catalog.offer.inclusion import Situation
from switchboard.catalog.offer.offer import Offer, make_offer
from switchboard.catalog.schema.lint.lint import lint
from switchboard.contract.business.business import Business
from switchboard.contract.channel import Channel
from switchboard.contract.context import PhoneContext
from switchboard.contract.error import ErrorType, Refused
from switchboard.contract.store import Set
from switchboard.formats import FORMATS
from switchboard.state.paths import FirestorePaths
from tests.desk.front_desk import SALON, StoppedClock, salon
from tests.pipeline.conftest import BUSINESS, Instance, store
from tests.tools.guide_house import REGISTRY

__all__ = ["store"]

PEOPLE: list[dict[str, Any]] = [{"id": "rosa", "name": "Rosa"}, {"id": "marcus", "name": "Marcus"}]
TABLES = [{"id": "window", "name": "Window table", "kind": "table", "seats": 4}]
BOOK = REGISTRY.tools["book_appointment"]


def offered(business: Business | None, document: dict[str, Any] | None = None) -> Offer:
    """Return what a business is offered, of the built tools or with an edited book_appointment."""
    tools = {name: Tool.as_built(built) for name, built in REGISTRY.tools.items()}
    if document is not None:
        tools["book_appointment"] = Tool(replace(BOOK.definition, parameters=document), BOOK)
    current = Current(DefinitionSet("hash", tools), "firestore")
    return make_offer(current.set, Situation(business, Channel.PHONE, is_verified=True), current)


def names(offer: Offer, tool: str = "book_appointment") -> set[str]:
    """Return the parameters of a tool as a business is offered it."""
    found = offer.named(tool)
    assert found is not None
    return set(found.definition.parameters["properties"])


@pytest.mark.requirement("004-514")
@pytest.mark.parametrize(
    ("resources", "there"),
    [([], set()), (PEOPLE, {"with_person"}), (TABLES, {"party_size"}), (PEOPLE + TABLES, {"with_person"})],
)
def test_a_parameter_is_offered_only_where_the_business_has_what_it_is_about(resources, there):
    """Of people and tables together, a service takes somebody unless it says that it needs a table."""
    offer = offered(salon(resources=resources))
    for tool in ("book_appointment", "check_availability"):
        assert names(offer, tool) & {"with_person", "party_size"} == there


@pytest.mark.requirement("004-514")
@pytest.mark.parametrize("dialect", sorted(FORMATS))
def test_no_dialect_tells_of_a_parameter_that_is_not_there(dialect):
    """Nor of the word that says where it is."""
    without, with_people = (json.dumps(offered(salon(resources=r)).declared(dialect)) for r in ([], PEOPLE))
    assert "with_person" not in without and "with_person" in with_people
    assert "x-where" not in without + with_people


@pytest.mark.requirement("004-514")
def test_businesses_that_are_offered_other_parameters_have_other_catalog_versions():
    """And those that are offered the same have the same one."""
    plain, other, people = (offered(salon(resources=r)).catalog_version for r in ([], [], PEOPLE))
    assert plain == other != people


@pytest.mark.requirement("004-514")
async def test_what_is_not_declared_is_refused_as_unknown_and_explained(store):
    """In words that name what would be known; and to owners, who see why it is missing."""
    await store.commit([Set(FirestorePaths().within(BUSINESS).business, SALON)])
    house = Instance(store, StoppedClock(), REGISTRY)
    given = {"date": "2027-03-16", "with_person": "Rosa"}
    answer = await house.call("check_availability", given)
    assert answer.failure.type is ErrorType.VALIDATION
    assert "with_person: is not an argument; the known ones are date" in answer.failure.message
    offer = await house.catalog.get_tool_definitions(BUSINESS, Options(Channel.PHONE))
    rows = {row["name"]: row for row in offer.to_json(explain=True)["included"]}
    assert rows["check_availability"]["leftOut"][0] == {
        "parameter": "with_person",
        "condition": "where:people",
        "reason": "the business has entered nobody whom appointments are with",
    }
    assert "leftOut" not in rows["end_call"]


@pytest.mark.requirement("004-514")
@pytest.mark.parametrize("business", [None, salon()])
def test_an_edit_that_loses_the_word_does_not_bring_the_parameter_to_everybody(business):
    """The admin page's form for parameters may not know the word."""
    edited = json.loads(json.dumps(BOOK.definition.parameters))
    del edited["properties"]["with_person"]["x-where"]
    tool = Tool(replace(BOOK.definition, parameters=edited), BOOK).at(business)
    assert "with_person" not in tool.declared.parameters["properties"]
    with pytest.raises(Refused, match="with_person: is not an argument"):
        facts = PhoneContext(business_id="b", session_id="s")
        tool.read({"with_person": "Rosa"}, facts, business, salon().timezone)
    assert not disagreements(edited, BOOK.signature, edited=True)
    if business is not None:
        assert "with_person" in names(offered(salon(resources=PEOPLE), edited))


@pytest.mark.requirement("004-514")
def test_a_word_that_nobody_knows_and_a_parameter_that_is_required_are_named():
    """When it is built, when it is linted, and when it is saved."""
    inner = {"type": "string", "description": "Whom.", "x-where": "poeple"}
    schema = {"type": "object", "properties": {"whom": inner}}
    assert [str(error) for error in where_problems(schema)] == [
        "parameters.properties.whom.x-where: 'poeple' is nothing that a business has; use people or parties"
    ]
    required = {**schema, "properties": {"whom": {**inner, "x-where": "people"}}, "required": ["whom"]}
    assert "leave it out of required" in str(where_problems(required)[0])
    findings = lint([replace(BOOK.definition, parameters=schema)]).findings
    assert "where-declaration" in [finding.rule for finding in findings]
