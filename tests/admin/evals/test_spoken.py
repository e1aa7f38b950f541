"""What is said to be done is told from what is offered, asked and denied; and in which language something is said."""

from switchboard.admin.evals.spoken import claims, language_of
from tests.each import each


@each(
    ("text", "tools"),
    [
        ("You're booked for Friday at 2 PM.", ["book_appointment"]),
        ("Ich habe Sie für Freitag um 14 Uhr eingetragen.", ["book_appointment"]),
        ("It has been cancelled. Goodbye.", ["cancel_appointment"]),
        ("Der Termin ist abgesagt.", ["cancel_appointment"]),
        ("Ihr Termin ist auf Mittwoch verschoben.", ["reschedule_appointment"]),
        ("I've passed on your message.", ["take_message"]),
        ("Shall I cancel it?", []),
        ("Nothing has been cancelled.", []),
        ("I can't confirm that it has been booked.", []),
        ("Once it is booked, you get a text.", []),
        ("Er ist noch nicht abgesagt.", []),
        ("We are fully booked.", []),
    ],
)
def test_only_what_is_said_to_be_done_is_a_claim(text: str, tools: list[str]) -> None:
    """By sentence."""
    assert [tool for tool, _ in claims(text)] == tools


@each(
    ("text", "language"),
    [
        ("Thanks for calling, how can I help you? We are open on Friday.", "en"),
        ("Guten Tag, was kann ich für Sie tun? Wir haben am Freitag Zeit.", "de"),
        ("Goodbye.", None),
    ],
)
def test_a_language_is_told_where_enough_is_said(text: str, language: str | None) -> None:
    """A greeting alone tells none."""
    assert language_of([text]) == language
