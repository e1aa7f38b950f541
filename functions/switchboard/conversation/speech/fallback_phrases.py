"""What is said when nothing else can be: in the business's language, and with what can be had instead (seed 000)."""

from datetime import datetime
from enum import StrEnum

from switchboard.catalog.offer.alternatives import Alternatives
from switchboard.contract.business.languages import language_of


class Trouble(StrEnum):
    """Why the model's own words are missing."""

    NO_ANSWER = "no_answer"
    NOT_DONE = "not_done"
    REFUSED = "refused"


# Seed 000, "Tool Usage Policy". What can be had instead comes behind it.
_SENTENCES: dict[str, dict[Trouble, str]] = {
    "en": {
        Trouble.NO_ANSWER: "I'm having trouble pulling that up right now.",
        Trouble.NOT_DONE: "I can't confirm that this has been done.",
        Trouble.REFUSED: "I'm sorry, I can't help with that.",
    },
    "de": {
        Trouble.NO_ANSWER: "Das kann ich gerade leider nicht nachsehen.",
        Trouble.NOT_DONE: "Ich kann nicht bestätigen, dass das erledigt ist.",
        Trouble.REFUSED: "Dabei kann ich leider nicht helfen.",
    },
    "es": {
        Trouble.NO_ANSWER: "Ahora mismo no puedo consultarlo.",
        Trouble.NOT_DONE: "No puedo confirmar que esto se haya hecho.",
        Trouble.REFUSED: "Lo siento, con eso no puedo ayudarle.",
    },
    "fr": {
        Trouble.NO_ANSWER: "Je n'arrive pas à consulter cela pour le moment.",
        Trouble.NOT_DONE: "Je ne peux pas confirmer que cela a été fait.",
        Trouble.REFUSED: "Désolé, je ne peux pas vous aider pour cela.",
    },
    "it": {
        Trouble.NO_ANSWER: "In questo momento non riesco a consultarlo.",
        Trouble.NOT_DONE: "Non posso confermare che sia stato fatto.",
        Trouble.REFUSED: "Mi dispiace, con questo non posso aiutarla.",
    },
    "pt": {
        Trouble.NO_ANSWER: "Neste momento não consigo consultar isso.",
        Trouble.NOT_DONE: "Não posso confirmar que isso tenha sido feito.",
        Trouble.REFUSED: "Lamento, mas com isso não posso ajudar.",
    },
    "nl": {
        Trouble.NO_ANSWER: "Dat kan ik op dit moment helaas niet opzoeken.",
        Trouble.NOT_DONE: "Ik kan niet bevestigen dat dit gedaan is.",
        Trouble.REFUSED: "Het spijt me, daar kan ik niet bij helpen.",
    },
}

# What a model will not talk about, it will not later either.
_ANYTHING_ELSE = {
    "en": "Is there anything else I can do for you?",
    "de": "Kann ich sonst etwas für Sie tun?",
    "es": "¿Puedo hacer algo más por usted?",
    "fr": "Puis-je faire autre chose pour vous ?",
    "it": "Posso fare altro per lei?",
    "pt": "Posso ajudar em mais alguma coisa?",
    "nl": "Kan ik nog iets anders voor u doen?",
}


def safe_sentence(trouble: Trouble, language: str, ways: Alternatives, now: datetime | None = None) -> str:
    """Return what is said, with what can be had instead, in a language (`de`, `de-AT`), else in English.

    Args:
        trouble: Why the model's own words are missing.
        language: In which is spoken.
        ways: What can be had.
        now: When it is said, for opening times.
    """
    known = language_of(language)
    known = known if known in _SENTENCES else "en"
    is_final = trouble is Trouble.REFUSED and not ways.lead_to_people
    return f"{_SENTENCES[known][trouble]} {_ANYTHING_ELSE[known] if is_final else ways.said(language, now)}"
