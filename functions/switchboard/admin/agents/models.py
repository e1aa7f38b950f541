"""What is sent and answered about agents, and about what each sets for its toolkits."""

import re
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BeforeValidator, Field, WithJsonSchema

from switchboard.admin.api.models import (
    AnswerBody,
    Count,
    Described,
    Moment,
    NextCursor,
    OneLine,
    OneOf,
    Prose,
    QueryParameters,
    RequestBody,
    Revisioned,
    Whole,
    Wording,
)
from switchboard.admin.audit.models import Doer
from switchboard.admin.businesses.models import Fillers, LimitBounds
from switchboard.admin.definitions.answer_models import CanarySide
from switchboard.admin.toolkits.models import SecretState, ToolkitPatch
from switchboard.contract.business.limits import table
from switchboard.contract.channel import Channel
from switchboard.contract.json import JsonObject

_AGENT_ID = re.compile(r"[a-z0-9][a-z0-9_-]{0,62}")
_LANGUAGE = re.compile(r"([a-z]{2,3}(-[A-Za-z0-9]{2,8})*)?")
_VENDOR_ID = re.compile(r"[A-Za-z0-9_-]{0,64}")
LONGEST_PROMPT = 4_000
"""Characters: it is paid for with every request, beside some 4,000 tokens of the house's."""
_CHANNELS = tuple(channel.value for channel in Channel)


def _closed(properties: JsonObject) -> JsonObject:
    return {"type": "object", "properties": properties, "additionalProperties": False}


_LIMITS = _closed(
    {
        channel: _closed(
            {
                name: {"type": "integer", "minimum": bounds["least"], "maximum": bounds["greatest"]}
                for name, bounds in numbers.items()
            }
        )
        for channel, numbers in table().items()
    }
)
# Read, and held against each other, by `contract/business/limits.py`.
LimitsByChannel: TypeAlias = Annotated[JsonObject, WithJsonSchema(_LIMITS)]


def _object(value: Any) -> Any:
    # As some languages write an object without anything in it.
    return {} if value == [] else value


class AgentSetting(RequestBody):
    """Whether an agent has something, and what it sets for it."""

    enabled: bool = True
    config: JsonObject | None = Field(default=None, description="As the toolkit's configSchema describes it.")


AgentSettings: TypeAlias = Annotated[
    dict[
        str,
        Annotated[AgentSetting, Wording('must be an object with "enabled", true or false, and "config", an object.')],
    ]
    | None,
    BeforeValidator(_object),
]


Instructions: TypeAlias = Annotated[str, Prose(LONGEST_PROMPT)]
OneLineText: TypeAlias = Annotated[str, OneLine(100)]


class AgentForm(RequestBody):
    """What owners say of an agent."""

    name: Annotated[str, OneLine(100, 1)]
    # Nothing that a client would send by itself: left out, it stays as it is.
    is_default: bool = Field(
        default_factory=bool, description="Whether it answers on its channels before all others; one does."
    )
    channels: (
        Annotated[
            list[Annotated[str, OneOf(_CHANNELS)]],
            Field(min_length=1),
            Wording(f"must be a list of at least one of {', '.join(_CHANNELS)}."),
        ]
        | None
    ) = Field(default=None, description="Where it answers; on all of them where it is left out.")
    language: (
        Annotated[
            str,
            OneLine(35, form=_LANGUAGE),
            Wording("must be a language tag such as en or de-AT, or be left out."),
        ]
        | None
    ) = None
    description: Annotated[str, Prose(2_000)] | None = None
    vapi_assistant_id: (
        Annotated[str, OneLine(64, form=_VENDOR_ID), Wording("must be the id of an assistant at Vapi, or null.")] | None
    ) = None
    tools: AgentSettings = Field(
        default=None, description="By the tool's name; a tool is switched, and has no settings of its own."
    )
    toolkits: AgentSettings = Field(default=None, description="By the toolkit's name, or its integration's.")
    limits: Annotated[LimitsByChannel | None, BeforeValidator(_object)] = Field(
        default=None, description="What one turn may cost, by channel."
    )
    prompt: Instructions | None = Field(
        default=None, description="What its model is told beside the house's own words, whose rules go first."
    )
    model: OneLineText | None = Field(
        default=None, description="One of the list's `models`; the house's where it is left out."
    )
    voice: OneLineText | None = Field(
        default=None, description="Its voice on the phone; the business's where it is left out."
    )
    fillers: Fillers | None = Field(default=None, description="What bridges a wait; the business's where it has none.")


class AgentBody(AgentForm):
    """An agent, as it is entered."""

    id: (
        Annotated[
            str,
            OneLine(63, 1, form=_AGENT_ID),
            Wording("must be 1 to 63 small letters, digits, - and _, a letter or digit first."),
        ]
        | None
    ) = Field(default=None, description="Made of the name where it is left out.")


class AgentReplacement(AgentForm, Revisioned):
    """An agent, as it replaces one; only `isDefault` stays as it is where it is left out."""


class AgentPatch(AgentReplacement):
    """The fields of an agent that change."""

    name: Annotated[str, OneLine(100, 1)] = Field(default_factory=str)


