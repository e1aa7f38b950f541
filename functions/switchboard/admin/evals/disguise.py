"""Personal data replaced consistently: whoever occurs in a conversation becomes the same made-up person everywhere.

A word of a name, a number, an address and a birthday are each replaced by one and the same, however they are written,
and keep the form in which they were written. What means something in the business stays: its services, its people, its
own numbers. Text that describes somebody without naming them cannot be told from other text.
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from datetime import date
from functools import partial
from typing import Any

from switchboard.admin.evals import made_up
from switchboard.admin.evals.said_figures import said_in, with_said, with_written, written_in
from switchboard.admin.evals.spoken_forms import (
    births_in,
    births_said,
    letter_by_letter,
    mail_pattern,
    spoken_number,
    with_digits_of,
    written_as,
)
from switchboard.admin.maintenance.person_spellings import number_ways, spelled
from switchboard.contract.json import leaves

_MAIL = re.compile(r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,5}")
_WORD = re.compile(r"[^\W\d_]+(?:['\u2019][^\W\d_]+)*")
_INTRODUCED = re.compile(
    r"\b(?:my name is|my name's|this is|i am called|name of|ich hei(?:ß|ss)e|mein name ist|hier ist|hier spricht|"
    r"auf den namen|unter dem namen|"
    r"(?:my|our) (?:wife|husband|partner|son|daughter|mother|father|mom|dad|brother|sister)|"
    r"mein(?:e|en|er|em)? (?:frau|mann|partner(?:in)?|sohn|tochter|mutter|vater|bruder|schwester))"
    r"\s+(?:(?:mr|mrs|ms|dr|herr|frau)\.?\s+)?",
    re.IGNORECASE,
)
_LAST_DIGITS = re.compile(
    r"(?P<before>\b(?:ending (?:in|with)|ends (?:in|with)|last four(?: digits)?(?: are| is)?|endet (?:auf|mit)|"
    r"endend auf|letzten vier(?: ziffern)?(?: sind| lauten)?)\W{1,3})(?P<digits>\d(?:[ -]?\d){3})(?!\d)",
    re.IGNORECASE,
)
_TITLES = frozenset({"mr", "mrs", "ms", "miss", "dr", "prof", "herr", "frau", "von", "van", "de", "zu", "der", "den"})
# Where they stand in lower case they are mostly no names.
_ALSO_WORDS_TEXT = """
will may mark rose grant long hope faith joy grace bill rich frank art miles dawn april june august page young king
white black brown green may best klein gross lang kurz weiss schwarz braun jung alt neu gut sommer winter wolf bach
berg stein haus bauer koch hand in an am es so
"""
_ALSO_WORDS = frozenset(_ALSO_WORDS_TEXT.split())
_FEWEST_LETTERS = 2
_NAME_WORDS = 3
_FEWEST_SPELLED = 3


class Disguise:
    """Replaces what is known of people; everything has to be noted before anything is replaced."""

    def __init__(self, business: Mapping[str, Any], region: str | None) -> None:
        """Leave what stands in a business's document as it is; numbers without a country are `region`'s (ISO code)."""
        self._region = region
        texts = [value for _, value in leaves(business) if isinstance(value, str)]
        self._own_words = {word.casefold() for text in texts for word in _WORD.findall(text)}
        self._own_numbers = {number for text in texts for number in self._numbers_in(text)}
        self._own_mails = {mail.casefold() for text in texts for mail in _MAIL.findall(text)}
        self._words: dict[str, str] = {}
        self._names: dict[str, str] = {}
        self._numbers: dict[str, str] = {}
        self._mails: dict[str, str] = {}
        self._births: dict[date, date] = {}
        self._own_figures = {digits for text in texts for digits in written_in(text)}
        self._figures: dict[str, str] = {}
        self._found_by: tuple[re.Pattern[str] | None, Mapping[str, str]] | None = None

    def note_name(self, name: str) -> None:
        """Note a person's name, as somebody wrote it."""
        # "Vogel, Greta" is the same as "Greta Vogel".
        last, comma, first = name.partition(",")
        words = _WORD.findall(unicodedata.normalize("NFC", f"{first} {last}" if comma else name))
        words = [word for word in words if len(word) >= _FEWEST_LETTERS and word.casefold() not in _TITLES]
        if all(word.casefold() in self._own_words for word in words):
            return
        for at, word in enumerate(words):
            self._word(word, is_last=at == len(words) - 1 and len(words) > 1)
        whole = " ".join(words)
        if len(words) > 1 and whole.casefold() not in self._names:
            self._names[whole.casefold()] = " ".join(self._words[word.casefold()] for word in words)

    def note_number(self, text: str) -> None:
        """Note a person's number, as somebody wrote it; what is no number is none."""
        for number in self._numbers_in(text):
            if number not in self._own_numbers and number not in self._numbers:
                taken = {*self._own_numbers, *self._numbers, *self._numbers.values()}
                self._numbers[number] = made_up.phone_number(number, taken)

    def note_mail(self, mail: str) -> None:
        """Note a person's address; names that stand in it are replaced as elsewhere."""
        address = mail.strip().casefold()
        if _MAIL.fullmatch(address) is None or address in self._own_mails or address in self._mails:
            return
        words = [self._words.get(word) for word in re.split(r"[._+\d-]+", address.partition("@")[0])]
        local = ".".join(word.casefold() for word in words if word) or f"somebody{len(self._mails) + 1}"
        made, number = f"{local}@{made_up.MAIL_HOST}", 2
        while made in self._mails.values():
            made, number = f"{local}{number}@{made_up.MAIL_HOST}", number + 1
        self._mails[address] = made

    def note_birth(self, day: date) -> None:
        """Note the day on which somebody was born."""
        self._births.setdefault(day, made_up.birthday(len(self._births)))

    def note_births(self, text: str, before: date) -> None:
        """Note each day that is named in a text and lies before another one: nobody speaks of appointments then."""
        for day in births_said(text, is_day_first=self._region != "US"):
            if day < before:
                self.note_birth(day)

    def note_text(self, text: str) -> None:
        """Note whoever can be told from what was said.

        These are who introduces themselves or is introduced, each telephone number, code, card and account, and each
        address.
        """
        for match in _INTRODUCED.finditer(text):
            words = list(_name_words(text[match.end() :]))
            if words and not {word.casefold() for word in words} & self._own_words:
                self.note_name(" ".join(words))
        self.note_number(text)
        for digits in said_in(text):
            self.note_number(digits)
        for mail in _MAIL.findall(text):
            self.note_mail(mail)
        for digits in (*written_in(text), *said_in(text)):
            self._note_figures(digits)

    def _note_figures(self, digits: str) -> None:
        # Telephone numbers are replaced by ones that can be dialled.
        if digits not in self._own_figures and not self._dialled(digits) and digits not in self._figures:
            self._figures[digits] = made_up.figures(len(digits), len(self._figures))

    def _dialled(self, digits: str) -> str | None:
        """Return the number in E.164, own or somebody's, that is dialled by some digits."""
        known = (*self._own_numbers, *self._numbers, *self._numbers.values())
        return next((number for number in known if digits in _dialled_as(*made_up.national_of(number))), None)

    def of(self, value: Any) -> Any:
        """Return a value of any shape with made-up people in place of those that were noted."""
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, Mapping):
            return {self.of(key): self.of(inner) for key, inner in value.items()}
        if isinstance(value, list | tuple):
            return [self.of(inner) for inner in value]
        return value

    def _word(self, word: str, *, is_last: bool) -> None:
        if word.casefold() in self._words:
            return
        self._found_by = None
        taken = {*self._own_words, *self._words, *(made.casefold() for made in self._words.values())}
        self._words[word.casefold()] = made_up.name_word(is_last=is_last, taken=taken)

    def _numbers_in(self, text: str) -> list[str]:
        import phonenumbers

        matches = phonenumbers.PhoneNumberMatcher(text, self._region or "US", leniency=phonenumbers.Leniency.POSSIBLE)
        form = phonenumbers.PhoneNumberFormat.E164
        return [phonenumbers.format_number(m.number, form) for m in matches if phonenumbers.is_valid_number(m.number)]

    def _text(self, text: str) -> str:
        # Addresses first: names stand in them. Digits before names, so that no made-up word is touched again.
        for mail, made in self._mails.items():
            text = mail_pattern(mail).sub(partial(_mail_as, made), text)
        for day, made_day in self._births.items():
            text = births_in(text, day, made_day)
        text = with_said(self._with_numbers(text), self._said_instead)
        for digits, made_figures in self._figures.items():
            text = with_written(text, digits, made_figures)
        self._found_by = pattern, made_names = self._found_by or self._pattern()
        return pattern.sub(lambda match: self._as_named(match[0], made_names), text) if pattern is not None else text

    def _said_instead(self, digits: str) -> str | None:
        number = self._dialled(digits)
        if number is not None:
            return made_up.national_of(self._numbers[number])[1] if number in self._numbers else None
        return self._figures.get(digits)

    def _with_numbers(self, text: str) -> str:
        ways, made_of = [], {}
        for at, (number, made) in enumerate(self._numbers.items()):
            country, national = made_up.national_of(number)
            ways.append(f"(?P<n{at}>{'|'.join([*number_ways(country, national), spoken_number(national)])})")
            made_of[f"n{at}"] = made
        if not ways:
            return text
        # All at once: a made-up number is not looked at again.
        text = re.sub(
            "|".join(ways),
            lambda match: with_digits_of(match[0], *made_up.national_of(made_of[str(match.lastgroup)])),
            text,
            flags=re.IGNORECASE,
        )
        ends = {number[-4:]: made[-4:] for number, made in self._numbers.items()}
        return _LAST_DIGITS.sub(lambda match: match["before"] + _ended(match["digits"], ends), text)

    def _pattern(self) -> tuple[re.Pattern[str] | None, Mapping[str, str]]:
        """Return what finds names, and what each is replaced by, as `_plain` writes it."""
        made = {_plain(name): by for name, by in self._names.items()}
        made |= {_plain(word): by for word, by in self._words.items() if word not in self._own_words}
        known = [*self._names, *(word for word in self._words if word not in self._own_words)]
        made |= {_bare(name): made[_plain(name)] for name in known if _bare(name) not in made}
        if not known:
            return None, made
        ways = [way for name in sorted(known, key=len, reverse=True) for way in _ways(name)]
        return re.compile(rf"(?<![^\W_])(?:{'|'.join(ways)})(?='?s?(?![^\W_]))", re.IGNORECASE), made

    def _as_named(self, found: str, made: Mapping[str, str]) -> str:
        if found.islower() and found.casefold() in _ALSO_WORDS:
            return found
        by, apart = made.get(_plain(found)), re.match(r"\w([\s.\-]{1,3})\w(?:\1\w)+$", found)
        if by is None and apart is not None:
            by = made.get(_plain(found.replace(apart[1], "")))
            by = apart[1].join(by) if by is not None else None
        return written_as(found, by) if by is not None else found


