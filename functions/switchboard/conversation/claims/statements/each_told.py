"""What a sentence says of each one's appointment: of whose, of which service, of how many, and what became of it.

A sentence is taken apart where it begins to speak of another one. What only tells when, or with whom, belongs to the
one before it; a name that only is spoken to, or stands in a list, to none, or to the next.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from enum import StrEnum

from switchboard.contract.business.business import Business
from switchboard.contract.definitions.definition import Deed
from switchboard.contract.python.dataclass import dataclass
from switchboard.conversation.claims.classifier import ClaimReading, ClaimTelling
from switchboard.conversation.claims.facts import STANDING, WITH_SOMEBODY, services_named, words_of
from switchboard.conversation.claims.party_words import only_tell_hours
from switchboard.conversation.claims.people_marks import MARKS, marked
from switchboard.conversation.claims.sentences import DENIED, ELSEWHERE, clauses_of, tells
from switchboard.conversation.claims.statements.own_appointments import TELLS_OF_NONE
from switchboard.conversation.claims.statements.statement import IN_CASE
from switchboard.conversation.claims.time_words import joined_times

# Where a sentence may begin to speak of another one: clauses end at most of these already.
_JOINED = re.compile(
    r"\s+(?=(?:e(?! (?:due|tre|mezza|meia|un)\b)|ed|&|while|whereas|während|mientras|tandis que|mentre"
    r"|enquanto|terwijl)\s)",
    re.I,
)
_LISTED = re.compile(r"^\W*(?:and|und|y|et|e|ed|en|&|plus|sowie)\s", re.I)
_BETWEEN = re.compile(r"[^\W\d_]+(?:['-][^\W\d_]+)*")
_DIGIT = re.compile(r"\d")
_TOKEN = re.compile(r"[^\W\d_]{2,}")
_LEADS_SAID = """
and und y et e ed en plus sowie aber but pero mais ma mas maar the of
"""
_LEADS = frozenset(_LEADS_SAID.split())
_WITH_WORDS_SAID = """
with mit bei con avec chez met bij com zu zum a à an by von op the la el le o still weiter weiterhin wieder
toujours siempre sempre nog each jeweils sigue now jetzt ahora maintenant adesso ora agora nu
"""
_WITH_WORDS = frozenset(_WITH_WORDS_SAID.split())
_YOU = re.compile(
    r"\b(?:you|your|yours|you're|ihr(?:en?)?|usted|su|vous|votre|(?:le|la) vôtre|lei|suo|sua|você|seu|uw?)\b|\bSie\b",
)
_HOW_MANY = (
    (
        2,
        r"both|beide[nr]?|ambos|ambas|(?<!\ba )(?<!\bde )(?<!para )(?:l[oa]s|os|as) (?:dos|dois|duas)"
        r"|(?:tous |toutes )?les deux|entramb[ie]"
        r"|tutt[ie] e due|allebei|the two|die zwei|neither|none of the two",
    ),
    (
        3,
        r"all three|(?:your|the) three|alle drei|die drei|(?<!\ba )(?<!\bde )(?<!para )(?:l[oa]s|os"
        r"|as) tr[eê]s|(?:tous |toutes )?les trois"
        r"|tutt[ie] e tre|alle drie",
    ),
)
_SEVERAL = tuple((count, re.compile(rf"\b(?:{words})(?!\w)", re.I)) for count, words in _HOW_MANY)
# "One of the two is booked" speaks of no more than one.
_ONE_OF = re.compile(
    r"\b(?:(?:one|just one|only one) (?:out )?of (?:the|these|those|your|them)?|ein(?:e[rs]?)? (?:von|der|dieser|ihrer)"
    r"|un[oa] de|l'une? (?:de|des)|un[oa] (?:dei|delle|dos|das)|één van)\s+(?:\w+\s+)?"
    r"(?:both|two|three|beiden|zwei|drei|dos|tres|deux|trois|due|tre|dois|duas|três|twee|drie)(?!\w)",
    re.I,
)
# Denied of all of them.
_NONE = re.compile(
    r"\b(?:none|neither|nothing|keine[rsn]?|nichts|ningun[oa]|nada|aucune?|rien|nessun[oa]|niente"
    r"|nenhuma?|geen|niets)\b",
    re.I,
)
_NOT = re.compile(
    r"\b(?:nichts|niente|rien|nada|nothing|none|neither|niet|geen|niets|failed|ohne"
    r"|no (?:se )?(?:pud[eo]|pudimos|(?:he|ha|hemos) podido|está|fue|quedó|queda))\b",
    re.I,
)
_NO_MORE = re.compile(
    r"\b(?:no longer|not? (?:\w+ ){0,4}any ?more|nicht mehr|keinen? (?:\w+ )?mehr|ya no|n'\w+ plus"
    r"|ne \w+ plus|non \w+ più"
    r"|non più|já não|não \w+ mais|niet meer|geen (?:\w+ )?meer)\b|n't (?:\w+ ){0,4}any ?more\b",
    re.I,
)
# What somebody cannot do, or what may be, tells nothing of what was done.
_MAY = re.compile(
    r"\b(?:can|can't|cannot|could(?!n't| not)|would|wouldn't|may|might|should|shall|will need|needs?|need|want\w*|like"
    r"|kann|könnte\w*|würde\w*|müsst\w*|brauch\w*|möcht\w*|wäre\w*|puede\w*|podría\w*|hay que|necesit\w*|quier\w*"
    r"|peut|peux|pourr\w+|faut|faudra\w*|voudr\w+|può|posso|potrebbe|serve|bisogna|vuole|pode|poderia|precis\w*|quer"
    r"|kan|kunnen|zou\w*|moet\w*|wil)\b|'d\b",
    re.I,
)
_MIGHT = re.compile(
    r"\b(?:would|could|might|wäre\w*|könnte\w*|sería|podría|serait|pourrait|sarebbe|potrebbe|seria|zou)\b|'d\b", re.I
)
_ACTS = re.compile(
    r"\b(?:went|will|takes?|sees?|übernimmt|nimmt|schneidet|cuts|does|verá|atiende|prend|s'occupe|segue)\b", re.I
)
_CERTAIN = 0.9
# So something is read back that may still be made: "that's a haircut with Marcus for Anna".
_THAT_IS_ONE = re.compile(
    r"\b(?:that's|that is|das ist|das wäre|es|sería|c'est|ce serait|è|é|dat is) (?:an?|eine?n?|una?|une|uma?|een)\b",
    re.I,
)
_AWAY = re.compile(r"\b(?:ist (?:er|sie|es|der termin) (?:weg|raus)|(?:er|der termin) ist (?:weg|raus))\b", re.I)
_UNCHANGED = re.compile(
    r"\b(?:nothing(?:'s| has| was)? (?:been )?(?:changed|moved)|nichts (?:\w+ )?(?:geändert|verschoben)"
    r"|(?:no|nada) (?:se )?ha (?:cambiado|movido)(?: nada)?|rien n'a (?:été )?(?:changé|déplacé)"
    r"|(?:non è cambiato niente|niente è cambiato)|nada (?:mudou|foi mudado)|niets (?:is )?veranderd)\b",
    re.I,
)
_IS_SAID = """
is are they they're kids children kinder niños enfants bambini crianças kinderen was ist sind est sont êtes
está están son es è sono é são fica ficam comes come kommt kommen
"""
_IS = frozenset(_IS_SAID.split())
# "Leo didn't work", "Mia leider nicht": denied of another what was told before.
_FEW_WORDS = 5


class Became(StrEnum):
    """What is said to have become of an appointment."""

    STANDS = "stands"
    GONE = "gone"
    NOT_DONE = "not done"


@dataclass(slots=True)
class Told:
    """What a sentence says of one, or of several at once.

    Attributes:
        text: The words that say so, and when, and with whom.
        names: Whose it is, each as the words of the name; several have one each.
        services: The business's services that it names.
        count: Of how many it speaks; 0 where it does not say.
        is_callers: Whether it speaks of the caller's own.
        is_none: Whether it denies something of all.
        became: What is said to have become of it; None where that is not clear.
        deed: What was done, or not done, to it.
        is_sure: Whether it says so for certain, and not by standing there alone.
        says_more: Whether it claims something else beside it.
        is_by_the_way: Whether it denies whatever was told before: "Leo didn't work".
        pieces: Which pieces of the sentence it is.
    """

    text: str
    names: list[tuple[str, ...]]
    services: tuple[str, ...]
    count: int
    is_callers: bool
    is_none: bool = False
    became: Became | None = None
    deed: Deed = Deed.BOOKED
    is_sure: bool = False
    says_more: bool = False
    is_by_the_way: bool = False
    pieces: tuple[int, ...] = ()


NamesIn = Callable[[str], list[tuple[str, ...]]]


def pieces_said(sentence: str) -> list[str]:
    """Return the pieces of a sentence of which each may speak of another one; joined, they tell what it does."""
    return [piece for clause in clauses_of(joined_times(sentence)) for piece in _JOINED.split(clause)]


def told_of_each(
    pieces: Sequence[str], business: Business | None, names_in: NamesIn, read: Callable[[str], ClaimReading]
) -> list[Told]:
    """Return what the pieces of a sentence say of each one's appointment.

    Args:
        pieces: The sentence.
        business: Whose people and services may be named.
        names_in: Returns the customers whom a text names.
        read: Reads what a text claims.
    """
    all_told = list(_apart(pieces, business, names_in))
    before: Told | None = None
    for told in all_told:
        _judge(told, before, business, read)
        before = told if told.became is not None else before
    return all_told


def _apart(pieces: Sequence[str], business: Business | None, names_in: NamesIn) -> Iterator[Told]:
    told: Told | None = None
    lead, lead_pieces = "", tuple[int, ...]()
    listed = list[tuple[str, ...]]()
    is_you, listed_pieces = False, tuple[int, ...]()
    for number, piece in enumerate(pieces):
        names, services = names_in(piece), services_named(business, piece)
        rest = _ONE_OF.sub(" ", piece)
        count = next((many for many, pattern in _SEVERAL if pattern.search(rest)), 0)
        bare = _is_bare(piece, names)
        if bare and (names or _YOU.search(piece)):
            listed, is_you = [*listed, *names], is_you or not names
            listed_pieces += (number,)
            continue
        if not names and not services and not count and _only_places(business, piece):
            if told is not None:
                told.text, told.pieces = f"{told.text} {piece}", (*told.pieces, number)
            else:
                lead, lead_pieces = f"{lead} {piece}", (*lead_pieces, number)
            continue
        if told is not None:
            yield told
        is_of_you = _YOU.search(piece) is not None
        is_list = bool(listed or is_you) and _LISTED.search(piece) is not None and bool(names or is_of_you)
        if is_list:
            names, lead_pieces = [*listed, *names], (*lead_pieces, *listed_pieces)
            count = max(count, len(names) + (is_you or is_of_you))
        is_callers = is_of_you and not names
        told = Told(f"{lead} {piece}", names, services, count, is_callers, pieces=(*lead_pieces, number))
        told.is_none = _NONE.search(piece) is not None
        lead, lead_pieces, listed, listed_pieces, is_you = "", (), [], (), False
    if told is not None:
        yield told


def _is_bare(piece: str, names: Sequence[tuple[str, ...]]) -> bool:
    """Tell whether a piece is a name, or "you", and nothing else."""
    own = {word for name in names for word in name} | _LEADS | {"s", "sie", "you", "vous", "usted", "lei", "você", "u"}
    return all(word.casefold() in own for word in _TOKEN.findall(piece))


def _only_places(business: Business | None, piece: str) -> bool:
    """Tell whether a piece tells no more than when, and with whom of the business's people."""
    if "?" in piece or not piece.strip():
        return False
    rest, people = MARKS.sub(" ", marked(business, piece).text), business.people if business is not None else ()
    nothing = _WITH_WORDS | _LEADS | frozenset().union(*(words_of(one.name) for one in people))
    words = [word for word in _BETWEEN.findall(rest) if word.casefold() not in nothing]
    return only_tell_hours(" ".join(words))


