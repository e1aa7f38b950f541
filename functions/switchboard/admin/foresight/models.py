"""What is answered where a change is only to be told: which businesses would lose or get which tools."""

from typing import Literal

from pydantic import Field

from switchboard.admin.api.models import AnswerBody, Count


class ToolGot(AnswerBody):
    """A tool that would newly be offered."""

    tool: str = Field(description="Its name.")
    channels: list[str] = Field(description="Where.")
    agent_id: str | None = Field(description="By which agent; null for whoever answers there.")


class ToolLost(ToolGot):
    """A tool that would be offered no more."""

    reason: str = Field(description="Why, as an explained list of the tools says it.")


class KeyLostShown(AnswerBody):
    """A key, or an account, that would be let in no more."""

    id: str = Field(description="Names it to its owners.")
    name: str = Field(description="What they call it.")
    scopes: list[str] = Field(description="What it allows now.")
    reason: str = Field(description="What becomes of whoever comes with it.")


class BusinessForeseen(AnswerBody):
    """What one business would lose and get."""

    business_id: str
    loses: list[ToolLost] = Field(description="Tools that it would offer no more.")
    gets: list[ToolGot] = Field(description="Tools that it would newly offer.")
    keys: list[KeyLostShown] = Field(description="Keys that would be let in no more.")


class OffersForeseen(AnswerBody):
    """What a change would do, of which nothing was done."""

    dry_run: Literal[True]
    businesses: list[BusinessForeseen] = Field(description="Those for which something would be otherwise.")
    looked_at: Count = Field(description="How many businesses were looked at.")
    are_all: bool = Field(description="Whether those are all that it is about; of all businesses, 300 are looked at.")
    words: list[str] = Field(description="What would be lost, a sentence each.")
