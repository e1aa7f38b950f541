"""How people name, in their yes, what they were asked about: "yes, go ahead and cancel it".

A verb agrees to nothing by itself where it could mean the opposite ("cancel it", asked whether to cancel: the
appointment, or the asking?), where it begins a wish ("I'd like to book", "quiero reservar", perhaps another time),
where it asks with a mark that nobody hears ("you can book it"), or where it says nothing of what it is done to
("email"). And it agrees to its own deed alone: who answers "yes, book it" to a question about cancelling has been
misheard or has misunderstood. Whatever goes beyond these phrases is a wish of its own.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from switchboard.contract.python.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class _Grammar:
    """How one language names a deed: frames hold a verb with its object.

    Attributes:
        things: What a deed is done to, beside pronouns: by deed.
        frames: With `{}` for verb and object.
        wishes: Frames that name a deed beside a yes only: alone, they begin a wish.
    """

    things: Mapping[str, str]
    frames: str
    wishes: str = ""


_EN_THING = "it, that, this, this one, that one, the appointment, my appointment, this appointment"
_GRAMMARS: Mapping[str, _Grammar] = {
    "en": _Grammar(
        {
            "cancelled": f"{_EN_THING}, that appointment, the booking, my booking, that booking",
            "moved": f"{_EN_THING}, that appointment, the booking, my booking, that booking",
            "booked": f"{_EN_THING}, it in, me in, him in, her in, us in",
            "mailed": "it, that, this, the email, the e-mail, that email, it off, it over, it to me, me the email",
        },
        "{}|go ahead and {}|please go ahead and {}|do {}|please {}"
        "|i want you to {}|i'd like you to {}|{} for me|{} now"
        "|{} right now|{} already|{} anyway|just {}|just {} already|just {} now",
        "i want to {}|i'd like to {}|i would like to {}|want to {}|you can {}|you may {}|you can go ahead and {}",
    ),
    "de": _Grammar(
        {
            "cancelled": "ihn, den, das, es, diesen, den termin, meinen termin, diesen termin",
            "moved": "ihn, den, das, es, diesen, den termin, meinen termin, diesen termin",
            "booked": "ihn, den, das, es, diesen, den termin, diesen termin",
            "mailed": "sie, die, das, es, die mail, die e-mail, die email, diese e-mail",
        },
        "{}|bitte {}|{} bitte|dann {}|dann bitte {}|{} trotzdem|trotzdem {}|jetzt {}|{} jetzt|einfach {}",
    ),
    "es": _Grammar(
        {"cancelled": "", "moved": "", "booked": "", "mailed": ""},
        "{}|{} ya|{} ahora|{} de una vez|ya {}|{} igual|{} igualmente|{} de todos modos",
        "quiero {}|puede {}",
    ),
    "fr": _Grammar(
        {"cancelled": "", "moved": "", "booked": "", "mailed": ""},
        "{}|{} quand même|{} maintenant|{} tout de suite|{} donc|{} de toute façon",
        "je veux {}|je souhaite {}|vous pouvez {}",
    ),
}
# Verbs by deed and language, separated by commas; `_` is where an object stands, or nothing at all.
DEEDS: Mapping[str, Mapping[str, str]] = {
    "cancelled": {
        "en": "cancel _, get rid of _, call _ off, call off _, take me off",
        "de": """stornieren sie _, storniere _, stornier _, sagen sie _ ab, sagen sie _ bitte ab,
            sagen sie _ dann ab, sag _ ab, sag _ dann ab, streichen sie _, canceln sie _, _ stornieren, _ absagen,
            _ streichen, _ canceln, sie können _ stornieren, sie können _ absagen,
            ich möchte _ stornieren, ich möchte _ absagen""",
        "es": """cancélela, cancélala, cancélelo, cancélalo, cancele, cancela, cancelar, cancelarla, cancelarlo,
            anúlela, anúlala, anúlelo, anúlalo, anularla, cancele la cita, cancela la cita, cancelar la cita,
            cancele mi cita, anule la cita, cancele esa cita""",
        "fr": """annulez, annulez-le, annule-le, annulez-la, annule-la, annulez le rendez-vous, annulez mon rendez-vous,
            annulez ce rendez-vous, annulez ça, annuler, l'annuler, annuler le rendez-vous, annuler mon rendez-vous""",
    },
    "moved": {
        "en": "move _, reschedule _, shift _, change _",
        "de": """verlegen sie _, verlege _, verschieben sie _, verschiebe _, verschieb _, _ verlegen,
            _ verschieben, sie können _ verlegen, sie können _ verschieben, ich möchte _ verschieben,
            ich möchte _ verlegen, ändern sie _, ändere _, _ ändern, sie können _ ändern""",
        "es": """cámbiela, cámbiala, cámbielo, cámbialo, cambie, cambiarla, cambie la cita, cambia la cita,
            cambiar la cita, muévala, muévela, mueva la cita, moverla, cambie mi cita""",
        "fr": """déplacez, déplacez-le, déplace-le, déplacez le rendez-vous, déplacez mon rendez-vous, reportez-le,
            décalez-le, déplacer, le déplacer, déplacer le rendez-vous, modifiez, modifiez-le, modifier, le modifier,
            modifiez le rendez-vous, modifier le rendez-vous""",
    },
    "booked": {
        "en": "book _, schedule _, reserve _, make the booking, make the appointment, i'll take it, i'll take that",
        "de": """buchen sie _, buche _, buch _, reservieren sie _, tragen sie _ ein, tragen sie mich ein, _ buchen,
            _ reservieren, das nehme ich, den nehme ich, ich nehme ihn, ich nehme den, ich nehme das""",
        "es": """resérvelo, resérvalo, resérvela, resérvala, reserve, reservar, reserve la cita, reservarla,
            haga la reserva""",
        "fr": "réservez, réservez-le, réserve-le, réservez-la, réservez le rendez-vous, réserver, le réserver",
        "it": "prenoti, prenoti pure, lo prenoti",
        "nl": "boek maar, boek het, boek het maar, boek hem maar, reserveer maar",
        "pt": "pode marcar, pode agendar, pode reservar",
    },
    "mailed": {
        "en": "send _, email _, e-mail _, send it by email",
        "de": """schicken sie _, schicken sie _ ab, senden sie _, senden sie _ ab, schick _, schick _ ab, schicken,
            abschicken, senden, sie abschicken, das abschicken, die mail schicken, die e-mail schicken""",
        "es": "envíelo, envíalo, envíe, mándelo, mándalo, enviarlo, mandarlo, envíe el correo, mande el correo",
        "fr": "envoyez, envoyez-le, envoie-le, envoyez l'e-mail, envoyez le mail, l'envoyer, envoyer",
    },
}
"""By what the agent may say was done."""
DEED_STEMS: Mapping[str, re.Pattern[str]] = {
    "cancelled": re.compile("cancel|absag|storn|streich|losch|anul|annul|supprim|disdi|desmarc|afzeg|schrap"),
    "moved": re.compile(
        r"mov|reschedul|verschieb|verleg|cambi|aplaz|deplac|report|decal|spost|remarc|adi(?:e|ar|a)\b|verzet|verplaats"
    ),
}
"""The beginnings of words that name a deed, however somebody puts it ("I'd rather cancel it")."""
# "Cancel it" can mean the question as well as the appointment, and "move it" to yet another time.
_TWO_FACED = ("cancelled", "moved")
# Nouns as well, so that alone they are a word and no order.
_BARE = ("book", "schedule", "reserve", "email", "e-mail", "send", "schick", "buch", "envoyer", "réserver", "reservar")


