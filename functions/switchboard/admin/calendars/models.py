"""What is sent and answered about calendars elsewhere: connections to them, and the addresses that they read."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field
from pydantic.json_schema import SkipJsonSchema

from switchboard.admin.api.models import AnswerBody, Moment, OneLine, QueryParameters, RequestBody


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


class ConnectedBusinessQuery(QueryParameters):
    """Which business it is about."""

    business_id: str = Field(default="", description="May be left out by those who have only one.")


class ConnectQuery(ConnectedBusinessQuery):
    """What is to be connected, and how the browser gets to the vendor."""

    calendar_id: str | None = Field(
        default=None,
        description="The calendar to use: `primary`, or its id there; else the one that is in use.",
    )
    redirect: str = Field(default="", description="1 is answered with the way to the vendor itself.")


class ConnectionBegun(AnswerBody):
    """A connection that is begun: its owner has ten minutes to give consent."""

    url: str = Field(description="Where the vendor asks for it, for the browser that has asked here.")
    page: str = Field(description="Our page to which a form with `state` goes, for any other browser of the owner.")
    state: str
    expires_at: Moment


class ConnectionEnded(AnswerBody):
    """That the business is not connected any more."""

    disconnected: bool
    revoked: bool = Field(description="Whether the vendor has taken the permission back too.")


class BegunQuery(QueryParameters):
    """What a vendor, or a link to our own page, carries round; vendors add names of their own, such as `scope`."""

    model_config = ConfigDict(extra="ignore")

    state: str = ""


class ReturnQuery(BegunQuery):
    """What a vendor sends a browser back with."""

    code: str = ""
    error: str = ""


class BegunForm(BaseModel):
    """What an owner sends before going on to the vendor."""

    state: str
    key: str | SkipJsonSchema[None] = Field(
        default=None, description="The owner's key, where the form does not come from the owner's own pages."
    )
