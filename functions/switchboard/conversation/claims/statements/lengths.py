"""How long an appointment is said to take: as long as what was booked, or the service that is named."""

import re
from collections.abc import Iterator
from datetime import timedelta
from typing import Final

from switchboard.conversation.claims.facts import STANDING, services_named, stretches_in, words_of
from switchboard.conversation.claims.party_words import NUMBERS
from switchboard.conversation.claims.sentences import NOT_SO
from switchboard.conversation.claims.statements.statement import IN_CASE, LONGEST_STATEMENT, SpokenStatement
from switchboard.conversation.claims.visit_ends import VISIT

_TENS: Final = {
    word: minutes
    for minutes, words in {
        15: "fifteen fünfzehn quince quinze quindici vijftien",
        20: "twenty zwanzig veinte vingt venti vinte twintig",
        30: "thirty dreißig treinta trente trenta trinta dertig",
        40: "forty vierzig cuarenta quarante quaranta quarenta veertig",
        45: "forty-five fünfundvierzig quarante-cinq quarantacinque vijfenveertig",
        60: "sixty sechzig sesenta soixante sessanta sessenta zestig",
        90: "ninety neunzig noventa quatre-vingt-dix novanta negentig",
    }.items()
    for word in words.split()
}
_COUNTS: Final = NUMBERS | _TENS | {"an": 1, "a": 1, "ein": 1}
_COUNT = rf"\d{{1,3}}|{'|'.join(sorted(_COUNTS, key=len, reverse=True))}"
_HOUR = r"(?:hours?|stunden?|horas?|heures?|or[ae]|uur|uren)"
_HALVES: Final = {
    15: r"(?:a )?quarter of an hour|(?:eine )?viertelstunde|(?:un )?cuarto de hora|(?:un )?quart d'heure"
    r"|(?:un )?quarto d'ora|(?:um )?quarto de hora|(?:een )?kwartier",
    30: r"half an hour|a half[ -]hour|(?:einer? )?halben? stunde|media hora|(?:une )?demi-heure|mezz'ora|meia hora"
    r"|(?:een )?half uur",
    45: r"(?:a )?three[ -]quarters of an hour|(?:eine )?dreiviertelstunde|tres cuartos de hora"
    r"|trois quarts d'heure|tre quarti d'ora|(?:drie kwartier)",
    90: r"an hour and a half|one and a half hours|(?:anderthalb|eineinhalb) stunden|(?:una )?hora y media"
    r"|une heure et demie|un'ora e mezza|(?:uma )?hora e meia|anderhalf uur",
}
_LENGTH = re.compile(
    "|".join(f"(?P<m{minutes}>\\b(?:{words})\\b)" for minutes, words in _HALVES.items())
    + rf"|(?<![\w.,:-])(?P<hours>un'|(?:{_COUNT})\s+){_HOUR}\b(?!\s+(?:and|und|y|et|e|en)\b)"
    + rf"|(?<![\w.,:-])(?P<minutes>{_COUNT})[\s-]+(?:minutes?|min\b|minuten|minutos?|minuti)",
    re.I,
)
_LASTS = re.compile(
    r"\b(?:takes?|lasts?|will (?:take|last)|(?:is|are|'s) (?=[\w' -]{1,30}\blong\b)|dauert|dauern|geht|dura(?:rá)?"
    r"|duran|tarda|dure(?:ra)?|prend|durerà|demora|leva|duurt|duren)\b",
    re.I,
)
# "For an hour" is how long; before a visit or later it is not.
_FOR = re.compile(r"\b(?:for|für|por|durante|pendant|pour|per|voor|de|di|von|van)\s+(?:a full |full |ganze )?$", re.I)
_BESIDE = re.compile(
    r"\b(?:early|earlier|before|beforehand|in advance|late|later|ahead|after|within|in (?=\d)|notice|more|less|longer"
    r"|extra|at least|up to|between|from|each|drive|drives|walk|away|park\w*|wait\w*|früher|vorher|später|vor|nach"
    r"|innerhalb|dentro|total|totale|insgesamt|gesamt|plan|travel|reminder"
    r"|erinnerung|recordatorio|rappel|mehr|weniger|länger|mindestens|bis zu|zwischen|fahrt|antes"
    r"|tarde|después|más|menos|hasta|entre|cada"
    r"|avant|plus|moins|jusqu'à|retard|après|prima|dopo|più|meno|fino|ritardo|depois|mais|até|atraso|eerder|vooraf"
    r"|later|meer|minder|tot|tussen)\b",
    re.I,
)
_AFTER_TIMES = re.compile(r"\b(?:at|um|a las?|à|alle|às|om)\s+$", re.I)
# What is only about as long is a few minutes longer or shorter.
_ABOUT = re.compile(
    r"\b(?:about|around|roughly|approximately|almost|just under|just over|a little|etwa|ungefähr|rund|knapp|gut|circa"
    r"|ca|unos|unas|aproximadamente|alrededor|casi|environ|à peu près|presque|quasi|cerca|mais ou menos|ongeveer"
    r"|bijna)\b",
    re.I,
)
_NEARLY = 15


def hold_wrong_length(statement: SpokenStatement) -> None:
    """Hold a sentence that gives an appointment another length than the booking or the service has.

    Raises:
        Unfounded: It must not be said.
    """
    sentence = statement.sentence
    if len(sentence) > LONGEST_STATEMENT or sentence.endswith("?"):
        return
    said = list(_LENGTH.finditer(sentence))
    if len(said) != 1 or any(one.search(sentence) is not None for one in (_BESIDE, NOT_SO, IN_CASE)):
        return
    minutes, before = _minutes(said[0]), sentence[: said[0].start()]
    is_booked = not STANDING.isdisjoint(statement.deeds)
    named = services_named(statement.business, sentence)
    is_told = _LASTS.search(before) is not None and bool(named or VISIT.search(before))
    if not is_told and not (is_booked and _FOR.search(before) is not None):
        return
    known = list(_known(statement, named))
    if not known or minutes is None:
        return
    off = _NEARLY if _ABOUT.search(sentence) is not None else 0
    if any(abs(minutes - one) <= off for one in known):
        return
    if any(_minutes(match) == minutes for text in statement.told() for match in _LENGTH.finditer(text)):
        return
    raise statement.refused(f"it takes {' or '.join(f'{one} minutes' for one in sorted(set(known)))}.")


def _known(statement: SpokenStatement, named: tuple[str, ...]) -> Iterator[int]:
    """Yield how many minutes what a sentence tells of takes: the services it names, or else what is booked."""
    zone, session = statement.now.tzinfo, statement.session
    assert zone is not None
    stretches = [one for data in session.tool_context.values() for one in stretches_in(data, zone)]
    words = frozenset[str]().union(*map(words_of, named))
    standing = (item for item in statement.known() if not item.deeds.isdisjoint(STANDING) and words <= item.words)
    moments = {moment for item in standing for moment in item.moments}
    booked = [int((end - start) / timedelta(minutes=1)) for start, end in stretches if start in moments]
    listed = [one.duration_minutes for one in statement.business.services if one.name in named]
    if len(named) == 1:
        yield from listed
        # What was booked may have been made longer.
        yield from booked
    elif not named and len(moments) == 1:
        yield from booked


def _minutes(match: re.Match[str]) -> int | None:
    group = match.lastgroup or ""
    if group not in ("hours", "minutes"):
        return int(group[1:])
    word = match[group].strip().lower()
    count = 1 if word == "un'" else int(word) if word.isdigit() else _COUNTS.get(word)
    return count * 60 if count is not None and group == "hours" else count
