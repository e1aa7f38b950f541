"""How likely a caller's own words agree to a question, where no table of phrases knows them all: a small network.

It is trained by `scripts/train_answers` on the answers in `scripts/answers`. What an answer has in common with its
question is marked before it is read: its time, its names, its deed; so it makes no difference which ones they are.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from switchboard.pipeline.answer_words import plain_words
from switchboard.pipeline.assent import DEED_WORDS, named_in, plain_question
from switchboard.pipeline.spoken_moments import moments_in, spoken, weekdays
from switchboard.pipeline.word_network import WordNetwork, words_in

if TYPE_CHECKING:
    from numpy.typing import NDArray

WEIGHTS = Path(__file__).parent / "answers.npz"
MEANINGS: Final = ("yes", "no", "other")
_WORD = re.compile(r"[^\W_]+(?:['\u2019:.,][^\W_]+)*")


def words_beside(text: str, language: str, question: str, deed: str) -> list[str]:
    """Return the words of an answer as the network knows them, with what stands in the question marked.

    Args:
        text: What was said or typed.
        language: The business's, one of `spoken_moments.LANGUAGES`.
        question: What was asked, as the caller was told.
        deed: What was asked about: `cancelled` or `moved`.
    """
    found = list(_WORD.finditer(text))
    plain = [tuple(plain_words(word[0])) for word in found]
    parts, at, n = [f"q{deed} "], 0, 0
    named, phrases = named_in(question), _times(question, language, deed)
    longest = max(map(len, phrases), default=0)
    while n < len(found):
        count, mark = next(_marks(plain, n, phrases, longest, named, deed), (1, ""))
        if mark:
            parts += [text[at : found[n].start()], f" {mark} "]
            at = found[n + count - 1].end()
        n += count
    return words_in("".join([*parts, text[at:]]))


def _marks(
    plain: Sequence[tuple[str, ...]],
    n: int,
    phrases: dict[tuple[str, ...], str],
    longest: int,
    named: frozenset[str],
    deed: str,
) -> Iterator[tuple[int, str]]:
    """Yield how many words from the n-th on have something in common with the question, and what."""
    for count in range(min(longest, len(plain) - n), 0, -1):
        said = tuple(word for words in plain[n : n + count] for word in words)
        if said in phrases:
            yield count, phrases[said]
    for word in plain[n]:
        for other, beginning in DEED_WORDS.items():
            if beginning.match(word):
                yield 1, "qdeed" if other == deed else "xdeed"
        if {word, word.removesuffix("s")} & named:
            yield 1, "qname"
        if {word, word.removesuffix("s")} & weekdays():
            yield 1, "xday"


@cache
def _times(question: str, language: str, deed: str) -> dict[tuple[str, ...], str]:
    moments = moments_in(plain_question(question))
    marks = ("qtime",) if deed == "cancelled" or len(moments) < 2 else ("qbefore", "qtime")
    found: dict[tuple[str, ...], str] = {}
    for moment, mark in zip(moments, marks, strict=False):
        for spoken_in in dict.fromkeys(("en", language)):
            found |= dict.fromkeys(spoken(moment, spoken_in), mark)
    return found


class AnswerReader:
    """Reads answers with some networks' weights, each trained apart from the others."""

    def __init__(self, weights: "Sequence[dict[str, NDArray[Any]]]") -> None:
        """Take the weights as `scripts/train_answers` writes them."""
        import numpy as np

        self._np = np
        self._networks = [WordNetwork(one) for one in weights]
        self._heads = [(one["meaning"].astype(np.float32), one["meaning_bias"].astype(np.float32)) for one in weights]

    def likelihoods(self, words: Sequence[str]) -> tuple[float, ...]:
        """Return how likely each of `MEANINGS` is, as the network says that is least sure of a yes."""
        np, found = self._np, []
        for network, (head, bias) in zip(self._networks, self._heads, strict=True):
            scores = network.made_of([words])[0] @ head + bias
            powers = np.exp(scores - scores.max())
            found.append(tuple((powers / powers.sum()).tolist()))
        return min(found)
