"""A stretch of days that a sentence names without a day of it: "this week", "im November", "le mois prochain"."""

import re
from datetime import date, timedelta

from switchboard.conversation.claims.time_words import MONTHS

_WEEK = r"(?:week|woche|semana|semaine|settimana)"
_MONTH = r"(?:month|monat|mes|mois|mese|mês|maand)"
_THIS = r"(?:this|diese[nrm]?|est[ae]|ce|cette|quest[oa]|dez[ea]|deze)"
_NEXT = (
    r"(?:next|nächste[nrm]?|kommende[nrm]?|próxim[oa]|prochaine?|prossim[oa]|volgende|komende|que viene|que vem"
    r"|qui vient)"
)
_OF = r"(?:in|im|en|de|em|à|during|for|für|para|pour|per|voor|a|ad|au mois de|this|next|diesen)"
_SAID = re.compile(
    rf"\b(?:(?P<this_week>{_THIS} {_WEEK})|(?P<next_week>{_NEXT} {_WEEK}|{_WEEK} {_NEXT})"
    rf"|(?P<this_month>{_THIS} {_MONTH})|(?P<next_month>{_NEXT} {_MONTH}|{_MONTH} {_NEXT})"
    rf"|{_OF} (?P<month>{'|'.join(sorted(MONTHS, key=len, reverse=True))}))(?!\w)",
    re.I,
)
# Of other stretches, and of what lies on one side of a day, it is not known which days they are.
_OTHER = re.compile(
    r"\b(?:week-?ends?|wochenende|fin de semana|fine settimana|fim de semana|weeks?|wochen?|semanas?|semaines?"
    r"|settiman[ae]|weken|months?|monate?|mes(?:es)?|mois|mes[ei]|mês|maand(?:en)?|years?|jahr\w*|años?|ann(?:ée|o|i)s?"
    r"|anos?|jaar|before|until|till|after|since|from|earlier|later|vor|bis|nach|seit|ab|früher|später|antes|hasta"
    r"|después|desde|avant|jusqu\w*|après|depuis|prima|fino|dopo|até|depois|eerder|later|tot|vanaf|past|vergangen\w*)"
    r"\b",
    re.I,
)
_WEEK_DAYS, _MONTHS_A_YEAR = 7, 12


def has_other_period(text: str) -> bool:
    """Tell whether a text restricts what it says to days that are not known, beside what `periods_in` returns."""
    return _OTHER.search(_SAID.sub(" ", text)) is not None


def periods_in(text: str, today: date) -> list[tuple[date, date]]:
    """Return the first and the last day of each stretch that a text names; a month is the coming one of its name."""
    found = list[tuple[date, date]]()
    for match in _SAID.finditer(text):
        if match.lastgroup in ("this_week", "next_week"):
            monday = today - timedelta(days=today.weekday())
            monday += timedelta(days=_WEEK_DAYS if match.lastgroup == "next_week" else 0)
            found.append((monday, monday + timedelta(days=_WEEK_DAYS - 1)))
            continue
        month = MONTHS[match["month"].lower()] if match["month"] else today.month
        year = today.year + (month < today.month)
        if match.lastgroup == "next_month":
            year, month = _month_after(year, month)
        next_year, next_month = _month_after(year, month)
        found.append((date(year, month, 1), date(next_year, next_month, 1) - timedelta(days=1)))
    return found


def _month_after(year: int, month: int) -> tuple[int, int]:
    return (year + 1, 1) if month == _MONTHS_A_YEAR else (year, month + 1)
