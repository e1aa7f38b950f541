"""What people tell of themselves: names, numbers, addresses, birthdays and codes, in the words they use."""

import re
from collections.abc import Sequence
from functools import cache, lru_cache

from switchboard.contract.python.dataclass import dataclass
from switchboard.models.rehearsal.spoken_time import SpokenTime
from switchboard.models.rehearsal.vocabulary import LanguageVocabulary, Word, vocabulary, words_of

_PHONE = re.compile(r"(?<![\d\w])(?:\+|00)?\(?\d[\d ()/.-]{4,24}\d")
_EMAIL = re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,5}")
_REFERENCE = re.compile(r"\bbk_[0-9a-z]{6,40}\b", re.I)
_CODE = re.compile(r"(?<!\d)\d(?:[ -]?\d){5}(?!\d)")
_LEAST_DIGITS, _MOST_NAMES = 6, 4
_LETTERS = re.compile(r"[^\W\d_](?:[^\W\d_]|['.-])*")
_SMALL = frozenset({"van", "von", "de", "der", "den", "la", "del", "da", "di", "bin", "al", "le", "du", "y"})


@dataclass(frozen=True, slots=True)
class Details:
    """What was told; empty where it was not. `rest` is what else was said."""

    phone: str = ""
    email: str = ""
    date_of_birth: str = ""
    booking_reference: str = ""
    rest: str = ""


# Of a conversation all that was said is read again with every answer.
@lru_cache(maxsize=2048)
def details_in(text: str, times: SpokenTime) -> Details:
    """Return what a text tells that can be recognised by its form."""
    rest, details = text, {}
    for name, pattern in (("email", _EMAIL), ("booking_reference", _REFERENCE)):
        match = pattern.search(rest)
        if match:
            details[name], rest = match[0], rest.replace(match[0], " , ")
    birthday = times.birthday(rest)
    if birthday is not None:
        details["date_of_birth"], rest = birthday[0].isoformat(), birthday[1]
    match = _PHONE.search(rest)
    if match and sum(c.isdigit() for c in match[0]) >= _LEAST_DIGITS:
        details["phone"], rest = match[0].strip(), rest.replace(match[0], " , ")
    return Details(**details, rest=rest)


def code_in(text: str) -> str:
    """Return a code of six digits that was read out; empty where there is none."""
    match = _CODE.search(text)
    return re.sub(r"\D", "", match[0]) if match else ""


def name_in(
    text: str,
    words: LanguageVocabulary,
    *,
    is_asked: bool = False,
    is_for: bool = False,
    never: frozenset[str] = frozenset(),
) -> str:
    """Return the name that a text tells: after "my name is" and the like, or as an answer to the question for it.

    Args:
        text: What was said.
        words: Its language.
        is_asked: Whether it answers the question for a name.
        is_for: Whether a name may stand after "for", as where something is booked for somebody.
        never: Words, folded, that are written like names and are none here: days, services.
    """
    return _name_in(text, words.language, is_asked, is_for, never)


@lru_cache(maxsize=2048)
def _name_in(text: str, language: str, is_asked: bool, is_for: bool, never: frozenset[str]) -> str:
    words, words_said = vocabulary(language), words_of(text)
    barred = frozenset(word.plain for word in words_said if word.plain in never) | _no_names(words.language)
    plain = [word.plain for word in words_said]
    for lead in _leads(words.language, is_for):
        for start in range(len(words_said) - len(lead)):
            if plain[start : start + len(lead)] == lead:
                name = _name_from(text, words_said[start + len(lead) :], words, barred, must_be_written=not is_asked)
                if name and (not is_asked or _is_all(text, name, words_said[start + len(lead) :], words)):
                    return name
    if not is_asked:
        return ""
    # An answer, perhaps with a polite word before it.
    polite = frozenset(word.plain for word in words_of(words.reading["yes"].replace(",", " ")))
    rest = words_said[next((n for n, word in enumerate(words_said) if word.plain not in polite), len(words_said)) :]
    name = _name_from(text, rest, words, barred, must_be_written=False)
    return name if name and _is_all(text, name, rest, words) else ""


def _is_all(text: str, name: str, words_said: Sequence[Word], words: LanguageVocabulary) -> bool:
    """Tell whether a name is all of an answer: "It is about the heating" begins like one, and goes on like none."""
    after = words_said[len(name.split()) :]
    if name[:1].isupper() and words_said[0].written[:1].isupper() and len(name.split()) > 1:
        return True
    if not after or words.is_listed("after_name", after[0].plain):
        return True
    return re.search(r"[,;.:\n]", text[text.find(words_said[0].written) : text.rfind(after[0].written)]) is not None


def _name_from(
    text: str, words_said: Sequence[Word], words: LanguageVocabulary, barred: frozenset[str], *, must_be_written: bool
) -> str:
    ends = _name_ends(words.language)
    parts: list[str] = []
    at = text.find(words_said[0].written) if words_said else -1
    for word in words_said:
        begun, at = at, text.find(word.written, at + 1 if parts else at)
        # A comma or a full stop ends a name, unless it is that of an initial.
        if parts and re.search(r"[,;:!?\n]|\w\w\.", text[begun:at] if begun >= 0 else ""):
            break
        is_part = _LETTERS.fullmatch(word.written) is not None and word.plain not in barred
        if not is_part or (word.plain in ends and word.plain not in _SMALL) or len(parts) == _MOST_NAMES:
            break
        if must_be_written and not word.written[:1].isupper() and word.plain not in _SMALL:
            break
        parts.append(word.written)
    while parts and parts[-1].lower() in _SMALL:
        parts.pop()
    return " ".join(part if any(c.isupper() for c in part) or part in _SMALL else part.capitalize() for part in parts)


@cache
def _leads(language: str, is_for: bool) -> list[list[str]]:
    """Return what leads to a name, word by word, the longest first; with what stands before whom it is for."""
    reading = vocabulary(language).reading
    leads = (reading["name"] + ("," + reading["name_for"] if is_for else "")).split(",")
    return [[words_of(part)[0].plain for part in lead] for lead in sorted(map(str.split, leads), key=len, reverse=True)]


@cache
def _name_ends(language: str) -> frozenset[str]:
    """Return the words that end a name, each read on its own: "e-mail" as two."""
    return frozenset(w.plain for w in words_of(vocabulary(language).reading["name_ends"].replace(",", " ")))


@cache
def _no_names(language: str) -> frozenset[str]:
    return frozenset(word.plain for word in words_of(vocabulary(language).reading["no_name"]))
