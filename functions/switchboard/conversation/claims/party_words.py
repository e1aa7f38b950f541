"""How many come, as a sentence says: "a table for six", "zu dritt", "para los cuatro", "just for you".

Only what says it for sure is read. English and German "for six" may be a time as well: that is told apart.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import product

from switchboard.conversation.claims.time_words import HOUR_WORDS, LATER_HOUR_WORDS, MONTHS, SHORT_WEEKDAYS, WEEKDAYS

_WORDS = (
    ("one", "eine", "einen", "einer", "una", "un", "une", "uma", "um", "één", "een", "uno"),
    ("two", "zwei", "dos", "deux", "due", "duas", "dois", "twee"),
    ("three", "drei", "tres", "trois", "tre", "três", "drie"),
    ("four", "vier", "cuatro", "quatre", "quattro", "quatro"),
    ("five", "fünf", "cinco", "cinq", "cinque", "vijf"),
    ("six", "sechs", "seis", "sei", "zes"),
    ("seven", "sieben", "siete", "sept", "sette", "sete", "zeven"),
    ("eight", "acht", "ocho", "huit", "otto", "oito"),
    ("nine", "neun", "nueve", "neuf", "nove", "negen"),
    ("ten", "zehn", "diez", "dix", "dieci", "dez", "tien"),
    ("eleven", "elf", "once", "onze", "undici"),
    ("twelve", "a dozen", "zwölf", "ein dutzend", "doce", "una docena", "douze", "dodici", "doze", "twaalf"),
)
NUMBERS = {word: n for n, words in enumerate(_WORDS, 1) for word in words}
# "Dix" is not "dix-neuf", and 18 not "18,50".
_NO_PART = r"(?!-\w|[.,]?\d)"
_NUMBER = rf"(?:{'|'.join(sorted(NUMBERS, key=len, reverse=True))}|[1-9]\d?){_NO_PART}"
_N = rf"(?P<n>{_NUMBER})"
_SEVERAL = "|".join(sorted((word for word, n in NUMBERS.items() if n > 1), key=len, reverse=True))
_MANY = rf"(?P<n>{_SEVERAL}|[2-9]|[1-9]\d){_NO_PART}"
_WHO = (
    r"(?:people|persons?|guests?|adults?|kids|children|pax|diners|ladies|gentlemen|friends|participants|attendees"
    r"|personen?|leuten?|gästen?|erwachsenen?|kindern?|teilnehmer\w*"
    r"|personas?|adultos?|niñ[oa]s|comensales|invitados|amig[oa]s"
    r"|personnes?|adultes?|enfants|convives|couverts|invités|amies?"
    r"|persone?|adulti|bambini|ospiti|coperti|pessoas?|crianças|convidados|persoon|volwassenen|kinderen|gasten|mensen)"
)
_SEATS = r"(?:seats|spots|places|plätze|plazas|lugares|posti|plaatsen|plekken)"
_FOR = r"(?:for|für|para|pour|per|voor)"
_DAYS = "|".join(sorted({*WEEKDAYS, *MONTHS}, key=len, reverse=True))
# Behind a number that counts nothing: the sentence goes on with when, where, or with whom.
_GOES_ON = (
    r"(?=\s*(?:[.,;:!?)\u2013\u2014-](?!\d)|$)|\s+(?:on|at|in|with|is|are|has|this|next|today|tomorrow|tonight|am"
    r"|um|auf|ist|bei|mit|heute|morgen|gebucht"
    r"|reserviert|eingetragen|bestätigt|el|a|está|queda|hoy|mañana|con|à|le|est|aujourd'hui|demain|avec|alle|è"
    r"|domani|às|amanhã|com|op|om"
    rf"|voor|pour|para|für|for|bij|vandaag|confirmed|booked|reserved|set|and|und|y|et|e|en|{_DAYS})\b)"
)
# "Six people on Friday at seven": when they come, and not what they are.
_THEN = (
    rf"(?:(?:(?:on|am|el|le|op|this|next)\s+)?(?:{_DAYS})|today|tomorrow|tonight|heute|morgen|hoy|mañana|demain|domani"
    r"|amanhã|vandaag|um\s+\w+|at\s+(?!(?:least|most|a|the|once|all|any|our|home)\b)\w+)"
)
_PARTIES = (
    rf"\b{_FOR}\s+(?:the\s+|all\s+|your\s+|ihre\s+|sus\s+|vos\s+|die\s+|(?:unas|unos|des|les|las|los|le"
    rf"|i)\s+)?{_N}\s+{_WHO}\b",
    rf"\b(?:party|group|family|bunch|team|gruppe|familie|grupo|familia|groupe|famille|gruppo|famiglia|grupo|família"
    rf"|groep)\s+"
    rf"(?:of|von|de|d'|di|van|mit|aus)\s*{_N}\b",
    rf"\b(?:table|tisch|mesa|tavolo|tafel|booth)\s+{_FOR}\s+{_N}\b(?!\s+(?:hours?|minutes?|uhr|stunden|horas"
    rf"|heures?|ore|uur))",
    rf"\ball\s+{_MANY}(?:\s+of\s+(?:you|us|them)\b|{_GOES_ON})",
    r"\balle\s+(?P<n>drei|vier|fünf|sechs|sieben|acht|drie|vijf|zes|zeven)(?=\s+(?:sind|zijn|gebucht|eingetragen|am"
    r"|op|für|voor)\b|\s*[,.;!])",
    rf"\b(?:vous êtes|vous serez|ustedes|estáis|están|pour|para)\s+(?:todos|todas|tous|toutes)\s+(?:los|las|les)"
    rf"\s+{_MANY}\b"
    r"(?!\s+(?:d[íi]as|semanas|meses|horas|jours|semaines|mois|heures|ans|años|minut\w+|\w+dis?)\b)",
    rf"\b{_MANY}\s+of\s+you\b",
    rf"\b(?:für euch|voor jullie|per voi|para ustedes|para vocês)\s+{_MANY}{_GOES_ON}",
    rf"(?:^|[,;:]\s+)(?:that's\s+|das sind\s+|son\s+)?{_MANY}\s+{_WHO}\b(?=\s*[,;.!]|\s+{_THEN}\b)",
    rf"\b(?:book\w*|reserv\w*|réserv\w*|got|gebucht|prenotat\w*|geboekt)\s+(?:you\s+|ihnen\s+|le\s+)?{_N}\s+{_SEATS}\b",
    rf"\b{_N}\s+{_SEATS}\s+(?:[^\s,.;]+\s+){{0,3}}(?:booked|reserved|gebucht|reserviert|reservad\w+|réservées?"
    rf"|prenotati|geboekt)\b",
    rf"(?:^|[,;:]\s*|\b(?:a|vienen|ustedes|están)\s+)los\s+{_MANY}(?=\s+(?:est[áa]n|quedan|el|para|apuntados"
    rf"|anotados)\b|\s*[.,;!?])",
    rf"\b(?:vous|ustedes|voi|vocês|jullie|sie|you)\s+(?:êtes|son|seréis|sois|siete|são|zijn|sind|are)\s+(?:à\s+"
    rf"|in\s+|todos\s+)?{_MANY}"
    rf"(?:\s+{_WHO})?(?=\s*[,.;!]|\s*$)",
    rf"\bsiete in\s+{_MANY}\b",
    rf"\b(?:inscrits?|inscrites|venez|serez|viendrez)\s+à\s+{_MANY}\b(?!\s*(?:h|heures?)\b)",
    rf"\b(?:with|mit|con|avec|met|com)\s+{_MANY}\s+(?:people|persons|personen|leuten|personas|personnes|persone"
    rf"|pessoas)\b",
    r"\b(?P<n>zwei|drei|vier|fünf|sechs|sieben|acht)köpfige[nr]?\b",
    rf"\b(?:you and|you plus|sie und|usted y|vous et|lei e|u en)\s+{_MANY}\s+{_WHO}\b(?P<more>)",
    rf"\byou and your {_MANY}\s+\w+(?P<more>)",
    rf"\b(?:sie und ihren?|usted y sus|vous et vos)\s+{_MANY}\s+\w+(?P<more>)",
    rf"\b(?:mov|chang|updat|increas|reduc|rais|bump|cambi|modific|aument|pas|modifi|augment|mis|ampli)\w*\b[^.;:!?]{{0,60}}"
    rf"(?<!\w)(?:to|a|à)\s+(?:just\s+|only\s+|solo\s+|seulement\s+)?{_N}\s+{_WHO}\b",
    rf"\bauf\s+(?:nur\s+|jetzt\s+)?{_N}\s+{_WHO}\b",
)
# Two, whichever word says so, or one.
KIN = (
    r"(?:husband|wife|partner|spouse|son|daughter|mother|mum|mom|father|dad|sister|brother|friend|girlfriend|boyfriend"
    r"|child|colleague|man|mann|frau|vrouw|zoon|dochter|vriend(?:in)?|marito|moglie|figli[oa]|compagn[oa]|filh[oa]"
    r"|partnerin|sohn|tochter|mutter|vater|schwester|bruder|freund(?:in)?|kind|marido|esposa"
    r"|mujer|pareja|hij[oa]|madre|padre|herman[oa]|amig[oa]|mari|femme|conjointe?|fils|fille|mère|père|sœur|frère"
    r"|amie?)"
)
"""Who belongs to a caller, in a pattern."""
_BOTH = re.compile(
    r"\b(?:both of you|you two|ihr zwei|you both|you're both|you are both|you'll both|sie beiden?|ihnen beiden"
    r"|euch beiden?|ihr beiden?"
    r"|ustedes dos|vosotros dos|(?:los|las) dos(?= (?:están|quedan)\b)|vous deux|vous êtes tous les deux"
    r"|vous êtes toutes les deux"
    r"|voi due|vocês dois|vocês duas|u beiden|jullie beiden?|(?:u|jullie) allebei"
    rf"|(?:you and your|sie und ihre?n?|usted y su|vous et votre|lei e suo|lei e sua|você e seu|você e sua"
    rf"|u en uw) {KIN})\b",
    re.I,
)
_ONE = re.compile(
    r"\b(?:(?:just|only) for (?:you|yourself)|for (?:you|yourself) (?:alone|only)|by yourself|just you"
    r"|(?:nur|allein(?:e)?) für (?:sie|dich)(?! (?:beide|und|alle))|für (?:sie|dich) allein"
    r"|(?:solo|sólo|solamente|únicamente) para (?:usted|ti)|para (?:usted|ti) sol[oa]|(?:rien que|seulement"
    r"|uniquement) pour vous"
    r"|pour vous seule?|(?:solo|soltanto) per lei|(?:só|somente|apenas) para (?:si|você)|alleen voor (?:u|jou))\b"
    r"(?! (?:and|und|y|et|e|en|both|two|beide)\b)",
    re.I,
)
_ZU, _MET = "zweit dritt viert fünft sechst siebt acht", "tweeën drieën vieren vijven zessen zevenen achten"
_TOGETHER = {word: n for said in (_ZU, _MET) for n, word in enumerate(said.split(), 2)}
_IN_ALL = re.compile(
    rf"\b(?:zu (?P<word>{_ZU.replace(' ', '|')})|met (?:z'n|zijn|ons|jullie) (?P<dutch>{_MET.replace(' ', '|')}))\b",
    re.I,
)
_BARE = re.compile(
    rf"(?:\b(?:for|für)\s+|,\s+(?=\w+\s*[.!]*\s*$)){_MANY.replace('?P<n>', '?P<n>one|eins|')}{_GOES_ON}", re.I
)
# "Kwart voor vijf" is a time.
_BARE_FOR_SURE = re.compile(
    rf"(?<!kwart )(?<!vijf )(?<!tien )(?<!twintig )(?<!\d )\b(?:para|pour|per"
    rf"|voor)\s+(?P<n>{_SEVERAL}){_NO_PART}{_GOES_ON}",
    re.I,
)
# How many there may be at most, and what a class or a room is made for.
_MOST = re.compile(
    r"\b(?:up to|at most|max(?:imum|imal|imaal)?|no more than|höchstens|bis zu|hasta|como máximo|jusqu'à|au plus"
    r"|fino a|al massimo"
    r"|até|no máximo|tot|hoogstens|(?:class|course|kurs|clase|curso|cours|corso|aula|cursus|room|raum|sala"
    r"|salle)\s+(?:is\s+)?(?:for|für|para"
    r"|pour|per|voor))(?:\s+\w+)?\s*$",
    re.I,
)
_SURE = tuple(re.compile(pattern, re.I) for pattern in _PARTIES)
_MOST_BARE = 3
_SENTENCES_KEPT = 500
_COUNTS = re.compile(r"\d|köpfig", re.I)
_LETTERS = re.compile(r"[^\W\d_]+")
_WORDS_OF_NUMBERS = frozenset(_LETTERS.findall(" ".join(NUMBERS))) - {"a"}

# What leads to times and days, and stands between them.
_WHEN = """
a à al at um am an on in the el la las le les alle às om as per para por o'clock uhr uur h heures heure horas hora
and or und oder y o et ou e en
then dann entonces alors donc allora quindi então dan dus
also even half past quarter to thirty fifteen forty-five halb viertel nach vor media
cuarto demie quart mezza meia half kwart over voor noon midday mittag midi mediodía tomorrow today morgen heute
übermorgen mañana hoy demain aujourd'hui domani oggi amanhã hoje vandaag pm p m next nächsten próximo prochain
treize quatorze quinze seize dix-sept dix-huit dix-neuf vingt vingt-et-une tredici quattordici quindici sedici
diciassette diciotto diciannove venti ventuno treze catorze quinze dezesseis dezassete dezessete dezoito dezenove vinte
trece catorce quince dieciséis diecisiete dieciocho diecinueve veinte trente quarante-cinq trenta trinta treinta
"""
_WHEN_WORDS = frozenset({*_WHEN.split(), *HOUR_WORDS, *LATER_HOUR_WORDS, *WEEKDAYS, *SHORT_WEEKDAYS, *MONTHS, *NUMBERS})
# What else stands in a visit that is told without a verb: "una mesa para seis el viernes a las siete de la tarde".
_VISIT = """
so also that's das ist sind party für for a ein eine einen der das the una un une um uma een il de da del du des van s
evening afternoon morning abends mittags nachmittags abend nachmittag tarde noche soir après-midi sera pomeriggio noite
avonds avond middag matin mattina mattino manhã madrugada
"""
_VISIT_WORDS = _WHEN_WORDS | frozenset(_VISIT.split())
_WORD = re.compile(r"[^\W\d_]+(?:['-][^\W\d_]+)*")


# A sentence is asked several times, by whoever holds it against something.
@lru_cache(maxsize=_SENTENCES_KEPT)
def parties_said(sentence: str) -> frozenset[int]:
    """Return for how many a sentence says that something is; what may be a time, or a limit, is left out."""
    sizes = set[int]()
    for match in (*_counts_in(sentence), *_BARE_FOR_SURE.finditer(sentence)):
        if _MOST.search(sentence[max(0, match.start() - 40) : match.start("n")]) is None:
            sizes.add(_count(match["n"]) + ("more" in match.re.groupindex))
    if _BOTH.search(sentence):
        sizes.add(2)
    if _ONE.search(sentence):
        sizes.add(1)
    sizes |= {_TOGETHER[(match["word"] or match["dutch"]).lower()] for match in _IN_ALL.finditer(sentence)}
    return frozenset(sizes)


def party_readings(sentence: str) -> Iterator[tuple[str, frozenset[int]]]:
    """Yield what a sentence may mean by each "for six" and last ", six": six o'clock, or six people, told beside it."""
    sure = parties_said(sentence)
    # What is read for sure is no time: "a table for two".
    sentence = without_parties(sentence)
    bare = list(_BARE.finditer(sentence))[:_MOST_BARE]
    for are_parties in product((False, True), repeat=len(bare)):
        text, end, parties = "", 0, set(sure)
        for match, is_party in zip(bare, are_parties, strict=True):
            text += sentence[end : match.start()] + ("" if is_party else f" at {match['n']}")
            parties |= {_count(match["n"])} if is_party else set()
            end = match.end()
        yield text + sentence[end:], frozenset(parties)


