"""A yes with something beside it: "yes please, and could you text me the address?", "sure, my plans changed".

Everything that is said beside a yes may take it back, and nobody can list how. So each part of what stands beside it
has to ask for one of a few harmless things, in words that are all known, to be a whole question that is known
(`assent_questions`), to speak of the caller's own (`assent_own`), or to agree once more; whatever else it holds leaves
the question open: who waits, asks what it costs, what then happens or who is there, or asks for somebody, may not have
agreed yet.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache

from switchboard.pipeline.confirmation.asked_times import AskedDays
from switchboard.pipeline.confirmation.assent import answer_to, answer_to_all
from switchboard.pipeline.confirmation.assent_own import said_of_own
from switchboard.pipeline.confirmation.assent_phrases import named_in, split_phrases
from switchboard.pipeline.confirmation.assent_questions import asks_beside
from switchboard.pipeline.confirmation.consent import LONGEST_ANSWER, Reply, plain_words
from switchboard.pipeline.confirmation.deed_words import DEED_STEMS

_LONGEST_QUESTION, _MOST_PARTS = 1_000, 6
# Of a text or a mail that is read out, what is asked for beside it may be meant to stand in it.
_DEEDS_IN_FULL = frozenset({"cancelled", "moved", "booked"})
# Where a new part of an answer may begin; a question mark stays with what it asks.
_SIGNS_END = r"(?<=[.!?;)\n])\s{1,3}"
_PARTS = re.compile(
    rf"{_SIGNS_END}|,?\s{{1,3}}(?=(?:and|also|und|außerdem|y|además|et|e|inoltre|também|en|ook)\s)", re.IGNORECASE
)
# A question or a remark of its own may begin behind a comma or a "because" as well, and goes on with an "also".
_SENTENCES = re.compile(
    rf"{_SIGNS_END}|,?\s{{1,3}}(?=(?:and|und|außerdem|y|además|et|e|inoltre|en)\s)|,\s{{1,3}}|\s[-\u2013\u2014]\s"
    r"|\s(?=(?:because|cos|weil|denn|porque|parce|perché|want|omdat)\s)",
    re.IGNORECASE,
)
# Who says "okay" to what they hear may go on to ask before they answer.
_PLAIN_YES = frozenset(plain_words("yes yeah yep yup ja jawohl jo sí oui ouais sì sim"))
# These are said to nothing but a question, and no question of somebody's own follows them.
_OF_COURSE = frozenset(plain_words("sure certainly definitely absolutely klar natürlich claro certo"))
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
# A no that stands alone before its sign, and with what somebody begins to say what they want.
_HEAD = re.compile(r"[^,.;!?]{1,40}(?=[,.;!])")
_WISH = re.compile(
    r"(?:(?:aber|but|pero|mais|ma|maar|mas) )?(?:i (?:want|wanted|need)(?! it\b| that\b| this\b| to go\b| you to\b)"
    r"|id (?:like|rather)"
    r"|ich (?:will|wollte|mochte|brauche)"
    r"(?! das\b| den\b| es\b| dass\b)|(?:yo )?(?:quiero|queria|quisiera|prefiero)|je (?:veux|voulais|voudrais|prefere)"
    r"|(?:voglio|volevo|vorrei)"
    r"|ik (?:wil|wilde|wou)(?! het\b| dat\b)|(?:eu )?(?:quero|queria|prefiro))\b"
)
_ANDS = frozenset(plain_words("and oh also und außerdem y además et e inoltre também en ook"))
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

    def reply_of(head: str) -> Reply:
        return answer_to(head, language, question, deeds, days)

    return _is_led(text, language, question, deeds or (), days, reply_of)


def led_by_yes_to_all(text: str, language: str, question: str, deeds: Sequence[Sequence[str]]) -> bool:
    """Tell the same of a question about several calls, each of which does its own deeds."""

    def reply_of(head: str) -> Reply:
        return answer_to_all(head, language, question, deeds[0] if all(own == deeds[0] for own in deeds) else ())

    known = all(deeds) and [deed for own in deeds for deed in own]
    return _is_led(text, language, question, known or (), None, reply_of)


def led_by_no(text: str, deeds: Sequence[str] | None, understood_as: Callable[[str], Reply]) -> bool:
    """Tell whether a no comes first, then a question, and at last what somebody wants instead: "no, why Ole? I want …".

    A question alone leaves open what is asked about, and so does whoever names the very deed: "no, what? I want it".

    Args:
        text: The whole utterance, as transcribed or typed.
        deeds: What was asked about.
        understood_as: What a part of it says by itself.
    """
    told, mark, wish = text.rpartition("?")
    head = _HEAD.match(told)
    if len(text) > LONGEST_ANSWER or not mark or head is None or understood_as(head[0]) != "no":
        return False
    words = plain_words(text.replace("?", " "))
    is_named = any(DEED_STEMS[deed].match(word) for deed in deeds or () if deed in DEED_STEMS for word in words)
    is_agreed = not (_PLAIN_YES - {"si"}).isdisjoint(words) or "s\u00ed" in text.casefold()
    return _WISH.match(" ".join(plain_words(wish))) is not None and not is_named and not is_agreed


def _is_led(
    text: str,
    language: str,
    question: str,
    deeds: Sequence[str],
    days: AskedDays | None,
    reply_of: Callable[[str], Reply],
) -> bool:
    is_long = len(text) > LONGEST_ANSWER or len(question) > _LONGEST_QUESTION
    if is_long or not deeds or not _DEEDS_IN_FULL.issuperset(deeds):
        return False
    for head, rest in _split(text, _PARTS):
        if _is_beside(" ".join(rest), question) and reply_of(head) == "yes":
            return True
    for head, rest in _split(text, _SENTENCES):
        is_plain = not _PLAIN_YES.isdisjoint(plain_words(head))
        if is_plain and asks_beside(" ".join(rest), deeds, days) and reply_of(head) == "yes":
            return True
        is_firm = is_plain or not _OF_COURSE.isdisjoint(plain_words(head))
        others = [part for part in rest if not _is_of_its_own(part, question, deeds, days, is_firm=is_firm)]
        if len(others) == len(rest) or not all(_agrees_again(part, language, deeds) for part in others):
            continue
        if reply_of(head) == "yes" and (not others or reply_of(" ".join((head, *others))) == "yes"):
            return True
    return False


def _is_of_its_own(part: str, question: str, deeds: Sequence[str], days: AskedDays | None, *, is_firm: bool) -> bool:
    """Tell whether a part of what stands beside a yes has nothing to do with the question, whatever is around it."""
    if said_of_own(part, deeds, question, is_firm=is_firm):
        return True
    opening = next(word for word in plain_words(part) if word != "?")
    if opening in _ANDS and _is_beside(part, question):
        return True
    return is_firm and asks_beside(part, deeds, days)


def _agrees_again(part: str, language: str, deeds: Sequence[str]) -> bool:
    """Tell whether a part thanks or agrees once more, and names of what was asked nothing but the deed."""
    about = deeds if len(set(deeds)) == 1 else ()
    return "?" not in part and answer_to(f"yes. {part}", language, "", about) == "yes"


def _split(text: str, between: re.Pattern[str]) -> Iterator[tuple[str, Sequence[str]]]:
    """Yield what an answer begins with, and the parts of the rest, for each place where a part of it ends."""
    parts = [part for part in between.split(text.strip()) if any(word != "?" for word in plain_words(part))]
    for count in range(1, min(len(parts), _MOST_PARTS)):
        yield " ".join(parts[:count]), parts[count:]


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
