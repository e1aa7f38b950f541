"""What came of a kept test the last time, as it stands on the test."""

import hashlib
from datetime import datetime

from switchboard.contract.document import mapping, moment, text
from switchboard.contract.json import JsonObject
from switchboard.contract.store import Document


def outcome_of(document: Document) -> JsonObject | None:
    """Return what came of a kept test as it stands now; None where it was not played yet, or was changed since."""
    outcome = mapping(document.data.get("outcome"))
    at = moment(outcome.get("at"))
    if at is None or outcome.get("of") != digest(document):
        return None
    told = {name: text(outcome.get(name)) for name in ("what", "sentence", "call", "catalogHash")}
    return {"at": at, "isRed": document.data.get("isRed") is True, **told}


def stands(document: Document, since: datetime) -> bool:
    """Tell whether a kept test, as it is now, was played since then."""
    outcome = outcome_of(document)
    return outcome is not None and outcome["at"] >= since


def digest(document: Document) -> str:
    """Return what stands for the words of a kept test."""
    return hashlib.sha256(text(document.data.get("text")).encode()).hexdigest()[:32]
