"""Every field that owners' requests can set has its right: what is new is decided before it can be built."""

from collections.abc import Iterator, Mapping
from typing import Any, get_args, get_origin

import pytest
from pydantic import BaseModel

from switchboard.admin.access.field_rights import AGENT, BUSINESS, RESOURCE, TOOL
from switchboard.admin.access.roles import ALLOWED, Operation, Role
from switchboard.admin.agents.models import AgentForm
from switchboard.admin.api.models import Described
from switchboard.admin.businesses.form import NEEDING_MORE, needs_of_business
from switchboard.admin.businesses.models import BusinessFields, OpeningRow
from switchboard.admin.resources.models import ResourceForm
from switchboard.admin.tenant_tools.config_models import ToolParts

# Words, switches and bounds, or what is decided as one.
WHOLE = {
    *("params", "text", "recipients", "knowledge.filters", "annotations", "request.headers", "request.response"),
    *("server.headers", "limits"),
}


def models_in(annotation: Any, metadata: tuple[Any, ...] = ()) -> Iterator[type[BaseModel]]:
    """Yield the models that a field is made of, in lists, in unions and by name too."""
    described = [one for one in metadata if isinstance(one, Described)]
    if described:
        yield from models_in(described[0].type)
    elif isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    elif get_origin(annotation) is not None:
        inner, *more = get_args(annotation)
        marks = tuple(more) if hasattr(annotation, "__metadata__") else ()
        for each in (inner,) if marks else (inner, *more):
            yield from models_in(each, marks)


def leaves(model: type[BaseModel], at: str = "") -> Iterator[str]:
    """Yield the paths of everything that can be set, down to what is one value."""
    for name, field in model.model_fields.items():
        path = f"{at}{field.alias or name}"
        inner = [] if path in WHOLE else list(models_in(field.annotation, tuple(field.metadata)))
        inner = [each for each in inner if each is not OpeningRow]
        if not inner:
            yield path
        for each in inner:
            yield from leaves(each, f"{path}.")


@pytest.mark.requirement("004-980")
@pytest.mark.parametrize(
    ("model", "rights"),
    [(BusinessFields, BUSINESS), (AgentForm, AGENT), (ResourceForm, RESOURCE), (ToolParts, TOOL)],
    ids=["business", "agent", "resource", "tool"],
)
def test_every_field_that_can_be_set_has_been_decided(model: type[BaseModel], rights: Mapping[str, Operation]):
    """One that is new, or gone, is told here."""
    assert set(leaves(model)) == rights.keys()


def test_what_needs_more_is_never_an_editors():
    """Otherwise nothing would be gained by it."""
    usual = {Operation.EDIT_BUSINESS, Operation.EDIT_AGENTS, Operation.EDIT_TOOLS}
    for rights in (BUSINESS, AGENT, RESOURCE, TOOL):
        for field, right in rights.items():
            assert right in usual or Role.EDITOR not in ALLOWED[right], field


def test_a_business_asks_for_each_field_what_was_decided_of_it():
    """Everything that needs more than editing has words for whoever may not change it, and nothing else asks."""
    covered = {f: p for f in BUSINESS for p in NEEDING_MORE if f"{f}.".startswith(f"{p}.")}
    assert covered.keys() == {field for field, right in BUSINESS.items() if right is not Operation.EDIT_BUSINESS}
    for field, path in covered.items():
        top, _, inner = path.partition(".")
        assert needs_of_business({}, {top: {inner: "x"} if inner else "x"}).keys() == {BUSINESS[field]}
