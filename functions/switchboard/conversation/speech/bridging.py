"""Words against silence: what is said while nothing else is, whoever is waited for, the model, a tool or the store.

A bridge watches what a turn hands out. Whenever that stops for a moment, a few words are spoken: those of the tool that
is running, those that the owner has written, or the house's own. They are no part of the answer, which follows them.
"""

import asyncio
from collections.abc import Callable, Sequence

from switchboard.contract.business.languages import language_of
from switchboard.contract.policy import ChannelPolicy
from switchboard.contract.response import IntentType
from switchboard.conversation.event import Effect, Event, QuestionAsked, Text, ToolFinished, ToolStarted, TurnEnded
from switchboard.conversation.speech.plain_speech import plain

# How fast a voice speaks. What it has not finished saying is no silence.
CHARACTERS_PER_S = 15.0
# How soon is looked again who speaks, where that is not known yet.
_ASKS_AGAIN_S = 0.1
# After these nothing is said any more, or nothing aloud.
_SILENCING = frozenset(
    {IntentType.TRANSFER_CALL, IntentType.END_CALL, IntentType.END_VOICE_SESSION, IntentType.SUPPRESS_AUDIO}
)

# None is over in less than a second, so that two of them, which begin two seconds apart, leave no long silence. None
# promises anything: nobody knows yet what comes.
_FIRST = {
    "en": ("One moment, please.", "Just a second, please.", "Let me see for you.", "Bear with me a moment."),
    "de": ("Einen Moment, bitte.", "Einen Augenblick, bitte.", "Kleinen Moment, bitte.", "Ich schaue kurz."),
    "es": ("Un momento, por favor.", "Un segundo, por favor.", "Déjeme ver un momento.", "Deme un instante."),
    "fr": ("Un instant, s'il vous plaît.", "Une petite seconde.", "Laissez-moi voir.", "Un moment, je vous prie."),
    "it": ("Un attimo, per favore.", "Un momento, per favore.", "Mi lasci vedere.", "Solo un secondo, prego."),
    "pt": ("Um momento, por favor.", "Só um segundo, por favor.", "Deixe-me ver.", "Só um instante, por favor."),
    "nl": ("Een ogenblik, alstublieft.", "Een momentje, alstublieft.", "Ik kijk even.", "Eén seconde, alstublieft."),
}
_LATER = {
    "en": ("I'm still with you.", "Thank you for waiting.", "It takes a little longer.", "Nearly there, I think."),
    "de": ("Ich bin noch für Sie da.", "Danke für Ihre Geduld.", "Es dauert noch kurz.", "Gleich habe ich es."),
    "es": ("Sigo aquí con usted.", "Gracias por esperar.", "Tarda un poquito más.", "Enseguida estoy con usted."),
    "fr": ("Je suis toujours là.", "Merci de patienter.", "Cela prend un peu de temps.", "J'y suis presque."),
    "it": ("Sono ancora qui con lei.", "Grazie per l'attesa.", "Ci vuole ancora un po'.", "Ci sono quasi, grazie."),
    "pt": ("Continuo aqui consigo.", "Obrigado por esperar.", "Demora mais um pouco.", "Estou quase a acabar."),
    "nl": ("Ik ben er nog voor u.", "Bedankt voor het wachten.", "Het duurt nog even.", "Ik ben er bijna, dank u."),
}


class Bridge:
    """Fills the silences of one turn.

    Args:
        limits: After which silence, and how far apart at least.
        turn: Which turn it is: two turns in a row do not begin with the same words.
        is_spoken: Whether it is heard; what is written takes no time to be said.
        speaking: Returns in which language is spoken now, and the owner's own words, if there are any; None as long as
            nobody knows, and then nothing is said: the wrong language is worse than a silence.
        emit: Takes the words.
    """

    def __init__(
        self,
        limits: ChannelPolicy,
        turn: int,
        is_spoken: bool,
        speaking: Callable[[], tuple[str, Sequence[str]] | None],
        emit: Callable[[Text], None],
    ) -> None:
        """Begin with the caller's last word, which is now."""
        self._after_s, self._apart_s = limits.filler_after_ms / 1000, limits.filler_apart_ms / 1000
        self._turn, self._is_spoken = turn, is_spoken
        self._speaking, self._emit = speaking, emit
        self._running: dict[str, str] = {}
        self._used: set[str] = set()
        # Of all words, and of those that answer: the next of these must not run into a filler.
        self._last = self._last_answer = ""
        self._is_filled = False
        self._fillers = 0
        self._filled_at: float | None = None
        self._loop = asyncio.get_running_loop()
        self._said_at = self._heard_at = self._loop.time()
        self._alarm: asyncio.TimerHandle | None = self._loop.call_later(self._after_s, self._ring)

    def pass_on(self, event: Event) -> Event:
        """Take note of what is handed out, and return it as it is to be: behind a filler, with a blank before it."""
        if type(event) is Text:
            if self._is_filled and not event.is_filler:
                self._is_filled = False
                # A word that goes on after a stall is not torn: what follows a whole word brings its own blank.
                if (not self._last_answer or self._last_answer.isspace()) and not event.text[:1].isspace():
                    event = Text(f" {event.text}", is_audible=event.is_audible)
            self._note(event)
        elif type(event) is ToolStarted:
            self._running[event.call_id] = event.label
        elif type(event) is ToolFinished:
            self._running.pop(event.call_id, None)
        elif type(event) in (QuestionAsked, TurnEnded) or (type(event) is Effect and event.intent.type in _SILENCING):
            self.stop()
        return event

    def stop(self) -> None:
        """Say nothing any more."""
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None

    def _note(self, event: Text) -> None:
        now = self._said_at = self._loop.time()
        if event.text:
            self._last = event.text[-1]
            if not event.is_filler:
                self._last_answer = self._last
        if self._is_spoken:
            self._heard_at = max(self._heard_at, now) + len(event.text) / CHARACTERS_PER_S

    def _due(self) -> float:
        due = max(self._said_at + self._after_s, self._heard_at)
        return due if self._filled_at is None else max(due, self._filled_at + self._apart_s)

    def _ring(self) -> None:
        # Words come far more often than silences: they only move the time, and the alarm looks whether it has come.
        now, due = self._loop.time(), self._due()
        if now < due:
            self._alarm = self._loop.call_later(due - now, self._ring)
            return
        speaking = self._speaking()
        if speaking is None:
            self._alarm = self._loop.call_later(_ASKS_AGAIN_S, self._ring)
            return
        words = self._words(*speaking)
        self._filled_at = now
        self._fillers += 1
        self._is_filled = True
        self._emit(Text(f" {words}" if self._last and not self._last.isspace() else words, is_filler=True))
        self._alarm = self._loop.call_later(self._apart_s, self._ring)

    def _words(self, language: str, own: Sequence[str]) -> str:
        """Return the next words: of the tool that is running, once, then others, none twice before all were said."""
        for label in self._running.values():
            if label and label not in self._used:
                return self._once(label)
        known = language_of(language)
        if own:
            choices = tuple(plain(text, language) if self._is_spoken else text for text in own)
        else:
            lists = _LATER if self._fillers else _FIRST
            choices = lists.get(known, lists["en"])
        at = self._turn + self._fillers
        in_turn = [choices[(at + n) % len(choices)] for n in range(len(choices))]
        return self._once(next((text for text in in_turn if text not in self._used), in_turn[0]))

    def _once(self, text: str) -> str:
        self._used.add(text)
        return text
