"""People who do not exist: names, numbers, addresses and birthdays that stand in for a caller's own."""

from collections.abc import Collection
from datetime import date, timedelta
from itertools import count
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from phonenumbers import PhoneNumber

FIRST_NAMES = (
    *("Robin", "Alex", "Kim", "Toni", "Sascha", "Noa", "Charlie", "Luca", "Mika", "Jona", "Andrea", "Nico"),
    *("Kai", "Dana", "Eike", "Sam", "Jules", "Marlin", "Quinn", "Rene", "Tomke", "Vanja", "Wren", "Yael"),
)
LAST_NAMES = (
    *("Ashford", "Brook", "Calder", "Dorn", "Ebner", "Falk", "Garner", "Holm", "Ivens", "Jarvis", "Kessel", "Lund"),
    *("Marten", "Norden", "Ostby", "Pryor", "Quill", "Rieger", "Stroud", "Tamm", "Ulmer", "Voss", "Wexley", "Zander"),
)
MAIL_HOST = "mail.example"
# What regulators keep free for films: nobody has these numbers.
_FILMS = {
    ("US", False): [f"{area}55501" for area in (202, 212, 303, 312, 404, 415, 512, 617, 702, 805)],
    ("DE", False): ["302312580", "302312590", "692312591", "402312592"],
    ("DE", True): ["171392000", "171392001", "171392002", "171392003"],
    ("GB", True): ["77009001", "77009002", "77009003"],
}
_FIRST_BIRTHDAY = date(1970, 1, 5)
_BETWEEN_BIRTHDAYS = timedelta(days=417)
_TRIED = 500


def name_word(*, is_last: bool, taken: Collection[str]) -> str:
    """Return the made-up word of a name.

    Args:
        is_last: Whether it is a family's.
        taken: Words, without regard to case, that mean something here already.
    """
    words = LAST_NAMES if is_last else FIRST_NAMES
    made = (word + "son" * rounds for rounds in count() for word in words)
    return next(word for word in made if word.casefold() not in taken)


def birthday(number: int) -> date:
    """Return a made-up birthday; `number` is how many were made before."""
    return _FIRST_BIRTHDAY + number * _BETWEEN_BIRTHDAYS


def figures(length: int, number: int) -> str:
    """Return made-up digits for a code, a card or an account; `number` is how many were made before."""
    return f"{number + 1:0{length}}"[-length:]


def phone_number(like: str, taken: Collection[str]) -> str:
    """Return a number in E.164 that can be dialled where `like` can, and is a mobile one where that is.

    Where a country keeps numbers free for films it is one of these, otherwise near that country's usual example.

    Args:
        like: A number in E.164.
        taken: Numbers in E.164 that it may not be.
    """
    import phonenumbers

    parsed = phonenumbers.parse(like)
    kind = phonenumbers.number_type(parsed)
    region = phonenumbers.region_code_for_number(parsed) or "US"
    is_mobile = kind == phonenumbers.PhoneNumberType.MOBILE
    example = phonenumbers.example_number_for_type(region, kind) or phonenumbers.example_number(region)
    bases = _FILMS.get((region, is_mobile)) or [str(example.national_number)[:-2] if example else "20255501"]
    code = example.country_code if example else 1
    for number in count():
        base = bases[number // 100 % len(bases)]
        made = phonenumbers.PhoneNumber(country_code=code, national_number=int(f"{base}{99 - number % 100:02}"))
        text = phonenumbers.format_number(made, phonenumbers.PhoneNumberFormat.E164)
        if text not in taken and (phonenumbers.is_valid_number(made) or number > _TRIED):
            return text
    raise AssertionError("unreachable")


def national_of(number: str) -> tuple[str, str]:
    """Return the code of a number's country, and the number as it is dialled there."""
    import phonenumbers

    parsed: PhoneNumber = phonenumbers.parse(number)
    return str(parsed.country_code), phonenumbers.national_significant_number(parsed)
