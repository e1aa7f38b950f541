"""What is asked, sent and answered about messages that callers have left."""

from typing import Annotated

from pydantic import Field

from switchboard.admin.api.models import AnswerBody, Moment, NextCursor, OneLine, OneOf, Paging, Prose, Revisioned

SHOWN = ("open", "done", "all")


class MessageQuery(Paging):
    """Which messages are listed."""

    show: Annotated[str, OneOf(SHOWN)] | None = Field(default=None, description="open, unless done or all is said.")
    text: Annotated[str, OneLine(200)] | None = Field(
        default=None, description="Only those with this in their words, their name or their number."
    )


class MessageHandled(Revisioned):
    """What somebody has done about a message; what is left out stays."""

    done: bool | None = None
    called_back: bool | None = Field(default=None, description="Whether somebody has rung the caller; that says when.")
    note: Annotated[str, Prose(1_000)] | None = None


class MessageShown(AnswerBody):
    """A message, and what was done about it."""

    id: str
    caller: str
    text: str
    phone: str | None = Field(description="The number to ring.")
    email: str | None
    is_urgent: bool
    at: Moment
    channel: str | None
    session_id: str | None = Field(description="The conversation that it was left in.")
    interaction_id: str | None = Field(description="The record of that conversation, where it is kept.")
    brought: str = Field(description="How far it was brought to you: todo, sending, sent, failed or unknown.")
    done: bool
    called_back_at: Moment | None
    note: str
    handled_by: str | None
    revision: str


class MessageList(AnswerBody):
    """A page of messages, the newest first."""

    messages: list[MessageShown]
    next_cursor: NextCursor
