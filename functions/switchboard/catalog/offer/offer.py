"""What one business offers on one channel right now, ready to be told to a model and to an owner.

Every request carries every declaration. Vendors whose prompt is not ours are declared everything (`Offer.declared`).
"""

import hashlib
import json
import re
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import field, replace
from datetime import datetime
from typing import Any, Final

from switchboard.catalog.definitions.definitions import Current, DefinitionSet, Source
from switchboard.catalog.definitions.tool import Door, Tool, Way, why_missing
from switchboard.catalog.definitions.variables import interpolate
from switchboard.catalog.offer.alternatives import Alternatives, Rings, with_ways
from switchboard.catalog.offer.inclusion import TENANT, Exclusion, Situation, exclusion, grounds
from switchboard.catalog.offer.verification import verification_needed
from switchboard.contract.business.business import Business
from switchboard.contract.business.languages import language_of
from switchboard.contract.call import ToolCall
from switchboard.contract.channel import Channel
from switchboard.contract.definitions.definition import Definition, Kind
from switchboard.contract.json import JsonObject
from switchboard.contract.model import Scene
from switchboard.contract.policy import TOLD_WHERE_NAMED
from switchboard.contract.python.dataclass import dataclass
from switchboard.formats import FORMATS, openai
from switchboard.formats.schema.memo import once_per_schema

USUAL_TOPICS: Final = (
    "Usual topics: cancellation, reschedule, late arrival, deposits, refunds, pricing, hours, location, parking."
)
_THEIR_TOPICS = "Topics are named in the business's own language; if one is not there, the result lists those that are."
DONE: Final = "Something is booked, sent or otherwise done only if a result says so, such as booked: true."
"""Said once for all tools, where their declarations do not say it each."""
# Whole sentences only: a rule that an owner has written around a variable is a rule.
_IN_THE_PROMPT = re.compile(
    r"(?:^| )(?:"
    r"Services: \{\{ ?business\.services ?\}\}\."
    r"|Times are local time in \{\{ ?business\.timezone ?\}\}\."
    rf"|{re.escape(USUAL_TOPICS)}"
    r"|Do not promise when \w{1,20} will call back\."
    r"|(?:It is|They are) \w{1,20} only if the result says \w{1,20}: true\."
    r")(?= |$)"
)
_WHERE = re.compile(r" (?:at|from) \{\{ ?business\.name ?\}\}(?=[ .,:;])")
_NAME = re.compile(r"\{\{ ?business\.name ?\}\}")
# Whoever fills an argument writes more than the one and less than the other without being told.
_AT_LEAST, _NO_LONGER_THAN = 3, 40
# Seed 003's `kb_search` and seed 004's `search_knowledge` are one search; a model is never shown both. Whoever switches
# the feature `kb_search` on has chosen that name.
_TWINS = {"search_knowledge": "kb_search", "get_availability": "check_availability"}


@dataclass(frozen=True, slots=True)
class OfferedTool:
    """A tool in the words of this business: `definition` is what a model is told, with its variables filled."""

    definition: Definition
    tool: Tool

    @property
    def name(self) -> str:
        """The tool's name."""
        return self.definition.name

    @property
    def way(self) -> Way | None:
        """How it leads a caller to the people of the business; None for what does not."""
        return self.tool.way

    @property
    def door(self) -> Door:
        """Whom it puts a call through to, where its way is a transfer."""
        return self.tool.door


