"""What is asked about calls and chats."""

from typing import Annotated

from pydantic import Field

from switchboard.admin.access.refusal import EntryProblem, NotValid
from switchboard.admin.api.models import MomentAsked, OneOf, QueryParameters
from switchboard.admin.conversations.records import InteractionFilter
from switchboard.contract.channel import Channel
from switchboard.contract.conclusion import OUTCOMES

_OUTCOME = f"What came of it, or how its last turn ended while it goes on: {', '.join(OUTCOMES)}."
_CHANNELS = tuple(channel.value for channel in Channel)


class SpanQuery(QueryParameters):
    """From when to when conversations began."""

    since: MomentAsked | None = Field(
        default=None, alias="from", description="Begun at this time, with its offset, or later."
    )
    until: MomentAsked | None = Field(default=None, alias="to", description="Begun before this time.")

    def wanted(self) -> InteractionFilter:
        """Return which conversations are asked for.

        Raises:
            NotValid: The time ends before it begins.
        """
        if self.since and self.until and self.since >= self.until:
            raise NotValid([EntryProblem("to", "to must be later than from.")])
        return InteractionFilter(self.since, self.until)


class PeriodQuery(SpanQuery):
    """From when to when conversations began, on which channel, and what came of them."""

    channel: Annotated[str, OneOf(_CHANNELS)] | None = Field(
        default=None, description="phone, portal or browser_voice."
    )
    outcome: Annotated[str, OneOf(OUTCOMES)] | None = Field(default=None, description=_OUTCOME)

    def wanted(self) -> InteractionFilter:
        """Return which conversations are asked for.

        Raises:
            NotValid: The time ends before it begins.
        """
        span = super().wanted()
        return InteractionFilter(span.since, span.until, self.channel, self.outcome)
