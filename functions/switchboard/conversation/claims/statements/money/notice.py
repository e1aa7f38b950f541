"""What it costs to cancel, or to move: nothing until so many hours before, as the business's texts say, and not after.

Told is held against when the appointment is that was cancelled, or that is asked about, and against the hours that a
text names for just that.
"""

import re
from datetime import datetime, timedelta

from switchboard.contract.definitions.definition import Deed
from switchboard.conversation.claims.facts import moment_in
from switchboard.conversation.claims.number_words import amounts_in, sums_said, whole_number
from switchboard.conversation.claims.sentences import DENIED
from switchboard.conversation.claims.statements.statement import SpokenStatement
from switchboard.conversation.guard import HeldFact, HeldSubject

_CANCEL = re.compile(
    r"\b(?:cancel\w*|storn\w+|abgesagt|absag\w*|abzusagen|anul\w+|annul\w+|disdi\w+|desmarc\w+|afzegg\w*|afgezegd)\b",
    re.I,
)
_MOVE = re.compile(
    r"\b(?:mov(?:e[ds]?|ing)|reschedul\w+|chang(?:e[ds]?|ing)|verleg\w+|verschieb\w*|umbuch\w+|cambi\w+|mover\w*"
    r"|reprogramar\w*|déplac\w+|report\w*|spost\w+|remarc\w+|mudar\w*|mudança|verzet\w*)\b",
    re.I,
)
_FREE = re.compile(
    r"\b(?:free(?: of charge)?|no (?:extra )?(?:fee|charge|cost)s?|costs? (?:you )?nothing"
    r"|without (?:a )?(?:fee|charge)"
    r"|kostenlos|kostenfrei|gebührenfrei|umsonst|kostet (?:sie |das |es |dich )?nichts"
    r"|keine (?:gebühr|kosten)|gratis|gratuit\w*|sin (?:costo|coste|cargo|recargo)|no (?:cuesta|tiene costo)|sans frais"
    r"|ne coûte rien|non costa nulla|senza costi|grátis|sem custos?|kosteloos)\b",
    re.I,
)
_HOURS = re.compile(
    r"(?<![\w.,:])(\d{1,3}|[^\W\d_]{2,16}) (hours?|stunden?|horas?|heures?|ore|uur|days?|tage?n?|días?|jours?|giorni"
    r"|dias?|dagen)\b",
    re.I,
)
_SENTENCE = re.compile(r"[^.;!?]{1,300}[.;!?]?")
# What is told of other cases than this one, or leaves open which it is.
_OTHER_CASE = re.compile(
    r"\b(?:if|unless|until|up to|before|ahead of|would|could|might|may|normally|usually|otherwise|closer|waive\w*"
    r"|once a year|late[r]?|less (?:than|notice)|next time|short notice|new|instead|again|wenn|falls|bis|vorher|würde"
    r"|wäre|hätte|könnte|kann|sonst|normalerweise|einmal im jahr|kurzfristig\w*|neue[rn]?|si|hasta|antes|sería|podría"
    r"|puede|normalmente|una vez al año|menos de|otr[oa]|nuev[oa]|jusqu'à|avant|serait|pourrait|sinon|une fois par an"
    r"|moins de|fino a|prima|até|tot|als|may)\b",
    re.I,
)
_UNTIL = re.compile(
    r"\b(?:until|up to|at least|before|ahead|prior|bis|vorher|mindestens|hasta|antes|jusqu'à|avant|fino a|prima|até"
    r"|tot)(?!\w)",
    re.I,
)
_FEE = re.compile(
    r"\b(?:fees?|charge[ds]?|due|owe|costs?|will be|is|be|comes to|gebühr\w*|kostet|kosten|fällig|berechne\w*|sind"
    r"|macht"
    r"|son|cuesta|cobr\w+|cargo|debe|coûte|frais|facturé\w*|fait|costa|custa)\b|'ll be\b|'s\b",
    re.I,
)
_PRICE = HeldFact(HeldSubject.PRICE)


