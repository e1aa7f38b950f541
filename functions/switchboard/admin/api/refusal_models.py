"""What every refusal is, on every surface: `No`."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel
from pydantic.json_schema import SkipJsonSchema

from switchboard.admin.resources.booking_models import ChangeConsequences
from switchboard.contract.error import ErrorType
from switchboard.contract.json import JsonObject


class RefusalPart(BaseModel):
    """A part of one; others may stand beside what is named."""

    model_config = ConfigDict(alias_generator=to_camel)


class RefusedField(RefusalPart):
    """One thing that is wrong with what was entered."""

    field: str = Field(description="Its dotted path.")
    message: str = Field(description="What is wrong, and what would be right.")


class DifferingField(RefusalPart):
    """A field that is not the same in both versions; a side that does not have it is left out."""

    field: str
    current: Any = None
    yours: Any = None


class RevisionConflict(RefusalPart):
    """Both versions of what somebody else has changed, and where they differ."""

    revision: str | None
    changed_by: str | None
    current: JsonObject | None
    yours: JsonObject | None
    differences: list[DifferingField]


class NearFigures(RefusalPart):
    """Figures of one kind, such as prices, that are others in the one text than in the other."""

    kind: str
    there: list[str]
    yours: list[str]


class NearShown(RefusalPart):
    """A policy or an FAQ that says something on the same; what takes its place is based on `revision`."""

    id: str
    kind: str
    topic: str
    title: str
    text: str
    revision: str
    figures: list[NearFigures]


class RedTestShown(RefusalPart):
    """A kept test that is red with what was to be published."""

    name: str = Field(description="By which it is acknowledged.")
    business_id: str
    test: str
    what: str = Field(description="What is not as it should be.")
    sentence: str = Field(description="What was said when it went wrong.")
    call: str = Field(description="What was called then, and what came of it.")
    was_red: bool | None = Field(description="Whether it is red with what is published now, too; null: nobody knows.")
    is_acknowledged: bool = Field(description="Whether the request has named it.")


class TestsPlayed(RefusalPart):
    """How much was tested."""

    run: int
    acknowledged: list[str]
    not_run: dict[str, int]
    is_whole: bool


class RefusalError(RefusalPart):
    """Why it is refused."""

    type: ErrorType
    message: str = Field(description="What is wrong, and what would be right.")
    retryable: bool
    partial_side_effects: bool
    field: str | SkipJsonSchema[None] = Field(default=None, description="What in the request is wrong.")
    problems: list[RefusedField] | SkipJsonSchema[None] = Field(
        default=None, description="Everything that is wrong with what was entered."
    )
    conflict: RevisionConflict | SkipJsonSchema[None] = Field(
        default=None, description="Both versions, and where they differ."
    )
    tests: list[RedTestShown] | SkipJsonSchema[None] = Field(
        default=None, description="The kept tests that are red with it, where they have to be acknowledged first."
    )
    tested: TestsPlayed | SkipJsonSchema[None] = Field(default=None, description="What was tested, where some are red.")
    consequences: ChangeConsequences | SkipJsonSchema[None] = Field(
        default=None, description="What would break, where that has to be confirmed first."
    )
    near: list[NearShown] | SkipJsonSchema[None] = Field(
        default=None, description="What says something on the same already; alongside keeps both."
    )


class No(RefusalPart):
    """A refusal."""

    ok: Literal[False]
    error: RefusalError
    intents: list[Any] = Field(default_factory=list)
    meta: JsonObject = Field(default_factory=dict)
