"""Which limit was met is told as what it is: one that can be raised, what each caller gets, or all strangers' share."""

import json

from switchboard.admin.health.limits import limit_reached
from switchboard.admin.health.shares import about_shares
from switchboard.contract.caller.strangers import rules_for, shares_of_all, tally_of
from switchboard.contract.context import PortalContext
from switchboard.contract.policy import STRANGERS, Thing
from switchboard.contract.store import Set
from switchboard.desk.limits.month_limit import MONTH
from switchboard.state.memory.store import MemoryStore
from tests.desk.front_desk import StoppedClock
from tests.each import each
from tests.pipeline.conftest import BUSINESS, PATHS

WITHIN = PATHS.within(BUSINESS)


def refused(reason: str | None, type: str = "RATE_LIMIT") -> str:
    return json.dumps({"ok": False, "error": {"type": type}, "meta": {"reason": reason} if reason else {}})


@each(
    ("stored", "what"),
    [
        (refused("business"), "quota_spent"),
        (refused(None), "quota_spent"),
        *((refused(scope), "share_spent") for scope in ("number", "prefix", "visit", "withheld", "strangers")),
        (refused(MONTH), None),
        (refused("number", "CONFLICT"), None),
        ("{oops", None),
        (None, None),
        ("[1]", None),
    ],
)
def test_a_limit_that_no_setting_raises_is_not_said_to_be_one(stored: str | None, what: str | None):
    """ "Raise it under Integrations" helps nobody where one number has had as many texts as any may have."""
    assert limit_reached(stored) == what


@each("thing", [thing for thing, share in STRANGERS.items() if share.business is not None])
async def test_what_all_strangers_share_is_told_when_it_is_used_up_and_once_as_long(thing: Thing):
    """Honest visitors are turned away then, and nobody else would tell the owner."""
    store, clock = MemoryStore(), StoppedClock()
    (rule,) = (rule for rule in rules_for(thing) if rule.scope == "business")
    facts = PortalContext(business_id=BUSINESS, session_id="s1", turn=1, call_id="c1", address="192.0.2.1")
    (window,) = (w for w in tally_of(thing, facts, WITHIN, clock.now()).windows if w.rule.scope == "business")
    assert (thing, window) in shares_of_all(WITHIN, clock.now())
    await store.commit([Set(window.path, {"count": rule.limit - 1})])
    assert await about_shares(store, WITHIN, clock.now()) == []
    await store.commit([Set(window.path, {"count": rule.limit})])
    for _ in range(2):
        (finding,) = await about_shares(store, WITHIN, clock.now())
        assert (finding.what, finding.count) == ("strangers_used_up", rule.limit)
        assert finding.subject.startswith(f"{thing.value} ({rule.limit} in 1 ")
        clock.wait(rule.window_s)
    assert await about_shares(store, WITHIN, clock.now()) == []
