"""Parameters that only some businesses have: nobody is asked with whom where there is nobody to choose.

A parameter says `"x-where": "people"`; where a business has not got that, the tool is offered without it, and whoever
sends it all the same is told that it is no argument.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from switchboard.contract.business.business import Business
from switchboard.contract.definitions.definition import DefinitionError
from switchboard.contract.json import JsonObject

WHERE: Final = "x-where"

# word → (whether a business has it, why a parameter is missing where it has not)
_PLACES: Mapping[str, tuple[Callable[[Business], bool], str]] = {
    "people": (lambda business: bool(business.people), "the business has entered nobody whom appointments are with"),
    "parties": (lambda business: business.takes_parties, "nothing at the business is for several people together"),
}


def problems(parameters: JsonObject) -> list[DefinitionError]:
    """Return what is wrong with where a schema says that its parameters are there; empty when all can be done."""
    found = []
    for name, word in _words(parameters):
        at = f"parameters.properties.{name}.{WHERE}"
        if not isinstance(word, str) or word not in _PLACES:
            found.append(DefinitionError(at, f"{word!r} is nothing that a business has", f"use {' or '.join(_PLACES)}"))
        elif name in parameters.get("required", ()):
            remedy = "leave it out of required"
            found.append(DefinitionError(at, "is not everywhere, but the parameter is required", remedy))
    return found


def missing(parameters: JsonObject, built: JsonObject, business: Business | None) -> dict[str, str]:
    """Return the parameters that a business has not got, each with what it lacks.

    Args:
        parameters: The schema that is used.
        built: That of the code: an edit in which the word is lost does not bring the parameter to everybody.
        business: None when it could not be read; then nothing is there that is not everywhere.
    """
    known = parameters.get("properties", {})
    words = dict(_words(built)) | dict(_words(parameters))
    return {
        name: word
        for name, word in words.items()
        if name in known and word in _PLACES and (business is None or not _PLACES[word][0](business))
    }


def why(word: str) -> str:
    """Return why a parameter of that word is missing, for owners."""
    return _PLACES[word][1]


def _words(parameters: JsonObject) -> Iterator[tuple[str, Any]]:
    for name, inner in parameters.get("properties", {}).items():
        if isinstance(inner, Mapping) and WHERE in inner:
            yield name, inner[WHERE]
