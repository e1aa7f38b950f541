"""The words by which people end and resume texts, or ask who sends them, and what they are answered.

Twilio listens for its own words first: it keeps a list of its own by them, and answers them itself, in English
(`OptOutType` says which it was where advanced opt-out is on). Nothing is answered to those that end and resume texts a
second time, and nothing could be: texts to whoever has stopped there are refused. HELP is answered beside Twilio on
purpose: its own words name neither the business nor how to reach it. Where advanced opt-out is on, the account's own
words do, and stay alone. Words of the other languages that we speak are ours alone.
"""

from collections.abc import Iterator
from enum import StrEnum
from typing import Final

from switchboard.contract.business.business import Business
from switchboard.contract.business.languages import language_of
from switchboard.contract.business.names import letters


class OptOut(StrEnum):
    """What somebody wants who texts one of the words; the values are those of Twilio's `OptOutType`."""

    STOP = "STOP"
    START = "START"
    HELP = "HELP"


# Twilio's defaults; it asks nobody about them.
_TWILIOS: Final = {
    OptOut.STOP: "stop stopall unsubscribe cancel end quit revoke optout",
    OptOut.START: "start unstop yes",
    OptOut.HELP: "help info",
}
# What carriers take for STOP in English counts in the other languages too ("cancelar"): who texts a number that nobody
# reads, and gets texts no more, is told so and can text START; who goes on getting them has no way out.
_OURS: Final = {
    OptOut.STOP: "stopp abmelden abbestellen austragen kundigen arret arreter annuler desabonner alto parar "
    "detener cancelar baja basta annulla ferma fermare disiscrivi stoppen annuleren afmelden uitschrijven "
    "pare sair descadastrar",
    OptOut.START: "anmelden reprendre reabonner iniciar inicio alta riprendi iscrivi starten aanmelden comecar",
    OptOut.HELP: "hilfe aide ayuda aiuto hulp ajuda",
}
_KNOWN: Final = {word: wish for table in (_OURS, _TWILIOS) for wish, words in table.items() for word in words.split()}
_ANSWERED_BY_TWILIO: Final = frozenset(word for wish in (OptOut.STOP, OptOut.START) for word in _TWILIOS[wish].split())
# What may stand beside a word that ends texts, or that asks for help; a word that resumes them stands alone. Whole
# sentences are read by nobody, as carriers read none.
_BESIDE: Final = frozenset(("please", "bitte", "por", "favor", "per", "favore", "merci", "svp", "alstublieft", "now"))
_ENDED: Final = frozenset(("texting", "texts", "text", "messaging", "messages", "sending", "sms", "me"))
_LONGEST = 40

AGAIN: Final = "again"
"""What is answered where a wish could not be kept."""

