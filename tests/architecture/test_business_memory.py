"""What a process keeps of businesses in memory is forgotten when another business has the id, or says why it need not.

A business that was taken away and one that is made under its id later are at least three minutes apart: what is read
again more often than that cannot be of the one before.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

from tests.architecture.house import ROOT, python_under

KEEPING = frozenset({"LRUCache", "TTLCache", "Recent", "Cache", "WeakValueDictionary"})
_READ_AGAIN = "read again within a minute"
_SAME_ANSWER = "made of texts and versions alone, whoever asks"
_IN_FLIGHT = "only while something is under way"
_OF_TENANT = "by the business as it was read, which is another one by then"
_COUNTS = "counts or paces for some minutes, and tells nobody anything"
_ACCOUNT = "by an account or address elsewhere, and by what opens it"
_STAND_IN = "written anew whenever its business is met, and told where the store does not answer"
_CALL = "by a phone call's own id, which no other call has"
EXCEPTIONS = {
    "contract/business/succession.py:Beginnings": "which business an id is, which it finds out itself",
    "contract/cache.py:Cache": "whoever holds one says what is in it",
    "catalog/tenant_tools/parts.py:StoredBusinesses": "when it was read, not what",
    "catalog/definitions/definitions.py:Definitions": "of all businesses",
    "catalog/definitions/readings.py:Readings": _SAME_ANSWER,
    "catalog/offer/prompts.py:Prompts": _SAME_ANSWER,
    "admin/agents/store.py:AgentStore": _IN_FLIGHT,
    "admin/health/health.py:HealthService": _STAND_IN,
    "pipeline/limits/breaker.py:Breakers": _COUNTS,
    "pipeline/ledger/session_upkeep.py:SessionUpkeep": _COUNTS,
    "channels/http/credentials.py:Accounts": _READ_AGAIN,
    "channels/http/credentials.py:Credentials": _READ_AGAIN,
    "channels/http/readiness.py:Readiness": _READ_AGAIN,
    "channels/stranger_shares.py:Looks": _COUNTS,
    "channels/stranger_shares.py:StrangerShares": _COUNTS,
    "channels/vapi/request.py:RequestProofs": _READ_AGAIN,
    "channels/browser_voice/vendor_sessions.py:LiveCalls": "of one talk",
    "channels/phone/turns.py:Turns": _CALL,
    "channels/phone/phone_numbers.py:Lines": "read again within a minute; whose a number was, until it is another's",
    "channels/portal/portals.py:Portals": _OF_TENANT,
    "conversation/claims/classifier.py:ClaimClassifier": _SAME_ANSWER,
    "conversation/claims/guard.py:ClaimGuards": _SAME_ANSWER,
    "desk/limits/rate_limits.py:RateLimits": _COUNTS,
    "desk/tenant_tools/service_places.py:ServicePlaces": _COUNTS,
    "desk/tenant_tools/service_places.py:_Service": _COUNTS,
    "desk/knowledge/vector_search.py:VectorSearch": _READ_AGAIN,
    "desk/knowledge/topics.py:Topics": _READ_AGAIN,
    "desk/knowledge/knowledge.py:Knowledge": _READ_AGAIN,
    "desk/bookings/open_bookings.py:OpenBookings": _IN_FLIGHT,
    "desk/calendars/free_busy.py:BusyTimes": _READ_AGAIN,
    "integrations/caldav/calendars.py:CaldavCalendars": _ACCOUNT,
    "integrations/identity/firebase_tokens.py:FirebaseTokens": _ACCOUNT,
    "integrations/mcp/session.py:Sessions": _ACCOUNT,
    "integrations/oauth/tokens.py:TokenSource": "by connection: a later one has another generation",
    "integrations/oauth/requests.py:AuthorisedRequests": _COUNTS,
    "integrations/pipedream/components.py:Components": _ACCOUNT,
    "integrations/secrets/data_keys.py:DataKeys": "by the sealed key itself",
}
"""The classes that need not, and why."""


def keepers(root: Path) -> dict[str, bool]:
    """Return the classes that keep many things in memory, each with whether it forgets a business."""
    found = {}
    for path, text in python_under(root, Path("functions/switchboard")):
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.ClassDef) and any(_keeps(node)):
                name = f"{path.relative_to('functions/switchboard').as_posix()}:{node.name}"
                found[name] = _forgets(node)
    return found


def _keeps(node: ast.ClassDef) -> Iterator[bool]:
    for inner in ast.walk(node):
        if isinstance(inner, ast.Call) and isinstance(inner.func, ast.Name) and inner.func.id in KEEPING:
            yield True


def _forgets(node: ast.ClassDef) -> bool:
    has_way = any(isinstance(inner, ast.FunctionDef) and inner.name == "forget_business" for inner in node.body)
    called = (inner.func for inner in ast.walk(node) if isinstance(inner, ast.Call))
    return has_way and any(isinstance(func, ast.Name) and func.id == "forgets_businesses" for func in called)


def test_whatever_keeps_things_of_businesses_forgets_one_that_was_taken_away():
    found = keepers(ROOT)
    unknown = sorted(name for name, forgets in found.items() if not forgets and name not in EXCEPTIONS)
    assert not unknown, f"forget a business (contract/business/succession.py), or say here why not: {unknown}"
    needless = sorted(name for name in EXCEPTIONS if found.get(name, True))
    assert not needless, f"no exceptions any more: {needless}"


def test_one_that_does_not_is_found(tmp_path: Path):
    folder = tmp_path / "functions/switchboard"
    folder.mkdir(parents=True)
    kept = "class Kept:\n    def __init__(self):\n        self._of: LRUCache[str, str] = LRUCache(5)\n"
    way = "        forgets_businesses(self)\n    def forget_business(self, business_id):\n        pass\n"
    (folder / "kept.py").write_text(kept)
    assert keepers(tmp_path) == {"kept.py:Kept": False}
    (folder / "kept.py").write_text(kept + way)
    assert keepers(tmp_path) == {"kept.py:Kept": True}