class AgentToolkitPatch(ToolkitPatch):
    """What an agent sets for a toolkit; a part that is left out, or null, stays as it is."""

    enabled: bool | None = Field(default=None, description="Whether the agent may use it.")


class SettingShown(AnswerBody):
    """Whether an agent has something, and what it sets for it."""

    enabled: bool
    config: JsonObject = Field(description="As the toolkit's configSchema describes it.")


# What was stored past this API may lack a part.
SettingsShown: TypeAlias = dict[str, Annotated[JsonObject, Described(SettingShown)]]


class AgentTrialOn(AnswerBody):
    """A version that is on trial."""

    since: str = Field(description="Names the trial, and says when it began.")
    share: Count = Field(description="Of how many conversations in a hundred it answers.")
    by: str = Field(description="Who began it.")
    changes: list[str] = Field(description="What is otherwise than in the agent as it is, in words.")
    fields: JsonObject = Field(description="What it says, and what it may use.")


class AgentShown(AnswerBody):
    """An agent, and the tools of the business that are attached to it."""

    id: str
    name: str | None
    is_default: bool
    channels: list[Channel]
    language: str
    description: str
    vapi_assistant_id: str | None
    tools: SettingsShown
    toolkits: SettingsShown
    limits: LimitsByChannel
    prompt: str
    model: str
    voice: str
    fillers: list[str]
    attached_tools: list[str]
    trial: AgentTrialOn | None = Field(description="The version that is on trial; null where none is.")
    revision: str
    trial_revision: str = Field(description="What beginning, stopping or adopting a trial is based on.")


class AgentList(AnswerBody):
    """All agents, by id, and within what their limits may be."""

    agents: list[AgentShown]
    answers: dict[Channel, str] = Field(
        description="By channel the id of who answers where none is named: the default agent, or where that does not, "
        "the first by id of those that name the channel. Without an agent, every tool is there."
    )
    limits: dict[Channel, dict[str, LimitBounds]]
    models: list[str] = Field(
        description="Which models speak here: the house's first, then those that agents may choose."
    )


class AgentRemoved(AnswerBody):
    """The agent is there no more."""

    removed: Literal[True]


class AgentTrialChanges(RequestBody):
    """What is otherwise in a version that is tried; what is left out is as it is in the agent, or in the version."""

    prompt: Instructions | None = None
    model: OneLineText | None = None
    voice: OneLineText | None = None
    fillers: Fillers | None = None
    tools: AgentSettings = None
    limits: Annotated[LimitsByChannel | None, BeforeValidator(_object)] = None


class AgentTrialBody(Revisioned):
    """A version to be tried, and by how many."""

    share: Annotated[int, Whole(1, 99)] = Field(description="Of how many conversations in a hundred it answers.")
    changes: AgentTrialChanges = Field(default_factory=AgentTrialChanges)
    version: str | None = Field(default=None, description="The id of an earlier version to try again.")


class AgentTrialSide(CanarySide):
    """What the conversations of one side did."""

    turns: Count = Field(description="How many turns they had.")


class AgentTrialShown(AnswerBody):
    """A trial of a version, beside what the agent said meanwhile."""

    since: str
    share: Count
    by: str
    ended_at: Moment | None
    ended: str | None = Field(description="What ended it, such as adopted; null while it is on.")
    changes: list[str]
    old: AgentTrialSide
    new: AgentTrialSide
    is_whole: bool = Field(
        description="Whether everything since its beginning is counted; what was not counted for a week is gone."
    )


class AgentTrialList(AnswerBody):
    """A page of an agent's trials, the newest first."""

    trials: list[AgentTrialShown]
    next_cursor: NextCursor


class AgentVersionLine(AnswerBody):
    """An agent as it was saved once."""

    id: str
    at: Moment
    who: Doer
    deed: Literal["created", "changed"]
    changes: list[str] = Field(description="What that save changed, in words.")
    is_now: bool = Field(description="Whether the agent says the same now.")


class AgentVersionList(AnswerBody):
    """A page of an agent's versions, the newest first."""

    versions: list[AgentVersionLine]
    next_cursor: NextCursor


class AgentVersionShown(AgentVersionLine):
    """A version with all that the agent said; whether it is the default one is part of none."""

    fields: JsonObject


class AgentDifference(AnswerBody):
    """A field that is not the same on both sides; a side that does not have it is left out."""

    field: str
    before: Any = None
    after: Any = None
    line: str


class AgentCompared(AnswerBody):
    """What differs between two versions, or between one and the agent as it is."""

    before: str = Field(alias="from")
    after: str = Field(alias="to")
    differences: list[AgentDifference]


class AgentCompareQuery(QueryParameters):
    """Which versions are compared."""

    before: str | None = Field(default=None, alias="from", description="A version's id, or now; now where left out.")
    after: str | None = Field(default=None, alias="to", description="The other one's; now where left out.")


class AgentToolkitShown(AnswerBody):
    """What an agent sets for a toolkit."""

    name: str
    agent_id: str
    enabled: bool
    config: JsonObject = Field(description="Its settings over the business's.")
    sensitive_config: dict[str, SecretState]
    revision: str
