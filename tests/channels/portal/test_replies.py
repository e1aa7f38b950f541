"""One answer, as it is given to whoever listens and kept for whoever asks again."""

import asyncio

from hypothesis import given
from hypothesis import strategies as st

from switchboard.channels.portal.events import EventView
from switchboard.channels.portal.replies import Reply, finished_reply, from_text, to_text

TEXTS = st.builds(lambda text, filler: EventView("text", {"text": text, "filler": filler}), st.text(), st.booleans())
OTHERS = st.builds(lambda id: EventView("tool", {"callId": id}), st.text(max_size=3))
EVENTS = st.lists(TEXTS | OTHERS, max_size=12)


def words(events):
    """Every character in order, with what it is part of; how it was cut into pieces does not matter."""
    return [
        (event.name, part, event.data.get("filler"))
        for event in events
        for part in event.data.get("text", [event.data.get("callId")])
    ]


@given(EVENTS, st.integers(0, 1_000))
def test_what_is_kept_says_the_same_in_fewer_pieces(events, turn):
    """Fillers stay apart from words, and nothing changes its place."""
    kept_turn, kept = from_text(to_text(finished_reply(events, turn)))
    assert kept_turn == turn
    assert words(kept) == words(events)
    assert len(kept) <= len(events)


async def test_whoever_comes_later_hears_it_from_the_beginning():
    """All of them the same, until it ends."""
    reply = Reply()

    async def heard():
        return [event async for event in reply.follow(60.0)]

    events = [EventView("text", {"text": str(n), "filler": False}) for n in range(4)]
    first = asyncio.create_task(heard())
    for event in events:
        await asyncio.sleep(0)
        reply.add([event])
    second = asyncio.create_task(heard())
    await asyncio.sleep(0)
    reply.end()
    assert await first == await second == await heard() == events
