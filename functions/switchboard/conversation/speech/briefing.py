"""What a model is told in each request of one turn, put together."""

from switchboard.catalog.offer.offer import Offer
from switchboard.contract.model import Prompt
from switchboard.conversation.dependencies import Dependencies
from switchboard.conversation.session import CallSession


class Briefing:
    """Writes the requests of one turn; the moment that they tell of is that of the first.

    Attributes:
        offer: What the model was last told of; None before the first request.
    """

    def __init__(self, parts: Dependencies, session: CallSession) -> None:
        """Tell nothing yet."""
        self._parts, self._session = parts, session
        self.offer: Offer | None = None
        self._system = ""
        self._moment: str | None = None

    async def prompt(self, offer: Offer, most_tokens: int | None, *, may_call: bool) -> Prompt:
        """Return the next request: who speaks, what was said so far, and the tools, unless it must only speak."""
        parts, session = self._parts, self._session
        if offer is not self.offer:
            self.offer, self._system = offer, await parts.system(offer, session.facts)
        if self._moment is None:
            self._moment = parts.moment(offer, session.facts)
        tools = offer.declared_to_model(parts.model.dialect) if may_call else ()
        return Prompt(self._system, session.history.told(self._moment), tools, most_tokens, offer.scene)
