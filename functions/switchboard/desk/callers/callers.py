"""Callers on file: found by the number that the phone network signals, or by what stands in their record."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from typing import Any, TypeAlias

from switchboard.contract.business.business import read_business
from switchboard.contract.business.names import visible_text
from switchboard.contract.caller.strangers import VOUCHED_FOR
from switchboard.contract.document import items, moment, text
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import BusinessPaths, Store
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import Document, Filter, Query
from switchboard.desk.contact.phone import caller_number, number_on_file, region_of, region_of_number, spellings
from switchboard.desk.derived_id import derived_id

# Families share a telephone, and several hundred people a birthday.
_MOST_OF_NUMBER = 10
_MOST_OF_BIRTHDAY = 200

MOST_OTHER_PHONES = 8

_Word: TypeAlias = frozenset[str]

_TITLES = frozenset({"mr", "mrs", "ms", "miss", "mx", "dr", "prof", "herr", "frau"})
# Letters that no decomposition takes apart.
_PLAIN = str.maketrans({"\u0131": "i", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe"})
_GERMAN = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "å": "aa", "ø": "oe"})
_TRANSLITERATED = re.compile(r"[aou]e|aa")
_APOSTROPHES = re.compile("['`\u00b4\u02bc\u2018\u2019]")
_LONGEST = 40
# Nobody's name is longer, and comparing names takes more than in proportion to their length.
_LONGEST_NAME = 300
# Each word of a name is found by its beginnings, so many of them at most.
_MOST_NAME_WORDS, _LONGEST_KEY = 5, 12
_NO_LETTERS = re.compile(r"[\W\d_]+")


class Callers:
    """The records of every business's callers. Failures are `StoreError`s."""

    def __init__(self, store: Store) -> None:
        """Read from `store`; nothing is remembered here, since a block or a flag must hold at once."""
        self._store = store

    async def of_number(self, paths: BusinessPaths, phone: str | None) -> list[Caller]:
        """Return those whose number this is, in whatever spelling it is signalled; a withheld one is nobody's.

        Every number of a record counts, the first and the further ones. It is compared with what stands normalised
        there, and of the first with the usual ways to type it in.
        """
        number = caller_number(phone)
        if number is None:
            return []
        conditions = (
            Filter("phoneNormalised", "==", number),
            Filter("phone", "in", spellings(number)),
            Filter("otherPhonesNormalised", "array-contains", number),
        )
        callers = await self._where(paths, conditions, _MOST_OF_NUMBER)
        # What stands beside a number that was typed over since leads to a record that does not have it any more.
        return [caller for caller in callers if number in caller.numbers][:_MOST_OF_NUMBER]

    async def of_email(self, paths: BusinessPaths, email: str) -> list[Caller]:
        """Return those with this address, whatever its case here and in the record."""
        written = email.strip()
        address = written.casefold()
        cases = {written, address, written.lower(), written.upper(), address.capitalize(), address.title()}
        local, _, domain = address.partition("@")
        cases |= {f"{local.title()}@{domain}", f"{local.upper()}@{domain}", f"{local}@{domain.capitalize()}"}
        conditions = (Filter("emailNormalised", "==", address), Filter("email", "in", sorted(cases)))
        callers = await self._where(paths, conditions, _MOST_OF_NUMBER)
        return [caller for caller in callers if caller.email == address][:_MOST_OF_NUMBER]

    async def of_birthday(self, paths: BusinessPaths, day: date) -> list[Caller]:
        """Return those who were born on a day."""
        return await self._where(paths, (Filter("dateOfBirth", "in", [day.isoformat()]),), _MOST_OF_BIRTHDAY)

    async def of_id(self, paths: BusinessPaths, id: str) -> list[Caller]:
        """Return the one record of an id, or none."""
        document, business = await self._store.get_many([paths.document("callers", id), paths.business])
        return [read_caller(document, _region(paths, business))] if document is not None else []

    async def new_id(self, paths: BusinessPaths, number: str) -> str:
        """Return the id of the record that a number gets which nobody on file has; see `new_caller_id`.

        A record keeps its id when its number becomes another one: whoever has the old one now is somebody else.
        """
        for earlier in range(_MOST_OF_NUMBER):
            id = new_caller_id(number, earlier)
            document = await self._store.get(paths.document("callers", id))
            if document is None or number in read_caller(document, region_of_number(number)).numbers:
                break
        return id

    async def _where(self, paths: BusinessPaths, conditions: Sequence[Filter], most: int) -> list[Caller]:
        """Return the records that meet a condition, in one look.

        Which country the business is in is asked only where a number cannot be read without.
        """
        query = Query(paths.collection("callers"), limit=most * len(conditions), any_of=tuple(conditions))
        documents = await self._store.query(query)
        callers = [read_caller(document) for document in documents]
        if all(map(_is_read_without_country, documents, callers)):
            return callers
        region = _region(paths, await self._store.get(paths.business))
        return [read_caller(document, region) for document in documents]


