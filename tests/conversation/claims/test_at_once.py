"""That it will be a moment is said beside a call, and without one: it promises nothing."""

import pytest

from tests.conversation.claims.test_free_times import is_said

pytestmark = pytest.mark.requirement("004-1505")
SAID = """
    Tout de suite. | Bien sûr, tout de suite. | Un instant. | Un moment, s'il vous plaît. | Un momento. | Enseguida.
    | Ahora mismo. | Claro, ahora mismo. | Einen Moment. | Gerne, sofort. | One moment, please. | Right away.
    | Sure, right away. | Subito. | Certo, subito. | Um momento. | Sim, já. | Een ogenblik. | Natuurlijk, meteen.
    """


@pytest.mark.parametrize("sentence", [said.strip() for said in SAID.split("|")])
def test_words_that_only_fill_a_moment_are_said(sentence: str) -> None:
    """In seven languages."""
    assert is_said(sentence)


@pytest.mark.parametrize("sentence", ["J'annule tout de suite.", "Tout de suite, je vous passe Rosa."])
def test_what_would_be_done_right_away_is_held_where_no_call_does_it(sentence: str) -> None:
    """A promise stays one."""
    assert not is_said(sentence)
