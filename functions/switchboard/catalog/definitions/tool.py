"""A tool ready to be called: its definition with what is compiled from it, each part on first use.

A parameter says `"x-where": "people"`; where a business has not got that, the tool is offered without it, and whoever
sends it all the same is told that it is no argument.
"""

from __future__ import annotations

import importlib
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import replace
from datetime import tzinfo
from enum import StrEnum
from functools import cached_property
from typing import Any, Final, TypeAlias

from switchboard.catalog.arguments.arguments import ArgumentReader, Arguments
from switchboard.catalog.arguments.trusted_values import Provenance, declared
from switchboard.catalog.definitions.registry import BuiltTool, Handler, Registry
from switchboard.catalog.definitions.variables import PhoneNumbers, interpolate
from switchboard.catalog.schema.schema import CompiledSchema, compile_schema
from switchboard.catalog.schema.sensitivity import holds_secret, secrets_in
from switchboard.contract.business.business import Business
from switchboard.contract.caller.trusted_facts import Trust
from switchboard.contract.context import Context
from switchboard.contract.definitions.definition import Definition, DefinitionError, Kind
from switchboard.contract.json import JsonObject
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.response import Proposal

Shorten: TypeAlias = Callable[[JsonObject, int], JsonObject]
"""`shorten(data, characters)` beside a handler: its result, in at most so many characters of JSON if that can be."""
Propose: TypeAlias = Callable[..., Awaitable[Proposal]]
"""`propose(ctx, desk, *, …)` beside a handler, with its arguments: what a call would change, found out beforehand."""

WHERE: Final = "x-where"

# word → (whether a business has it, why a parameter is missing where it has not)
_PLACES: Mapping[str, tuple[Callable[[Business], bool], str]] = {
    "people": (lambda business: bool(business.people), "the business has entered nobody whom appointments are with"),
    "parties": (lambda business: business.takes_parties, "nothing at the business is for several people together"),
}


class Way(StrEnum):
    """How a caller gets to the people of a business."""

    MESSAGE = "message"
    TRANSFER = "transfer"


@dataclass(frozen=True, slots=True)
class Door:
    """Whom a transfer puts a call through to: a number, the person of a rule, or, saying neither, any of the rules."""

    number: str = ""
    rule_id: str = ""


_WAYS = {"take_message": Way.MESSAGE, "transfer_call": Way.TRANSFER}


