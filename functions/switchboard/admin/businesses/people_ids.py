"""Gives everybody in a business's escalation rules an id of their own when the rules are saved.

A rule without an id is read by its place: `transfer-2` is the second to whom calls are put through
(`desk/escalation/transfers.py`), `message-1` the first who is texted (`desk/contact/recipients.py`). What refers
to such an id (another rule's `fallback`, a tool that transfers) would mean somebody else once a rule before it is taken
out. So a rule that is saved keeps the id by which it was read until then, written down, and a new one gets an id of
what it says.
"""

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from switchboard.admin.documents.difference import same
from switchboard.contract.json import JsonObject

_DIGITS = 6
_REACHED = ("destination", "email")
Rule = Mapping[str, Any]


def with_people_ids(fields: JsonObject, before: JsonObject) -> JsonObject:
    """Return the owner's part of a business, with an id in each of its rules; where those stay as they are, as it is.

    Args:
        fields: What is to be saved.
        before: What was saved until then.
    """
    escalation = fields.get("escalation")
    if same(before.get("escalation"), escalation) or not isinstance(escalation, Mapping):
        return fields
    rules = escalation.get("rules")
    if not isinstance(rules, list):
        return fields
    return {**fields, "escalation": {**escalation, "rules": _identified(rules, dict(_known(_rules(before))))}}


def _rules(business: JsonObject) -> list[Rule]:
    escalation = business.get("escalation")
    rules = escalation.get("rules") if isinstance(escalation, Mapping) else None
    return [rule for rule in rules if isinstance(rule, Mapping)] if isinstance(rules, list) else []


def _known(rules: Iterable[Rule]) -> Iterator[tuple[str, Rule]]:
    """Yield each rule by the id that it is read by; one to whom only mail goes has none."""
    counted = {"transfer": 0, "message": 0}
    for rule in rules:
        action = rule.get("action")
        is_counted = action == "transfer" or (action == "message" and bool(rule.get("destination")))
        if is_counted:
            counted[str(action)] += 1
        if id := _id(rule) or (f"{action}-{counted[str(action)]}" if is_counted else ""):
            yield id, rule


def _identified(rules: list[Any], known: Mapping[str, Rule]) -> list[Any]:
    identified, taken = list(rules), {_id(rule) for rule in rules if isinstance(rule, Mapping)}
    # Those first who are certainly the same: nobody gets the id of somebody who is still there.
    for is_same in (_same_in_all, _same_reach, _same_label):
        for at, rule in _without_id(identified):
            id = next((id for id, one in known.items() if id not in taken and is_same(one, rule)), "")
            if id:
                taken.add(id)
                identified[at] = {**rule, "id": id}
    for at, rule in _without_id(identified):
        # Nor anybody new an id that was somebody's: what refers to it means whoever had it.
        id = _new(rule, taken | known.keys())
        taken.add(id)
        identified[at] = {**rule, "id": id}
    return identified


def _without_id(rules: list[Any]) -> list[tuple[int, Rule]]:
    return [(at, rule) for at, rule in enumerate(rules) if isinstance(rule, Mapping) and not _id(rule)]


def _same_in_all(one: Rule, other: Rule) -> bool:
    return _same_reach(one, other) and one.get("label") == other.get("label")


def _same_reach(one: Rule, other: Rule) -> bool:
    return _reach(one) == _reach(other)


def _same_label(one: Rule, other: Rule) -> bool:
    return bool(one.get("label")) and (one.get("action"), one["label"]) == (other.get("action"), other.get("label"))


def _reach(rule: Rule) -> tuple[Any, ...]:
    # Nothing and an empty text reach the same.
    return (rule.get("action"), *(rule.get(name) or "" for name in _REACHED))


def _new(rule: Rule, taken: set[str]) -> str:
    label_and_reach = repr([rule.get("label") or "", *_reach(rule)])
    count = 0
    while True:
        digest = hashlib.sha256(f"{label_and_reach}|{count}".encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]
        id = f"{str(rule.get('action') or 'rule')[:20]}-{digest}"
        if id not in taken:
            return id
        count += 1


def _id(rule: Rule) -> str:
    return str(rule.get("id") or "").strip()
