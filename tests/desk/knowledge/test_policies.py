"""Policies by topic."""

import pytest

from switchboard.contract.error import ErrorType, ToolError
from switchboard.desk.knowledge.topics import SUGGESTED_TOPICS
from tests.desk.front_desk import NOW, call, salon, write_down

POLICIES = {
    "cancellation": {"topic": "cancellation", "content": "Free of charge until 24 hours before.", "updatedAt": NOW},
    "late": {
        "topic": "Late arrival",
        "content": "We hold your chair for 10 minutes.",
        "updatedAt": "2026-01-22T10:05:12",
    },
    "deposits": {"topic": "deposits", "content": "Color needs a $40 deposit."},
    "second": {"topic": "deposits", "content": "Deposits move along with the appointment."},
    "pets": {"topic": "pets", "content": "Dogs are welcome for cuts."},
    "empty": {"topic": "nothing", "content": ""},
}
TOPICS = {"cancellation", "Late arrival", "deposits", "pets"}


@pytest.fixture
async def shelf(store):
    await write_down(store, "demo-salon", "policies", POLICIES)


@pytest.mark.parametrize(
    ("topic", "found", "is_exact"),
    [
        ("cancellation", {"cancellation"}, True),
        (" CANCELLATION ", {"cancellation"}, True),
        ("late_arrival", {"late"}, True),
        ("deposits", {"deposits", "second"}, True),
        ("cancelling", {"cancellation"}, False),
        ("what if I am ten minutes late", {"late"}, False),
        ("a deposit for color", {"deposits", "second"}, False),
        ("parking", set(), False),
        ("nothing", set(), False),
    ],
)
@pytest.mark.requirement("000-21", "000-28")
async def test_a_topic_finds_its_policies_or_the_closest(desk, shelf, topic, found, is_exact):
    """Exactly the topic first, then by words of topic and text, else none with the topics there are (seed 000)."""
    answer = await desk.policies.on(call(salon()), topic)
    assert ({p.id for p in answer.entries}, answer.is_exact) == (found, is_exact)
    assert set(answer.known_topics) == TOPICS


async def test_of_very_many_policies_none_is_out_of_reach_by_its_topic(desk, store):
    """More than are read at once: the very topic is asked for; in an outage the closest are told, as that."""
    many = {f"p{n:03}": {"topic": f"rule {n:03}", "content": f"What holds for case {n:03}."} for n in range(260)}
    await write_down(store, "demo-salon", "policies", many)
    for topic in ("rule 255", " Rule_255"):
        answer = await desk.policies.on(call(salon()), topic)
        assert ([p.id for p in answer.entries], answer.is_exact) == (["p255"], True)
    store.fail("query")
    answer = await desk.policies.on(call(salon()), "rule 255")
    assert answer.entries and not answer.is_exact


@pytest.mark.parametrize("topic", [None, "", "  ", "_"])
@pytest.mark.requirement("000-43")
async def test_without_a_topic_the_refusal_names_some(desk, shelf, topic):
    """The usual ones and those that only this business has (seed 000, "Tool Usage Policy")."""
    with pytest.raises(ToolError) as caught:
        await desk.policies.on(call(salon()), topic)
    assert caught.value.type is ErrorType.VALIDATION
    usual, own = caught.value.message.split(" Of this business also: ")
    assert all(suggested in usual for suggested in SUGGESTED_TOPICS)
    assert own == "pets."


async def test_a_policy_tells_when_it_was_changed(desk, shelf, store):
    """As the document says, or when the document was written."""
    for topic, expected in [("cancellation", "2027-03-10T15:00:00Z"), ("late arrival", "2026-01-22T10:05:12")]:
        (policy,) = (await desk.policies.on(call(salon()), topic)).entries
        assert policy.updated_at == expected
    assert all(p.updated_at.endswith("Z") for p in (await desk.policies.on(call(salon()), "deposits")).entries)


async def test_policies_are_read_anew_after_a_second_or_when_told(desk, shelf, store, clock):
    """Seed 000 wants fresh data; callers of the same second share a read."""
    ctx = call(salon())

    async def text():
        return (await desk.policies.on(ctx, "cancellation")).entries[0].text

    before = await text()
    await write_down(
        store, "demo-salon", "policies", {"cancellation": {"topic": "cancellation", "content": "Changed."}}
    )
    assert await text() == before
    desk.policies.forget(ctx.paths)
    assert await text() == "Changed."
    await write_down(store, "demo-salon", "policies", {"cancellation": {"topic": "cancellation", "content": "Again."}})
    clock.seconds += 1
    assert await text() == "Again."


async def test_another_businesss_policies_are_never_told(desk, shelf):
    """Each business has its own shelf."""
    answer = await desk.policies.on(call(salon("other")), "cancellation")
    assert (answer.entries, answer.known_topics) == ((), ())


async def test_in_an_outage_old_policies_are_told_and_unknown_ones_are_transient(desk, shelf, store, clock):
    """Reliability.md §4, "Fail open"."""
    await desk.policies.on(call(salon()), "cancellation")
    store.fail("query")
    clock.seconds += 3_600
    assert (await desk.policies.on(call(salon()), "cancellation")).is_exact
    with pytest.raises(ToolError) as caught:
        await desk.policies.on(call(salon("other")), "cancellation")
    assert caught.value.type is ErrorType.TRANSIENT
