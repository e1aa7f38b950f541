"""The words that tell when, and nothing else."""

import re

from switchboard.conversation.claims.party_words import NUMBERS
from switchboard.conversation.claims.time_words import HOUR_WORDS, MONTHS, SHORT_WEEKDAYS, WEEKDAYS

# What leads to times and days, and stands between them.
_WHEN = """
a à al at um am an on in the el la las le les alle às om as per para por o'clock uhr uur h heures heure horas hora
and or und oder y o et ou e en
then dann entonces alors donc allora quindi então dan dus
also even half past quarter to thirty fifteen forty-five halb viertel nach vor media
cuarto demie quart mezza meia half kwart over voor noon midday mittag midi mediodía tomorrow today morgen heute
übermorgen mañana hoy demain aujourd'hui domani oggi amanhã hoje vandaag pm p m next nächsten próximo prochain
"""
_WORDS = frozenset({*_WHEN.split(), *HOUR_WORDS, *WEEKDAYS, *SHORT_WEEKDAYS, *MONTHS, *NUMBERS})
_WORD = re.compile(r"[^\W\d_]+(?:['-][^\W\d_]+)*")


def only_tell_when(text: str) -> bool:
    """Tell whether every word of a text tells when, as far as it has words."""
    return _WORDS.issuperset(word.casefold() for word in _WORD.findall(text))
