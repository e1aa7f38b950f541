"""A scenario as YAML: read from what people write, and written for people to read."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from switchboard.admin.evals.scenario import BadScenario

_DEEPEST = 40
_BRACKET = re.compile(r"[][{}]")


def read_file(path: Path) -> Mapping[str, Any]:
    """Return what stands in a scenario's file, its name filled in.

    Raises:
        BadScenario: It cannot be read, or is no mapping.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise BadScenario(f"it cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise BadScenario("it is not written in UTF-8") from None
    return {"name": path.stem, **read_text(text)}


def read_text(text: str) -> Mapping[str, Any]:
    """Return the fields that stand in a scenario's text.

    Raises:
        BadScenario: It is no YAML, or no mapping.
    """
    if _depth(text) > _DEEPEST:
        raise BadScenario(f"it is no YAML that a scenario needs: more than {_DEEPEST} brackets stand in each other")
    try:
        if any(isinstance(event, yaml.AliasEvent) for event in yaml.parse(text, Loader=_Loader)):
            # A few lines of these can stand for more than any memory holds.
            raise BadScenario("it repeats a part by *name; write the part out instead")
        document = yaml.load(text, Loader=_Loader)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise BadScenario(f"it is no YAML: {' '.join(str(error).split())[:200]}") from None
    if not isinstance(document, Mapping):
        raise BadScenario("it holds no fields; a scenario has business, now, lines and expect")
    return document


def _depth(text: str) -> int:
    """Return how many brackets are open at once: to read many of them takes ever more time for each."""
    deepest = depth = 0
    for sign in _BRACKET.findall(text):
        depth = max(0, depth + (1 if sign in "[{" else -1))
        deepest = max(deepest, depth)
    return deepest


def written(document: Mapping[str, Any]) -> str:
    """Return a scenario's fields as YAML, for people to read and edit; `read_text` reads them again."""
    return yaml.dump(dict(document), Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=110)


class _Loader(yaml.SafeLoader):
    """Takes `yes` for a word and 16:00 for a time, which YAML 1.1 takes for a truth and a number of minutes."""


_Loader.yaml_implicit_resolvers = {}
_BOOL = re.compile(r"^(?:true|false)$")
_INT = re.compile(r"^-?(?:0|[1-9][0-9]*)$")
_FLOAT = re.compile(r"^-?(?:0|[1-9][0-9]*)\.[0-9]+$")
_NULL = re.compile(r"^(?:null|~|)$")
_Loader.add_implicit_resolver("tag:yaml.org,2002:bool", _BOOL, list("tf"))
_Loader.add_implicit_resolver("tag:yaml.org,2002:int", _INT, list("-0123456789"))
_Loader.add_implicit_resolver("tag:yaml.org,2002:float", _FLOAT, list("-0123456789"))
_Loader.add_implicit_resolver("tag:yaml.org,2002:null", _NULL, ["n", "~", ""])


class _Dumper(yaml.SafeDumper):
    """Writes everything out, however often it is the same."""

    def ignore_aliases(self, data: Any) -> bool:
        return True