def _region(paths: BusinessPaths, business: Document | None) -> str | None:
    return region_of(read_business(paths.business, business.data)) if business is not None else None


def new_caller_id(number: str, earlier: int = 0) -> str:
    """Return the id of the record that an unknown number gets: the same for the same number, whoever is first.

    `earlier` is how many records have had the number before, and have another one by now.
    """
    return derived_id("clr_", f"{number}|{earlier}" if earlier else number)


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """One record. What a document lacks, or holds in a form that cannot be used, is None or empty.

    Attributes:
        id: The document's id.
        name: As it is written on file; empty for somebody who is known by a number only.
        phone: E.164; None also where the country is missing, since it could be another person's number then.
        other_phones: Further numbers of the same person, from the list `otherPhones`, read in the same way.
        email: In lower case.
        date_of_birth: From the field `dateOfBirth`, ISO 8601.
        is_flagged: Whether the business was warned about this caller (seed 004, `flag_caller`).
        flagged_until: Until when that holds (UTC); None for good, or until it is lifted.
        flag_reason: Why, in the words of whoever flagged.
        flagged_at: When (UTC).
        blocked_until: Until when this caller gets no conversation (UTC; seed 003, `ignore_user`).
    """

    id: str
    name: str = ""
    phone: str | None = None
    other_phones: tuple[str, ...] = ()
    email: str | None = None
    date_of_birth: date | None = None
    is_flagged: bool = False
    flagged_until: datetime | None = None
    flag_reason: str = ""
    flagged_at: datetime | None = None
    blocked_until: datetime | None = None

    @property
    def numbers(self) -> tuple[str, ...]:
        """Every number of theirs, each once, that they are first reached on before the others."""
        known = (self.phone, *self.other_phones)
        return tuple(dict.fromkeys(number for number in known if number))

    def is_flagged_at(self, now: datetime) -> bool:
        """Tell whether they are flagged at a moment (aware)."""
        return self.is_flagged and (self.flagged_until is None or now < self.flagged_until)

    @property
    def first_name(self) -> str:
        """What to call them by; empty where the record holds no name."""
        return first_name(self.name)


def read_caller(document: Document, region: str | None = None) -> Caller:
    """Return the caller that a document of `callers` describes.

    Args:
        document: The record.
        region: Where the business is (ISO code): what was typed without its country is dialled there.
    """
    data = document.data
    return Caller(
        id=document.id,
        name=_text(data.get("name")),
        phone=_phone(data, region),
        other_phones=_numbers(data.get("otherPhones"), region),
        email=_text(data.get("email")).casefold() or None,
        date_of_birth=_day(data.get("dateOfBirth")),
        is_flagged=data.get("flagged") is True and _binds(data.get("flaggedIn")),
        flagged_until=_time(data.get("flaggedUntil")),
        flag_reason=_text(data.get("flagReason")),
        flagged_at=_time(data.get("flaggedAt")),
        blocked_until=_time(data.get("blockedUntil")),
    )


def normalised(data: Mapping[str, Any], region: str | None) -> JsonObject:
    """Return the fields by which a record is found, of what was typed into it: `phoneNormalised` and the like.

    Every writer of records stores them beside what was typed; None stands for what nobody can be found by.
    """
    fields: JsonObject = {}
    if "phone" in data:
        fields["phoneNormalised"] = number_on_file(_text(data["phone"]), region)
    if "email" in data:
        fields["emailNormalised"] = _text(data["email"]).casefold() or None
    if "name" in data:
        fields["nameKeys"] = name_keys(_text(data["name"]))
    # Also where the last of them was taken out, and what they were found by still stands there.
    if data.get("otherPhones") or data.get("otherPhonesNormalised"):
        fields["otherPhonesNormalised"] = list(_numbers(data.get("otherPhones"), region))
    return fields


def _phone(data: Mapping[str, Any], region: str | None) -> str | None:
    typed, stored = _text(data.get("phone")), data.get("phoneNormalised")
    # Somebody may have typed another number since: then what stands beside it is whoever's it was before.
    if isinstance(stored, str) and stored and number_on_file(typed, region_of_number(stored)) == stored:
        return stored
    return number_on_file(typed, region)


