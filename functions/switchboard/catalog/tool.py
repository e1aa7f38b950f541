"""A tool ready to be called: its definition with what is compiled from it, each part on first use."""

from functools import cached_property

from switchboard.catalog.arguments import ArgumentReader
from switchboard.catalog.registry import BuiltTool
from switchboard.catalog.schema import CompiledSchema, compile_schema
from switchboard.contract.definition import Definition


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
    def arguments(self) -> ArgumentReader:
        """Reads, coerces and checks what a model sends."""
        return ArgumentReader(self.definition.parameters)

    @cached_property
    def returns(self) -> CompiledSchema | None:
        """Checks what the handler gives back."""
        return compile_schema(self.definition.returns) if self.definition.returns is not None else None
