"""A tool ready to be called: its definition with what is compiled from it, each part on first use."""

import importlib
from collections.abc import Callable
from datetime import tzinfo
from functools import cached_property
from typing import TypeAlias

from switchboard.catalog.arguments import ArgumentReader, Arguments
from switchboard.catalog.provenance import Provenance, declared
from switchboard.catalog.registry import BuiltTool
from switchboard.catalog.schema import CompiledSchema, compile_schema
from switchboard.contract.business import Business
from switchboard.contract.context import Context
from switchboard.contract.definition import Definition
from switchboard.contract.json import JsonObject

Shorten: TypeAlias = Callable[[JsonObject, int], JsonObject]
"""`shorten(data, characters)` beside a handler: its result, in at most so many characters of JSON if that can be."""


class Tool:
    """A published definition joined to the handler that serves it.

    Compiling a schema costs more than a call; it happens once per definition, not once per set or session.
    """

    def __init__(self, definition: Definition, built: BuiltTool) -> None:
        """Keep both; nothing is compiled yet."""
        self.definition = definition
        self.built = built

    @classmethod
    def as_built(cls, built: BuiltTool) -> "Tool":
        """Return the tool exactly as it was built."""
        return cls(built.definition, built)

    @cached_property
    def provenance(self) -> Provenance:
        """Which arguments the call provides, whatever a model sends."""
        return Provenance.of(self.definition.parameters)

    @cached_property
    def declared(self) -> Definition:
        """The definition as a model is told it: without what the call provides."""
        return declared(self.definition)

    @cached_property
    def arguments(self) -> ArgumentReader:
        """Reads, coerces and checks what a model sends, against what it was told: hidden names stay hidden."""
        return ArgumentReader(self.declared.parameters)

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
        found = self.arguments.read(sent, zone)
        ignored = tuple(sorted({*found.ignored, *dropped}))
        return Arguments(found.canonical | provided, found.values | provided, ignored)

    @cached_property
    def returns(self) -> CompiledSchema | None:
        """Checks what the handler gives back."""
        return compile_schema(self.definition.returns) if self.definition.returns is not None else None

    @cached_property
    def shorten(self) -> Shorten | None:
        """The tool's own way of shortening a result, or None; imports its handler."""
        module = importlib.import_module(self.built.handler_path.partition(":")[0])
        found: Shorten | None = getattr(module, "shorten", None)
        return found
