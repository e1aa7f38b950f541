"""Words of strangers' documents on their way into a tool's configuration: for people and models to read, no more.

A document grants nothing: its marks lose their force, and it can bring in no variables of ours, so that it learns
neither a caller's number nor a business's secret.
"""

import re
import unicodedata
from typing import Any

from switchboard.desk.untrusted_text import quoted

# What tells a model what to do, rather than a reader what a tool does. Only to be shown to an owner, who decides.
_ORDERS = re.compile(
    r"\b(?:you (?:must|should|shall|have to|need to|are now)|(?:ignore|disregard|forget|override|bypass) (?:all|any"
    r"|the|your|previous|prior|every|these|other)|(?:always|never|do not|don't|must not) (?:tell|mention"
    r"|reveal|ask|say|call|use"
    r"|inform|show|confirm|send|include)|(?:first|before)\W+(?:call|calling|using|any|you)|system prompt"
    r"|(?:new|these|my) instructions\b"
    r"|obey|instead of (?:any|the|other)|(?:sie|du) (?:musst|mussen|sollst|sollen)|ignorier\w*|debes?\b|deben|ignora\w*"
    r"|(?:vous devez|tu dois)|ignore[zr]\b|ne (?:dis|dites|mentionne\w*) (?:pas|jamais))",
    re.IGNORECASE,
)
_LONGEST_SHOWN = 60
_MOST_READ = 20_000


def order_in(text: object) -> str | None:
    """Return the part of a stranger's words that reads like an order to a model; None where nothing does."""
    words = text[:_MOST_READ] if isinstance(text, str) else ""
    words = "".join(c for c in unicodedata.normalize("NFKD", words) if not unicodedata.combining(c))
    words = re.sub(r"[\s_]+", " ", "".join(c for c in words if unicodedata.category(c) != "Cf"))
    match = _ORDERS.search(words)
    return words[match.start() : match.start() + _LONGEST_SHOWN] if match else None


def plain(text: object, longest: int) -> str:
    """Return a stranger's words in one line: no markup of ours, no variables, no more than so many characters."""
    words = text if isinstance(text, str) else ""
    sentence = " ".join(quoted(words).split()).replace("{{", "{ {").replace("}}", "} }")
    return sentence if len(sentence) <= longest else sentence[: longest - 1] + "…"


def has_variables(value: Any) -> bool:
    """Tell whether a JSON value holds what we would take for a variable, in a text or in a name."""
    if isinstance(value, str):
        return "{{" in value
    if isinstance(value, dict):
        return any("{{" in key or has_variables(inner) for key, inner in value.items())
    return isinstance(value, list) and any(map(has_variables, value))
