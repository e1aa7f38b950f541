"""What is said when nothing else can be: in the business's language, and always with a way on (seed 000)."""

from enum import StrEnum


class Trouble(StrEnum):
    """Why the model's own words are missing."""

    NO_ANSWER = "no_answer"
    NOT_DONE = "not_done"
    REFUSED = "refused"


_SENTENCES: dict[str, dict[Trouble, str]] = {
    "en": {
        # Seed 000, "Tool Usage Policy".
        Trouble.NO_ANSWER: "I'm having trouble pulling that up right now. Would you like me to take a message?",
        Trouble.NOT_DONE: "I can't confirm that this has been done. Would you like me to take a message?",
        Trouble.REFUSED: "I'm sorry, I can't help with that. Is there anything else, or shall I take a message?",
    },
    "de": {
        Trouble.NO_ANSWER: "Das kann ich gerade leider nicht nachsehen. Soll ich eine Nachricht für Sie aufnehmen?",
        Trouble.NOT_DONE: "Ich kann nicht bestätigen, dass das erledigt ist. Soll ich eine Nachricht aufnehmen?",
        Trouble.REFUSED: "Dabei kann ich leider nicht helfen. Kann ich sonst etwas tun, oder eine Nachricht aufnehmen?",
    },
    "es": {
        Trouble.NO_ANSWER: "Ahora mismo no puedo consultarlo. ¿Quiere que tome un mensaje?",
        Trouble.NOT_DONE: "No puedo confirmar que esto se haya hecho. ¿Quiere que tome un mensaje?",
        Trouble.REFUSED: "Lo siento, con eso no puedo ayudarle. ¿Puedo hacer algo más, o tomar un mensaje?",
    },
    "fr": {
        Trouble.NO_ANSWER: "Je n'arrive pas à consulter cela pour le moment. Voulez-vous que je prenne un message ?",
        Trouble.NOT_DONE: "Je ne peux pas confirmer que cela a été fait. Voulez-vous que je prenne un message ?",
        Trouble.REFUSED: "Désolé, je ne peux pas vous aider pour cela. Autre chose, ou dois-je prendre un message ?",
    },
}


def safe_sentence(trouble: Trouble, language: str) -> str:
    """Return the sentence in a language (`de`, `de-AT`), or in English where there is none."""
    return _SENTENCES.get(language.partition("-")[0].lower(), _SENTENCES["en"])[trouble]
