"""A tool as data: what the model is told and which rules hold. Written in `schema.json` and in Firestore alike.

The shape is that of the design's section "A tool"; a Firestore document may carry only `category`, `description` and
`parameters` (seed 004, "Definition Sources") and gets that category's defaults.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field
from enum import StrEnum
from typing import Any

from switchboard.contract.business.languages import HOUSE_LANGUAGES, language_of
from switchboard.contract.channel import Channel
from switchboard.contract.definitions.spoken import PHRASES, QUESTION, SENTENCE, question_faults, spoken_faults
from switchboard.contract.json import JsonObject
from switchboard.contract.python.dataclass import dataclass

TOOL_NAME = re.compile(r"^[a-z][a-z0-9_]{0,39}$")


class Kind(StrEnum):
    """What a tool does to the world (seed 003, "Tool Categorization")."""

    RETRIEVAL = "retrieval"
    ACTION = "action"
    UTILITY = "utility"


class Repeat(StrEnum):
    """Within what the same wish, the same tool with equal arguments, is granted once; a redelivery always is."""

    NEVER = "never"
    """Every call is a wish of its own."""
    TURN = "turn"
    """Once within a human turn; a later turn may ask for it again, once it is known what came of it."""
    SESSION = "session"
    """Once within a conversation."""


class DefinitionError(ValueError):
    """A definition cannot be used: `field` says where it is wrong, `remedy` what would be right."""

    def __init__(self, field: str, problem: str, remedy: str) -> None:
        """Keep the three parts apart so that each reader can lay them out."""
        super().__init__(f"{field}: {problem}; {remedy}")
        self.field = field
        self.problem = problem
        self.remedy = remedy


@dataclass(frozen=True, slots=True)
class Definition:
    """One tool's words, schemas and rules.

    Attributes:
        name: `^[a-z][a-z0-9_]{0,39}$`, the same in folder, schema, Firestore and logs.
        category: Inclusion group, such as `calendar` or `phone`.
        kind: Whether it reads, acts or computes.
        description: For the model; may hold `{{business.name}}`-like variables.
        parameters: JSON Schema 2020-12 of the arguments; always an object schema.
        returns: JSON Schema of `data`, or None where the tool promises nothing.
        channels: Where it may be offered.
        requires: Conditions of the closed vocabulary in `catalog/offer/inclusion.py`; None means its category's
        defaults. toolkit: The integration it belongs to, if any. service: The host of an owner's that it calls, where
        that is none; no document says so. timeout_ms: A tighter limit than the channel's. confirm: Whether the caller
        must agree in a later turn first; `read_back` words the question per language, of the arguments and of what the
        handler's `propose` finds out beside them, which `proposes` names. verified: Whether the caller's
        identity must be established. opened_by: The feature by which a business lets everybody use a tool that is for
        verified callers; a business
            that verifies nobody has not said so by that. None: a tool that shows and changes the caller's own, as far
            as that is known.
        callers_own: Whether it makes, shows or changes what is the caller's own: who is calling is found out for it.
            Where it asks for a verified caller as well, one who is not may use it for what this very conversation has
            made; everything else the tool itself refuses. Tools that owners configure have it in vain.
        is_async: Whether it is queued and answered "accepted".
        on_call_start: Whether it also runs before the first word of a phone call.
        writes: Whether it changes stored or outside state (actions do unless they say otherwise).
        is_repeatable: Whether its handler makes one effect of one effect key however often it runs, so that a call
            whose instance died may simply be carried out again.
        repeat: Within what the same wish is granted once.
        say: Per language, what is spoken while it runs, when it is slow, and when it fails.
        result: Per language, the sentence in which its result is told where no language model words it; see
            `models/rehearsal/results.py`.
        deeds: What its success lets an agent say was done; for a tool that only reads, what it finds out to have been.
        is_enabled: Whether it is offered at all.
    """

    name: str
    category: str
    kind: Kind
    description: str
    parameters: JsonObject
    returns: JsonObject | None = None
    channels: tuple[Channel, ...] = tuple(Channel)
    requires: tuple[str, ...] | None = None
    toolkit: str | None = None
    service: str | None = None
    timeout_ms: int | None = None
    confirm: bool = False
    read_back: Mapping[str, str] = field(default_factory=dict)
    proposes: tuple[str, ...] = ()
    verified: bool = False
    opened_by: str | None = None
    callers_own: bool = False
    is_async: bool = False
    on_call_start: bool = False
    writes: bool = False
    is_repeatable: bool = False
    repeat: Repeat = Repeat.SESSION
    say: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    result: Mapping[str, str] = field(default_factory=dict)
    deeds: tuple[Deed, ...] = ()
    is_enabled: bool = True

    def phrase(self, language: str, moment: str) -> str:
        """Return what is said at a moment (`running`, `slow`, `failed`) in a language, else in English; or nothing.

        Args:
            language: A tag such as `de` or `es-MX`.
            moment: One of those.
        """
        phrases = self.say.get(language_of(language)) or self.say.get("en") or {}
        return phrases.get(moment, "")

    def bridging(self, language: str) -> str:
        """Return what is said while it runs; nothing where the house has words in that language, and this has none."""
        known = language_of(language)
        return self.phrase(language, "running") if known in self.say or known not in HOUSE_LANGUAGES else ""

    def to_document(self) -> JsonObject:
        """Return the fields as they stand in `schema.json` and in Firestore; defaults are left out."""
        document: JsonObject = {
            "name": self.name,
            "category": self.category,
            "kind": self.kind.value,
            "channels": [c.value for c in self.channels],
            "description": self.description,
            "parameters": self.parameters,
        }
        optional: JsonObject = {
            "requires": None if self.requires is None else list(self.requires),
            "returns": self.returns,
            "toolkit": self.toolkit,
            "timeoutMs": self.timeout_ms,
            "confirm": self.confirm or None,
            "readBack": dict(self.read_back) or None,
            "proposes": list(self.proposes) or None,
            "verified": self.verified or None,
            "openedBy": self.opened_by,
            "callersOwn": self.callers_own or None,
            "async": self.is_async or None,
            "onCallStart": self.on_call_start or None,
            "repeatable": self.is_repeatable or None,
            "say": {lang: dict(phrases) for lang, phrases in self.say.items()} or None,
            "result": dict(self.result) or None,
            "deeds": [deed.value for deed in self.deeds] or None,
        }
        if self.writes != (self.kind is Kind.ACTION):
            optional["writes"] = self.writes
        if self.repeat is not Repeat.SESSION:
            optional["repeat"] = self.repeat.value
        if not self.is_enabled:
            optional["enabled"] = False
        return document | {name: value for name, value in optional.items() if value is not None}


def read_definition(name: str, document: Mapping[str, Any], base: Definition | None = None) -> Definition:
    """Read a definition's structure; schemas are only checked to be object schemas here.

    Args:
        name: The folder's or the document's id, which wins over a `name` inside (they must agree).
        document: The fields; unknown ones are ignored so that newer documents can be read by older code.
        base: Fills what the document leaves out (a Firestore document may hold only three fields).

    Raises:
        DefinitionError: The first field that cannot be used; `problems` lists all of them.
    """
    errors = list(problems(name, document, base))
    if errors:
        raise errors[0]
    kind = Kind(document["kind"]) if "kind" in document else (base.kind if base else Kind.RETRIEVAL)

    def pick(key: str, attribute: str, default: Any) -> Any:
        value = document.get(key)
        if value is not None:
            return value
        return getattr(base, attribute) if base else default

    return Definition(
        name=name,
        category=pick("category", "category", "general"),
        kind=kind,
        description=pick("description", "description", ""),
        parameters=pick("parameters", "parameters", {"type": "object", "properties": {}}),
        returns=pick("returns", "returns", None),
        channels=tuple(c for c in Channel if c in pick("channels", "channels", tuple(Channel))),
        requires=_requires(document, base),
        toolkit=pick("toolkit", "toolkit", None),
        timeout_ms=pick("timeoutMs", "timeout_ms", None),
        confirm=pick("confirm", "confirm", False),
        read_back=pick("readBack", "read_back", {}),
        proposes=tuple(pick("proposes", "proposes", ())),
        verified=pick("verified", "verified", False),
        opened_by=pick("openedBy", "opened_by", None),
        # A stored document may take it away; only code can be relied on to look whose something is.
        callers_own=pick("callersOwn", "callers_own", False) and (base is None or base.callers_own),
        is_async=pick("async", "is_async", False),
        on_call_start=pick("onCallStart", "on_call_start", False),
        writes=pick("writes", "writes", kind is Kind.ACTION),
        is_repeatable=pick("repeatable", "is_repeatable", False),
        repeat=Repeat(pick("repeat", "repeat", Repeat.SESSION)),
        say=pick("say", "say", {}),
        result=pick("result", "result", {}),
        deeds=_deeds(document, base),
        is_enabled=pick("enabled", "is_enabled", True),
    )


def _requires(document: Mapping[str, Any], base: Definition | None) -> tuple[str, ...] | None:
    if document.get("requires") is not None:
        return tuple(document["requires"])
    # A document that moves a tool to another category means that category's conditions, not the old ones.
    if base is None or document.get("category", base.category) != base.category:
        return None
    return base.requires


def _deeds(document: Mapping[str, Any], base: Definition | None) -> tuple[Deed, ...]:
    given = document.get("deeds", document.get("claims"))
    if given is not None:
        return deeds_named(given)
    return base.deeds if base else ()


_TEXT = ("text", str, "write it as a string")
_FLAG = ("true or false", bool, "write true or false")
_OBJECT = ("an object", Mapping, "write it as a JSON object")
_QUESTION = (f"an object by language, such as {QUESTION}", Mapping, "write one sentence for each language")
_NAMES = ("a list of names", list, 'write a list of strings, such as ["phone"]')
_SHAPES: dict[str, tuple[str, type, str]] = {
    "name": _TEXT,
    "category": _TEXT,
    "kind": _TEXT,
    "repeat": _TEXT,
    "description": _TEXT,
    "toolkit": _TEXT,
    "openedBy": _TEXT,
    "parameters": _OBJECT,
    "returns": _OBJECT,
    "readBack": _QUESTION,
    "proposes": ("a list of names", list, 'write what propose finds out, such as ["with"]'),
    "say": (f"an object by language, such as {PHRASES}", Mapping, "write the phrases of each language"),
    "result": (f"an object by language, such as {SENTENCE}", Mapping, "write one sentence for each language"),
    "deeds": ("a list of deeds", list, 'write a list such as ["booked"]'),
    # What stood in definitions before `deeds`: its keys are read, its words are not needed any more.
    "claims": _OBJECT,
    "channels": _NAMES,
    "requires": _NAMES,
    "confirm": _FLAG,
    "verified": _FLAG,
    "callersOwn": _FLAG,
    "async": _FLAG,
    "onCallStart": _FLAG,
    "writes": _FLAG,
    "repeatable": _FLAG,
    "enabled": _FLAG,
    "timeoutMs": ("a whole number", int, "write milliseconds, such as 2000"),
}
FIELDS = frozenset(_SHAPES)
"""What a stored definition may have."""


def problems(name: str, document: Mapping[str, Any], base: Definition | None = None) -> list[DefinitionError]:
    """Return everything that keeps a document from being read as the definition `name`; empty when it can be."""
    errors = []
    if not TOOL_NAME.match(name):
        errors.append(DefinitionError("name", f"{name!r} is not a tool name", f"use {TOOL_NAME.pattern}"))
    for key, (expected, shape, remedy) in _SHAPES.items():
        value = document.get(key)
        if value is not None and (not isinstance(value, shape) or (shape is int and isinstance(value, bool))):
            errors.append(DefinitionError(key, f"expected {expected}, found {type(value).__name__}", remedy))
    if errors:
        return errors
    if document.get("name", name) != name:
        errors.append(DefinitionError("name", f"{document['name']!r} differs from {name!r}", f"write {name!r}"))
    for key in ("category", "description", "parameters"):
        if not document.get(key) and base is None:
            errors.append(DefinitionError(key, "is missing", "every definition needs it"))
    errors += _closed_sets(document)
    errors += [DefinitionError(*fault) for fault in spoken_faults(document)]
    if base is not None and document.get("readBack"):
        errors += [DefinitionError(*fault) for fault in question_faults(document, base.to_document())]
    parameters = document.get("parameters")
    if parameters is not None and parameters.get("type") != "object":
        errors.append(DefinitionError("parameters.type", "must be object", 'write "type": "object" at the top'))
    if document.get("timeoutMs") is not None and not 1 <= document["timeoutMs"] <= 600_000:
        errors.append(DefinitionError("timeoutMs", "is out of range", "use 1 to 600000 milliseconds"))
    return errors


def _of_set(document: Mapping[str, Any], key: str, words: type[StrEnum]) -> Iterator[DefinitionError]:
    known = [word.value for word in words]
    if document.get(key) is not None and document[key] not in known:
        yield DefinitionError(key, f"{document[key]!r} is not a {key}", f"use one of {', '.join(known)}")


def _closed_sets(document: Mapping[str, Any]) -> list[DefinitionError]:
    errors = [error for key, words in (("kind", Kind), ("repeat", Repeat)) for error in _of_set(document, key, words)]
    channels = [c.value for c in Channel]
    for channel in document.get("channels") or ():
        if channel not in channels:
            errors.append(DefinitionError("channels", f"unknown channel {channel!r}", f"use {', '.join(channels)}"))
    for condition in document.get("requires") or ():
        if not isinstance(condition, str):
            errors.append(DefinitionError("requires", "every condition must be text", "such as feature:records"))
    deeds = [deed.value for deed in Deed]
    for deed in document.get("deeds") or ():
        if deed not in deeds:
            errors.append(DefinitionError("deeds", f"unknown deed {deed!r}", f"use {', '.join(deeds)}"))
    return errors


class Deed(StrEnum):
    """Something that an agent may say was done.

    `OTHER` is a deed with a name that none of these is, such as a waived fee; `UNNAMED` one that is not named at all,
    such as in "Done!".
    """

    BOOKED = "booked"
    MOVED = "moved"
    CANCELLED = "cancelled"
    TEXTED = "texted"
    MAILED = "mailed"
    PASSED_ON = "passed_on"
    TRANSFERRED = "transferred"
    VERIFIED = "verified"
    ENTERED = "entered"
    PAID = "paid"
    REFUNDED = "refunded"
    ORDERED = "ordered"
    OTHER = "other"
    UNNAMED = "unnamed"


# No built-in tool does these: they are an owner's tool's, whatever that is called.
OWNERS_OWN = frozenset({Deed.PAID, Deed.REFUNDED, Deed.ORDERED, Deed.OTHER, Deed.UNNAMED})
# How `claims` of definitions that were stored earlier name them.
_FORMER = {
    "emailed": Deed.MAILED,
    "message_taken": Deed.PASSED_ON,
    "code_sent": Deed.TEXTED,
}


def deeds_named(names: Iterable[str]) -> tuple[Deed, ...]:
    """Return the deeds of these names, also of names that were used before; one that is not known is another deed."""
    known = {deed.value: deed for deed in Deed} | _FORMER
    return tuple(dict.fromkeys(known.get(name, Deed.OTHER) for name in names))
