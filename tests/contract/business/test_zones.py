"""Zones follow the pinned database, and a time that comes twice is told with its zone."""

import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from switchboard.contract.business.business import Business
from switchboard.contract.business.zones import with_zone_if_twice
from switchboard.contract.definitions.definition import Definition, Kind
from switchboard.desk.bookings.date_text import days_in_words, in_words
from switchboard.desk.bookings.free_days import FreeDay
from switchboard.pipeline.confirmation.prompt import read_back
from tests.each import each

NEW_YORK, FUNCTIONS = ZoneInfo("America/New_York"), Path(__file__).parents[3] / "functions"
FIRST, SECOND = datetime(2026, 11, 1, 5, 30, tzinfo=UTC), datetime(2026, 11, 1, 6, 30, tzinfo=UTC)
"""Half past one in New York, before and after the clocks go back."""


@pytest.mark.requirement("000-384")
@pytest.mark.process
def test_a_system_whose_zones_are_years_old_changes_no_hour(tmp_path: Path) -> None:
    """Morocco has kept to UTC since September 2026; a system that knows nothing of it would be an hour off."""
    stale = tmp_path / "Africa"
    stale.mkdir()
    # Etc/GMT-1 is one hour east, all year.
    (stale / "Casablanca").write_bytes((Path(__import__("tzdata").__file__).parent / "zoneinfo/Etc/GMT-1").read_bytes())
    asked = (
        "from datetime import datetime; from zoneinfo import ZoneInfo\n"
        "def told(): return datetime(2026, 11, 24, 12, tzinfo=ZoneInfo('Africa/Casablanca')).strftime('%z')\n"
        "before = told()\n"
        "import switchboard\n"
        "print(before, told())"
    )
    environment = os.environ | {"PYTHONTZPATH": str(tmp_path), "PYTHONPATH": str(FUNCTIONS)}
    found = subprocess.run([sys.executable, "-c", asked], env=environment, capture_output=True, text=True, check=True)
    assert found.stdout.split() == ["+0100", "+0000"]


@pytest.mark.requirement("000-384")
def test_an_hour_that_comes_twice_is_told_with_its_zone() -> None:
    """Free times, refusals and questions alike; the hours around it are told as always."""
    assert in_words(FIRST, NEW_YORK).startswith("Sunday, November 1 at 1:30 AM (EDT) (")
    assert in_words(SECOND, NEW_YORK).startswith("Sunday, November 1 at 1:30 AM (EST) (")
    business = Business("b", timezone=NEW_YORK)
    day = FreeDay(datetime(2026, 11, 1, tzinfo=NEW_YORK).date(), ((FIRST, SECOND),))
    assert days_in_words([day], business)[0]["times"] == "Sunday 1:30 (EDT) to 1:30 (EST)"
    definition = Definition("go", "message", Kind.ACTION, "", {})
    assert "1:30 AM (EST)" in read_back(definition, {"at": SECOND}, business, FIRST)


@each(
    ("moment", "zone"),
    [
        ((2026, 11, 1, 2, 0), "America/New_York"),
        ((2026, 11, 1, 0, 59), "America/New_York"),
        ((2027, 3, 14, 2, 30), "America/New_York"),  # does not exist
        ((2026, 7, 1, 12, 0), "Asia/Kolkata"),
    ],
)
def test_any_other_time_is_told_without_a_zone(moment: tuple[int, ...], zone: str) -> None:
    """Whoever lives there knows it."""
    assert with_zone_if_twice("then", datetime(*moment, tzinfo=ZoneInfo(zone))) == "then"
