"""A free time that is named back before the caller is asked for a name: "Friday at three with Marcus it is!".

By itself it would sound like what was booked; in front of the question for what is still missing it is the caller's
own choice.
"""

import re
from collections.abc import Iterator, Sequence

from switchboard.conversation.claims.company_check import free_times, people_free
from switchboard.conversation.claims.entities import readings
from switchboard.conversation.claims.facts import services_named, words_of
from switchboard.conversation.claims.party_words import only_tell_hours, party_readings
from switchboard.conversation.claims.people_marks import MARKS, marked
from switchboard.conversation.claims.sentences import clauses_of
from switchboard.conversation.claims.statements.room_left import parties_asked
from switchboard.conversation.claims.statements.statement import LONGEST_STATEMENT, SpokenStatement

# What a booking still lacks, as it is asked for.
_ASKS_FOR = re.compile(
    r"\b(?:names?|number|phone|namen?|heißen|telefon\w*|handy\w*|rufnummer|nummer|nombre|apellidos?|llama|llamas"
    r"|teléfono|número|móvil|nom|prénom|numéro|téléphone|appelez|appelles)\b",
    re.I,
)
_ASKS = re.compile(
    r"\?\W*$|\b(?:need|may i|can i|could i|give me|tell me|brauche|bräuchte|benötige|nennen|sagen sie mir|geben sie mir"
    r"|fehlt|fehlen|necesito|necesitaría|dígame|deme|falta|faltan|il me faut|j'ai besoin|il me faudrait"
    r"|donnez-moi|dites-moi)\b",
    re.I,
)
_DONE = re.compile(
    r"\b(?:booked|reserved|confirmed|is|are|ist|sind|gebucht|reserviert|está|queda|reservad[oa]|est|réservée?)\b", re.I
)
_FILLS_SAID = """
great perfect lovely okay ok alright right wonderful excellent super sure yes yep yeah good fine so it it's is that
that's works sounds with all awesome cool nice sweet we'll say make let's i have i've got
gut prima perfekt klar alles schön wunderbar super ja gerne gern dann also mit bei geht passt es wäre noch nehmen
wir machen sehr
perfecto vale bien muy claro genial estupendo sí si entonces con pues de acuerdo es sería ese
parfait très bien alors donc d'accord oui avec chez ce c'est ça va entendu
"""
_FILLS = frozenset(_FILLS_SAID.split())
_WORD = re.compile(r"[^\W\d_]+(?:['-][^\W\d_]+)*")


def asks_for_details(sentence: str) -> bool:
    """Tell whether a sentence asks for what a booking still lacks: a name, or a number."""
    return _ASKS_FOR.search(sentence) is not None and _ASKS.search(sentence) is not None


def names_chosen_time(statement: SpokenStatement) -> bool:
    """Tell whether a sentence says no more than when, with whom and for how many, and that was found free.

    What it asks for behind that does not count.
    """
    sentence = statement.sentence
    if len(sentence) > LONGEST_STATEMENT or statement.was_done_now() or statement.session.agreed:
        return False
    text = "".join(_without_question(clauses_of(sentence)))
    named = marked(statement.business, text)
    rest = MARKS.sub(" ", named.text)
    for service in services_named(statement.business, rest):
        rest = re.sub(re.escape(service), " ", rest, flags=re.I)
    names = named.named(named.text)
    takes_parties = statement.business.takes_parties
    ways = party_readings(rest) if takes_parties else ((rest, frozenset[int]()),)
    return any(
        _only_names(plain) and _was_free(statement, plain, names) and _were_asked(statement, parties)
        for plain, parties in ways
    )


def _without_question(clauses: Sequence[str]) -> Iterator[str]:
    """Yield the clauses that do not ask for what is missing: "I just need your name"."""
    is_asked = False
    for clause in clauses:
        is_asked = asks_for_details(clause) or (
            is_asked and _ASKS_FOR.search(clause) is not None and _DONE.search(clause) is None
        )
        if not is_asked:
            yield clause


def _only_names(text: str) -> bool:
    return all(word.casefold() in _FILLS or only_tell_hours(word) for word in _WORD.findall(text))


def _was_free(statement: SpokenStatement, text: str, names: tuple[str, ...]) -> bool:
    assert statement.now.tzinfo is not None
    messages, zone = statement.session.history.messages, statement.now.tzinfo
    said = [one for one in readings(text, statement.now) if one.clocks]
    if len(said) != 1 or len(said[0].clocks) != 1:
        return False
    if not names:
        return any(one.agrees_with(said[0]) for one in free_times(messages, zone))
    free = [one for one in people_free(messages, zone) if one.agrees_with(said[0])]
    return all(any(words_of(name) <= words_of(one.person) for one in free) for name in names)


def _were_asked(statement: SpokenStatement, parties: frozenset[int]) -> bool:
    return not parties or parties <= frozenset(parties_asked(statement.session.history.messages))
