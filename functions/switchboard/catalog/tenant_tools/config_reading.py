"""Reading what owners write part by part, with everything that is wrong gathered and each place named."""

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Any

from switchboard.catalog.definitions import variables
from switchboard.contract.definitions.definition import DefinitionError
from switchboard.contract.json import JsonObject

LONGEST_WORDS = 1_024
"""Characters of a description: what the vendors of models take."""


class DefinitionErrors(DefinitionError):
    """A configuration cannot be used; `errors` holds everything that is wrong with it, and its own parts the first."""

    def __init__(self, errors: Iterable[DefinitionError]) -> None:
        """Keep all of them, at least one, each problem of a field once."""
        self.errors = tuple({(error.field, error.problem): error for error in errors}.values())
        first = self.errors[0]
        super().__init__(first.field, first.problem, first.remedy)

    def __str__(self) -> str:
        """Return all of them in one line."""
        return "; ".join(f"{error.field}: {error.problem}; {error.remedy}" for error in self.errors)


class ConfigReader:
    """One object of a configuration. What cannot be used is noted in `found`, and a harmless value given instead."""

    def __init__(self, part: Any, at: str, found: list[DefinitionError]) -> None:
        """Read `part`, which stands at `at` (empty at the top); problems go to `found`."""
        self.at = at
        self.found = found
        self.part: JsonObject = dict(part) if isinstance(part, Mapping) else {}
        if not isinstance(part, Mapping):
            self.add("", f"expected an object, found {type(part).__name__}", "write a JSON object")

    def place(self, key: str) -> str:
        """Return where a field stands."""
        return f"{self.at}.{key}" if self.at and key else self.at or key or "/"

    def add(self, key: str, problem: str, remedy: str) -> None:
        """Note that a field cannot be used."""
        self.found.append(DefinitionError(self.place(key), problem, remedy))

    def inside(self, key: str) -> "ConfigReader":
        """Return the reading of an object inside; a missing one is empty."""
        return ConfigReader(self.part.get(key, {}), self.place(key), self.found)

    def needed(self, key: str, remedy: str, longest: int = 200) -> str:
        """Return a text that must be there and not be blank."""
        text, given = self.text(key, longest), self.part.get(key)
        # Whatever else keeps it from being used, `text` has said.
        if given is None or (isinstance(given, str) and not given.strip()):
            self.add(key, "is missing", remedy)
        return text

    def text(self, key: str, longest: int = 200) -> str:
        """Return a text without the blanks around it; empty where it is missing."""
        value = self.part.get(key)
        if value is None:
            return ""
        if not isinstance(value, str):
            self.add(key, f"expected text, found {type(value).__name__}", "write it as a string")
            return ""
        if len(value) > longest:
            self.add(key, f"has {len(value)} characters", f"use at most {longest}")
            return ""
        return value.strip()

    def template(self, key: str, parameters: Iterable[str] = (), longest: int = LONGEST_WORDS) -> str:
        """Return a text in which the two variables may stand, and these parameters."""
        text = self.text(key, longest)
        self.found += variables.problems(text, self.place(key), tuple(parameters))
        return text

    def flag(self, key: str, default: bool) -> bool:
        """Return true or false."""
        value = self.part.get(key)
        if value is None:
            return default
        if not isinstance(value, bool):
            self.add(key, f"expected true or false, found {type(value).__name__}", "write true or false")
            return default
        return value

    def only(self, *keys: str) -> None:
        """Note every field that is none of these, so that a misspelled one is not passed over."""
        for key in self.part.keys() - set(keys):
            close = get_close_matches(key, keys, n=1)
            meant = f"did you mean {close[0]}?" if close else f"the known ones are {', '.join(keys)}"
            self.add(key[:60], "is not known here", meant)
