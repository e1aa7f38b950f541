"""Hours as people write them, of whatever is stored."""

import pytest

from admin_ui.business import hours_text
from switchboard.contract.business.working_hours import read_working_hours
from tests.each import each

pytestmark = pytest.mark.requirement("004-2007")
MORNING, EVENING = {"open": "09:00", "close": "12:30"}, {"open": "18:00", "close": "24:00"}


@each(
    ("stored", "shown"),
    [
        ([MORNING, EVENING], "09:00-12:30, 18:00-24:00"),
        ([MORNING], "09:00-12:30"),
        (MORNING, "09:00-12:30"),
        ("closed", "closed"),
        ([], "closed"),
        (None, "closed"),
    ],
)
def test_every_form_that_the_server_reads_is_shown_and_kept_by_saving(stored: object, shown: str) -> None:
    """One opening may stand without a list around it: it was shown as closed, and saving took it away."""
    assert hours_text.written(stored) == shown
    before, after = (read_working_hours({"monday": one}, "hours", []) for one in (stored, hours_text.read(shown)))
    assert before == after
    assert hours_text.written_days({"12-24": stored}) == f"12-24: {shown}"
