"""What is sent and answered about what was changed, and undone."""

from typing import Literal

from pydantic import Field

from switchboard.admin.api.models import AnswerBody, Moment, NextCursor, Paging, Revisioned
from switchboard.contract.json import JsonObject


class AuditQuery(Paging):
    """Which changes are listed."""

    kind: str | None = Field(default=None, description="Only of this kind, such as business or policies.")
    document: str | None = Field(default=None, description="Only of the document of this id.")


class Doer(AnswerBody):
    """Who did something, as they were then."""

    id: str = ""
    name: str = ""
    role: str = ""


class ChangeShown(AnswerBody):
    """A change that somebody made."""

    id: str
    at: Moment
    who: Doer
    kind: str
    document: str
    deed: Literal["created", "changed", "deleted"]
    before: JsonObject = Field(description="The fields that changed, as they were.")
    after: JsonObject = Field(description="The same fields, as they then were.")
    changes: list[str]
    undoes: str | None
    undone_by: str | None
    redone_by: str | None
    is_undoable: bool
    why_not_undoable: str | None


class ChangeList(AnswerBody):
    """A page of changes, the newest first."""

    entries: list[ChangeShown]
    next_cursor: NextCursor


class SharedChangeShown(AnswerBody):
    """A change of what all businesses share, as it concerns one of them."""

    id: str
    at: Moment
    who: Doer = Field(description="For those who are not of it, that it was the platform.")
    deed: str
    kind: Literal["definition", "prompt"]
    names: list[str] = Field(description="Of the tools, or of the templates of prompts.")
    what: str = Field(description="What it means to the business's callers.")
    words: str | None = Field(description="Of words that it changed, whether these were tried; null for none.")


class ReachingChange(AnswerBody):
    """A change that reaches the business's callers: one of its own, or one of what all businesses share."""

    own: ChangeShown | None = Field(description="A change of the business; null for one of what all share.")
    shared: SharedChangeShown | None = Field(description="The other way round.")


class ReachingChangeList(AnswerBody):
    """A page of changes of both kinds, the newest first."""

    changes: list[ReachingChange]
    next_cursor: NextCursor


class SharedSides(AnswerBody):
    """What the business had of a tool before a change, and has since; null where it had none."""

    before: JsonObject | None
    after: JsonObject | None
    changes: list[str]


class SharedChangeLooked(SharedChangeShown):
    """A change of what all businesses share, with what differs for this one, by name."""

    documents: dict[str, SharedSides]


class ChangeLooked(ChangeShown):
    """A change, and what undoing it is based on."""

    revision: str | None


class UndoBody(Revisioned):
    """Undoing takes nothing but the revision."""


class ChangeUndone(AnswerBody):
    """What was undone, and the entry that tells of it."""

    undone: str
    revision: str
    entry_id: str | None
