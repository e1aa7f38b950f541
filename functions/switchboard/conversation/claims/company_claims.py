"""Of whom a sentence says that they are free, or that they will see the caller: whatever a classifier makes of it."""

import re

from switchboard.contract.business.business import Business
from switchboard.contract.python.dataclass import dataclass
from switchboard.conversation.claims.name_words import GIVEN_NAMES
from switchboard.conversation.claims.people_marks import LAST_MARK, MARK, MARKS, WITH, Marked, marked
from switchboard.conversation.claims.people_words import parts_of_people, strangers_in
from switchboard.conversation.claims.sentences import ELSEWHERE
from switchboard.conversation.claims.time_words import HOUR_WORDS, WEEKDAYS

# Said of somebody: that they have or can do what a time is needed for.
_FREE = (
    r"(?:free|available|availability|openings?|opens? up|room|slots?|times|gaps?|spaces?|spots?|vacanc\w+"
    r"|cancellations?"
    r"|around|open"
    r"|next (?:available|free|open\w*|slot|time|one|appointment)|earliest|soonest|frei|freie[nrs]?|verfügbar|zeit"
    r"|luft|platz|lücken?|etwas|noch|nächste\w*|früheste\w*|libres?|disponibles?"
    r"|huecos?|sitio|espacios?|tiempo|próxim\w+|primer\w*|disponibilidad|créneaux?|places?|temps|prochaine?"
    r"|disponibilités?"
    r"|liber[aoi]|posto|buc[oh]i?|spazio|tempo|disponibil\w+|prima|vag[ao]s?|horários?|livres?|disponíve(?:l|is)|espaço"
    r"|vrij|beschikbaar|plek(?:je)?|tijd|gaatje|ruimte)"
)
_CAN = (
    r"(?:can|could|would|suggest|recommend|propose|i've|we've|able to|has|have|had|got|having|there's|there is"
    r"|there are|kann|können|könnte|könnten|hat|habe|haben"
    r"|hätte|hätten|wäre|schafft|nimmt|gibt es|anbieten|schlage|empfehle|puede|puedo|podemos|podría|tiene|tengo"
    r"|tenemos|tendría|hay|queda|ofrecer\w*"
    r"|peut|peux|pouvons|pourrait|pourrais|j'ai|avons|aurait|il y a|il reste|proposer|può|posso|potrebbe|ha|ho"
    r"|abbiamo|avrebbe|c'è"
    r"|pode|posso|podemos|poderia|tem|tenho|temos|teria|há|kan|kunnen|zou|heeft|heb|hebben|is er)"
)
# Said of a time with somebody: that it can be had.
_GOES = (
    r"(?:works?|working|fits?|suits?|possible|fine|good|great|doable|okay|ok|ginge|geht|passt|passen|klappt|klappen"
    r"|möglich|machbar"
    r"|funciona|posible|va bien|viene bien|cabe|possible|ça marche|ça va|convient|fonctionne|possibile|funziona"
    r"|andrebbe|possível"
    r"|dá|funciona|serait|sería|sarebbe|seria|mogelijk|kan|lukt|past|offer\w*|(?:put|get|fit|squeeze|book|slot) you)"
)
_OPENING = re.compile(
    r"\b(?:openings?|slots?|gaps?|spots?|vacanc\w+|availability|lücken?|huecos?|créneaux?|buco|posto|vagas?|gaatje"
    r"|plekje)\b",
    re.I,
)
_SUBJECT = re.compile(rf"\b(?:{_FREE}|{_CAN})\b", re.I)
_TIME_WITH = re.compile(rf"\b(?:{_FREE}|{_CAN}|{_GOES})\b", re.I)
# "A las tres está Rosa", "Rosa a un créneau".
_ROMANCE_HAS = re.compile(rf"\bestá\s+{MARK}|{MARK}\s+a\s+(?:un|une|encore|des|de la|\w+ heures)\b", re.I)
_HAS = re.compile(
    rf"{MARK}(?:'s)?\s+(?:calendar|schedule|diary|day|book|kalender|agenda|calendario|agenda|planning)\b"
    rf"|\b(?:works?|fits?|suits?|good|fine|okay|passt|klappt)\s+(?:for\s+|zu\s+)?{MARK}",
    re.I,
)
_BESIDE = re.compile(rf"{WITH}{MARK}|^\W*(?:for|für|para|pour|per|voor)\s+{MARK}", re.I)
# What somebody has or does that is no time of the caller's.
_HOURS = re.compile(
    rf"{MARK}\s+(?:works?|is in|is here|is back|gets? (?:in|here|back)|starts?|leaves?|arrives?|comes in|finishes"
    rf"|arbeitet|fängt|beginnt|kommt"
    rf"|geht nach|trabaja|empieza"
    r"|llega|sale|travaille|commence|arrive|part|lavora|inizia|arriva|trabalha|começa|werkt|begint)\b",
    re.I,
)
_COSTS = re.compile(
    r"\b(?:costs?|kostet|cuesta|coûte|costa|takes? (?:about |around )?(?:an?|one|two|three|\d)|dauert|dura|dure"
    r"|duurt)\b",
    re.I,
)
_SERVES = re.compile(
    r"\b(?:look(?:s|ing)? after|(?:take|takes|taking|taken) (?:\w+ )?care of|looked after|see|sees|seeing|meet"
    r"|meets|meeting|expect(?:s|ing)?|wait(?:s|ing)? (?:for|on)|welcom\w+|greet\w*"
    r"|cut|cuts|cutting|styl(?:e|es|ing)|treat\w*|serv(?:e|es|ing)|do|does|doing|done|be with|is with|handl\w+"
    r"|can't wait|(?:be|is|are) (?:ready|there|here) for"
    r"|look(?:s|ing)? forward|(?:happy|glad|delighted|pleased|excited) to|stylist|barber|hairdresser|therapist"
    r"|technician|coach|teacher|doctor|trainer|instructor|chair|hands|has got|got|has"
    r"|freut sich|freuen|kümmer\w+|erwarte\w*|übernimmt|übernehmen|bedien\w*|betreu\w*|empf[aä]ng\w*|schneide\w*"
    r"|frisier\w*|begrüß\w*|behandel\w*|färb\w*"
    r"|wartet|macht|wird|nimmt|zuständig|verantwortlich|hände\w*|friseur\w*"
    r"|atender\w*|atiende\w*|espera\w*|cort\w+|recib\w+|encarg\w+|ocup\w+|verá|peluquer\w+|estilista|manos"
    r"|attend\w*|s'occup\w+|occup\w+|recevra|reçoit|coiff\w*|coupera|coupe|accueill\w+|prendra|verra|réjouit|ravie?"
    r"|mains"
    r"|aspett\w+|prend\w+ cura|ci sarà|segu\w+|accogli\w+|ricev\w+|taglierà|taglia|occuperà|parrucchier\w+|atend\w+"
    r"|receb\w+|cuid\w+|cortar"
    r"|verwacht|knipt|knippen|helpt|helpen|ontvangt|ontvangen|kijkt|zorgt|behandelt|kapper)\b",
    re.I,
)
# Ours it may be to look after; the caller's own is a claim.
_YOU = re.compile(
    r"\b(?:you|your|yours|sie|ihnen|ihre?[nrsm]?|dich|dir|deine?[nrm]?|euch|usted|ustedes|su|sus|vous|votre|vos|lei"
    r"|suo|sua"
    r"|você|vocês|seu|u|uw|je|jou|jouw)\b|-l[oa]s?\b|\bt'"
    r"|\b(?:le|les|la|lo|te|os|ti|vi)\s+(?:va a )?(?=atend|atiend|esper|cort|recib|verá|har|toca|aspett|accogl"
    r"|ricev|segu|taglier)",
    re.I,
)
_YOURS = (
    r"(?:you|you're|you'll|your|it|it's|it'll|that|that's|this|appointment|haircut|cut|visit|booking|sie|ihr|ihre"
    r"|termin|haarschnitt|das"
    r"|buchung|es|usted|su|cita|corte|turno|reserva|vous|votre|rendez-vous|coupe|c'est|réservation|ce|lei|suo|sua"
    r"|appuntamento|taglio"
    r"|prenotazione|você|marcação|horário|consulta|u|uw|afspraak|boeking|dat)"
)
_IS = (
    r"(?:are|is|be|it's|that's|you're|it'll|you'll|was moved|sind|ist|sein|steht|sois|es|está|será|queda|estará"
    r"|êtes|est|serez|sera|c'est|è|sarà"
    r"|é|está|será|fica|bent|is|staat)"
)
_IS_WITH = re.compile(
    rf"\b{_YOURS}\b[^.;?!]{{0,60}}\b{_IS}\b[^.;?!]{{0,40}}{WITH}{MARK}|\b{_IS}\s+{_YOURS}\b[^.;?!]{{0,40}}{WITH}{MARK}"
    rf"|\b(?:see you|seeing you|nos vemos|ci vediamo|sehen uns)\b[^.;?!]{{0,40}}{WITH}{MARK}|^\W*(?:bis|hasta|à|a"
    rf"|até|tot)\b[^.;?!]{{0,40}}{WITH}{MARK}"
    rf"|\b(?:it|that)(?:'ll be|'s going to be| will be)\s+{MARK}|\bthat's you and {MARK}|\bso (?:it|that)'s {MARK}"
    rf"|{MARK} it is\b|\b(?:you(?:'re| are|'ll be| will be)\s+seeing|you'll see|vous verrez|verá a|vedrà"
    rf"|u ziet)\s+{MARK}|\bin {MARK}'s (?:chair|hands)"
    rf"|\b(?:you're|you'll|it's|that's|c'est)\b[^.;?!]{{0,40}}{WITH}{MARK}"
    rf"|^[^.;?!]{{0,60}}\b(?:it is|it's done|all set|done|booked|moved|gebucht|reservad[oa]"
    rf"|réservée?)\b[^.;?!]{{0,30}}{WITH}{MARK}",
    re.I,
)
# Only of what may be: "then you'd be with Rosa".
_WOULD = re.compile(r"\b(?:would|sería|serait|sarebbe|seria|wäre[nst]?|zou)\b|'d (?:be|have)\b", re.I)
# What somebody is able to do is no claim before it is said when: "Dana can do highlights for you".
_ABLE = re.compile(
    r"\b(?:can(?!'t)|could|kann|könnte|können|puede|podría|peut|pourrait|può|potrebbe|pode|poderia|kan)\b", re.I
)
# What may be told of anybody, and is a claim where it was booked with somebody else.
_MAY_BE = re.compile(
    rf"\b(?:leave|left|keep|kept|put)\s+(?:it|you|that)\b[^.;?!]{{0,30}}{WITH}{MARK}|\bask for {MARK}|\b(?:it"
    rf"|that)(?:'s| is) {MARK}"
    rf"|{MARK}(?:'s)?\s+(?:(?:does|handles|takes care of|is doing|will do|'ll do|macht|übernimmt|doet)\s+(?:it|that"
    rf"|this|das|es|dat|het)\b"
    r"|lo hace\b|s'en occupe|se encarga\b|lo fa\b|se ne occupa\b|fait ça\b|faz isso\b)",
    re.I,
)
# A hundred other things that are somebody's, told of everybody: "a cut with Dana", "Rosa does highlights".
_GENERAL = re.compile(
    rf"\b(?:an?|every|each|any|jede[rnms]?|ein(?:e[nr]?)?|cada|una?|un|une|chaque|ogni|um|uma|elke"
    rf"|een)\s+[\w-]+(?:\s+[\w-]+)?\s+{WITH}{MARK}",
    re.I,
)
_STRANGER_FREE = re.compile(
    r"\b(?P<who>(?-i:[A-ZÀ-ÖØ-Þ])[\w'-]+)\s+(?:has|hat|tiene|a|ha|tem|heeft|hätte)\s+(?:\w+\s+){0,4}(?:openings?"
    r"|slots?|gaps?|spots?|hueco"
    r"|créneau|buco|posto|vaga|gaatje|plekje|lücke|frei)\b"
    r"|\b(?P<is>(?-i:[A-ZÀ-ÖØ-Þ])[\w'-]+)\s+(?:is|est|è|está|ist|é)\s+(?:\w+\s+)?(?:free|available|libre|disponible"
    r"|liber[oa]"
    r"|disponibile|frei|verfügbar|livre|disponível|vrij)\b"
    r"|\b(?:è|está|é)\s+(?:liber[oa]|libre|livre|disponib(?:le|ile)|disponível)\s+(?P<there>(?-i:[A-ZÀ-ÖØ-Þ])[\w'-]+)"
    r"|\b(?P<sees>(?-i:[A-ZÀ-ÖØ-Þ])[\w'-]+?)(?:\s+|(?='))(?:(?:can|could|will|will be|is|'s|'ll|'ll be)(?: going to"
    r"| happy to)?"
    r" (?:see|tak|fit|squeez|look|cut|do|styl|serv|expect|wait|treat)\w*(?: after| care of| for)? your?\b|(?:wird"
    r"|kann|könnte) sie\b"
    r"|(?:le|te) (?:atender|puede atender)|vous attend|s'occupera de vous|la aspetta|verwacht u)",
    re.I,
)


