"""What is sent about definitions, and what a definition is."""

import re
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel
from pydantic_core import PydanticCustomError

from switchboard.admin.api.models import (
    Described,
    OneLine,
    Paging,
    QueryParameters,
    RequestBody,
    Revisioned,
    Whole,
    Wording,
)
from switchboard.admin.definitions.replay import MOST_CALLS
from switchboard.admin.definitions.words_trial import MOST_CONVERSATIONS, USUAL_CONVERSATIONS
from switchboard.admin.evals.choosing import MOST_TESTS
from switchboard.catalog.definitions.canary import MOST_CANARY_BUSINESSES
from switchboard.contract.channel import Channel
from switchboard.contract.definitions.definition import Deed, Kind, Repeat
from switchboard.contract.json import JsonObject

SIDES = ("published", "draft", "builtIn", "canary")
_LONGEST_STATE = 9
_STATE = re.compile(r"(published|draft|builtIn|canary|[0-9]{1,9})?")


class DefinitionDocument(BaseModel):
    """A tool's definition; what it leaves out, or says null of, is as it was built.

    A definition says more than this schema can: its parameters must suit the tool's code, which `/check` tells.
    """

    model_config = ConfigDict(extra="allow", alias_generator=to_camel)

    name: str | None = Field(default=None, description="The tool's own name, or none.")
    category: str | None = None
    kind: Kind | None = None
    description: str | None = Field(default=None, description="What the model is told; may hold {{variables}}.")
    parameters: JsonObject | str | None = Field(
        default=None, description="JSON Schema of the arguments, an object's; also as JSON text."
    )
    returns: JsonObject | str | None = Field(default=None, description="JSON Schema of what it gives back.")
    channels: list[Channel] | None = None
    requires: list[str] | None = Field(default=None, description="The conditions under which it is offered.")
    toolkit: str | None = None
    timeout_ms: Annotated[int, Field(ge=1, le=600_000)] | None = None
    confirm: bool | None = Field(default=None, description="Whether the caller must agree first.")
    read_back: JsonObject | None = Field(
        default=None, description="The question that the caller agrees to, by language."
    )
    proposes: list[str] | None = Field(
        default=None, description="What the tool finds out before it asks, which the question may name."
    )
    verified: bool | None = Field(default=None, description="Whether the caller must be known.")
    opened_by: str | None = Field(default=None, description="The feature that opens it to callers who are not known.")
    callers_own: bool | None = None
    is_async: bool | None = Field(default=None, alias="async")
    on_call_start: bool | None = None
    writes: bool | None = None
    repeatable: bool | None = None
    repeat: Repeat | None = None
    say: dict[str, dict[str, str]] | None = Field(default=None, description="What is said while it runs, by language.")
    result: dict[str, str] | None = None
    deeds: list[Deed] | None = None
    claims: JsonObject | None = Field(default=None, description="What stood there before `deeds`.")
    enabled: bool | None = None


Definable = Annotated[JsonObject, Described(DefinitionDocument)]
"""A definition as it is stored, however long ago; it is checked by what reads it."""
DefinableOrNone = Annotated[JsonObject | None, Described(DefinitionDocument | None)]


def _is_object(value: Any) -> Any:
    if not isinstance(value, dict):
        raise PydanticCustomError("definition", "must be the definition, as a JSON object.")
    return value


def _are_different(names: list[str]) -> list[str]:
    if len(set(names)) < len(names):
        raise PydanticCustomError("repeated", "must not hold the same twice.")
    return names


class DefinitionCheckBody(Revisioned):
    """A definition that is looked at and not saved: what is wrong with it is the answer."""

    document: JsonObject = Field(description="The whole definition, as it stands in `builtIn`.")


class DefinitionDraftBody(Revisioned):
    """A draft, as it is saved."""

    document: Annotated[Definable, AfterValidator(_is_object)] = Field(
        description="The whole definition, as it stands in `builtIn`; it is refused where `/check` tells of problems."
    )


class DefinitionPublishBody(Revisioned):
    """Publishing a draft, having seen what it changes."""

    acknowledged: str = Field(description="The hash of the replay's report, which is an hour old at most.")
    acknowledged_tests: Annotated[
        list[Annotated[str, Field(min_length=1, max_length=300)]], Field(max_length=MOST_TESTS)
    ] = Field(
        default=[],
        description="The kept tests that are red with it, by name (`demo-salon/booking-at-ten`); no others.",
    )


class DefinitionTrialBody(DefinitionPublishBody):
    """Having some businesses try a draft."""

    businesses: Annotated[
        list[Annotated[str, Field(min_length=1)]],
        Field(min_length=1, max_length=MOST_CANARY_BUSINESSES, json_schema_extra={"uniqueItems": True}),
        AfterValidator(_are_different),
        Wording(f"must be a list of 1 to {MOST_CANARY_BUSINESSES} different business ids."),
    ] = Field(description="The ids of businesses that there are, in place of those that tried something before.")


class DefinitionSwitchBody(Revisioned):
    """Switching a tool on or off for all businesses."""

    enabled: bool


DefinitionState = Annotated[
    str,
    OneLine(_LONGEST_STATE, form=_STATE),
    Wording(f"must be one of {', '.join(SIDES)}, or a version's number."),
]
_WHICH = f"One of {', '.join(SIDES)}, or a version's number; it may be that there is none."


class DefinitionPreviewQuery(QueryParameters):
    """Which state of a definition is shown, and in whose words."""

    of: DefinitionState | None = Field(default=None, description=_WHICH)
    business_id: str | None = Field(default=None, description="In the words of this business.")


class DefinitionDiffQuery(QueryParameters):
    """Which states of a definition are compared."""

    before: DefinitionState | None = Field(default=None, alias="from", description=_WHICH)
    after: DefinitionState | None = Field(default=None, alias="to", description=_WHICH)


class DefinitionReplayQuery(Paging):
    """How much of the ledger a draft is held against."""

    calls: Annotated[int, Whole(1, MOST_CALLS)] | None = Field(
        default=None, description="How many calls of each business are looked at; a `cursor` goes on with as many."
    )


class WordsPlanQuery(QueryParameters):
    """How many recorded conversations would be asked again."""

    conversations: Annotated[int, Whole(1, MOST_CONVERSATIONS)] | None = Field(
        default=None, description="How many at most, the latest first."
    )


class WordsAskBody(RequestBody):
    """Asking recorded conversations again."""

    conversations: Annotated[int, Field(ge=1, le=MOST_CONVERSATIONS)] = Field(
        default=USUAL_CONVERSATIONS, description="How many at most, the latest first."
    )
    requests: Annotated[int, Field(ge=0, le=2 * MOST_CONVERSATIONS)] = Field(
        description="How many requests that is, as was told before."
    )


class DefinitionChangeQuery(Paging):
    """Which changes of definitions are listed."""

    tool: str | None = Field(default=None, description="Only of the tool of this name.")
