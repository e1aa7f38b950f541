"""The escalation rules as owners enter them: when somebody is rung, and who comes next, checked strictly.

Who reads a rule (`desk/escalation/transfers.py`) falls back to the business's hours from whatever it cannot read, so
that nobody's phone rings at night by mistake. So a word that was mistyped here would leave a night without anybody.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from switchboard.admin.access.refusal import EntryProblem
from switchboard.admin.businesses.opening_form import hours_problems
from switchboard.admin.documents.difference import same
from switchboard.contract.business.names import folded, nearest
from switchboard.contract.business.working_hours import read_working_hours
from switchboard.contract.json import JsonObject

ALWAYS, AS_BUSINESS = "always", "business"
_WORDS = (ALWAYS, AS_BUSINESS)
_MESSAGE = "message"
_NEXT = "fallback"
# What people write for at any time; none of it is near to the word that is read.
_AT_ANY_TIME = frozenset(
    {
        *("24/7", "24x7", "24-7", "24h", "24 h", "24 hours", "anytime", "any time", "all day", "all", "every day"),
        *("everyday", "around the clock", "day and night", "immer", "rund um die uhr", "siempre", "toujours"),
        *("sempre", "altijd"),
    }
)
_SHOWN = 40
_OF_RULE = re.compile(r"escalation\.rules\[(?P<row>[0-9]{1,6})\]\.(?P<name>[^.\[]+).*", re.DOTALL)
_ALWAYS_ASKED = frozenset({"action", "id", "label", "destination", "email"})


def hours_of_rule(place: str, value: Any) -> Iterator[EntryProblem]:
    """Yield what is wrong with when somebody is rung; `place` is where it stands."""
    if value is None or (isinstance(value, str) and value in _WORDS):
        return
    if not isinstance(value, Mapping):
        shown = f"{value[:_SHOWN]!r} is not read. " if isinstance(value, str) else ""
        meant = _meant(value) if isinstance(value, str) else ""
        asked = f'Did you mean "{meant}"? ' if meant else ""
        yield EntryProblem(
            place,
            f'{place}: {shown}{asked}It is "{ALWAYS}", "{AS_BUSINESS}" for the hours of the business, or hours such as '
            '{"monday": [{"open": "09:00", "close": "17:00"}]}.',
        )
        return
    wrong = list(hours_problems(place, value))
    yield from wrong
    if not wrong and not read_working_hours(value, place, []).is_known:
        yield EntryProblem(
            place, f'{place} names no time at which anybody is there. Enter some, or "{ALWAYS}", or leave it out.'
        )


def next_of_rule(place: str, value: Any, rules: Sequence[Any]) -> Iterator[EntryProblem]:
    """Yield what is wrong with who is rung when nobody answers; `place` is where it stands."""
    if not isinstance(value, str) or not value or value == _MESSAGE:
        return
    ids = _rung(rules)
    if value not in ids:
        meant = nearest(value, [*ids, _MESSAGE])
        asked = f" Did you mean {meant}?" if meant else ""
        known = ", ".join([*ids, _MESSAGE])
        yield EntryProblem(place, f"{place}: no rule that rings somebody is called {value[:60]!r}.{asked} Use {known}.")


def stood_in_rules(place: str, before: JsonObject, now: JsonObject) -> bool:
    """Tell whether what a rule holds below a name stood there already, and is none of what owners always had to enter.

    It is left alone, since the form of a page may not even show it; the page Health names it. It stood there where the
    same rule held it: that of its id, or of its place where it has none. Who is rung next did only where there was
    nobody of that name either.

    Args:
        place: Where something is wrong, such as `escalation.rules[0].hours.monday`.
        before: The business as it is stored.
        now: As it is to be.
    """
    at = _OF_RULE.fullmatch(place)
    if at is None or at["name"] in _ALWAYS_ASKED:
        return False
    rules, stored, name, n = _rules(now), _rules(before), at["name"], int(at["row"])
    row = rules[n] if n < len(rules) else None
    if not isinstance(row, Mapping):
        return False
    own = [rule for place, rule in enumerate(stored) if isinstance(rule, Mapping) and _is_of(stored, place, row, n)]
    # A rule without an id is of an old document, in which people are counted: it may mean somebody who is gone.
    is_gone = name == _NEXT and row.get(name) in _rung(stored)
    return any(name in rule and same(rule[name], row.get(name)) and not (is_gone and _id(rule)) for rule in own)


def _is_of(stored: Sequence[Any], place: int, row: Mapping[str, Any], n: int) -> bool:
    """Tell whether a stored rule is the one that stands at place `n` now."""
    rule = stored[place]
    if not _id(rule):
        alike = [
            one for one in stored[: place + 1] if isinstance(one, Mapping) and one.get("action") == rule.get("action")
        ]
        counted = f"{rule.get('action')}-{len(alike)}"
        return _id(row) == counted or (not _id(row) and (place == n or same(rule, row)))
    return _id(rule) == _id(row)


def _id(rule: Mapping[str, Any]) -> str:
    return str(rule.get("id") or "").strip()


def _rung(rules: Sequence[Any]) -> Sequence[str]:
    """Return what those rules are called by which somebody is rung."""
    rung = [rule for rule in rules if isinstance(rule, Mapping) and rule.get("action") == "transfer"]
    return [_id(rule) or f"transfer-{n}" for n, rule in enumerate(rung, 1)]


def _rules(business: JsonObject) -> Sequence[Any]:
    escalation = business.get("escalation")
    rules = escalation.get("rules") if isinstance(escalation, Mapping) else None
    return rules if isinstance(rules, list) else ()


def _meant(word: str) -> str:
    return ALWAYS if folded(word) in _AT_ANY_TIME else nearest(word, _WORDS)
