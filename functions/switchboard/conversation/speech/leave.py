"""Which answers end a conversation, and what the house itself says before that, or behind words that were cut off."""

from collections.abc import Iterable

from switchboard.contract.business.languages import language_of
from switchboard.contract.response import IntentType, ToolResponse
from switchboard.conversation.event import TurnOutcome

_ENDINGS = {
    IntentType.TRANSFER_CALL: TurnOutcome.TRANSFERRED,
    IntentType.END_CALL: TurnOutcome.ENDED,
    IntentType.END_VOICE_SESSION: TurnOutcome.ENDED,
}

_TRANSFERRED = {
    "en": "One moment, I'm connecting you.",
    "de": "Einen Moment, ich verbinde Sie.",
    "es": "Un momento, le paso.",
    "fr": "Un instant, je vous mets en relation.",
    "it": "Un momento, la metto in contatto.",
    "pt": "Um momento, vou passar a ligação.",
    "nl": "Een ogenblik, ik verbind u door.",
}
_ENDED = {
    "en": "Goodbye.",
    "de": "Auf Wiederhören.",
    "es": "Adiós.",
    "fr": "Au revoir.",
    "it": "Arrivederci.",
    "pt": "Até logo.",
    "nl": "Tot ziens.",
}
_LEAVE = {TurnOutcome.TRANSFERRED: _TRANSFERRED, TurnOutcome.ENDED: _ENDED}
_CUT_SHORT = {
    "en": "I have to stop here, there would be more to say. Shall I go on?",
    "de": "Hier muss ich abbrechen, es gäbe noch mehr zu sagen. Soll ich fortfahren?",
    "es": "Tengo que parar aquí, quedaría más por decir. ¿Sigo?",
    "fr": "Je dois m'arrêter ici, il y aurait plus à dire. Je continue ?",
    "it": "Devo fermarmi qui, ci sarebbe altro da dire. Continuo?",
    "pt": "Tenho de parar aqui, haveria mais a dizer. Continuo?",
    "nl": "Ik moet hier stoppen, er valt nog meer te zeggen. Zal ik doorgaan?",
}


def ending_of(response: ToolResponse) -> TurnOutcome | None:
    """Return how an answer ends the conversation, None if it does not (seed 004, "Special Tool Behaviors")."""
    if not response.ok:
        return None
    for intent in response.intents:
        if intent.type in _ENDINGS:
            return _ENDINGS[intent.type]
    data = response.data or {}
    if data.get("transferred") is True:
        return TurnOutcome.TRANSFERRED
    return TurnOutcome.ENDED if data.get("ended") is True else None


def leave_words(responses: Iterable[ToolResponse], language: str, *, has_spoken: bool) -> str:
    """Return what is said before a call is put through or ends, as one of these answers has it; empty for nothing.

    What the owner has written for it comes before a transfer in any case; the house's word only where none was said.
    """
    for response in responses:
        ending = ending_of(response)
        if ending is None:
            continue
        told = next((text for i in response.intents if (text := i.payload.get("message")) and i.type in _ENDINGS), None)
        if isinstance(told, str) and told.strip():
            return told.strip()
        return "" if has_spoken else _in(language, _LEAVE[ending])
    return ""


def cut_short_words(language: str) -> str:
    """Return what is said behind an answer that was cut off, so that nobody takes it for the whole."""
    return _in(language, _CUT_SHORT)


def _in(language: str, sentences: dict[str, str]) -> str:
    return sentences.get(language_of(language), sentences["en"])
