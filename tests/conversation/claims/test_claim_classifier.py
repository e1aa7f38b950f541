"""What the classifier of claims reads, whatever disguises it, and what it suggests for owners' tools."""

from switchboard.contract.definitions.definition import Deed
from switchboard.conversation.claims.classifier import (
    LONGEST_WORDS,
    WEIGHTS,
    ClaimTelling,
    classifier,
    plain_text,
    words_in,
)
from tests.each import each


def test_the_weights_are_small_enough_to_be_shipped() -> None:
    """A cold instance reads them before it answers."""
    assert WEIGHTS.stat().st_size <= 1_000_000


@each(
    "text",
    [
        "You\u200b're bo\u00adoked for Tuesday at ten.",
        "You're **booked** for _Tuesday_ at ten.",
        "You're b o o k e d for Tuesday at ten.",
        "Y\u043eu're b\u043eoked for Tuesday at ten.",
        "\uff39\uff4f\uff55're booked for Tuesday at ten.",
    ],
)
def test_what_disguises_a_claim_changes_nothing(text: str) -> None:
    """Invisible marks, emphasis, spelling out, foreign letters and wide ones."""
    assert words_in(text) == words_in("You're booked for Tuesday at ten.")


def test_other_alphabets_are_left_as_they_are() -> None:
    """Only letters among Latin ones are taken for what they look like."""
    assert plain_text("\u0432\u0435\u0440\u0430") == "\u0432\u0435\u0440\u0430"


@each(
    ("name", "description", "deed"),
    [
        ("send_order", "Orders flowers for the customer", Deed.ORDERED),
        ("refund_deposit", "Gives the customer their deposit back", Deed.REFUNDED),
        ("book_table", "Reserves a table for the guests", Deed.BOOKED),
    ],
)
def test_an_owners_words_suggest_what_a_tool_does(name: str, description: str, deed: Deed) -> None:
    """So that an honest sentence about it is borne out by its receipt."""
    assert classifier().suggested_deed(name, description) is deed


def test_a_label_that_is_an_emoji_suggests_nothing() -> None:
    """It is another deed then, which any owner's receipt bears out."""
    assert classifier().suggested_deed("\U0001f9e1", "\U0001f9e1") is None


def test_what_is_under_way_is_told_from_what_is_done() -> None:
    """The one may still be done by the call that follows, the other is a lie by then."""
    assert classifier().read("I'm cancelling your appointment right now.").telling is ClaimTelling.UNDERWAY
    assert classifier().read("I have cancelled your appointment.").telling is ClaimTelling.DONE


def test_of_a_text_without_end_only_so_much_is_read() -> None:
    """Nobody says so many words without a stop; everybody's calls would wait."""
    assert len(words_in("and then we talked about the colour of her hair " * 400)) == LONGEST_WORDS
