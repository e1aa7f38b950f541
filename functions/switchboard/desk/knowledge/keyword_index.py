"""Search by words over the passages of one business, in memory.

SQLite's FTS5, because it comes with Python, answers in 20 microseconds over 2,000 passages,
knows stems and folds accents, and ranks by BM25. What is asked in other words than the business's own is found by
meaning (`vector_search.py`).

Words that questions are made of are left out: in a handful of passages BM25 would take them for rare, and so for
telling. Misspelt and misheard words are read as the ones that the business uses.
"""

import math
import re
import sqlite3
import unicodedata
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher

from switchboard.contract.python.dataclass import dataclass
from switchboard.desk.knowledge.chunk import Passage

_ENGLISH = """
    a about am an and any anything are as at be been but by can could did do does for from get give had has have having
    hello hey hi how i if in into is it its just know like may me might much my need not of off on or our out please
    shall should so some something tell than thank thanks that the their them then there these they this those to too
    up us want was we were what when where which who why will with would yes you your yours
"""
_GERMAN = """
    aber alle als also am an auch auf aus bei beim bin bis bist bitte da danke dann das dass dein deine dem den denn
    der des die dies diese diesem diesen dieser dieses dir doch du ein eine einem einen einer eines er es etwas euch
    euer eure fur gibt gibts habe haben hallo hast hat hatte hier ich ihm ihn ihnen ihr ihre ihrem ihren ihrer im in
    ins ist ja jetzt kann kannst konnen konnte kommen machen man mein meine meinem meinen meiner mich mir mit mochte
    muss mussen nach nicht noch nun nur ob oder ohne sagen schon sehr sein seine sich sie sind so soll sowas uber um
    und uns unser unsere vom von vor wann war warum was weil welche welcher welches wenn wer werden wie wieso wieviel
    will wir wird wo wohin wollen wurde wurden zu zum zur
"""
STOP_WORDS = frozenset((_ENGLISH + _GERMAN).split())

# A shorter word is near too many others; below this likeness it is another word.
_SHORTEST = 5
_LIKENESS = 0.85
_COMPARED = 12

# `porter` joins cancel, cancelling and cancellation; `remove_diacritics 2` joins ä with a, also in decomposed text.
_TABLE = "CREATE VIRTUAL TABLE passage USING fts5(title, text, labels, content='', tokenize='%s')"
_TOKENIZER = "porter unicode61 remove_diacritics 2"
# A word in the title says more about a passage than one in its text.
_QUERY = "SELECT rowid, bm25(passage, 4.0, 1.0, 2.0) AS rank FROM passage WHERE passage MATCH ? ORDER BY rank, rowid"
_ROWS = "SELECT rowid FROM passage WHERE passage MATCH ?"
_MOST_WORDS = 24
# Shorter beginnings of words match by chance; longer ones find Heizung in Heizungsausfall.
_SHORTEST_BEGINNING = 4
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Hit:
    """A passage that was found.

    Attributes:
        score: By words alone: how it compares with the best, which scores 1. Of a whole search: how well it answers the
            question, from 0 to 1.
        cover: What share of the question's telling words it speaks of; rarer ones count for more.
    """

    passage: Passage
    score: float
    cover: float = 1.0


