"""What callers hear of what can be had instead, by language: the words that `alternatives.py` composes."""

from collections.abc import Mapping
from datetime import time
from typing import Final

from switchboard.contract.business.languages import language_of
from switchboard.contract.python.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class AlternativeWords:
    """How a language says it.

    Attributes:
        days: Monday to Sunday, today and tomorrow, as they stand in `opens`.
        hour: A full hour, with `{h}` of 24 or `{h12}{half}` of twelve.
        minute: Any other time, with `{m}` as well.
        one: What is said of one o'clock otherwise, and how.
    """

    message: str
    transfer: str
    either: str
    number: str
    website: str
    call_again: str
    come_back: str
    until: str
    opens: str
    days: tuple[str, ...]
    hour: str
    minute: str
    one: tuple[str, str] = ("", "")

    def clock(self, moment: time) -> str:
        """Return a time of day."""
        form = self.minute if moment.minute else self.hour
        half = "AM" if moment.hour < 12 else "PM"
        text = form.format(h=moment.hour, h12=moment.hour % 12 or 12, m=f"{moment.minute:02}", half=half)
        usual, one = self.one
        return text.replace(usual, one, 1) if usual and moment.hour == 1 else text


def words_in(language: str) -> AlternativeWords:
    """Return the words of a language such as `de` or `es-MX`; English where nobody has written them in it."""
    return WORDS.get(language_of(language), WORDS["en"])


WORDS: Final[Mapping[str, AlternativeWords]] = {
    "en": AlternativeWords(
        message="Would you like me to take a message?",
        transfer="Shall I try to put you through to somebody?",
        either="Would you like me to take a message, or shall I try to put you through to somebody?",
        number="You can reach us at {}.",
        website="You will find more at {}.",
        call_again="Please call again a little later.",
        come_back="Please try again here a little later.",
        until="We are open until {} today.",
        opens="We open {} at {}.",
        days=(
            *("on Monday", "on Tuesday", "on Wednesday", "on Thursday", "on Friday", "on Saturday", "on Sunday"),
            *("today", "tomorrow"),
        ),
        hour="{h12} {half}",
        minute="{h12}:{m} {half}",
    ),
    "de": AlternativeWords(
        message="Soll ich eine Nachricht für Sie aufnehmen?",
        transfer="Soll ich versuchen, Sie mit jemandem zu verbinden?",
        either="Soll ich eine Nachricht für Sie aufnehmen oder versuchen, Sie mit jemandem zu verbinden?",
        number="Sie erreichen uns unter {}.",
        website="Mehr finden Sie auf {}.",
        call_again="Bitte rufen Sie etwas später noch einmal an.",
        come_back="Bitte versuchen Sie es hier etwas später noch einmal.",
        until="Wir haben heute bis {} geöffnet.",
        opens="Wir öffnen {} um {}.",
        days=(
            *("am Montag", "am Dienstag", "am Mittwoch", "am Donnerstag", "am Freitag", "am Samstag", "am Sonntag"),
            *("heute", "morgen"),
        ),
        hour="{h} Uhr",
        minute="{h}:{m} Uhr",
    ),
    "es": AlternativeWords(
        message="¿Quiere que tome un mensaje?",
        transfer="¿Quiere que intente pasarle con alguien?",
        either="¿Quiere que tome un mensaje, o que intente pasarle con alguien?",
        number="Puede llamarnos al {}.",
        website="Encontrará más en {}.",
        call_again="Por favor, vuelva a llamar un poco más tarde.",
        come_back="Por favor, inténtelo aquí de nuevo un poco más tarde.",
        until="Hoy abrimos hasta {}.",
        opens="Abrimos {} a {}.",
        days=(
            *("el lunes", "el martes", "el miércoles", "el jueves", "el viernes", "el sábado", "el domingo"),
            *("hoy", "mañana"),
        ),
        hour="las {h}:00",
        minute="las {h}:{m}",
        one=("las", "la"),
    ),
    "fr": AlternativeWords(
        message="Voulez-vous que je prenne un message ?",
        transfer="Voulez-vous que j'essaie de vous passer quelqu'un ?",
        either="Voulez-vous que je prenne un message, ou que j'essaie de vous passer quelqu'un ?",
        number="Vous pouvez nous joindre au {}.",
        website="Vous en trouverez plus sur {}.",
        call_again="Rappelez un peu plus tard, s'il vous plaît.",
        come_back="Réessayez ici un peu plus tard, s'il vous plaît.",
        until="Nous sommes ouverts aujourd'hui jusqu'à {}.",
        opens="Nous ouvrons {} à {}.",
        days=("lundi", "mardi", "mercredi", "jeudi", "vendredi", "samedi", "dimanche", "aujourd'hui", "demain"),
        hour="{h}h",
        minute="{h}h{m}",
    ),
    "it": AlternativeWords(
        message="Vuole che prenda un messaggio?",
        transfer="Vuole che provi a passarle qualcuno?",
        either="Vuole che prenda un messaggio, o che provi a passarle qualcuno?",
        number="Può chiamarci al {}.",
        website="Trova altro su {}.",
        call_again="Per favore, richiami un po' più tardi.",
        come_back="Per favore, riprovi qui un po' più tardi.",
        until="Oggi siamo aperti fino {}.",
        opens="Apriamo {} {}.",
        days=("lunedì", "martedì", "mercoledì", "giovedì", "venerdì", "sabato", "domenica", "oggi", "domani"),
        hour="alle {h}:00",
        minute="alle {h}:{m}",
        one=("alle ", "all'"),
    ),
    "pt": AlternativeWords(
        message="Quer que eu anote um recado?",
        transfer="Quer que eu tente passar a chamada a alguém?",
        either="Quer que eu anote um recado, ou que tente passar a chamada a alguém?",
        number="Pode ligar-nos para o {}.",
        website="Encontra mais em {}.",
        call_again="Por favor, volte a ligar um pouco mais tarde.",
        come_back="Por favor, tente aqui de novo um pouco mais tarde.",
        until="Hoje estamos abertos até {}.",
        opens="Abrimos {} {}.",
        days=(
            *("na segunda-feira", "na terça-feira", "na quarta-feira", "na quinta-feira", "na sexta-feira"),
            *("no sábado", "no domingo", "hoje", "amanhã"),
        ),
        hour="às {h}h",
        minute="às {h}h{m}",
        one=("às", "à"),
    ),
    "nl": AlternativeWords(
        message="Zal ik een bericht voor u aannemen?",
        transfer="Zal ik proberen u met iemand door te verbinden?",
        either="Zal ik een bericht voor u aannemen, of proberen u met iemand door te verbinden?",
        number="U kunt ons bereiken op {}.",
        website="Meer vindt u op {}.",
        call_again="Belt u alstublieft wat later nog eens.",
        come_back="Probeert u het hier alstublieft wat later nog eens.",
        until="We zijn vandaag open tot {}.",
        opens="We gaan {} om {} open.",
        days=("maandag", "dinsdag", "woensdag", "donderdag", "vrijdag", "zaterdag", "zondag", "vandaag", "morgen"),
        hour="{h} uur",
        minute="{h}.{m} uur",
    ),
}
"""By language."""
