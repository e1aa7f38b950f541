"""Days that examples name are never over."""

from datetime import date

from days import filled
from tests.each import each

SUNDAY = date(2026, 11, 29)


@each(
    ("text", "written"),
    [
        ("{today}", "2026-11-29"),
        ("{tomorrow}", "2026-11-30"),
        ("{Tuesday}", "2026-12-01"),
        ("{next tuesday}", "2026-12-08"),
        ("{Sunday}", "2026-12-06"),
        ("{next Sunday}", "2026-12-13"),
        ('{"date": "{Monday}T10:00"}', '{"date": "2026-11-30T10:00"}'),
        ("{someday} {order}", "{someday} {order}"),
    ],
)
def test_a_day_in_braces_is_counted_from_today(text: str, written: str) -> None:
    """The first such day from tomorrow on, or the one a week later; whatever else stands in braces stays."""
    assert filled(text, SUNDAY) == written
