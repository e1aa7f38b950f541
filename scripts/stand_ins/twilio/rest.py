"""What Twilio's own OpenAPI document says about a request and an answer (`data/rest.json` names its origin)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from stand_ins.twilio.refusal import Refusal

_DATA = Path(__file__).with_name("data") / "rest.json"
_E164 = re.compile(r"\+[1-9]\d{6,14}")
_WORDS = {"true", "false"}


@cache
def document() -> dict[str, Any]:
    """Return the extract of the document."""
    parsed: dict[str, Any] = json.loads(_DATA.read_text())
    return parsed


def checked(operation: str, part: str, fields: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """Return the fields of a request by name, each with its values.

    Args:
        operation: Method and path template, such as `POST /2010-04-01/Accounts/{AccountSid}/Messages.json`.
        part: `form` or `query`.
        fields: As they were sent.

    Raises:
        Refusal: 400; one is unknown, is of another type, is repeated, or is missing.
    """
    rules = document()["operations"][operation]
    known: Mapping[str, Any] = rules.get(part, {})
    by_name: dict[str, list[str]] = {}
    for name, value in fields:
        if name not in known:
            raise Refusal(400, 20001, f"Unknown parameter {name}")
        by_name.setdefault(name, []).append(value)
        _check(name, known[name].get("items", known[name]), value)
    for name, values in by_name.items():
        if len(values) > 1 and known[name].get("type") != "array":
            raise Refusal(400, 20001, f"Parameter {name} may be given once")
    for name in rules.get("required", []) if part == "form" else []:
        if not by_name.get(name, [""])[0]:
            raise Refusal(400, 21604 if name == "To" else 21603, f"A '{name}' number is required.")
    return by_name


def check_answer(name: str, answer: Mapping[str, Any]) -> None:
    """Hold an answer of ours against the document, so that the stand-in cannot invent a field."""
    known = document()["answers"][name]
    assert answer.keys() == known.keys(), answer.keys() ^ known.keys()
    for field, value in answer.items():
        rule = known[field]
        assert value is None or "enum" not in rule or value in rule["enum"], (field, value)
        assert value is None or "pattern" not in rule or re.search(rule["pattern"], value), (field, value)


def is_number(text: str) -> bool:
    """Tell whether a text is E.164."""
    return _E164.fullmatch(text) is not None


def _check(name: str, rule: Mapping[str, Any], value: str) -> None:
    is_right = (
        ("enum" not in rule or value in rule["enum"])
        and ("pattern" not in rule or re.search(rule["pattern"], value))
        and (rule.get("type") != "integer" or re.fullmatch(r"-?\d+", value))
        and (rule.get("type") != "boolean" or value.lower() in _WORDS)
        and (rule.get("format") != "uri" or urlsplit(value).scheme in ("http", "https"))
    )
    if not is_right:
        raise Refusal(400, 20001, f"{value!r} is not a valid value of {name}")
