"""What a conversation's receipts and look-ups bear out, of what the tools on offer let an agent claim."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from switchboard.contract.definition import Definition
from switchboard.contract.json import JsonObject
from switchboard.conversation.evidence import Evidence, about_no_time, evidence
from switchboard.conversation.session import CallSession, Receipt

# What the channel itself knows of the caller, whatever tools did.
_VERIFIED = "verified"
# What is no longer there is no evidence that it is.
_CANCELLED = "cancelled"
# What the receipts of owners' own tools call a deed that a built-in tool has the words for.
_DEEDS = {"transfer": "transfer_call"}


@dataclass(frozen=True, slots=True)
class Sources:
    """Which tools bear what out.

    Attributes:
        claims: By tool, what its success lets an agent claim.
        looks_up: Tools that only find such things out.
        about_times: Tools whose effect has a time of its own, such as an appointment's.
    """

    claims: Mapping[str, frozenset[str]]
    looks_up: frozenset[str]
    about_times: frozenset[str]

    def known(self, session: CallSession, now: datetime) -> list[Evidence]:
        """Return what is known, the latest of each thing; `now` is local."""
        latest: dict[str, Receipt] = {}
        for number, receipt in enumerate(session.receipts):
            if self._deed(receipt):
                # What was booked and then moved, or cancelled, is not where it was.
                for id in _ids(receipt.words.get("effectIds")) or [f"#{number}"]:
                    latest[id] = receipt
        found = [self._of_receipt(receipt, now) for receipt in latest.values()]
        for tool in self.looks_up:
            rows = _rows(session.tool_context.get(tool))
            found += [self._of_row(tool, row, now) for row in rows if not latest.keys() & _own_ids(row)]
        if session.facts.caller_verified:
            found.append(Evidence(frozenset({_VERIFIED}), (), frozenset()))
        return found

    def _deed(self, receipt: Receipt) -> str:
        """Return the tool whose claims a receipt bears out: its own, or what an owner's tool was made to do."""
        tool = receipt.tool if receipt.tool in self.claims else _DEEDS.get(str(receipt.words.get("what")), "")
        return tool if tool in self.claims else ""

    def _of_receipt(self, receipt: Receipt, now: datetime) -> Evidence:
        tool, zone = self._deed(receipt), now.tzinfo
        assert zone is not None
        claims = self.claims[tool]
        if tool in self.about_times:
            return evidence(claims, receipt.words, zone)
        return about_no_time(claims, receipt.words, receipt.arguments, zone, now)

    def _of_row(self, tool: str, row: JsonObject, now: datetime) -> Evidence:
        assert now.tzinfo is not None
        is_cancelled = str(row.get("status")).casefold() == _CANCELLED
        claims = self.claims[tool]
        claims = claims & {_CANCELLED} if is_cancelled else claims - {_CANCELLED}
        return evidence(claims, row, now.tzinfo)


def sources(definitions: Iterable[Definition]) -> Sources:
    """Return which of these tools bear what out."""
    claiming = [definition for definition in definitions if definition.claims]
    return Sources(
        {d.name: frozenset(d.claims) for d in claiming},
        frozenset(d.name for d in claiming if not any(d.claims.values())),
        frozenset(d.name for d in claiming if _has_a_time(d)),
    )


def _has_a_time(definition: Definition) -> bool:
    properties = definition.parameters.get("properties") or {}
    return any(isinstance(inner, Mapping) and inner.get("format") == "date-time" for inner in properties.values())


def _rows(data: Any) -> list[JsonObject]:
    """Return what a look-up found, one by one, so that times and names of different things are not mixed.

    What has no id is nobody's booking: a time at which the business is busy, or nothing at all.
    """
    if not isinstance(data, Mapping):
        return []
    rows = [row for value in data.values() if isinstance(value, list) for row in value if isinstance(row, Mapping)]
    return [dict(row) for row in rows or [data] if _own_ids(row)]


def _own_ids(row: Mapping[str, Any]) -> set[str]:
    return {str(value) for key, value in row.items() if key.lower().replace("_", "").endswith("id") and value}


def _ids(value: Any) -> list[str]:
    return [str(id) for id in value] if isinstance(value, list) else []
