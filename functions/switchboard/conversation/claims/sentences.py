"""Where a sentence ends, and which clauses it has: read from marks and a few joining words, in every language alike."""

import re
from collections.abc import Sequence

# The end of a sentence, unless it is the dot of an abbreviation, an hour or a German date.
_ABBREVIATIONS = (
    "a",
    "p",
    "mr",
    "ms",
    "dr",
    "st",
    "mrs",
    "sr",
    "sra",
    "mme",
    "hr",
    "fr",
    "nr",
    "no",
    "tel",
    "bzw",
    "ca",
)
_NO_END = "".join(rf"(?<!\b{word})" for word in _ABBREVIATIONS) + r"(?<!\.m)(?<!\bz\.b)(?<!\d)"
_MARKS = "[\"')*_\u201c\u201d\u00bb]*"
# Of several marks the last one ends it: to begin at each of them would take the square of their number.
SENTENCE_END = re.compile(rf"{_NO_END}\.{_MARKS}\s|[!?\u2026\u3002]{_MARKS}\s|\n", re.I)
# Of a row of marks, or of blanks, only the first may begin it, as above.
_CLAUSE_END = re.compile(
    r"(?<![;:\u2013\u2014!?\u2026.])(?:[;:\u2013\u2014!?\u2026]|(?<!\.m)(?<!\d)\.)+\s+|,\s+|(?<!\s)\s+[-\u2013\u2014]\s+|"
    r"(?<!\s)\s+(?=(?:and|but|because|since|although|though|und|aber|weil|denn|obwohl|doch|y|pero|porque|aunque|et|mais|car|"
    r"puisque|ma|perché|però|mas|porém|porque|en|maar|omdat|want)\s)",
    re.I,
)
# A clause that speaks of other times than what was done.
ELSEWHERE = re.compile(
    r"\b(?:free|available|availability|open|opens|opening|close|closes|closed|instead of|other times?|frei|verfügbar|"
    r"geöffnet|offen|geschlossen|statt|öffne\w*|schließ\w*|libres?|disponibles?|abiert\w+|cerrad\w+|abr(?:e|imos)|"
    r"cierra|cerramos|en (?:lugar|vez) del?|ouverte?s?|fermée?s?|ouvr\w+|ferm(?:e|ons)|au lieu d[eu]|plutôt que|"
    r"(?:is|was|are|were) (?:already )?taken|belegt|vergeben|ocupad[oa]s?|"
    r"minutes (?:early|earlier|before)|reminder|minuten (?:vorher|früher)|erinnerung|minutos antes|recordatorio|"
    r"minutes (?:avant|plus tôt)|liber[oi]|disponibil[ei]|apert[oi]|chius[oi]|apriamo|chiudiamo|invece d[i']|"
    r"livres?|disponíve(?:l|is)|aberto|fechado|abrimos|fechamos|em vez d[eo]|vrij|beschikbaar|geopend|gesloten|"
    r"in plaats van|minuten (?:eerder|van tevoren))\b",
    re.I,
)
_WORD = re.compile(r"\w+")
# So many words in a row are no accident.
_FEWEST_QUOTED = 4


def run_of(text: str) -> str:
    """Return the words of a text in lower case, one blank around each: what stands in it can be looked for."""
    return f" {' '.join(_WORD.findall(text.casefold()))} "


def without_quotes(clauses: Sequence[str], texts: Sequence[str]) -> str | None:
    """Return what is left of a sentence without the clauses that stand in one of these; None where none does.

    Args:
        clauses: The sentence.
        texts: As `run_of` returns them.
    """
    left, at, is_quoted = "", 0, False
    while at < len(clauses):
        # As many clauses as stand there one behind the other.
        for end in range(len(clauses), at, -1):
            run = run_of("".join(clauses[at:end]))
            if run.count(" ") > _FEWEST_QUOTED and any(run in text for text in texts):
                at, is_quoted = end, True
                break
        else:
            left, at = left + clauses[at], at + 1
    return left if is_quoted else None


def clauses_of(sentence: str) -> list[str]:
    """Return the parts of a sentence between marks and joining words; joined, they are the sentence."""
    found, start = [], 0
    for match in _CLAUSE_END.finditer(sentence):
        if sentence[start : match.end()].strip():
            found.append(sentence[start : match.end()])
            start = match.end()
    if sentence[start:].strip() or not found:
        found.append(sentence[start:])
    return found


def last_boundary(text: str) -> int:
    """Return where the last clause of a text begins; 0 where it has only one."""
    end = 0
    for match in _CLAUSE_END.finditer(text):
        end = match.end()
    return end if end < len(text) else 0
