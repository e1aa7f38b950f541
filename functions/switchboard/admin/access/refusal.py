"""What an owner's request can run into, as exceptions that the pages show and the HTTP API answers with a status."""

from collections.abc import Sequence

from switchboard.admin.documents.difference import ABSENT, Difference
from switchboard.contract.definitions.definition import DefinitionError
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.json import JsonObject
from switchboard.contract.python.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class EntryProblem:
    """One thing that is wrong with what an owner entered, and what would be right; `field` is a dotted path.

    `is_unknown` tells a name that nothing reads; `meant` is then the full path of the known one that it is nearest to.
    """

    field: str
    message: str
    is_unknown: bool = False
    meant: str = ""


class NotValid(ToolError):
    """What was entered cannot be kept; `problems` names everything that is wrong with it at once."""

    def __init__(self, problems: Sequence[EntryProblem]) -> None:
        super().__init__(ErrorType.VALIDATION, " ".join(p.message for p in problems))
        self.problems = tuple(problems)


class TooLarge(ToolError):
    """More was sent than is read."""

    def __init__(self, bytes: int) -> None:
        super().__init__(ErrorType.VALIDATION, f"The body is larger than {bytes} bytes.")


class NotFound(ToolError):
    """There is no such thing in the business; `field` is what in the request named it, where the path did not."""

    def __init__(self, message: str, field: str = "") -> None:
        super().__init__(ErrorType.NOT_FOUND, message)
        self.field = field


class NotSetUp(ToolError):
    """The operator of this deployment has not set up what is asked for."""

    def __init__(self, message: str) -> None:
        super().__init__(ErrorType.PERMANENT, message)


class Forbidden(ToolError):
    """The role is enough for the request, but not for everything that it changes."""

    def __init__(self, message: str) -> None:
        super().__init__(ErrorType.AUTH, message)


class RevisionMissing(ToolError):
    """A change did not say which revision it was based on, so that it might undo somebody else's unseen."""

    def __init__(self) -> None:
        super().__init__(
            ErrorType.VALIDATION,
            "Say which revision your change is based on: send the revision that you read as the header If-Match, or "
            'as "revision" in the body.',
        )


class OutOfDate(ToolError):
    """Somebody else changed the document since it was read; nothing was written.

    Attributes:
        revision: Of what is there now; None where it is gone.
        current: What is there now.
        yours: What the request would have made of it.
        differences: Where the two differ, `before` being what is there now.
        changed_by: Who changed it last, as far as that is known.
    """

    def __init__(
        self,
        revision: str | None,
        current: JsonObject | None,
        yours: JsonObject | None,
        differences: Sequence[Difference] = (),
        changed_by: str = "",
    ) -> None:
        whose = changed_by or "Somebody else"
        super().__init__(
            ErrorType.CONFLICT,
            f"{whose} has changed this since you read it, and nothing of yours was saved. Look at both versions, then "
            "save again based on the new revision.",
        )
        self.revision, self.current, self.yours = revision, current, yours
        self.differences, self.changed_by = tuple(differences), changed_by

    def to_json(self) -> JsonObject:
        """Return both versions and where they differ."""
        return {
            "revision": self.revision,
            "changedBy": self.changed_by or None,
            "current": self.current,
            "yours": self.yours,
            "differences": [_line(difference) for difference in self.differences],
        }


def _line(difference: Difference) -> JsonObject:
    sides: JsonObject = {"current": difference.before, "yours": difference.after}
    # A side that is not there is left out: null is something else.
    return {"field": difference.field} | {name: value for name, value in sides.items() if value is not ABSENT}


def problem(error: DefinitionError) -> EntryProblem:
    """Return what an owner is told about one thing that is wrong with a definition."""
    return EntryProblem(error.field, f"{error.field} {error.problem}; {error.remedy}.")
