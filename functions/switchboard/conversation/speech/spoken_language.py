"""In which language each word of an answer is spoken, for voices and ears outside the house that have to be told."""

from switchboard.contract.business.languages import spoken_with
from switchboard.contract.response import IntentType
from switchboard.conversation.event import Effect, Event
from switchboard.conversation.session import CallSession


class SpokenLanguage:
    """Follows the language of one turn's words, event by event.

    Events may be read long after they were told, so who answers by now is no word on who has said them: a hand-over
    counts from where it stands among them.

    Attributes:
        now: That of the words to come: as the caller speaks, or else whoever answers.
    """

    def __init__(self, session: CallSession, language: str) -> None:
        """Begin a turn; `language` is that of whoever answers, where nobody has answered yet."""
        self._session, self._agents = session, session.agents_language or language
        self.now = spoken_with(self._agents, session.facts.language)

    def of(self, event: Event) -> str:
        """Return in which language an event's words are, once the event before it has been asked about."""
        if isinstance(event, Effect) and event.intent.type is IntentType.SWITCH_AGENT:
            self._agents = str(event.intent.payload.get("language") or self._agents)
        self.now = spoken_with(self._agents, self._session.facts.language)
        return self.now