def without_parties(sentence: str) -> str:
    """Return a sentence without what says for sure for how many something is."""
    for pattern in _SURE if _counts_in(sentence) else ():
        sentence = pattern.sub(" ", sentence)
    return sentence


@lru_cache(maxsize=_SENTENCES_KEPT)
def _counts_in(sentence: str) -> Sequence[re.Match[str]]:
    """Return where a sentence says for sure for how many something is: nowhere without a number, in digits or words."""
    if _COUNTS.search(sentence) is None and _WORDS_OF_NUMBERS.isdisjoint(map(str.lower, _LETTERS.findall(sentence))):
        return ()
    return tuple(match for pattern in _SURE for match in pattern.finditer(sentence))


def _count(word: str) -> int:
    word = word.lower()
    return NUMBERS.get(word) or (int(word) if word.isdigit() else 1)


def only_tell_when(text: str) -> bool:
    """Tell whether every word of a text tells when, as far as it has words."""
    return _WHEN_WORDS.issuperset(word.casefold() for word in _WORD.findall(text))


def only_tell_hours(text: str) -> bool:
    """Tell whether every word of a text tells when, the parts of a day and the numbers of its hours among them."""
    return _VISIT_WORDS.issuperset(word.casefold() for word in _WORD.findall(text))


def only_tell_visit(text: str) -> bool:
    """Tell whether a text tells for how many, and beside it nothing but when."""
    if not parties_said(text) and _BARE.search(text) is None:
        return False
    return _VISIT_WORDS.issuperset(word.casefold() for word in _WORD.findall(without_parties(text)))