@dataclass(frozen=True, slots=True)
class Offer:
    """The tools a model may be told about, in order, and why the others are missing.

    Attributes:
        catalog_version: Content hash of the words and schemas offered; equal offers have equal versions.
        source: `firestore`, `stale` (Firestore did not answer; the last set read) or `fallback` (the built artifact).
        business: None when it could not be read.
        set_hash: The set of definitions it was made from.
        untold: Names of tools that can be called and that a model is not told of in a conversation.
        told_names: Those of the others.
        situation: What was looked at; None where nothing was.
        rings: Tells whose phones ring at a moment, so that nobody is offered to be put through to nobody.
        is_store_away: Tells whether nothing can be recorded now, so that nobody is offered what nothing can do.
    """

    channel: Channel
    tools: tuple[OfferedTool, ...]
    excluded: tuple[Exclusion, ...]
    catalog_version: str
    source: Source
    business: Business | None
    set_hash: str
    untold: frozenset[str] = frozenset()
    situation: Situation | None = field(repr=False, default=None)
    rings: Rings | None = field(repr=False, default=None)
    is_store_away: Callable[[], bool] | None = field(repr=False, compare=False, default=None)
    told_names: frozenset[str] = field(init=False, repr=False)
    _by_name: Mapping[str, OfferedTool] = field(repr=False, default_factory=dict)
    _reasons: Mapping[str, Exclusion] = field(repr=False, default_factory=dict)
    _bodies: dict[tuple[str, bool], bytes] = field(repr=False, default_factory=dict)
    _declarations: dict[str, list[Any]] = field(repr=False, default_factory=dict)

    def __post_init__(self) -> None:
        """Find out what every call asks for."""
        object.__setattr__(self, "told_names", frozenset(tool.name for tool in self.tools) - self.untold)

    def named(self, name: str) -> OfferedTool | None:
        """Return an offered tool, or None."""
        return self._by_name.get(name)

    def acts(self, name: str) -> bool:
        """Tell whether an offered tool is an action; what is not offered does nothing."""
        offered = self.named(name)
        return offered is not None and offered.definition.kind is Kind.ACTION

    @property
    def told(self) -> tuple[OfferedTool, ...]:
        """The tools that a model is told of in a conversation, in order."""
        return tuple(tool for tool in self.tools if tool.name in self.told_names)

    @property
    def scene(self) -> Scene:
        """What is offered, to whom, as data: for a model that cannot read its prompt."""
        return Scene(self.business, self.channel, tuple(tool.definition for tool in self.tools))

    def why_not(self, name: str) -> Exclusion | None:
        """Return why a tool is not offered, or None if it is, or if nobody ever heard of it."""
        return self._reasons.get(name)

    def ways_out(self, *besides: str) -> Alternatives:
        """Return what can be had instead when something cannot be done; not by the tools that were tried in vain.

        Who can be rung at a moment is told by its `at`.
        """
        ways = Alternatives.of(self.tools, self.business, self.channel, besides=besides, rings=self.rings)
        return replace(ways, is_store_away=self.is_store_away)

    def phrase(self, name: str, language: str, moment: str, now: datetime) -> str:
        """Return what an offered tool says at a moment of its call, offering what can be had at the time `now`."""
        offered = self.named(name)
        if offered is None:
            return ""
        ways = self.ways_out(name)
        if ways.at(now) == ways:
            return offered.definition.phrase(language, moment)
        say = with_ways(offered.tool.declared.say, ways, now)
        return replace(offered.definition, say=say).phrase(language, moment)

    def meant(self, format: str, call: ToolCall) -> ToolCall:
        """Return a model's call with the arguments that the tool's definition speaks of.

        A dialect may have told some under other names, or have had an argument that was left out sent as null.
        """
        offered = self.named(call.name)
        return FORMATS[format].restore(offered.definition, call) if offered else call

    def to_json(self, format: str = "canonical", explain: bool = False) -> JsonObject:
        """Return the listing as `GET /tools/definitions` answers it.

        With a vendor's `format`, `tools` is exactly what goes under `tools` in a request to that vendor.
        """
        body: JsonObject = {
            "channel": self.channel.value,
            "format": format,
            "catalogVersion": self.catalog_version,
            "source": self.source,
            "tools": self.declared(format),
        }
        if explain:
            body["included"] = [self._included(tool) for tool in self.tools]
            body["excluded"] = [{"name": e.name, "condition": e.condition, "reason": e.reason} for e in self.excluded]
        return body

    def _included(self, tool: OfferedTool) -> JsonObject:
        """Return why a tool is offered, and whether conversations of the house tell their model of it unasked."""
        met = grounds(tool.tool.definition, self.situation) if self.situation is not None else ()
        because = [{"condition": ground.condition, "reason": ground.reason} for ground in met]
        row = {"name": tool.name, "isTold": tool.name in self.told_names, "because": because}
        needed = verification_needed(tool.tool.definition, self.business)
        if needed is not None and not (self.situation is not None and self.situation.is_verified):
            row["needs"] = [{"condition": needed.condition, "reason": needed.reason}]
        left_out = [
            {"parameter": name, "condition": f"where:{word}", "reason": why_missing(word)}
            for name, word in tool.tool.left_out.items()
        ]
        return row | ({"leftOut": left_out} if left_out else {})

    def body(self, format: str, explain: bool, dumps: Any) -> bytes:
        """Return the listing serialised by `dumps`, prepared once per offer."""
        key = (format, explain)
        if key not in self._bodies:
            self._bodies[key] = dumps(self.to_json(format, explain))
        return self._bodies[key]

    def declared(self, format: str) -> list[Any]:
        """Return what stands under `tools` in a request, prepared once per offer; not to be changed."""
        if format not in self._declarations:
            self._declarations[format] = _declared(format, self.tools)
        return self._declarations[format]

    def declared_to_model(self, format: str) -> list[Any]:
        """Return what stands under `tools` in a conversation's request, prepared once per offer; not to be changed.

        These are the tools that are told, without what the prompt says already and what only a check needs.
        """
        key = f"{format}, told"
        if key not in self._declarations:
            declared = _declared(format, [self._briefly(tool) for tool in self.told])
            self._declarations[key] = openai.declared_to_chat(declared) if format == "openai" else declared
        return self._declarations[key]

    def _briefly(self, tool: OfferedTool) -> OfferedTool:
        return replace(tool, definition=told_briefly(tool.tool, tool.definition, self.business))


