"""How many can still come: never more than a look-up of this conversation has told."""

import re
from collections.abc import Iterable, Iterator, Mapping

from switchboard.contract.document import items, text
from switchboard.contract.model import Message, Spoken, ToolMessage
from switchboard.conversation.claims.party_words import NUMBERS, parties_said
from switchboard.conversation.claims.sentences import DENIED
from switchboard.conversation.claims.statements.statement import IN_CASE, SpokenStatement

_NUMBER = r"(?<![\w.,:])(?P<n>\d{1,3}|[^\W\d_]{2,12})(?![.,:]\d)"
_SEATS = (
    r"(?:seats?|spots?|places?|plätze|platz|plazas?|lugares|lugar|sitios?|posti|posto|vagas?|plaatsen|plaats|plekken"
    r"|people|persons?|personen|personas?|personnes?|persone|pessoas?|mensen)"
)
_LEFT = re.compile(
    rf"{_NUMBER}\s+(?:more\s+)?{_SEATS}\s+(?:(?:are|is|sind|ist|están|sont|sono|estão|zijn|still|noch|más|encore|ancora"
    r"|ainda|nog)\s+){0,2}(?:left|free|available|frei|übrig|libres?|disponibles?|restantes|liber[io]|disponibili"
    r"|livres?|vrij|over)(?!\w)",
    re.I,
)
_STILL = re.compile(
    r"\b(?:noch|quedan?|reste(?:nt)?|restano|rimangono|restam?|nog|there(?:'s| are| is)(?: still)?)\s+"
    rf"{_NUMBER}\s+(?:freie |vrije )?{_SEATS}(?!\w)",
    re.I,
)
ROOM_FOR = re.compile(
    r"\b(?P<room>room|space|platz|sitio|lugar|hueco|place|posto|espaço|plek|plaats)\s+(?:for|für|para|pour|per|voor)\s+"
    rf"(?:up to\s+|bis zu\s+)?{_NUMBER}(?!\s*(?:o'?clock|uhr|uur)\b)",
    re.I,
)
"""That there is room for so many: "for four" is no hour behind it."""
# "Für fünf Personen ist noch Platz".
_ROOM = re.compile(r"\b(?:room|space|platz|plätze|sitio|place|espaço|posto|plek)\b", re.I)
_TENS_SAID = (
    ("twenty", "zwanzig", "veinte", "vingt"),
    ("thirty", "dreißig", "treinta", "trente"),
    ("forty", "vierzig", "cuarenta", "quarante"),
    ("fifty", "fünfzig", "cincuenta", "cinquante"),
    ("sixty", "sechzig", "sesenta", "soixante"),
    ("eighty", "achtzig", "ochenta", "quatre-vingts"),
)
_TENS = {word: ten for ten, words in zip((20, 30, 40, 50, 60, 80), _TENS_SAID, strict=True) for word in words}
_COUNT = re.compile(r"(?:^|: )(\d{1,3})(?=;|$)")


def hold_too_much_room(statement: SpokenStatement) -> None:
    """Hold that more can come than any look-up has told, where one has.

    Raises:
        Unfounded: It must not be said.
    """
    sentence = statement.sentence
    said = [count_of(match["n"]) for pattern in (_LEFT, _STILL, ROOM_FOR) for match in pattern.finditer(sentence)]
    if _ROOM.search(sentence) is not None and statement.business.takes_parties:
        said += parties_said(sentence)
    if not any(said) or DENIED.search(sentence) is not None or IN_CASE.search(sentence) is not None:
        return
    told = list(_told(statement))
    if told and max(said) > max(told):
        raise statement.refused(f"the results above say that there is room for {max(told)}.")


def count_of(word: str) -> int:
    """Return the number that a word is; 0 where it is none."""
    return int(word) if word.isdigit() else NUMBERS.get(word.casefold(), _TENS.get(word.casefold(), 0))


def parties_asked(messages: Iterable[Message]) -> Iterator[int]:
    """Yield for how many it was looked up what is free."""
    calls = (call for message in messages if isinstance(message, Spoken) for call in message.calls)
    counts = (call.arguments_object.get("party_size") for call in calls)
    yield from (count for count in counts if isinstance(count, int))


def _told(statement: SpokenStatement) -> Iterator[int]:
    """Yield for how many there is room, of what was looked up."""
    for message in statement.session.history.messages:
        data = message.response.data if isinstance(message, ToolMessage) else None
        if not isinstance(data, Mapping):
            continue
        if isinstance(room := data.get("room"), int):
            yield room
        for row in items(data.get("free")):
            room_text = text(row.get("room")) if isinstance(row, Mapping) else ""
            yield from map(int, _COUNT.findall(room_text))
