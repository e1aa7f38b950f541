"""A yes with a request beside it: "yes please, and could you text me the address?".

Everything that is said beside a yes may take it back, and nobody can list how. So what stands beside it has to begin as
somebody asks for something else, in one of some ways that are known; whatever else follows leaves the question open.
"""

import re
from collections.abc import Sequence
from functools import cache

from switchboard.pipeline.answer_words import plain_words
from switchboard.pipeline.asked_times import AskedDays
from switchboard.pipeline.assent import LONGEST_ANSWER, answer_to
from switchboard.pipeline.assent_phrases import named_in
from switchboard.pipeline.spoken_moments import LANGUAGES, names_time

_LONGEST_QUESTION, _MOST_PARTS = 1_000, 6
# Of a text or a mail that is read out, what is asked for beside it may be meant to stand in it; of a booking, for whom.
_DEEDS_IN_FULL = frozenset({"cancelled", "moved"})
# Where a new part of an answer may begin; a question mark stays with what it asks.
_PARTS = re.compile(
    r"(?<=[.!?;)\n])\s{1,3}|,?\s{1,3}(?=(?:and|also|und|außerdem|y|además|et|inoltre|também|ook)\s)", re.IGNORECASE
)
_AND = r"(?:(?:and|oh and|also|und|außerdem|y|además|et|e|inoltre|também|en|ook)\s+)"
_PLEASE = r"(?:(?:yes|ja|sí|oui|please|bitte|por favor|s'il vous plaît)\s+)*"
# Questions after something else, with or without an "and".
_QUESTIONS = """
    could you, can you, would you, do you have, do you sell, do you take, do you know, is there, are there, where
    can i, where do i, where is, where are, is [a-z]+ there, what is your, what's your, what time do you, how late
    are you, könnten sie, können sie, könntest du, kannst du, haben sie, habt ihr, gibt es, wo kann, wo ist, wo
    sind, wo parkt, wie lange haben sie, me puede, me podría, podría, tienen, tiene, hay, dónde, pourriez vous,
    pouvez vous, avez vous, vous avez un, y a t il, où, può, potrebbe, avete, c'è, dove, pode, poderia, têm, tem,
    há, onde, kunt u, kun je, heeft u, hebben jullie, is er, waar
"""
# Requests; only behind an "and", which adds them to the yes.
_REQUESTS = """
    ask, tell, text, send, email, remind, sagen sie, fragen sie, schicken sie, sag, schick, richten sie, dígale,
    mande, mándeme, envíeme, pregunte, dites, envoyez, demandez, renvoyez, dica, mandi, chieda, diga, envie,
    pergunte, zeg, stuur, vraag
"""
# A yes to "are you there?", and whatever speaks of the question or of the yes itself.
_OF_THE_QUESTION = """
    no nope nee nein non não not dont cant wont isnt arent never without nicht kein keine keinen nie ohne nunca sin pas
    ne jamais sans non mai senza nao nem sem niet geen nooit zonder it this that them those these its das es dies diese
    dieser ihn eso esto lo ese esa ça ca cela ceci lui ciò questo questa quello quella isso isto esse essa ele dat dit
    but aber sondern pero sino mais ma mas maar though although however instead rather lieber mejor plutôt piuttosto
    liever only just nur sólo solo seulement soltanto apenas alleen except unless until bis hasta jusque fino até tot if
    wenn falls si se als when wann cuando quand quando wanneer first last zuerst erst primero premier prima primeiro
    eerst wait stop hold halt warte espere attendez aspetti wacht maybe perhaps vielleicht quizá quizás peut-être forse
    talvez misschien think mind meant mean mistake wrong scratch forget kidding joking husband wife mann frau marido
    mujer esposo mari femme why warum porque pourquoi perché waarom who wer quién qui chi quem wie other another
    different ander andere anderen anderer otro otra autre altro altra outro outra keep stay leave change behalten
    bleiben lassen ändern mantener quedar dejar cambiar garder rester laisser changer tenere lasciare cambiare manter
    ficar deixar mudar houden blijven laten veranderen cost costs charge charged fee fees price deposit refund pay money
    kostet kosten gebühr preis anzahlung zahlen cuesta costo coste precio depósito pagar coûte coute frais prix acompte
    payer costa prezzo pagare custa preço taxa prijs betalen appointment booking termin cita rendezvous consulta
    appuntamento afspraak place slot spot nobody platz sitio lugar hueco posto plek new old again later earlier sooner
    next neu neue neuen alt alte alten wieder nuevo nueva viejo vieja nouveau nouvelle ancien nuovo nuova vecchio novo
    nova velho nieuw nieuwe oude hear understand repeat said say robot hören verstehen sagten oír entender escucha
    entends comprends sentire capire ouvir horen verstaan both all alle beide ambos todos tous tutti allebei
"""
# What is done with appointments, as plain words begin.
_DEED = re.compile(
    "cancel|book|rebook|mov|reschedul|postpon|remov|delet|absag|abzusag|stornier|verschieb|verleg|buch|umbuch|streich|"
    "losch|anul|reserv|cambi|aplaz|borr|annul|deplac|report|decal|supprim|disdi|disdett|prenot|spost|rimand|desmarc|marc|"
    "remarc|adi|alter|apag|afzeg|afgezegd|verzet|boek|schrap"
)


def led_by_yes(
    text: str, language: str, question: str, deeds: Sequence[str] | None, days: AskedDays | None = None
) -> bool:
    """Tell whether a yes comes first, and then a request that has nothing to do with the question.

    It names no time, no deed of the calendar, nothing that the question names and no money, refers to nothing, and
    neither refuses nor narrows.

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
    parts = [part for part in _PARTS.split(text.strip()) if plain_words(part)]
    for count in range(1, min(len(parts), _MOST_PARTS)):
        head, rest = " ".join(parts[:count]), " ".join(parts[count:])
        if answer_to(head, language, question, deeds, days) == "yes" and _is_beside(rest, question):
            return True
    return False


def _is_beside(text: str, question: str) -> bool:
    if _opening().match(text.casefold().replace("-", " ").lstrip(" ¿")) is None:
        return False
    named = named_in(question)
    return not any(
        word in _of_the_question() or word in named or not word.isalpha() or _DEED.match(word)
        for word in plain_words(text)
        if word != "?"
    )


@cache
def _opening() -> re.Pattern[str]:
    questions, requests = (
        "|".join(" ".join(part.split()) for part in table.split(",")) for table in (_QUESTIONS, _REQUESTS)
    )
    return re.compile(rf"{_AND}?{_PLEASE}(?:{questions})\b|{_AND}{_PLEASE}(?:{requests})\s")


@cache
def _of_the_question() -> frozenset[str]:
    times = frozenset(word for language in LANGUAGES for word in names_time(language))
    return times | frozenset(plain_words(_OF_THE_QUESTION))