def _declared(format: str, tools: Sequence[OfferedTool]) -> list[Any]:
    if format == "canonical":
        return [_canonical(t.definition) for t in tools]
    dialect = FORMATS[format]
    return list(dialect.declare_all([dialect.declare(t.definition) for t in tools]))


def make_offer(
    locked: DefinitionSet,
    situation: Situation,
    current: Current,
    rings: Rings | None = None,
    is_store_away: Callable[[], bool] | None = None,
) -> Offer:
    """Return the offer that a session's set of definitions makes in a situation.

    What is not offered is explained, down to tools that the session cannot have because they came later.
    """
    offered: list[OfferedTool] = []
    excluded = [
        Exclusion(name, "definition:valid", reason)
        for name, reason in locked.skipped.items()
        # Where the last good version is in use, the tool is not missing: it can be called like every other.
        if name not in locked.tools
    ]
    by_id = {tool.owned_id: name for name, tool in current.set.tools.items() if tool.owned_id}
    reasons = {
        # An owner's tool that was renamed since is the same one, and another of its old name is not.
        name: exclusion(tool.definition, situation, by_id.get(tool.owned_id, "") if tool.owned_id else name)
        for name, tool in locked.tools.items()
    }
    usable = {name for name, why_not in reasons.items() if why_not is None}
    for name, tool in locked.tools.items():
        excluding = reasons[name] or _instead_of(name, usable)
        if excluding is not None:
            excluded.append(excluding)
            continue
        own = tool.at(situation.business)
        offered.append(OfferedTool(own.told(situation.business, situation.numbers), own))
    offered = list(_saying_what_can_be_had(offered, situation))
    later = (name for name in current.set.tools if name not in locked.tools)
    excluded += [Exclusion(name, "session:catalog", "published after this session started") for name in later]
    text = json.dumps([_canonical(t.definition) for t in offered], sort_keys=True, default=str)
    return Offer(
        channel=situation.channel,
        tools=tuple(offered),
        excluded=tuple(excluded),
        catalog_version=hashlib.sha256(text.encode()).hexdigest()[:16],
        source=current.source,
        business=situation.business,
        set_hash=locked.hash,
        situation=situation,
        rings=rings,
        is_store_away=is_store_away,
        untold=frozenset(t.name for t in offered if _is_untold(t.definition, situation)),
        _by_name={t.name: t for t in offered},
        # Of several reasons the first one is told.
        _reasons={e.name: e for e in reversed(excluded)},
    )