_SAYS_MORE = re.compile(
    rf"{_SERVES.pattern}|{_HOURS.pattern}|\b(?:is|are|ist|sind|es|son|est|sont|è|sono|são"
    rf"|zijn)\b",
    re.I,
)


_Part = tuple[str, bool]
"""What a part of a sentence says, and whether for sure."""
_A_TIME = re.compile(rf"\d|\b(?:{'|'.join(sorted({*HOUR_WORDS, *WEEKDAYS}, key=len, reverse=True))})\b", re.I)
_PRONOUN = re.compile(r"\b(?:she|he|ella|él|elle)\b(?= |')", re.I)


@dataclass(frozen=True, slots=True)
class CompanyClaim:
    """What a sentence says of somebody's time.

    Attributes:
        free: Who is said to be free.
        seeing: With whom the caller is said to be, by then.
        perhaps: Of whom that is said, or something that is always so.
        text: The parts of it that say so, and when.
        marked: The same with a mark for each of those people.
        is_opening: Whether it says that there is a time, also where it does not say which.
    """

    free: tuple[str, ...] = ()
    seeing: tuple[str, ...] = ()
    perhaps: tuple[str, ...] = ()
    text: str = ""
    is_opening: bool = False
    marked: str = ""


def told_of_people(business: Business | None, sentence: str) -> tuple[CompanyClaim, ...]:
    """Return of whom a sentence says for sure that they are free, or see the caller: nothing in a "let me see".

    What is said of one person, and what is said behind it of when, is told apart from what is said of another.
    """
    if business is None or not business.people:
        return ()
    marks = marked(business, sentence)
    pairs = list(parts_of_people(_with_pronouns(marks)))
    sure = "".join(text for text, is_sure in pairs if is_sure)
    for number, name in enumerate(strangers_in(business, sure, for_sure=True)):
        # Read as if they were one of the people.
        mark = chr(LAST_MARK - number)
        marks.names[mark] = name
        pairs = [(text.replace(name, mark) if is_sure else text, is_sure) for text, is_sure in pairs]
    claims = list[CompanyClaim]()
    # Of nobody nothing is said.
    for group in _groups(marks, pairs) if marks.names else ():
        claims.append(_told(marks, group, after=claims[-1] if claims else None))
    strangers = _strangers_free(sure)
    if strangers:
        claims.append(CompanyClaim(strangers, text=sentence, is_opening=True))
    return tuple(one for one in claims if one.free or one.seeing or one.perhaps)


