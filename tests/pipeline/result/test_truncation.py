"""Results that fit the channel: shortened by structure, never cut in the middle, and saying that there is more."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchboard.contract.channel import Channel
from switchboard.pipeline.result.truncation import fitted, size

TIMES = [f"2027-03-16T{h:02}:{m:02}:00-04:00" for h in range(9, 18) for m in range(0, 60, 15)]
STORY = "The studio opened in 1998. It has moved twice since. " * 100


def test_a_result_that_fits_is_left_as_it_is():
    """The very same object, and nothing to report."""
    data = {"a": [1, 2, 3]}
    assert fitted(data, 100) == (data, {})
    assert fitted(data, 100)[0] is data


def test_a_long_list_loses_its_last_entries_and_says_how_many():
    """The first ones are the ones a caller asked for."""
    data = {"times": TIMES, "zone": "America/New_York"}
    shorter, more = fitted(data, 500)
    assert size(shorter) <= 500
    assert shorter["times"] == TIMES[: len(shorter["times"])]
    assert more == {"times": len(TIMES) - len(shorter["times"])}
    assert shorter["zone"] == "America/New_York"
    assert len(data["times"]) == len(TIMES)


def test_a_long_text_ends_at_a_sentence():
    """Nobody reads half a word aloud."""
    shorter, more = fitted({"text": STORY}, 1_500)
    assert size(shorter) <= 1_500
    assert shorter["text"].endswith(".")
    assert more["text"] == len(STORY) - len(shorter["text"])


def test_lists_are_shortened_before_texts():
    """Fewer answers are better than mutilated ones."""
    data = {"results": [{"title": str(n), "text": "One sentence. " * 20} for n in range(10)]}
    shorter, more = fitted(data, 1_500)
    assert all(r["text"] == "One sentence. " * 20 for r in shorter["results"])
    assert more == {"results": 10 - len(shorter["results"])}


def test_a_tools_own_projection_comes_first():
    """It knows what matters; the rest happens only if it is still too long."""
    own, more = fitted({"times": TIMES}, 500, lambda data, characters: {"first": data["times"][0]})
    assert (own, more) == ({"first": TIMES[0]}, {"shortened": True})
    still, more = fitted({"times": TIMES}, 500, lambda data, characters: {"times": data["times"][1:]})
    assert size(still) <= 500
    assert set(more) == {"shortened", "times"}


values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.text(max_size=400),
    lambda inner: st.lists(inner, max_size=12) | st.dictionaries(st.text(max_size=6), inner, max_size=6),
    max_leaves=40,
)


@given(st.dictionaries(st.text(max_size=6), values, max_size=6), st.integers(200, 3_000))
def test_shortening_always_ends_and_never_touches_what_it_was_given(data, characters):
    """Whatever a tool returns."""
    before = repr(data)
    shorter, more = fitted(data, characters)
    assert repr(data) == before
    assert size(shorter) <= max(size(data), characters)
    assert bool(more) == (shorter is not data)


@pytest.mark.requirement("003-36", "000-103")
@pytest.mark.parametrize(("channel", "longest"), [("phone", 1_500), ("browser_voice", 1_500), ("portal", 6_000)])
async def test_each_channel_has_its_own_size(office, channel, longest):
    """1,500 characters by voice, 6,000 in text; `meta.more` says what is missing."""
    response = await office.call("look", {"word": "A sentence. ", "times": 1_000}, channel=Channel(channel))
    assert longest * 0.8 < size(response.data) <= longest
    assert response.meta["more"]["said"] > 0


async def test_the_meter_knows_how_long_a_result_was_before_it_was_shortened(office):
    """A tool that always has to be shortened is one whose answers should be shorter (seed 003)."""
    response = await office.call("look", {"word": "tea " * 500, "times": 2})
    assert response.meta["more"]
    assert office.meter.snapshot()["responseSizes"]["look"]["p50"] > 4_000
    assert len(str(response.data)) < 1_600
