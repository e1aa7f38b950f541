"""`{{caller_phone_number}}` and `{{called_phone_number}}` in what owners write, and the names of their own parameters.

Seed 002 ("Variable Substitution"). Filled in one pass: what a variable brings in is never searched for variables again.
Each place has its own encoding, so that a value stays a value there.

Substituted once: what a business calls itself is never read as another variable. Seed 004 ("supports interpolation").
What is not known, of a business that cannot be read or that has not said it, is worded so that the sentence stays one.
"""

import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any, Final, TypeAlias
from urllib.parse import quote

from switchboard.contract.business.business import Business
from switchboard.contract.context import Context, PhoneContext
from switchboard.contract.definitions.definition import DefinitionError
from switchboard.contract.definitions.spoken import OF_THE_BUSINESS
from switchboard.contract.error import ErrorType, Refused
from switchboard.contract.python.dataclass import dataclass

CALLER = "caller_phone_number"
CALLED = "called_phone_number"
VARIABLES: Final = (CALLER, CALLED)
"""The variables that every tenant tool may use."""

ABSENT: Final[Any] = type("Absent", (), {"__repr__": lambda self: "ABSENT"})()
"""What a variable stands for whose optional argument was not given."""

Look: TypeAlias = Callable[[str], Any]
"""Returns what a variable stands for: any JSON value, or `ABSENT`."""
Encode: TypeAlias = Callable[[str, str], str]
"""`encode(name, text)`: what is written for a variable in one kind of place; may refuse the text and name it."""

_VARIABLE = re.compile(r"\{\{([^{}]*)\}\}")
_URL = re.compile(r"https?://", re.IGNORECASE)
_WORDS = {CALLER: "the caller's phone number", CALLED: "the phone number that was called"}
_NOT_KNOWN = "(not known)"

_BUSINESS_VARIABLE = re.compile(r"\{\{\s*([A-Za-z_][A-Za-z0-9_.]*)\s*\}\}")

BUSINESS_VARIABLES: dict[str, Callable[[Business], str]] = {
    "business.name": lambda b: b.name,
    "business.industry": lambda b: b.industry,
    "business.phone": lambda b: b.phone,
    "business.email": lambda b: b.email,
    "business.timezone": lambda b: b.timezone.key,
    "business.portalUrl": lambda b: b.portal_url,
    "business.services": lambda b: ", ".join(s.name for s in b.services),
    "ai.tone": lambda b: b.tone,
    "ai.language": lambda b: b.language,
}

_BUSINESS_NOT_KNOWN = {
    "business.name": "the business",
    "business.industry": "a local business",
    "business.phone": "not known",
    "business.email": "not known",
    "business.timezone": "the business's own time zone",
    "business.portalUrl": "not known",
    "business.services": "not listed here",
    "ai.tone": "friendly",
    "ai.language": "the caller's language",
}


@dataclass(frozen=True, slots=True)
class PhoneNumbers:
    """The two numbers of a conversation, E.164; None where there is none, as with a withheld caller.

    Attributes:
        caller_phone: What the call shows: where a text goes, what a form says.
        called_phone: The business's.
        proven_phone: The caller's, as far as it is proven (`contract/caller/strangers.py`): by which something may be
        looked up. is_looking_up: Whether what the number stands in decides whose data is read.
    """

    caller_phone: str | None = None
    called_phone: str | None = None
    proven_phone: str | None = None
    is_looking_up: bool = False

    @classmethod
    def of(cls, facts: Context) -> "PhoneNumbers":
        """Return the numbers that a channel knows; only a phone call has one that was called."""
        return cls(facts.caller_phone, facts.called_phone if isinstance(facts, PhoneContext) else None)

    def look(self, name: str) -> str:
        """Return what one of the two variables stands for.

        Raises:
            Refused: MODE_RESTRICTED; the number is not known in this conversation.
        """
        number = self._known(name)
        if self.is_looking_up and name == CALLER and number:
            if not self.proven_phone:
                raise Refused(
                    ErrorType.MODE_RESTRICTED,
                    "This tool looks up what belongs to the caller, and the number that the call shows does not prove "
                    "who is calling. Verify the caller first, if verify_caller is offered here.",
                    meta={"condition": "session:verified"},
                )
            return self.proven_phone
        if not number:
            raise Refused(
                ErrorType.MODE_RESTRICTED,
                f"This tool needs {_WORDS[name]}, which is not known in this conversation and cannot be given as an "
                "argument. Use another tool.",
                meta={"condition": f"variable:{name}"},
            )
        return number

    def word(self, name: str) -> str:
        """Return what a model reads in a variable's place; other names than the two stand for nothing."""
        return self._known(name) or _NOT_KNOWN

    def _known(self, name: str) -> str:
        return {CALLER: self.caller_phone, CALLED: self.called_phone}.get(name) or ""


def names_in(value: Any) -> tuple[str, ...]:
    """Return the variables in all texts of a JSON value, in order of appearance."""
    return tuple(name for _, text in _texts(value, "") for name in _names(text))


def alone(text: str) -> str | None:
    """Return the variable that a text consists of, or None where there is more or less to it."""
    match = _VARIABLE.fullmatch(text.strip())
    return match[1].strip() if match else None


