"""Labelled answers of callers to "I would now cancel your appointment …. Shall I go ahead?".

`corpus/<language>*.tsv` hold one answer a line, in columns: `yes`, `no` or `other` (nothing to be done yet), `cancel`
or `move`, what was said, and, where it names a person, service, day or time, the question. One of ten is kept back for
measuring and never trained on; which, is told by the answer itself, so that one that is added later moves no other.
"""

import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from switchboard.pipeline.answer_reader import MEANINGS

CORPUS = Path(__file__).parent / "corpus"
LANGUAGES = ("en", "de", "es", "fr", "it", "pt", "nl")
DEEDS = {"cancel": "cancelled", "move": "moved"}
_TENTHS = 10
# What an answer that names nothing of its question was given to.
_QUESTIONS = {
    "en": (
        "I would now cancel your appointment on Friday, December 4 at 10:00 AM, Haircut for Anna Smith. "
        "Shall I go ahead?",
        "I would now move your appointment, Haircut for Anna Smith, from Monday, December 7 at 3:30 PM to Friday, "
        "December 11 at 10:00 AM. Shall I go ahead?",
    ),
    "de": (
        "Ich würde jetzt Ihren Termin am Freitag, 4. Dezember um 10:00 Uhr, Haarschnitt für Anna Meyer, absagen. "
        "Soll ich das machen?",
        "Ich würde jetzt Ihren Termin, Haarschnitt für Anna Meyer, von Montag, 7. Dezember um 15:30 Uhr auf Freitag, "
        "11. Dezember um 10:00 Uhr verlegen. Soll ich das machen?",
    ),
    "es": (
        "Voy a cancelar su cita del viernes, 4 de diciembre a las 10:00, Corte de pelo para Ana Gómez. ¿Sigo adelante?",
        "Voy a cambiar su cita, Corte de pelo para Ana Gómez, del lunes, 7 de diciembre a las 15:30 al viernes, 11 de "
        "diciembre a las 10:00. ¿Sigo adelante?",
    ),
    "fr": (
        "Je vais annuler votre rendez-vous du vendredi 4 décembre à 10:00, Coupe pour Anne Petit. "
        "Est-ce que je le fais ?",
        "Je vais déplacer votre rendez-vous, Coupe pour Anne Petit, du lundi 7 décembre à 15:30 au vendredi 11 "
        "décembre à 10:00. Est-ce que je le fais ?",
    ),
    "it": (
        "Annullerei ora il Suo appuntamento di venerdì 4 dicembre alle 10:00, Taglio per Anna Rossi. Procedo?",
        "Sposterei ora il Suo appuntamento, Taglio per Anna Rossi, da lunedì 7 dicembre alle 15:30 a venerdì 11 "
        "dicembre alle 10:00. Procedo?",
    ),
    "pt": (
        "Vou agora desmarcar a sua marcação de sexta-feira, 4 de dezembro às 10:00, Corte para Ana Silva. "
        "Posso avançar?",
        "Vou agora mudar a sua marcação, Corte para Ana Silva, de segunda-feira, 7 de dezembro às 15:30 para "
        "sexta-feira, 11 de dezembro às 10:00. Posso avançar?",
    ),
    "nl": (
        "Ik zou nu uw afspraak op vrijdag 4 december om 10:00 uur, Knipbeurt voor Anna Jansen, afzeggen. "
        "Zal ik dat doen?",
        "Ik zou nu uw afspraak, Knipbeurt voor Anna Jansen, van maandag 7 december om 15:30 uur naar vrijdag 11 "
        "december om 10:00 uur verzetten. Zal ik dat doen?",
    ),
}


class CorpusError(ValueError):
    """A file of answers cannot be read; says where, and what would be right."""


@dataclass(frozen=True, slots=True)
class Labelled:
    """One answer.

    Attributes:
        meaning: One of `answer_reader.MEANINGS`.
        deed: What was asked about: `cancelled` or `moved`.
        text: As it was said or typed.
        question: What was asked.
        language: Of all of them, such as `de`.
    """

    meaning: str
    deed: str
    text: str
    question: str
    language: str

    @property
    def is_kept_back(self) -> bool:
        """Whether it is kept back from training."""
        return zlib.crc32(self.text.encode()) % _TENTHS == 0


def labelled(language: str, folder: Path = CORPUS) -> list[Labelled]:
    """Return the answers of a language, in the order of its files.

    Raises:
        CorpusError: A line cannot be read.
    """
    return [one for path in sorted(folder.glob(f"{language}*.tsv")) for one in answers_in(path, language)]


def answers_in(path: Path, language: str) -> Iterator[Labelled]:
    """Return the answers of one file.

    Raises:
        CorpusError: As above.
    """
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        meaning, asked, text, question = [*line.split("\t"), "", "", "", ""][:4]
        if meaning not in MEANINGS or asked not in DEEDS or not text.strip():
            raise CorpusError(
                f"{path.name}:{number}: write {', '.join(MEANINGS)}, then {' or '.join(DEEDS)}, then the answer, "
                "and the question where it names anything of it; separated by tabs"
            )
        default = _QUESTIONS[language][list(DEEDS).index(asked)]
        yield Labelled(meaning, DEEDS[asked], text, question or default, language)