def hold_wrong_notice(statement: SpokenStatement) -> None:
    """Hold that a cancellation in good time costs something, and that a late one, or a late move, costs nothing.

    Raises:
        Unfounded: It must not be said.
    """
    sentence = statement.sentence
    _hold_other_limit(statement)
    if _OTHER_CASE.search(sentence) is not None:
        return
    is_free = _FREE.search(sentence) is not None
    denied = DENIED.search(_FREE.sub(" ", sentence)) is not None
    sums = amounts_in(sentence) or [one for one in sums_said(sentence) if one is not None]
    if is_free and not denied:
        kind, at = _of_what(statement)
        limit = _free_until(statement, kind) if at is not None else None
        if at is not None and limit is not None and at - statement.now < limit:
            raise statement.refused(f"it is less than {_hours(limit)} hours before, and so it is not free.", _PRICE)
    elif sums and not denied and _FEE.search(sentence) is not None:
        at = _cancelled_now(statement)
        limit = _free_until(statement, _CANCEL) if at is not None else None
        if at is not None and limit is not None and at - statement.now >= limit:
            raise statement.refused(f"cancelling is free until {_hours(limit)} hours before, and this was.", _PRICE)


def _hold_other_limit(statement: SpokenStatement) -> None:
    """Hold that cancelling, or moving, is free until another time than the texts say: "up to 12 hours before"."""
    sentence = statement.sentence
    kinds = [kind for kind in (_CANCEL, _MOVE) if kind.search(sentence) is not None]
    said = {limit for limit in map(_length, _HOURS.findall(sentence)) if limit is not None}
    if len(kinds) != 1 or len(said) != 1 or _FREE.search(sentence) is None or _UNTIL.search(sentence) is None:
        return
    limit = _free_until(statement, kinds[0])
    if limit is not None and said != {limit}:
        raise statement.refused(f"that is free until {_hours(limit)} hours before.", _PRICE)


def _of_what(statement: SpokenStatement) -> tuple[re.Pattern[str], datetime | None]:
    """Return what a sentence says is free, and of which appointment: the cancelled one, or the only one that is to be.

    Where it says neither that it cancels nor that it moves, what was asked last, or done, is meant.
    """
    sentence = statement.sentence
    cancelled = _cancelled_now(statement)
    heard = (statement.heard() or [""])[-1]
    texts = [sentence] if _CANCEL.search(sentence) or _MOVE.search(sentence) else [sentence, heard]
    is_move = any(_MOVE.search(text) for text in texts) and not any(_CANCEL.search(text) for text in texts)
    if cancelled is not None and not is_move:
        return _CANCEL, cancelled
    if not is_move and not any(_CANCEL.search(text) for text in texts):
        return _CANCEL, None
    standing = {moment for item in statement.standing() for moment in item.moments}
    was_moved = any(Deed.MOVED in item.deeds and item.is_of_now for item in statement.known() if item.is_receipt)
    at = min(standing) if len(standing) == 1 and not was_moved else None
    return _MOVE if is_move else _CANCEL, at


def _cancelled_now(statement: SpokenStatement) -> datetime | None:
    """Return when what was cancelled in this turn would have been, where it was one thing."""
    zone = statement.now.tzinfo
    assert zone is not None
    gone = [
        receipt.words.get("when")
        for receipt in statement.session.receipts
        if receipt.turn == statement.session.facts.turn and str(receipt.words.get("what")).startswith("cancelled")
    ]
    return moment_in(str(gone[0]), zone) if len(gone) == 1 else None


def _free_until(statement: SpokenStatement, kind: re.Pattern[str]) -> timedelta | None:
    """Return how long before it cancelling, or moving, is free, where the texts say so in one way."""
    other = _MOVE if kind is _CANCEL else _CANCEL
    limits = set[timedelta]()
    for text in statement.told():
        for match in _SENTENCE.finditer(text):
            told = match[0]
            if kind.search(told) is None or other.search(told) is not None or _FREE.search(told) is None:
                continue
            limits |= {limit for limit in map(_length, _HOURS.findall(told)) if limit is not None}
    return limits.pop() if len(limits) == 1 else None


def _length(said: tuple[str, str]) -> timedelta | None:
    count = int(said[0]) if said[0].isdigit() else whole_number(said[0].casefold())
    if count is None:
        return None
    is_days = said[1].casefold().startswith(("day", "tag", "dí", "jour", "giorn", "dia", "dag"))
    return timedelta(days=count) if is_days else timedelta(hours=count)


def _hours(limit: timedelta) -> int:
    return int(limit.total_seconds() // 3600)
