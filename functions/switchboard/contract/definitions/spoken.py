"""What a definition has said aloud, by language, and what can be wrong with it: a wrong one is never noticed in a call.

There somebody would only hear the general question of the house, and agree to something else than was meant.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from typing import Any, TypeAlias

Fault: TypeAlias = tuple[str, str, str]
"""The field, what is wrong, and what would be right."""

QUESTION = '{"en": "Shall I change number {{number}}?"}'
PHRASES = '{"en": {"running": "One moment."}}'
SENTENCE = '{"en": "It is done."}'
OF_THE_BUSINESS = ("business.", "ai.")
"""How variables of the business begin, of which `catalog/definitions/variables.py` knows those there are."""
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}([-_][A-Za-z0-9]{1,8})*")
_VARIABLE = re.compile(r"\{\{([^{}]*)\}\}")


def spoken_faults(document: Mapping[str, Any]) -> Iterator[Fault]:
    """Yield what is wrong with the sentences of a definition whose parts have the right shapes."""
    for key, example in (("readBack", QUESTION), ("say", PHRASES), ("result", SENTENCE)):
        for language, words in (document.get(key) or {}).items():
            where = f"{key}.{language}"
            if not _LANGUAGE.fullmatch(language):
                yield where, f"{language!r} is no language", f"write an object by language, such as {example}"
            elif key != "say" and (not isinstance(words, str) or not words.strip()):
                yield where, "must be a sentence", f"write {example}"
            elif key == "say" and not (isinstance(words, Mapping) and all(isinstance(t, str) for t in words.values())):
                yield where, "must hold phrases", f"write {example}"


def question_faults(document: Mapping[str, Any], *others: Mapping[str, Any]) -> Iterator[Fault]:
    """Yield what a definition's `readBack` names and nobody fills in.

    Args:
        document: The definition as it is written.
        others: Definitions that fill in what it leaves out.
    """
    questions, known = document.get("readBack"), _nameable(document, *others)
    for language, text in questions.items() if isinstance(questions, Mapping) else ():
        for name in dict.fromkeys(name.strip() for name in _VARIABLE.findall(text if isinstance(text, str) else "")):
            if name not in known and not name.startswith(OF_THE_BUSINESS):
                yield f"readBack.{language}", f"{{{{{name}}}}} is no parameter", _instead(name, known)


def _instead(name: str, known: Iterable[str]) -> str:
    close = get_close_matches(name, known, n=1, cutoff=0.5)
    if close:
        return f"write {{{{{close[0]}}}}}"
    names = ", ".join(f"{{{{{each}}}}}" for each in known)
    return f"name one of {names}" if names else "leave it out, since the tool takes no arguments"


def _nameable(*definitions: Mapping[str, Any]) -> list[str]:
    """Return what questions may name: arguments, and what the definitions say that is looked up beside them."""
    names: list[str] = []
    for definition in definitions:
        parameters, proposed = definition.get("parameters"), definition.get("proposes")
        properties = parameters.get("properties") if isinstance(parameters, Mapping) else None
        names += properties if isinstance(properties, Mapping) else ()
        names += [name for name in proposed if isinstance(name, str)] if isinstance(proposed, list) else ()
    return list(dict.fromkeys(names))
