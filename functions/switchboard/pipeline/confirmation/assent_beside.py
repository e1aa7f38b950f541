"""A yes with a request beside it: "yes please, and could you text me the address?".

Everything that is said beside a yes may take it back, and nobody can list how. So what stands beside it has to ask for
one of a few harmless things, in words that are all known, or to be a whole question that is known (`assent_questions`);
whatever else it holds leaves the question open: who waits, asks what it costs, what then happens or who is there, or
asks for somebody, may not have agreed yet.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache

from switchboard.pipeline.confirmation.asked_times import AskedDays
from switchboard.pipeline.confirmation.assent import answer_to
from switchboard.pipeline.confirmation.assent_phrases import named_in, split_phrases
from switchboard.pipeline.confirmation.assent_questions import asks_beside
from switchboard.pipeline.confirmation.consent import LONGEST_ANSWER, plain_words

_LONGEST_QUESTION, _MOST_PARTS = 1_000, 6
# Of a text or a mail that is read out, what is asked for beside it may be meant to stand in it; of a booking, for whom.
_DEEDS_IN_FULL = frozenset({"cancelled", "moved"})
# Where a new part of an answer may begin; a question mark stays with what it asks.
_PARTS = re.compile(
    r"(?<=[.!?;)\n])\s{1,3}|,?\s{1,3}(?=(?:and|also|und|außerdem|y|además|et|inoltre|também|ook)\s)", re.IGNORECASE
)
# A question of its own may begin behind a comma as well.
_SENTENCES = re.compile(rf"{_PARTS.pattern}|,\s{{1,3}}", re.IGNORECASE)
# Who says "okay" to what they hear may go on to ask before they answer.
_PLAIN_YES = frozenset(plain_words("yes yeah yep yup ja jawohl jo sí oui ouais"))
# With what a request for something else begins, separated by commas; each may stand behind an "and".
_OPENINGS = """
    could you, can you, would you, do you have, is there, are there, where can i, where do i, where is, where are, what
    is, what's, what are, text me, send me, email me, tell me, could you also, can you also, and also, könnten sie,
    können sie, könntest du, kannst du, haben sie, habt ihr, gibt es, gibt's, wo kann, wo ist, wo sind, wie ist, wie
    lautet, wie sind, schicken sie, schick mir, senden sie, sagen sie mir, me puede, me podría, puede, podría, tienen,
    tiene, hay, dónde, cuál es, mándeme, envíeme, dígame, pourriez-vous, pouvez-vous, avez-vous, est-ce que vous avez,
    y a-t-il, est-ce qu'il y a, où, quelle est, quels sont, envoyez-moi, donnez-moi, può, potrebbe, mi può, avete, c'è,
    dove, qual è, mi mandi, pode, poderia, me pode, têm, tem, onde, qual é, mande-me, kunt u, kun je, heeft u, hebben
    jullie, is er, waar is, waar kan, wat is, stuur me
"""
# What may be asked for: how to get there, when it is open, and to have it in writing.
_HARMLESS = """
    address, directions, parking, parking space, parking spaces, car park, park, wifi, wi-fi, wheelchair access,
    confirmation, confirmation text, confirmation email, opening hours, adresse, anschrift, anfahrt, wegbeschreibung,
    parkplatz, parkplätze, parkmöglichkeiten, parken, parkhaus, wlan, bestätigung, öffnungszeiten, dirección,
    aparcamiento, estacionamiento, aparcar, estacionar, dónde estacionar, dónde aparcar, indicaciones, confirmación,
    horario de apertura, l'adresse, d'adresse, itinéraire, l'itinéraire, parking, se garer, me garer, stationnement,
    stationner, confirmation, horaires d'ouverture, indirizzo, l'indirizzo, parcheggio, parcheggiare, conferma, orari
    di apertura, adres, parkeren, parkeerplaats, parkeerplekken, bevestiging, openingstijden, endereço, morada,
    estacionamento, estacionar, confirmação, horário de funcionamento, horário de abertura
"""
# And what may stand around it: none of these turns, narrows, delays or names anything.
_SMALL = """
    and oh also yes please by the way text send email tell give me us a an the your any some again too as well sms text
    message whatsapp e mail for to of on in at nearby near there outside behind front building street you i do have
    thanks thank kindly
    und oh auch ja bitte übrigens eigentlich noch nochmal mir uns per sms mail e mail whatsapp schicken senden sagen
    geben die der den das eine einen ihre ihren ein mal danke vor tür hinter haus da dort bei ihnen in nähe ich man
    kann es
    y además sí por favor también me nos la el los las una un su sus de mandar enviar dar decir mensaje correo otra vez
    gracias ahí allí cerca puedo se está por sms
    et aussi oui s'il vous plaît me moi nous m'envoyer envoyer donner dire la le les l une un votre vos par sms texto
    mail e mail au fait encore merci près de du chez vous devant peut on puis je
    e anche sì per favore mi ci inviare mandare dare dire il lo la i gli un una vostro sms messaggio posso lì davanti
    en ook ja alstublieft alsjeblieft me ons sturen sms'en geven zeggen het de een uw jullie nog even trouwens bericht
    ik kan voor deur in buurt
    e também sim por favor me nos enviar mandar dar dizer o a os as um uma seu sua mensagem obrigado obrigada aí lá
    perto posso
