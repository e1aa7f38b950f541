"""The built tools: one file read when a process starts, handlers imported when they are first called.

Seed 003 ("Build-Time Compilation"): the registry is a build artifact, not runtime discovery. It is also what is offered
when Firestore has nothing to say.
"""

import importlib
import json
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

from switchboard.catalog.definitions.signature import HandlerSignature
from switchboard.contract.definitions.definition import Definition, DefinitionError, read_definition
from switchboard.contract.json import JsonObject
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.response import Result

Handler: TypeAlias = Callable[..., Awaitable[Result]]
"""`execute(ctx, desk, *, …)`; the artifact's signature says which keywords it takes."""


class RegistryError(RuntimeError):
    """The artifact cannot be used; the message is one sentence that says what to do."""


@dataclass(frozen=True, slots=True)
class BuiltTool:
    """One tool as it was built.

    Attributes:
        definition: What `schema.json` says.
        summary: The guide's first sentence.
        guide: The whole guide.
        provider_schemas: Declarations by dialect: `openai`, `geminiNative`, `geminiJson`.
        signature: What the handler takes.
        handler_path: `package.module:function`.
    """

    definition: Definition
    summary: str
    guide: str
    provider_schemas: Mapping[str, JsonObject]
    signature: HandlerSignature
    handler_path: str

    @property
    def name(self) -> str:
        """The tool's name."""
        return self.definition.name

    def to_json(self) -> JsonObject:
        """Return the tool as it stands in the artifact (seed 003)."""
        return {
            "toolId": self.definition.name,
            "category": self.definition.category,
            "kind": self.definition.kind.value,
            "definition": self.definition.to_document(),
            "jsonSchema": self.definition.parameters,
            "providerSchemas": dict(self.provider_schemas),
            "summary": self.summary,
            "documentation": self.guide,
            "handlerPath": self.handler_path,
            "signature": self.signature.to_json(),
        }

    @classmethod
    def from_json(cls, row: Mapping[str, Any]) -> "BuiltTool":
        """Read what `to_json` wrote.

        Raises:
            DefinitionError, KeyError, TypeError: It was not written by `to_json`.
        """
        return cls(
            definition=read_definition(row["toolId"], row["definition"]),
            summary=row["summary"],
            guide=row["documentation"],
            provider_schemas=row["providerSchemas"],
            signature=HandlerSignature.from_json(row["signature"]),
            handler_path=row["handlerPath"],
        )


class Registry:
    """The artifact in memory.

    Attributes:
        version: Content hash, `1.0.` and 8 hex digits; equal sources give equal versions on every machine.
        git_commit: The commit it was built from, or empty.
        built_at: When it was built, ISO 8601 in UTC, or empty.
        prompts: The prompt templates by name.
        tools: The tools by name, sorted.
    """

    def __init__(
        self,
        version: str,
        tools: Mapping[str, BuiltTool],
        *,
        git_commit: str = "",
        built_at: str = "",
        prompts: Mapping[str, str] | None = None,
    ) -> None:
        """Keep what was built; `load` reads it from the artifact."""
        self.version = version
        self.prompts = prompts or {}
        self.git_commit = git_commit
        self.built_at = built_at
        self.tools = dict(sorted(tools.items()))
        self._handlers: dict[str, Handler] = {}

    @classmethod
    def load(cls, path: Path) -> "Registry":
        """Read the artifact.

        Raises:
            RegistryError: It is missing or was not made by this version's `scripts/build_tools`.
        """
        try:
            artifact = json.loads(path.read_text(encoding="utf-8"))
            tools = [BuiltTool.from_json(row) for row in artifact["tools"]]
            version, commit, built_at = (artifact[key] for key in ("version", "gitCommit", "buildTimestamp"))
            prompts = {str(name): str(text) for name, text in artifact["prompts"].items()}
        except FileNotFoundError:
            raise RegistryError(f"{path.name} is missing: run scripts/build_tools to make it.") from None
        except (AttributeError, DefinitionError, KeyError, TypeError, ValueError) as error:
            raise RegistryError(
                f"{path.name} cannot be read ({error}): run scripts/build_tools to remake it."
            ) from None
        by_name = {tool.name: tool for tool in tools}
        return cls(version, by_name, git_commit=commit, built_at=built_at, prompts=prompts)

    def handler(self, name: str) -> Handler:
        """Return a tool's handler, imported when it is first asked for.

        Raises:
            KeyError: No tool has that name.
        """
        if name not in self._handlers:
            module, _, function = self.tools[name].handler_path.partition(":")
            self._handlers[name] = getattr(importlib.import_module(module), function)
        return self._handlers[name]
