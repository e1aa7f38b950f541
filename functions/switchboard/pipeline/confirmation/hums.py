"""What people hum while they listen, and what is left of an answer without its noises: the words that were meant.

A hum alone may be a yes, and may be nothing; between words it says nothing at all.
"""

import re
from collections.abc import Mapping, Sequence
from functools import cache

from switchboard.pipeline.confirmation.assent_asides import BAD_SIGNS, GOOD_SIGNS, KIND_SIGNS, NOISES
from switchboard.pipeline.confirmation.consent import LONGEST_ANSWER, breaks_off, plain_words

_HUMS = frozenset(
    plain_words(
        """m mm mmm mh mhm mhmm mmhm mmhmm hm hmm hmhm hmmhm uh huh uhhuh uhu uhuh uhum ahum ehm aham aha ajá ahá hum
        humhum mhmh"""
    )
)
# What is hummed between two words, by the language that is spoken; "um" leads to an hour in German, and is a one in
# Portuguese, and there "er" is a he.
_BETWEEN: Mapping[str, str] = {
    "en": "um umm uhm uh erm er ehm",
    "de": "ehm",
    "es": "em ehm emm",
    "fr": "euh heu ehm",
    "it": "ehm uhm",
    "nl": "ehm uhm uh",
    "pt": "ehm hum",
}
_ALSO_WORDS: Mapping[str, str] = {"de": "um uh er", "pt": "um", "nl": "er", "it": "er"}
# With one of these beside it, "uh" is half of an answer: "uh huh", "uh uh".
_HALVES = frozenset({"uh", "huh", "nuh"})
# Said to nothing but a question, in whatever way.
PLAIN_YES = frozenset(plain_words("yes yeah yep yup yea aye ye ja jo jawohl jep jup sí oui ouais sì sim"))
# Somebody who stutters begins a short word twice; "no no" and "si si" are said on purpose.
_STUTTERED = 5
_BRACKETED = re.compile(r"[\[(<*{]([^\[\](){}<>*]{1,40})[\])>*}]")
_MODIFIERS = re.compile("[\ufe0e\ufe0f\u200d\U0001f3fb-\U0001f3ff\u2640\u2642]")


def is_hum(text: str) -> bool:
    """Tell whether an answer is a hum and nothing else, in whatever spelling a recogniser gives it."""
    words = plain_words(text)
    return bool(words) and _HUMS.issuperset(words)


def words_heard(text: str) -> list[str] | None:
    """Return the words of an answer without noises and friendly signs; None where it can be no yes."""
    if len(text) > LONGEST_ANSWER or breaks_off(text):
        return None
    heard = _MODIFIERS.sub("", _BRACKETED.sub(_without_noise, text))
    for signs, meaning in ((GOOD_SIGNS, " thumbsup "), (BAD_SIGNS, " thumbsdown "), (KIND_SIGNS, " ")):
        heard = "".join(meaning if character in signs else character for character in heard)
    words = _unstuttered(plain_words(heard))
    return None if "?" in words or not words else words


def _unstuttered(words: Sequence[str]) -> list[str]:
    """Return words without those that were begun twice: "i i said"; what is said twice on purpose stays."""
    return [
        word
        for n, word in enumerate(words)
        if not n or word != words[n - 1] or len(word) > _STUTTERED or word in PLAIN_YES
    ]


def _without_noise(match: re.Match[str]) -> str:
    return " " if _noises().issuperset(plain_words(match[1])) else match[0]


@cache
def _noises() -> frozenset[str]:
    return frozenset(plain_words(NOISES))


def without_hums(words: Sequence[str], hums: frozenset[str]) -> list[str]:
    """Return words without what is hummed between or before them; a hum at the end is left, since more may come."""
    last = len(words) - 1
    return [
        word
        for n, word in enumerate(words)
        if n == last
        or word not in hums
        or (word in _HALVES and not _HALVES.isdisjoint((*words[max(0, n - 1) : n], words[n + 1])))
    ]


@cache
def hums_between(own: str, spoken_in: str) -> frozenset[str]:
    """Return what says nothing between two words of an answer, in a business's language or in the one spoken."""
    also = plain_words(" ".join(_ALSO_WORDS.get(language, "") for language in (own, spoken_in)))
    return frozenset(plain_words(f"{_BETWEEN['en']} {_BETWEEN[spoken_in]}")) - frozenset(also)