"""
# Greetings and apologies, told on.
_TOLD_ON = (
    r"(?:please )?tell (?:the )?[^\W\d_]{2,20} (?:that )?(?:im|i am|were|we are) (?:so |very |really |terribly )?sorry",
    r"(?:please )?(?:tell|say) (?:the )?[^\W\d_]{2,20} (?:i said |i say )?(?:hi|hello|thanks|thank you)",
    r"(?:bitte )?(?:sagen sie|sag) (?:der |dem )?[^\W\d_]{2,20} (?:bitte )?(?:dass )?es tut mir(?: sehr)? leid",
    r"(?:bitte )?richten sie (?:der |dem )?(?:herrn |frau )?[^\W\d_]{2,20} (?:bitte )?(?:liebe|viele) grusse aus",
    r"(?:por favor )?digale a [^\W\d_]{2,20} que lo siento(?: mucho)?",
    r"dites (?:a )?[^\W\d_]{2,20} que je suis(?: vraiment)? desolee?",
)
_AND = r"(?:(?:oh )?(?:and|also|und|ausserdem|y|ademas|et|e|inoltre|tambem|en|ook) )?"


def led_by_yes(
    text: str, language: str, question: str, deeds: Sequence[str] | None, days: AskedDays | None = None
) -> bool:
    """Tell whether a yes comes first, and then a request that has nothing to do with the question.

    It asks for one of a few harmless things, and says nothing else.

    Args:
        text: The whole utterance, as transcribed or typed.
        language: The business's.
        question: What was asked, as the caller was told.
        deeds: What was asked about: beside a question about anything but an appointment's end or move nothing is.
        days: When that is, as in `answer_to`.
    """
    is_long = len(text) > LONGEST_ANSWER or len(question) > _LONGEST_QUESTION
    if is_long or not deeds or not _DEEDS_IN_FULL.issuperset(deeds):
        return False
    for head, rest in _split(text, _PARTS):
        if _is_beside(rest, question) and answer_to(head, language, question, deeds, days) == "yes":
            return True
    for head, rest in _split(text, _SENTENCES):
        is_firm = not _PLAIN_YES.isdisjoint(plain_words(head))
        if is_firm and asks_beside(rest, deeds, days) and answer_to(head, language, question, deeds, days) == "yes":
            return True
    return False


def _split(text: str, between: re.Pattern[str]) -> Iterator[tuple[str, str]]:
    """Yield what an answer begins with, and the rest, for each place where a part of it ends."""
    parts = [part for part in between.split(text.strip()) if plain_words(part)]
    for count in range(1, min(len(parts), _MOST_PARTS)):
        yield " ".join(parts[:count]), " ".join(parts[count:])


def _is_beside(text: str, question: str) -> bool:
    words = [word for word in plain_words(text) if word != "?"]
    sentence, named = " ".join(words), named_in(question)
    if _told_on().fullmatch(sentence) is not None:
        return True
    if _opening().match(sentence) is None or not (named - _small()).isdisjoint(words):
        return False
    small, harmless, at, asked = _small(), _harmless(), 0, 0
    while at < len(words):
        length = next((n for n in range(min(3, len(words) - at), 0, -1) if tuple(words[at : at + n]) in harmless), 0)
        if not length and words[at] not in small:
            return False
        asked += bool(length)
        at += length or 1
    return asked > 0


@cache
def _told_on() -> re.Pattern[str]:
    return re.compile(f"{_AND}(?:{'|'.join(_TOLD_ON)})")


@cache
def _opening() -> re.Pattern[str]:
    openings = "|".join(" ".join(key) for key in split_phrases(_OPENINGS))
    return re.compile(rf"{_AND}(?:(?:yes|ja|si|oui|please|bitte|por favor|s ?il vous plait) )*(?:{openings})\b")


@cache
def _harmless() -> frozenset[tuple[str, ...]]:
    return frozenset(split_phrases(_HARMLESS))


@cache
def _small() -> frozenset[str]:
    """Return the words that may stand around what is asked for, those of its beginning among them."""
    return frozenset(plain_words(_SMALL)) | {word for key in split_phrases(_OPENINGS) for word in key}