def _with_pronouns(marked_text: Marked) -> str:
    """Return a marked sentence; where it names one alone, with a mark for "she" and "he" behind the name too."""
    if len(marked_text.names) != 1:
        return marked_text.text
    (mark,) = marked_text.names
    before, _, after = marked_text.text.partition(mark)
    return before + mark + _PRONOUN.sub(mark, after)


def _groups(marked_text: Marked, parts: list[_Part]) -> list[list[_Part]]:
    """Return the parts of a sentence in groups, of which each speaks of the same people."""
    groups: list[list[_Part]] = [[]]
    who = set[str]()
    for part in parts:
        names = set(marked_text.named(part[0]))
        if names - who and who:
            groups.append([])
            who = set()
        who |= names
        groups[-1].append(part)
    return groups


def _told(marked_text: Marked, group: list[_Part], after: CompanyClaim | None) -> CompanyClaim:
    parts = [text for text, _ in group]
    free, seeing, perhaps = list[str](), list[str](), list[str]()
    for number, part in enumerate(parts):
        names = marked_text.named(part)
        around = _with_its_verb(parts, number)
        # "Marcus has ten, and Rosa two" says of both what it says of one.
        is_alike = after is not None and bool(after.free) and _SAYS_MORE.search(part) is None
        free += names if is_alike or _is_free(part, around) else ()
        seeing += names if names and _sees(part, around) else ()
        perhaps += names if _MAY_BE.search(part) is not None else ()
    # "He has no time at two, but at four": what is not so says when only where nothing else does.
    sure = [
        part
        for part, is_sure in group
        if is_sure and (free or marked_text.named(part) or ELSEWHERE.search(part) is None)
    ]
    text = MARKS.sub("", "".join(sure))
    if free and _A_TIME.search(text) is None:
        text = MARKS.sub("", "".join(parts))
    each = [tuple(dict.fromkeys(names)) for names in (free, seeing, perhaps)]
    return CompanyClaim(each[0], each[1], each[2], text, _OPENING.search(text) is not None, "".join(sure))


