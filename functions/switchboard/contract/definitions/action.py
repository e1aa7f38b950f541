"""A tool declared in Python, for integrators who would rather not write JSON (seed 001, `ToolAction`)."""

from dataclasses import dataclass

from switchboard.contract.channel import Channel
from switchboard.contract.definitions.definition import Definition, DefinitionError, Kind, problems
from switchboard.contract.definitions.parameters import Parameter, ParameterType, Values, object_schema
from switchboard.contract.json import JsonObject


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """One thing that a toolkit can do: a function of its own for the model (seed 001, "Problem 1").

    Attributes:
        name: What the model calls.
        description: What it does and when to use it, for the model.
        parameters: What a call may say, in order.
        returns: What comes back: the values, or a sentence about them.
        category: Inclusion group.
        kind: Whether it reads, acts or computes.
        toolkit: The integration it needs, if any.
        channels: Where it may be offered.

    Raises:
        DefinitionError: A name or a description is missing or cannot be, or two parameters have one name.
    """

    name: str
    description: str
    parameters: tuple[Parameter, ...] = ()
    returns: Values | str = ""
    category: str = "general"
    kind: Kind = Kind.RETRIEVAL
    toolkit: str | None = None
    channels: tuple[Channel, ...] = tuple(Channel)

    def __post_init__(self) -> None:
        """Refuse what no definition can be."""
        for error in problems(self.name, self.definition().to_document()):
            raise error
        names = [p.name for p in self.parameters]
        if len(set(names)) < len(names):
            raise DefinitionError("parameters", "has a name twice", "give each parameter its own name")

    def definition(self) -> Definition:
        """Return the tool's definition."""
        return Definition(
            name=self.name,
            category=self.category,
            kind=self.kind,
            description=self.description.strip(),
            parameters=object_schema(self.parameters),
            returns=self._returns(),
            channels=self.channels,
            requires=() if self.toolkit is None else (f"integration:{self.toolkit}",),
            toolkit=self.toolkit,
            writes=self.kind is Kind.ACTION,
        )

    def to_document(self) -> JsonObject:
        """Return the definition as it stands in `schema.json` and in Firestore."""
        return self.definition().to_document()

    def _returns(self) -> JsonObject | None:
        if isinstance(self.returns, Values):
            return self.returns.schema()
        # A sentence is kept where a schema would say what it describes; results are then checked to be objects only.
        return Values(type=ParameterType.OBJECT, description=self.returns).schema() if self.returns else None
