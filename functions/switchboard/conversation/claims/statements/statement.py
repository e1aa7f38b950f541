"""A sentence that is about to be said, with all that it is held against, and what somebody has told in words."""

import re
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime

from switchboard.contract.business.business import Business
from switchboard.contract.definitions.definition import Deed
from switchboard.contract.model import Noted, ToolMessage, UserMessage
from switchboard.contract.python.dataclass import dataclass
from switchboard.conversation.claims.fact_sources import Sources
from switchboard.conversation.claims.facts import STANDING, Evidence, each_once, texts_in
from switchboard.conversation.claims.time_words import WEEKDAYS
from switchboard.conversation.guard import HELD_NOTES, HeldFact, Unfounded
from switchboard.conversation.session import CallSession

LONGEST_STATEMENT = 300
"""What is longer is not read as a statement: it has more clauses than anybody says in one breath."""
# "On Mondays" is told of each of them.
_EACH_DAY = re.compile(rf"\b({'|'.join(sorted(WEEKDAYS, key=len, reverse=True))})(?:s|en|n)\b", re.I)
_PIECE, _OVERLAP = 500, 100
IN_CASE = re.compile(
    r"\b(?:if|unless|whether|when|whenever|once|until|as soon as|in case|usually|often|mostly|sometimes|wenn|falls|ob"
    r"|sobald|bis|meistens?|oft|manchmal|normalerweise|si(?! (?:occup|prend))|cuando|en cuanto|hasta que|normalmente"
    r"|suelen?|quand|lorsque|dès que|souvent|d'habitude|(?:ver|vejo|verificar|vedere|vedo|guardo|controllo"
    r"|controllare|chiedo|sapere|saber)(?: \w+)? se|se(?= (?:il|la|lo|o|a|lei|vuole|preferisce|quiser|você|a senhora"
    r"|o senhor"
    r"|puder|può|riesce)\b)|quando|appena|di solito|assim que|costumam?|als|wanneer|zodra|meestal|vaak)\b",
    re.I,
)
"""What makes of a statement one of what may be, or of what mostly is."""


@dataclass(frozen=True, slots=True)
class SpokenStatement:
    """What is about to be said.

    Attributes:
        sentence: In plain marks.
        business: Who says it.
        session: The conversation, with what its calls came to.
        sources: Which tools bear what out.
        known: Returns what was done, and which appointments there are.
        now: Local.
        deeds: Which it claims, as it is read.
    """

    sentence: str
    business: Business
    session: CallSession
    sources: Sources
    known: Callable[[], Sequence[Evidence]]
    now: datetime
    deeds: frozenset[Deed]

    def refused(self, why: str, fact: HeldFact | None = None) -> Unfounded:
        """Return what to raise, which tells the model why it must not be said, and the house what is known of it."""
        return Unfounded(
            self.sentence,
            f"You were about to say: {self.sentence!r}. Do not say it, and the caller has not heard it: {why}",
            fact=fact,
        )

    def heard(self) -> list[str]:
        """Return what callers have said."""
        return [one.text for one in self.session.history.messages if isinstance(one, UserMessage)]

    def was_done_now(self) -> bool:
        """Tell whether anything was done in this turn."""
        return any(receipt.turn == self.session.facts.turn for receipt in self.session.receipts)

    def standing(self) -> list[Evidence]:
        """Return every appointment that is to be, as far as it is known, each once."""
        return each_once(item for item in self.known() if item.moments and not item.deeds.isdisjoint(STANDING))

    def own_words(self) -> list[str]:
        """Return what the business says of itself wherever a model reads it, beside its list of services."""
        business = self.business
        escalation = [text for rule in business.escalation_rules for text in (rule.label, *texts_in(rule.data))]
        descriptions = [service.description for service in business.services]
        texts = [business.prompt, business.greeting, *escalation, *descriptions]
        return [*texts, *self.sources.texts(self.session, business)]

    def told(self, *, by_callers: bool = False) -> Iterator[str]:
        """Yield what results, notes of the house and the business's own words tell, in pieces; or callers as well."""
        for text in self.own_words():
            yield from pieces_of(text)
        for message in self.session.history.messages:
            texts: Sequence[str] = ()
            if isinstance(message, ToolMessage):
                failure = message.response.failure
                texts = [*texts_in(message.response.data), failure.message if failure is not None else ""]
            elif isinstance(message, Noted):
                # What was held is quoted in a note, and no truer for it.
                texts = () if message.text.startswith(HELD_NOTES) else (message.text,)
            elif isinstance(message, UserMessage):
                texts = (message.moment, message.text if by_callers else "")
            for text in texts:
                yield from pieces_of(text)


def with_days(text: str) -> str:
    """Return a text with days of which it speaks in general named as one of them is."""
    return _EACH_DAY.sub(r"\1", text)


def pieces_of(text: str) -> list[str]:
    """Return a text in pieces that are read in no time, each with the end of the one before."""
    return [" ".join(text[at : at + _PIECE + _OVERLAP].split()) for at in range(0, len(text), _PIECE)]
