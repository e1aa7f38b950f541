"""The closed list of error types and what each carries by default."""

import pytest

from switchboard.contract.error import RETRYABLE, UNKNOWN_OUTCOME, ErrorType, Refused, ToolError
from tests.each import each


@pytest.mark.requirement("003-68")
def test_the_error_types_are_exactly_the_thirteen_of_the_seeds():
    """Seed 003, "Error Types": twelve by layer, and the loop detector's own."""
    assert {t.value for t in ErrorType} == {
        *("VALIDATION", "NOT_FOUND", "INTERNAL"),
        *("MODE_RESTRICTED", "BUDGET_EXCEEDED", "CONFIRMATION_REQUIRED", "LOOP_DETECTED"),
        *("SESSION_INACTIVE", "TRANSIENT", "PERMANENT", "CONFLICT", "AUTH", "RATE_LIMIT"),
    }


@each("type", list(ErrorType))
def test_a_handlers_no_is_retryable_only_when_waiting_can_help(type):
    """TRANSIENT and RATE_LIMIT pass by themselves; the others need another call or another person."""
    assert ToolError(type, "no").retryable is (type in RETRYABLE)
    assert ToolError(type, "no", retryable=True).retryable is True


def test_a_refusal_is_never_retryable_by_default_and_changes_nothing():
    """Seed 003, "Error Handling Philosophy": pre-execution errors."""
    refusal = Refused(ErrorType.TRANSIENT, "not now")
    assert (refusal.retryable, refusal.partial_side_effects) == (False, False)


@each("message", ["", " ", "\n", "  Ask again."])
def test_no_error_is_without_a_sentence_or_begins_with_a_blank(message):
    """What can be had instead is added behind it, and a model that is told nothing says that it is done."""
    for error in (ToolError(ErrorType.TRANSIENT, message), Refused(ErrorType.PERMANENT, message)):
        assert error.message == error.message.strip() and error.message.endswith(".")
        assert str(error) == f"{error.type}: {error.message}"
    unknown = ToolError(ErrorType.TRANSIENT, message, partial_side_effects=True)
    assert unknown.message == (message.strip() or UNKNOWN_OUTCOME)
