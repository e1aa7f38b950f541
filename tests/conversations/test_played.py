"""Conversations in which somebody played the language model, held again: what was said, asked and done then, is now.

Each was held with nothing but the requests that a model is sent. Ids differ, and so the record's are not looked at.
"""

from pathlib import Path

import pytest

from played.recording import Recording, Turn, read
from played.replaying import replay

RECORDINGS = sorted(Path(__file__).parent.glob("*.json"))


@pytest.fixture(params=RECORDINGS, ids=[path.stem for path in RECORDINGS])
def recorded(request: pytest.FixtureRequest) -> Recording:
    """One of them."""
    return read(request.param)


async def test_a_recorded_conversation_goes_as_it_went(recorded: Recording) -> None:
    """Word for word, with the same calls, questions and effects."""
    now = (await replay(recorded)).recording
    for was, turn in zip(recorded.turns, now.turns, strict=True):
        assert turn.told == was.told, turn.said
        assert _came_of(turn) == _came_of(was), turn.said
        assert (turn.asked, turn.held, turn.outcome) == (was.asked, was.held, was.outcome), turn.said
    assert now.done == recorded.done


def _came_of(turn: Turn) -> list[tuple[str, bool]]:
    """Return what came of a turn's calls; look-ups run side by side, and either may be done first."""
    return sorted((result["name"], result["ok"]) for result in turn.results)
