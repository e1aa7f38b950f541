"""When something was before it was moved or cancelled: told beside what is, it is no time at which anything is.

"From Tuesday to Wednesday", "no longer on Tuesday, but on Wednesday", "the old time is free again".
"""

import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import takewhile

from switchboard.contract.definitions.definition import Deed
from switchboard.conversation.claims.entities import mentions
from switchboard.conversation.claims.facts import STANDING
from switchboard.conversation.claims.party_words import only_tell_hours
from switchboard.conversation.claims.sentences import clauses_of
from switchboard.conversation.claims.statements.statement import LONGEST_STATEMENT, SpokenStatement
from switchboard.conversation.claims.time_words import WEEKDAYS, joined_times

# What leads to a time at which something is no more.
_LEADS_BACK = re.compile(
    r"(?:\b(?:no longer|not|off|from|instead of|rather than|nicht mehr|nicht|statt|anstatt|vom?|ya no|del?|desde|plus"
    r"|pas|du|plutôt que|au lieu d[eu]|non (?:\w+ )?più|più|dal?|dalla|invece (?:di|del)|já não|não"
    r"|em vez d[ae]|niet meer"
    r"|niet|van|in plaats van)|n't)\s+(?:(?:down|booked|set|expected|come|coming) )?(?:for |on |at |am |um |auf |op )?",
    re.I,
)
_FREE_AGAIN = re.compile(
    r"\b(?:(?:free|open|available) again|wieder (?:frei|verfügbar)|(?:damit|nun|jetzt) frei"
    r"|(?:libre|disponible) (?:de nuevo"
    r"|otra vez|de nouveau)"
    r"|(?:de nuevo|otra vez|à nouveau|de nouveau) (?:libre|disponible)|di nuovo (?:liber[oa]|disponibile)"
    r"|livre (?:de novo|outra vez)|de novo livre|weer (?:vrij|beschikbaar))\b",
    re.I,
)
# "Friday at three is off": with its time, what is no more.
_IS_OFF = re.compile(
    r"\b(?:(?:is|'s) (?:now )?(?:off|gone)|ist (?:damit |nun |jetzt )?(?:gestrichen|weg|hinfällig|abgesagt)"
    r"|fällt (?:damit )?weg"
    r"|queda (?:anulad[oa]|cancelad[oa]|sin efecto)|est (?:annulée?|supprimée?)|tombe à l'eau)(?!\w)",
    re.I,
)
# "On Saturday at 11. Friday at 3 is off": behind a number no clause ends.
_DAY_BEGINS = re.compile(rf"(?<=\d\. )(?={'|'.join(sorted(WEEKDAYS, key=len, reverse=True))})", re.I)
_WORD = re.compile(r"[^\s]+")
_BARE = re.compile(r"[^\w:-]+")
# These lead to the time behind them, and end none.
_LEAD_WORDS = """
to a al au à para auf at um am on and und y et e en the den las le il no na em às alle om op
"""
_LEADS_ON = frozenset(_LEAD_WORDS.split())
_BUT = re.compile(
    r"(?:^|\s+)(?:but|sondern|sino|mais|ma|mas|maar|and|und|y|et)(?=\s+(?:for|on|at|am|um|el|le|à|a|na|op|\w+day)\b)",
    re.I,
)
_MOST_WORDS = 9


def without_old_times(statement: SpokenStatement) -> str:
    """Return a sentence without the times of which it says, truly, that nothing is then any more."""
    sentence = statement.sentence
    if not statement.session.receipts or len(sentence) > LONGEST_STATEMENT:
        return sentence
    is_again = _FREE_AGAIN.search(sentence) is not None or _IS_OFF.search(sentence) is not None
    if not is_again and _LEADS_BACK.search(sentence) is None:
        return sentence
    items = [item for item in statement.known() if item.moments]
    there = [moment for item in items if item.deeds & STANDING for moment in item.moments]
    cancelled = [item for item in items if item.is_receipt and Deed.CANCELLED in item.deeds]
    gone = [moment for item in cancelled for moment in item.moments]
    gone += statement.sources.left_behind(statement.session, statement.now)
    gone = [moment for moment in gone if moment not in there]
    if not gone:
        return sentence
    left = _without_freed(sentence, gone, statement.now) if is_again else sentence
    whole = joined_times(left)
    # "I cancelled the one on Friday" names by its time what was cancelled.
    cut = None if cancelled else next(_old_times(whole, gone, there, statement.now), None)
    if cut is None:
        return left
    begin, end = cut
    return _BUT.sub("", f"{whole[:begin].rstrip()} {whole[end:].lstrip(' ,;')}", count=1).strip(" ,;") or "."


def _without_freed(sentence: str, gone: Sequence[datetime], now: datetime) -> str:
    """Return a sentence without the clauses that say that what was given up can be had again."""
    clauses = [part for clause in clauses_of(joined_times(sentence)) for part in _DAY_BEGINS.split(clause)]
    left = [clause for clause in clauses if not _tells_freed(clause, gone, now)]
    return sentence if len(left) == len(clauses) else "".join(left).strip(" ,;") or "."


def _tells_freed(clause: str, gone: Sequence[datetime], now: datetime) -> bool:
    if _FREE_AGAIN.search(clause) is not None and _is_one_of(clause, gone, now):
        return True
    off = _IS_OFF.search(clause)
    rest = "" if off is None else f"{clause[: off.start()]} {clause[off.end() :]}".strip(" .,;!")
    return only_tell_hours(rest) and mentions(rest, now).says_day and _is_one_of(rest, gone, now)


def _is_one_of(text: str, moments: Sequence[datetime], now: datetime) -> bool:
    said = mentions(text, now)
    return not said.say_when or any(said.agree_with(moment) for moment in moments)


def _old_times(
    text: str, gone: Sequence[datetime], there: Sequence[datetime], now: datetime
) -> Iterator[tuple[int, int]]:
    """Yield from where to where a text tells a time at which something was, with the word that says so."""
    for lead in _LEADS_BACK.finditer(text):
        words = list(_WORD.finditer(text, lead.end()))[:_MOST_WORDS]
        told = takewhile(lambda word: _only_time(word[0]), words)
        ends = [word.end() for word in told if _ends_time(word[0])]
        for end in reversed(ends):
            said = mentions(f"at {text[lead.end() : end].rstrip(' ,;.')}", now)
            if not said.says_day or any(said.agree_with(moment) for moment in there):
                continue
            if any(said.agree_with(moment) for moment in gone):
                yield lead.start(), end
                break


def _only_time(word: str) -> bool:
    return only_tell_hours(_BARE.sub(" ", word))


def _ends_time(word: str) -> bool:
    return _BARE.sub("", word).casefold() not in _LEADS_ON
