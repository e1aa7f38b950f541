"""A scenario as YAML: read from what people write, and written for people to read."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from switchboard.admin.evals.scenario import BadScenario


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


def written(document: Mapping[str, Any]) -> str:
    """Return a scenario's fields as YAML, for people to read and edit; `read_text` reads them again."""
    return yaml.dump(dict(document), Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=110)


class _Loader(yaml.SafeLoader):
    """Takes `yes` for a word and 16:00 for a time, which YAML 1.1 takes for a truth and a number of minutes."""


_Loader.yaml_implicit_resolvers = {}
for _tag, _pattern, _first in (
    ("bool", r"true|false", "tf"),
    ("int", r"-?(0|[1-9][0-9]*)", "-0123456789"),
    ("float", r"-?(0|[1-9][0-9]*)\.[0-9]+", "-0123456789"),
    ("null", r"null|~|", ["n", "~", ""]),
):
    _Loader.add_implicit_resolver(f"tag:yaml.org,2002:{_tag}", re.compile(f"^(?:{_pattern})$"), list(_first))


class _Dumper(yaml.SafeDumper):
    """Writes everything out, however often it is the same."""

    def ignore_aliases(self, data: Any) -> bool:
        return True