def _judge(told: Told, before: Told | None, business: Business | None, read: Callable[[str], ClaimReading]) -> None:
    text = " ".join(told.text.split())
    reading = read(text)
    told.says_more = any(WITH_SOMEBODY.isdisjoint(claim) and Deed.UNNAMED not in claim for claim in reading.claims)
    if "?" in text or IN_CASE.search(text) is not None or TELLS_OF_NONE.search(text) is not None:
        return
    told.deed = _deed_of(reading, before)
    spoken = reading.spoken_of & WITH_SOMEBODY
    is_offer = ELSEWHERE.search(text) is not None or _THAT_IS_ONE.search(text) is not None
    is_told = not is_offer and (tells(text) or _ACTS.search(text) is not None)
    is_there = bool(told.names or told.count) and _only_is_there(told, business, text)
    if is_there:
        # What says nothing else is no other deed, whatever it is taken for.
        told.became, told.says_more = Became.STANDS, False
        told.is_sure = (
            bool(_IS & words_of(text))
            or tells(text)
            or (before is not None and before.is_sure and before.became is Became.STANDS)
        )
    elif _UNCHANGED.search(text) is not None:
        told.became, told.deed, told.is_sure = Became.NOT_DONE, Deed.MOVED, True
    elif _NO_MORE.search(text) is not None or _AWAY.search(text) is not None:
        told.became, told.is_sure = Became.GONE, bool(spoken) or _AWAY.search(text) is not None
    elif not reading.claims and (DENIED.search(text) is not None or _NOT.search(text) is not None):
        own = {*(word for name in told.names for word in name), *words_of(" ".join(told.services))}
        words = [word for word in words_of(MARKS.sub("", marked(business, text).text)) if word not in own]
        is_denied = bool(spoken) and (told.is_none or reading.telling is ClaimTelling.DENIED)
        told.is_by_the_way = not is_denied
        is_short = bool(told.names or told.services) and len(words) <= _FEW_WORDS and before is not None
        if (is_denied or is_short) and (told.is_none or _MAY.search(text) is None):
            told.became, told.is_sure = Became.NOT_DONE, True
    elif any(claim[0] is Deed.CANCELLED for claim in reading.claims) and ELSEWHERE.search(text) is None:
        told.became, told.is_sure = Became.GONE, (Deed.CANCELLED,) in reading.claims
    elif any(not STANDING.isdisjoint(claim) for claim in reading.claims):
        is_certain = (reading.certainty >= _CERTAIN and not is_offer) or is_told
        told.became, told.is_sure = Became.STANDS, is_certain and _MIGHT.search(text) is None
    elif not reading.claims and ELSEWHERE.search(text) is None and _MAY.search(text) is None:
        told.became = Became.STANDS
        is_spoken = bool(spoken & STANDING) and reading.telling in (ClaimTelling.PLAIN, ClaimTelling.GENERAL)
        told.is_sure = (is_spoken and is_told) or (
            Deed.UNNAMED in reading.spoken_of and reading.telling is ClaimTelling.PLAIN
        )


def _only_is_there(told: Told, business: Business | None, text: str) -> bool:
    """Tell whether a text only names whose it is, and when, or with whom, it is: "and Leo with Dana"."""
    rest, own = MARKS.sub(" * ", marked(business, text).text), {word for name in told.names for word in name}
    for _, pattern in _SEVERAL:
        rest = pattern.sub(" ", rest)
    words = [word for word in _BETWEEN.findall(rest) if word.casefold().split("'")[0] not in own | _LEADS]
    places = [word for word in words if word.casefold() not in _IS]
    is_told = "*" in rest or _DIGIT.search(rest) is not None or any(w.casefold() not in _WITH_WORDS for w in places)
    return is_told and only_tell_hours(" ".join(word for word in places if word.casefold() not in _WITH_WORDS))


def _deed_of(reading: ClaimReading, before: Told | None) -> Deed:
    spoken = reading.spoken_of | reading.deeds
    for deed in (Deed.CANCELLED, Deed.MOVED):
        if deed in spoken and Deed.BOOKED not in spoken:
            return deed
    if spoken & STANDING or before is None:
        return Deed.BOOKED
    return before.deed if before.became is not Became.GONE else Deed.CANCELLED
