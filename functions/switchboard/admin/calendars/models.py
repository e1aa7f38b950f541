"""What is sent and answered about addresses at which calendars read a business's appointments."""

from typing import Annotated

from pydantic import Field

from switchboard.admin.api.models import AnswerBody, Moment, OneLine, RequestBody


class FeedBody(RequestBody):
    """Whose calendar reads it, and what stands in it."""

    name: Annotated[str, OneLine(100, 1)] = Field(description="Whose calendar reads it.")
    shows_names: bool = Field(default=False, description="Whether customers are named.")
    person: str | None = Field(
        default=None, description="The only one whose appointments stand in it, by id; null for everybody's."
    )


class FeedShown(AnswerBody):
    """An address, without its secret."""

    id: str
    name: str
    shows_names: bool
    person: str | None
    created_at: Moment | None
    revision: str


class FeedList(AnswerBody):
    """A business's addresses, by name."""

    feeds: list[FeedShown]


class FeedMade(AnswerBody):
    """A new address, which is told this once."""

    id: str
    url: str
    revision: str


class FeedRevoked(AnswerBody):
    """That nobody can read it any more."""

    revoked: bool
