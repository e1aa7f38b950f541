"""Finds the word that was meant among the words that a business uses: callers misspell, and recognisers mishear."""

import re
import sqlite3
from collections.abc import Iterable
from difflib import SequenceMatcher

# A shorter word is near too many others; below this likeness it is another word.
_SHORTEST = 5
_LIKENESS = 0.85
_COMPARED = 12
_WORD = re.compile(r"\w+")


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
        found = self._db.execute(
            "SELECT rowid FROM known WHERE known MATCH ? ORDER BY bm25(known), rowid LIMIT ?", (runs, _COMPARED)
        )
        near = ((SequenceMatcher(None, word, self._words[row]).ratio(), self._words[row]) for (row,) in found)
        likeness, best = max(near, default=(0.0, ""))
        return best if likeness >= _LIKENESS else None
