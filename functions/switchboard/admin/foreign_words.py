"""Words of strangers' documents on their way into a tool's configuration: for people and models to read, no more.

A document grants nothing: its marks lose their force, and it can bring in no variables of ours, so that it learns
neither a caller's number nor a business's secret (reference reliability, rows 17 and 45).
"""

from typing import Any

from switchboard.desk.quotation import quoted


def plain(text: object, longest: int) -> str:
    """Return a stranger's words in one line: no markup of ours, no variables, no more than so many characters."""
    words = text if isinstance(text, str) else ""
    told = " ".join(quoted(words).split()).replace("{{", "{ {").replace("}}", "} }")
    return told if len(told) <= longest else told[: longest - 1] + "…"


def has_variables(value: Any) -> bool:
    """Tell whether a JSON value holds what we would take for a variable, in a text or in a name."""
    if isinstance(value, str):
        return "{{" in value
    if isinstance(value, dict):
        return any("{{" in key or has_variables(inner) for key, inner in value.items())
    return isinstance(value, list) and any(map(has_variables, value))