def _with_its_verb(parts: list[str], number: int) -> str:
    """Return a part; with the one beside it where it is only "with Rosa," or "for Rosa,"."""
    part = parts[number]
    if _BESIDE.search(part) is not None and _TIME_WITH.search(part) is None and number + 1 < len(parts):
        for behind in parts[number + 1 : number + 3]:
            if behind.rstrip().endswith("?") or _TIME_WITH.search(part) is not None:
                break
            part += behind
        return part
    if len(part.split()) > 4 or (_SUBJECT.search(part) is not None and _BESIDE.search(part) is None):
        return part
    if number + 1 < len(parts) and number == 0:
        return part + parts[1]
    return (parts[number - 1] if number else "") + part


def _is_free(part: str, around: str) -> bool:
    if _COSTS.search(around) is not None:
        return False
    if _BESIDE.search(part) is not None or _HAS.search(part) is not None:
        return _TIME_WITH.search(around) is not None
    if _HOURS.search(around) is not None:
        return False
    return _SUBJECT.search(around) is not None or _ROMANCE_HAS.search(around) is not None or "fits" in around


def _sees(part: str, around: str) -> bool:
    if _GENERAL.search(around) is not None:
        return False
    if _WOULD.search(around) is not None or _ABLE.search(around) is not None:
        return False
    if _IS_WITH.search(around) is not None:
        return True
    return _BESIDE.search(part) is None and _SERVES.search(part) is not None and _YOU.search(part) is not None


def _strangers_free(text: str) -> tuple[str, ...]:
    names = (
        (match["who"] or match["is"] or match["there"] or match["sees"]) for match in _STRANGER_FREE.finditer(text)
    )
    return tuple(name for name in names if name.casefold() in GIVEN_NAMES)
