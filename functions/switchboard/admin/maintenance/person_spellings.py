"""How a person is named in texts: a number, a name or an address in whatever spelling, as a regular expression."""

import re
import unicodedata

# What people, keyboards and transcribers put between digits: also Unicode's hyphens and dashes, commas, and what
# stands in JSON for what is not ASCII.
_BETWEEN = r"[\s\-.,()/_·•\u00ad\u200b-\u200f\u2010-\u2015\u2060\u2212\ufe58\ufe63\uff0d]"
_ESCAPED_BETWEEN = r"\\+(?:[nrt]|u(?:00a0|00ad|20[0126][0-9a-f]|2212|3000|fe58|fe63|ff0d))"
_SEPARATORS = rf"(?:{_BETWEEN}|{_ESCAPED_BETWEEN})*"
_BLANKS = rf"(?:\s|{_ESCAPED_BETWEEN})+"
# Signs within names that keyboards and transcribers write as they please.
_ALIKE = ("'\u2019\u2018\u02bc`\u00b4", "-\u2010\u2011")
# What stands in JSON for a character in front of it is no letter or digit of the word itself.
BEHIND_ESCAPE = r"(?<=\\[nrtbf])|(?<=\\u[0-9a-f]{4})"
ABROAD = ("", "00", "011")
"""What is dialled in front of a country's code, where no + is."""
# A shorter one is part of too many other numbers.
_FEWEST_DIGITS = 7


def number_ways(country: str, national: str) -> list[str]:
    """Return patterns of a phone number, however it is written.

    Args:
        country: Its country's code.
        national: As it is dialled within that country, without what is dialled in front of it there.
    """
    spelled_country, spelled_rest = (_SEPARATORS.join(map(_digit, digits)) for digits in (country, national))
    ways = [rf"(?:(?:\+|00|011){_SEPARATORS})?{spelled_country}{_SEPARATORS}{spelled_rest}"]
    if len(national) >= _FEWEST_DIGITS:
        ways.append(rf"0?{spelled_rest}")
    return [rf"(?:(?<!\d)|{BEHIND_ESCAPE})(?:{way})(?!\d)" for way in ways]


def _digit(digit: str) -> str:
    # As it is typed, and in full width.
    return rf"(?:[{digit}{chr(0xFF10 + int(digit))}]|\\+uff1{digit})"


def spelled(text: str) -> str:
    """Return a pattern of a name, or an address, however its letters are composed and its words kept apart."""
    words = unicodedata.normalize("NFC", text).split()
    return _BLANKS.join("".join(map(_letter, word)) for word in words)


def _letter(letter: str) -> str:
    alike = next((signs for signs in _ALIKE if letter in signs), "")
    if alike:
        return f"(?:{'|'.join(form for sign in alike for form in (re.escape(sign), _in_json(sign)))})"
    if letter.isascii():
        return re.escape(letter)
    ways = {form for case in (letter, letter.lower(), letter.upper()) for form in (case, _apart(case))}
    forms = {re.escape(way) for way in ways} | {"".join(map(_in_json, way)) for way in ways}
    return f"(?:{'|'.join(sorted(forms, key=len, reverse=True))})"


def _apart(letter: str) -> str:
    return unicodedata.normalize("NFD", letter)


def _in_json(character: str) -> str:
    if character.isascii():
        return re.escape(character)
    units = character.encode("utf-16-be").hex()
    return "".join(rf"\\+u{units[at : at + 4]}" for at in range(0, len(units), 4))