class KeywordIndex:
    """An index over passages that does not change."""

    def __init__(self, passages: Sequence[Passage]) -> None:
        """Index the passages."""
        self._passages = tuple(passages)
        folded = [(_folded(p.title), _folded(p.text), _folded(" ".join(p.labels))) for p in self._passages]
        # Built in one thread and asked in another, never by two at once.
        self._db = sqlite3.connect(":memory:", check_same_thread=False)
        self._db.execute(_TABLE % _TOKENIZER)
        self._db.executemany(
            "INSERT INTO passage(rowid, title, text, labels) VALUES (?, ?, ?, ?)",
            ((row, *texts) for row, texts in enumerate(folded)),
        )
        self._spelling = FuzzyMatch(
            self._db, (word for texts in folded for text in texts for word in _WORD.findall(text))
        )

    def __del__(self) -> None:
        """Close the database, which from Python 3.13 on complains about being forgotten."""
        self._db.close()

    def search(self, text: str, limit: int) -> list[Hit]:
        """Return the passages that share words with a text, best first, at most one per document."""
        match = self._match(text)
        if not match:
            return []
        best_of: dict[tuple[str, str], tuple[int, float]] = {}
        for row, rank in self._db.execute(_QUERY, (match,)):
            passage = self._passages[row]
            best_of.setdefault((passage.kind, passage.id), (row, -rank))
            if len(best_of) == limit:
                break
        best = max((score for _, score in best_of.values()), default=0.0)
        weighed = self._weighed(text) if best_of else []
        return [
            Hit(self._passages[row], round(score / best, 2) if best > 0 else 1.0, _cover(row, weighed))
            for row, score in best_of.values()
        ]

    def _weighed(self, text: str) -> list[tuple[frozenset[int], float]]:
        """Return, of each telling word of a text, which passages speak of it and how much it tells.

        A word that stands in none tells most: whoever asks for tattoos is not answered by what is said of appointments.
        """
        weighed = []
        for word in self._telling(text)[1]:
            known = self._spelling.closest(word)
            spelt = [f'"{word}"', *([f'"{word}"*'] if len(word) >= _SHORTEST_BEGINNING else [])]
            match = " OR ".join([*spelt, *([f'"{known}"'] if known else [])])
            rows = frozenset(row for (row,) in self._db.execute(_ROWS, (match,)))
            weighed.append((rows, math.log(1 + (len(self._passages) + 1) / (len(rows) + 1))))
        return weighed

    def _match(self, text: str) -> str:
        """Return a text as an FTS5 expression; empty when it holds no word."""
        words, telling = self._telling(text)
        if not telling:
            # "Where are you?" has nothing else to go by; then all of it must be there.
            return " AND ".join(f'"{word}"' for word in words[:_MOST_WORDS])
        # Quoted, a word is only a word: FTS5 has a query language of its own.
        beginnings = [f'"{word}"*' for word in telling if len(word) >= _SHORTEST_BEGINNING]
        meant = [f'"{known}"' for known in map(self._spelling.closest, telling) if known]
        return " OR ".join([f'"{word}"' for word in telling] + beginnings + meant)

    @staticmethod
    def _telling(text: str) -> tuple[list[str], list[str]]:
        """Return the words of a text, and those of them that tell what it is about."""
        words = list(dict.fromkeys(_WORD.findall(_folded(text))))
        return words, [word for word in words if _bare(word) not in STOP_WORDS][:_MOST_WORDS]


def _cover(row: int, weighed: Sequence[tuple[frozenset[int], float]]) -> float:
    """Return what share of a question's telling words a passage speaks of; all, where the question has none."""
    whole = sum(weight for _, weight in weighed)
    return sum(weight for rows, weight in weighed if row in rows) / whole if whole else 1.0


def _folded(text: str) -> str:
    # The tokenizer leaves ß alone; casefold makes it ss, as callers without that key write it.
    return unicodedata.normalize("NFC", text).casefold()


def _bare(word: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFD", word) if not unicodedata.combining(c))


class FuzzyMatch:
    """The words that are known; they share three letters in a row with what is asked before they are compared."""

    def __init__(self, db: sqlite3.Connection, words: Iterable[str]) -> None:
        """Keep the words, folded, in a table of that database."""
        self._db = db
        self._words = sorted({word for word in words if len(word) >= _SHORTEST - 1 and not word.isdigit()})
        self._known = frozenset(self._words)
        db.execute("CREATE VIRTUAL TABLE known USING fts5(word, content='', tokenize='trigram')")
        db.executemany("INSERT INTO known(rowid, word) VALUES (?, ?)", enumerate(self._words))

    def closest(self, word: str) -> str | None:
        """Return the known word that looks most like an unknown one; None where it is known, or none does."""
        if len(word) < _SHORTEST or word in self._known or not _WORD.fullmatch(word):
            return None
        runs = " OR ".join(f'"{run}"' for run in sorted({word[n : n + 3] for n in range(len(word) - 2)}))
        rows = self._db.execute(
            "SELECT rowid FROM known WHERE known MATCH ? ORDER BY bm25(known), rowid LIMIT ?", (runs, _COMPARED)
        )
        near = ((SequenceMatcher(None, word, self._words[row]).ratio(), self._words[row]) for (row,) in rows)
        likeness, best = max(near, default=(0.0, ""))
        return best if likeness >= _LIKENESS else None