def _is_read_without_country(document: Document, caller: Caller) -> bool:
    """Tell whether every number in a record was read, though nobody said in which country the business is."""
    others = [phone for phone in map(_text, items(document.data.get("otherPhones"))[:MOST_OTHER_PHONES]) if phone]
    return bool(caller.phone or not _text(document.data.get("phone"))) and len(caller.other_phones) == len(others)


def _binds(flagged_in: object) -> bool:
    """Tell whether a flag binds the record: an owner's does, and that of a call whose number was vouched for.

    Flags of other calls stand in records that were written before such calls bound themselves alone.
    """
    return not isinstance(flagged_in, dict) or flagged_in.get("attestation") == VOUCHED_FOR


def _text(value: object) -> str:
    return " ".join(text(value).split())


def _numbers(value: object, region: str | None) -> tuple[str, ...]:
    typed = map(_text, items(value)[:MOST_OTHER_PHONES])
    return tuple(number for phone in typed if (number := number_on_file(phone, region)))


def _time(value: object) -> datetime | None:
    at = moment(value)
    return at.astimezone(UTC) if at is not None else None


def _day(value: object) -> date | None:
    try:
        return date.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return None


def same_person(name: str, on_file: str) -> bool:
    """Tell whether a name that a caller says is the one on file.

    Case, accents, titles, hyphens and the order "Whitfield, Anna" do not matter, and ü may be written ue or u. First
    and last name must both be there, letter by letter; middle names may be missing or initials, but not differ.
    """
    one, two = _words(name), _words(on_file)
    if not one or not two:
        return False
    if len(one) == len(two) and (_are_equal(one, two) or (len(one) == 2 and _are_equal(one, two[::-1]))):
        return True
    short, long = sorted((one, two), key=len)
    if len(short) < 2 or not _are_equal([short[0], short[-1]], [long[0], long[-1]]):
        return False
    return all(any(_is_middle(word, other) for other in long[1:-1]) for word in short[1:-1])


def name_key(name: str) -> str:
    """Return the same text for every spelling that could be the same person's name, to count tries by."""
    # However a word was transliterated, it comes out as if it had been without accents: "Mueller" as "Muller".
    words = name_words(name)
    return " ".join(sorted({words[0], words[-1]})) if words else ""


def name_words(name: str) -> list[str]:
    """Return the words of a name, each in the one spelling by which it is searched for, however it is written.

    Case, accents and titles make no difference, and ü is the same as ue and u.
    """
    return [_TRANSLITERATED.sub(lambda m: m[0][0], min(word)) for word in _words(name)]


def name_keys(name: str) -> list[str]:
    """Return by what a name is found: the beginnings of its words, from two letters on."""
    words = searched_keys(name)
    return sorted({word[:end] for word in words for end in range(min(2, len(word)), len(word) + 1)})


def searched_keys(words: str) -> list[str]:
    """Return which of its keys a name must all have for these words to find it; none where no word is a name's."""
    return [word[:_LONGEST_KEY] for word in name_words(words)[:_MOST_NAME_WORDS]]


def first_name(name: str) -> str:
    """Return the name to address somebody by, as it is written on file; empty where there is none."""
    written = [word for word in _in_order(_visible(name)).split() if _words(word)]
    return written[0][:_LONGEST] if written else ""


def _are_equal(one: Sequence[_Word], two: Sequence[_Word]) -> bool:
    return all(a & b for a, b in zip(one, two, strict=True))


def _is_middle(one: _Word, two: _Word) -> bool:
    return any(
        a == b or (len(a) == 1 and b.startswith(a)) or (len(b) == 1 and a.startswith(b)) for a in one for b in two
    )


def _words(name: str) -> list[_Word]:
    """Return the words of a name in order, without titles, each in the ways in which it may be written plainly."""
    ordered = unicodedata.normalize("NFC", _in_order(_visible(name))).casefold()
    plain, german = _folded(ordered), _folded(ordered.translate(_GERMAN))
    # Transliteration changes letters only, so that both have the same words.
    words = [frozenset(pair) for pair in zip(plain, german, strict=True)]
    return [word for word in words if not word & _TITLES]


def _folded(text: str) -> list[str]:
    parts = unicodedata.normalize("NFKD", text.translate(_PLAIN))
    plain = "".join(c for c in parts if not unicodedata.combining(c))
    return _NO_LETTERS.sub(" ", _APOSTROPHES.sub("", plain)).split()


def _visible(text: str) -> str:
    """Return what can be seen of a name; nothing of what is too long to be one."""
    text = " ".join(text.split())
    if len(text) > _LONGEST_NAME:
        return ""
    return visible_text(text)


def _in_order(name: str) -> str:
    last, comma, first = name.partition(",")
    return f"{first} {last}" if comma and first.strip() and "," not in first else name