def _plain(name: str) -> str:
    """Return a name without what keyboards write in several ways."""
    folded = " ".join(unicodedata.normalize("NFC", name).casefold().split())
    for letter, plain in (("ä", "ae"), ("ö", "oe"), ("ü", "ue"), ("ß", "ss"), ("\u2019", "'"), ("\u2010", "-")):
        folded = folded.replace(letter, plain)
    bare = unicodedata.normalize("NFD", folded)
    return "".join(letter for letter in bare if not unicodedata.combining(letter))


def _bare(name: str) -> str:
    """Return a name as it is written where a keyboard has no accents: a for ä."""
    return _plain("".join(letter for letter in unicodedata.normalize("NFD", name) if not unicodedata.combining(letter)))


def _dialled_as(country: str, national: str) -> tuple[str, ...]:
    return national, f"0{national}", country + national, f"00{country}{national}", f"011{country}{national}"


def _ways(name: str) -> Iterator[str]:
    """Yield patterns of a name: as it is, with ae for ä, without accents, and letter by letter."""
    ways = tuple(dict.fromkeys((name, _plain(name), _bare(name))))
    yield from (spelled(way) for way in ways)
    yield from (letter_by_letter(way) for way in ways if way.isalpha() and len(way) >= _FEWEST_SPELLED)


def _name_words(text: str) -> Iterator[str]:
    """Yield the words at the start of a text that may be a name: those in capitals."""
    at = 0
    for match in list(_WORD.finditer(text))[:_NAME_WORDS]:
        if text[at : match.start()].strip(" ") or not match[0][0].isupper():
            return
        yield match[0]
        at = match.end()


def _mail_as(made: str, match: re.Match[str]) -> str:
    return made if "@" in match[0] else made.replace("@", " at ").replace(".", " dot ")


def _ended(digits: str, ends: Mapping[str, str]) -> str:
    plain = re.sub(r"\D", "", digits)
    return with_digits_of(digits, "", ends[plain]) if plain in ends else digits
