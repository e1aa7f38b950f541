"""A yes with something beside it: "yes please, and could you text me the address?"."""

import re
from collections.abc import Sequence
from functools import cache

from switchboard.pipeline.answer_words import plain_words
from switchboard.pipeline.assent import answer_to, named_in
from switchboard.pipeline.spoken_moments import LANGUAGES, names_time

_LONGEST_ANSWER, _LONGEST_QUESTION, _MOST_PARTS = 300, 1_000, 6
# Where a new part of an answer may begin.
_PARTS = re.compile(
    r"(?<![.!?;)\n])[.!?;)\n]++(?=\s|$)|,?\s{1,3}(?=(?:and|also|und|außerdem|y|además|et|inoltre|também|ook)\s)",
    re.IGNORECASE,
)
# "And for Bella" may name another whom it is to be done for; who asks for something needs more words.
_FEWEST, _FEWEST_OF_A_QUESTION = 4, 3
# What refers to the question, asks what it costs, or takes the yes back.
_OF_THE_QUESTION = """
    no nope nee nein non não not dont cant wont isnt arent never without nicht kein keine keinen nie ohne nunca sin
    pas ne jamais sans non mai senza nao nem sem niet geen nooit zonder it that this them those these its das es
    dies diese dieser ihn eso esto lo ese esa ça ca cela ceci lui ciò questo questa quello quella isso isto esse
    essa ele dat dit cost costs charge charged charges fee fees price deposit refund pay money free kostet kosten
    gebühr preis anzahlung geld zahlen cuesta costo coste precio depósito reembolso pagar coûte coute frais prix
    acompte argent payer costa costo prezzo tariffa caparra pagare custa custo preço taxa sinal kost kosten prijs
    betalen if wenn falls si se als when wann cuando quand quando wanneer after before nach vor antes después avant
    après prima dopo depois voor na first last zuerst erst primero primeiro eerst wait stop hold halt warte espere
    attendez aspetti wacht sure sicher wirklich really why warum por porque pourquoi perché waarom who wer quién qui
    chi quem wie other another different ander andere anderer otro otra autre altro altra outro outra instead rather
    lieber mejor plutôt piuttosto then dann entonces alors allora então dan appointment termin cita rendezvous
    appuntamento consulta afspraak booking although though however perhaps maybe possibly keep keeps stay stays
    leave change changes later earlier sooner next new old only just think mind unless except until obwohl
    allerdings jedoch eigentlich vielleicht behalten bleibt bleiben lassen ändern später früher nächste neu alt nur
    überlegen bis aunque embargo quizá quizás tal mantener quedar dejar tarde temprano próxima nuevo viejo pensar
    hasta salvo quoique cependant toutefois peut-être garder rester laisser changer tard tôt prochaine nouveau
    ancien seulement réfléchir jusque sauf però tuttavia forse tenere mantenere lasciare tardi prossima nuovo
    vecchio fino tranne embora porém talvez manter ficar deixar mudar cedo próximo novo velho até exceto hoewel
    echter misschien houden blijven laten veranderen vroeger volgende nieuw oud denken tot behalve both all alle
    beide ambos todos tous tutti todos allebei
"""
# "Yes, yes please do, and I want another one as well": whoever has agreed so goes on to anything but these.
_EMPHATIC = 4
_YES = frozenset(plain_words("yes yeah yep yup do please ja jo bitte sí si claro oui ouais sì certo sim claro"))
_BACK = frozenset(
    plain_words(
        """no not nope dont doesnt cant wont isnt never without but instead rather only unless except wait hold stop
        keep leave stay cost costs charge fee fees price deposit refund pay free nein nicht kein keine nie ohne aber
        sondern lieber nur außer warte halt behalten bleiben lassen kostet kosten gebühr preis zahlen nunca sin pero
        sino mejor solo espere espera mantener quedar dejar cuesta costo coste precio pagar non ne pas jamais sans
        mais plutôt seulement attendez garder rester laisser coûte coute frais prix payer ma invece senza mai tenere
        lasciare costa prezzo pagare nao mas sem manter ficar deixar custa preço taxa niet geen maar liever alleen
        houden kost prijs
        """
    )
)
_HENCE = re.compile(r",?\s{1,3}(?:so|also|entonces|as[ií] que|donc|alors|quindi|allora|então|dus)\s", re.IGNORECASE)
_PLEASE = frozenset(plain_words("please bitte porfavor favor plaît prego piacere favore alstublieft alsjeblieft"))
# Beside these nothing that is asked for in the end is asked for the whole of it.
_TAKEN_BACK = frozenset(
    plain_words(
        """but instead rather other another only if unless except or aber sondern lieber anderen andere nur wenn falls
        oder pero sino mejor otra otro solo si o mais plutôt autre seulement ou ma invece altro altra solo se oppure mas
        outro outra apenas ou maar liever andere alleen"""
    )
)
# What is done with appointments, as plain words begin.
_DEED = re.compile(
    "cancel|book|rebook|mov|reschedul|postpon|remov|delet|absag|abzusag|stornier|verschieb|verleg|buch|umbuch|streich|"
    "losch|anul|reserv|cambi|aplaz|borr|annul|deplac|report|decal|supprim|disdi|disdett|prenot|spost|rimand|desmarc|marc|"
    "remarc|adi|alter|apag|afzeg|afgezegd|verzet|boek|schrap"
)