def _instead_of(name: str, offered: Container[str]) -> Exclusion | None:
    """Return why a tool is not offered beside others that are; None where it may be."""
    twin = _TWINS.get(name)
    if twin is None or twin not in offered:
        return None
    return Exclusion(name, f"instead:{twin}", f"{twin} is offered, which does the same")


def _is_untold(definition: Definition, situation: Situation) -> bool:
    if definition.name not in TOLD_WHERE_NAMED or definition.category == TENANT:
        return False
    business, agent = situation.business, situation.agent
    named = business.enabled_tools if business is not None and business.enabled_tools is not None else frozenset()
    return definition.name not in named and (agent is None or definition.name not in agent.tools)


def _saying_what_can_be_had(offered: Sequence[OfferedTool], situation: Situation) -> Iterator[OfferedTool]:
    """Yield the tools with what they say when they fail as it is true here."""
    whole = Alternatives.of(offered, situation.business, situation.channel)
    for tool in offered:
        ways = whole.besides(tool.name)
        phrases = with_ways(tool.definition.say, ways)
        yield (
            tool if phrases == tool.definition.say else replace(tool, definition=replace(tool.definition, say=phrases))
        )


def _canonical(definition: Definition) -> JsonObject:
    # What an application needs to declare and to call a tool; the house's own rules stay inside.
    return {
        "name": definition.name,
        "category": definition.category,
        "kind": definition.kind.value,
        "description": definition.description,
        "parameters": definition.parameters,
        "returns": definition.returns,
        "confirm": definition.confirm,
        "verified": definition.verified,
        "say": {lang: dict(phrases) for lang, phrases in definition.say.items()},
    }


def usual_topics(business: Business | None) -> str:
    """Return what is said of the topics of policies and frequent questions: English ones where English is spoken.

    Elsewhere a model that looks for "cancellation" finds nothing of what its owner calls "absage".
    """
    return USUAL_TOPICS if business is None or language_of(business.language) == "en" else _THEIR_TOPICS


def told_briefly(tool: Tool, definition: Definition, business: Business | None) -> Definition:
    """Return what a conversation of the house declares of a tool; what is left out is checked, or stands in the prompt.

    Args:
        tool: The tool.
        definition: Its definition in the words of this business.
        business: None when it could not be read: then its prompt says nothing of it.
    """
    words = definition.description
    if tool.built is not None and business is not None:
        whole = tool.declared.description
        brief = _NAME.sub("the business", _WHERE.sub("", _IN_THE_PROMPT.sub("", whole).strip()))
        # Words that are not those of the definition alone are left as they are.
        if brief != whole and interpolate(whole, business) == words:
            words = interpolate(brief, business)
    return replace(definition, description=words or definition.description, parameters=unchecked(definition.parameters))


@once_per_schema
def unchecked(parameters: JsonObject) -> JsonObject:
    """Return a schema without the limits that no sensible argument comes near, and without what it says of strangers.

    Every call is checked against the whole; what a model can heed stays, such as bounds of numbers, words and formats.
    """
    return _without_limits(parameters)


def _without_limits(schema: Mapping[str, Any]) -> JsonObject:
    declared = {keyword: inner for keyword, inner in schema.items() if not _is_only_checked(keyword, inner, schema)}
    # Further in, as under `not` or in one of several branches, a limit may be what tells values apart.
    if isinstance(declared.get("properties"), Mapping):
        declared["properties"] = {name: _inner(child) for name, child in declared["properties"].items()}
    if "items" in declared:
        declared["items"] = _inner(declared["items"])
    return declared


def _inner(schema: Any) -> Any:
    return _without_limits(schema) if isinstance(schema, Mapping) else schema


def _is_only_checked(keyword: str, value: Any, schema: Mapping[str, Any]) -> bool:
    if keyword == "additionalProperties":
        return value is False and "properties" in schema and "patternProperties" not in schema
    if keyword == "maxLength":
        return isinstance(value, int) and value >= _NO_LONGER_THAN
    return keyword == "minLength" and isinstance(value, int) and value <= _AT_LEAST