class Tool:
    """A published definition joined to the handler that serves it.

    Compiling a schema costs more than a call; it happens once per definition, not once per set or session.
    """

    def __init__(self, definition: Definition, built: BuiltTool | None) -> None:
        """Keep both; nothing is compiled yet. A tool that was not built here finds its handler by other means."""
        self.definition = definition
        self.built = built
        self.left_out: Mapping[str, str] = {}
        self._without: dict[frozenset[str], Tool] = {}

    @classmethod
    def as_built(cls, built: BuiltTool) -> Tool:
        """Return the tool exactly as it was built."""
        return cls(built.definition, built)

    @cached_property
    def asks_who_calls(self) -> bool:
        """Whether a call of it depends on who is calling."""
        is_asked = self.definition.verified or self.definition.callers_own or self.looks_up_by_caller
        return is_asked or any(source.least is Trust.VERIFIED for source in self.provenance.sources.values())

    @cached_property
    def answers_anybody(self) -> bool:
        """Whether it answers whoever calls the same: it was built here, only reads, and is given nothing of them."""
        is_read = self.built is not None and self.definition.kind is Kind.RETRIEVAL and not self.asks_who_calls
        return is_read and all(source.least is Trust.TENANT for source in self.provenance.sources.values())

    def at(self, business: Business | None) -> Tool:
        """Return the tool as one business has it: without parameters for what that has not got, named in `left_out`."""
        if self.built is None:
            return self
        absent = missing_parameters(self.definition.parameters, self.built.definition.parameters, business)
        if not absent:
            return self
        names = frozenset(absent)
        if names not in self._without:
            schema = self.definition.parameters
            properties = {name: inner for name, inner in schema["properties"].items() if name not in names}
            tool = Tool(replace(self.definition, parameters={**schema, "properties": properties}), self.built)
            tool.left_out = absent
            self._without[names] = tool
        return self._without[names]

    def handler(self, registry: Registry) -> Handler:
        """Return what carries out its calls, imported when it is first asked for."""
        return registry.handler(self.definition.name)

    @property
    def guide(self) -> str:
        """The tool's documentation; where nobody wrote any, its description under its name."""
        return self.built.guide.strip() if self.built else f"# {self.definition.name}\n\n{self.definition.description}"

    @property
    def owned_id(self) -> str:
        """By which an owner's tool is known, whatever it is called; empty for one of ours."""
        return ""

    @property
    def summary(self) -> str:
        """What it does, in a sentence."""
        return self.built.summary if self.built else self.definition.description

    @property
    def way(self) -> Way | None:
        """How it leads a caller to the people of the business; None for what does not."""
        return _WAYS.get(self.definition.name) if self.built else None

    @property
    def door(self) -> Door:
        """Whom it puts a call through to, where its way is a transfer."""
        return Door()

    @property
    def looks_up_by_caller(self) -> bool:
        """Whether whose data it reads depends on the caller's number, so that somebody has to have shown it."""
        return False

    @cached_property
    def secret_arguments(self) -> frozenset[str]:
        """The arguments that are kept nowhere, by the schema that was built: an edit cannot open them."""
        parameters = self._declaring.parameters
        # Of an argument with a secret inside nothing is kept: only whole arguments are told apart where it is stored.
        marked = (n for n, inner in parameters.get("properties", {}).items() if holds_secret(parameters, inner))
        return frozenset(marked)

    def secrets_in(self, arguments: JsonObject) -> tuple[str, ...]:
        """Return what of a call's arguments is secret, word by word, wherever in an argument it stands."""
        if not self.secret_arguments:
            return ()
        return secrets_in(
            {n: v for n, v in arguments.items() if n in self.secret_arguments}, self._declaring.parameters
        )

    @property
    def _declaring(self) -> Definition:
        return self.built.definition if self.built else self.definition

    @cached_property
    def provenance(self) -> Provenance:
        """Which arguments the call provides, whatever a model sends."""
        return Provenance.of(self.definition.parameters)

    @cached_property
    def declared(self) -> Definition:
        """The definition as a model is told it: without what the call provides."""
        return declared(self.definition)

    def told(self, business: Business | None, numbers: PhoneNumbers) -> Definition:
        """Return the definition as one conversation is told it, with its variables filled."""
        words = interpolate(self.declared.description, business)
        return self.declared if words == self.declared.description else replace(self.declared, description=words)

    @cached_property
    def arguments(self) -> ArgumentReader:
        """Reads, coerces and checks what a model sends, against what it was told: hidden names stay hidden."""
        with_time = self.definition.kind is Kind.ACTION
        return ArgumentReader(self.declared.parameters, with_time=with_time, declaring=self._declaring.parameters)

    def read(self, raw: JsonObject | str | None, facts: Context, business: Business | None, zone: tzinfo) -> Arguments:
        """Return the arguments of one call: the model's where it may give them, the call's own where it may not.

        Args:
            raw: What the model sent; see `ArgumentReader.read`.
            facts: What the channel knows.
            business: None when it could not be read.
            zone: The business's, in which times without offset are meant.

        Raises:
            Refused: MODE_RESTRICTED, a fact is needed that is not known here; VALIDATION, the rest cannot be used.
        """
        if not self.provenance.sources:
            return self.arguments.read(raw, zone)
        provided = self.provenance.provided(facts, business)
        sent, dropped = self.provenance.strip(raw)
        arguments = self.arguments.read(sent, zone)
        ignored = tuple(sorted({*arguments.ignored, *dropped}))
        return Arguments(arguments.canonical | provided, arguments.values | provided, ignored, arguments.days)

    @cached_property
    def returns(self) -> CompiledSchema | None:
        """Checks what the handler gives back."""
        return compile_schema(self.definition.returns) if self.definition.returns is not None else None

    def answer_problem(self, data: Any) -> str | None:
        """Return what is wrong with what the handler gave back; None where it is what was promised.

        That is what the definition promises, or the code: what an earlier version has published lacks the fields that
        its handler answers with by now, and nobody may be told that a booking failed because of them.
        """
        # Asking whether anything is wrong takes a third of asking what.
        if self.returns is None or self.returns.is_valid(data):
            return None
        if self._of_code is not None and self._of_code.is_valid(data):
            return None
        return self.returns.problem(data)

    @cached_property
    def _of_code(self) -> CompiledSchema | None:
        promised = self.built.definition.returns if self.built is not None else None
        return compile_schema(promised) if promised is not None and promised != self.definition.returns else None

    @cached_property
    def shorten(self) -> Shorten | None:
        """The tool's own way of shortening a result, or None; imports its handler."""
        shortener: Shorten | None = self._beside_handler("shorten")
        return shortener

    @cached_property
    def propose(self) -> Propose | None:
        """How the tool finds out what a call would change, or None; imports its handler."""
        proposer: Propose | None = self._beside_handler("propose")
        return proposer

    def _beside_handler(self, name: str) -> Any:
        if self.built is None:
            return None
        return getattr(importlib.import_module(self.built.handler_path.partition(":")[0]), name, None)


def where_problems(parameters: JsonObject) -> list[DefinitionError]:
    """Return what is wrong with where a schema says that its parameters are there; empty when all can be done."""
    problems = []
    for name, word in _words(parameters):
        at = f"parameters.properties.{name}.{WHERE}"
        if not isinstance(word, str) or word not in _PLACES:
            problems.append(
                DefinitionError(at, f"{word!r} is nothing that a business has", f"use {' or '.join(_PLACES)}")
            )
        elif name in parameters.get("required", ()):
            remedy = "leave it out of required"
            problems.append(DefinitionError(at, "is not everywhere, but the parameter is required", remedy))
    return problems


def missing_parameters(parameters: JsonObject, built: JsonObject, business: Business | None) -> dict[str, str]:
    """Return the parameters that a business has not got, each with what it lacks.

    Args:
        parameters: The schema that is used.
        built: That of the code: an edit in which the word is lost does not bring the parameter to everybody.
        business: None when it could not be read; then nothing is there that is not everywhere.
    """
    known = parameters.get("properties", {})
    words = dict(_words(built)) | dict(_words(parameters))
    return {
        name: word
        for name, word in words.items()
        if name in known and word in _PLACES and (business is None or not _PLACES[word][0](business))
    }


def why_missing(word: str) -> str:
    """Return why a parameter of that word is missing, for owners."""
    return _PLACES[word][1]


def _words(parameters: JsonObject) -> Iterator[tuple[str, Any]]:
    for name, inner in parameters.get("properties", {}).items():
        if isinstance(inner, Mapping) and WHERE in inner:
            yield name, inner[WHERE]