def problems(value: Any, at: str, parameters: Collection[str] = ()) -> list[DefinitionError]:
    """Return what is wrong with the variables in a JSON value.

    Args:
        value: What the owner wrote.
        at: Where it stands, for the owner.
        parameters: The tool's parameters, where they may be named too.
    """
    known = (*VARIABLES, *parameters)
    remedy = f"use {', '.join(f'{{{{{name}}}}}' for name in known)}"
    errors = []
    for place, text in _texts(value, at):
        for name in dict.fromkeys(_names(text)):
            if name not in known:
                errors.append(DefinitionError(place, f"{{{{{name[:60]}}}}} is no variable here", remedy))
        if "{{" in _VARIABLE.sub("", text):
            errors.append(DefinitionError(place, "has {{ without a name and }} after it", remedy))
    for place in _keys_with_braces(value, at):
        errors.append(DefinitionError(place, "has {{ in a name", "use variables in values only"))
    return errors


def filled_text(text: str, look: Look, encode: Encode) -> str:
    """Return a text with each variable replaced once by its encoded value; an absent one becomes nothing."""

    def word(match: re.Match[str]) -> str:
        name = match[1].strip()
        return encode(name, as_text(look(name)))

    return _VARIABLE.sub(word, text)


def in_words(text: str, look: Look) -> str:
    """Return a plain text with its variables filled; inside a web address they are encoded, so that it stays one."""

    def word(match: re.Match[str]) -> str:
        value = as_text(look(match[1].strip()))
        return quote(value, safe="") if _ends_in_url(match.string[: match.start()]) else value

    return _VARIABLE.sub(word, text)


def filled(value: Any, look: Look) -> Any:
    """Return a JSON value with the variables in its texts filled.

    A text that is nothing but a variable becomes its value, whatever its type; what is absent then is left out of the
    object or list around it. The structure is the owner's: no value adds to it or changes a name.
    """
    if isinstance(value, str):
        name = alone(value)
        return in_words(value, look) if name is None else look(name)
    if isinstance(value, dict):
        members = ((key, filled(inner, look)) for key, inner in value.items())
        return {key: inner for key, inner in members if inner is not ABSENT}
    if isinstance(value, list):
        return [inner for inner in (filled(item, look) for item in value) if inner is not ABSENT]
    return value


def literals(text: str, encode: Callable[[str], str]) -> str:
    """Return a text with what stands around its variables encoded, and the variables as they are."""
    parts, end = [], 0
    for match in _VARIABLE.finditer(text):
        parts += [encode(text[end : match.start()]), match[0]]
        end = match.end()
    return "".join([*parts, encode(text[end:])])


def replaced(text: str, name: str, by: str) -> str:
    """Return a text with one of its variables replaced by another part of what the same owner wrote."""
    return _VARIABLE.sub(lambda match: by if match[1].strip() == name else match[0], text)


def as_text(value: Any) -> str:
    """Return a JSON value as it stands in a text: scalars plainly, lists of them with commas, the rest as JSON."""
    match value:
        case str():
            return value
        case None:
            return ""
        case list() if not any(isinstance(item, dict | list) for item in value):
            return ",".join(map(as_text, value))
    return "" if value is ABSENT else json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _names(text: str) -> list[str]:
    return [name.strip() for name in _VARIABLE.findall(text)]


def _ends_in_url(text: str) -> bool:
    last = text.rsplit(maxsplit=1)[-1:] if not text[-1:].isspace() else []
    return any(_URL.search(word) for word in last)


def _texts(value: Any, at: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        if "{{" in value:
            yield at, value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from _texts(inner, f"{at}.{key}")
    elif isinstance(value, list):
        for position, inner in enumerate(value):
            yield from _texts(inner, f"{at}[{position}]")


def _keys_with_braces(value: Any, at: str) -> Iterator[str]:
    if isinstance(value, dict):
        for key, inner in value.items():
            if "{{" in key:
                yield at
            yield from _keys_with_braces(inner, f"{at}.{key}")
    elif isinstance(value, list):
        for position, inner in enumerate(value):
            yield from _keys_with_braces(inner, f"{at}[{position}]")


def is_business_variable(name: str) -> bool:
    """Tell whether a definition may use `{{name}}`."""
    return name in BUSINESS_VARIABLES


def unknown_variables(text: str) -> tuple[str, ...]:
    """Return the variables in a text that nothing can fill, in order of appearance."""
    return tuple(name for name in _BUSINESS_VARIABLE.findall(text) if name not in BUSINESS_VARIABLES)


def unfilled_questions(read_back: Any) -> Iterator[DefinitionError]:
    """Yield what a definition's `readBack` names of the business that there is not."""
    for language, text in read_back.items() if isinstance(read_back, Mapping) else ():
        for name in unknown_variables(text) if isinstance(text, str) else ():
            if name.startswith(OF_THE_BUSINESS):
                remedy = f"use one of {', '.join(BUSINESS_VARIABLES)}"
                yield DefinitionError(f"readBack.{language}", f"{{{{{name}}}}} is no variable", remedy)


def interpolate(text: str, business: Business | None) -> str:
    """Return the text with its variables filled; one that nothing can fill becomes nothing."""
    return fill(text, business, {}) if "{{" in text else text


def fill(text: str, business: Business | None, words: Mapping[str, str]) -> str:
    """Return the text with its variables filled from a business, and from `words` where these name them."""

    def word(match: re.Match[str]) -> str:
        if match[1] in words:
            return words[match[1]]
        reader = BUSINESS_VARIABLES.get(match[1])
        return (reader(business) if reader and business else "") or _BUSINESS_NOT_KNOWN.get(match[1], "")

    return _BUSINESS_VARIABLE.sub(word, text)
