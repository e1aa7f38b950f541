"""`{{business.name}}`-like variables in a definition's words, filled from the business it is offered for.

Substituted once: what a business calls itself is never read as another variable. Seed 004 ("supports interpolation").
What is not known, of a business that cannot be read or that has not said it, is worded so that the sentence stays one.
"""

import re
from collections.abc import Callable, Mapping

from switchboard.contract.business.business import Business

_VARIABLE = re.compile(r"\{\{\s*([A-Za-z_][A-Za-z0-9_.]*)\s*\}\}")

VARIABLES: dict[str, Callable[[Business], str]] = {
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

_NOT_KNOWN = {
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


def is_variable(name: str) -> bool:
    """Tell whether a definition may use `{{name}}`."""
    return name in VARIABLES


def unknown_variables(text: str) -> tuple[str, ...]:
    """Return the variables in a text that nothing can fill, in order of appearance."""
    return tuple(name for name in _VARIABLE.findall(text) if name not in VARIABLES)


def interpolate(text: str, business: Business | None) -> str:
    """Return the text with its variables filled; one that nothing can fill becomes nothing."""
    return fill(text, business, {}) if "{{" in text else text


def fill(text: str, business: Business | None, words: Mapping[str, str]) -> str:
    """Return the text with its variables filled from a business, and from `words` where these name them."""

    def word(match: re.Match[str]) -> str:
        if match[1] in words:
            return words[match[1]]
        reader = VARIABLES.get(match[1])
        return (reader(business) if reader and business else "") or _NOT_KNOWN.get(match[1], "")

    return _VARIABLE.sub(word, text)
