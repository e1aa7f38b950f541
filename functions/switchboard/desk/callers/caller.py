"""A caller as the business knows them: a typed, tolerant reading of a document of `callers`."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any

from switchboard.contract.caller.strangers import VOUCHED_FOR
from switchboard.contract.json import JsonObject
from switchboard.contract.store import Document
from switchboard.desk.callers.person_name import first_name
from switchboard.desk.contact.phone import number_on_file, region_of_number

MOST_OTHER_PHONES = 8


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
    flag_reason: str = ""
    flagged_at: datetime | None = None
    blocked_until: datetime | None = None

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
        flag_reason=_text(data.get("flagReason")),
        flagged_at=_time(data.get("flaggedAt")),
        blocked_until=_time(data.get("blockedUntil")),
    )


def normalised(data: Mapping[str, Any], region: str | None) -> JsonObject:
    """Return the fields by which a record is found, of what was typed into it: `phoneNormalised`, `emailNormalised`.

    Every writer of records stores them beside what was typed; None stands for what nobody can be found by.
    """
    found: JsonObject = {}
    if "phone" in data:
        found["phoneNormalised"] = number_on_file(_text(data["phone"]), region)
    if "email" in data:
        found["emailNormalised"] = _text(data["email"]).casefold() or None
    return found


def _phone(data: Mapping[str, Any], region: str | None) -> str | None:
    typed, stored = _text(data.get("phone")), data.get("phoneNormalised")
    # Somebody may have typed another number since: then what stands beside it is whoever's it was before.
    if isinstance(stored, str) and stored and number_on_file(typed, region_of_number(stored)) == stored:
        return stored
    return number_on_file(typed, region)


def _binds(flagged_in: object) -> bool:
    """Tell whether a flag binds the record: an owner's does, and that of a call whose number was vouched for.

    Flags of other calls stand in records that were written before such calls bound themselves alone.
    """
    return not isinstance(flagged_in, dict) or flagged_in.get("attestation") == VOUCHED_FOR


def _text(value: object) -> str:
    return " ".join(value.split()) if isinstance(value, str) else ""


def _numbers(value: object, region: str | None) -> tuple[str, ...]:
    said = value[:MOST_OTHER_PHONES] if isinstance(value, list) else []
    return tuple(number for text in said if (number := number_on_file(_text(text), region)))


def _time(value: object) -> datetime | None:
    return value.astimezone(UTC) if isinstance(value, datetime) and value.tzinfo is not None else None


def _day(value: object) -> date | None:
    try:
        return date.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return None
