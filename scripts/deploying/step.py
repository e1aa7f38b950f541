"""One step of a deployment: why, and which command."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias


@dataclass(frozen=True)
class FromOutput:
    """An argument that ends with the first line another command prints, which is read when its own command is run.

    Attributes:
        before: What stands before it.
        read: The command.
        may_be_empty: Whether nothing is an answer, too.
    """

    before: str
    read: Command
    may_be_empty: bool = False

    def __str__(self) -> str:
        return f'"{self.before}$({written(self.read)} | head -n 1)"'


@dataclass(frozen=True)
class Kept:
    """What a step before has found out and kept under this name."""

    name: str


@dataclass(frozen=True)
class Joined:
    """An argument made of texts and of what steps before have kept."""

    parts: tuple[str | Kept, ...]

    def __str__(self) -> str:
        return "".join(f'"${{{part.name}}}"' if isinstance(part, Kept) else shlex.quote(part) for part in self.parts)

    def filled(self, values: Mapping[str, str]) -> str:
        """Return it with what was kept."""
        return "".join(values[part.name] if isinstance(part, Kept) else part for part in self.parts)


Argument: TypeAlias = "str | FromOutput | Joined"
Command: TypeAlias = "tuple[Argument, ...]"


@dataclass(frozen=True)
class Step:
    """Something to be done.

    Attributes:
        part: What `--only` names it by.
        reason: Why, in one sentence without a full stop.
        command: What is run; with a probe, only where that succeeds. Empty: nothing has to be done then.
        probe: Asks whether what `otherwise` makes is there already.
        otherwise: What is run where the probe fails.
        remedy: What to do when it fails, if the command itself would not say.
        keeps: The name under which later steps find the first line that the command prints; empty for none.
    """

    part: str
    reason: str
    command: Command
    probe: Command = ()
    otherwise: Command = ()
    remedy: str = field(default="", compare=False)
    keeps: str = ""

    def shell(self) -> str:
        """Return the step as it would be typed."""
        if self.keeps:
            return f'{self.keeps}="$({written(self.command)} | head -n 1)"'
        if not self.probe:
            return written(self.command)
        asked = f"{written(self.probe)} >/dev/null 2>&1"
        if not self.command:
            return f"{asked} ||\n  {written(self.otherwise)}"
        return f"if {asked}; then\n  {written(self.command)}\nelse\n  {written(self.otherwise)}\nfi"


def written(command: Command) -> str:
    """Return a command as it would be typed."""
    return " ".join(shlex.quote(word) if isinstance(word, str) else str(word) for word in command)