def led_by_yes(text: str, language: str, question: str, deeds: Sequence[str] | None) -> bool:
    """Tell whether a yes comes first, and then something that has nothing to do with the question.

    "Yes please, and could you text me the address?": a yes in a part of its own, and a part behind it that names no
    time, no deed of the calendar and no money, refers to nothing, and neither refuses nor narrows.

    Args:
        text: The whole utterance, as transcribed or typed.
        language: The business's.
        question: What was asked, as the caller was told.
        deeds: What was asked about.
    """
    if len(text) > _LONGEST_ANSWER or len(question) > _LONGEST_QUESTION:
        return False
    parts = [part for part in _PARTS.split(text.strip()) if plain_words(part)]
    for count in range(1, min(len(parts), _MOST_PARTS)):
        head, rest = " ".join(parts[:count]), " ".join(parts[count:])
        if "?" in head or answer_to(head, language, question, deeds) != "yes":
            continue
        if _is_beside(rest, question) or (_is_emphatic(head) and _takes_nothing_back(rest)):
            return True
    return False


def _is_emphatic(head: str) -> bool:
    """Tell whether a yes is more than a word or two that may lead to anything."""
    words = plain_words(head)
    return len(words) >= _EMPHATIC and sum(word in _YES for word in words) > 1


def _takes_nothing_back(rest: str) -> bool:
    words = plain_words(rest)
    return len(words) >= _FEWEST and "?" not in words and not any(word in _BACK for word in words)


def ends_in_it(text: str, language: str, question: str, deeds: Sequence[str] | None) -> bool:
    """Tell whether it comes down to the deed that was asked about: "well, I can't come anyway, so take me off please".

    Arguments as above.
    """
    if len(text) > _LONGEST_ANSWER or len(question) > _LONGEST_QUESTION or "?" in text:
        return False
    *before, last = _HENCE.split(text)
    words = plain_words(last)
    if not before or not _PLEASE.intersection(words) or any(word in _TAKEN_BACK for word in plain_words(text)):
        return False
    # A deed alone is no yes; that somebody asks for it, and says why, makes it one.
    is_deed = len(set(words) - _PLEASE) > 1
    alone = answer_to(last, language, question, deeds)
    return is_deed and alone == "unclear" and answer_to(f"yes {last}", language, question, deeds) == "yes"


def _is_beside(text: str, question: str) -> bool:
    words = [word for word in plain_words(text) if word != "?"]
    named = named_in(question)
    fewest = _FEWEST_OF_A_QUESTION if text.rstrip().endswith("?") else _FEWEST
    return len(words) >= fewest and not any(
        word in _of_the_question() or word in named or not word.isalpha() or _DEED.match(word) for word in words
    )


@cache
def _of_the_question() -> frozenset[str]:
    times = frozenset(word for language in LANGUAGES for word in names_time(language))
    return times | frozenset(plain_words(_OF_THE_QUESTION))