_ANSWERS: Final[dict[str, dict[str, str]]] = {
    "en": {
        OptOut.STOP: "{name}: You get no more texts from us. To get them again, text START.",
        OptOut.START: "{name}: You get texts from us again. To end them, text STOP.",
        OptOut.HELP: "{name}: We text what you asked for, such as confirmations.{reach} To get no more, text STOP.",
        AGAIN: "{name}: That did not work just now. Please send it again in a few minutes.",
        "reach": " Questions? Call {phone}.",
    },
    "de": {
        OptOut.STOP: "{name}: Sie bekommen keine SMS mehr von uns. Um wieder welche zu bekommen, schreiben Sie START.",
        OptOut.START: "{name}: Sie bekommen wieder SMS von uns. Um sie zu beenden, schreiben Sie STOP.",
        OptOut.HELP: "{name}: Wir schreiben, worum Sie gebeten haben, etwa Bestätigungen.{reach} Keine SMS mehr: STOP.",
        AGAIN: "{name}: Das hat gerade nicht geklappt. Bitte schreiben Sie es in einigen Minuten noch einmal.",
        "reach": " Fragen? {phone}.",
    },
    "es": {
        OptOut.STOP: "{name}: No recibirá más SMS nuestros. Para recibirlos de nuevo, envíe START.",
        OptOut.START: "{name}: Vuelve a recibir nuestros SMS. Para no recibirlos, envíe STOP.",
        OptOut.HELP: "{name}: Enviamos lo que usted pidió, como confirmaciones.{reach} "
        "Para no recibir más, envíe STOP.",
        AGAIN: "{name}: No ha funcionado. Envíelo otra vez dentro de unos minutos, por favor.",
        "reach": " ¿Preguntas? Llame al {phone}.",
    },
    "fr": {
        OptOut.STOP: "{name} : Vous ne recevrez plus de SMS de notre part. Pour en recevoir à nouveau, envoyez START.",
        OptOut.START: "{name} : Vous recevez à nouveau nos SMS. Pour ne plus en recevoir, envoyez STOP.",
        OptOut.HELP: "{name} : Nous envoyons ce que vous avez demandé, comme des confirmations.{reach} Fin : STOP.",
        AGAIN: "{name} : Cela n'a pas fonctionné. Veuillez le renvoyer dans quelques minutes.",
        "reach": " Questions ? Appelez le {phone}.",
    },
    "it": {
        OptOut.STOP: "{name}: Non riceverà più SMS da noi. Per riceverli di nuovo, invii START.",
        OptOut.START: "{name}: Riceve di nuovo i nostri SMS. Per non riceverli più, invii STOP.",
        OptOut.HELP: "{name}: Inviamo ciò che ha chiesto, come le conferme.{reach} Per non riceverne più, invii STOP.",
        AGAIN: "{name}: Non ha funzionato. Lo invii di nuovo tra qualche minuto.",
        "reach": " Domande? Chiami {phone}.",
    },
    "nl": {
        OptOut.STOP: "{name}: U krijgt geen sms meer van ons. Stuur START om ze weer te krijgen.",
        OptOut.START: "{name}: U krijgt weer sms van ons. Stuur STOP om ze te beëindigen.",
        OptOut.HELP: "{name}: Wij sturen waar u om vroeg, zoals bevestigingen.{reach} Niets meer krijgen? Stuur STOP.",
        AGAIN: "{name}: Dat lukte net niet. Stuur het over een paar minuten nog eens.",
        "reach": " Vragen? Bel {phone}.",
    },
    "pt": {
        OptOut.STOP: "{name}: Não receberá mais SMS nossos. Para voltar a recebê-los, envie START.",
        OptOut.START: "{name}: Volta a receber os nossos SMS. Para não receber mais, envie STOP.",
        OptOut.HELP: "{name}: Enviamos o que pediu, como confirmações.{reach} Para não receber mais, envie STOP.",
        AGAIN: "{name}: Não funcionou agora. Envie de novo dentro de alguns minutos.",
        "reach": " Dúvidas? Ligue {phone}.",
    },
}


def wish_in(text: str, told_by_twilio: str = "") -> OptOut | None:
    """Return what a whole text wishes; None for anything but one of the words, and whatever else people write.

    A word that ends texts, or asks for help, may come several times, and with a please or what it ends beside it:
    "STOP STOP", "please stop", "stop texting me".

    Args:
        text: What was texted, in any case, with or without accents and punctuation.
        told_by_twilio: `OptOutType`, which counts more: its words are the account's own there.
    """
    if told_by_twilio in OptOut.__members__:
        return OptOut(told_by_twilio)
    if len(text) > _LONGEST:
        return None
    whole = _KNOWN.get(letters(text))
    if whole is not None:
        return whole
    found = {_KNOWN.get(word) for word in _words(text) if word not in _BESIDE | _ENDED}
    only = found.pop() if len(found) == 1 else None
    return None if only is OptOut.START else only


def is_answered_by_twilio(text: str, told_by_twilio: str = "") -> bool:
    """Tell whether Twilio has answered one of the words itself."""
    return bool(told_by_twilio) or letters(text[:_LONGEST]) in _ANSWERED_BY_TWILIO


def answer_to(wish: str, business: Business) -> str:
    """Return what is texted back, in the business's language or else in English."""
    words = _ANSWERS.get(language_of(business.language), _ANSWERS["en"])
    phone = business.phone or business.twilio_number
    reach = words["reach"].format(phone=phone) if phone else ""
    return words[wish].format(name=business.name, reach=reach)


def _words(text: str) -> Iterator[str]:
    return filter(None, map(letters, text.split()))
