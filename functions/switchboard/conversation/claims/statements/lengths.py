"""How long an appointment is said to take: as long as what was booked, or the service that is named."""

import re
from collections.abc import Iterator
from datetime import timedelta

from switchboard.conversation.claims.facts import STANDING, services_named, stretches_in, words_of
from switchboard.conversation.claims.sentences import NOT_SO
from switchboard.conversation.claims.statements.durations import lengths_said
from switchboard.conversation.claims.statements.statement import IN_CASE, LONGEST_STATEMENT, SpokenStatement
from switchboard.conversation.claims.visit_ends import IT, VISIT

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
    said = lengths_said(sentence)
    if len(said) != 1 or any(one.search(sentence) is not None for one in (_BESIDE, NOT_SO, IN_CASE)):
        return
    minutes, before = said[0]
    is_booked = not STANDING.isdisjoint(statement.deeds)
    named = services_named(statement.business, sentence)
    lasts = _LASTS.search(before)
    is_told = lasts is not None and bool(named or VISIT.search(before) or _is_it(statement, before[: lasts.start()]))
    if not is_told and not (is_booked and _FOR.search(before) is not None):
        return
    known = list(_known(statement, named))
    if not known or minutes is None:
        return
    off = _NEARLY if _ABOUT.search(sentence) is not None else 0
    if any(abs(minutes - one) <= off for one in known):
        return
    if any(one.minutes == minutes for text in statement.told() for one in lengths_said(text)):
        return
    raise statement.refused(f"it takes {' or '.join(f'{one} minutes' for one in sorted(set(known)))}.")


def _is_it(statement: SpokenStatement, before: str) -> bool:
    """Tell whether "it", or nothing, stands there for what was done in this turn."""
    session = statement.session
    is_now = any(receipt.turn == session.facts.turn for receipt in session.receipts)
    return is_now and IT.search(before) is not None


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