def deed_phrases(deed: str, language: str) -> Mapping[Literal["yes", "deed"], Sequence[str]]:
    """Return the phrases that name a deed in a language, by what they are worth alone."""
    grammar = _GRAMMARS.get(language)
    verbs = list(_verbs(deed, language))
    orders = _framed(verbs, grammar.frames if grammar else "{}")
    wishes = _framed(verbs, grammar.wishes if grammar else "")
    if deed in _TWO_FACED:
        return {"deed": [*orders, *wishes]}
    return {
        "yes": [phrase for phrase in orders if phrase not in _BARE],
        "deed": [*wishes, *(phrase for phrase in orders if phrase in _BARE)],
    }


def _framed(verbs: Sequence[str], frames: str) -> list[str]:
    return [frame.format(verb) for verb in verbs for frame in frames.split("|") if frame]


def _verbs(deed: str, language: str) -> Iterator[str]:
    """Yield the verbs that name a deed, with everything that they can be done to, and with nothing."""
    grammar = _GRAMMARS.get(language)
    things = ["", *(thing.strip() for thing in grammar.things[deed].split(","))] if grammar is not None else [""]
    for verb in _told(deed, language):
        yield from ((" ".join(verb.replace("_", thing).split()) for thing in things) if "_" in verb else [verb])


def _told(deed: str, language: str) -> list[str]:
    return [verb for words in DEEDS[deed].get(language, "").split(",") if (verb := " ".join(words.split()))]


def verbs_around(deed: str, language: str) -> list[str]:
    """Return the verbs that have `_` between their parts, where stands what they are done to: "sagen sie _ ab"."""
    return [
        verb for verb in _told(deed, language) if not verb.startswith("_") and not verb.endswith("_") and "_" in verb
    ]


def verbs_behind(deed: str, language: str) -> list[str]:
    """Return the verbs that stand last, behind what they are done to: "(morgen) absagen"."""
    return [verb.removeprefix("_").strip() for verb in _told(deed, language) if verb.startswith("_")]
